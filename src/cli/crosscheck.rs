//! `hyperplay crosscheck`: compares the fast engines with the interpreter, step by step on random matches.
//!
//! The first difference of a game is shown as facts. The games after it are still compared.

use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::failure::{CommandFailure, CommandResult, go_on, refuse_if};
use super::game_argument::{Opened, RulesOption, syntaxes};
use super::options::{ThreadsOption, no_engine, pick_seed, seed};
use super::output::Output;
use super::progress::Progress;
use super::session::Session;
use hyperplay_engine::crosscheck::{Disagreement, EngineDifference, crosscheck, crosscheck_drawn};
use hyperplay_engine::lanes::Tracer;
use hyperplay_engine::{Engine, EngineError, EngineKind, Engines, Interpreter};
use hyperplay_logic::gdl::Syntax;
use hyperplay_machine::counted;
use hyperplay_play::referee::{Concurrency, Interrupt, Stopwatch, match_seed, play_series};

/// Arguments of `crosscheck`.
#[derive(Args, Debug)]
pub struct CrosscheckArguments {
    /// Files with rules, `-` for standard input, names of built-in games, or `ggp:NAME`
    #[arg(required = true, value_name = "GAME")]
    games: Vec<String>,
    /// The syntax of the rules [default: recognised from each text]
    #[arg(long, value_name = "SYNTAX", value_parser = syntaxes())]
    syntax: Option<Syntax>,
    /// The number of matches of each game
    #[arg(long, short = 'n', value_name = "N", default_value_t = 100, allow_negative_numbers = true)]
    matches: usize,
    /// Determines the matches [default: drawn and printed]
    #[arg(long, value_name = "S", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// The longest match in steps
    #[arg(long, value_name = "STEPS", default_value_t = 1000)]
    limit: usize,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Matches that the lanes play side by side.
const BLOCK: usize = 64;

/// The report about one game.
#[derive(Default, Serialize)]
struct Compared {
    game: String,
    rules: String,
    engines: Vec<EngineKind>,
    matches: usize,
    /// Matches that the lanes drew themselves.
    drawn: usize,
    /// Steps of both.
    steps: usize,
    /// Why no engine was compared.
    left_out: Option<String>,
    difference: Option<MatchDifference>,
}

/// The first difference, in this match.
#[derive(Serialize)]
struct MatchDifference {
    #[serde(rename = "match")]
    index: usize,
    #[serde(flatten)]
    found: Box<EngineDifference>,
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`]; a difference is a finding.
pub fn run(arguments: &CrosscheckArguments, session: &Session) -> CommandResult {
    let Session { interrupt, out, .. } = session;
    let what = "--matches 0: without a match there is nothing to compare";
    refuse_if(arguments.matches == 0, what, "give 1 or more")?;
    arguments.threads.apply()?;
    let rules = RulesOption { syntax: arguments.syntax, ..RulesOption::default() };
    // All are opened before the first is played: a name that is wrong is found at once.
    let opened = arguments.games.iter().map(|game| rules.open(game)).collect::<Result<Vec<_>, _>>()?;
    let seed = pick_seed(arguments.seed);
    let watch = Stopwatch::start();
    let mut games = Vec::new();
    for opened in &opened {
        let compared = compare(opened, arguments, seed, interrupt)?;
        if !arguments.json {
            compared.write(seed, out)?;
        }
        games.push(compared);
        if interrupt.is_raised() {
            break;
        }
    }
    if arguments.json {
        out.json(&json!({
            "seed": seed,
            "limit": arguments.limit,
            "games": games,
            "seconds": watch.elapsed().as_secs_f64(),
        }))?;
    }
    go_on(interrupt)?;
    let differs = games.iter().any(|compared| compared.difference.is_some());
    if differs { Err(CommandFailure::Findings) } else { Ok(()) }
}

/// Compares the engines of one game.
fn compare(
    opened: &Opened,
    arguments: &CrosscheckArguments,
    seed: u64,
    interrupt: &Interrupt,
) -> CommandResult<Compared> {
    let engines = Engines::new(&opened.game);
    let mut compared = Compared { game: opened.name.clone(), rules: opened.hash(), ..Compared::default() };
    let reference = match engines.interpreter() {
        // An interaction in SIDL.
        Err(EngineError::TooLarge(why)) => {
            return Ok(Compared { left_out: Some(why.to_string()), ..compared });
        }
        reference => reference.map_err(|error| no_engine(&opened.name, &error))?,
    };
    let mut others: Vec<Arc<Engine>> = Vec::new();
    for kind in EngineKind::FAST {
        match engines.get(kind) {
            Ok(engine) => others.push(engine),
            Err(EngineError::TooLarge(why)) => compared.left_out = Some(why.to_string()),
            Err(error) => return Err(no_engine(&opened.name, &error)),
        }
    }
    if others.is_empty() {
        return Ok(compared);
    }
    compared.engines = others.iter().map(|engine| engine.kind()).collect();
    let progress = Progress::new(arguments.matches, "matches", false);
    let played = play(&reference, &others, arguments, seed, interrupt, &progress, &mut compared);
    progress.finish();
    match played {
        Ok(()) => {}
        Err((index, Disagreement::Differs(difference))) => {
            compared.difference = Some(MatchDifference { index, found: difference });
        }
        Err((index, Disagreement::Failed(failure))) => {
            let what = format!("{}, match {index}: {failure}", opened.name);
            return Err(CommandFailure::failed(what, "take a smaller --limit"));
        }
    }
    Ok(compared)
}

/// Plays the matches of one game; the first that does not agree, by index.
fn play(
    reference: &Interpreter,
    engines: &[Arc<Engine>],
    arguments: &CrosscheckArguments,
    seed: u64,
    interrupt: &Interrupt,
    progress: &Progress,
    compared: &mut Compared,
) -> Result<(), (usize, Disagreement)> {
    let one = |index| {
        let agreed = crosscheck(reference, engines, arguments.limit, &match_seed(seed, index));
        progress.tick();
        agreed.map_err(|disagreement| (index, disagreement))
    };
    play_series(arguments.matches, Concurrency::Computing, interrupt, one, |_, agreed| {
        compared.matches += 1;
        compared.steps += agreed.steps;
        Ok(())
    })?;
    for engine in engines {
        let Some(tracer) = engine.network_engine().and_then(|engine| Tracer::new(engine)) else { continue };
        let of_block = |block: usize| (arguments.matches - block * BLOCK).min(BLOCK);
        let one = |block| {
            let (count, seed) = (of_block(block) as u32, match_seed(seed, block).child("drawn"));
            crosscheck_drawn(reference, &tracer, count, arguments.limit, &seed)
                .map_err(|disagreement| (block * BLOCK, disagreement))
        };
        play_series(
            arguments.matches.div_ceil(BLOCK),
            Concurrency::Computing,
            interrupt,
            one,
            |block, agreed| {
                compared.drawn += of_block(block);
                compared.steps += agreed.steps;
                Ok(())
            },
        )?;
    }
    Ok(())
}

impl Compared {
    fn write(&self, seed: u64, out: &Output) -> CommandResult {
        let name = &self.game;
        if let Some(why) = &self.left_out {
            return out.line(format_args!("{name}: left out: {why}"));
        }
        let engines: Vec<&str> = self.engines.iter().map(|kind| kind.as_str()).collect();
        let engines = engines.join(" and ");
        match &self.difference {
            None => out.line(format_args!(
                "{name}: {engines} agree with the interpreter in {}, and in {} drawn in lanes, {}, seed {seed}",
                counted(self.matches as u64, "match"),
                self.drawn,
                counted(self.steps as u64, "step")
            )),
            Some(MatchDifference { index, found }) => {
                out.line(format_args!("{name}: a difference in match {index}, seed {seed}"))?;
                out.text(&found.to_string())
            }
        }
    }
}
