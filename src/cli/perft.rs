//! `hyperplay perft`: counts the sequences of joint moves, depth by depth.

use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::failure::Failure;
use super::game_argument::GameArgument;
use super::options::EngineOption;
use super::output::Output;
use hyperplay_engine::{OfGame, Visitor};
use hyperplay_engine::machine::{JointMoves, StateMachine, StateMachineExt};
use hyperplay_play::referee::{Interrupt, Stopwatch};

/// Sequences of this length are counted without looking for an interrupt.
const UNINTERRUPTED: usize = 2;

/// Arguments of `perft`.
#[derive(Args, Debug)]
pub struct PerftArguments {
    #[command(flatten)]
    game: GameArgument,
    /// The longest sequences, in steps
    #[arg(long, value_name = "D")]
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
/// See [`Failure`].
pub fn run(arguments: &PerftArguments, interrupt: &Interrupt, out: &Output) -> Result<(), Failure> {
    let opened = arguments.game.open()?;
    let (_, engine) = arguments.engine.open_for_steps(&opened)?;
    engine.visit(Count { arguments, name: &opened.name, interrupt, out })
}

/// The command on a machine.
struct Count<'a> {
    arguments: &'a PerftArguments,
    name: &'a str,
    interrupt: &'a Interrupt,
    out: &'a Output,
}

impl Visitor for Count<'_> {
    type Output = Result<(), Failure>;

    fn visit<M: OfGame>(self, machine: &Arc<M>) -> Result<(), Failure> {
        let Count { arguments, name, interrupt, out } = self;
        let mut scratch = machine.scratch();
        let mut counts = Vec::new();
        let watch = Stopwatch::start();
        for depth in 1..=arguments.depth {
            let count = count(machine.as_ref(), &machine.initial(), depth, interrupt, &mut scratch);
            if let Some(failure) = machine.failure() {
                let what = format!("{name}, depth {depth}: {failure}");
                return Err(Failure::failed(what, "take a smaller depth"));
            }
            let Some(count) = count else { break };
            if !arguments.json {
                out.line(format_args!("{depth:3} {count:16} {:10.3} s", watch.elapsed().as_secs_f64()))?;
            }
            counts.push(count);
        }
        if arguments.json {
            let seconds = watch.elapsed().as_secs_f64();
            out.json(&json!({ "game": name, "counts": counts, "seconds": seconds }))?;
        }
        if counts.len() < arguments.depth { Err(Failure::Interrupted) } else { Ok(()) }
    }
}

/// What `perft` counts; nothing if it was interrupted.
fn count<M: StateMachine>(
    machine: &M,
    state: &M::State,
    depth: usize,
    interrupt: &Interrupt,
    scratch: &mut M::Scratch,
) -> Option<u64> {
    if interrupt.is_raised() {
        return None;
    }
    if depth <= UNINTERRUPTED || machine.terminal(state, scratch) {
        return Some(machine.perft(state, depth, scratch));
    }
    let legal = machine.legal_by_role(state, scratch);
    JointMoves::new(&legal)
        .map(|joint| {
            let next = machine.next(state, &joint, scratch);
            count(machine, &next, depth - 1, interrupt, scratch)
        })
        .sum()
}
