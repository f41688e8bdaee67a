//! BudgetAccount: how far samplers are from the posterior, on the evidence of a match.
//!
//! The match gives, for one role, its evidence after every step; the oracle ([`exact`](super::exact)) gives the posterior
//! of each ([`Point`]). A *run* is one belief that follows the evidence from the first step on; what it holds after each
//! step is a set. Many independent runs give the mean of the sets, whose distance from the posterior is the bias
//! ([`Figures`]).
//!
//! Every run draws from a stream of its own and figures are added up in the order of the runs, so they are the same on
//! any number of threads; only times are not. Samplers are given the same streams.
//!
//! A set that is empty, because the budget ran out, is counted as a depletion and is in no other figure but the costs.

mod evidence;
mod figures;
mod fluents;
mod interval;
mod point;
mod set;
mod values;

pub use evidence::{model_match, random_match};
pub use figures::{Costs, Figures, Mean};
pub use fluents::{BINS, Bin};
pub use interval::{REPLICATES, bootstrap, mean};
pub use point::{Oracle, Point, Points, Source, points};

use std::sync::Arc;

use cpu_time::ThreadTime;
use rayon::prelude::*;

use super::{OpponentModel, Sampler, UpdateCost};
use figures::{Held, all_figures};
use hyperplay_engine::machine::{Budget, Bulk, Seed};
use set::Loose;

/// What is done at every point.
pub struct Trial<'a, M: Bulk> {
    /// The sampler.
    pub sampler: &'a dyn Sampler<M>,
    /// What it takes the other roles to do.
    pub model: &'a Arc<dyn OpponentModel>,
    /// Particles in a set.
    pub particles: usize,
    /// Sets.
    pub runs: usize,
    /// Where every run has its stream from.
    pub seed: Seed,
}

/// The figures of a sampler at every point, whose posteriors are those of the trial's own model. `tick` is called after
/// each run; `None` if `stop` said so before the last.
pub fn measure<M: Bulk + 'static>(
    machine: &Arc<M>,
    trial: &Trial<'_, M>,
    points: &[Point],
    stop: &(dyn Fn() -> bool + Sync),
    tick: &(dyn Fn() + Sync),
) -> Option<Vec<Figures>> {
    let at_once = points.iter().all(Point::is_exact);
    runs(machine, trial, points, at_once, stop, tick)
}

/// The same for points whose posteriors are those of another model: the sampler's error and its model's together.
pub fn measure_against<M: Bulk + 'static>(
    machine: &Arc<M>,
    trial: &Trial<'_, M>,
    points: &[Point],
    stop: &(dyn Fn() -> bool + Sync),
    tick: &(dyn Fn() + Sync),
) -> Option<Vec<Figures>> {
    runs(machine, trial, points, false, stop, tick)
}

fn runs<M: Bulk + 'static>(
    machine: &Arc<M>,
    trial: &Trial<'_, M>,
    points: &[Point],
    at_once: bool,
    stop: &(dyn Fn() -> bool + Sync),
    tick: &(dyn Fn() + Sync),
) -> Option<Vec<Figures>> {
    let runs: Option<Vec<Vec<Held>>> = (0..trial.runs)
        .into_par_iter()
        .map(|run| {
            let seed = trial.seed.index(run);
            let drawn = || {
                let draw = |point: &Point| draw(point, trial, &seed.index(point.evidence.step()));
                points.iter().map(draw).collect::<Option<Vec<Held>>>()
            };
            let sets = match at_once.then(drawn).flatten() {
                Some(sets) => sets,
                None => follow(machine, trial, points, &seed, stop)?,
            };
            tick();
            (!stop()).then_some(sets)
        })
        .collect();
    let mut at: Vec<Vec<Held>> = points.iter().map(|_| Vec::with_capacity(trial.runs)).collect();
    for run in runs? {
        run.into_iter().zip(&mut at).for_each(|(held, at)| at.push(held));
    }
    Some(all_figures(points, &at, trial.particles, trial.sampler.is_independent(), &trial.seed))
}

/// One run: a belief that follows the evidence step by step.
fn follow<M: Bulk + 'static>(
    machine: &Arc<M>,
    trial: &Trial<'_, M>,
    points: &[Point],
    seed: &Seed,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<Held>> {
    let Some(first) = points.first() else { return Some(Vec::new()) };
    let role = first.evidence.role;
    let mut belief = trial.sampler.belief(machine, role, trial.model, trial.particles);
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
        let set = Loose::of(machine.as_ref(), belief.as_ref(), point);
        all.push(settled(set, point, trial.particles, belief.cost(), seconds, &seed.index(step)));
    }
    Some(all)
}

/// Draws from the posterior where the sampler can be asked for them, as if each had cost its share of the enumeration.
fn draw<M: Bulk>(point: &Point, trial: &Trial<'_, M>, seed: &Seed) -> Option<Held> {
    let since = ThreadTime::now();
    let drawn = trial.sampler.draw_from(&point.posterior, trial.particles, seed)?;
    let seconds = since.elapsed().as_secs_f64();
    let weight = 1.0 / trial.particles as f64;
    let cells = drawn.into_iter().map(|place| (place, weight)).collect();
    let set = Loose { cells, effective: trial.particles as f64, ..Loose::default() };
    let cost = UpdateCost { states: point.posterior.states, ..UpdateCost::default() };
    Some(settled(set, point, trial.particles, cost, seconds, seed))
}

fn settled(set: Loose, point: &Point, particles: usize, cost: UpdateCost, seconds: f64, seed: &Seed) -> Held {
    let set = set.settle(point, particles, &mut seed.child("drawn").rng());
    Held { set, cost, seconds }
}
