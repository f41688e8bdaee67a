//! Layer 3, search: what the moves of one role are worth in states that are known.
//!
//! Search knows nothing of evidence: it judges a state as if every role saw it. [`evaluate()`] is the door: the rest of
//! the game whole where it fits a node budget (by [`alphabeta()`] where moves alternate, else [`exact()`], simultaneous
//! moves by the value of a [`matrix`] game), else a tree of playouts ([`uct`]) or flat [`playouts`]. The mean over the
//! states of a belief is taken in the layer above, where belief and search meet.
//!
//! Third-party: `rustc-hash` (the transposition table, moves by number), `smallvec` (paths).

pub mod matrix;

mod alphabeta;
mod context;
mod evaluate;
mod evaluation;
mod exact;
mod graph;
mod mcts;
mod options;
mod pace;
mod playout;

pub use alphabeta::{Answer, Leaves, alphabeta};
pub use context::SearchContext;
pub use evaluate::{Evaluations, StateSearch, evaluate};
pub use evaluation::{Evaluation, Method};
pub use exact::{exact, uniform};
pub use mcts::{Blocks, uct};
pub use options::{Algorithm, SearchOptions};
pub use playout::{OpenState, Playouts, playouts};
