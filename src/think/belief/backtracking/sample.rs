//! Sample: the particles of a sampled belief, each in its slot, brought from update to update.
//!
//! The *resampling time* of a particle is the depth from which its weight is computed and above which it takes
//! nothing back. It is 0 for a particle that started from the root, and the last step for one that was resampled or
//! rejuvenated. It is the last step for all when the tests became too much for the budget, so that the next ones
//! begin at that step. All particles of an update have their weights on one scale, that of the probability of the
//! evidence.
//!
//! A particle is inconsistent when it has no continuation from its resampling time on. It then has weight 0. It is
//! restarted from the root if the budget allows, and waits for the next resampling otherwise. When no particle is
//! left, all are restarted from the root; if that fails too, the sample is depleted, and may be
//! [re-initialised](mod@super::reinitialise).
//!
//! The *restarted* particles estimate the posterior by themselves, and so do the others. The two groups share the
//! total weight by their effective sizes. (At their own scale the restarted ones would weigh next to nothing: each
//! has the probability of all the evidence for its weight, while a survivor stands for the inconsistent particles
//! beside it too. On Mastermind, where most particles become inconsistent at every guess, set TV is 1.5 times its
//! baseline without them and 1.0 times with them.)
//!
//! Every particle draws from its own stream and pays from its own budget, which is divided before starting. The tree
//! that all share holds facts only, so results depend neither on the order of particles nor on threads, budgets
//! aside. All particles work in [lockstep](super::lockstep), a [cohort](COHORT) at a time.
//!
//! **How many moves.** Every particle is to be changed once an update. Those that uneven weights cost, `N - ESS`, are
//! to be changed [twice](CHANGES) more, because resampling leaves copies of others in their place. Of a round of
//! moves, the share that changed something at the update before is expected to do so again. The number of rounds is
//! therefore `(1 + 2 (1 - ESS/N)) / share`, rounded up, and at most what the options allow. It is fixed before the
//! first move is drawn: moves that went on until something changed would favour histories that are easily left.
//!
//! **Labels.** Random streams keep the labels that they had under earlier names (`regrow`, `dead`, here and elsewhere
//! `rebuild`, `filter`), because a label is a part of the seed: another one would change every result.
//!
//! Invariant: slots that are consistent and at the depth of the evidence after an update are exactly those with a
//! finite logarithm in its result.

use super::lockstep::particle::{DescentTask, RootTask, TestTask};
use super::lockstep::run;
use super::node_id::{NodeId, ROOT};
use super::rejuvenate;
use super::slot::Slot;
use super::tree::Tree;
use super::weight::{effective_size, ln_mean, ln_prior, ln_ratio, normalised, share_weight};
use crate::belief::UpdateOutcome;
use crate::belief::options::{BeliefOptions, SamplingMethod, Weight};
use crate::belief::resample::systematic;
use hyperplay_machine::{Budget, BudgetAccount, Bulk, Seed};

/// After this number of restarts that the budget did not last for, no more particles are restarted in an update.
const FAILURES: usize = 2;

/// How many times more often than others a particle lost to uneven weights is to be changed.
const CHANGES: f64 = 2.0;

/// Particles restarted at a time.
const TOGETHER: usize = 64;

/// Particles at work at a time. Nodes that these have met beside their histories may be dropped before the next ones
/// begin, so that many particles need little more memory than what they hold.
const COHORT: usize = 4096;

/// The particles of a sampled belief.
pub(in crate::belief) struct Sample {
    slots: Vec<Slot>,
    /// The share of the moves of the last rejuvenation that led to another history.
    changed: f64,
}

impl Sample {
    /// As many particles as wanted, all at the root.
    pub(in crate::belief) fn new(options: &BeliefOptions) -> Self {
        Sample { slots: vec![Slot::at_root(); options.particles], changed: 1.0 }
    }

    /// Particles at nodes drawn from the posterior of some step.
    pub(in crate::belief) fn drawn<M: Bulk>(
        tree: &Tree<M>,
        options: &BeliefOptions,
        nodes: impl Iterator<Item = NodeId>,
    ) -> Self {
        let slot =
            |node| Slot { node, resampled_at: options.resampled_at(tree.depth(node)), ..Slot::at_root() };
        Sample { slots: nodes.map(slot).collect(), changed: 1.0 }
    }

    /// Particles at the nodes of draws that another method made. They make as many moves as they may, once.
    pub(in crate::belief) fn taken_over<M: Bulk>(
        tree: &Tree<M>,
        options: &BeliefOptions,
        nodes: impl Iterator<Item = NodeId>,
    ) -> Self {
        Sample { changed: 0.0, ..Sample::drawn(tree, options, nodes) }
    }

    /// All particles at one history. They make as many moves as they may, once.
    pub(in crate::belief) fn copies<M: Bulk>(tree: &Tree<M>, options: &BeliefOptions, node: NodeId) -> Self {
        Sample::taken_over(tree, options, std::iter::repeat_n(node, options.particles))
    }

    /// The node of every slot.
    pub(in crate::belief) fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.slots.iter().map(|slot| slot.node)
    }

    /// The nodes of the slots, to be renumbered. An inconsistent slot is at the root.
    pub(in crate::belief) fn nodes_mut(&mut self) -> impl Iterator<Item = &mut NodeId> {
        self.slots.iter_mut().map(|slot| {
            if !slot.is_consistent {
                slot.node = ROOT;
            }
            &mut slot.node
        })
    }

    /// Brings the particles to the last step of the evidence. Gives the logarithm of every slot's weight, or why
    /// there is none.
    pub(in crate::belief) fn update<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        options: &BeliefOptions,
        budget: &Budget,
        seed: &Seed,
    ) -> Result<Vec<f64>, UpdateOutcome> {
        let before = tree.spent.states;
        let mut accounts = self.descend_all(tree, options, budget, u64::MAX, seed);
        if !self.any_reached(tree) && !tree.is_refuted() && !budget.is_late() {
            // No particle has a continuation, or the budgets were too small: all start from the root.
            self.slots = vec![Slot::at_root(); options.particles];
            let spent = tree.spent.states - before;
            let share = if options.tracks_resampling() { options.share_after(spent) } else { u64::MAX };
            accounts = self.descend_all(tree, options, &budget.less(spent), share, &seed.child("regrow"));
        }
        if tree.is_refuted() {
            return Err(UpdateOutcome::Inconsistent { step: tree.unexplained() });
        }
        if !self.any_reached(tree) {
            return Err(UpdateOutcome::Depleted { step: tree.target() });
        }
        let (mut logarithms, tested) = self.weigh(tree, options, budget, &mut accounts);
        if options.tracks_resampling() {
            self.restart(tree, budget, &mut logarithms, &mut accounts, seed);
        }
        let size = effective_size(normalised(&logarithms));
        if options.tracks_resampling() {
            self.resample(tree, options, &mut logarithms, seed);
        }
        let rounds = self.rounds(options, size);
        self.rejuvenate(tree, rounds, budget, &logarithms, &mut accounts, seed);
        if options.tracks_resampling() && (options.rejuvenate > 0 || !tested) {
            self.set_resampling_time(tree.target(), &logarithms);
        }
        Ok(logarithms)
    }

    /// How many moves every particle makes, where the weights had this effective size before resampling.
    fn rounds(&self, options: &BeliefOptions, size: f64) -> usize {
        let lost = 1.0 - size / self.slots.len() as f64;
        let needed = ((1.0 + CHANGES * lost) / self.changed.max(f64::EPSILON)).ceil();
        (needed as usize).max(1).min(options.rejuvenate)
    }

    /// Brings every particle down to the last step, if its budget lasts, which is at most a share of states. Returns
    /// what is left of the budgets.
    fn descend_all<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        options: &BeliefOptions,
        budget: &Budget,
        share: u64,
        seed: &Seed,
    ) -> Vec<BudgetAccount> {
        let share = share.min(budget.nodes.unwrap_or(u64::MAX) / options.particles as u64);
        let seed = seed.child("particle");
        let mut accounts = Vec::with_capacity(self.slots.len());
        while accounts.len() < self.slots.len() {
            let first = accounts.len();
            let some = &mut self.slots[first..];
            let begin = |(place, slot): (usize, &Slot)| {
                DescentTask::new(slot.clone(), options, budget, share, seed.index(first + place))
            };
            let mut descents: Vec<DescentTask> = some.iter().take(COHORT).enumerate().map(begin).collect();
            run(tree, &mut descents, budget);
            for (slot, descent) in some.iter_mut().zip(descents) {
                let (descended, account) = descent.end();
                *slot = descended;
                accounts.push(account);
            }
            self.compact(tree, std::iter::empty());
        }
        accounts
    }

    /// Drops what neither a particle nor one of these nodes needs, where there is too much of it.
    pub(in crate::belief) fn compact<'a, M: Bulk>(
        &'a mut self,
        tree: &mut Tree<M>,
        others: impl Iterator<Item = &'a mut NodeId>,
    ) {
        if tree.is_large() {
            tree.compact(self.nodes_mut().chain(others));
        }
    }

    /// The logarithm of every slot's weight, and whether it is exact.
    fn weigh<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        options: &BeliefOptions,
        budget: &Budget,
        accounts: &mut [BudgetAccount],
    ) -> (Vec<f64>, bool) {
        let target = tree.target();
        let mut tested = true;
        if options.tracks_resampling() {
            for (cohort, accounts) in accounts.chunks_mut(COHORT).enumerate() {
                let held = self.slots[cohort * COHORT..].iter().zip(accounts);
                let held = held.filter(|(slot, _)| slot.is_consistent && tree.depth(slot.node) == target);
                let begin = |(slot, account): (&Slot, _)| TestTask::new(tree, slot, account);
                let mut tests: Vec<TestTask<'_>> = held.map(begin).collect();
                run(tree, &mut tests, budget);
                tested &= tests.iter().all(TestTask::is_complete);
                self.compact(tree, std::iter::empty());
            }
        }
        let logarithms = self
            .slots
            .iter()
            .map(|slot| {
                if !slot.is_consistent || tree.depth(slot.node) < target {
                    return f64::NEG_INFINITY;
                }
                match options.weight {
                    Weight::None => 0.0,
                    Weight::BranchingFactor => ln_prior(tree, slot.node),
                    // Accepted by rejection: as probable as the posterior says.
                    Weight::Posterior if options.method == SamplingMethod::Rejection => 0.0,
                    Weight::Posterior => slot.ln_weight + ln_ratio(tree, slot.node, slot.resampled_at),
                }
            })
            .collect();
        (logarithms, tested)
    }

    /// Restarts the inconsistent particles from the root, some at a time, until too many have failed.
    fn restart<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        budget: &Budget,
        logarithms: &mut [f64],
        accounts: &mut [BudgetAccount],
        seed: &Seed,
    ) {
        let seed = seed.child("dead");
        let mut restarted = vec![false; self.slots.len()];
        let mut failures = 0;
        let inconsistent: Vec<usize> =
            (0..self.slots.len()).filter(|&slot| !self.slots[slot].is_consistent).collect();
        for some in inconsistent.chunks(TOGETHER) {
            let begin = |&slot: &usize| RootTask::restart(seed.index(slot), accounts[slot].clone());
            let mut restarts: Vec<RootTask> = some.iter().map(begin).collect();
            run(tree, &mut restarts, budget);
            for (&slot, restart) in some.iter().zip(restarts) {
                let node = restart.node();
                accounts[slot] = restart.end();
                match node {
                    _ if failures >= FAILURES => {}
                    Some(node) => {
                        self.slots[slot] = Slot { node, ..Slot::at_root() };
                        restarted[slot] = true;
                        logarithms[slot] = ln_ratio(tree, node, 0);
                    }
                    None => failures += 1,
                }
            }
            if failures >= FAILURES {
                break;
            }
            self.compact(tree, std::iter::empty());
        }
        share_weight(logarithms, &restarted);
    }

    /// Draws the particles again by their weights where these are too uneven; each then carries the mean.
    fn resample<M: Bulk>(
        &mut self,
        tree: &Tree<M>,
        options: &BeliefOptions,
        logarithms: &mut [f64],
        seed: &Seed,
    ) {
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
        self.set_resampling_time(tree.target(), logarithms);
    }

    /// Makes this step the resampling time of every particle, at the weight that it has.
    fn set_resampling_time(&mut self, resampled_at: usize, logarithms: &[f64]) {
        for (slot, &ln_weight) in self.slots.iter_mut().zip(logarithms) {
            let is_consistent = ln_weight > f64::NEG_INFINITY;
            *slot = Slot { node: slot.node, resampled_at, ln_weight, is_consistent };
        }
    }

    fn rejuvenate<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        rounds: usize,
        budget: &Budget,
        logarithms: &[f64],
        accounts: &mut [BudgetAccount],
        seed: &Seed,
    ) {
        let held: Vec<usize> =
            (0..self.slots.len()).filter(|&slot| logarithms[slot] > f64::NEG_INFINITY).collect();
        let mut moving: Vec<(NodeId, BudgetAccount)> =
            held.iter().map(|&slot| (self.slots[slot].node, accounts[slot].clone())).collect();
        let before = tree.spent;
        for round in 0..rounds {
            let seed = seed.child("rejuvenate").index(round);
            for first in (0..moving.len()).step_by(COHORT) {
                self.compact(tree, moving.iter_mut().map(|(node, _)| node));
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
        self.slots.iter().any(|slot| slot.is_consistent && tree.depth(slot.node) == tree.target())
    }
}
