//! The truth: what is measured of beliefs by the true history alone, without a posterior, in sets of any size.
//!
//! Where the others choose by the model that a sampler assumes, the true history is a draw from the posterior, as a
//! particle is that an exact sampler draws: given the evidence the two are exchangeable. So two figures are known in
//! advance. The *rank* of the truth is uniform among the particles of up to [`SETS`] independent sets, one drawn by weight
//! from each; they are compared by a linear function of the facts. The *excess* of a relation, how many of its facts are true less
//! the mean over the truth and these particles, is 0 on average. [`TruthRow`] tests both (simulation-based calibration, Talts18).
//!
//! One particle stands for each set, because those of one set depend on each other (resampling, systematic draws, whole
//! posteriors with their weights), and a rank among them would reject samplers without a bias.

mod follow;
mod point;
mod row;
#[cfg(test)]
mod tests;

pub use point::TruthPoint;
pub use row::{TruthRow, truth_rows};

use std::sync::Arc;

use rand::RngExt;
use rayon::prelude::*;

use super::harness::{Bin, EvaluationPoint, Replicates, prefixes};
use follow::{TruthSet, follow};
use hyperplay_engine::Engine;
use hyperplay_machine::{Evaluated, History, Role, Seed};
use point::MEANS;

/// The most sets of which a particle is drawn: with the truth there are ten places then.
const SETS: usize = 9;

/// The truth at every step of a match, given what says which sampler and match it is; it has a posterior of the sampler's model
/// at the steps of `points`. `stop` ends it early.
///
/// # Errors
/// If the rules cannot be evaluated.
pub(super) fn measure_truth(
    machine: &Arc<Engine>,
    replicates: &Replicates<'_>,
    (role, history, steps): (Role, &History, (usize, usize)),
    points: &[EvaluationPoint],
    of: &TruthPoint,
    stop: &(dyn Fn() -> bool + Sync),
) -> Evaluated<Vec<TruthPoint>> {
    let mut evidence = prefixes(machine, role, history)?;
    evidence.truncate(steps.1);
    let seed = replicates.seed.child("truth");
    let one = |number| follow(machine, replicates, (history, &evidence, points), &seed.index(number), stop);
    let sets: Vec<Vec<TruthSet>> =
        (0..replicates.count.min(SETS)).into_par_iter().map(one).collect::<Result<_, _>>()?;
    let reached = sets.iter().map(Vec::len).min().unwrap_or(0);
    let at = |step: usize| {
        let sets: Vec<&TruthSet> = sets.iter().map(|sets| &sets[step - 1]).collect();
        let mut point = of.clone();
        point.place.step = step;
        together(&sets, point, &seed.child("rank").index(step))
    };
    Ok((steps.0..=reached).map(at).collect())
}

/// The figures of some sets at one step.
fn together(sets: &[&TruthSet], mut point: TruthPoint, seed: &Seed) -> TruthPoint {
    let held: Vec<&&TruthSet> = sets.iter().filter(|set| set.drawn.is_finite()).collect();
    let (mut rng, share) = (seed.rng(), 1.0 / held.len() as f64);
    point.calibration = Bin::sums(held.iter().map(|set| &set.calibration), share);
    for relation in held.iter().flat_map(|set| set.facts.keys()) {
        let of = |set: &&&TruthSet| set.facts.get(relation).copied().unwrap_or_default();
        let drawn = held.iter().map(|set| of(set)[1]);
        let numbers = [of(&held[0])[0]].into_iter().chain(drawn);
        point.facts.entry(relation.clone()).or_insert_with(|| numbers.collect());
    }
    point.facts.retain(|_, numbers| numbers.iter().any(|number| *number != numbers[0]));
    let below = held.iter().filter(|set| set.drawn < set.truth).count();
    let equal = held.iter().filter(|set| set.drawn.total_cmp(&set.truth).is_eq()).count();
    let place = (below + rng.random_range(0..=equal)) as f64 + rng.random::<f64>();
    point.rank = if held.is_empty() { f64::NAN } else { place / (held.len() + 1) as f64 };
    point.depletions = sets.len() - held.len();
    let mean = |at: usize| sets.iter().map(|set| set.means[at]).sum::<f64>() / sets.len() as f64;
    point.means = MEANS.into_iter().enumerate().map(|(at, name)| (name, mean(at))).collect();
    point
}
