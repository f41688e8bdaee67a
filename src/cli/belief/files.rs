//! The files of `--out`: `turns.jsonl`, `timings.jsonl`, `rows.csv`, `report.html`.
//!
//! Invariant: one seed gives the same bytes in all but `timings.jsonl`, on any number of threads. The first line of both
//! `.jsonl` files is a header; every other line is one decision and sampler.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::super::failure::Failure;
use super::super::game_argument::Opened;
use super::page;
use super::row::{COLUMNS, Row};
use super::study::{Plan, Study};
use hyperplay_logic::gdl::text_hash;
use hyperplay_play::player::{SamplerSpec, Spec};
use hyperplay_play::referee::{date, host};

/// The schema of `turns.jsonl` and `timings.jsonl`.
const SCHEMA: &str = "hyperplay.belief/1";

/// What a study is of: all that fixes its figures. Policy files, if there are any, by the hashes of what they say.
pub fn config(plan: &Plan, opened: &Opened, roles: &[&str], engine: &str) -> Value {
    let mut config = json!({
        "game": opened.name,
        "rules": opened.hash(),
        "engine": engine,
        "samplers": plan.samplers.iter().map(|sampler| sampler.spec().to_string()).collect::<Vec<String>>(),
        "particles": plan.particles,
        "runs": plan.runs,
        "matches": plan.matches,
        "play": plan.play.spec().to_string(),
        "roles": roles,
        "steps": [plan.steps.0, plan.steps.1],
        "max_set": plan.limit,
        "reference": plan.reference,
        "playouts": plan.playouts,
        "seed": plan.seed,
    });
    let specs = plan.samplers.iter().map(SamplerSpec::spec).chain([plan.play.spec()]);
    let policies: BTreeMap<String, String> = specs.flat_map(Spec::policy_hashes).collect();
    if !policies.is_empty() {
        config["policies"] = json!(policies);
    }
    config
}

/// The header of `turns.jsonl`.
fn header(config: &Value, study: &Study) -> Value {
    let columns: Value = COLUMNS.iter().map(|&(key, about)| (key.to_owned(), json!(about))).collect();
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

/// Writes all files into a folder, which is made if it is not there; files of these names are replaced.
///
/// # Errors
/// If one cannot be written.
pub fn write(
    folder: &Path,
    config: &Value,
    study: &Study,
    threads: usize,
    time: Duration,
) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|cause| Failure::File { path: folder.to_owned(), cause })?;
    let header = header(config, study);
    let rows = study.rows.iter();
    lines(&folder.join("turns.jsonl"), &header, rows.clone().map(Row::as_json))?;
    let run = json!({
        "schema": SCHEMA,
        "version": header["version"],
        "config_hash": header["config_hash"],
        "date": date(),
        "host": host(),
        "threads": threads,
        "seconds": time.as_secs_f64(),
    });
    lines(&folder.join("timings.jsonl"), &run, rows.map(Row::times))?;
    csv(&folder.join("rows.csv"), study)?;
    text(&folder.join("report.html"), &page::page(&header, study))
}

/// Makes sure that a folder can be written to, before anything is measured.
///
/// # Errors
/// If it cannot be made, or is a file.
pub fn prepare(folder: &Path) -> Result<(), Failure> {
    let probe = folder.join("report.html");
    fs::create_dir_all(folder).map_err(|cause| Failure::File { path: folder.to_owned(), cause })?;
    File::options()
        .append(true)
        .create(true)
        .open(&probe)
        .map_err(|cause| Failure::File { path: probe, cause })?;
    Ok(())
}

/// Writes one text.
///
/// # Errors
/// If it cannot be written.
pub fn text(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|cause| Failure::File { path: path.to_owned(), cause })
}

fn lines(path: &PathBuf, header: &Value, rows: impl Iterator<Item = Value>) -> Result<(), Failure> {
    let failed = |cause| Failure::File { path: path.clone(), cause };
    let mut file = BufWriter::new(File::create(path).map_err(failed)?);
    for line in std::iter::once(header.clone()).chain(rows) {
        writeln!(file, "{line}").map_err(failed)?;
    }
    file.flush().map_err(failed)
}

fn csv(path: &PathBuf, study: &Study) -> Result<(), Failure> {
    let failed = |cause: csv::Error| Failure::File { path: path.clone(), cause: cause.into() };
    let mut file = csv::Writer::from_path(path).map_err(failed)?;
    for (at, row) in study.rows.iter().enumerate() {
        let (names, values): (Vec<String>, Vec<String>) = row.cells().into_iter().unzip();
        if at == 0 {
            file.write_record(names).map_err(failed)?;
        }
        file.write_record(values).map_err(failed)?;
    }
    file.flush().map_err(|cause| Failure::File { path: path.clone(), cause })
}
