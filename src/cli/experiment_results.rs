//! `hyperplay experiment status`, `merge`, `export`: what is in the folder of an experiment.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::experiment::{of_folder, of_journal};
use super::failure::CommandFailure;
use super::output::{Output, log};
use hyperplay_lab::experiment::{
    DecisionLog, Merged, MissingMatches, Planned, Results, ResultsError, export as export_tables,
    merge as merge_shards,
};
use hyperplay_logic::gdl::counted;
use hyperplay_play::files::FileError;

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
}

/// What a result's error means to the user.
pub fn of_results(error: ResultsError) -> CommandFailure {
    match error {
        ResultsError::Folder(error) => of_folder(error),
        ResultsError::Journal(error) => of_journal(error),
        ResultsError::Table(error) => error.into(),
        error @ ResultsError::Decision { .. } => CommandFailure::failed(
            error.to_string(),
            "the file was changed: play the matches again into another folder, or remove the files of positions and particles",
        ),
    }
}

/// Shows the progress of the shards.
///
/// # Errors
/// See [`CommandFailure`].
pub fn status(arguments: &FolderArguments, out: &Output) -> Result<(), CommandFailure> {
    let planned = Planned::read(&arguments.folder).map_err(of_folder)?;
    let mut results = Results::open(&arguments.folder, &planned).map_err(of_results)?;
    let (mut count, mut failed): (u64, u64) = (0, 0);
    while let Some(finished) = results.next().map_err(of_results)? {
        count += 1;
        failed += u64::from(finished.record.has_failed());
    }
    let missing = results.missing();
    if arguments.json {
        return out.json(&json!({
            "name": planned.name,
            "config": planned.config,
            "seed": planned.plan.seed,
            "matches": count,
            "failed": failed,
            "of": planned.plan.matches(),
            "complete": missing.is_empty(),
            "missing": missing.iter().map(as_json).collect::<Vec<Value>>(),
        }));
    }
    let most = if planned.plan.stop.is_some() { "at most " } else { "" };
    let total = counted(planned.plan.matches(), "match");
    out.line(format_args!("{}: {count} of {most}{total}", arguments.folder.display()))?;
    if failed > 0 {
        out.line(format_args!("{failed} of them failed"))?;
    }
    missing.iter().try_for_each(|missing| out.line(missing))?;
    if missing.is_empty() { out.line("complete") } else { Ok(()) }
}

fn as_json(missing: &MissingMatches) -> Value {
    json!({ "shard": missing.shard.to_string(), "matches": missing.matches, "of": missing.of })
}

/// Merges the shards.
///
/// # Errors
/// See [`CommandFailure`]; [`CommandFailure::Incomplete`] if matches are missing.
pub fn merge(arguments: &FolderArguments, out: &Output) -> Result<(), CommandFailure> {
    let planned = Planned::read(&arguments.folder).map_err(of_folder)?;
    let merged = merge_shards(&arguments.folder, &planned).map_err(of_results)?;
    let (count, missing) = match merged {
        Merged::Whole(count) => (Some(count), Vec::new()),
        Merged::Missing(missing) => (None, missing),
    };
    if arguments.json {
        out.json(&json!({
            "config": planned.config,
            "matches": count,
            "missing": missing.iter().map(as_json).collect::<Vec<Value>>(),
        }))?;
    } else if let Some(count) = count {
        let folder = arguments.folder.display();
        out.line(format_args!("{folder}: {} in matches.jsonl and turns.jsonl", counted(count, "match")))?;
    }
    if missing.is_empty() {
        return Ok(());
    }
    missing.iter().for_each(|missing| log(format_args!("{missing}")));
    Err(CommandFailure::Incomplete { what: format!("{}: matches are missing", arguments.folder.display()) })
}

/// Writes the tables.
///
/// # Errors
/// See [`CommandFailure`].
pub fn export(arguments: &ExportArguments, out: &Output) -> Result<(), CommandFailure> {
    let planned = Planned::read(&arguments.folder).map_err(of_folder)?;
    let results =
        Results::open_with(&arguments.folder, &planned, DecisionLog::Particles).map_err(of_results)?;
    let to = arguments.out.as_ref().unwrap_or(&arguments.folder);
    FileError::at(to, std::fs::create_dir_all(to))?;
    let (paths, count) = export_tables(&planned, results, to).map_err(of_results)?;
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    out.line(format_args!("{} in {}", counted(count, "match"), listed(&paths)))
}

/// Two paths or more as a list of words.
fn listed(paths: &[String]) -> String {
    match paths {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
