//! Sample: the particles of a sampled belief, each in its slot, brought from update to update.
//!
//! A particle's *base* is the depth from which its weight is computed and above which it takes nothing back: 0 for a
//! particle grown from the root, the last step for one that was resampled or rejuvenated, and for all when the tests
//! became too much for the budget (so that the next ones begin at that step). All particles of an update have their
//! weights on one scale, that of the probability of the evidence. A particle that has no continuation below its base
//! has weight 0; it is regrown from the root if the budget allows, and else waits for the next resampling. When none
//! is left, all are regrown from the root; if that fails too, the sample is depleted, and may be [rebuilt](super::rebuild).
//!
//! The *regrown* estimate the posterior by themselves, and so do the others; the two share the total weight by their
//! effective sizes. (At their own scale the regrown would weigh next to nothing: each has the probability of all the
//! evidence for its weight, where a survivor stands for the dead beside it too. On Mastermind, where most particles die
//! at every guess, set TV is 1.5 times its floor without them and 1.0 times with them.)
//!
//! Every particle draws from its own stream and pays from its own budget, split before starting. The tree shared by
//! all holds facts only, so results depend neither on the order of particles nor on threads, budgets aside, and all
//! work [in step](super::in_step), a [cohort](COHORT) at a time.
//!
//! **How many moves.** Every particle is to be changed once an update, and those that uneven weights cost, `N - ESS`,
//! [twice](CHANGES) more, because resampling leaves copies of others there. Of a round of moves the share that changed something at
//! the update before is expected to do so again; so the number of rounds is `(1 + 2 (1 - ESS/N)) / share`, rounded up, and at
//! most what the options allow. It is fixed before the first move is drawn: moves that went on until something changed
//! would favour histories that are easily left.
//!
//! Invariant: slots that are alive and at the depth of the evidence after an update are exactly those with a finite
//! logarithm in its result.

use super::Outcome;
use super::in_step;
use super::options::{Options, Weight};
use super::rejuvenate;
use super::resample::systematic;
use super::slot::{Growing, Regrowing, Slot, Tested};
use super::tree::{NodeId, ROOT, Tree};
use super::weight::{effective_size, ln_mean, ln_prior, ln_ratio, normalised, share};
use hyperplay_engine::machine::{Budget, BudgetAccount, Bulk, Seed};

/// After so many dead particles that the budget did not last for, no more are regrown in an update.
const FAILURES: usize = 2;

/// How many times more often than others a particle lost to uneven weights is to be changed.
const CHANGES: f64 = 2.0;

/// Dead particles regrown at a time.
const TOGETHER: usize = 64;

/// Particles at work at a time. What these have met beside their histories may be pruned before the next ones begin, so
/// that many particles need little more memory than what they hold.
const COHORT: usize = 4096;

pub(super) struct Sample {
    slots: Vec<Slot>,
    /// The share of the moves of the last rejuvenation that led to another history.
    changed: f64,
}

impl Sample {
    /// As many particles as wanted, still to be grown.
    pub(super) fn new(options: &Options) -> Self {
        Sample { slots: vec![Slot::at_root(); options.particles], changed: 1.0 }
    }

    /// Particles at nodes drawn from the posterior of some step.
    pub(super) fn drawn<M: Bulk>(
        tree: &Tree<M>,
        options: &Options,
        nodes: impl Iterator<Item = NodeId>,
    ) -> Self {
        let slot = |node| Slot { node, base: options.base(tree.depth(node)), ..Slot::at_root() };
        Sample { slots: nodes.map(slot).collect(), changed: 1.0 }
    }

    /// All particles at one history. They make as many moves as they may, once.
    pub(super) fn copies<M: Bulk>(tree: &Tree<M>, options: &Options, node: NodeId) -> Self {
        let drawn = Sample::drawn(tree, options, std::iter::repeat_n(node, options.particles));
        Sample { changed: 0.0, ..drawn }
    }

    /// The node of every slot.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.slots.iter().map(|slot| slot.node)
    }

    /// The nodes of the slots, to be renumbered. What is dead is at the root.
    pub(super) fn nodes_mut(&mut self) -> impl Iterator<Item = &mut NodeId> {
        self.slots.iter_mut().map(|slot| {
            if !slot.alive {
                slot.node = ROOT;
            }
            &mut slot.node
        })
    }

    /// Brings the particles to the last step of the evidence. Gives the logarithm of every slot's weight, or why
    /// there is none.
    pub(super) fn update<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        options: &Options,
        budget: &Budget,
        seed: &Seed,
    ) -> Result<Vec<f64>, Outcome> {
        let before = tree.visited();
        let mut meters = self.grow_all(tree, options, budget, u64::MAX, seed);
        if !self.any_reached(tree) && !tree.is_refuted() && !budget.is_late() {
            // Nothing below the bases, or the budgets were too small: all from the root.
            self.slots = vec![Slot::at_root(); options.particles];
            let spent = tree.visited() - before;
            let share = if options.has_bases() { options.share_after(spent) } else { u64::MAX };
            meters = self.grow_all(tree, options, &budget.less(spent), share, &seed.child("regrow"));
        }
        if tree.is_refuted() {
            return Err(Outcome::Inconsistent { step: tree.unexplained() });
        }
        if !self.any_reached(tree) {
            return Err(Outcome::Depleted { step: tree.target() });
        }
        let (mut logarithms, tested) = self.weigh(tree, options, budget, &mut meters);
        if options.has_bases() {
            self.regrow(tree, budget, &mut logarithms, &mut meters, seed);
        }
        let size = effective_size(normalised(&logarithms));
        if options.has_bases() {
            self.resample(tree, options, &mut logarithms, seed);
        }
        let rounds = self.rounds(options, size);
        self.rejuvenate(tree, rounds, budget, &logarithms, &mut meters, seed);
        if options.has_bases() && (options.rejuvenate > 0 || !tested) {
            self.settle(tree.target(), &logarithms);
        }
        Ok(logarithms)
    }

    /// How many moves every particle makes, where the weights had this effective size before resampling.
    fn rounds(&self, options: &Options, size: f64) -> usize {
        let lost = 1.0 - size / self.slots.len() as f64;
        let needed = ((1.0 + CHANGES * lost) / self.changed.max(f64::EPSILON)).ceil();
        (needed as usize).max(1).min(options.rejuvenate)
    }

    /// Brings every particle down to the last step, if its budget lasts, which is at most a share of states. Returns what
    /// is left of the budgets.
    fn grow_all<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        options: &Options,
        budget: &Budget,
        share: u64,
        seed: &Seed,
    ) -> Vec<BudgetAccount> {
        let share = share.min(budget.nodes.unwrap_or(u64::MAX) / options.particles as u64);
        let seed = seed.child("particle");
        let mut meters = Vec::with_capacity(self.slots.len());
        while meters.len() < self.slots.len() {
            let first = meters.len();
            let some = &mut self.slots[first..];
            let begin = |(place, slot): (usize, &Slot)| {
                Growing::new(slot.clone(), options, budget, share, seed.index(first + place))
            };
            let mut growing: Vec<Growing> = some.iter().take(COHORT).enumerate().map(begin).collect();
            in_step::run(tree, &mut growing, budget);
            for (slot, grown) in some.iter_mut().zip(growing) {
                let (grown, meter) = grown.end();
                *slot = grown;
                meters.push(meter);
            }
            self.prune(tree, std::iter::empty());
        }
        meters
    }

    /// Drops what neither a particle nor one of these nodes needs, where there is too much of it.
    pub(super) fn prune<'a, M: Bulk>(
        &'a mut self,
        tree: &mut Tree<M>,
        others: impl Iterator<Item = &'a mut NodeId>,
    ) {
        if tree.is_crowded() {
            tree.prune(self.nodes_mut().chain(others));
        }
    }

    /// The logarithm of every slot's weight, and whether it is exact.
    fn weigh<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        options: &Options,
        budget: &Budget,
        meters: &mut [BudgetAccount],
    ) -> (Vec<f64>, bool) {
        let target = tree.target();
        let mut tested = true;
        if options.has_bases() {
            for (cohort, meters) in meters.chunks_mut(COHORT).enumerate() {
                let held = self.slots[cohort * COHORT..].iter().zip(meters);
                let held = held.filter(|(slot, _)| slot.alive && tree.depth(slot.node) == target);
                let begin = |(slot, meter): (&Slot, _)| Tested::new(tree, slot.node, slot.base, meter);
                let mut tests: Vec<Tested<'_>> = held.map(begin).collect();
                in_step::run(tree, &mut tests, budget);
                tested &= tests.iter().all(Tested::is_whole);
                self.prune(tree, std::iter::empty());
            }
        }
        let logarithms = self
            .slots
            .iter()
            .map(|slot| {
                if !slot.alive || tree.depth(slot.node) < target {
                    return f64::NEG_INFINITY;
                }
                match options.weight {
                    Weight::None => 0.0,
                    Weight::Choice => ln_prior(tree, slot.node),
                    // Accepted by rejection: as probable as the posterior says.
                    Weight::Posterior if !options.backtrack => 0.0,
                    Weight::Posterior => slot.ln_base + ln_ratio(tree, slot.node, slot.base),
                }
            })
            .collect();
        (logarithms, tested)
    }

    /// Grows the dead from the root, some at a time, until too many have failed.
    fn regrow<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        budget: &Budget,
        logarithms: &mut [f64],
        meters: &mut [BudgetAccount],
        seed: &Seed,
    ) {
        let seed = seed.child("dead");
        let mut regrown = vec![false; self.slots.len()];
        let mut failures = 0;
        let dead: Vec<usize> = (0..self.slots.len()).filter(|&slot| !self.slots[slot].alive).collect();
        for some in dead.chunks(TOGETHER) {
            let begin = |&slot: &usize| Regrowing::new(seed.index(slot), meters[slot].clone());
            let mut growing: Vec<Regrowing> = some.iter().map(begin).collect();
            in_step::run(tree, &mut growing, budget);
            for (&slot, grown) in some.iter().zip(growing) {
                let node = grown.node();
                meters[slot] = grown.end();
                match node {
                    _ if failures >= FAILURES => {}
                    Some(node) => {
                        self.slots[slot] = Slot { node, ..Slot::at_root() };
                        regrown[slot] = true;
                        logarithms[slot] = ln_ratio(tree, node, 0);
                    }
                    None => failures += 1,
                }
            }
            if failures >= FAILURES {
                break;
            }
            self.prune(tree, std::iter::empty());
        }
        share(logarithms, &regrown);
    }

    /// Draws the particles anew by their weights where these are too uneven; each then carries the mean.
    fn resample<M: Bulk>(&mut self, tree: &Tree<M>, options: &Options, logarithms: &mut [f64], seed: &Seed) {
        let weights = normalised(logarithms);
        // Moves forget where a particle came from, so weights kept through them would only add noise.
        let least = if options.rejuvenate > 0 { 0.99 } else { 0.5 };
        if effective_size(weights.iter().copied()) >= least * weights.len() as f64 {
            return;
        }
        let mean = ln_mean(logarithms, weights.len());
        let drawn = systematic(&weights, weights.len(), &mut seed.child("resample").rng());
        let slot = |from: usize| Slot { node: self.slots[from].node, ..Slot::at_root() };
        self.slots = drawn.into_iter().map(slot).collect();
        logarithms.fill(mean);
        self.settle(tree.target(), logarithms);
    }

    /// Makes the last step the base of every particle, at the weight that it has.
    fn settle(&mut self, base: usize, logarithms: &[f64]) {
        for (slot, &ln_base) in self.slots.iter_mut().zip(logarithms) {
            let alive = ln_base > f64::NEG_INFINITY;
            *slot = Slot { node: slot.node, base, ln_base, alive };
        }
    }

    fn rejuvenate<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        rounds: usize,
        budget: &Budget,
        logarithms: &[f64],
        meters: &mut [BudgetAccount],
        seed: &Seed,
    ) {
        let held: Vec<usize> =
            (0..self.slots.len()).filter(|&slot| logarithms[slot] > f64::NEG_INFINITY).collect();
        let mut moving: Vec<(NodeId, BudgetAccount)> =
            held.iter().map(|&slot| (self.slots[slot].node, meters[slot].clone())).collect();
        let before = tree.spent;
        for round in 0..rounds {
            let seed = seed.child("rejuvenate").index(round);
            for first in (0..moving.len()).step_by(COHORT) {
                self.prune(tree, moving.iter_mut().map(|(node, _)| node));
                let end = moving.len().min(first + COHORT);
                rejuvenate::pass(tree, &mut moving[first..end], first, budget, &seed);
            }
        }
        tree.spent.rejuvenation_states += tree.spent.states - before.states;
        let made = tree.spent.since(before);
        if made.rejuvenation_moves > 0 {
            self.changed = made.rejuvenation_changes as f64 / made.rejuvenation_moves as f64;
        }
        for (slot, (node, _)) in held.into_iter().zip(moving) {
            self.slots[slot].node = node;
        }
    }

    fn any_reached<M: Bulk>(&self, tree: &Tree<M>) -> bool {
        self.slots.iter().any(|slot| slot.alive && tree.depth(slot.node) == tree.target())
    }
}
