//! The evaluation harness: how far samplers are from the posterior, on the evidence of a match.
//!
//! A match gives, for one role, its evidence after every step, and the oracle gives the posterior of each: these are
//! the [`EvaluationPoint`]s. A *replicate* is one belief that follows the evidence from the first step on; its
//! particles after a step are a particle set. The mean of the sets of many independent replicates has a distance from
//! the posterior, which is the bias ([`Figures`]).
//!
//! [`control()`] measures independent draws from the posterior in the same way: every sampler is compared with them.
//!
//! Every replicate draws from a stream of its own, and figures are added up in the order of the replicates, so they are
//! the same on any number of threads. Only times are not. All samplers are given the same streams.
//!
//! A set is empty if the budget ran out. It is counted as a depletion, has the distance 1, and is in every other figure as a
//! belief that knows nothing; only the tests of draws leave it out. If an evaluation of the rules meets a limit, there are no
//! figures at all, but the failure.

mod batch;
mod control;
mod evidence;
mod figures;
mod fluents;
mod methods;
mod point;
mod set;
mod values;

pub use control::{Control, control};
pub use evidence::{model_match, random_match};
pub(super) use figures::NONE;
pub use figures::{Costs, Exactly, Figures, Spread};
pub use fluents::{BINS, Bin};
pub use methods::MethodCounts;
pub(super) use point::prefixes;
pub use point::{EvaluationPoint, EvaluationPoints, Oracle, PointsEnd, PosteriorSource};

use std::sync::Arc;
use std::time::Duration;

use cpu_time::ThreadTime;
use rayon::prelude::*;

use batch::{ReplicateBatch, batches};
use figures::all_figures;
use hyperplay_engine::{Engine, EngineScratch};
use hyperplay_machine::{Budget, Bulk as _, Evaluated, Evidence, History, Role, Seed, StateMachine};
use hyperplay_play::referee::Stopwatch;
use hyperplay_think::belief::{
    Belief, BoxedBelief, OpponentModel, Sampler, UpdateCost, UpdateMethod, UpdateOutcome,
};
use set::{Loose, MeasuredUpdate, ParticleSet};

/// The replicates of one sampler.
pub struct Replicates<'a> {
    /// The sampler.
    pub sampler: &'a dyn Sampler<Engine>,
    /// The opponent model that it assumes for the other roles.
    pub model: &'a Arc<dyn OpponentModel>,
    /// Whether the posteriors of the points are those of this model. Otherwise the error is that of the sampler and of its
    /// model together.
    pub is_of_points: bool,
    /// Particles in a set.
    pub particles: usize,
    /// How many replicates there are.
    pub count: usize,
    /// The root of the streams of the replicates.
    pub seed: Seed,
    /// The longest time of an update, if there is one. A belief that takes longer is not followed further: its sets are
    /// empty from there on.
    pub limit: Option<Duration>,
    /// About the states that the updates of all replicates may visit together. Where these take more, fewer replicates are made;
    /// and where some few take more, they end before the last point.
    pub work: u64,
    /// Called for the set of each replicate at each point that it reaches, in any order.
    pub keep: Option<&'a KeepSet<'a>>,
}

/// What is done with the set of a replicate, by its number, at a point: with its particles and the seconds of the last update.
pub type KeepSet<'a> = dyn Fn(usize, &EvaluationPoint, Vec<KeptParticle>, f64) + Sync + 'a;

/// A particle: its history, its weight, and its place in the posterior, if it has one.
pub type KeptParticle = (History, f64, Option<usize>);

/// The batches of replicates that are made in any case, each with its share of the work. What they take says how many there can be
/// in all, so the number does not depend on the threads.
const FIRST: usize = 4;

/// An engine that makes many attempts at once makes this number of them in the time in which another visits a state.
const ATTEMPTS_A_STATE: u64 = 16;

/// The figures of a sampler at every point, or at the first ones, as far as the work is enough. `tick` is called once for each
/// replicate, made or not; `None` if `stop` said so before the last.
///
/// # Errors
/// If the rules cannot be evaluated: that of the first replicate of which this is true.
pub fn measure(
    machine: &Arc<Engine>,
    replicates: &Replicates<'_>,
    points: &[EvaluationPoint],
    stop: &(dyn Fn() -> bool + Sync),
    tick: &(dyn Fn() + Sync),
) -> Evaluated<Option<Vec<Figures>>> {
    let points: Vec<&EvaluationPoint> = points.iter().collect();
    let one = |points: &[&EvaluationPoint], number: usize, most: u64| {
        let seed = replicates.seed.index(number);
        let keep = replicates.keep.map(|keep| (number, keep));
        let of_point =
            |point: &&EvaluationPoint| draw(point, (replicates.sampler, replicates.particles), &seed, keep);
        let drawn = || points.iter().map(of_point).collect();
        match replicates.is_of_points.then(drawn).flatten() {
            Some(sets) => Ok(Some((sets, 0))),
            None => follow(machine, replicates, points, (number, &seed, most), stop),
        }
    };
    let asked = (replicates.count, replicates.work);
    let Some(all) = collect(&points, asked, stop, tick, &one)? else { return Ok(None) };
    let is_independent = replicates.sampler.is_independent();
    Ok(Some(all_figures(&points, &all, replicates.particles, is_independent, &replicates.seed)))
}

/// The content of one replicate at points, given its number and the states that it may visit, and those that it did; `None` if it was
/// stopped.
type OneReplicate<'a> =
    dyn Fn(&[&EvaluationPoint], usize, u64) -> Evaluated<Option<(Vec<ParticleSet>, u64)>> + Sync + 'a;

/// The replicates at every point, in batches. The batches are measured side by side, and the replicates of a batch one
/// after the other.
fn collect(
    points: &[&EvaluationPoint],
    (count, work): (usize, u64),
    stop: &(dyn Fn() -> bool + Sync),
    tick: &(dyn Fn() + Sync),
    one: &OneReplicate<'_>,
) -> Evaluated<Option<Vec<Vec<ReplicateBatch>>>> {
    let of_batch = |points: &[&EvaluationPoint], numbers: std::ops::Range<usize>, most: u64| {
        let mut at: Vec<ReplicateBatch> = points.iter().map(|_| ReplicateBatch::default()).collect();
        let (mut visited, mut reached) = (0, points.len());
        for number in numbers {
            let Some((sets, states)) = one(points, number, most)? else { return Ok(None) };
            (visited, reached) = (visited + states, reached.min(sets.len()));
            // The first ones say how many there are; until then nobody can tell how long the rest takes.
            if most == u64::MAX {
                tick();
            }
            if stop() {
                return Ok(None);
            }
            at.iter_mut().zip(sets).zip(points).for_each(|((batch, set), point)| batch.add(set, point));
        }
        at.truncate(reached);
        Ok(Some((at, visited)))
    };
    let mut by_point: Vec<Vec<ReplicateBatch>> = points.iter().map(|_| Vec::new()).collect();
    let mut ranges = batches(count);
    let mut others = ranges.split_off(FIRST.min(ranges.len()));
    let mut ticks: usize = ranges.iter().map(ExactSizeIterator::len).sum();
    let mut most = work / ticks.max(1) as u64;
    while !ranges.is_empty() {
        let (made, mut visited, points) = (ranges.len() as u64, 0, &points[..by_point.len()]);
        let all: Vec<Evaluated<Option<_>>> =
            ranges.into_par_iter().map(|numbers| of_batch(points, numbers, most)).collect();
        // Not the failure that happens to come first in time: the same one on any number of threads.
        for batch in all.into_iter().collect::<Result<Vec<_>, _>>()? {
            let Some((batch, states)) = batch else { return Ok(None) };
            visited += states;
            by_point.truncate(batch.len());
            batch.into_iter().zip(&mut by_point).for_each(|(batch, at)| at.push(batch));
        }
        let affordable = work.saturating_sub(visited).saturating_mul(made) / visited.max(1);
        (ranges, most) = (std::mem::take(&mut others), u64::MAX);
        ticks += ranges.drain(ranges.len().min(affordable as usize)..).flatten().count();
        (0..std::mem::take(&mut ticks)).for_each(|_| tick());
    }
    Ok(Some(by_point))
}

/// One replicate: a belief that follows the evidence step by step, until it has visited the most states that it may.
fn follow(
    machine: &Arc<Engine>,
    replicates: &Replicates<'_>,
    points: &[&EvaluationPoint],
    (number, seed, most): (usize, &Seed, u64),
    stop: &(dyn Fn() -> bool + Sync),
) -> Evaluated<Option<(Vec<ParticleSet>, u64)>> {
    let Some(first) = points.first() else { return Ok(Some((Vec::new(), 0))) };
    let mut following = Following::new(machine, replicates, first.evidence.role);
    let (mut step, mut all) = (0, Vec::with_capacity(points.len()));
    for point in points {
        let mut update = NO_UPDATE;
        while step < point.evidence.step() {
            if stop() {
                return Ok(None);
            }
            step += 1;
            (update, _) =
                following.update(&point.evidence.until(step), following.within(most), &seed.index(step))?;
            if following.work >= most {
                return Ok(Some((all, following.work)));
            }
        }
        let belief = following.belief();
        if let Some(keep) = replicates.keep {
            let particles = belief.iter().flat_map(|belief| {
                belief.particles().iter().map(|particle| {
                    let history = belief.history(particle);
                    let place = point.places.of(&history, belief.state(particle));
                    (history, particle.weight, place)
                })
            });
            keep(number, point, particles.collect(), update.seconds);
        }
        let set = belief.map(|belief| Loose::of(machine, belief, point));
        all.push(set.unwrap_or_default().settle(point, replicates.particles, update, &seed.index(step)));
    }
    Ok(Some((all, following.work)))
}

/// No update, and no time.
const NO_UPDATE: MeasuredUpdate = MeasuredUpdate {
    cost: UpdateCost { states: 0, backtracks: 0, attempts: 0, accepted: 0 },
    method: UpdateMethod::Other,
    seconds: f64::NAN,
    seconds_total: f64::NAN,
};

/// A belief that follows evidence until one of its updates takes longer than the limit.
pub(super) struct Following {
    belief: BoxedBelief<Engine>,
    limit: Option<Duration>,
    /// Processor time of all updates, in seconds; NaN if one took too long.
    total: f64,
    /// The states that they visited.
    pub(super) states: u64,
    /// The same where attempts that are made many at once count as fewer.
    pub(super) work: u64,
    /// Attempts that count as one.
    at_once: u64,
}

impl Following {
    pub(super) fn new(machine: &Arc<Engine>, replicates: &Replicates<'_>, role: Role) -> Following {
        let Replicates { sampler, model, particles, limit, .. } = *replicates;
        let at_once = if machine.at_once() > 1 { ATTEMPTS_A_STATE } else { 1 };
        let belief = sampler.belief(machine, role, model, particles);
        Following { belief, limit, total: 0.0, states: 0, work: 0, at_once }
    }

    /// What is left where all updates may visit this number of states.
    pub(super) fn within(&self, most: u64) -> Budget {
        let left = || Budget::nodes(most.saturating_sub(self.work).saturating_mul(self.at_once));
        if most == u64::MAX { Budget::UNLIMITED } else { left() }
    }

    /// The belief, if it is still followed.
    pub(super) fn belief(&self) -> Option<&dyn Belief<Engine>> {
        (!self.total.is_nan()).then_some(&*self.belief)
    }

    /// Makes one update and measures it: its cost and its processor time are those from the step before to this one. One that
    /// takes longer than the limit has no time, and none behind it is made.
    pub(super) fn update(
        &mut self,
        evidence: &Evidence,
        budget: Budget,
        seed: &Seed,
    ) -> Evaluated<(MeasuredUpdate, Option<UpdateOutcome>)> {
        if self.total.is_nan() {
            return Ok((NO_UPDATE, None));
        }
        let (since, watch) = (ThreadTime::now(), Stopwatch::start());
        let budget = self.limit.map_or(budget, |limit| budget.within(limit));
        let outcome = self.belief.update(evidence, &budget, seed);
        let is_late = self.limit.is_some_and(|limit| watch.elapsed() >= limit);
        let seconds = if is_late { f64::NAN } else { since.elapsed().as_secs_f64() };
        if let Some(failure) = self.belief.take_failure() {
            return Err(failure);
        }
        self.total += seconds;
        let (cost, method) = (self.belief.cost(), self.belief.method());
        self.states += cost.states;
        self.work += cost.states.saturating_sub(cost.attempts) + cost.attempts / self.at_once;
        Ok((MeasuredUpdate { cost, method, seconds, seconds_total: self.total }, Some(outcome)))
    }
}

/// The value that was found with this scratch, unless an evaluation of the rules met a limit meanwhile.
pub(super) fn evaluated<T>(machine: &Engine, scratch: &mut EngineScratch, found: T) -> Evaluated<T> {
    machine.take_failure(scratch).map_or(Ok(found), Err)
}

/// Takes draws from the posterior if the sampler provides them, none where there is no posterior, and counts for each its share of
/// the cost of the enumeration. The time is that of the enumeration and of the draws. `seed` is that of the replicate.
fn draw(
    point: &EvaluationPoint,
    (sampler, particles): (&dyn Sampler<Engine>, usize),
    seed: &Seed,
    keep: Option<(usize, &KeepSet<'_>)>,
) -> Option<ParticleSet> {
    let (seed, since) = (&seed.index(point.evidence.step()), ThreadTime::now());
    let held = if point.source == PosteriorSource::None { 0 } else { particles };
    let drawn = sampler.draw_from(&point.posterior, held, seed)?;
    let drawn_in = point.known() * since.elapsed().as_secs_f64();
    let [seconds, seconds_total] = point.seconds.map(|of_oracle| of_oracle + drawn_in);
    let weight = 1.0 / particles as f64;
    if let Some((number, keep)) = keep {
        let history = |&place: &usize| (point.posterior.histories[place].0.clone(), weight, Some(place));
        keep(number, point, drawn.iter().map(history).collect(), seconds);
    }
    let cells = drawn.into_iter().map(|place| (place, weight)).collect();
    let set = Loose { cells, held, effective: held as f64, ..Loose::default() };
    let cost = UpdateCost { states: point.posterior.states, ..UpdateCost::default() };
    Some(set.settle(point, particles, MeasuredUpdate { cost, seconds, seconds_total, ..NO_UPDATE }, seed))
}
