//! The evaluation harness: how far samplers are from the posterior, on the evidence of a match.
//!
//! A match gives, for one role, its evidence after every step, and the oracle gives the posterior of each: these are
//! the [`EvaluationPoint`]s. A *replicate* is one belief that follows the evidence from the first step on; its
//! particles after a step are a particle set. The mean of the sets of many independent replicates has a distance from
//! the posterior, which is the bias ([`Figures`]).
//!
//! Every replicate draws from a stream of its own, and figures are added up in the order of the replicates, so they are the
//! same on any number of threads. Only times are not. All samplers are given the same streams.
//!
//! A set is empty if the budget ran out. It is counted as a depletion and is in no other figure but the costs.

mod evidence;
mod figures;
mod fluents;
mod point;
mod set;
mod values;

pub use evidence::{model_match, random_match};
pub use figures::{Costs, Figures};
pub use fluents::{BINS, Bin};
pub use point::{EvaluationPoint, EvaluationPoints, Oracle, PosteriorSource};

use std::sync::Arc;

use cpu_time::ThreadTime;
use rayon::prelude::*;

use figures::{Held, all_figures};
use hyperplay_engine::Engine;
use hyperplay_engine::machine::{Budget, Seed};
use hyperplay_play::belief::{OpponentModel, Sampler, UpdateCost};
use set::Loose;

/// The replicates of one sampler.
pub struct Replicates<'a> {
    /// The sampler.
    pub sampler: &'a dyn Sampler<Engine>,
    /// What it takes the other roles to do.
    pub model: &'a Arc<dyn OpponentModel>,
    /// Particles in a set.
    pub particles: usize,
    /// How many replicates there are.
    pub count: usize,
    /// The root of the streams of the replicates.
    pub seed: Seed,
}

/// The figures of a sampler at every point whose posteriors are those of the sampler's own model. `tick` is called after
/// each replicate; `None` if `stop` said so before the last.
pub fn measure(
    machine: &Arc<Engine>,
    replicates: &Replicates<'_>,
    points: &[EvaluationPoint],
    stop: &(dyn Fn() -> bool + Sync),
    tick: &(dyn Fn() + Sync),
) -> Option<Vec<Figures>> {
    let at_once = points.iter().all(EvaluationPoint::is_exact);
    figures_of(machine, replicates, points, at_once, stop, tick)
}

/// The same for points whose posteriors are those of another model: the sampler's error and its model's together.
pub fn measure_against(
    machine: &Arc<Engine>,
    replicates: &Replicates<'_>,
    points: &[EvaluationPoint],
    stop: &(dyn Fn() -> bool + Sync),
    tick: &(dyn Fn() + Sync),
) -> Option<Vec<Figures>> {
    figures_of(machine, replicates, points, false, stop, tick)
}

fn figures_of(
    machine: &Arc<Engine>,
    replicates: &Replicates<'_>,
    points: &[EvaluationPoint],
    at_once: bool,
    stop: &(dyn Fn() -> bool + Sync),
    tick: &(dyn Fn() + Sync),
) -> Option<Vec<Figures>> {
    let all: Option<Vec<Vec<Held>>> = (0..replicates.count)
        .into_par_iter()
        .map(|number| {
            let seed = replicates.seed.index(number);
            let drawn = || {
                let draw =
                    |point: &EvaluationPoint| draw(point, replicates, &seed.index(point.evidence.step()));
                points.iter().map(draw).collect::<Option<Vec<Held>>>()
            };
            let sets = match at_once.then(drawn).flatten() {
                Some(sets) => sets,
                None => follow(machine, replicates, points, &seed, stop)?,
            };
            tick();
            (!stop()).then_some(sets)
        })
        .collect();
    let mut at: Vec<Vec<Held>> = points.iter().map(|_| Vec::with_capacity(replicates.count)).collect();
    for one in all? {
        one.into_iter().zip(&mut at).for_each(|(held, at)| at.push(held));
    }
    Some(all_figures(
        points,
        &at,
        replicates.particles,
        replicates.sampler.is_independent(),
        &replicates.seed,
    ))
}

/// One replicate: a belief that follows the evidence step by step.
fn follow(
    machine: &Arc<Engine>,
    replicates: &Replicates<'_>,
    points: &[EvaluationPoint],
    seed: &Seed,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<Held>> {
    let Some(first) = points.first() else { return Some(Vec::new()) };
    let role = first.evidence.role;
    let mut belief = replicates.sampler.belief(machine, role, replicates.model, replicates.particles);
    let mut step = 0;
    let mut all = Vec::with_capacity(points.len());
    for point in points {
        let mut seconds = 0.0;
        while step < point.evidence.step() {
            if stop() {
                return None;
            }
            step += 1;
            let evidence = point.evidence.until(step);
            let since = ThreadTime::now();
            belief.update(&evidence, &Budget::UNLIMITED, &seed.index(step));
            seconds = since.elapsed().as_secs_f64();
        }
        let set = Loose::of(machine, belief.as_ref(), point);
        all.push(settled(set, point, replicates.particles, belief.cost(), seconds, &seed.index(step)));
    }
    Some(all)
}

/// Takes draws from the posterior if the sampler provides them, and counts for each its share of the cost of the
/// enumeration.
fn draw(point: &EvaluationPoint, replicates: &Replicates<'_>, seed: &Seed) -> Option<Held> {
    let since = ThreadTime::now();
    let drawn = replicates.sampler.draw_from(&point.posterior, replicates.particles, seed)?;
    let seconds = since.elapsed().as_secs_f64();
    let weight = 1.0 / replicates.particles as f64;
    let cells = drawn.into_iter().map(|place| (place, weight)).collect();
    let set = Loose { cells, effective: replicates.particles as f64, ..Loose::default() };
    let cost = UpdateCost { states: point.posterior.states, ..UpdateCost::default() };
    Some(settled(set, point, replicates.particles, cost, seconds, seed))
}

fn settled(
    set: Loose,
    point: &EvaluationPoint,
    particles: usize,
    cost: UpdateCost,
    seconds: f64,
    seed: &Seed,
) -> Held {
    let set = set.settle(point, particles, &mut seed.child("drawn").rng());
    Held { set, cost, seconds }
}
