//! Layer 2, the engines: implementations of [`StateMachine`](crate::machine::StateMachine).
//!
//! [`Interpreter`] is the reference: obvious and complete. [`Engines`] makes the engines of a game and [`Engine`] is one of
//! them. [`declared()`] gives what a game states about its own terms.

mod choice;
mod declared;
mod interpreter;
pub mod program;
#[cfg(test)]
mod tests;

use thiserror::Error;

use crate::datalog::LimitError;

pub use choice::{Engine, EngineKind, Engines, OfGame, Visitor};
pub use declared::declared;
pub use interpreter::{Fluents, Interpreter, Scratch};

/// Why no engine could be made for a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EngineError {
    /// Deriving what depends on no state met a limit.
    #[error("the rules cannot be evaluated: {0}")]
    Limit(#[from] LimitError),
}
