//! Export of decisions: positions and particles as two Parquet tables.
//!
//! `positions.parquet` has a row for each decision that was recorded with `--log positions`, `particles.parquet` a row
//! for each decision and state held possible (`--log particles`). A state is a list of its facts. A row of particles
//! names the row of positions that it belongs to, so that two arrays are enough to join them. A table is written where
//! there is a row for it.

use std::path::{Path, PathBuf};
use std::slice::from_ref;

use indexmap::IndexMap;
use serde::Serialize;

use super::columns::COLUMNS;
use super::folder::Planned;
use super::stored::FinishedMatch;
use hyperplay_lab::parquet_file::{ParquetFile, typed};
use hyperplay_lab::records::{
    HeldRecord, MatchRecord, ParticlesRecord, PositionRecord, Record, SeenRecord, StateRecord,
};
use hyperplay_lab::{LabError, LabResult};

/// A decision. The data on the legal moves stand in their order, in the place of what the record says by name.
#[derive(Serialize)]
struct PositionRow<'a> {
    #[serde(flatten)]
    record: &'a PositionRecord,
    cell: usize,
    deal: u64,
    seat_permutation: usize,
    spec: &'a str,
    evidence: Vec<String>,
    policy: Vec<f64>,
    values: Vec<f64>,
    value: Option<f64>,
    #[serde(flatten)]
    belief: Option<&'a HeldRecord>,
    goal: Option<u8>,
}

/// A state that was held possible at a decision.
#[derive(Serialize)]
struct ParticleRow<'a> {
    /// The row of the decision in the table of positions; none if its match has no row there.
    position: Option<u64>,
    #[serde(rename = "match")]
    id: u64,
    game: &'a str,
    step: usize,
    role: &'a str,
    player: &'a str,
    #[serde(flatten)]
    state: &'a StateRecord,
}

/// The numbers of the legal moves, in their order; for moves that are not listed `other`, or NaN if none is.
pub(super) fn of_legal<N: Copy + Into<f64>>(
    legal: &[String],
    numbers: &IndexMap<String, N>,
    other: f64,
) -> Vec<f64> {
    let other = if numbers.is_empty() { f64::NAN } else { other };
    legal.iter().map(|own| numbers.get(own).map_or(other, |&number| number.into())).collect()
}

/// The lines of one kind about the decisions of a match.
pub(super) fn decisions<T: Record>(
    finished: &FinishedMatch,
    kind: usize,
    what: &'static str,
) -> LabResult<Vec<T>> {
    let read = |(number, line): (usize, &Vec<u8>)| {
        T::read(line).map_err(|cause| {
            let (id, number) = (finished.record.id, number + 1);
            let what = format!("match {id}: {what} number {number} of its decisions cannot be read: {cause}");
            let remedy = "the file was changed: play the matches again into another folder, or remove the files of positions and particles";
            LabError::other(what, remedy)
        })
    };
    finished.lines[kind].iter().flatten().enumerate().map(read).collect()
}

/// The two tables, each begun with its first row.
pub(super) struct DecisionTables {
    positions: ParquetFile,
    particles: ParquetFile,
    /// Rows of positions before the match that is added next.
    before: u64,
}

impl DecisionTables {
    /// Tables in a folder.
    pub(super) fn new(to: &Path) -> Self {
        let positions = ParquetFile::new(to.join("positions.parquet"), typed(COLUMNS, "position"));
        let particles = ParquetFile::new(to.join("particles.parquet"), typed(COLUMNS, "particle"));
        DecisionTables { positions, particles, before: 0 }
    }

    /// Adds what was recorded of the decisions of a match.
    pub(super) fn add(&mut self, planned: &Planned, finished: &FinishedMatch) -> LabResult {
        let before = finished.lines[1].is_some().then_some(self.before);
        for record in decisions::<PositionRecord>(finished, 1, "position")? {
            self.before += 1;
            self.positions.push(&position_row(planned, &finished.record, &record))?;
        }
        for (number, record) in
            decisions::<ParticlesRecord>(finished, 2, "particles")?.into_iter().enumerate()
        {
            let ParticlesRecord { id, ref game, step, ref role, ref player, ref states } = record;
            for state in states {
                let position = before.map(|before| before + number as u64);
                self.particles.push(&ParticleRow { position, id, game, step, role, player, state })?;
            }
        }
        Ok(())
    }

    /// Completes the tables; returns the paths of those that were written.
    pub(super) fn finish(self) -> LabResult<Vec<PathBuf>> {
        Ok([self.positions.finish()?, self.particles.finish()?].into_iter().flatten().collect())
    }
}

fn position_row<'a>(planned: &'a Planned, of: &MatchRecord, record: &'a PositionRecord) -> PositionRow<'a> {
    let step =
        |seen: &SeenRecord| format!("({})", [from_ref(&seen.own), &seen.percepts[..]].concat().join(" "));
    PositionRow {
        record,
        cell: of.cell,
        deal: of.deal,
        seat_permutation: of.seat_permutation,
        spec: planned.spec_of(&record.player),
        evidence: record.evidence.iter().map(step).collect(),
        policy: of_legal(&record.legal, &record.policy, 0.0),
        values: of_legal(&record.legal, &record.values, f64::NAN),
        value: record.values.get(&record.own).copied(),
        belief: record.belief.as_ref(),
        goal: record.goals.get(&record.role).copied(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;
    use serde_json::json;

    use super::super::config::ExperimentConfig;
    use super::super::plan::{ExperimentPlan, MatchPlace, PlanGame};
    use super::*;
    use hyperplay_play::player::Registry;

    fn planned() -> Planned {
        let text = "schema = 'hyperplay.experiment/1'\nseed = 7\ngames = ['coin']\nrepetitions = 5\n\
                    [[player]]\nname = 'r'\nspec = 'random'\n";
        let roles = vec!["a".to_owned()];
        let game = PlanGame { name: "coin".to_owned(), rules: "sha256:0".to_owned(), roles, random: None };
        let config = ExperimentConfig::read(text, Path::new(""), &Registry::standard()).unwrap();
        Planned::new("coin", "", ExperimentPlan::new(&config, vec![game]).unwrap())
    }

    /// A match of one decision.
    fn finished(id: u64, has_positions: bool) -> FinishedMatch {
        let of = json!({ "match": id, "game": "coin", "step": 1, "role": "a", "player": "r" });
        let with = |more: serde_json::Value| {
            let all = of.as_object().into_iter().chain(more.as_object()).flatten();
            json!(all.map(|(key, value)| (key.clone(), value.clone())).collect::<serde_json::Map<_, _>>())
        };
        let record = with(json!({
            "cell": 0, "deal": id, "seat_permutation": 0, "players": { "a": "r" }, "outcome": "over", "steps": 1,
            "goals": { "a": 50 }, "faults": {}, "turns": 1,
        }));
        let position = with(json!({
            "state": [], "evidence": [], "legal": ["x"], "policy": {}, "values": {}, "move": "x", "belief": null,
            "depleted": false, "goals": {},
        }));
        let state = json!({ "weight": 1.0, "histories": 1, "state": ["f"] });
        let particles = with(json!({ "states": [state] }));
        let lines = |value: serde_json::Value| Some(vec![value.to_string().into_bytes()]);
        FinishedMatch {
            place: MatchPlace { id, cell: 0, deal: id, seat_permutation: 0 },
            record: serde_json::from_value(record).unwrap(),
            lines: [None, lines(position).filter(|_| has_positions), lines(particles), None, None],
        }
    }

    #[test]
    fn a_particle_names_no_position_of_another_match() {
        let (folder, planned) = (tempfile::tempdir().unwrap(), planned());
        let mut tables = DecisionTables::new(folder.path());
        for (id, has_positions) in [(1, true), (2, false), (3, true)] {
            tables.add(&planned, &finished(id, has_positions)).unwrap();
        }
        assert_eq!(tables.finish().unwrap().len(), 2);
        let table = File::open(folder.path().join("particles.parquet")).unwrap();
        let reader = SerializedFileReader::new(table).unwrap();
        let rows = reader.get_row_iter(None).unwrap();
        let position = |row: parquet::record::Row| row.into_columns()[0].1.clone();
        let positions: Vec<Field> = rows.map(|row| position(row.unwrap())).collect();
        assert_eq!(positions, [Field::Long(0), Field::Null, Field::Long(1)]);
    }
}
