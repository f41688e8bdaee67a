//! Search: what the moves of one role are worth in states that are known.
//!
//! A search of states does not use evidence: it judges a state as if every role saw it. The entry point is
//! [`evaluate`](StateSearch::evaluate) of [`SearchOptions`]. It searches the rest of the game completely where that
//! fits a node budget in every state (by [`alphabeta()`] where moves alternate, otherwise by [`exact()`], with
//! simultaneous moves judged by the value of a [`matrix`] game).
//! Otherwise it makes a tree of playouts ([`uct`]) or flat [`playouts`] in every state. The mean over the states of a
//! belief is taken in the layer above, where belief and search meet.
//!
//! [`ismcts()`] is of another kind: it searches all states held possible in one tree, whose nodes are what roles know.
//! [`postponed()`] grows such a tree for some choices and searches the states at its edge.
//!
//! Every search works in a [`SearchContext`]. A type of another crate can be a search too: it implements
//! [`StateSearch`], as [`SearchOptions`] does.
//!
//! Third-party: `rustc-hash` (the transposition table, moves by number), `smallvec` (paths).

pub mod matrix;

mod alphabeta;
mod bandit;
mod batch_size;
mod bayesian_matrix;
mod context;
mod evaluate;
mod evaluation;
mod exact;
mod exhaustive;
mod graph;
mod ismcts;
mod least_norm;
mod mcts;
mod options;
mod playout;
mod postponed;
#[cfg(test)]
mod tests;

pub use crate::tree::{LeafValues, RandomPlayouts};
pub use alphabeta::{Answer, Leaves, alphabeta};
pub use bayesian_matrix::{Equilibrium, equilibrium};
pub use context::SearchContext;
pub use evaluate::{Evaluations, Replacement, StateSearch, WeightedState};
pub use evaluation::{Evaluation, Method, RootMatrix};
pub use exact::{exact, uniform};
pub use ismcts::{
    Held, HeldState, IsmctsOptions, IsmctsTree, IsmctsTrees, Model, Observers, PossibleStates, SimulatedMove,
    Simulations, ismcts,
};
pub use mcts::{Blocks, uct};
pub use options::{Algorithm, PlayoutBudget, PlayoutBudgetError, PlayoutShare, SearchOptions};
pub use playout::{OpenState, Playouts, playouts};
pub use postponed::{Postponed, PostponedOptions, postponed};
