//! Options that several commands share: seed, threads, engine.

use std::fmt;
use std::num::NonZero;
use std::sync::Arc;

use clap::ValueEnum;

use super::failure::Failure;
use super::game_argument::Opened;
use crate::engine::Interpreter;

/// Which engine evaluates the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum EngineArgument {
    /// The reference: evaluates the rules as they stand
    #[default]
    Interpreter,
}

impl fmt::Display for EngineArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EngineArgument::Interpreter => "interpreter",
        })
    }
}

impl EngineArgument {
    /// The machine of a game.
    ///
    /// # Errors
    /// If the engine cannot be made.
    pub fn machine(self, opened: &Opened) -> Result<Arc<Interpreter>, Failure> {
        let EngineArgument::Interpreter = self;
        match Interpreter::new(&opened.game) {
            Ok(machine) => Ok(Arc::new(machine)),
            Err(error) => Err(Failure::failed(
                format!("{}: {error}", opened.name),
                "look for a recursion that builds ever new terms, or for a relation over all combinations",
            )),
        }
    }
}

/// The seed that was given, or a fresh one that is short enough to be typed again.
pub fn pick_seed(given: Option<u64>) -> u64 {
    given.unwrap_or_else(|| u64::from(rand::random::<u32>()))
}

/// The most threads that can be asked for: far beyond any gain, and what every system can make.
const MAX_THREADS: usize = 1024;

/// Reads a seed.
///
/// # Errors
/// The sentence that says what a seed is.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

/// Sets how many threads the program computes with; returns the number.
///
/// # Errors
/// If it is 0 or too large or the threads cannot be made.
pub fn use_threads(given: Option<usize>) -> Result<usize, Failure> {
    let threads = match given {
        Some(0) => {
            return Err(Failure::usage("--threads 0: there is no work without a thread", "give 1 or more"));
        }
        Some(threads) if threads > MAX_THREADS => {
            let what = format!("--threads {threads}: more than {MAX_THREADS} are of no use");
            return Err(Failure::usage(what, "leave it out for one a processor"));
        }
        Some(threads) => threads,
        None => std::thread::available_parallelism().map_or(1, NonZero::get),
    };
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().map_err(|error| {
        Failure::failed(format!("{threads} threads cannot be made: {error}"), "give fewer with --threads")
    })?;
    Ok(threads)
}
