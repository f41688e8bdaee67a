//! The particle filter: a population of histories, continued by attempts until it is full again.
//!
//! It begins at the last enumerated set, with its whole population. All attempts of a step are shared out by weight, in
//! rounds; a round that the clock cut short does not count, because it would favour the histories that come first.
//! This differs from the alive particle filter of the literature only in its last draw, which that one leaves out: for
//! a fixed number of steps the bias of both is inversely proportional to the population.
//!
//! Under a model, where attempts seldom agree, all continuations of the population are listed instead, and the next
//! population is drawn from those that agree, by their weights.
//!
//! **Rare evidence.** A model may hold nearly impossible what was seen. Then the posterior lies on histories of which a population
//! of draws had none a step before. Where that is so, or every history dies out, a filter begins anew in which each step lists all continuations, and as many of
//! them as the population has room for are kept with [their weights](crate::belief::resample::thinned), also those that are improbable
//! now. So do all steps after it. At a step where the continuations are too many that ends, and attempts are made as before.
//!
//! **Degeneracy.** Where few different histories are left although the information set is not small, the population was
//! too small. Then whole histories are drawn, or a filter with a larger population begins anew, whichever is cheaper.
//! The new population replaces the old population only when it is complete; or, where the old one cannot be continued
//! and the time runs out on the way, as far as it has come. Then the next update goes on from there.
//!
//! **Time.** Each step that is still to be followed has its share of the time. Before a deadline the rounds of a slow
//! engine are so small that the clock cuts none off, and a population may then be smaller than it should be.
//!
//! References: LeGland05, DelMoral15, Fearnhead03 (`docs/REFERENCES.md`).

use super::enumeration::ENUMERATION_COST;
use super::population::{Population, PopulationBuilder};
use super::rejection::{Drawn, Expected};
use super::{Forward, Kind, StepTask};
use crate::belief::options::SamplingMethod;
use crate::belief::{Followed, UpdateOutcome};
use hyperplay_machine::Bulk;

/// A population that was too small is made larger by this factor.
const GROWTH: usize = 4;

/// How many times its usual size the population of a filter may have.
const MOST_GROWTH: usize = 16;

/// A population that lacks at most this share is full.
const NEARLY: f64 = 0.05;

/// Attempts of a round, on an engine that makes many at once and otherwise.
const ROUND: [usize; 2] = [1 << 17, 1 << 12];

/// Attempts of the first round of a slow engine, or under a model, before a deadline, and the share of the time left that a later one may
/// take, by what the one before took.
const FIRST_ROUND: usize = 16;
const ROUND_SHARE: f64 = 0.5;

/// With fewer particles than this a population is judged as if this number were wanted.
const FEW_PARTICLES: usize = 16;

/// This number of different histories is never too small.
const ENOUGH: usize = 4096;

/// The evidence is rare under a model where fewer draws of a population than this are expected to agree with a step, or where each of its
/// histories was drawn as often.
const RARE: f64 = 16.0;

/// The share of the time of a step in which all continuations are listed.
const LISTING: f64 = 0.5;

/// For this number of steps a population is believed to have nearly all histories.
const COVERED_STEPS: usize = 4;

impl<M: Bulk> Forward<M> {
    /// Filters from the last enumerated set to a step, with larger populations where one dies out. With `keeps_part`,
    /// what came some of the way in the time that there was takes the place of the population.
    pub(super) fn begin_filter(&mut self, task: StepTask<'_>, keeps_part: bool) -> Followed {
        while !self.filter_anew(task, keeps_part) {
            if self.is_spent(task.budget) {
                return Err(UpdateOutcome::Depleted { step: task.evidence.step() });
            }
            if self.opponents.is_some() && self.lists_all.is_none() {
                self.lists_all = Some(true);
                continue;
            }
            if self.growth >= MOST_GROWTH {
                return self.search(task.evidence, task.budget, task.seed);
            }
            self.growth *= GROWTH;
        }
        self.check_degeneracy(task)
    }

    /// Filters from the last enumerated set to a step. If no history arrives, the result is false, and all is as before
    /// unless the time ran out and the part is kept.
    fn filter_anew(&mut self, task: StepTask<'_>, keeps_part: bool) -> bool {
        let StepTask { step, evidence, budget, seed } = task;
        let Some(last) = &self.last_enumerated else { return false };
        let (from, population) = (last.generation, last.population.clone());
        let until = self.genealogy.until(from);
        let genealogy = std::mem::replace(&mut self.genealogy, until);
        let population = std::mem::replace(&mut self.population, population);
        let kind = std::mem::replace(&mut self.kind, Kind::Filtered);
        let seed = seed.child("anew").index(self.growth);
        for at in from..=step {
            self.genealogy.begin();
            let share = budget.share(1.0 / (evidence.step() - at) as f64);
            let at_step = StepTask { step: at, budget: &share, seed: &seed.index(at), evidence };
            let mut next = self.refilled(at_step);
            if next.len() == 0 && share.is_late() && !budget.is_late() {
                // It takes more than its share.
                let longer = &seed.child("longer").index(at);
                next = self.refilled(StepTask { budget, seed: longer, ..at_step });
            }
            if next.len() == 0 && keeps_part && at > from && budget.is_late() {
                self.genealogy.take_last();
                return false;
            }
            self.population = next;
            if self.population.len() == 0 {
                (self.genealogy, self.population, self.kind) = (genealogy, population, kind);
                return false;
            }
        }
        true
    }

    /// Whether the evidence is rare and all continuations are listed.
    pub(super) fn is_rare(&self) -> bool {
        self.lists_all == Some(true)
    }

    /// The histories that the population of the filter should have.
    pub(super) fn wanted_population(&self) -> f64 {
        (self.options.population() * self.growth) as f64
    }

    /// A new population in the last generation: the old one, continued by attempts until there are as many draws as
    /// there should be, or the budget ends.
    pub(super) fn refilled(&mut self, task: StepTask<'_>) -> Population<M::State> {
        let StepTask { budget, seed, .. } = task;
        let wanted = self.wanted_population();
        let mut builder = PopulationBuilder::new(wanted as usize);
        let step = self.depth() - 1;
        let spent_before = self.cost.states;
        let is_quick = self.is_in_lanes() && self.opponents.is_none();
        let at_once = if is_quick { ROUND[0] } else { ROUND[1] };
        let mut in_time = if budget.reproduces() || is_quick { usize::MAX } else { FIRST_ROUND };
        for round in 0.. {
            let missing = wanted - builder.population.total();
            let left = self.allowance(self.cost.states - spent_before).min(self.left());
            if missing <= wanted * NEARLY || left == 0 || budget.is_late() {
                break;
            }
            let is_known = self.trials[step][0] > 0;
            let count = if is_known { missing / self.acceptance_rate(step) } else { missing };
            // Under a model an attempt is hardly cheaper than a joint move that is enumerated, and may be very improbable.
            let is_rare = self.is_rare();
            let most = if is_rare { wanted * MOST_GROWTH as f64 } else { count / ENUMERATION_COST };
            let most = (most as u64).min(left);
            if self.opponents.is_some() && (is_known || is_rare) && round < 2 {
                let (seed, share) = (seed.child("continued").index(round), budget.share(LISTING));
                let in_share =
                    StepTask { seed: &seed, budget: if is_rare { &share } else { budget }, ..task };
                let is_room = most > self.population.len() as u64;
                if let Some(population) = is_room.then(|| self.continued(in_share, most)).flatten() {
                    return population;
                }
                self.lists_all = self.lists_all.map(|_| false);
            }
            let count = (count.ceil() as u64).min(left) as usize;
            let seed = seed.index(round);
            let count = count.min(at_once).min(in_time);
            let parents = self.population.systematic(count, &mut seed.child("parents").rng());
            let begun = budget.left();
            self.attempt(&parents, StepTask { seed: &seed, ..task }, &mut builder, false);
            if let (Some(begun), Some(left), true) = (begun, budget.left(), in_time < usize::MAX) {
                let fits = left.as_secs_f64() / (begun - left).as_secs_f64().max(1e-9) * ROUND_SHARE;
                in_time = ((count as f64 * fits) as usize).clamp(1, 2 * count);
            }
        }
        builder.population
    }

    /// Where a filter has few different histories, the information set may be small: looks for all of it. If it is not
    /// small, the population was too small.
    pub(super) fn check_degeneracy(&mut self, task: StepTask<'_>) -> Followed {
        let StepTask { step, evidence, budget, seed } = task;
        let is_last = step + 1 == evidence.step();
        let wanted = self.options.particles.max(FEW_PARTICLES);
        let from = self.last_enumerated.as_ref().map_or(0, |last| last.generation);
        let size = self.wanted_population();
        let may_be_rare = is_last && self.opponents.is_some() && self.lists_all.is_none();
        let is_rare = |step| size * self.acceptance_rate(step) < RARE;
        if may_be_rare && (RARE * self.population.len() as f64 <= size || (from..=step).any(is_rare)) {
            self.lists_all = Some(true);
            let before = (self.genealogy.until(self.depth()), self.population.clone(), self.kind);
            self.filter_anew(StepTask { seed: &seed.child("rare"), ..task }, false);
            if self.is_spent(budget) && self.population.len() < before.1.len() {
                (self.genealogy, self.population, self.kind) = before;
            }
        }
        while self.options.method == SamplingMethod::Auto && is_last && !self.is_spent(budget) {
            let different = self.population.len();
            let is_full = self.population.total() >= self.options.particles as f64;
            if is_full && (2 * different > wanted || different >= ENOUGH) {
                return Ok(());
            }
            if self.enumerates_instead(self.options.all_states() as f64, task) {
                return Ok(());
            }
            if self.is_rare() {
                return Ok(());
            }
            let (covered, until) = self.covered;
            if different <= covered && step < until {
                return Ok(());
            }
            if self.draws_instead(task) {
                return Ok(());
            }
            if self.growth >= MOST_GROWTH {
                return self.search(evidence, budget, seed);
            }
            self.growth *= GROWTH;
            let larger = StepTask { seed: &seed.child("larger"), ..task };
            if self.filter_anew(larger, false) && 4 * self.population.len() <= 5 * different {
                // Several times the draws have found few more histories: there are no more.
                self.covered = (self.population.len(), step + COVERED_STEPS);
                self.growth /= GROWTH;
                return Ok(());
            }
        }
        Ok(())
    }

    /// Draws whole histories in place of the population, where a larger filter would take more attempts. If they do not
    /// get through, all is as before and the result is false.
    fn draws_instead(&mut self, task: StepTask<'_>) -> bool {
        let Some(last) = &self.last_enumerated else { return false };
        let Expected { whole, each, filter } = self.expected(last.generation, task.step);
        let larger = GROWTH as f64 * filter;
        if self.options.particles as f64 / whole * each > larger {
            return false;
        }
        let mut builder = PopulationBuilder::new(self.options.particles);
        let before = self.genealogy.take_last();
        self.genealogy.begin();
        let closer = StepTask { seed: &task.seed.child("closer"), ..task };
        match self.draw_independently(closer, &mut builder, Some(larger)) {
            Drawn::Complete => (self.kind, self.population) = (Kind::Independent, builder.population),
            Drawn::Enumerated => {}
            Drawn::Incomplete => {
                self.genealogy.take_last();
                self.genealogy.put_back(before);
                return false;
            }
        }
        true
    }
}
