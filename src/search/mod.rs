//! Layer 3, search: what the moves of one role are worth in states that are known.
//!
//! Search knows nothing of evidence: it judges a state as if every role saw it. [`evaluate()`] is the door: the rest of
//! the game whole where it fits a node budget ([`exact()`]; simultaneous moves by the value of a [`matrix`] game), else
//! random [`playouts`]. The mean over the states of a belief is taken in the layer above, where belief and search meet.
//!
//! Third-party: `rustc-hash` (the transposition table).

pub mod matrix;

mod evaluate;
mod evaluation;
mod exact;
mod graph;
mod playout;
#[cfg(test)]
pub(crate) mod toy;

pub use evaluate::{Evaluations, Options, evaluate};
pub use evaluation::{Evaluation, Method};
pub use exact::exact;
pub use playout::{Playouts, playouts};
