//! The tests that run the program: its commands, what they print and write, and the commands of the documentation.
//!
//! Each module is one subject; `cargo test --release --test program readme::` runs one of them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../common/mod.rs"]
mod common;

mod adjusted;
mod belief_costs;
mod belief_intervals;
mod belief_report;
mod belief_snippets;
mod belief_studies;
mod check_player;
mod cli;
mod convert;
mod convert_sidl;
mod evidence_records;
mod exact_posterior;
mod experiment;
mod experiment_analysis;
mod experiment_beliefs;
mod experiment_checkpoints;
mod experiment_damage;
mod experiment_decisions;
mod experiment_exploit;
mod experiment_generations;
mod experiment_pages;
mod experiment_policy;
mod experiment_pool;
mod experiment_records;
mod experiment_script;
mod experiment_series;
mod experiment_status;
mod experiment_times;
mod exploit;
mod failing;
mod harness;
mod host;
mod hostile_clients;
mod hostile_starts;
mod human;
mod interactions;
mod killed;
mod kiosk;
mod kiosk_browser;
mod kiosk_client;
mod kiosk_guide;
mod kiosk_hostile;
mod learn;
mod network_guide;
mod outside_samplers;
mod player_server;
mod possible_states;
mod printed_names;
mod readme;
mod recorded_matches;
mod replay;
mod repository;
mod scripted_player;
mod serve;
mod solve;
mod tournament;
mod tree_faults;
mod written_files;
mod wrong_inputs;
