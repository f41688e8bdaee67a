//! The engines of a game: implementations of [`StateMachine`](hyperplay_machine::StateMachine).
//!
//! The [`Interpreter`] is the reference: it evaluates the rules as they stand. The [`Propagator`] computes its
//! answers on the ground network of the game ([`propnet`]), for one state or for many at a time, and [`Lanes`] make
//! random playouts on that network. A [`NetworkEngine`] is a propagator with the lanes that it may have. [`Engines`]
//! makes the engines of a game when they are needed, and an [`Engine`] is one of them. [`declared()`] derives what a
//! game states about its own terms.

#![warn(unreachable_pub, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod choice;
mod costs;
pub mod crosscheck;
mod declared;
mod engine;
mod evaluable;
mod interpreter;
mod kind;
pub mod lanes;
mod network_engine;
mod packed;
mod program;
mod propagator;
pub mod propnet;
#[cfg(test)]
mod rule_forms_tests;
mod single;
mod stepper;
#[cfg(test)]
mod tests;

use thiserror::Error;

use crate::propnet::TooLarge;
use hyperplay_logic::datalog::LimitError;

pub use choice::{Engines, Grounded};
pub use costs::{EngineCosts, StepWork};
pub use declared::declared;
pub use engine::{Engine, EngineScratch};
pub use evaluable::EvaluableRules;
pub use interpreter::{Interpreter, InterpreterScratch};
pub use kind::EngineKind;
pub use lanes::Lanes;
pub use network_engine::{NetworkEngine, NetworkScratch};
pub use propagator::{Propagator, PropagatorScratch};

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
