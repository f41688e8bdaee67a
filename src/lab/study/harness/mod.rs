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
pub use point::{EvaluationPoint, EvaluationPoints, Oracle, PosteriorSource};

use std::sync::Arc;
use std::time::Duration;

use cpu_time::ThreadTime;
use rayon::prelude::*;

use batch::{Held, MeasuredUpdate, ReplicateBatch, batches};
use figures::all_figures;
use hyperplay_engine::{Engine, EngineScratch};
use hyperplay_machine::{Budget, EvaluationFailure, Evidence, Seed, StateMachine};
use hyperplay_play::referee::Stopwatch;
use hyperplay_think::belief::{Belief, OpponentModel, Sampler, UpdateCost, UpdateMethod};
use set::Loose;

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
        let drawn = || points.iter().map(|point| draw(point, replicates, &seed)).collect();
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
type OneReplicate<'a> = dyn Fn(usize) -> Result<Option<Vec<Held>>, EvaluationFailure> + Sync + 'a;

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
            all.for_each(|((batch, held), point)| batch.add(held, point));
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
) -> Result<Option<Vec<Held>>, EvaluationFailure> {
    let Some(first) = points.first() else { return Ok(Some(Vec::new())) };
    let role = first.evidence.role;
    let mut belief = replicates.sampler.belief(machine, role, replicates.model, replicates.particles);
    let (mut step, mut total) = (0, 0.0);
    let mut all = Vec::with_capacity(points.len());
    for point in points {
        let mut update = MeasuredUpdate { seconds: f64::NAN, ..MeasuredUpdate::default() };
        while step < point.evidence.step() {
            if stop() {
                return Ok(None);
            }
            step += 1;
            if f64::is_nan(total) {
                continue;
            }
            update =
                updated(belief.as_mut(), &point.evidence.until(step), replicates.limit, &seed.index(step))?;
            total += update.seconds;
        }
        update.seconds_total = total;
        let is_followed = !total.is_nan();
        let set = if is_followed { Loose::of(machine, belief.as_ref(), point) } else { Loose::default() };
        all.push(settled(set, point, replicates.particles, update, &seed.index(step)));
    }
    Ok(Some(all))
}

/// Makes one update and measures it: its cost and its processor time are those from the step before to this one. One that
/// takes longer than the limit has no time.
fn updated(
    belief: &mut dyn Belief<Engine>,
    evidence: &Evidence,
    limit: Option<Duration>,
    seed: &Seed,
) -> Result<MeasuredUpdate, EvaluationFailure> {
    let (since, watch) = (ThreadTime::now(), Stopwatch::start());
    belief.update(evidence, &limit.map_or(Budget::UNLIMITED, Budget::time), seed);
    let is_late = limit.is_some_and(|limit| watch.elapsed() >= limit);
    let seconds = if is_late { f64::NAN } else { since.elapsed().as_secs_f64() };
    match belief.take_failure() {
        Some(failure) => Err(failure),
        None => {
            let (cost, method) = (belief.cost(), belief.method());
            Ok(MeasuredUpdate { cost, method, seconds, seconds_total: f64::NAN })
        }
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
fn draw(point: &EvaluationPoint, replicates: &Replicates<'_>, seed: &Seed) -> Option<Held> {
    let (seed, since) = (&seed.index(point.evidence.step()), ThreadTime::now());
    let held = if point.source == PosteriorSource::None { 0 } else { replicates.particles };
    let drawn = replicates.sampler.draw_from(&point.posterior, held, seed)?;
    let drawn_in = point.known() * since.elapsed().as_secs_f64();
    let [seconds, seconds_total] = point.seconds.map(|of_oracle| of_oracle + drawn_in);
    let weight = 1.0 / replicates.particles as f64;
    let cells = drawn.into_iter().map(|place| (place, weight)).collect();
    let set = Loose { cells, held, effective: held as f64, ..Loose::default() };
    let cost = UpdateCost { states: point.posterior.states, ..UpdateCost::default() };
    let update = MeasuredUpdate { cost, method: UpdateMethod::Other, seconds, seconds_total };
    Some(settled(set, point, replicates.particles, update, seed))
}

fn settled(
    set: Loose,
    point: &EvaluationPoint,
    particles: usize,
    update: MeasuredUpdate,
    seed: &Seed,
) -> Held {
    Held { set: set.settle(point, particles, &mut seed.child("drawn").rng()), update }
}
