//! Layer 1a, the words and the contract: what a game is to everything that plays it.
//!
//! [`StateMachine`] is the waist of the hourglass: engines implement it, belief, search and players consume it. Here
//! stand also the words they share ([`Role`], [`Move`], [`History`], [`Evidence`], ...), the budgets, and the tree of
//! random streams ([`Seed`]). There is no logic programming here.
//!
//! Third-party: `rand`, `rand_chacha` (streams), `smallvec` (joint moves, maps over roles), `thiserror`.

pub mod laws;

mod budget;
mod bulk;
mod evidence;
mod moves;
mod role;
mod state_machine;
mod stream;

pub use budget::{Budget, BudgetAccount, Stopwatch};
pub use bulk::{Bulk, PLAYOUT_STEPS, Start, Successor, Tally};
pub use evidence::{Evidence, History, Observation, OwnMove};
pub use moves::{Goal, JointMove, Move, Percept, Percepts};
pub use role::{ByRole, Role};
pub use state_machine::{EvaluationFailure, JointMoves, StateMachine, StateMachineExt};
pub use stream::Seed;
