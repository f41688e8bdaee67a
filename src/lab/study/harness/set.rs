//! The particle set that one replicate has at a point, and the figures that depend on it alone.

use rand::RngExt;
use rustc_hash::FxHashMap;

use super::fluents::{BINS, Bin, Scores};
use super::point::EvaluationPoint;
use hyperplay_engine::Engine;
use hyperplay_machine::{History, Seed, StateMachine};
use hyperplay_think::belief::{Belief, UpdateCost, UpdateMethod, effective_size};

/// The particle set that one replicate has at a point.
#[derive(Clone, Debug)]
pub(super) struct ParticleSet {
    /// Places in the posterior with their weights, by place, each once.
    pub(super) cells: Vec<(usize, f64)>,
    /// The weight of the histories that have no place in the posterior.
    pub(super) outside: f64,
    /// The marginals of the open fluents.
    pub(super) bins: [Bin; BINS],
    pub(super) numbers: SetNumbers,
    pub(super) update: MeasuredUpdate,
}

/// The numbers that are kept of each set.
#[derive(Clone, Copy, Debug)]
pub(super) struct SetNumbers {
    /// Particles, equal ones counted each.
    pub(super) held: usize,
    /// Different histories.
    pub(super) distinct: usize,
    /// The effective sample size.
    pub(super) effective: f64,
    pub(super) total_variation: f64,
    /// The same for the states that the histories end in.
    pub(super) state_variation: f64,
    pub(super) coverage: f64,
    /// The weight on the true history; of an empty set that of a belief that knows nothing.
    pub(super) truth: f64,
    /// If a fluent is open.
    pub(super) scores: Option<Scores>,
    pub(super) regret: f64,
    /// The place of one history drawn by weight, if it has one.
    pub(super) drawn: Option<usize>,
}

/// The last update of one replicate before a point.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct MeasuredUpdate {
    pub(super) cost: UpdateCost,
    pub(super) method: UpdateMethod,
    /// Processor time of this update alone, in seconds; NaN where there was none.
    pub(super) seconds: f64,
    /// The same of all updates up to this one.
    pub(super) seconds_total: f64,
}

/// Sorts by place and adds up the weights of each.
pub(super) fn merge(cells: &mut Vec<(usize, f64)>) {
    cells.sort_by_key(|&(place, _)| place);
    cells.dedup_by(|later, first| {
        let is_same = later.0 == first.0;
        if is_same {
            first.1 += later.1;
        }
        is_same
    });
}

/// The figures known of a set before it is compared with the posterior.
#[derive(Default)]
pub(super) struct Loose {
    /// Places and weights; a place may come more than once.
    pub(super) cells: Vec<(usize, f64)>,
    /// The different histories without a place: the open fluents that hold after each, and its weight.
    pub(super) strangers: Vec<(Vec<u32>, f64)>,
    pub(super) held: usize,
    pub(super) effective: f64,
}

impl Loose {
    /// The content of a belief.
    pub(super) fn of(machine: &Engine, belief: &dyn Belief<Engine>, point: &EvaluationPoint) -> Loose {
        let particles = belief.particles();
        let effective = effective_size(particles.iter().map(|particle| particle.weight));
        let mut loose = Loose { held: particles.len(), effective, ..Loose::default() };
        let mut numbers: FxHashMap<History, usize> = FxHashMap::default();
        for particle in particles {
            let history = belief.history(particle);
            if let Some(place) = point.places.of(&history, belief.state(particle)) {
                loose.cells.push((place, particle.weight));
                continue;
            }
            let next = loose.strangers.len();
            let at = *numbers.entry(history).or_insert(next);
            if at == next {
                let fluents = StateMachine::fluents(machine, belief.state(particle));
                loose.strangers.push((point.fluents.of_state(&fluents), 0.0));
            }
            loose.strangers[at].1 += particle.weight;
        }
        loose
    }

    /// The set with its figures. `particles` is the number of particles requested. An empty set is a belief that knows nothing: it
    /// lies outside the information set, says 1/2 of every fluent, and has every move equally good.
    pub(super) fn settle(
        mut self,
        point: &EvaluationPoint,
        particles: usize,
        update: MeasuredUpdate,
        seed: &Seed,
    ) -> ParticleSet {
        merge(&mut self.cells);
        let is_empty = self.cells.is_empty() && self.strangers.is_empty();
        let outside: f64 =
            if is_empty { 1.0 } else { self.strangers.iter().map(|&(_, weight)| weight).sum() };
        let (posterior, fluents, known) = (&point.posterior, &point.fluents, point.known());
        let mut left: f64 = seed.child("drawn").rng().random();
        let drawn = self.cells.iter().find(|&&(_, weight)| {
            left -= weight;
            left < 0.0
        });
        // Rounding may leave a remainder behind the last cell.
        let last = self.cells.last().filter(|_| self.strangers.is_empty());
        let (mut distance, mut coverage) = (outside, 0.0);
        let mut missing = point.of_states.clone();
        for &(place, weight) in self.cells.iter().filter(|&&(_, weight)| weight > 0.0) {
            let probability = posterior.histories[place].1;
            distance += (weight - probability).abs();
            coverage += probability;
            missing[posterior.ends[place]] -= weight;
        }
        let mut marginals = vec![if is_empty { 0.5 } else { 0.0 }; fluents.truth.len()];
        let mut add = |holding: &[u32], weight: f64| {
            holding.iter().for_each(|&place| marginals[place as usize] += weight);
        };
        self.cells.iter().for_each(|&(place, weight)| add(&fluents.holding[posterior.ends[place]], weight));
        self.strangers.iter().for_each(|(holding, weight)| add(holding, *weight));
        let scores = fluents.scores(&marginals, particles);
        let true_cell = self.cells.iter().find(|&&(place, _)| Some(place) == point.true_place);
        let nothing = if self.held == 0 { 1.0 / posterior.histories.len() as f64 } else { 0.0 };
        let missed = missing.iter().map(|weight| weight.abs()).sum::<f64>() + outside;
        let numbers = SetNumbers {
            held: self.held,
            distinct: self.cells.len() + self.strangers.len(),
            effective: self.effective,
            total_variation: known * (distance + (1.0 - coverage).max(0.0)) / 2.0,
            state_variation: known * missed / 2.0,
            coverage: known * coverage,
            truth: true_cell.map_or(nothing, |&(_, weight)| weight),
            scores: scores.map(|(scores, _)| scores),
            regret: point.values.as_ref().map_or(f64::NAN, |values| {
                values.regret(self.cells.iter().map(|&(place, weight)| (posterior.ends[place], weight)))
            }),
            drawn: drawn.or(last).map(|&(place, _)| place),
        };
        let bins = scores.map_or_else(Default::default, |(_, bins)| bins);
        ParticleSet { cells: self.cells, outside, bins, numbers, update }
    }
}
