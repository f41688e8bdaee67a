//! `hyperplay belief`: measures beliefs. A preset says what is measured and the defaults of the options: how far samplers
//! are from the exact posterior in one game (accuracy), the same in the games of the benchmark, or the processor time
//! of an update (cost).

use super::belief_arguments::{BeliefArguments, Preset};
use super::failure::CommandFailure;
use super::output::Output;
use super::{belief_accuracy, belief_benchmark, belief_cost};
use hyperplay_play::player::Registry;
use hyperplay_play::referee::Interrupt;

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(
    arguments: &BeliefArguments,
    registry: &Registry,
    interrupt: &Interrupt,
    out: &Output,
) -> Result<(), CommandFailure> {
    let threads = arguments.threads.apply()?;
    let plan = arguments.plan(registry)?;
    match arguments.preset {
        Preset::Accuracy => belief_accuracy::run(arguments, plan, threads, interrupt, out),
        Preset::Benchmark => belief_benchmark::run(arguments, &plan, interrupt, out),
        Preset::Cost => belief_cost::run(arguments, plan, interrupt, out),
    }
}
