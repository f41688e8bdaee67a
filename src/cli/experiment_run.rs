//! `hyperplay experiment run`: plays the matches of an experiment, or of one shard of it, and goes on where the last run
//! ended.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::Args;
use cpu_time::ProcessTime;

use super::experiment_file::{Described, FileArgument, logs, threads};
use super::experiment_results::log_damage;
use super::failure::{CommandFailure, CommandResult, MATCH_FAILURE_REMEDY, go_on, refuse_if};
use super::output::log;
use super::progress::Progress;
use super::session::Session;
use hyperplay_experiment::{
    Arena, DecisionLog, EarlierRun, ExperimentPlan, ExperimentSummary, Journal, MatchFailure, PLAN, Planned,
    PlannedFolder, Pool, Recording, Results, RunEnd, RunTask, Shard, extended, lock_beside,
    refuse_other_division, resolved, set_aside,
};
use hyperplay_machine::counted;
use hyperplay_play::player::Registry;

/// The remedy for moves that were replaced.
const AGAIN_REMEDY: &str =
    "see to the player; `--again unreachable` plays those matches again in which it could not be reached";

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
    /// Play only this part, as in 3/8; K may be the name of an environment variable that has the number
    #[arg(long, value_name = "K/N", value_parser = |text: &str| numbered(text, Shard::read), default_value = "1/1")]
    shard: Shard,
    /// The same for a scheduler that counts from 0: the first part of 8 is 0/8
    #[arg(long, value_name = "K/N", value_parser = |text: &str| numbered(text, Shard::read_from_0), conflicts_with = "shard")]
    shard_from_0: Option<Shard>,
    /// The data that are recorded of every decision
    #[arg(long, value_name = "WHAT", value_parser = logs(), default_value = "turns")]
    pub log: DecisionLog,
    /// With clocks, where what players believed is to be recorded of matches that are finished: drop these and play
    /// them again
    #[arg(long)]
    discard: bool,
    /// Play the matches again in which another program could not be reached, and replace what was recorded of them
    #[arg(long, value_name = "FAULT", value_parser = [hyperplay_experiment::UNREACHABLE], conflicts_with = "log")]
    again: Option<String>,
    /// Take the matches of this folder that are matches of this experiment too, instead of playing them; may be given
    /// several times. The folder is not changed, unless it is that of --out: then it is renamed, and this experiment
    /// extends it
    #[arg(long, value_name = "DIR")]
    reuse: Vec<PathBuf>,
}

/// Reads a shard whose number may stand in an environment variable.
fn numbered(text: &str, read: fn(&str) -> Result<Shard, String>) -> Result<Shard, String> {
    let is_name = |(name, _): &(&str, &str)| name.trim_start_matches('_').starts_with(char::is_alphabetic);
    let Some((name, count)) = text.split_once('/').filter(is_name) else { return read(text) };
    let number = std::env::var(name).map_err(|_| format!("the environment variable {name} is not set"))?;
    read(&format!("{number}/{count}")).map_err(|expected| format!("{name} is '{number}': {expected}"))
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
            shard: Shard::WHOLE,
            shard_from_0: None,
            log: DecisionLog::Turns,
            discard: false,
            again: None,
            reuse: Vec::new(),
        }
    }

    /// The part that is played.
    fn shard(&self) -> Shard {
        self.shard_from_0.unwrap_or(self.shard)
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

    /// The log of decisions: the one of the arguments, or with `--again` the one that the folder has already; none where
    /// the folder has no turns.
    fn decisions(&self, shard: Shard, planned: &Planned) -> CommandResult<DecisionLog> {
        if planned.without_turns {
            let is_more = self.again.is_some() || self.log > DecisionLog::Turns;
            let folder = self.out.display();
            let what = format!("{folder}: turns are not recorded here, and --log or --again need them");
            let remedy =
                "take its matches into a folder with turns: leave out without_turns, and give --reuse";
            return refuse_if(is_more, what, remedy).map(|()| DecisionLog::Matches);
        }
        let has = |kind: &str| self.again.is_some() && shard.file(&self.out, kind).exists();
        Ok(match self.log {
            _ if has("particles") => DecisionLog::Particles,
            _ if has("positions") => DecisionLog::Positions,
            asked => asked,
        })
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
    let shard = arguments.shard();
    let threads = threads(arguments.threads, &plan);
    let planned = Planned::of(&config, plan);
    let (again, folder) = (arguments.again.is_some(), arguments.out.display());
    let is_tied =
        |cell| again && planned.plan.is_undivided(cell) || arguments.discard && planned.plan.learns(cell);
    refuse_if(
        (0..planned.plan.cells.len()).any(is_tied),
        "--again, --discard: a rule stops the cells of this experiment, or a player learns from its matches, so other \
         results would be followed by other matches",
        "leave these options out, and play all matches, in another folder if this one has some",
    )?;
    let (others, planned) = arguments.settled(planned, registry)?;
    if planned.without_turns != config.without_turns {
        let form = if planned.without_turns { "without turns" } else { "with turns" };
        log(format_args!("{folder}: goes on as it was begun, {form}"));
    }
    refuse_other_division(&arguments.out, shard)?;
    let plan = &planned.plan;
    let log_of = arguments.decisions(shard, &planned)?;
    let recording = Recording { log: log_of, discard: arguments.discard, again };
    let pool = Pool::open(plan, &others, log_of)?;
    let journal = Journal::open(&arguments.out, plan, shard, recording)?;
    let (earlier, total) = (journal.earlier.clone(), plan.matches_of(shard));
    say_what_was_found(arguments, plan, &earlier);
    let arena = Arena::new(plan.clone(), config.specs, &games, threads, log_of)?;
    if earlier.passed > 0 && plan.entrants.iter().any(|entrant| entrant.learns) {
        let mut results = Results::open(&arguments.out, &planned)?.only(shard);
        while let Some(finished) = results.next()? {
            go_on(interrupt)?;
            arena.recall(&finished)?;
        }
    }
    let progress = Progress::new((total - earlier.passed) as usize, "matches", false);
    let begun = ProcessTime::try_now();
    let task = RunTask { sequence: journal.sequence.clone(), journal, pool, on_fault: config.on_fault };
    let ran = hyperplay_experiment::run(&arena, task, threads, interrupt, &|| progress.tick());
    let time = progress.finish();
    let spent = begun
        .and_then(|begun| begun.try_elapsed())
        .map_or(String::new(), |spent| format!(", {:.1} s of processor time", spent.as_secs_f64()));
    let RunEnd { played, reused, is_complete: all, failed, first_failure, faulted, decisions } = ran?;
    for (entrant, counts) in decisions.iter().filter_map(|(of, made)| Some((*of, made.failures()?))) {
        log(format_args!("{}: {counts}", plan.label(entrant)));
    }
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
        let summary = ExperimentSummary::of(&planned, Results::open(&arguments.out, &planned)?.only(shard))?;
        hyperplay_experiment::disturbed(&planned, &summary)
            .iter()
            .for_each(|what| log(format_args!("{what}")));
        wrong.extend(hyperplay_experiment::unreliable(&planned, &summary));
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
    let (folder, shard) = (arguments.out.display(), arguments.shard());
    if arguments.again.is_some() && earlier.dropped == 0 {
        log(format_args!("no match has a player that could not be reached"));
    }
    if plan.matches_of(shard) == 0 {
        let is_undivided = (0..plan.cells.len()).any(|cell| plan.is_undivided(cell));
        let few = if is_undivided { "cells, each of which one shard plays" } else { "deals" };
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
