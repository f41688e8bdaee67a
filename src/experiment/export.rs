//! Export: the matches and turns as two flat tables for pandas, DuckDB, R and the field's own scripts.
//!
//! `matches.csv` has a row for each match and role, `turns.csv` one for each turn; both repeat what a reader needs to
//! use one of them alone. Columns of the field's tables keep their meaning (`docs/analysis.md`); the wall times come
//! from the timings and are empty if these are lost. Decisions that were recorded in full become Parquet tables
//! ([`export_decisions`](super::export_decisions)). The export is one pass that keeps one match in memory.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::columns::columns;
use super::export_decisions::DecisionTables;
use super::folder::Planned;
use super::results::Results;
use hyperplay_lab::LabResult;
use hyperplay_lab::records::{MatchRecord, Record, TurnRecord};
use hyperplay_play::files::{FileContent, FileError, PartFile, WrittenFile};
use hyperplay_report::{Column, Table};

/// A role of a match. Its own goal and faults stand in the place of those of all roles.
#[derive(Serialize)]
struct MatchRow<'a> {
    #[serde(flatten)]
    record: &'a MatchRecord,
    role: &'a str,
    player: &'a str,
    spec: &'a str,
    goal: Option<u8>,
    faults: Option<u32>,
    seconds: Option<f64>,
}

/// A turn of a match.
#[derive(Serialize)]
struct TurnRow<'a> {
    #[serde(flatten)]
    turn: TurnRecord,
    deal: u64,
    seat_permutation: usize,
    spec: &'a str,
    time_to_update: Option<f64>,
    time_to_select: Option<f64>,
}

/// Writes the tables into a folder; returns their paths and the number of matches. What is missing and damaged is known then.
///
/// # Errors
/// If the results cannot be read or the tables cannot be written.
pub fn export(planned: &Planned, results: &mut Results<'_>, to: &Path) -> LabResult<(Vec<PathBuf>, u64)> {
    let paths = ["matches.csv", "turns.csv"].map(|name| to.join(name));
    let begin = |path: &PathBuf, columns: &[Column]| -> Result<PartFile, FileError> {
        let head = Table::of::<()>(columns, []).csv_head();
        let mut file = WrittenFile::at(path, FileContent::like("csv", head.as_bytes()))?.begin()?;
        FileError::at(path, file.write_all(head.as_bytes()))?;
        Ok(file)
    };
    let [of_match, of_turn] = ["match", "turn"].map(|table| columns(&[table]));
    let (mut matches, mut turns) = (begin(&paths[0], &of_match)?, begin(&paths[1], &of_turn)?);
    let mut decisions = DecisionTables::new(to);
    let mut count = 0;
    while let Some(finished) = results.next()? {
        count += 1;
        let timing = finished.timing();
        let (record, seconds) = (&finished.record, timing.as_ref().map(|timing| timing.seconds));
        let rows = record.players.iter().map(|(role, player)| {
            let (goal, faults) = (record.goals.get(role).copied(), record.faults.get(role).copied());
            MatchRow { record, role, player, spec: planned.spec_of(player), goal, faults, seconds }
        });
        let rows: Vec<MatchRow<'_>> = rows.collect();
        FileError::at(&paths[0], write!(matches, "{}", Table::of(&of_match, &rows).csv_lines()))?;
        decisions.add(planned, &finished)?;
        let row = |(number, line): (usize, &Vec<u8>)| {
            let turn = TurnRecord::read(line).ok()?;
            let time = timing.as_ref().and_then(|timing| timing.turns.get(number)).copied();
            Some(TurnRow {
                deal: record.deal,
                seat_permutation: record.seat_permutation,
                spec: planned.spec_of(&turn.player),
                time_to_update: time.and_then(|time| time.update),
                time_to_select: time.and_then(|time| time.select),
                turn,
            })
        };
        let rows: Vec<TurnRow<'_>> = finished.turns().iter().enumerate().filter_map(row).collect();
        FileError::at(&paths[1], write!(turns, "{}", Table::of(&of_turn, &rows).csv_lines()))?;
    }
    matches.finish()?;
    turns.finish()?;
    Ok((paths.into_iter().chain(decisions.finish()?).collect(), count))
}
