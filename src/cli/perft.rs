//! `hyperplay perft`: counts the sequences of joint moves, depth by depth.

use clap::Args;
use serde_json::json;

use super::failure::{CommandFailure, CommandResult, refuse_if};
use super::game_argument::GameArgument;
use super::options::EngineOption;
use super::session::Session;
use hyperplay_machine::StateMachine;
use hyperplay_play::for_engine::perft;
use hyperplay_play::referee::Stopwatch;

/// Arguments of `perft`.
#[derive(Args, Debug)]
pub struct PerftArguments {
    #[command(flatten)]
    game: GameArgument,
    /// The length of the longest sequences, in steps
    #[arg(value_name = "DEPTH")]
    depth: usize,
    #[command(flatten)]
    engine: EngineOption,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &PerftArguments, session: &Session) -> CommandResult {
    let Session { interrupt, out, .. } = session;
    let what = "a depth of 0 has no joint moves to count";
    refuse_if(arguments.depth == 0, what, "give a depth of 1 or more")?;
    let opened = arguments.game.open()?;
    let (_, engine) = arguments.engine.open_for_steps(&opened)?;
    let mut scratch = engine.scratch();
    let mut counts = Vec::new();
    let watch = Stopwatch::start();
    for depth in 1..=arguments.depth {
        let count = perft(&engine, &engine.initial(), depth, interrupt, &mut scratch);
        if let Some(failure) = engine.take_failure(&mut scratch) {
            let what = format!("{}, depth {depth}: {failure}", opened.name);
            return Err(CommandFailure::failed(what, "take a smaller depth"));
        }
        let Some(count) = count else { break };
        let exact = Some(count).filter(|&count| count < u64::MAX);
        if !arguments.json {
            let more = if exact.is_none() { " or more" } else { "" };
            out.line(format_args!("{depth:3} {count:16}{more} {:10.3} s", watch.elapsed().as_secs_f64()))?;
        }
        counts.push(exact);
    }
    if arguments.json {
        let seconds = watch.elapsed().as_secs_f64();
        out.json(&json!({ "game": opened.name, "counts": counts, "seconds": seconds }))?;
    }
    if counts.len() < arguments.depth { Err(CommandFailure::Interrupted) } else { Ok(()) }
}
