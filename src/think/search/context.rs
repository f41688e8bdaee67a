//! Context: what every search is given besides the states.

use std::sync::Arc;

use crate::tree::{LeafValues, RandomPlayouts};
use hyperplay_machine::{Budget, Bulk, MoveWeights, Role, Seed, StateMachineExt};

/// The context of a search: the game, whose moves it judges, what it may spend, where its random numbers come from,
/// and the caller's scratch space.
pub struct SearchContext<'a, M: Bulk> {
    /// The game.
    pub machine: &'a M,
    /// Whose moves are judged.
    pub role: Role,
    /// The time and the work that the search may spend.
    pub budget: Budget,
    /// What the states are worth at which it ends before the game does.
    pub leaves: &'a dyn LeafValues<M>,
    /// By which weights all roles choose in the playouts of flat and tree searches; uniformly if `None`.
    pub weights: Option<Arc<MoveWeights>>,
    /// Where all its randomness comes from.
    pub seed: Seed,
    /// The machine's scratch space.
    pub scratch: &'a mut M::Scratch,
}

impl<'a, M: Bulk> SearchContext<'a, M> {
    /// The context of a search that takes the goals of random playouts as the values of its leaves.
    pub fn new(machine: &'a M, role: Role, budget: Budget, seed: Seed, scratch: &'a mut M::Scratch) -> Self {
        Self { machine, role, budget, leaves: &RandomPlayouts, weights: None, seed, scratch }
    }

    /// The same context with another budget, for a part of the search.
    pub fn with_budget(&mut self, budget: Budget) -> SearchContext<'_, M> {
        self.with(budget, self.seed.clone())
    }

    /// The same context with another budget and another stream of random numbers, for a part of the search.
    pub fn with(&mut self, budget: Budget, seed: Seed) -> SearchContext<'_, M> {
        let SearchContext { machine, role, leaves, ref weights, .. } = *self;
        SearchContext { machine, role, budget, leaves, weights: weights.clone(), seed, scratch: self.scratch }
    }

    /// Searches with evaluations that stop at the deadline of the budget. The search asks whether one was
    /// [interrupted](hyperplay_machine::StateMachine::is_interrupted) before it uses an answer.
    pub(super) fn by_deadline<T>(&mut self, search: impl FnOnce(&mut SearchContext<'_, M>) -> T) -> T {
        let SearchContext { machine, role, budget, leaves, ref weights, ref seed, .. } = *self;
        machine.by_deadline(budget.deadline, self.scratch, |scratch| {
            let (weights, seed) = (weights.clone(), seed.clone());
            search(&mut SearchContext { machine, role, budget, leaves, weights, seed, scratch })
        })
    }

    /// All roles but the one whose moves are judged and `random`.
    pub(super) fn opponents(&self) -> impl Iterator<Item = Role> + use<'a, M> {
        let (machine, role) = (self.machine, self.role);
        machine.each_role().filter(move |&other| other != role && Some(other) != machine.random())
    }
}

/// A search of a role of a toy game, with seed 1.
#[cfg(test)]
pub(super) fn toy_context(
    toy: &crate::toy::Toy,
    role: usize,
    budget: Budget,
) -> SearchContext<'_, crate::toy::Toy> {
    // A scratch without content takes no memory that could leak.
    let scratch = Box::leak(Box::new(()));
    SearchContext::new(toy, Role::new(role), budget, Seed::root(1), scratch)
}
