//! Backtracking: HyperPlay as published.
//!
//! Each particle is brought to the new step by a [walk](mod@walk), within its budget of states; a particle whose budget
//! runs out starts again from the empty history. All share what is known to be inconsistent. The particles that arrive
//! are weighted by the prior probability of their histories, or all alike. Neither is the posterior: a walk finds a
//! history with a probability that depends on the dead ends beside it.
//!
//! Where [forward sampling](super::forward) does not get through it finds histories with the same [tree](tree::Tree) and
//! walks, and moves them by [Metropolis and Hastings](metropolis).
//!
//! Reference: `HyperPlay12` (`docs/REFERENCES.md`).

pub(super) mod branches;
pub(super) mod metropolis;
pub(super) mod node_id;
pub(super) mod tree;
pub(super) mod walk;

use std::sync::Arc;

use super::opponents::Opponents;
use super::options::{BeliefOptions, Weight};
use super::resample::normalised;
use super::{Followed, Particle, SharedModel, UpdateOutcome, merged};
use hyperplay_machine::{Budget, BudgetAccount, Bulk, Evidence, Role, Seed};
use node_id::{NodeId, ROOT};
use tree::Tree;
use walk::{WalkEnd, walk};

/// How often a particle sets out in one update.
const ATTEMPTS: usize = 4;

/// The belief of one role by backtracking, in one match.
#[derive_where::derive_where(Clone)]
pub(super) struct Backtracking<M: Bulk> {
    options: BeliefOptions,
    pub(super) tree: Tree<M>,
    /// Where each particle is; those whose budget ran out have some way to go.
    nodes: Vec<NodeId>,
}

impl<M: Bulk> Backtracking<M> {
    /// The belief of `role` before the first step.
    pub(super) fn new(machine: Arc<M>, role: Role, model: &SharedModel, options: BeliefOptions) -> Self {
        let opponents = Opponents::new(&*machine, role, model);
        Self { tree: Tree::new(machine, role, opponents), nodes: vec![ROOT; options.particles], options }
    }

    /// Follows the evidence, which continues what was followed before. Gives what is to be reported.
    pub(super) fn follow(
        &mut self,
        evidence: &Evidence,
        budget: &Budget,
        seed: &Seed,
    ) -> Followed<Vec<Particle>> {
        self.tree.begin(evidence, budget);
        if self.tree.is_large() {
            self.tree.compact(&mut self.nodes);
        }
        let walked = self.walk_all(budget, seed);
        self.tree.end();
        let particles = walked.map(|()| self.weighted())?;
        (!particles.is_empty()).then_some(particles).ok_or(UpdateOutcome::Depleted { step: evidence.step() })
    }

    /// Brings all particles as far as their budgets last. An error says that there is no history.
    fn walk_all(&mut self, budget: &Budget, seed: &Seed) -> Followed {
        self.tree.refuse()?;
        let share = budget.nodes.map_or(u64::MAX, |nodes| nodes / self.nodes.len() as u64);
        let seed = seed.child("particle");
        for (particle, node) in self.nodes.iter_mut().enumerate() {
            let mut left = share;
            for attempt in 0..ATTEMPTS {
                let mut account = BudgetAccount::new(budget.with_nodes(left.min(self.options.states)));
                let mut rng = seed.index(particle).index(attempt).rng();
                match walk(&mut self.tree, *node, 0, &mut account, &mut rng) {
                    WalkEnd::Reached(reached) => {
                        *node = reached;
                        break;
                    }
                    // There is no time: it goes on from where it is at the next update.
                    WalkEnd::OutOfBudget if budget.is_late() => break,
                    WalkEnd::OutOfBudget => (*node, left) = (ROOT, left.saturating_sub(account.spent())),
                    WalkEnd::Inconsistent => break,
                }
            }
            if let Some(step) = self.tree.refuted() {
                return Err(UpdateOutcome::Inconsistent { step });
            }
        }
        Ok(())
    }

    /// The particles that are at the last step.
    fn weighted(&self) -> Vec<Particle> {
        let Backtracking { tree, nodes, options, .. } = self;
        let arrived: Vec<NodeId> =
            nodes.iter().copied().filter(|&node| tree.depth(node) == tree.target()).collect();
        let ln_weight = |&node: &NodeId| match options.weight {
            Weight::None => 0.0,
            Weight::BranchingFactor => {
                tree.steps(node).map(|(branches, _, index)| branches.joints.probability(index).ln()).sum()
            }
        };
        let weights = normalised(&arrived.iter().map(ln_weight).collect::<Vec<f64>>());
        let weighted = arrived.iter().zip(weights).filter(|&(_, weight)| weight > 0.0);
        merged(weighted.map(|(&node, weight)| Particle { id: node.into(), weight }), options.merge)
    }
}
