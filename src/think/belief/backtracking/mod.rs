//! Backtracking: the weighted histories of one role as nodes of a prefix tree, kept from step to step.
//!
//! An update has these steps:
//! 1. While the information set is small it is [enumerated](enumerate), as histories or as states, and the
//!    weights are the posterior.
//! 2. When it grows past the limits, particles are drawn from it systematically. From then on there is a
//!    [sample]: each particle is brought to the new step by [advancing and backtracking](lockstep::walk), within its
//!    budget of states.
//! 3. The branches beside the particles are tested, and the [weights](weight) computed.
//! 4. When the effective sample size is below half (or whenever weights differ, if moves follow), particles are
//!    [resampled](super::resample), and each gets the mean of the old weights.
//! 5. They are [rejuvenated](rejuvenate), with more moves the more uneven the weights were.
//! 6. When all particles are inconsistent, a larger sample is [re-initialised](mod@reinitialise) from the first
//!    step on.
//! 7. When few different ones are left, enumeration is tried again.
//!
//! This is HyperPlay as published (`HyperPlay12`) with the weight that makes its sampling consistent. It serves
//! games in which [forward sampling](super::forward) does not get through.

pub(super) mod branches;
mod enumerate;
pub(super) mod lockstep;
pub(super) mod node_id;
mod order;
mod reinitialise;
mod rejuvenate;
mod sample;
mod slot;
pub(super) mod tree;
pub(super) mod weight;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::belief::model::OpponentModel;
use crate::belief::options::{BeliefOptions, SamplingMethod};
use crate::belief::resample::systematic;
use crate::belief::{Belief, Particle, UpdateCost, UpdateMethod, UpdateOutcome, merged};
use enumerate::{EnumeratedSet, Extended};
use hyperplay_machine::{Budget, BudgetAccount, Bulk, EvaluationFailure, Evidence, History, Role, Seed};
use node_id::{NodeId, ROOT};
use reinitialise::reinitialise;
use sample::Sample;
use tree::Tree;
use weight::normalised;

/// After a search for the complete information set failed, the next one waits twice as many updates, up to this.
const PATIENCE: usize = 16;

enum Held {
    Enumerated(EnumeratedSet),
    Sampled(Sample),
}

/// The belief of one role by backtracking.
pub(super) struct Backtracking<M: Bulk> {
    options: BeliefOptions,
    tree: Tree<M>,
    held: Held,
    particles: Vec<Particle>,
    /// The cost before this update, and that of the update.
    before: UpdateCost,
    cost: UpdateCost,
    /// Updates to wait before the next search for the complete set, and how long the last wait was.
    patience: (usize, usize),
}

impl<M: Bulk> Backtracking<M> {
    /// The belief of `role` before the first step.
    pub(super) fn new(
        machine: Arc<M>,
        role: Role,
        model: Arc<dyn OpponentModel>,
        options: BeliefOptions,
    ) -> Self {
        let tree = Tree::new(machine, model, role);
        let held = match options.enumerate {
            true => Held::Enumerated(EnumeratedSet::new()),
            false => Held::Sampled(Sample::new(&options)),
        };
        Backtracking {
            held,
            particles: vec![Particle { id: ROOT.into(), weight: 1.0 }],
            before: UpdateCost::default(),
            cost: UpdateCost::default(),
            patience: (1, 1),
            options,
            tree,
        }
    }

    /// A belief that goes on from these histories, all of which explain `evidence`, as draws from the posterior. `None`
    /// if the deadline passes before all are replayed.
    pub(super) fn resume(
        mut self,
        evidence: &Evidence,
        histories: &[History],
        budget: &Budget,
    ) -> Option<Self> {
        self.tree.learn(evidence);
        self.tree.begin_update(budget);
        let nodes = self.tree.insert(histories);
        self.tree.end_update();
        self.held = Held::Sampled(Sample::taken_over(&self.tree, &self.options, nodes?.into_iter()));
        Some(self)
    }

    fn follow(&mut self, budget: &Budget, seed: &Seed) -> UpdateOutcome {
        if let Held::Enumerated(set) = &mut self.held {
            let states =
                budget.nodes.map_or(self.options.all_states(), |nodes| nodes.min(self.options.all_states()));
            let by_state = self.options.exact_update;
            let state_seed = seed.child("filter");
            let by_state = by_state.then_some(&state_seed);
            match set.extend(&mut self.tree, self.options.limit(), states / 2, budget, by_state) {
                Extended::Done => return self.report_enumerated(),
                Extended::Empty { step } => {
                    self.particles.clear();
                    return UpdateOutcome::Inconsistent { step };
                }
                Extended::TooLarge => {
                    let (nodes, weights) = set.weighted();
                    let mut rng = seed.child("draw").rng();
                    let drawn = systematic(&weights, self.options.particles, &mut rng);
                    let nodes = drawn.into_iter().map(|position| nodes[position]);
                    self.held = Held::Sampled(Sample::drawn(&self.tree, &self.options, nodes));
                }
            }
        }
        let left = self.left(budget);
        let Held::Sampled(sample) = &mut self.held else { return UpdateOutcome::Enumerated };
        let mut updated = sample.update(&mut self.tree, &self.options, &left, seed);
        if matches!(updated, Err(UpdateOutcome::Depleted { .. })) && self.options.tracks_resampling() {
            let left = |tree: &Tree<M>| budget.less(tree.spent.since(self.before).states);
            let (before, seed) = (left(&self.tree), seed.child("rebuild"));
            updated = reinitialise(&mut self.tree, &self.options, &before, &seed).and_then(|reinitialised| {
                *sample = reinitialised;
                let after = left(&self.tree);
                sample.update(&mut self.tree, &self.options, &after, &seed.child("move"))
            });
        }
        match updated {
            Ok(logarithms) => {
                let weighted =
                    sample.nodes().zip(normalised(&logarithms)).filter(|&(_, weight)| weight > 0.0);
                let particles = weighted.map(|(node, weight)| Particle { id: node.into(), weight });
                self.particles = merged(particles, self.options.merge);
                self.find_enumerated(budget, seed)
            }
            Err(none) => {
                self.particles.clear();
                none
            }
        }
    }

    /// Drops what no particle needs, where there is too much of it.
    fn compact(&mut self) {
        if self.tree.is_large() {
            let held: Box<dyn Iterator<Item = &mut NodeId>> = match &mut self.held {
                Held::Enumerated(set) => Box::new(set.nodes_mut()),
                Held::Sampled(sample) => Box::new(sample.nodes_mut()),
            };
            let mut nodes: Vec<NodeId> = self.particles.iter().map(|particle| particle.id.into()).collect();
            self.tree.compact(held.chain(&mut nodes));
            for (particle, node) in self.particles.iter_mut().zip(nodes) {
                particle.id = node.into();
            }
        }
    }

    /// The part of a budget that this update has not used yet.
    fn left(&self, budget: &Budget) -> Budget {
        budget.less(self.tree.spent.since(self.before).states)
    }

    fn report_enumerated(&mut self) -> UpdateOutcome {
        if let Held::Enumerated(set) = &self.held {
            let (nodes, weights) = set.weighted();
            let particles = nodes.into_iter().zip(weights);
            self.particles = particles.map(|(node, weight)| Particle { id: node.into(), weight }).collect();
        }
        UpdateOutcome::Enumerated
    }

    /// If the different particles are few, the information set may have become small: looks for all of it.
    fn find_enumerated(&mut self, budget: &Budget, seed: &Seed) -> UpdateOutcome {
        let (wait, last) = self.patience;
        if !self.options.enumerate || self.distinct() * 2 > self.options.particles {
            return UpdateOutcome::Sampled;
        }
        if wait > 1 {
            self.patience = (wait - 1, last);
            return UpdateOutcome::Sampled;
        }
        let spent = self.tree.spent.since(self.before).states;
        let all = self.options.all_states();
        let nodes = (all / 4).min(all.saturating_sub(spent));
        let left = self.left(budget);
        let mut account =
            BudgetAccount::new(left.with_nodes(left.nodes.map_or(nodes, |left| nodes.min(left))));
        let found = enumerate::search(&mut self.tree, self.options.limit(), &mut account);
        match found.or_else(|| self.enumerate_states(nodes, budget, seed)) {
            Some(set) => {
                self.held = Held::Enumerated(set);
                self.patience = (1, 1);
                self.report_enumerated()
            }
            None => {
                let next = (last * 2).min(PATIENCE);
                self.patience = (next, next);
                UpdateOutcome::Sampled
            }
        }
    }

    /// The number of different states held, or of histories where these make a difference.
    fn distinct(&self) -> usize {
        if self.options.exact_update {
            let keys = self.particles.iter().map(|particle| self.tree.key(particle.id.into()));
            return keys.collect::<FxHashSet<(&M::State, u128)>>().len();
        }
        let nodes = self.particles.iter().map(|particle| particle.id.into());
        nodes.collect::<FxHashSet<NodeId>>().len()
    }

    /// Enumerates the information set by its states, from the first step on.
    fn enumerate_states(&mut self, nodes: u64, budget: &Budget, seed: &Seed) -> Option<EnumeratedSet> {
        if !self.options.exact_update {
            return None;
        }
        let left = self.left(budget);
        let nodes = left.nodes.map_or(nodes, |left| nodes.min(left));
        let mut set = EnumeratedSet::new();
        let limit = self.options.limit();
        let extended = set.extend(&mut self.tree, limit, nodes, &left, Some(&seed.child("filter")));
        matches!(extended, Extended::Done).then_some(set)
    }
}

impl<M: Bulk> Belief<M> for Backtracking<M> {
    /// The evidence continues that of the updates before: a new match has a new belief.
    fn update(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> UpdateOutcome {
        self.tree.learn(evidence);
        self.before = self.tree.spent;
        self.tree.begin_update(budget);
        let outcome = if self.tree.begins() || self.tree.is_cut() {
            self.follow(budget, seed)
        } else {
            self.particles.clear();
            UpdateOutcome::Inconsistent { step: 0 }
        };
        self.tree.end_update();
        self.cost = self.tree.spent.since(self.before);
        self.compact();
        outcome
    }

    fn particles(&self) -> &[Particle] {
        &self.particles
    }

    fn state(&self, particle: &Particle) -> &M::State {
        self.tree.state(particle.id.into())
    }

    fn history(&self, particle: &Particle) -> History {
        self.tree.history(particle.id.into())
    }

    fn evidence(&self, particle: &Particle, role: Role) -> Evidence {
        self.tree.evidence_of(particle.id.into(), role)
    }

    fn cost(&self) -> UpdateCost {
        self.cost
    }

    fn method(&self) -> UpdateMethod {
        match self.held {
            Held::Enumerated(_) => UpdateMethod::Enumeration,
            Held::Sampled(_) if self.options.method == SamplingMethod::Rejection => UpdateMethod::Rejection,
            Held::Sampled(_) => UpdateMethod::Backtracking,
        }
    }

    fn take_failure(&mut self) -> Option<EvaluationFailure> {
        self.tree.take_failure()
    }
}
