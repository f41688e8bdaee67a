//! The files of a study: `turns.jsonl`, `timings.jsonl`, `rows.csv`, `summary.csv`, `summary.tex`, `truth.csv`, `truth.jsonl`,
//! `frontier.csv`, `report.html`, report.md, its figures in `figures`, and `study.json` and `study.toml`, its identity. All but the
//! identity are made of the [blocks](super::Blocks).
//!
//! Invariant: one seed gives the same bytes in all but `timings.jsonl`, `frontier.csv`, report.md and the figure of the frontier,
//! on any number of threads and shards. The first line of both `.jsonl` files is a header; every other line is one decision and
//! sampler. A folder belongs to one study, which may only grow: by games, samplers, numbers of particles, roles and matches.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::blocks::Blocks;
use super::columns::ROW_COLUMNS;
use super::game::{SCHEMA, StudyGame};
use super::measuring::Study;
use super::page_figures::frontier_figure;
use super::plan::{StudyPlan, WORK};
use super::views::StudyTables;
use super::{page, sections};
use crate::failure::{LabError, LabResult};
use crate::shards::Shard;
use hyperplay_logic::gdl::text_hash;
use hyperplay_machine::StateMachine as _;
use hyperplay_play::files::{FileContent, FileError, WrittenFile, all_at, write_all};
use hyperplay_play::player::{SamplerSpec, Spec};
use hyperplay_play::referee::{date, host};
use hyperplay_report::{Figure, Table, figure_files};
use serde_json::{Map, Value, json};

/// All that determines the figures of a study of one game. Policy files, if there are any, are in it by the hashes of their contents.
fn config(plan: &StudyPlan, game: &StudyGame) -> Value {
    let roles = plan.roles_of(&game.machine);
    let mut config = json!({
        "game": game.name,
        "rules": game.rules,
        "engine": game.machine.kind().to_string(),
        "samplers": plan.samplers.iter().map(|sampler| sampler.spec().to_string()).collect::<Vec<String>>(),
        "particles": plan.particles,
        "replicates": plan.replicates,
        "matches": plan.matches,
        "play": plan.play.to_string(),
        "roles": roles.iter().map(|&role| &game.machine.roles()[role]).collect::<Vec<_>>(),
        "steps": [plan.steps.0, plan.steps.1],
        "max_set": plan.limit,
        "playouts": plan.playouts,
        "seed": plan.seed,
    });
    let samplers = plan.samplers.iter().map(SamplerSpec::spec);
    let specs = samplers.chain(plan.play.specs()).chain(plan.equilibrium.iter().map(SamplerSpec::spec));
    let policies: BTreeMap<String, String> = specs.flat_map(Spec::file_hashes).collect();
    let equilibrium = plan.equilibrium.as_ref().map(|equilibrium| equilibrium.spec().to_string());
    let unusual = [
        ("work", (plan.work != WORK).then_some(json!(plan.work))),
        ("limit", plan.update_limit.map(|limit| json!(limit.as_secs_f64()))),
        ("equilibrium", equilibrium.map(Value::from)),
        ("policies", (!policies.is_empty()).then_some(json!(policies))),
    ];
    for (key, value) in unusual.into_iter().filter_map(|(key, value)| Some((key, value?))) {
        config[key] = value;
    }
    config
}

/// The configurations of the games; that of all is the one of a single game.
fn games(whole: &Value) -> Vec<Value> {
    whole["games"].as_array().cloned().unwrap_or_else(|| vec![whole.clone()])
}

/// The header of `turns.jsonl`.
fn header(config: &Value, studies: &[Study]) -> Value {
    let columns: Value =
        ROW_COLUMNS.iter().map(|column| (column.name.to_owned(), json!(column.meaning))).collect();
    json!({
        "schema": SCHEMA,
        "program": "hyperplay",
        "version": env!("CARGO_PKG_VERSION"),
        "seed": config["seed"],
        "config": config,
        "config_hash": text_hash(&config.to_string()),
        "complete": studies.iter().all(|study| study.is_complete),
        "rows": studies.iter().map(|study| study.rows.len()).sum::<usize>(),
        "columns": columns,
    })
}

/// The remedy where a folder holds another study.
const OTHER_FOLDER: &str = "name another folder with --out, or take that one away";

/// The file that says which study a folder belongs to: all that determines its figures.
const IDENTITY: &str = "study.json";

/// The study as it was asked for. Its folder may be named in the place of this file.
pub const ASKED: &str = "study.toml";

/// How [`ASKED`] begins.
pub const ASKED_SCHEMA: &str = "hyperplay.study/1";

/// The files of a study that is being measured. They are made when all is known, from the blocks.
pub struct StudyFiles {
    folder: PathBuf,
    plans: Vec<StudyPlan>,
    config: Value,
    threads: usize,
}

impl StudyFiles {
    /// Opens a folder for the study of these games, which was asked for so, and the blocks that are known of it; the
    /// folder is made if it is not there.
    ///
    /// # Errors
    /// If the folder belongs to another study, or has files of these names from something else; if a file cannot be
    /// written.
    pub fn open(
        folder: &Path,
        games: &[(StudyPlan, StudyGame)],
        asked: &str,
        threads: usize,
        (shard, reuse): (Shard, &[PathBuf]),
    ) -> LabResult<(StudyFiles, Blocks)> {
        FileError::at(folder, fs::create_dir_all(folder))?;
        let plans: Vec<StudyPlan> = games.iter().map(|(plan, _)| plan.clone()).collect();
        let config = StudyFiles::compared(folder, games, false)?;
        let (identity, as_asked) = (folder.join(IDENTITY), folder.join(ASKED));
        let files = StudyFiles { folder: folder.to_owned(), plans, config, threads };
        let nothing = vec![Study::default(); files.plans.len()];
        let tables: Vec<StudyTables> = nothing.iter().map(|study| study.tables(0)).collect();
        all_at(folder, &files.texts(&nothing, &tables, None))?;
        let blocks = Blocks::open(folder, shard, reuse)?;
        let hash = text_hash(&files.config.to_string());
        let document = json!({ "schema": SCHEMA, "config": files.config, "config_hash": hash });
        let document = format!("{document:#}\n");
        WrittenFile::at(&identity, FileContent::like("json", document.as_bytes()))?.text(document)?;
        let beginning = format!("schema = \"{ASKED_SCHEMA}\"");
        WrittenFile::at(&as_asked, FileContent::beginning("study", beginning))?.text(asked)?;
        Ok((files, blocks))
    }

    /// The configuration of these games, which are a part of the study in a folder or all of it, compared with that study.
    ///
    /// # Errors
    /// If there is another study, or the folder cannot be read.
    pub fn compared(folder: &Path, games: &[(StudyPlan, StudyGame)], is_part: bool) -> LabResult<Value> {
        let configs: Vec<Value> = games.iter().map(|(plan, game)| config(plan, game)).collect();
        let all = json!({ "games": configs, "seed": configs[0]["seed"] });
        let config = if let [config] = &configs[..] { config.clone() } else { all };
        let identity = folder.join(IDENTITY);
        // Folders of earlier versions have no such file, but the header says the same.
        let first = header_of(folder).map(|header| header["config"].clone()).filter(Value::is_object);
        if let Some(there) = FileError::at(&identity, known(&identity))?.or(first) {
            compare(folder, &there, &config, is_part)?;
            if !Blocks::are_in(folder) {
                let holds = "holds a run of `belief` of an earlier version, which cannot go on";
                return Err(LabError::other(format!("{} {holds}", folder.display()), OTHER_FOLDER));
            }
        }
        Ok(config)
    }

    /// Writes all files: the measured figures, in `time`, and their tables.
    ///
    /// # Errors
    /// If one cannot be written.
    pub fn finish(&self, studies: &[Study], tables: &[StudyTables], time: Duration) -> LabResult {
        Ok(write_all(&self.folder, &self.texts(studies, tables, Some(time)))?)
    }

    /// All files but the identity: their names and what they say.
    fn texts(
        &self,
        studies: &[Study],
        tables: &[StudyTables],
        time: Option<Duration>,
    ) -> Vec<(String, Vec<u8>)> {
        let header = header(&self.config, studies);
        let page = page::page(&header, &games(&self.config), studies, tables);
        let all = |of: fn(&StudyTables) -> &Table| {
            let rows = tables.iter().flat_map(|tables| of(tables).rows.clone()).collect();
            Table { rows, ..of(&tables[0]).clone() }
        };
        let rows = all(|tables| &tables.rows);
        let times = run_header(&header, self.threads, time);
        let truths = studies.iter().flat_map(|study| study.truths.iter().map(|point| json!(point)));
        let frontier = tables.iter().flat_map(|tables| &tables.frontier_rows);
        let figures: Vec<Figure> = frontier_figure(&frontier.collect::<Vec<_>>()).into_iter().collect();
        let texts = [
            ("turns.jsonl", lines(&header, rows.json_rows())),
            ("timings.jsonl", lines(&times, all(|tables| &tables.times).json_rows())),
            ("rows.csv", rows.as_csv()),
            ("summary.csv", all(|tables| &tables.summary).as_csv()),
            ("summary.tex", sections::tex(&self.plans, studies)),
            ("truth.csv", all(|tables| &tables.truth).as_csv()),
            ("truth.jsonl", lines(&header, truths)),
            ("frontier.csv", all(|tables| &tables.frontier).as_csv()),
            ("report.html", page.finish()),
            ("report.md", sections::markdown(&date()[..10], &self.plans, studies)),
        ];
        let texts = texts.map(|(name, text)| (name.to_owned(), text.into_bytes()));
        texts.into_iter().chain(page.files()).chain(figure_files(&figures)).collect()
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

/// The first line of the rows in a folder, if it is JSON.
fn header_of(folder: &Path) -> Option<Value> {
    let file = File::open(folder.join("turns.jsonl")).ok()?;
    serde_json::from_str(&BufReader::new(file).lines().next()?.ok()?).ok()
}

/// The configuration that an identity file holds; none if there is no such file, and an empty one if it is none.
fn known(identity: &Path) -> io::Result<Option<Value>> {
    match fs::read_to_string(identity) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        text => Ok(Some(serde_json::from_str::<Value>(&text?).unwrap_or_default()["config"].clone())),
    }
}

/// Whether the study found in a folder is this one, or one that this one extends.
fn compare(folder: &Path, there: &Value, config: &Value, is_part: bool) -> LabResult {
    let (mut changed, formers, now) = (BTreeSet::new(), games(there), games(config));
    for former in &formers {
        let Some(own) = now.iter().find(|own| own["game"] == former["game"]) else {
            changed.extend((!is_part).then(|| ("game".to_owned(), former["game"].to_string())));
            continue;
        };
        let keys: BTreeSet<&String> =
            [own, former].into_iter().filter_map(Value::as_object).flat_map(Map::keys).collect();
        for key in keys.into_iter().filter(|key| !extends(key, &former[*key], &own[*key])) {
            let found = former.get(key).map_or_else(|| "nothing".to_owned(), Value::to_string);
            let is_common = key == "seed" || formers.len() == 1;
            let what = if is_common { key.clone() } else { format!("{key} of {}", own["game"]) };
            changed.insert((what, found));
        }
    }
    let said: Vec<String> = changed.iter().map(|(key, there)| format!("{key} (there {there})")).collect();
    let remedy = match &Vec::from_iter(&changed)[..] {
        [] => return Ok(()),
        [(key, there)] if key == "seed" => {
            format!("give --seed {there} to measure the same again, or name another folder with --out")
        }
        _ => OTHER_FOLDER.to_owned(),
    };
    let folder = folder.display();
    let what = format!("{folder} holds another run of `belief`: it differs in {}", said.join(", "));
    Err(LabError::other(what, remedy))
}

/// Whether a value of this key has all that the other one had.
fn extends(key: &str, there: &Value, now: &Value) -> bool {
    match (key, there, now) {
        ("samplers" | "particles" | "roles", Value::Array(there), Value::Array(now)) => {
            there.iter().all(|one| now.contains(one))
        }
        ("policies", there, Value::Object(now)) => {
            there.as_object().into_iter().flatten().all(|(path, hash)| now.get(path) == Some(hash))
        }
        ("matches", there, now) => there.as_u64() <= now.as_u64(),
        _ => there == now,
    }
}

fn lines(header: &Value, rows: impl Iterator<Item = Value>) -> String {
    std::iter::once(header.clone()).chain(rows).map(|line| format!("{line}\n")).collect()
}
