//! Options that several commands share: seed, threads, engine.

use std::error::Error as _;
use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::failure::{CommandFailure, CommandResult, refuse_if};
use super::game_argument::Opened;
use super::output::log;
use hyperplay_engine::{Engine, EngineError, EngineKind, Engines};
use hyperplay_logic::gdl::Language;
use hyperplay_machine::counted;
use hyperplay_play::files::EarlierRecords;

/// Which engine evaluates the rules.
#[derive(Args, Clone, Copy, Debug)]
pub struct EngineOption {
    /// Which engine evaluates the rules
    #[arg(long, value_parser = engines(), default_value = "auto")]
    pub engine: EngineKind,
}

/// A choice of words: each with what it means, and its line of the help.
pub fn choice<T: Clone + Send + Sync + 'static>(
    all: Vec<(&'static str, T, &'static str)>,
) -> impl TypedValueParser<Value = T> {
    let words = all.iter().map(|(word, _, about)| PossibleValue::new(*word).help(*about));
    PossibleValuesParser::new(words.collect::<Vec<_>>()).map(move |chosen| {
        all.iter().find(|(word, ..)| *word == chosen).expect("the parser lets no other word pass").1.clone()
    })
}

/// The words of `--engine`.
pub fn engines() -> impl TypedValueParser<Value = EngineKind> {
    choice(vec![
        ("auto", EngineKind::Auto, "The fastest that the game allows"),
        ("interpreter", EngineKind::Interpreter, "The reference: evaluates the rules as they stand"),
        ("propagator", EngineKind::Propagator, "The ground network, for single states"),
        ("lanes", EngineKind::Lanes, "The ground network, many playouts at a time"),
    ])
}

impl EngineOption {
    /// The engines of a game, and the one that was asked for.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn open(self, opened: &Opened) -> CommandResult<(Engines, Arc<Engine>)> {
        let engines = Engines::new(&opened.game);
        let engine = engine(&engines, self.engine, &opened.name)?;
        Ok((engines, engine))
    }

    /// The same for work without playouts.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn open_for_steps(self, opened: &Opened) -> CommandResult<(Engines, Arc<Engine>)> {
        let engines = Engines::new(&opened.game);
        let engine = noted(&engines, engines.for_steps(self.engine), self.engine, &opened.name)?;
        Ok((engines, engine))
    }
}

/// The engine of a kind, for the game of this name, as in [`noted`].
///
/// # Errors
/// If it cannot be made.
pub fn engine(engines: &Engines, kind: EngineKind, name: &str) -> CommandResult<Arc<Engine>> {
    noted(engines, engines.get(kind), kind, name)
}

/// The engine of a kind that was made, or not, for the game of this name. Where the fastest is the interpreter, a note
/// says why.
///
/// # Errors
/// If it could not be made.
pub fn noted(
    engines: &Engines,
    engine: Result<Arc<Engine>, EngineError>,
    kind: EngineKind,
    name: &str,
) -> CommandResult<Arc<Engine>> {
    let engine = engine.map_err(|error| no_engine(name, &error))?;
    let has_choice = engines.game().language() == Language::Gdl;
    if let (EngineKind::Auto, true, Err(why)) = (kind, has_choice, engines.is_worthwhile()) {
        log(format_args!("{name}: played by the interpreter: {why}"));
    }
    Ok(engine)
}

/// The failure to make an engine for the game of this name.
pub fn no_engine(name: &str, error: &EngineError) -> CommandFailure {
    let remedy = match error {
        EngineError::Limit(_) => {
            "look for a recursion that builds ever new terms, or for a relation over all combinations"
        }
        EngineError::TooLarge(_) => "take --engine interpreter",
    };
    CommandFailure::failed(format!("{name}: {error}"), remedy)
}

/// The seed that was given, or a fresh one that is short enough to be typed again.
pub fn pick_seed(given: Option<u64>) -> u64 {
    given.unwrap_or_else(|| u64::from(rand::random::<u32>()))
}

/// The greatest number of threads allowed. It is far more than is useful, and every system can make as many.
const MAX_THREADS: usize = 1024;

/// Reads a seed.
///
/// # Errors
/// The sentence that says what a seed is.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

/// Reads a time of zero or more seconds, with or without a fraction; at most some thirty years, so that sums are times
/// too.
///
/// # Errors
/// The sentence that says what such a time is.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| (0.0..=1e9).contains(seconds));
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "expected a number of seconds from 0 to 1000000000".to_owned())
}

/// Reads a number above zero.
///
/// # Errors
/// The sentence that says what such a number is.
pub fn positive(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "expected a number above 0".to_owned())
}

/// The treatment of records that are in a file already.
#[derive(Args, Clone, Copy, Debug)]
pub struct EarlierOption {
    /// Write behind the records that are in the file already
    #[arg(long, requires = "records", conflicts_with = "overwrite")]
    append: bool,
    /// Replace the records that are in the file already; a file that this program did not write is never replaced
    #[arg(long, requires = "records")]
    overwrite: bool,
}

impl EarlierOption {
    /// The treatment that was asked for.
    pub fn earlier(self) -> EarlierRecords {
        match self {
            EarlierOption { append: true, .. } => EarlierRecords::Kept,
            EarlierOption { overwrite: true, .. } => EarlierRecords::Replaced,
            _ => EarlierRecords::Refused,
        }
    }
}

/// How many threads compute.
#[derive(Args, Clone, Copy, Debug)]
pub struct ThreadsOption {
    /// How many threads compute [default: as many as there are processors]
    #[arg(long, short = 'j', value_name = "N")]
    threads: Option<usize>,
}

impl ThreadsOption {
    /// Sets how many threads the program computes with, unless this process has computed before; returns how many there are.
    ///
    /// # Errors
    /// If it is 0 or too large or the threads cannot be made.
    pub fn apply(self) -> CommandResult<usize> {
        let processors = || thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
        let threads = self.threads.unwrap_or_else(processors);
        refuse_if(threads == 0, "--threads 0: there is no work without a thread", "give 1 or more")?;
        let too_many = format!("--threads {threads}: more than {MAX_THREADS} are of no use");
        refuse_if(threads > MAX_THREADS, too_many, "leave it out for one a processor")?;
        let made = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        // Python may have computed before, and then the threads are there. Only an error of the system has a source.
        made.or_else(|error| if error.source().is_none() { Ok(()) } else { Err(error) }).map_err(
            |error| {
                let what = format!("{threads} threads cannot be made: {error}");
                CommandFailure::failed(what, "give fewer with --threads")
            },
        )?;
        let there = rayon::current_num_threads();
        if self.threads.is_some_and(|asked| asked != there) {
            log(format_args!(
                "--threads: this process computes with {} already",
                counted(there as u64, "thread")
            ));
        }
        Ok(there)
    }
}
