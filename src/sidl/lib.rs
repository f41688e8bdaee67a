//! SIDL, the strategic interaction definition language: from text to a checked program, and the program as a machine.
//!
//! [`load`] reads and checks a text. [`Interaction::of`] is the program of a game that was read this way, and an
//! [`InteractionMachine`] plays it: another implementation of the contract.

#![warn(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod machine;
mod text;

pub use machine::{BalanceScale, CommandFault, ExecutedOperation, InteractionMachine, InteractionScratch};
pub(crate) use text::NUMBERS;
pub use text::{
    Arithmetic, Branching, Chance, Comparison, Effect, HiddenRule, Interaction, Number, Operation, Selector,
    Switch, Test, checked, is_reserved, is_sidl, load, spelled_number,
};
