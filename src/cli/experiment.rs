//! `hyperplay experiment`: plays the matches that one file describes, and reports on them.

use std::io::ErrorKind;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use cpu_time::ProcessTime;

use super::experiment_check;
use super::experiment_exploit;
use super::experiment_file::{Described, FileArgument, logs, threads};
use super::experiment_generations;
use super::experiment_report;
use super::experiment_results::{self, log_damage};
use super::failure::{CommandFailure, CommandResult, MATCH_FAILURE_REMEDY, refuse_if};
use super::output::log;
use super::progress::Progress;
use super::session::Session;
use hyperplay_lab::experiment::{
    self, Arena, ArenaError, DecisionLog, EarlierRun, ExperimentPlan, ExperimentSummary, FolderError,
    Journal, JournalError, MatchFailure, PLAN, Planned, PlannedFolder, Pool, Recording, Results,
    ResultsError, RunEnd, RunError, RunTask, Sequence, Shard, extended, lock_beside, refuse_other_division,
    resolved, set_aside, slurm,
};
use hyperplay_machine::counted;
use hyperplay_play::files::FileError;
use hyperplay_play::player::Registry;

/// The remedy for a run that ended because of a fault.
const FAULT_REMEDY: &str =
    "see to the player and give the same command again; with on_fault = 'record' in the file the run goes on";

/// The remedy for moves that were replaced.
const AGAIN_REMEDY: &str =
    "see to the player; `--again unreachable` plays those matches again in which it could not be reached";

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
    Run(RunArguments),
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
    /// Print a script that plays an experiment as a Slurm job array
    Slurm(SlurmArguments),
}

/// Arguments of `experiment run`.
#[derive(Args, Debug)]
pub struct RunArguments {
    #[command(flatten)]
    file: FileArgument,
    /// The folder for the matches; it is created if it does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// How many threads play [default: as many as there are processors; with clocks, one for all roles of a match]
    #[arg(long, short = 'j', value_name = "N")]
    threads: Option<NonZero<usize>>,
    /// Play only this part, as in 3/8
    #[arg(long, value_name = "K/N", value_parser = Shard::read, default_value = "1/1")]
    shard: Shard,
    /// The data that are recorded of every decision
    #[arg(long, value_name = "WHAT", value_parser = logs(), default_value = "turns")]
    pub log: DecisionLog,
    /// With clocks, where what players believed is to be recorded of matches that are finished: drop these and play
    /// them again
    #[arg(long)]
    discard: bool,
    /// Play the matches again in which another program could not be reached, and replace what was recorded of them
    #[arg(long, value_name = "FAULT", value_parser = [experiment::UNREACHABLE], conflicts_with = "log")]
    again: Option<String>,
    /// Take the matches of this folder that are matches of this experiment too, instead of playing them; may be given
    /// several times. The folder is not changed, unless it is that of --out: then it is renamed, and this experiment
    /// extends it
    #[arg(long, value_name = "DIR")]
    reuse: Vec<PathBuf>,
}

impl RunArguments {
    /// All matches of a file, `at_once` at a time, with games of this repository.
    pub fn whole(
        file: &Path,
        out: &Path,
        threads: Option<NonZero<usize>>,
        repository: Option<PathBuf>,
    ) -> RunArguments {
        RunArguments {
            file: FileArgument { file: file.to_owned(), deals: None, repository },
            out: out.to_owned(),
            threads,
            shard: Shard { index: 1, count: 1 },
            log: DecisionLog::Turns,
            discard: false,
            again: None,
            reuse: Vec::new(),
        }
    }

    /// The folders from which matches are taken, and the plan of the folder for the matches. Where that folder is one of
    /// them, and holds another experiment, it is renamed, after all that could be refused.
    fn settled(&self, planned: Planned, registry: &Registry) -> CommandResult<(Vec<PlannedFolder>, Planned)> {
        let (out, mut is_longer) = (&self.out, false);
        let is_out = |folder: &PathBuf| resolved(folder) == resolved(out);
        let (own, mut folders): (Vec<_>, Vec<_>) = self.reuse.iter().cloned().partition(is_out);
        let _lock = own.first().and_then(|_| lock_beside(out));
        if !own.is_empty() {
            refuse_if(
                out.file_name().is_none(),
                format!("--reuse: {} cannot be renamed", out.display()),
                "start outside it, and give its name",
            )?;
            folders.extend(extended(out));
            // A run that was killed leaves it renamed, or without a plan.
            let is_begun = !out.join(PLAN).exists() && (out.is_dir() || !extended(out).is_empty());
            is_longer = !is_begun && Planned::read(out)?.config != planned.config;
            folders.extend(is_longer.then(|| out.clone()));
        }
        let read = |folder: PathBuf| Ok((folder.clone(), Planned::read(&folder)?));
        let mut others = folders.into_iter().map(read).collect::<CommandResult<Vec<PlannedFolder>>>()?;
        if let Some((folder, version)) =
            Pool::open(&planned.plan, &others, DecisionLog::Turns)?.other_version()
        {
            let played = format!("--reuse: version {version} played a match in {}", folder.display());
            return Err(CommandFailure::failed(
                format!("{played}, and its players may decide otherwise"),
                "leave that folder out, or take it away if its name ends with .before and a number; a report may name it",
            ));
        }
        if is_longer {
            others.last_mut().expect("the folder for the matches is the last").0 = set_aside(out)?;
        }
        Ok((others, planned.settle(out, registry)?))
    }

    /// The log of decisions: the one of the arguments, or with `--again` the one that the folder has already.
    fn decisions(&self, shard: Shard) -> DecisionLog {
        let has = |kind: &str| self.again.is_some() && shard.file(&self.out, kind).exists();
        match self.log {
            _ if has("particles") => DecisionLog::Particles,
            _ if has("positions") => DecisionLog::Positions,
            asked => asked,
        }
    }
}

/// Arguments of `experiment slurm`.
#[derive(Args, Debug)]
pub struct SlurmArguments {
    #[command(flatten)]
    file: FileArgument,
    /// The folder for the matches, on a file system that all nodes share
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    /// The number of shards, which is the number of tasks of the array
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    shards: u64,
    /// Processors of each task
    #[arg(long, value_name = "N", default_value = "1")]
    cpus: NonZero<usize>,
    /// The longest time of a task, as Slurm writes it
    #[arg(long, value_name = "TIME", default_value = "24:00:00")]
    time: String,
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &ExperimentArguments, session: &Session) -> CommandResult {
    let Session { out, .. } = session;
    match &arguments.command {
        ExperimentCommand::Check(arguments) => experiment_check::run(arguments, session),
        ExperimentCommand::Run(arguments) => play(arguments, session),
        ExperimentCommand::Status(arguments) => experiment_results::status(arguments, out),
        ExperimentCommand::Merge(arguments) => experiment_results::merge(arguments, out),
        ExperimentCommand::Exploit(arguments) => experiment_exploit::run(arguments, session),
        ExperimentCommand::Report(arguments) => experiment_report::run(arguments, out),
        ExperimentCommand::Verify(arguments) => experiment_results::verify(arguments, session),
        ExperimentCommand::Export(arguments) => experiment_results::export(arguments, out),
        ExperimentCommand::Generations(arguments) => experiment_generations::run(arguments, session),
        ExperimentCommand::Slurm(arguments) => print_slurm(arguments, session),
    }
}

/// Plays the matches of an experiment, or of one shard of it.
///
/// # Errors
/// See [`CommandFailure`].
pub fn play(arguments: &RunArguments, session: &Session) -> CommandResult {
    let (what, ended) = played(arguments, session)?;
    session.out.line(what)?;
    ended
}

/// Plays them; returns what was played in words, and how that ended.
///
/// # Errors
/// As [`play`], where nothing can be said of what was played.
pub fn played(arguments: &RunArguments, session: &Session) -> CommandResult<(String, CommandResult)> {
    let Session { registry, interrupt, .. } = session;
    let Described { config, games, plan } = arguments.file.open(registry)?;
    let shard = arguments.shard;
    let threads = threads(arguments.threads, &plan);
    let planned = Planned::new(&config.name, &config.about, plan);
    let (again, folder) = (arguments.again.is_some(), arguments.out.display());
    refuse_if(
        again && planned.plan.stop.is_some(),
        "--again: a rule stops the cells of this experiment, so other results would be followed by other matches",
        "name another folder with --out, and play all matches",
    )?;
    let (others, planned) = arguments.settled(planned, registry)?;
    refuse_other_division(&arguments.out, shard)?;
    let plan = &planned.plan;
    let log_of = arguments.decisions(shard);
    let recording = Recording { log: log_of, discard: arguments.discard, again };
    let pool = Pool::open(plan, &others, log_of)?;
    let journal = Journal::open(&arguments.out, plan, shard, recording)?;
    let (earlier, total) = (journal.earlier.clone(), plan.matches_of(shard));
    say_what_was_found(arguments, plan, &earlier);
    let arena = Arena::new(plan.clone(), config.specs, &games, threads, log_of)?;
    let progress = Progress::new(total as usize, "matches", false);
    let begun = ProcessTime::try_now();
    let task = RunTask { sequence: Sequence::new(plan, shard), journal, pool, on_fault: config.on_fault };
    let ran = experiment::run(&arena, task, threads, interrupt, &|| progress.tick());
    let time = progress.finish();
    let spent = begun
        .and_then(|begun| begun.try_elapsed())
        .map_or(String::new(), |spent| format!(", {:.1} s of processor time", spent.as_secs_f64()));
    let RunEnd { played, reused, is_complete: all, failed, first_failure, faulted } = ran?;
    let rate = played as f64 / time.as_secs_f64().max(1e-9);
    let stopped = if all && plan.stop.is_some() { " (cells stop by themselves)" } else { "" };
    let taken = if others.is_empty() { String::new() } else { format!("{reused} taken from elsewhere, ") };
    let what = format!(
        "{folder}: shard {shard}: {} of {}{stopped}, {taken}{played} of them now, {rate:.1} a second{spent}",
        earlier.resumed + reused + played,
        counted(total, "match"),
    );
    let mut wrong: Vec<String> = Vec::new();
    if faulted + earlier.faulted > 0 || plan.clocks.is_some() {
        let results = Results::open(&arguments.out, &planned)?.only(shard);
        let summary = ExperimentSummary::of(&planned, results)?;
        experiment::disturbed(&planned, &summary).iter().for_each(|what| log(format_args!("{what}")));
        wrong.extend(experiment::unreliable(&planned, &summary));
    }
    let failed = failures(earlier.failed, failed, first_failure.as_ref());
    let remedy = if failed.is_some() { MATCH_FAILURE_REMEDY } else { AGAIN_REMEDY };
    wrong.extend(failed);
    let last = if all { wrong.pop() } else { None };
    wrong.iter().for_each(|what| log(format_args!("{what}")));
    let ended = match last {
        Some(what) => Err(CommandFailure::failed(what, remedy)),
        None if all => Ok(()),
        None => Err(CommandFailure::Interrupted),
    };
    Ok((what, ended))
}

/// Says what an earlier run left, and where there is nothing to play.
fn say_what_was_found(arguments: &RunArguments, plan: &ExperimentPlan, earlier: &EarlierRun) {
    let (folder, shard) = (arguments.out.display(), arguments.shard);
    if arguments.again.is_some() && earlier.dropped == 0 {
        log(format_args!("no match has a player that could not be reached"));
    }
    if plan.matches_of(shard) == 0 {
        let few = if plan.stop.is_some() { "cells, each of which one shard plays" } else { "deals" };
        log(format_args!("{folder}: shard {shard} has no match: there are more shards than {few}"));
    }
    if earlier.resumed > 0 || earlier.cut > 0 {
        let cut = if earlier.cut > 0 { format!(", {} bytes cut off", earlier.cut) } else { String::new() };
        log(format_args!("{folder}: going on after {}{cut}", counted(earlier.resumed, "match")));
    }
    log_damage(&earlier.damage, &earlier.moved);
}

/// How many matches failed in earlier runs and in this one, and the first one's cause, as a sentence; none if none did.
fn failures(before: u64, now: u64, first: Option<&MatchFailure>) -> Option<String> {
    let failed = |count: u64| format!("{} failed", counted(count, "match"));
    match first {
        Some(first) if before > 0 => {
            Some(format!("{}, {before} of them earlier; {first}", failed(before + now)))
        }
        Some(first) => Some(format!("{}; the first: {first}", failed(now))),
        None => (before > 0).then(|| format!("{} in earlier runs", failed(before))),
    }
}

fn print_slurm(arguments: &SlurmArguments, session: &Session) -> CommandResult {
    let Session { registry, out, .. } = session;
    // A file that cannot be played is better refused here than by every task.
    let described = arguments.file.open(registry)?;
    let script = slurm::script(&slurm::Job {
        name: &described.config.name,
        file: &arguments.file.file,
        out: &arguments.out,
        shards: arguments.shards,
        cpus: arguments.cpus.get(),
        time: &arguments.time,
        deals: arguments.file.deals,
    });
    out.text(&script)
}

impl From<FolderError> for CommandFailure {
    fn from(error: FolderError) -> Self {
        let remedy = match error {
            FolderError::Other { ref changed, .. } if !changed.is_empty() => {
                "name another folder with --out, or put back what the policy file said"
            }
            FolderError::Other { forgoes: true, .. } => {
                "write think_ahead = false under [budget], or name another folder with --out"
            }
            FolderError::Other { .. } => "name another folder with --out, or take that one away",
            FolderError::Divisions { .. } => "merge one division only: move the other files away",
            FolderError::Division { .. } => {
                "give --shard as one of those in the folder, or name another folder with --out"
            }
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
            JournalError::Locked { .. } => "wait for it, or play another shard",
            JournalError::File(error) => return error.into(),
        };
        CommandFailure::failed(error.to_string(), remedy)
    }
}

impl From<ResultsError> for CommandFailure {
    fn from(error: ResultsError) -> Self {
        match error {
            ResultsError::Folder(error) => error.into(),
            ResultsError::Journal(error) => error.into(),
            ResultsError::File(error) => error.into(),
            ResultsError::Walk(_) => CommandFailure::failed(
                error.to_string(),
                "take the program that played the matches, or play them again into another folder",
            ),
            ResultsError::TooMany { .. } => {
                CommandFailure::failed(error.to_string(), "export without --features")
            }
            ResultsError::Decision { .. } => CommandFailure::failed(
                error.to_string(),
                "the file was changed: play the matches again into another folder, or remove the files of positions and particles",
            ),
        }
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
