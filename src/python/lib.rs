//! hyperplay in Python: the extension module behind the package `hyperplay`.
//!
//! A game is loaded once and shared by all that is made of it ([`game`]). States are values ([`state`]), many of them are one object
//! that answers in NumPy arrays ([`batch`]), a belief follows the evidence of a role ([`belief`]), players meet in matches ([`matches`]),
//! players and samplers may be written in Python ([`own`]), and small games are solved ([`equilibrium`]) and laid out as arrays ([`tree`]).
//!
//! Invariants: no panic crosses into Python; everything that may take long releases the interpreter's lock and ends soon
//! after Ctrl-C; a seed fixes every result.

mod batch;
mod belief;
mod equilibrium;
mod failure;
mod game;
mod matches;
mod own;
mod state;
mod tree;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::batch::Batch;
    #[pymodule_export]
    use super::belief::{Belief, Histories};
    #[pymodule_export]
    use super::equilibrium::{Policy, read_policy, solve_game};
    #[pymodule_export]
    use super::game::{Finding, Game, games, load};
    #[pymodule_export]
    use super::matches::{Player, play};
    #[pymodule_export]
    use super::own::main;
    #[pymodule_export]
    use super::state::State;
    #[pymodule_export]
    use super::tree::GameTree;
}
