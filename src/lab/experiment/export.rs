//! Export: the matches and turns as two flat tables for pandas, DuckDB, R and the field's own scripts.
//!
//! `matches.csv` has a row for each match and role, `turns.csv` one for each turn; both repeat what a reader needs to
//! use one of them alone. Columns of the field's tables keep their meaning (`docs/analysis.md`); the wall times come
//! from the timings and are empty if these are lost. What was recorded in full becomes Parquet tables
//! ([`export_decisions`](super::export_decisions)). The export is one pass that keeps one match in memory.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::columns::Columns;
use super::export_decisions::DecisionTables;
use super::folder::Planned;
use super::record::{MatchRecord, TimingRecord, TurnRecord, TurnTime};
use super::results::{Results, ResultsError};
use super::stored::FinishedMatch;
use hyperplay_play::files::{FileContent, FileError, PartFile, WrittenFile};
use hyperplay_report::{Column, Table};

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

fn match_columns<'a>() -> Vec<Column<MatchRow<'a>>> {
    Columns("match").read_by(&[
        ("match", |row| row.record.id.into()),
        ("game", |row| row.record.game.as_str().into()),
        ("cell", |row| row.record.cell.into()),
        ("deal", |row| row.record.deal.into()),
        ("seat_permutation", |row| row.record.seat_permutation.into()),
        ("role", |row| row.role.into()),
        ("player", |row| row.player.into()),
        ("spec", |row| row.spec.into()),
        ("goal", |row| row.record.goals.get(row.seat).map(|&(_, goal)| u64::from(goal)).into()),
        ("outcome", |row| row.record.outcome.as_str().into()),
        ("steps", |row| row.record.steps.into()),
        ("faults", |row| row.record.faults.get(row.seat).map(|&(_, count)| u64::from(count)).into()),
        ("seconds", |row| row.seconds.into()),
    ])
}

fn turn_columns<'a>() -> Vec<Column<TurnRow<'a>>> {
    Columns("turn").read_by(&[
        ("match", |row| row.turn.id.into()),
        ("game", |row| row.turn.game.as_str().into()),
        ("cell", |row| row.turn.cell.into()),
        ("deal", |row| row.record.deal.into()),
        ("seat_permutation", |row| row.record.seat_permutation.into()),
        ("step", |row| row.turn.step.into()),
        ("role", |row| row.turn.role.as_str().into()),
        ("player", |row| row.turn.player.as_str().into()),
        ("spec", |row| row.spec.into()),
        ("legal", |row| row.turn.legal.into()),
        ("move", |row| row.turn.own.as_str().into()),
        ("value", |row| row.turn.value.into()),
        ("particles", |row| row.turn.particles.into()),
        ("states", |row| row.turn.states.into()),
        ("effective", |row| row.turn.effective.into()),
        ("enumerated", |row| row.turn.enumerated.into()),
        ("method", |row| row.turn.method.as_deref().into()),
        ("attempts", |row| row.turn.attempts.into()),
        ("accepted", |row| row.turn.accepted.into()),
        ("depleted", |row| row.turn.depleted.into()),
        ("visited", |row| row.turn.visited.into()),
        ("playouts", |row| row.turn.playouts.into()),
        ("playouts_per_move", |row| row.turn.playouts_per_move.into()),
        ("time_to_update", |row| row.time.and_then(|time| time.update).into()),
        ("time_to_select", |row| row.time.and_then(|time| time.select).into()),
        ("fault", |row| row.turn.fault.as_deref().into()),
    ])
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
        let timing = finished.timing();
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
    let (record, seconds) = (&finished.record, timing.map(|timing| timing.seconds));
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
