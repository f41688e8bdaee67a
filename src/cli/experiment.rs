//! `hyperplay experiment`: plays the matches that one file describes, and reports on them.

use std::io::ErrorKind;

use clap::{Args, Subcommand};

use super::experiment_check;
use super::experiment_exploit;
use super::experiment_generations;
use super::experiment_report;
use super::experiment_results;
use super::experiment_run;
use super::experiment_script;
use super::failure::{CommandFailure, CommandResult};
use super::session::Session;
use hyperplay_lab::experiment::{ArenaError, FolderError, JournalError, PLAN, ResultsError, RunError};
use hyperplay_play::files::FileError;

/// The remedy for a run that ended because of a fault.
const FAULT_REMEDY: &str =
    "see to the player and give the same command again; with on_fault = 'record' in the file the run goes on";

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
/// See [`CommandFailure`].
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

impl From<FolderError> for CommandFailure {
    fn from(error: FolderError) -> Self {
        let remedy = match error {
            FolderError::Other { remedy, .. } => remedy,
            FolderError::Empty { .. } => "play with `hyperplay experiment run FILE --out DIR`",
            FolderError::Plan { .. } => {
                "move plan.json away: the next `hyperplay experiment run FILE --out DIR` writes it again"
            }
            FolderError::File(FileError::System(ref path, ref cause))
                if path.ends_with(PLAN)
                    && matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                let folder = path.parent().unwrap_or(path).display();
                return CommandFailure::failed(
                    format!("{folder} holds no experiment: {error}"),
                    "name the folder that `hyperplay experiment run FILE --out DIR` wrote",
                );
            }
            FolderError::File(error) => return error.into(),
        };
        CommandFailure::failed(error.to_string(), remedy)
    }
}

impl From<JournalError> for CommandFailure {
    fn from(error: JournalError) -> Self {
        let remedy = match error {
            JournalError::Foreign { .. } => "name another folder with --out, or take that file away",
            JournalError::Gone { .. } => {
                "leave out --log particles, or replace such matches by new ones with --discard"
            }
            JournalError::Compressed { .. } => "decompress it first, as `gunzip` does",
            JournalError::Lock(_) => "wait for it, or play another shard",
            JournalError::File(error) => return error.into(),
        };
        CommandFailure::failed(error.to_string(), remedy)
    }
}

impl From<ResultsError> for CommandFailure {
    fn from(error: ResultsError) -> Self {
        let remedy = match error {
            ResultsError::Folder(error) => return error.into(),
            ResultsError::Journal(error) => return error.into(),
            ResultsError::File(error) => return error.into(),
            ResultsError::Walk(_) => {
                "take the program that played the matches, or play them again into another folder"
            }
            ResultsError::Spec(_) | ResultsError::OtherPolicy { .. } => {
                "start the command where the files can be found that the entrants name, as they were"
            }
            ResultsError::Features(_) => "features are for rules in GDL: export without --features",
            ResultsError::Decision(_) => {
                "the file was changed: play the matches again into another folder, or remove the files of positions and particles"
            }
        };
        CommandFailure::failed(error.to_string(), remedy)
    }
}

impl From<RunError> for CommandFailure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Arena(error) => error.into(),
            RunError::Journal(error) => error.into(),
            RunError::Reused(error) => error.into(),
            RunError::Fault(_) => {
                CommandFailure::failed(format!("{error}; the match is not recorded"), FAULT_REMEDY)
            }
            RunError::Threads(error) => {
                CommandFailure::failed(format!("the threads cannot be made: {error}"), "give fewer with -j")
            }
        }
    }
}

impl From<ArenaError> for CommandFailure {
    fn from(error: ArenaError) -> Self {
        let remedy = match &error {
            ArenaError::Engine { .. } => "take engine = 'interpreter'",
            ArenaError::Thread(_) => "play without clocks, or on fewer threads",
            ArenaError::Walk(_) => {
                "the records, or the program, have changed since: record in full in another folder"
            }
        };
        CommandFailure::failed(error.to_string(), remedy)
    }
}
