//! A distribution over histories, each once, and its weights at the places of a posterior.

use std::collections::HashMap;

use hyperplay::belief::exact::Posterior;
use hyperplay::belief::{Belief, Particle};
use hyperplay::machine::{Bulk, History};
use hyperplay::study::accuracy::Placed;

/// A distribution over histories, each once.
#[derive(Clone, Default)]
pub struct Distribution {
    weights: HashMap<History, f64>,
    total: f64,
}

impl Distribution {
    /// The distribution with these weights, those of equal histories added up.
    pub fn new(weights: impl IntoIterator<Item = (History, f64)>) -> Self {
        let mut sums = Distribution::default();
        for (history, weight) in weights {
            *sums.weights.entry(history).or_default() += weight;
            sums.total += weight;
        }
        sums
    }

    /// The content of a belief.
    pub fn of<M: Bulk>(belief: &(impl Belief<M> + ?Sized)) -> Self {
        let weighted = |particle: &Particle| (belief.history(particle), particle.weight);
        Distribution::new(belief.particles().iter().map(weighted))
    }

    /// The weights at the places of a posterior.
    pub fn on(&self, posterior: &Posterior) -> Placed {
        let weight = |(history, _): &(History, f64)| self.weights.get(history).copied().unwrap_or(0.0);
        let weights: Vec<f64> = posterior.histories.iter().map(weight).collect();
        let outside = self.total - weights.iter().sum::<f64>();
        Placed { weights, outside }
    }

    /// The total variation distance from a posterior: 0 for the same, 1 for nothing in common.
    pub fn total_variation(&self, posterior: &Posterior) -> f64 {
        self.on(posterior).total_variation(posterior)
    }
}
