//! The files of a study: `turns.jsonl`, `timings.jsonl`, `rows.csv`, `report.html`, its figures in `figures`, and
//! `study.json`, its identity.
//!
//! Invariant: one seed gives the same bytes in all but `timings.jsonl`, on any number of threads. The first line of both
//! `.jsonl` files is a header; every other line is one decision and sampler. A folder belongs to the run of one
//! configuration: no other run writes into it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use thiserror::Error;

use super::page;
use super::plan::{Study, StudyPlan};
use super::row::{ROW_COLUMNS, StudyRow};
use super::times::TIME_COLUMNS;
use crate::report::Table;
use hyperplay_logic::gdl::text_hash;
use hyperplay_play::player::{SamplerSpec, Spec};
use hyperplay_play::referee::{date, host};

/// The schema of `turns.jsonl` and `timings.jsonl`.
const SCHEMA: &str = "hyperplay.belief/2";

/// Why the files of a study cannot be written.
#[derive(Debug, Error)]
pub enum StudyFileError {
    /// An error of the operating system.
    #[error("{}: {cause}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What it says.
        cause: io::Error,
    },
    /// The folder belongs to another run.
    #[error("{} holds another run of `belief`: it differs in {}", folder.display(), differences(changed))]
    Other {
        /// The folder.
        folder: PathBuf,
        /// The keys of the configuration that differ, with what the other run has.
        changed: Vec<(String, String)>,
    },
    /// A file of this name is there and no study wrote it.
    #[error("{} is there already, and no run of `belief` wrote it", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
}

/// What differs, with the value of the other run.
fn differences(changed: &[(String, String)]) -> String {
    let said = changed.iter().map(|(key, there)| format!("{key} (there {there})"));
    said.collect::<Vec<String>>().join(", ")
}

fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, StudyFileError> {
    result.map_err(|cause| StudyFileError::File { path: path.to_owned(), cause })
}

/// What a study is about, beside its plan.
#[derive(Clone, Copy, Debug)]
pub struct StudySubject<'a> {
    /// The game.
    pub game: &'a str,
    /// The hash of its rules.
    pub rules: &'a str,
    /// The engine.
    pub engine: &'a str,
    /// The roles whose beliefs are measured.
    pub roles: &'a [&'a str],
}

/// All that determines the figures of a study. Policy files, if there are any, are in it by the hashes of their contents.
pub fn config(plan: &StudyPlan, subject: &StudySubject<'_>) -> Value {
    let mut config = json!({
        "game": subject.game,
        "rules": subject.rules,
        "engine": subject.engine,
        "samplers": plan.samplers.iter().map(|sampler| sampler.spec().to_string()).collect::<Vec<String>>(),
        "particles": plan.particles,
        "replicates": plan.replicates,
        "matches": plan.matches,
        "play": plan.play.spec().to_string(),
        "roles": subject.roles,
        "steps": [plan.steps.0, plan.steps.1],
        "max_set": plan.limit,
        "reference": plan.reference,
        "playouts": plan.playouts,
        "seed": plan.seed,
    });
    if let Some(equilibrium) = &plan.equilibrium {
        config["equilibrium"] = json!(equilibrium.spec().to_string());
    }
    let samplers = plan.samplers.iter().map(SamplerSpec::spec);
    let specs = samplers.chain([plan.play.spec()]).chain(plan.equilibrium.iter().map(SamplerSpec::spec));
    let policies: BTreeMap<String, String> = specs.flat_map(Spec::policy_hashes).collect();
    if !policies.is_empty() {
        config["policies"] = json!(policies);
    }
    config
}

/// The header of `turns.jsonl`.
fn header(config: &Value, study: &Study) -> Value {
    let columns: Value =
        ROW_COLUMNS.iter().map(|column| (column.name.to_owned(), json!(column.meaning))).collect();
    json!({
        "schema": SCHEMA,
        "program": "hyperplay",
        "version": env!("CARGO_PKG_VERSION"),
        "seed": config["seed"],
        "config": config,
        "config_hash": text_hash(&config.to_string()),
        "complete": study.is_complete,
        "rows": study.rows.len(),
        "columns": columns,
    })
}

/// The names of the files.
const NAMES: [&str; 4] = ["turns.jsonl", "timings.jsonl", "rows.csv", "report.html"];

/// The end of the names of files that grow beside those of a finished run.
const PART: &str = ".part";

/// The file that says which run a folder belongs to.
const IDENTITY: &str = "study.json";

/// The files of a study that is being measured: `turns.jsonl` and `timings.jsonl` grow with it, so a run that is killed has
/// lost no more than the sampler that it was measuring. In the end all are written anew, with the header of what was measured.
pub struct StudyFiles {
    folder: PathBuf,
    config: Value,
    threads: usize,
    /// The files that grow, and their paths: beside the files of a run that was finished, so that these are kept until all is
    /// measured anew.
    growing: [(PathBuf, File); 2],
    /// The first error of writing.
    failed: Option<StudyFileError>,
}

impl StudyFiles {
    /// Opens a folder for the run of this configuration; it is made if it is not there. Files that the same run wrote before
    /// are replaced: at once if it was not finished, otherwise once all is measured again.
    ///
    /// # Errors
    /// If the folder belongs to another run, or has files of these names from something else; if a file cannot be written.
    pub fn open(folder: &Path, config: Value, threads: usize) -> Result<StudyFiles, StudyFileError> {
        at(folder, fs::create_dir_all(folder))?;
        let identity = folder.join(IDENTITY);
        match at(&identity, known(&identity))? {
            Some(there) => compare(folder, &there, &config)?,
            None => {
                // Folders of earlier versions have no such file, but the header says the same.
                let turns = folder.join("turns.jsonl");
                let first = fs::read_to_string(&turns).ok();
                let header = first.and_then(|text| serde_json::from_str(text.lines().next()?).ok());
                let header: Option<Value> = header;
                match header.as_ref().map(|header| &header["config"]).filter(|config| config.is_object()) {
                    Some(there) => compare(folder, there, &config)?,
                    None => {
                        if let Some(name) = NAMES.into_iter().find(|name| folder.join(name).exists()) {
                            return Err(StudyFileError::Foreign { path: folder.join(name) });
                        }
                    }
                }
            }
        }
        let header = header(&config, &Study::default());
        let document = json!({ "schema": SCHEMA, "config": config, "config_hash": header["config_hash"] });
        at(&identity, fs::write(&identity, format!("{document:#}\n")))?;
        let ending = if is_complete(folder) { PART } else { "" };
        let open = |name: &str, header: &Value| -> Result<(PathBuf, File), StudyFileError> {
            let path = folder.join(format!("{name}{ending}"));
            let mut file = at(&path, File::create(&path))?;
            at(&path, writeln!(file, "{header}"))?;
            Ok((path, file))
        };
        let turns = open("turns.jsonl", &header)?;
        let timings = open("timings.jsonl", &run_header(&header, threads, None))?;
        Ok(StudyFiles { folder: folder.to_owned(), config, threads, growing: [turns, timings], failed: None })
    }

    /// Appends rows that were measured; false if they cannot be written.
    pub fn add(&mut self, rows: &[StudyRow]) -> bool {
        let tables = [Table::of(&ROW_COLUMNS, rows), Table::of(&TIME_COLUMNS, rows)];
        let written = self.growing.iter_mut().zip(&tables).try_for_each(|((path, file), columns)| {
            let text: String = columns.json_rows().map(|row| format!("{row}\n")).collect();
            at(path, file.write_all(text.as_bytes()))
        });
        match written {
            Ok(()) => true,
            Err(error) => {
                self.failed.get_or_insert(error);
                false
            }
        }
    }

    /// Writes all files: what was measured, in `time`.
    ///
    /// # Errors
    /// If one cannot be written, or could not while the study was measured.
    pub fn finish(self, study: &Study, time: Duration) -> Result<(), StudyFileError> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        let header = header(&self.config, study);
        let table = study.table();
        let [turns, timings, csv, html] = NAMES.map(|name| self.folder.join(name));
        replace(&turns, &lines(&header, table.json_rows()))?;
        let run = run_header(&header, self.threads, Some(time));
        replace(&timings, &lines(&run, Table::of(&TIME_COLUMNS, &study.rows).json_rows()))?;
        replace(&csv, &if study.rows.is_empty() { String::new() } else { table.as_csv() })?;
        let page = page::page(&header, study);
        replace(&html, &page.finish())?;
        write_all(&self.folder, &page.files())?;
        let parts = self.growing.iter().map(|(path, _)| path);
        parts
            .filter(|path| path.to_string_lossy().ends_with(PART))
            .try_for_each(|path| at(path, fs::remove_file(path)))
    }
}

/// The header of `timings.jsonl`; without a time while the study is measured.
fn run_header(header: &Value, threads: usize, time: Option<Duration>) -> Value {
    json!({
        "schema": SCHEMA,
        "version": header["version"],
        "config_hash": header["config_hash"],
        "date": date(),
        "host": host(),
        "threads": threads,
        "seconds": time.map(|time| time.as_secs_f64()),
    })
}

/// Writes files by their paths below a folder.
///
/// # Errors
/// If one cannot be written.
pub fn write_all(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<(), StudyFileError> {
    for (name, bytes) in files {
        let path = folder.join(name);
        let above = path.parent().unwrap_or(folder);
        at(above, fs::create_dir_all(above))?;
        at(&path, fs::write(&path, bytes))?;
    }
    Ok(())
}

/// Whether a run was finished in a folder.
fn is_complete(folder: &Path) -> bool {
    let first = File::open(folder.join("turns.jsonl"))
        .ok()
        .and_then(|file| BufReader::new(file).lines().next()?.ok());
    let header: Option<Value> = first.and_then(|line| serde_json::from_str(&line).ok());
    header.is_some_and(|header| header["complete"] == true)
}

/// The configuration that an identity file holds; none if there is no such file, and an empty one if it is none.
fn known(identity: &Path) -> io::Result<Option<Value>> {
    match fs::read_to_string(identity) {
        Ok(text) => {
            let document: Value = serde_json::from_str(&text).unwrap_or_default();
            Ok(Some(document["config"].clone()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether the configuration found in a folder is this one.
fn compare(folder: &Path, there: &Value, config: &Value) -> Result<(), StudyFileError> {
    if there == config {
        return Ok(());
    }
    let keys = |value: &Value| value.as_object().map(|all| all.keys().cloned().collect::<Vec<String>>());
    let mut all: Vec<String> = [config, there].into_iter().filter_map(keys).flatten().collect();
    all.sort_unstable();
    all.dedup();
    let differs = |key: &String| config.get(key) != there.get(key);
    let changed = all.into_iter().filter(differs).map(|key| {
        let found = there.get(&key).map_or_else(|| "nothing".to_owned(), Value::to_string);
        (key, found)
    });
    Err(StudyFileError::Other { folder: folder.to_owned(), changed: changed.collect() })
}

fn lines(header: &Value, rows: impl Iterator<Item = Value>) -> String {
    std::iter::once(header.clone()).chain(rows).map(|line| format!("{line}\n")).collect()
}

/// Writes a file beside its place and moves it there, so a kill leaves the old one or the new one.
fn replace(path: &Path, text: &str) -> Result<(), StudyFileError> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    at(&beside, fs::write(&beside, text))?;
    at(path, fs::rename(&beside, path))
}
