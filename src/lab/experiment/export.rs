//! Export: the matches and turns as two flat tables for pandas, DuckDB, R and the field's own scripts.
//!
//! `matches.csv` has a row for each match and role, `turns.csv` one for each turn; both repeat what a reader needs to
//! use one of them alone. Columns of the field's tables keep their meaning (`docs/analysis.md`); the wall times come
//! from the timings and are empty if these are lost. What was recorded in full becomes Parquet tables
//! ([`export_decisions`](super::export_decisions)). The export is one pass that keeps one match in memory.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::export_decisions::DecisionTables;
use super::folder::Planned;
use super::record::{MatchRecord, TimingRecord, TurnRecord, TurnTime};
use super::results::{Results, ResultsError};
use super::stored::FinishedMatch;
use crate::report::Format::{Digits, Number, Text};
use crate::report::{Column, Table, TableEntry};
use hyperplay_play::files::{FileContent, FileError, PartFile, WrittenFile};

/// A role of a match.
struct MatchRow<'a> {
    record: &'a MatchRecord,
    seat: usize,
    role: &'a str,
    player: &'a str,
    spec: &'a str,
    seconds: Option<f64>,
}

/// A turn of a match.
struct TurnRow<'a> {
    record: &'a MatchRecord,
    turn: TurnRecord,
    spec: &'a str,
    time: Option<TurnTime>,
}

fn id(number: u64) -> TableEntry {
    TableEntry::Count(number)
}

fn counted(number: Option<usize>) -> TableEntry {
    number.map_or(TableEntry::Missing, TableEntry::from)
}

fn text(written: Option<&str>) -> TableEntry {
    written.map_or(TableEntry::Missing, TableEntry::from)
}

fn match_columns<'a>() -> [Column<MatchRow<'a>>; 13] {
    [
        Column::plain("match", Number, |row| id(row.record.id)),
        Column::plain("game", Text, |row| row.record.game.as_str().into()),
        Column::plain("cell", Number, |row| row.record.cell.into()),
        Column::plain("deal", Number, |row| id(row.record.deal)),
        Column::plain("seat_permutation", Number, |row| row.record.seat_permutation.into()),
        Column::plain("role", Text, |row| row.role.into()),
        Column::plain("player", Text, |row| row.player.into()),
        Column::plain("spec", Text, |row| row.spec.into()),
        Column::plain("goal", Number, |row| {
            row.record.goals.get(row.seat).map_or(TableEntry::Missing, |&(_, goal)| id(goal.into()))
        }),
        Column::plain("outcome", Text, |row| row.record.outcome.as_str().into()),
        Column::plain("steps", Number, |row| row.record.steps.into()),
        Column::plain("faults", Number, |row| {
            row.record.faults.get(row.seat).map_or(TableEntry::Missing, |&(_, count)| id(count.into()))
        }),
        Column::plain("seconds", Digits(6), |row| row.seconds.into()),
    ]
}

fn turn_columns<'a>() -> [Column<TurnRow<'a>>; 26] {
    [
        Column::plain("match", Number, |row| id(row.turn.id)),
        Column::plain("game", Text, |row| row.turn.game.as_str().into()),
        Column::plain("cell", Number, |row| row.turn.cell.into()),
        Column::plain("deal", Number, |row| id(row.record.deal)),
        Column::plain("seat_permutation", Number, |row| row.record.seat_permutation.into()),
        Column::plain("step", Number, |row| row.turn.step.into()),
        Column::plain("role", Text, |row| row.turn.role.as_str().into()),
        Column::plain("player", Text, |row| row.turn.player.as_str().into()),
        Column::plain("spec", Text, |row| row.spec.into()),
        Column::plain("legal", Number, |row| row.turn.legal.into()),
        Column::plain("move", Text, |row| row.turn.own.as_str().into()),
        Column::plain("value", Digits(2), |row| row.turn.value.into()),
        Column::plain("particles", Number, |row| counted(row.turn.particles)),
        Column::plain("states", Number, |row| counted(row.turn.states)),
        Column::plain("effective", Digits(1), |row| row.turn.effective.into()),
        Column::plain("enumerated", Number, |row| {
            row.turn.enumerated.map_or(TableEntry::Missing, TableEntry::Flag)
        }),
        Column::plain("method", Text, |row| text(row.turn.method.as_deref())),
        Column::plain("attempts", Number, |row| row.turn.attempts.map_or(TableEntry::Missing, id)),
        Column::plain("accepted", Number, |row| row.turn.accepted.map_or(TableEntry::Missing, id)),
        Column::plain("depleted", Number, |row| TableEntry::Flag(row.turn.depleted)),
        Column::plain("visited", Number, |row| id(row.turn.visited)),
        Column::plain("playouts", Number, |row| id(row.turn.playouts)),
        Column::plain("playouts_per_move", Digits(1), |row| row.turn.playouts_per_move.into()),
        Column::plain("time_to_update", Digits(6), |row| row.time.and_then(|time| time.update).into()),
        Column::plain("time_to_select", Digits(6), |row| row.time.and_then(|time| time.select).into()),
        Column::plain("fault", Text, |row| text(row.turn.fault.as_deref())),
    ]
}

/// Writes the tables into a folder; returns their paths and the number of matches.
///
/// # Errors
/// If the results cannot be read or the tables cannot be written.
pub fn export(
    planned: &Planned,
    mut results: Results<'_>,
    to: &Path,
) -> Result<(Vec<PathBuf>, u64), ResultsError> {
    let paths = ["matches.csv", "turns.csv"].map(|name| to.join(name));
    let create = |path: &PathBuf, head: String| -> Result<PartFile, FileError> {
        let mut file = WrittenFile::at(path, FileContent::like("csv", head.as_bytes()))?.begin()?;
        FileError::at(path, file.write_all(head.as_bytes()))?;
        Ok(file)
    };
    let heads = [Table::of(&match_columns(), &[]).csv_head(), Table::of(&turn_columns(), &[]).csv_head()];
    let [match_head, turn_head] = heads;
    let (mut matches, mut turns) = (create(&paths[0], match_head)?, create(&paths[1], turn_head)?);
    let mut decisions = DecisionTables::new(to);
    let mut count = 0;
    while let Some(finished) = results.next()? {
        count += 1;
        let timing: Option<TimingRecord> =
            finished.timing().and_then(|line| serde_json::from_slice(line).ok());
        let rows = Table::of(&match_columns(), &match_rows(planned, &finished, timing.as_ref()));
        FileError::at(&paths[0], write!(matches, "{}", rows.csv_lines()))?;
        decisions.add(planned, &finished)?;
        let rows = Table::of(&turn_columns(), &turn_rows(planned, &finished, timing.as_ref()));
        FileError::at(&paths[1], write!(turns, "{}", rows.csv_lines()))?;
    }
    matches.finish()?;
    turns.finish()?;
    Ok((paths.into_iter().chain(decisions.finish()?).collect(), count))
}

fn spec<'a>(planned: &'a Planned, label: &str) -> &'a str {
    let entrant = planned.plan.entrants.iter().find(|entrant| entrant.label == label);
    entrant.map_or("", |entrant| entrant.spec.as_str())
}

fn match_rows<'a>(
    planned: &'a Planned,
    finished: &'a FinishedMatch,
    timing: Option<&TimingRecord>,
) -> Vec<MatchRow<'a>> {
    let record = &finished.record;
    let seconds = timing.map(|timing| timing.seconds);
    let rows = record.players.iter().enumerate().map(|(seat, (role, player))| {
        let spec = spec(planned, player);
        MatchRow { record, seat, role, player, spec, seconds }
    });
    rows.collect()
}

fn turn_rows<'a>(
    planned: &'a Planned,
    finished: &'a FinishedMatch,
    timing: Option<&TimingRecord>,
) -> Vec<TurnRow<'a>> {
    let turns = finished.turns().iter().enumerate();
    let rows = turns.filter_map(|(number, line)| {
        let turn: TurnRecord = serde_json::from_slice(line).ok()?;
        let time = timing.and_then(|timing| timing.turns.get(number)).copied();
        let spec = spec(planned, &turn.player);
        Some(TurnRow { record: &finished.record, turn, spec, time })
    });
    rows.collect()
}
