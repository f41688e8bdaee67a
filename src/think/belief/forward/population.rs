//! Population: the histories of one generation, each once, with their states and weights.
//!
//! In an enumerated population the weights are the posterior. In a sampled one the weight of a history is how often it
//! was drawn.

use rand::{Rng, RngExt};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::genealogy::Genealogy;
use crate::belief::joints::LegalJoints;
use crate::belief::resample::systematic;
use hyperplay_machine::JointMove;

/// The histories of one generation, by the numbers of their entries in the [`Genealogy`].
#[derive(Clone, Debug)]
#[derive_where::derive_where(Default)]
pub(super) struct Population<S> {
    /// The state after each.
    pub(super) states: Vec<S>,
    /// The weight of each; positive.
    pub(super) weights: Vec<f64>,
    /// A hash of each, by which equal ones are found.
    pub(super) hashes: Vec<u64>,
    /// What the roles that the opponent model speaks of [know](crate::belief::opponents::Opponents) in each; 0 under
    /// uniform opponents.
    pub(super) known: Vec<u32>,
    /// The joint moves that continue each, as far as they were asked for under a model.
    pub(super) joints: ListedJoints,
}

/// The joint moves that may continue some histories, as far as they were listed.
pub(super) type ListedJoints = Vec<Option<Arc<LegalJoints>>>;

/// The hash of a history that continues another.
pub(super) fn continued(hash: u64, joint: &JointMove) -> u64 {
    let mut hasher = FxHasher::default();
    (hash, joint).hash(&mut hasher);
    // The low bits of an Fx hash are weak; these are those of SplitMix64.
    let mut mixed = hasher.finish();
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

impl<S> Population<S> {
    /// The empty history, at the initial state.
    pub(super) fn initial(state: S) -> Self {
        Self { states: vec![state], weights: vec![1.0], hashes: vec![0], known: vec![0], ..Self::default() }
    }

    /// Different histories.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// The sum of the weights: in a sampled population the number of draws.
    pub(super) fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Makes the weights sum to 1.
    pub(super) fn normalise(&mut self) {
        let total = self.total();
        // A weight that is too small to be told from nothing stays possible.
        self.weights.iter_mut().for_each(|weight| *weight = (*weight / total).max(f64::MIN_POSITIVE));
    }

    /// The same histories of the last generation with other weights; those with none are dropped.
    pub(super) fn reweighted(self, weights: &[f64], genealogy: &mut Genealogy) -> Population<S> {
        let is_kept: Vec<bool> = weights.iter().map(|&weight| weight > 0.0).collect();
        genealogy.retain_last(&is_kept);
        let mut kept = Population::default();
        let each = self.states.into_iter().zip(self.hashes).zip(self.known).zip(weights);
        for (((state, hash), known), &weight) in each.filter(|&(_, &weight)| weight > 0.0) {
            kept.states.push(state);
            kept.weights.push(weight);
            kept.hashes.push(hash);
            kept.known.push(known);
        }
        kept
    }

    /// Every history as often as it was drawn.
    pub(super) fn draws(&self) -> Vec<u32> {
        let each = (0..).zip(&self.weights);
        each.flat_map(|(entry, &weight)| std::iter::repeat_n(entry, weight as usize)).collect()
    }

    /// `count` entries, each as often as its weight says, rounded up or down at random.
    pub(super) fn systematic(&self, count: usize, rng: &mut impl Rng) -> Vec<u32> {
        let total = self.total();
        let shares: Vec<f64> = self.weights.iter().map(|weight| weight / total).collect();
        systematic(&shares, count, rng).into_iter().map(|entry| entry as u32).collect()
    }

    /// `count` of the draws of a sampled population, each as likely as any other, in random order; all if there are no
    /// more.
    pub(super) fn without_replacement(&self, count: usize, rng: &mut impl Rng) -> Vec<u32> {
        let mut draws = self.draws();
        let count = count.min(draws.len());
        for place in 0..count {
            let other = rng.random_range(place..draws.len());
            draws.swap(place, other);
        }
        draws.truncate(count);
        draws
    }
}

/// Memory is reserved for this number of draws at most.
const RESERVED: usize = 1 << 12;

/// Collects the histories of a new generation.
#[derive(Clone, Debug)]
pub(super) struct PopulationBuilder<S> {
    /// The population that was collected.
    pub(super) population: Population<S>,
    places: FxHashMap<u64, u32>,
}

impl<S> PopulationBuilder<S> {
    /// Nothing yet, with memory for `draws` draws (but not for very many).
    pub(super) fn new(draws: usize) -> Self {
        let capacity = draws.min(RESERVED);
        let population = Population {
            states: Vec::with_capacity(capacity),
            weights: Vec::with_capacity(capacity),
            hashes: Vec::with_capacity(capacity),
            known: Vec::with_capacity(capacity),
            joints: Vec::new(),
        };
        let places = FxHashMap::with_capacity_and_hasher(capacity, FxBuildHasher);
        PopulationBuilder { population, places }
    }

    /// Adds a history of the last generation: an entry of the one before, with its hash, continued by a joint move, and
    /// the state and the knowledge of the others after it.
    pub(super) fn add(
        &mut self,
        genealogy: &mut Genealogy,
        (parent, hash): (usize, u64),
        joint: &JointMove,
        (state, known): (S, u32),
        weight: f64,
    ) {
        let hash = continued(hash, joint);
        let place = self.places.get(&hash).map(|&place| place as usize);
        if let Some(place) = place
            && genealogy.is_child(place, parent, joint)
        {
            self.population.weights[place] += weight;
            return;
        }
        let entry = genealogy.push(genealogy.depth(), parent, joint);
        self.places.insert(hash, entry as u32);
        self.population.states.push(state);
        self.population.weights.push(weight);
        self.population.hashes.push(hash);
        self.population.known.push(known);
    }
}
