//! `hyperplay perft`: counts the sequences of joint moves, depth by depth.

use clap::Args;
use serde_json::json;

use super::failure::Failure;
use super::game_argument::GameArgument;
use super::options::EngineArgument;
use super::output::Output;
use crate::machine::{StateMachine, StateMachineExt};
use crate::referee::Stopwatch;

/// Arguments of `perft`.
#[derive(Args, Debug)]
pub struct PerftArguments {
    #[command(flatten)]
    game: GameArgument,
    /// The longest sequences, in steps
    #[arg(long, value_name = "D")]
    depth: usize,
    /// Which engine evaluates the rules
    #[arg(long, value_enum, default_value_t)]
    engine: EngineArgument,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// See [`Failure`].
pub fn run(arguments: &PerftArguments, out: &Output) -> Result<(), Failure> {
    let opened = arguments.game.open()?;
    let machine = arguments.engine.machine(&opened)?;
    let mut scratch = machine.scratch();
    let mut counts = Vec::new();
    let watch = Stopwatch::start();
    for depth in 1..=arguments.depth {
        let count = machine.perft(&machine.initial(), depth, &mut scratch);
        if let Some(failure) = machine.failure() {
            return Err(Failure::failed(
                format!("{}, depth {depth}: {failure}", opened.name),
                "take a smaller depth",
            ));
        }
        if !arguments.json {
            out.line(format_args!("{depth:3} {count:16} {:10.3} s", watch.elapsed().as_secs_f64()))?;
        }
        counts.push(count);
    }
    if arguments.json {
        let seconds = watch.elapsed().as_secs_f64();
        out.json(&json!({ "game": opened.name, "counts": counts, "seconds": seconds }))?;
    }
    Ok(())
}
