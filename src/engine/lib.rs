//! Layer 2, the engines: implementations of [`StateMachine`](crate::machine::StateMachine).
//!
//! [`Interpreter`] is the reference: obvious and complete. [`Propagator`] answers from the ground network of the game,
//! one state or many at a time. [`Engines`] makes the engines of a game when they are asked for, [`Engine`] is one of
//! them. [`declared()`] gives what a game states about its own terms.

#![warn(unreachable_pub, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod choice;
pub mod crosscheck;
mod declared;
mod engine;
mod interpreter;
pub mod lanes;
pub mod machine;
pub mod measure;
mod network_engine;
mod packed;
mod program;
mod propagator;
pub mod propnet;
mod single;
mod state;
#[cfg(test)]
mod tests;

use thiserror::Error;

use crate::propnet::TooLarge;
use hyperplay_logic::datalog::LimitError;

pub use choice::{EngineKind, Engines, Grounded};
pub use declared::declared;
pub use engine::{Engine, EngineScratch};
pub use interpreter::{Interpreter, InterpreterScratch};
pub use lanes::Lanes;
pub use network_engine::{NetworkEngine, NetworkScratch};
pub use propagator::{Propagator, PropagatorScratch};
pub use state::State;

/// Why no engine could be made for a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EngineError {
    /// Deriving what depends on no state met a limit.
    #[error("the rules cannot be evaluated: {0}")]
    Limit(#[from] LimitError),
    /// The game has no network.
    #[error("{0}")]
    TooLarge(#[from] TooLarge),
}
