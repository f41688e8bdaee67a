//! Fluents: the facts of the true state that a role does not know.
//!
//! A fluent is *open* if it holds in some state that the posterior leaves possible and not in all. A belief gives each
//! of them a probability, its *marginal*: the weight of the states in which it holds. The true state says whether it
//! does.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use hyperplay_engine::{Engine, EngineScratch};
use hyperplay_machine::{State, StateMachine, StateMachineExt};
use hyperplay_think::belief::exact::Posterior;

/// The number of bins of a calibration curve, all equally wide.
pub const BINS: usize = 10;

/// The open fluents whose marginals lie in one bin. As data it is an array.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(into = "[f64; 3]", from = "[f64; 3]")]
pub struct Bin {
    /// Fluents; a point counts each once, whatever the number of sets.
    pub count: f64,
    /// The sum of their marginals.
    pub said: f64,
    /// How many of them hold in the true state.
    pub held: f64,
}

impl From<Bin> for [f64; 3] {
    fn from(Bin { count, said, held }: Bin) -> Self {
        [count, said, held]
    }
}

impl From<[f64; 3]> for Bin {
    fn from([count, said, held]: [f64; 3]) -> Self {
        Bin { count, said, held }
    }
}

impl Bin {
    /// Counts a fluent with this marginal.
    pub(in super::super) fn count(bins: &mut [Bin; BINS], said: f64, is_true: bool) {
        let at = ((said * BINS as f64) as usize).min(BINS - 1);
        bins[at].add(&Bin { count: 1.0, said, held: f64::from(u8::from(is_true)) }, 1.0);
    }

    /// The sums of some bins, each multiplied.
    pub(in super::super) fn sums<'a>(all: impl Iterator<Item = &'a [Bin; BINS]>, times: f64) -> [Bin; BINS] {
        let mut sums = [Bin::default(); BINS];
        all.for_each(|bins| sums.iter_mut().zip(bins).for_each(|(sum, bin)| sum.add(bin, times)));
        sums
    }

    /// Adds another bin, its weight multiplied.
    pub fn add(&mut self, other: &Bin, times: f64) {
        self.count += other.count * times;
        self.said += other.said * times;
        self.held += other.held * times;
    }
}

/// The scores of marginals.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Scores {
    /// The mean over open fluents of minus the logarithm of the probability given to the true value, in nats.
    pub(super) log_loss: f64,
    /// The mean over open fluents of the squared distance of the marginal from the true value (0 or 1).
    pub(super) brier: f64,
}

/// The open fluents of a point.
#[derive(Clone, Debug, Default)]
pub(super) struct Fluents {
    /// The place of every open fluent.
    places: FxHashMap<String, usize>,
    /// For each state of the posterior, the places of the open fluents that hold.
    pub(super) holding: Vec<Vec<u32>>,
    /// For each open fluent, whether it holds in the true state.
    pub(super) truth: Vec<bool>,
}

impl Fluents {
    pub(super) fn of(
        machine: &Engine,
        posterior: &Posterior,
        truth: &State,
        scratch: &mut EngineScratch,
    ) -> Self {
        let mut all: Vec<Vec<String>> = Vec::new();
        for (at, (history, _)) in posterior.histories.iter().enumerate() {
            if posterior.ends[at] == all.len() {
                all.push(machine.fluents(&machine.replay(history, scratch)));
            }
        }
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        all.iter().flatten().for_each(|fluent| *counts.entry(fluent).or_default() += 1);
        let mut open: Vec<&str> =
            counts.iter().filter(|&(_, &count)| count < all.len()).map(|(&fluent, _)| fluent).collect();
        open.sort_unstable();
        let places: FxHashMap<String, usize> =
            open.iter().enumerate().map(|(place, &fluent)| (fluent.to_owned(), place)).collect();
        let holding = all.iter().map(|state| within(&places, state)).collect();
        let mut so = vec![false; places.len()];
        within(&places, &machine.fluents(truth)).into_iter().for_each(|place| so[place as usize] = true);
        Fluents { places, holding, truth: so }
    }

    /// The open fluents that hold in a state, given all that hold in it.
    pub(super) fn of_state(&self, fluents: &[String]) -> Vec<u32> {
        within(&self.places, fluents)
    }

    /// The scores of these marginals, and their bins; in the log loss each is taken to be as far from 0 and from 1 as half a draw in this many
    /// `particles`. A set and the posterior are smoothed alike: so no set is expected to have a lower log loss. `None` if no fluent
    /// is open.
    pub(super) fn scores(&self, marginals: &[f64], particles: usize) -> Option<(Scores, [Bin; BINS])> {
        let least = 0.5 / (particles as f64 + 1.0);
        if self.truth.is_empty() {
            return None;
        }
        let (mut log_loss, mut brier, mut bins) = (0.0, 0.0, [Bin::default(); BINS]);
        for (&marginal, &so) in marginals.iter().zip(&self.truth) {
            let of_truth = if so { marginal } else { 1.0 - marginal };
            log_loss -= of_truth.clamp(least, 1.0 - least).ln();
            brier += (1.0 - of_truth) * (1.0 - of_truth);
            Bin::count(&mut bins, marginal, so);
        }
        let count = self.truth.len() as f64;
        Some((Scores { log_loss: log_loss / count, brier: brier / count }, bins))
    }

    /// The marginals that the posterior gives.
    pub(super) fn marginals(&self, posterior: &Posterior) -> Vec<f64> {
        let mut marginals = vec![0.0; self.truth.len()];
        for (&end, (_, probability)) in posterior.ends.iter().zip(&posterior.histories) {
            self.holding[end].iter().for_each(|&place| marginals[place as usize] += probability);
        }
        marginals
    }
}

fn within(places: &FxHashMap<String, usize>, fluents: &[String]) -> Vec<u32> {
    fluents.iter().filter_map(|fluent| places.get(fluent)).map(|&place| place as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The log loss that is expected of these marginals where each fluent holds with its probability.
    fn expected(marginals: &[f64], probabilities: &[f64], particles: usize) -> f64 {
        let score = |so: bool, at: usize| {
            let fluents = Fluents { truth: vec![so], ..Fluents::default() };
            fluents.scores(&marginals[at..=at], particles).expect("one is open").0.log_loss
        };
        let of =
            |at: usize| probabilities[at] * score(true, at) + (1.0 - probabilities[at]) * score(false, at);
        (0..marginals.len()).map(of).sum()
    }

    #[test]
    fn no_marginals_are_expected_to_be_better_than_those_of_the_posterior_whatever_the_smoothing() {
        let posterior = [0.001, 0.04, 0.3, 0.5, 0.97];
        for particles in [1, 4, 64] {
            let least = expected(&posterior, &posterior, particles);
            for other in [[0.0; 5], [0.5; 5], [1.0; 5], [0.0, 0.0, 0.25, 0.5, 1.0], [0.1, 0.1, 0.3, 0.5, 0.9]]
            {
                assert!(expected(&other, &posterior, particles) >= least - 1e-12, "{particles}: {other:?}");
            }
        }
    }
}
