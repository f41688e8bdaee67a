//! `hyperplay belief-benchmark`: the benchmark of beliefs, one page over many games, as Markdown.

use std::path::PathBuf;

use clap::Args;

use super::belief::failed;
use super::failure::CommandFailure;
use super::game_argument::GameArgument;
use super::options::{EngineArgument, EngineOption, ThreadsOption, pick_seed, seed};
use super::output::{Output, log};
use super::progress::Progress;
use hyperplay_lab::study::benchmark::{self, BenchmarkGame, GAMES, REPLICATES};
use hyperplay_play::player::Registry;
use hyperplay_play::referee::{Interrupt, date};

/// Arguments of `belief-benchmark`.
#[derive(Args, Debug)]
pub struct BenchmarkArguments {
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Measure only this game of the benchmark (repeat for several)
    #[arg(long = "game", value_name = "GAME")]
    games: Vec<String>,
    /// The number of independent replicates, that is, of beliefs that follow each match
    #[arg(long, value_name = "R", default_value_t = REPLICATES)]
    replicates: usize,
    /// Determines every random choice [default: drawn and printed]
    #[arg(long, value_name = "S", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    #[command(flatten)]
    threads: ThreadsOption,
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(
    arguments: &BenchmarkArguments,
    registry: &Registry,
    interrupt: &Interrupt,
    out: &Output,
) -> Result<(), CommandFailure> {
    arguments.threads.apply()?;
    if arguments.replicates == 0 {
        return Err(CommandFailure::usage(
            "without replicates there is nothing to measure",
            "give 1 or more",
        ));
    }
    let asked = &arguments.games;
    if let Some(unknown) = asked.iter().find(|&game| GAMES.iter().all(|known| known.name != game)) {
        let names: Vec<&str> = GAMES.iter().map(|game| game.name).collect();
        let what = format!("'{unknown}' is not in the benchmark");
        return Err(CommandFailure::usage(what, format!("the games are {}", names.join(", "))));
    }
    let seed = pick_seed(arguments.seed);
    let mut text = benchmark::opening(seed, arguments.replicates, &date()[..10]);
    for game in GAMES.iter().filter(|game| asked.is_empty() || asked.iter().any(|name| name == game.name)) {
        log(format_args!("{}", game.name));
        text += &section(game, arguments.replicates, seed, registry, interrupt)?;
    }
    match &arguments.out {
        Some(path) => {
            std::fs::write(path, text).map_err(|cause| CommandFailure::File { path: path.clone(), cause })
        }
        None => out.text(&text),
    }
}

/// Measures one game.
fn section(
    game: &BenchmarkGame,
    replicates: usize,
    seed: u64,
    registry: &Registry,
    interrupt: &Interrupt,
) -> Result<String, CommandFailure> {
    let opened = GameArgument { game: game.name.to_owned(), syntax: None }.open()?;
    let plan = game.plan(replicates, seed, registry).map_err(|error| {
        CommandFailure::failed(
            error.to_string(),
            "the benchmark names samplers that the program does not have",
        )
    })?;
    let (_, engine) = EngineOption { engine: EngineArgument::Auto }.open_for_steps(&opened)?;
    let progress = Progress::new(plan.total(plan.roles_of(&engine).len()), "replicates", false);
    let study = plan.study(&engine, interrupt, &|| progress.tick());
    progress.finish();
    let study = study.map_err(|error| failed(&opened.name, &error))?;
    if !study.is_complete {
        return Err(CommandFailure::Interrupted);
    }
    Ok(benchmark::section(&opened.name, &plan, &study))
}
