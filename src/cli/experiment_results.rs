//! `hyperplay experiment status`, `merge`, `export`, `verify`: the content of the folder of an experiment.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::experiment_status;
use super::failure::{CommandFailure, CommandResult, go_on};
use super::game_argument::{Opened, source};
use super::output::{Output, log};
use super::session::Session;
use hyperplay_engine::{Engine, Engines};
use hyperplay_experiment::{
    DamagedLine, DecisionLog, ExperimentPlan, Merged, MissingMatches, PlanGame, Planned, Results,
    export as export_tables, export_features, forget_checkpoints, merge as merge_shards, walk,
};
use hyperplay_logic::gdl::Game;
use hyperplay_machine::counted;
use hyperplay_play::files::FileError;

/// Damaged lines that are shown one by one.
const SHOWN: usize = 10;

/// Arguments of `experiment status` and `experiment merge`.
#[derive(Args, Debug)]
pub struct FolderArguments {
    /// The folder that `experiment run` was given
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Arguments of `experiment export`.
#[derive(Args, Debug)]
pub struct ExportArguments {
    /// The folder that `experiment run` was given
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The folder for the tables [default: the same]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also write the states, moves and percepts of all matches as numbers: features.GAME.json, .npy and .parquet
    #[arg(long)]
    features: bool,
}

/// Arguments of `experiment verify`.
#[derive(Args, Debug)]
pub struct ExperimentVerifyArguments {
    #[command(flatten)]
    of: FolderArguments,
    /// Walk only N of the matches, spread evenly
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    sample: Option<u64>,
}

/// Shows the progress of the shards.
///
/// # Errors
/// See [`CommandFailure`].
pub fn status(arguments: &FolderArguments, out: &Output) -> CommandResult {
    let planned = Planned::read(&arguments.folder)?;
    let (mut results, count, failed) = Results::counted(&arguments.folder, &planned, true)?;
    let (missing, damage) = (results.missing(), results.damage());
    let shards = experiment_status::shards(&arguments.folder, &results.counts(), &missing);
    log_damage(&damage, &[]);
    if arguments.json {
        return out.json(&json!({
            "name": planned.name,
            "config": planned.config,
            "seed": planned.plan.seed,
            "matches": count,
            "failed": failed,
            "of": planned.plan.matches(),
            "complete": missing.is_empty(),
            "missing": missing,
            "shards": shards,
            "damaged": in_words(&damage),
        }));
    }
    let most = if planned.plan.stop.is_some() { "at most " } else { "" };
    let total = counted(planned.plan.matches(), "match");
    out.line(format_args!("{}: {count} of {most}{total}", arguments.folder.display()))?;
    if failed > 0 {
        out.line(format_args!("{failed} of them failed"))?;
    }
    if missing.is_empty() {
        return out.line("complete");
    }
    out.text(&experiment_status::as_text(&shards))
}

/// Names damaged lines, the first of them one by one, and the files to which they were moved. The next run must read the
/// files from the beginning.
pub fn log_damage(damage: &[DamagedLine], moved: &[PathBuf]) {
    forget_checkpoints(damage);
    damage.iter().take(SHOWN).for_each(|line| log(format_args!("{line}")));
    if damage.len() > SHOWN {
        log(format_args!("and {} more that cannot be used", counted((damage.len() - SHOWN) as u64, "line")));
    }
    moved.iter().for_each(|path| log(format_args!("{}: what could not be used", path.display())));
}

/// Each as a sentence.
pub fn in_words(all: &[impl Display]) -> Vec<String> {
    all.iter().map(ToString::to_string).collect()
}

/// Merges the shards.
///
/// # Errors
/// See [`CommandFailure`]; [`CommandFailure::Incomplete`] if matches are missing.
pub fn merge(arguments: &FolderArguments, out: &Output) -> CommandResult {
    let planned = Planned::read(&arguments.folder)?;
    let Merged { matches, missing, damage, left_out, former } = merge_shards(&arguments.folder, &planned)?;
    log_damage(&damage, &[]);
    former.iter().for_each(|path| log(format_args!("{}: what was merged earlier", path.display())));
    for kind in &left_out {
        let path = arguments.folder.join(format!("{kind}.jsonl"));
        let remedy = format!("`experiment run` with --log {kind} adds what is missing");
        log(format_args!("{} is not made: only some of the matches have {kind}; {remedy}", path.display()));
    }
    if arguments.json {
        out.json(&json!({
            "config": planned.config,
            "matches": matches,
            "missing": missing,
            "damaged": in_words(&damage),
            "left_out": left_out,
        }))?;
    } else if let Some(count) = matches {
        let folder = arguments.folder.display();
        let files = if planned.without_turns { "matches.jsonl" } else { "matches.jsonl and turns.jsonl" };
        out.line(format_args!("{folder}: {} in {files}", counted(count, "match")))?;
    }
    whole(&arguments.folder, &missing, damage.iter().any(|line| left_out.iter().any(|kind| line.is_of(kind))))
}

/// Names what is missing; an error if anything is, or records that are damaged were left out.
fn whole(folder: &Path, missing: &[MissingMatches], is_damaged: bool) -> CommandResult {
    missing.iter().for_each(|missing| log(format_args!("{missing}")));
    let what = match missing {
        [] if !is_damaged => return Ok(()),
        [] => "what is damaged was left out",
        _ => "matches are missing",
    };
    Err(CommandFailure::Incomplete(format!("{}: {what}", folder.display())))
}

/// The text and the rules of a game of a plan.
///
/// # Errors
/// If there is no such game here, or its rules are not those of the plan.
pub fn recorded_game(game: &PlanGame) -> CommandResult<(String, Game)> {
    let rules = source(&game.name)?;
    let text = rules.text().to_owned();
    let opened = Opened::new(rules, None)?;
    if opened.hash() != game.rules {
        let what = format!("the rules of '{}' have changed since the experiment", game.name);
        return Err(CommandFailure::failed(what, "put back the rules that were played"));
    }
    Ok((text, opened.game))
}

/// The machine of each game of a plan.
///
/// # Errors
/// As [`recorded_game`], and if a machine cannot be made.
pub fn machines(plan: &ExperimentPlan) -> CommandResult<Vec<Arc<Engine>>> {
    let machine = |game: &PlanGame| -> CommandResult<Arc<Engine>> {
        let machine = Engines::new(&recorded_game(game)?.1).get(plan.engine);
        machine.map_err(|error| CommandFailure::failed(format!("{}: {error}", game.name), "free memory"))
    };
    plan.games.iter().map(machine).collect()
}

/// Walks recorded matches.
///
/// # Errors
/// See [`CommandFailure`]; [`CommandFailure::Findings`] if a match is not what is recorded, or a line is damaged.
pub fn verify(arguments: &ExperimentVerifyArguments, session: &Session) -> CommandResult {
    let Session { interrupt, out, .. } = session;
    let ExperimentVerifyArguments { of: FolderArguments { folder, json: as_json }, sample } = arguments;
    let planned = Planned::read(folder)?;
    let plan = &planned.plan;
    let machines = machines(plan)?;
    // All that was recorded is read, though a match is walked by its turns.
    let open = || Results::open_with(folder, &planned, DecisionLog::Particles);
    let count =
        sample.map_or(Ok(0), |_| Results::counted(folder, &planned, true).map(|counted| counted.1))?;
    let (mut results, mut number, mut matches, mut differences) = (open()?, 0, 0, Vec::new());
    if planned.without_turns {
        log(format_args!("without turns no match can be walked: only the lines are read"));
    }
    while let (false, Some(finished)) = (interrupt.is_raised(), results.next()?) {
        number += 1;
        // More matches than were counted may be there by now.
        let before = |number: u64, most: u64| number * most / count.max(1);
        let is_asked = sample.is_none_or(|most| before(number, most) > before(number - 1, most));
        if is_asked && !planned.without_turns {
            matches += 1;
            let machine = &machines[plan.cells[finished.place.cell].game];
            differences.extend(walk(machine, plan, &finished, DecisionLog::Turns).err());
        }
    }
    let (damage, agree) = (results.damage(), matches - differences.len() as u64);
    log_damage(&damage, &[]);
    if *as_json {
        out.json(&json!({
            "matches": matches,
            "agree": agree,
            "differences": in_words(&differences),
            "damaged": in_words(&damage),
        }))?;
    } else {
        differences.iter().try_for_each(|difference| out.line(difference))?;
        let of = counted(matches, "match");
        out.line(format_args!("{}: {agree} of {of} agree with the rules", folder.display()))?;
    }
    go_on(interrupt)?;
    if !damage.is_empty() || !differences.is_empty() {
        return Err(CommandFailure::Findings);
    }
    whole(folder, &results.missing(), false)
}

/// Writes the tables of what is there.
///
/// # Errors
/// See [`CommandFailure`]; [`CommandFailure::Incomplete`] if matches are missing or lines are damaged.
pub fn export(arguments: &ExportArguments, out: &Output) -> CommandResult {
    let planned = Planned::read(&arguments.folder)?;
    let mut results = Results::open_with(&arguments.folder, &planned, DecisionLog::Particles)?;
    let to = arguments.out.as_ref().unwrap_or(&arguments.folder);
    FileError::at(to, std::fs::create_dir_all(to))?;
    let (mut paths, count) = export_tables(&planned, &mut results, to)?;
    let (damage, missing) = (results.damage(), results.missing());
    log_damage(&damage, &[]);
    if arguments.features {
        let results = Results::open_with(&arguments.folder, &planned, DecisionLog::Positions)?;
        paths.extend(export_features(&planned, results, &machines(&planned.plan)?, to)?);
    }
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    out.line(format_args!("{} in {}", counted(count, "match"), listed(&paths)))?;
    whole(&arguments.folder, &missing, !damage.is_empty())
}

/// Two paths or more as a list of words.
fn listed(paths: &[String]) -> String {
    match paths {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
