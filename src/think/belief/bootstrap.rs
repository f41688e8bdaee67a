//! Bootstrap: the plain particle filter, the baseline of every other sampler.
//!
//! In each step, each particle makes a joint move drawn by the model among those that agree with the own move. The
//! weight of the particle is 1 if the successor explains what was perceived, and 0 otherwise. If some particles have
//! weight 0, all are resampled systematically. The sampler does not remember contradictions and takes no move back.
//! When all particles have weight 0, the belief is depleted for the rest of the match. A step costs one state for
//! each particle.
//!
//! Reference: Gordon93 (`docs/REFERENCES.md`).

use std::sync::Arc;

use super::backtracking::branches::Branch;
use super::backtracking::lockstep;
use super::backtracking::node_id::{NodeId, ROOT};
use super::backtracking::tree::Tree;
use super::resample::systematic;
use super::{Belief, OpponentModel, Particle, UpdateCost, UpdateOutcome};
use hyperplay_machine::{Budget, BudgetAccount, Bulk, EvaluationFailure, Evidence, History, Role, Seed};

pub(super) struct Bootstrap<M: Bulk> {
    tree: Tree<M>,
    count: usize,
    /// All at the same depth; empty once depleted.
    nodes: Vec<NodeId>,
    particles: Vec<Particle>,
    cost: UpdateCost,
}

impl<M: Bulk> Bootstrap<M> {
    pub(super) fn new(machine: Arc<M>, role: Role, model: Arc<dyn OpponentModel>, count: usize) -> Self {
        let tree = Tree::new(machine, model, role);
        let count = count.max(1);
        let particles = vec![Particle { id: ROOT.into(), weight: 1.0 }];
        Bootstrap { tree, count, nodes: vec![ROOT; count], particles, cost: UpdateCost::default() }
    }

    /// One step of every particle; false if none is left, or the budget did not last. If the deadline cut it off, the
    /// particles are where they were.
    fn step(&mut self, account: &mut BudgetAccount, seed: &Seed) -> bool {
        let mut drawn = Vec::with_capacity(self.nodes.len());
        for (particle, &node) in self.nodes.iter().enumerate() {
            if !account.spend() {
                return false;
            }
            self.cost.states += 1;
            drawn.extend(
                self.tree.branches(node).draw(&mut seed.index(particle).rng()).map(|index| (node, index)),
            );
        }
        lockstep::expand_these(&mut self.tree, &drawn);
        if self.tree.is_cut() {
            return false;
        }
        let survivors: Vec<NodeId> = drawn
            .into_iter()
            .filter_map(|(node, index)| match self.tree.branches(node).branch(index) {
                Branch::Open(child) => Some(child),
                Branch::Inconsistent | Branch::Untried => None,
            })
            .collect();
        if survivors.is_empty() {
            return false;
        }
        self.nodes = if survivors.len() == self.count {
            survivors
        } else {
            let weights = vec![1.0 / survivors.len() as f64; survivors.len()];
            let places = systematic(&weights, self.count, &mut seed.child("resample").rng());
            places.into_iter().map(|place| survivors[place]).collect()
        };
        true
    }

    fn follow(&mut self, budget: &Budget, seed: &Seed) -> UpdateOutcome {
        if !self.tree.begins() && !self.tree.is_cut() {
            return UpdateOutcome::Inconsistent { step: 0 };
        }
        let mut account = BudgetAccount::new(*budget);
        while self.nodes.first().is_some_and(|&node| self.tree.depth(node) < self.tree.target()) {
            let step = self.tree.depth(self.nodes[0]) + 1;
            if !self.step(&mut account, &seed.index(step)) {
                if self.tree.is_cut() {
                    return UpdateOutcome::Depleted { step: self.tree.target() };
                }
                self.nodes.clear();
                if self.tree.is_refuted() {
                    return UpdateOutcome::Inconsistent { step: self.tree.unexplained() };
                }
            }
        }
        if self.nodes.is_empty() {
            return UpdateOutcome::Depleted { step: self.tree.target() };
        }
        let weight = 1.0 / self.count as f64;
        self.particles = self.nodes.iter().map(|&node| Particle { id: node.into(), weight }).collect();
        UpdateOutcome::Sampled
    }
}

impl<M: Bulk> Belief<M> for Bootstrap<M> {
    fn update(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> UpdateOutcome {
        if !self.tree.learn(evidence) {
            self.nodes = vec![ROOT; self.count];
        }
        self.cost = UpdateCost::default();
        self.particles.clear();
        self.tree.begin_update(budget);
        let outcome = self.follow(budget, seed);
        self.tree.end_update();
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

    fn take_failure(&mut self) -> Option<EvaluationFailure> {
        self.tree.take_failure()
    }
}
