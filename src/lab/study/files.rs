//! The files of a study: `turns.jsonl`, `timings.jsonl`, `rows.csv`, `truth.csv`, `report.html`, its figures in `figures`, and
//! `study.json`, its identity.
//!
//! Invariant: one seed gives the same bytes in all but `timings.jsonl`, on any number of threads. The first line of
//! both `.jsonl` files is a header; every other line is one decision and sampler. A folder belongs to the run of one
//! configuration: no other run writes into it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};
use thiserror::Error;

use super::columns::{ROW_COLUMNS, TIME_COLUMNS};
use super::page;
use super::plan::{Study, StudyPlan};
use super::row::StudyRow;
use hyperplay_logic::gdl::text_hash;
use hyperplay_play::files::{
    EarlierRecords, FileContent, FileError, RecordFile, WrittenFile, all_at, write_all,
};
use hyperplay_play::player::{SamplerSpec, Spec};
use hyperplay_play::referee::{date, host};
use hyperplay_report::Table;

/// The schema of `turns.jsonl` and `timings.jsonl`.
const SCHEMA: &str = "hyperplay.belief/3";

/// Why the files of a study cannot be written.
#[derive(Debug, Error)]
pub enum StudyFileError {
    /// A file cannot be written, or something else is there.
    #[error(transparent)]
    File(#[from] FileError),
    /// The folder belongs to another run.
    #[error("{} holds another run of `belief`: it differs in {}", folder.display(), differences(changed))]
    Other {
        /// The folder.
        folder: PathBuf,
        /// The keys of the configuration that differ, with what the other run has.
        changed: Vec<(String, String)>,
    },
}

/// The differences, with the value of the other run.
fn differences(changed: &[(String, String)]) -> String {
    let said = changed.iter().map(|(key, there)| format!("{key} (there {there})"));
    said.collect::<Vec<String>>().join(", ")
}

/// The subject of a study, beside its plan.
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

/// All that determines the figures of a study. Policy files, if there are any, are in it by the hashes of their
/// contents.
pub fn config(plan: &StudyPlan, subject: &StudySubject<'_>) -> Value {
    let mut config = json!({
        "game": subject.game,
        "rules": subject.rules,
        "engine": subject.engine,
        "samplers": plan.samplers.iter().map(|sampler| sampler.spec().to_string()).collect::<Vec<String>>(),
        "particles": plan.particles,
        "replicates": plan.replicates,
        "matches": plan.matches,
        "play": plan.play.to_string(),
        "roles": subject.roles,
        "steps": [plan.steps.0, plan.steps.1],
        "max_set": plan.limit,
        "playouts": plan.playouts,
        "seed": plan.seed,
    });
    if let Some(equilibrium) = &plan.equilibrium {
        config["equilibrium"] = json!(equilibrium.spec().to_string());
    }
    let samplers = plan.samplers.iter().map(SamplerSpec::spec);
    let specs = samplers.chain(plan.play.specs()).chain(plan.equilibrium.iter().map(SamplerSpec::spec));
    let policies: BTreeMap<String, String> = specs.flat_map(Spec::file_hashes).collect();
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

/// The end of the names of files that grow beside those of a finished run.
const PART: &str = ".part";

/// The file that says which run a folder belongs to.
const IDENTITY: &str = "study.json";

/// The files of a study that is being measured: `turns.jsonl` and `timings.jsonl` grow with it, so a run that is killed
/// has lost no more than the sampler that it was measuring. In the end all are written anew, with the header of what
/// was measured.
pub struct StudyFiles {
    folder: PathBuf,
    config: Value,
    threads: usize,
    /// The files that grow: beside the files of a run that was finished, so that these are kept until all is measured
    /// anew.
    growing: [RecordFile; 2],
    /// The first error of writing.
    failed: Option<FileError>,
}

impl StudyFiles {
    /// Opens a folder for the run of this configuration; it is made if it is not there. Files that the same run wrote
    /// before are replaced: at once if it was not finished, otherwise once all is measured again.
    ///
    /// # Errors
    /// If the folder belongs to another run, or has files of these names from something else; if a file cannot be
    /// written.
    pub fn open(folder: &Path, config: Value, threads: usize) -> Result<StudyFiles, StudyFileError> {
        FileError::at(folder, fs::create_dir_all(folder))?;
        let identity = folder.join(IDENTITY);
        // Folders of earlier versions have no such file, but the header says the same.
        let first = header_of(folder).map(|header| header["config"].clone()).filter(Value::is_object);
        if let Some(there) = FileError::at(&identity, known(&identity))?.or(first) {
            compare(folder, &there, &config)?;
        }
        let header = header(&config, &Study::default());
        all_at(folder, &texts(&header, &Study::default(), threads, None))?;
        let document = json!({ "schema": SCHEMA, "config": config, "config_hash": header["config_hash"] });
        let document = format!("{document:#}\n");
        WrittenFile::at(&identity, FileContent::like("json", document.as_bytes()))?.text(document)?;
        let ending = if is_complete(folder) { PART } else { "" };
        let open = |name: &str, header: &Value| -> Result<RecordFile, FileError> {
            let (path, content) = (folder.join(format!("{name}{ending}")), FileContent::records(SCHEMA));
            let mut file = RecordFile::open(&path, &content, EarlierRecords::Replaced)?;
            file.line(&header.to_string())?;
            Ok(file)
        };
        let growing =
            [open("turns.jsonl", &header)?, open("timings.jsonl", &run_header(&header, threads, None))?];
        Ok(StudyFiles { folder: folder.to_owned(), config, threads, growing, failed: None })
    }

    /// Appends rows that were measured; false if they cannot be written.
    pub fn add(&mut self, rows: &[StudyRow]) -> bool {
        let tables = [Table::of(&ROW_COLUMNS, rows), Table::of(&TIME_COLUMNS, rows)];
        let written = self.growing.iter_mut().zip(&tables).try_for_each(|(file, columns)| {
            let lines: Vec<String> = columns.json_rows().map(|row| row.to_string()).collect();
            if lines.is_empty() { Ok(()) } else { file.line(&lines.join("\n")) }
        });
        match written {
            Ok(()) => true,
            Err(error) => {
                self.failed.get_or_insert(error);
                false
            }
        }
    }

    /// Writes all files: the measured figures, in `time`. Where a finished run was to be measured again and this one is
    /// not finished, that one stays.
    ///
    /// # Errors
    /// If one cannot be written, or could not while the study was measured.
    pub fn finish(self, study: &Study, time: Duration) -> Result<(), StudyFileError> {
        if let Some(failed) = self.failed {
            return Err(failed.into());
        }
        if study.is_complete || !is_complete(&self.folder) {
            let texts = texts(&header(&self.config, study), study, self.threads, Some(time));
            write_all(&self.folder, &texts)?;
        }
        let parts = self.growing.iter().map(RecordFile::path);
        parts
            .filter(|path| path.to_string_lossy().ends_with(PART))
            .try_for_each(|path| Ok(FileError::at(path, fs::remove_file(path))?))
    }
}

/// All files but the identity: their names and what they say.
fn texts(header: &Value, study: &Study, threads: usize, time: Option<Duration>) -> Vec<(String, Vec<u8>)> {
    let (table, page) = (study.table(), page::page(header, study));
    let run = run_header(header, threads, time);
    let texts = [
        ("turns.jsonl", lines(header, table.json_rows())),
        ("timings.jsonl", lines(&run, Table::of(&TIME_COLUMNS, &study.rows).json_rows())),
        ("rows.csv", table.as_csv()),
        ("truth.csv", study.truth_table(header["seed"].as_u64().unwrap_or(0)).as_csv()),
        ("truth.jsonl", lines(header, study.truths.iter().map(|point| json!(point)))),
        ("report.html", page.finish()),
    ];
    texts.map(|(name, text)| (name.to_owned(), text.into_bytes())).into_iter().chain(page.files()).collect()
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

/// The first line of the rows in a folder, if it is JSON.
fn header_of(folder: &Path) -> Option<Value> {
    let file = File::open(folder.join("turns.jsonl")).ok()?;
    serde_json::from_str(&BufReader::new(file).lines().next()?.ok()?).ok()
}

/// Whether a run was finished in a folder.
fn is_complete(folder: &Path) -> bool {
    header_of(folder).is_some_and(|header| header["complete"] == true)
}

/// The configuration that an identity file holds; none if there is no such file, and an empty one if it is none.
fn known(identity: &Path) -> io::Result<Option<Value>> {
    match fs::read_to_string(identity) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        text => Ok(Some(serde_json::from_str::<Value>(&text?).unwrap_or_default()["config"].clone())),
    }
}

/// Whether the configuration found in a folder is this one.
fn compare(folder: &Path, there: &Value, config: &Value) -> Result<(), StudyFileError> {
    if there == config {
        return Ok(());
    }
    let all: BTreeSet<&String> =
        [config, there].into_iter().filter_map(Value::as_object).flat_map(Map::keys).collect();
    let changed = all.into_iter().filter(|&key| config.get(key) != there.get(key)).map(|key| {
        let found = there.get(key).map_or_else(|| "nothing".to_owned(), Value::to_string);
        (key.clone(), found)
    });
    Err(StudyFileError::Other { folder: folder.to_owned(), changed: changed.collect() })
}

fn lines(header: &Value, rows: impl Iterator<Item = Value>) -> String {
    std::iter::once(header.clone()).chain(rows).map(|line| format!("{line}\n")).collect()
}
