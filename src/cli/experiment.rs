//! `hyperplay experiment`: plays the matches that one file describes, and reports on them.

use clap::{Args, Subcommand};

use super::experiment_check;
use super::experiment_exploit;
use super::experiment_generations;
use super::experiment_report;
use super::experiment_results;
use super::experiment_run;
use super::experiment_script;
use super::failure::CommandResult;
use super::session::Session;

/// Arguments of `experiment`.
#[derive(Args, Debug)]
pub struct ExperimentArguments {
    #[command(subcommand)]
    command: ExperimentCommand,
}

#[derive(Subcommand, Debug)]
enum ExperimentCommand {
    /// Show what an experiment would play, and how long that would take
    Check(experiment_check::ExperimentCheckArguments),
    /// Play the matches of an experiment, or of one shard of it; continues where the last run ended
    Run(experiment_run::RunArguments),
    /// Show the progress of the shards in a folder
    Status(experiment_results::FolderArguments),
    /// Merge the shards into matches.jsonl and turns.jsonl; exit code 3 if something is missing
    Merge(experiment_results::FolderArguments),
    /// Ask every entrant at every information set of the games that are small enough, and judge it by best responses;
    /// the report then has its NashConv
    Exploit(experiment_exploit::ExperimentExploitArguments),
    /// Report scores, differences, Elo and verdicts, as Markdown, CSV and HTML, with figures as SVG and PDF
    Report(experiment_report::ReportArguments),
    /// Walk recorded matches by their moves, and compare their goals and all else with the rules; exit code 1 if
    /// something differs
    Verify(experiment_results::ExperimentVerifyArguments),
    /// Write tables for analysis by other programs: matches.csv, turns.csv, and what was recorded in full as Parquet
    Export(experiment_results::ExportArguments),
    /// Let a player learn from its own matches: self-play, a command of yours, and a gate against the incumbent, again
    /// and again
    Generations(experiment_generations::GenerationsArguments),
    /// Print a script that plays an experiment on a cluster: one shard a task, and a merge behind them
    Script(experiment_script::ScriptArguments),
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`](super::failure::CommandFailure).
pub fn run(arguments: &ExperimentArguments, session: &Session) -> CommandResult {
    let Session { out, .. } = session;
    match &arguments.command {
        ExperimentCommand::Check(arguments) => experiment_check::run(arguments, session),
        ExperimentCommand::Run(arguments) => experiment_run::play(arguments, session),
        ExperimentCommand::Status(arguments) => experiment_results::status(arguments, out),
        ExperimentCommand::Merge(arguments) => experiment_results::merge(arguments, out),
        ExperimentCommand::Exploit(arguments) => experiment_exploit::run(arguments, session),
        ExperimentCommand::Report(arguments) => experiment_report::run(arguments, session),
        ExperimentCommand::Verify(arguments) => experiment_results::verify(arguments, session),
        ExperimentCommand::Export(arguments) => experiment_results::export(arguments, out),
        ExperimentCommand::Generations(arguments) => experiment_generations::run(arguments, session),
        ExperimentCommand::Script(arguments) => experiment_script::print(arguments, session),
    }
}
