//! Play: players, the referee that plays matches between them, and the analysis of games.
//!
//! [`player`] is where belief and search meet, which see a game only through its contract. [`referee`] plays one match or many.
//! [`analysis`] reports what playing and counting show of rules. [`files`] writes what a user keeps.
//! [`for_engine`] compiles the hot parts of `think` and of the referee for the engine, so that no crate above does it again.

#![warn(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(
    test,
    allow(clippy::duplicate_mod, reason = "tests of several layers draw by `tests/common/property.rs`")
)]

pub mod analysis;
pub mod files;
pub mod for_engine;
pub mod player;
pub mod referee;
#[cfg(test)]
#[path = "../../tests/common/toy.rs"]
mod toy;
