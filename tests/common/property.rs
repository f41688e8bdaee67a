//! The seed of every test that draws its cases at random.
//!
//! It is the same at every run, so that no test fails by chance. With `HYPERPLAY_PROPERTY_SEED=random` each test draws a seed
//! of its own, and with `HYPERPLAY_PROPERTY_SEED=N` it is the number N. The seed is printed, and shown when the test
//! fails. `PROPTEST_CASES=N` changes how many cases a property test has.
#![allow(dead_code, reason = "each crate uses a part")]

use std::hash::{BuildHasher, Hasher, RandomState};

use proptest::test_runner::{Config, RngSeed};

const VARIABLE: &str = "HYPERPLAY_PROPERTY_SEED";

/// The settings of a property test of so many cases.
pub(crate) fn cases(cases: u32) -> Config {
    let rng_seed = RngSeed::Fixed(seed());
    // The seed brings a failure back, so no file is written that keeps it.
    Config { cases, rng_seed, failure_persistence: None, ..Config::default() }
}

/// The seed of a test, which is printed.
pub(crate) fn seed() -> u64 {
    let seed = match std::env::var(VARIABLE) {
        Err(_) => 1,
        Ok(word) if word == "random" => RandomState::new().build_hasher().finish(),
        Ok(word) => word
            .parse()
            .unwrap_or_else(|_| panic!("{VARIABLE}={word}: it must be a whole number or `random`")),
    };
    println!("the cases are drawn with {VARIABLE}={seed}");
    seed
}
