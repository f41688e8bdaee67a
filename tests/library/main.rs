//! The tests of the library: laws, agreement of implementations, tables of known values.
//!
//! They are one program, because each test program is linked with everything and instantiates every generic function
//! again. Each module is one subject; `cargo test --release --test library belief_models::` runs one of them.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic and print")]

#[path = "../common/mod.rs"]
mod common;
mod count;
#[path = "../fuzz/targets/mod.rs"]
mod fuzz_targets;
mod native;

use hyperplay_naive as naive;

mod adverse_models;
mod agree;
mod belief;
mod belief_bias;
mod belief_conformance;
mod belief_controls;
mod belief_cost;
mod belief_models;
mod belief_policies;
mod belief_states;
mod boards;
mod circles;
mod corpus;
mod deadlines;
mod decisions;
mod diagnostics;
mod dialects;
mod engine_draws;
mod engines;
mod equilibria;
mod experiment_stop;
mod exploit;
mod extent;
mod facts;
mod followed_models;
mod forgotten;
mod fuzz;
mod gambit;
mod games;
mod growing;
mod impossible;
mod interactions;
mod kiosk_page;
mod large_texts;
mod layers;
mod leaves;
mod linear_program;
mod monte_carlo;
mod paths;
mod perft;
mod pictures;
mod players;
mod playthroughs;
mod properties;
mod propnet;
mod repaired;
mod roundtrip;
mod search;
mod simplify;
mod solved_players;
mod subgames;
mod threads;
mod tree_sizes;
