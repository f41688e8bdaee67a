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
use hyperplay_machine::{Budget, EvaluationFailure, Evidence, Role, Seed, StateMachine};
use hyperplay_play::referee::Stopwatch;
use hyperplay_think::belief::{Belief, OpponentModel, Sampler, UpdateCost, UpdateMethod, UpdateOutcome};
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
}

/// The figures of a sampler at every point. `tick` is called after each replicate; `None` if `stop` said so before the
/// last.
///
/// # Errors
/// If the rules cannot be evaluated: that of the first replicate of which this is true.
pub fn measure(
    machine: &Arc<Engine>,
    replicates: &Replicates<'_>,
    points: &[EvaluationPoint],
    stop: &(dyn Fn() -> bool + Sync),
    tick: &(dyn Fn() + Sync),
) -> Result<Option<Vec<Figures>>, EvaluationFailure> {
    let points: Vec<&EvaluationPoint> = points.iter().collect();
    let one = |number: usize| {
        let seed = replicates.seed.index(number);
        let of_point =
            |point: &&EvaluationPoint| draw(point, replicates.sampler, replicates.particles, &seed);
        let drawn = || points.iter().map(of_point).collect();
        match replicates.is_of_points.then(drawn).flatten() {
            Some(sets) => Ok(Some(sets)),
            None => follow(machine, replicates, &points, &seed, stop),
        }
    };
    let Some(all) = collect(&points, replicates.count, stop, tick, &one)? else { return Ok(None) };
    let is_independent = replicates.sampler.is_independent();
    Ok(Some(all_figures(&points, &all, replicates.particles, is_independent, &replicates.seed)))
}

/// The content of one replicate at every point, given its number; `None` if it was stopped.
type OneReplicate<'a> = dyn Fn(usize) -> Result<Option<Vec<ParticleSet>>, EvaluationFailure> + Sync + 'a;

/// The replicates at every point, in batches. The batches are measured side by side, and the replicates of a batch one
/// after the other.
fn collect(
    points: &[&EvaluationPoint],
    count: usize,
    stop: &(dyn Fn() -> bool + Sync),
    tick: &(dyn Fn() + Sync),
    one: &OneReplicate<'_>,
) -> Result<Option<Vec<Vec<ReplicateBatch>>>, EvaluationFailure> {
    let of_batch = |numbers: std::ops::Range<usize>| {
        let mut at: Vec<ReplicateBatch> = points.iter().map(|_| ReplicateBatch::default()).collect();
        for number in numbers {
            let Some(sets) = one(number)? else { return Ok(None) };
            tick();
            if stop() {
                return Ok(None);
            }
            let all = at.iter_mut().zip(sets).zip(points);
            all.for_each(|((batch, set), point)| batch.add(set, point));
        }
        Ok(Some(at))
    };
    let all: Vec<Result<Option<Vec<ReplicateBatch>>, EvaluationFailure>> =
        batches(count).into_par_iter().map(of_batch).collect();
    // Not the failure that happens to come first in time: the same one on any number of threads.
    let all: Vec<Option<Vec<ReplicateBatch>>> = all.into_iter().collect::<Result<_, _>>()?;
    let Some(all) = all.into_iter().collect::<Option<Vec<Vec<ReplicateBatch>>>>() else { return Ok(None) };
    let mut by_point: Vec<Vec<ReplicateBatch>> = points.iter().map(|_| Vec::new()).collect();
    for batch in all {
        batch.into_iter().zip(&mut by_point).for_each(|(batch, at)| at.push(batch));
    }
    Ok(Some(by_point))
}

/// One replicate: a belief that follows the evidence step by step.
fn follow(
    machine: &Arc<Engine>,
    replicates: &Replicates<'_>,
    points: &[&EvaluationPoint],
    seed: &Seed,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Vec<ParticleSet>>, EvaluationFailure> {
    let Some(first) = points.first() else { return Ok(Some(Vec::new())) };
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
                following.update(&point.evidence.until(step), Budget::UNLIMITED, &seed.index(step))?;
        }
        let set = following.belief().map(|belief| Loose::of(machine, belief, point));
        all.push(set.unwrap_or_default().settle(point, replicates.particles, update, &seed.index(step)));
    }
    Ok(Some(all))
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
    belief: Box<dyn Belief<Engine>>,
    limit: Option<Duration>,
    /// Processor time of all updates, in seconds; NaN if one took too long.
    total: f64,
    /// The states that they visited.
    pub(super) states: u64,
}

impl Following {
    pub(super) fn new(machine: &Arc<Engine>, replicates: &Replicates<'_>, role: Role) -> Following {
        let Replicates { sampler, model, particles, limit, .. } = *replicates;
        Following { belief: sampler.belief(machine, role, model, particles), limit, total: 0.0, states: 0 }
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
    ) -> Result<(MeasuredUpdate, Option<UpdateOutcome>), EvaluationFailure> {
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
        Ok((MeasuredUpdate { cost, method, seconds, seconds_total: self.total }, Some(outcome)))
    }
}

/// The value that was found with this scratch, unless an evaluation of the rules met a limit meanwhile.
pub(super) fn evaluated<T>(
    machine: &Engine,
    scratch: &mut EngineScratch,
    found: T,
) -> Result<T, EvaluationFailure> {
    machine.take_failure(scratch).map_or(Ok(found), Err)
}

/// Takes draws from the posterior if the sampler provides them, none where there is no posterior, and counts for each its share of
/// the cost of the enumeration. The time is that of the enumeration and of the draws. `seed` is that of the replicate.
fn draw(
    point: &EvaluationPoint,
    sampler: &dyn Sampler<Engine>,
    particles: usize,
    seed: &Seed,
) -> Option<ParticleSet> {
    let (seed, since) = (&seed.index(point.evidence.step()), ThreadTime::now());
    let held = if point.source == PosteriorSource::None { 0 } else { particles };
    let drawn = sampler.draw_from(&point.posterior, held, seed)?;
    let drawn_in = point.known() * since.elapsed().as_secs_f64();
    let [seconds, seconds_total] = point.seconds.map(|of_oracle| of_oracle + drawn_in);
    let cells = drawn.into_iter().map(|place| (place, 1.0 / particles as f64)).collect();
    let set = Loose { cells, held, effective: held as f64, ..Loose::default() };
    let cost = UpdateCost { states: point.posterior.states, ..UpdateCost::default() };
    Some(set.settle(point, particles, MeasuredUpdate { cost, seconds, seconds_total, ..NO_UPDATE }, seed))
}
