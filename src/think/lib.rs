//! Reasoning about a game: beliefs, search, and the extensive form with its equilibria.
//!
//! [`search`], [`belief`] and [`solve`] are siblings, none of which imports another; `tree`, the arena in which trees grow, is
//! below them. They see a game only through
//! [`hyperplay_machine`]: a program that embeds this crate needs neither a reader of rules nor an engine.

#![warn(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(
    test,
    allow(clippy::duplicate_mod, reason = "tests of several layers draw by `tests/common/property.rs`")
)]

pub mod belief;
pub mod search;
pub mod solve;
#[cfg(test)]
#[path = "../../tests/common/toy.rs"]
mod toy;
mod tree;
