//! The particle filter: a population of histories, continued by attempts until it is full again.
//!
//! It begins at the anchor, with its whole population. Where few different histories are left although the information
//! set is not small, the population was too small, and a larger one begins anew.
//!
//! References: LeGland05, DelMoral15 (`docs/REFERENCES.md`).

use super::population::Growing;
use super::rejection::{Drawn, Expected};
use super::{Followed, Forward, Kind, observed_step};
use crate::belief::options::SamplingMethod;
use hyperplay_engine::machine::{Budget, Bulk, Evidence, ObservedStep, Seed};

/// A population that was too small is made so many times larger.
const GROWTH: usize = 4;

/// How many times its usual size the population of a filter may have.
const MOST_GROWTH: usize = 16;

/// A population that lacks at most this share is full.
const NEARLY: f64 = 0.05;

impl<M: Bulk> Forward<M> {
    /// Filters from the anchor to a step.
    pub(super) fn filter_anew(
        &mut self,
        step: usize,
        evidence: &Evidence,
        budget: &Budget,
        seed: &Seed,
    ) -> Followed {
        let Some(anchor) = &self.anchor else { return Followed::Stuck };
        self.genealogy = self.genealogy.until(anchor.generation);
        self.population = anchor.population.clone();
        self.kind = Kind::Filtered;
        let seed = seed.child("anew").index(self.growth);
        for step in anchor.generation..=step {
            let mut growing = Growing::new();
            self.genealogy.begin();
            self.refill(&observed_step(evidence, step), &mut growing, budget, &seed.index(step));
            if growing.population.len() == 0 {
                self.genealogy.drop_last();
                return self.none(budget);
            }
            self.population = growing.population;
        }
        self.look_closer(step, evidence, budget, &seed)
    }

    /// The histories that the population of the filter should have.
    pub(super) fn wanted_population(&self) -> f64 {
        (self.options.population() * self.growth) as f64
    }

    /// Continues the population by attempts until there are as many draws as it should have.
    pub(super) fn refill(
        &mut self,
        observed: &ObservedStep<'_>,
        growing: &mut Growing<M::State>,
        budget: &Budget,
        seed: &Seed,
    ) {
        let wanted = self.wanted_population();
        let step = self.depth() - 1;
        let spent_before = self.cost.states;
        for round in 0.. {
            let missing = wanted - growing.population.total();
            let left = self.allowance(self.cost.states - spent_before).min(self.left());
            if missing <= wanted * NEARLY || left == 0 || budget.is_late() {
                return;
            }
            let is_known = self.passed[step][0] > 0;
            let count = if is_known { missing / self.share(step) } else { missing };
            let seed = seed.index(round);
            let entries = self
                .population
                .systematic((count.ceil() as u64).min(left) as usize, &mut seed.child("parents").rng());
            self.attempt(&entries, observed, growing, budget, &seed);
        }
    }

    /// Where a filter has few different histories, the information set may be small: looks for all of it. If it is not
    /// small, the filter was too small, and a larger one begins anew.
    pub(super) fn look_closer(
        &mut self,
        step: usize,
        evidence: &Evidence,
        budget: &Budget,
        seed: &Seed,
    ) -> Followed {
        let draws = (self.population.total() as usize).min(self.options.particles);
        if 2 * self.population.len() > draws {
            return Followed::Done;
        }
        let attempts = self.options.all_states() as f64;
        if self.enumerates_instead(attempts, evidence, budget, seed) {
            return Followed::Done;
        }
        let is_covered = self.population.len() <= self.covered;
        if is_covered || self.options.method != SamplingMethod::Auto || self.is_spent(budget) {
            return Followed::Done;
        }
        let from = self.anchor.as_ref().map_or(0, |anchor| anchor.generation);
        let Expected { whole, each, filter } = self.expected(from, step);
        let larger = GROWTH as f64 * filter;
        if self.options.particles as f64 / whole * each > larger {
            let is_last = self.growth >= MOST_GROWTH || step + 1 < evidence.step();
            return if is_last { Followed::Stuck } else { self.grow(step, evidence, budget, seed) };
        }
        let mut growing = Growing::new();
        self.genealogy.drop_last();
        self.genealogy.begin();
        let seed = seed.child("closer");
        let drawn = self.draw_independently(step, evidence, &mut growing, Some(larger), budget, &seed);
        match drawn {
            Drawn::Enumerated => {}
            _ if growing.population.len() == 0 => return self.grow(step, evidence, budget, &seed),
            _ => (self.kind, self.population) = (Kind::Independent, growing.population),
        }
        Followed::Done
    }

    /// Filters anew with a larger population.
    pub(super) fn grow(
        &mut self,
        step: usize,
        evidence: &Evidence,
        budget: &Budget,
        seed: &Seed,
    ) -> Followed {
        // Where several times the draws find few more histories, there are no more.
        self.covered = self.population.len() + self.population.len() / 4;
        self.growth *= GROWTH;
        let followed = self.filter_anew(step, evidence, budget, seed);
        if self.population.len() <= self.covered {
            self.growth /= GROWTH;
        }
        followed
    }
}
