//! Accuracy: how far a belief is from the posterior.
//!
//! *Set TV* is half the L1 distance between one weighted particle set and the posterior. *Bias TV* is the same for the
//! mean of many independent sets; it shows the error that more sets do not average out. Even perfect sampling does not
//! reach 0 with finitely many draws, so each stands beside its *floor*: its expectation when the same number of
//! particles is drawn independently from the posterior itself.
//!
//! Distributions are lists of (history, probability); a history may occur more than once.

use rand::{Rng, RngExt};
use rustc_hash::FxHashMap;

use super::exact::Posterior;
use super::{Belief, Particle};
use crate::machine::{Bulk, History, Seed};

/// A distribution over histories, each once.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Distribution(FxHashMap<History, f64>);

impl Distribution {
    /// The distribution with these weights, those of equal histories added up.
    pub fn new(weights: impl IntoIterator<Item = (History, f64)>) -> Self {
        let mut sums: FxHashMap<History, f64> = FxHashMap::default();
        for (history, weight) in weights {
            *sums.entry(history).or_default() += weight;
        }
        Distribution(sums)
    }

    /// What a belief holds.
    pub fn of<M: Bulk>(belief: &impl Belief<M>) -> Self {
        let weighted = |particle: &Particle| (belief.history(particle), particle.weight);
        Distribution::new(belief.particles().iter().map(weighted))
    }

    /// The equal mixture of these distributions.
    pub fn mean(all: &[Distribution]) -> Self {
        let share = 1.0 / all.len() as f64;
        let entries = all.iter().flat_map(|one| &one.0);
        Distribution::new(entries.map(|(history, weight)| (history.clone(), weight * share)))
    }

    /// The weight of a history.
    pub fn weight(&self, history: &History) -> f64 {
        self.0.get(history).copied().unwrap_or(0.0)
    }

    /// The total variation distance from a posterior: 0 for the same, 1 for nothing in common.
    pub fn total_variation(&self, posterior: &Posterior) -> f64 {
        let (mut distance, mut covered) = (0.0, 0.0);
        for (history, probability) in &posterior.histories {
            let weight = self.weight(history);
            distance += (weight - probability).abs();
            covered += weight;
        }
        // What lies outside the information set counts whole.
        let total: f64 = self.0.values().sum();
        (distance + (total - covered).abs()) / 2.0
    }

    /// The posterior mass of the histories held.
    pub fn coverage(&self, posterior: &Posterior) -> f64 {
        let held = posterior.histories.iter().filter(|(history, _)| self.weight(history) > 0.0);
        held.map(|(_, probability)| probability).sum()
    }
}

/// The expected total variation from the posterior of `draws` independent draws from it, over `replicates`. The floor
/// of set TV has as many draws as particles, that of bias TV as many as particles in all sets together.
pub fn floor(posterior: &Posterior, draws: usize, replicates: usize, seed: &Seed) -> f64 {
    let probabilities: Vec<f64> = posterior.histories.iter().map(|&(_, probability)| probability).collect();
    let sum: f64 = (0..replicates)
        .map(|replicate| one_floor(&probabilities, draws, &mut seed.index(replicate).rng()))
        .sum();
    sum / replicates as f64
}

fn one_floor(probabilities: &[f64], draws: usize, rng: &mut impl Rng) -> f64 {
    let mut ends = Vec::with_capacity(probabilities.len());
    let mut end = 0.0;
    for probability in probabilities {
        end += probability;
        ends.push(end);
    }
    let mut times = vec![0_u32; probabilities.len()];
    for _ in 0..draws {
        let place = rng.random::<f64>() * end;
        let drawn = ends.partition_point(|&end| end <= place).min(ends.len() - 1);
        times[drawn] += 1;
    }
    let distance =
        |(&times, probability): (&u32, &f64)| (f64::from(times) / draws as f64 - probability).abs();
    times.iter().zip(probabilities).map(distance).sum::<f64>() / 2.0
}

/// The floor by the normal approximation: `sum of sqrt(2 p (1 - p) / (pi draws)) / 2`. A check of [`floor`] where
/// every history is drawn often.
pub fn normal_floor(posterior: &Posterior, draws: usize) -> f64 {
    let deviation = |probability: f64| {
        (2.0 * probability * (1.0 - probability) / std::f64::consts::PI / draws as f64).sqrt()
    };
    posterior.histories.iter().map(|&(_, probability)| deviation(probability)).sum::<f64>() / 2.0
}
