//! `hyperplay belief`: measures beliefs. A preset says what is measured and the defaults of the options: how far samplers
//! are from the exact posterior in one game (accuracy), the same in the games of the benchmark, or the processor time
//! of an update (cost).

use super::belief_arguments::{BeliefArguments, Preset};
use super::failure::CommandResult;
use super::session::Session;
use super::{belief_accuracy, belief_benchmark, belief_conformance, belief_cost};

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`](super::failure::CommandFailure).
pub fn run(arguments: &BeliefArguments, session: &Session) -> CommandResult {
    let threads = arguments.threads.apply()?;
    if let Some(spec) = &arguments.conform {
        return belief_conformance::run(arguments, spec, session);
    }
    let plan = arguments.plan(&session.registry)?;
    match arguments.preset {
        Preset::Accuracy => belief_accuracy::run(arguments, plan, threads, session),
        Preset::Benchmark => belief_benchmark::run(arguments, &plan, session),
        Preset::Cost => belief_cost::run(arguments, plan, session),
    }
}
