//! The files of a study: `turns.jsonl`, `timings.jsonl`, `rows.csv`, `report.html`, and its figures in `figures`.
//!
//! Invariant: one seed gives the same bytes in all but `timings.jsonl`, on any number of threads. The first line of both
//! `.jsonl` files is a header; every other line is one decision and sampler.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use thiserror::Error;

use super::page;
use super::plan::{Study, StudyPlan};
use super::row::ROW_COLUMNS;
use super::times::TIME_COLUMNS;
use crate::report::Table;
use hyperplay_logic::gdl::text_hash;
use hyperplay_play::player::{SamplerSpec, Spec};
use hyperplay_play::referee::{date, host};

/// The schema of `turns.jsonl` and `timings.jsonl`.
const SCHEMA: &str = "hyperplay.belief/2";

/// A file of a study that cannot be written.
#[derive(Debug, Error)]
#[error("{}: {cause}", path.display())]
pub struct StudyFileError {
    /// The file or folder.
    pub path: PathBuf,
    /// What the operating system says.
    pub cause: io::Error,
}

fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, StudyFileError> {
    result.map_err(|cause| StudyFileError { path: path.to_owned(), cause })
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

/// Writes all files into a folder, which is made if it is not there. Files of these names are replaced.
///
/// # Errors
/// If one cannot be written.
pub fn write(
    folder: &Path,
    config: &Value,
    study: &Study,
    threads: usize,
    time: Duration,
) -> Result<(), StudyFileError> {
    at(folder, fs::create_dir_all(folder))?;
    let header = header(config, study);
    let table = study.table();
    lines(&folder.join("turns.jsonl"), &header, table.json_rows())?;
    let run = json!({
        "schema": SCHEMA,
        "version": header["version"],
        "config_hash": header["config_hash"],
        "date": date(),
        "host": host(),
        "threads": threads,
        "seconds": time.as_secs_f64(),
    });
    lines(&folder.join("timings.jsonl"), &run, Table::of(&TIME_COLUMNS, &study.rows).json_rows())?;
    let [csv, html] = ["rows.csv", "report.html"].map(|name| folder.join(name));
    at(&csv, fs::write(&csv, if study.rows.is_empty() { String::new() } else { table.as_csv() }))?;
    let page = page::page(&header, study);
    at(&html, fs::write(&html, page.finish()))?;
    write_all(folder, &page.files())
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

/// Checks that a folder can be written to, before the measurements begin.
///
/// # Errors
/// If it cannot be made, or is a file.
pub fn prepare(folder: &Path) -> Result<(), StudyFileError> {
    let probe = folder.join("report.html");
    at(folder, fs::create_dir_all(folder))?;
    at(&probe, File::options().append(true).create(true).open(&probe))?;
    Ok(())
}

fn lines(path: &Path, header: &Value, rows: impl Iterator<Item = Value>) -> Result<(), StudyFileError> {
    let mut file = BufWriter::new(at(path, File::create(path))?);
    for line in std::iter::once(header.clone()).chain(rows) {
        at(path, writeln!(file, "{line}"))?;
    }
    at(path, file.flush())
}
