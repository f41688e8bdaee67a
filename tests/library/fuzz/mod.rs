//! The short form of the fuzz targets in `tests/fuzz`: each gets inputs that are changed at random, without libFuzzer.
//!
//! Each input has a number, and its stream is that of the number below one seed, which is printed. A failure names target and number
//! and shows the input, and `HYPERPLAY_FUZZ=NUMBER` tries that one alone. The long form has a hundred times as many inputs:
//! `cargo test --release --test library -- --ignored fuzz::`.

mod inputs;

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use cpu_time::ThreadTime;
use rayon::prelude::*;

use crate::common::property;
use crate::fuzz_targets::{TARGETS, Target};
use inputs::Inputs;
pub use inputs::dictionary;

/// More processor time than one input of this length may take, in a debug build.
const PATIENCE: Duration = Duration::from_secs(30);

/// The folder of the fuzz targets.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz")
}

/// Tries `count` inputs, or the one that the environment names.
fn try_inputs(target: &Target, count: u64) {
    let (inputs, seed) = (Inputs::of(target), property::seed());
    let one = std::env::var("HYPERPLAY_FUZZ").ok().map(|number| number.parse::<u64>().unwrap());
    let numbers = one.map_or(0..count, |number| number..number + 1);
    let accepted = numbers.into_par_iter().filter(|&number| {
        let input = inputs.input(seed, number);
        let begun = ThreadTime::now();
        let result = catch_unwind(AssertUnwindSafe(|| (target.body)(&input)));
        let is_late = begun.elapsed() > PATIENCE;
        result.ok().filter(|_| !is_late).unwrap_or_else(|| {
            let (name, what) = (target.name, if is_late { "takes too long" } else { "fails" });
            panic!("{name}: input {number} {what}:\n{}", String::from_utf8_lossy(&input))
        })
    });
    let accepted = accepted.count() as u64;
    println!("{}: {accepted} of {count} inputs are accepted", target.name);
    // Otherwise the changes do not get beyond the first lines of the reader.
    assert!(one.is_some() || accepted * 20 >= count, "{accepted} of {count}");
}

fn try_short(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    try_inputs(target, target.short);
}

#[test]
fn kif_reads_again_as_printed() {
    try_short("kif_reads_again_as_printed");
}

#[test]
fn infix_reads_again_as_printed() {
    try_short("infix_reads_again_as_printed");
}

#[test]
fn sidl_has_an_error_or_a_game() {
    try_short("sidl_has_an_error_or_a_game");
}

#[test]
fn efg_reads_again_as_written() {
    try_short("efg_reads_again_as_written");
}

#[test]
fn http_request_is_answered() {
    try_short("http_request_is_answered");
}

#[test]
fn http_reply_is_read_or_refused() {
    try_short("http_reply_is_read_or_refused");
}

#[test]
fn protocol_reads_again_as_written() {
    try_short("protocol_reads_again_as_written");
}

#[test]
fn policy_is_a_distribution_or_an_error() {
    try_short("policy_is_a_distribution_or_an_error");
}

#[test]
fn transcript_reads_again_as_written() {
    try_short("transcript_reads_again_as_written");
}

#[test]
#[ignore = "takes minutes; the short form runs always"]
fn a_hundred_times_as_many_inputs_are_tried() {
    for target in &TARGETS {
        try_inputs(target, 100 * target.short);
    }
}

/// Every seed is accepted by its target, or is one that shows an error; and no target is without a program of cargo-fuzz.
#[test]
fn every_target_has_seeds_and_a_program() {
    let programs = fs::read_dir(folder().join("fuzz_targets")).unwrap();
    let programs: BTreeSet<PathBuf> = programs.map(|entry| entry.unwrap().path()).collect();
    let named = |name: &str| folder().join("fuzz_targets").join(name).with_extension("rs");
    assert_eq!(programs, TARGETS.iter().map(|target| named(target.name)).collect());
    let manifest = fs::read_to_string(folder().join("Cargo.toml")).unwrap();
    for target in &TARGETS {
        let call = format!("hyperplay_fuzz::{}(input)", target.name);
        assert!(fs::read_to_string(named(target.name)).unwrap().contains(&call), "{call}");
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{}.rs\"", target.name)), "{}", target.name);
        let inputs = Inputs::of(target);
        let accepted = inputs.seeds().iter().filter(|seed| (target.body)(seed)).count();
        println!("{}: {accepted} of {} seeds are accepted", target.name, inputs.seeds().len());
        assert!(accepted * 4 >= inputs.seeds().len() && accepted > 1, "{}", target.name);
    }
}
