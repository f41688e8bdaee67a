//! Export: the matches and turns as two flat tables for pandas, DuckDB, R and the field's own scripts.
//!
//! `matches.csv` has a row for each match and role, `turns.csv` one for each turn; both repeat what is needed to be read
//! alone. Columns of the field's tables keep their meaning (`docs/analysis.md`); the wall times come from the timings,
//! and are empty where these are lost. One pass; memory is one match.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::folder::{FolderError, Planned};
use super::record::{TimingRecord, TurnRecord};
use super::results::{Finished, Results, ResultsError};
use super::tables::field;

const MATCHES: [&str; 13] = [
    "match", "game", "cell", "deal", "seating", "role", "player", "spec", "goal", "outcome", "steps",
    "faults", "seconds",
];

const TURNS: [&str; 23] = [
    "match",
    "game",
    "cell",
    "deal",
    "seating",
    "step",
    "role",
    "player",
    "spec",
    "legal",
    "move",
    "value",
    "particles",
    "states",
    "effective",
    "whole",
    "depleted",
    "visited",
    "playouts",
    "playouts_per_move",
    "time_to_update",
    "time_to_select",
    "fault",
];

/// Writes both tables into a folder; returns their paths and the number of matches.
///
/// # Errors
/// If the results cannot be read or the tables cannot be written.
pub fn export(
    planned: &Planned,
    mut results: Results<'_>,
    to: &Path,
) -> Result<(Vec<PathBuf>, u64), ResultsError> {
    let paths = ["matches.csv", "turns.csv"].map(|name| to.join(name));
    let failed = |path: &PathBuf, cause: io::Error| {
        ResultsError::Folder(FolderError::File { path: path.clone(), cause })
    };
    let create = |path: &PathBuf| File::create(path).map(BufWriter::new).map_err(|cause| failed(path, cause));
    let [mut matches, mut turns] = [create(&paths[0])?, create(&paths[1])?];
    writeln!(matches, "{}", MATCHES.join(",")).map_err(|cause| failed(&paths[0], cause))?;
    writeln!(turns, "{}", TURNS.join(",")).map_err(|cause| failed(&paths[1], cause))?;
    let mut count = 0;
    while let Some(finished) = results.next()? {
        count += 1;
        let timing: Option<TimingRecord> =
            finished.timing.as_ref().and_then(|line| serde_json::from_slice(line).ok());
        for row in match_rows(planned, &finished, timing.as_ref()) {
            writeln!(matches, "{}", joined(&row)).map_err(|cause| failed(&paths[0], cause))?;
        }
        for row in turn_rows(planned, &finished, timing.as_ref()) {
            writeln!(turns, "{}", joined(&row)).map_err(|cause| failed(&paths[1], cause))?;
        }
    }
    matches.flush().map_err(|cause| failed(&paths[0], cause))?;
    turns.flush().map_err(|cause| failed(&paths[1], cause))?;
    Ok((paths.into(), count))
}

fn joined(row: &[Value]) -> String {
    row.iter().map(field).collect::<Vec<_>>().join(",")
}

fn spec<'a>(planned: &'a Planned, label: &str) -> &'a str {
    let entrant = planned.plan.entrants.iter().find(|entrant| entrant.label == label);
    entrant.map_or("", |entrant| entrant.spec.as_str())
}

fn match_rows(planned: &Planned, finished: &Finished, timing: Option<&TimingRecord>) -> Vec<[Value; 13]> {
    let record = &finished.record;
    let rows = record.players.iter().enumerate().map(|(seat, (role, player))| {
        [
            json!(record.id),
            json!(record.game),
            json!(record.cell),
            json!(record.deal),
            json!(record.seating),
            json!(role),
            json!(player),
            json!(spec(planned, player)),
            json!(record.goals.get(seat).map(|&(_, goal)| goal)),
            json!(record.outcome),
            json!(record.steps),
            json!(record.faults.get(seat).map(|&(_, count)| count)),
            json!(timing.map(|timing| timing.seconds)),
        ]
    });
    rows.collect()
}

fn turn_rows(planned: &Planned, finished: &Finished, timing: Option<&TimingRecord>) -> Vec<[Value; 23]> {
    let turns = finished.turns.iter().enumerate();
    let rows = turns.filter_map(|(number, line)| {
        let turn: TurnRecord = serde_json::from_slice(line).ok()?;
        let time = timing.and_then(|timing| timing.turns.get(number));
        Some([
            json!(turn.id),
            json!(turn.game),
            json!(turn.cell),
            json!(finished.record.deal),
            json!(finished.record.seating),
            json!(turn.step),
            json!(turn.role),
            json!(turn.player),
            json!(spec(planned, &turn.player)),
            json!(turn.legal),
            json!(turn.own),
            json!(turn.value),
            json!(turn.particles),
            json!(turn.states),
            json!(turn.effective),
            json!(turn.whole),
            json!(turn.depleted),
            json!(turn.visited),
            json!(turn.playouts),
            json!(turn.playouts_per_move),
            json!(time.and_then(|time| time.update)),
            json!(time.and_then(|time| time.select)),
            json!(turn.fault),
        ])
    });
    rows.collect()
}
