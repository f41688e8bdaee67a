//! Play: beliefs, search, players, and the referee that plays matches between them.
//!
//! [`search`], [`belief`] and [`efg`] are siblings and see a game only through
//! [`machine`](hyperplay_machine); [`player`] is where they meet; [`referee`] plays matches. [`board`] draws
//! states. [`automaton`] holds all states of a game, to write it in another language. [`files`] writes what a user
//! keeps.

#![warn(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(
    test,
    allow(clippy::duplicate_mod, reason = "tests of several layers draw by `tests/common/property.rs`")
)]

pub mod analysis;
pub mod files;
pub mod player;
pub mod referee;
