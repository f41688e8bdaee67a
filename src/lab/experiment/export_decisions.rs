//! Export of decisions: positions and particles as two Parquet tables.
//!
//! `positions.parquet` has a row for each decision that was recorded with `--log-positions`, `particles.parquet` a row for
//! each decision and state held possible (`--log-particles`). A state is a list of its facts. A row of particles names the
//! row of positions that it belongs to, so that two arrays are enough to join them. A table is written where there is a
//! row for it.

use std::path::{Path, PathBuf};

use super::decision_log::{ParticlesRecord, StateRecord};
use super::folder::Planned;
use super::parquet_file::{ParquetColumn, ParquetFile};
use super::record::{MatchRecord, PositionRecord};
use super::results::ResultsError;
use super::stored::FinishedMatch;
use ParquetColumn::{Count, Flag, Number, Numbers, Text, Texts};

/// A decision.
struct PositionRow {
    cell: u64,
    deal: u64,
    seat_permutation: u64,
    spec: String,
    evidence: Vec<String>,
    record: PositionRecord,
}

/// A state that was held possible at a decision.
struct ParticleRow {
    /// The row of the decision in the table of positions.
    position: u64,
    id: u64,
    game: String,
    step: u64,
    role: String,
    player: String,
    state: StateRecord,
}

const POSITIONS: &[(&str, ParquetColumn<PositionRow>)] = &[
    ("match", Count(|row| Some(row.record.id))),
    ("game", Text(|row| Some(&row.record.game))),
    ("cell", Count(|row| Some(row.cell))),
    ("deal", Count(|row| Some(row.deal))),
    ("seat_permutation", Count(|row| Some(row.seat_permutation))),
    ("step", Count(|row| Some(row.record.step as u64))),
    ("role", Text(|row| Some(&row.record.role))),
    ("player", Text(|row| Some(&row.record.player))),
    ("spec", Text(|row| Some(&row.spec))),
    ("state", Texts(|row| &row.record.state)),
    ("evidence", Texts(|row| &row.evidence)),
    ("legal", Texts(|row| &row.record.legal)),
    ("policy", Numbers(|row| of_legal(&row.record, &row.record.policy, 0.0))),
    ("values", Numbers(|row| of_legal(&row.record, &row.record.values, f64::NAN))),
    ("move", Text(|row| Some(&row.record.own))),
    ("value", Number(|row| number_of(&row.record.own, &row.record.values))),
    ("particles", Count(|row| row.record.belief.as_ref().map(|belief| belief.particles as u64))),
    ("states", Count(|row| row.record.belief.as_ref().map(|belief| belief.states as u64))),
    ("effective", Number(|row| row.record.belief.as_ref().map(|belief| belief.effective))),
    ("enumerated", Flag(|row| row.record.belief.as_ref().map(|belief| belief.enumerated))),
    ("method", Text(|row| row.record.belief.as_ref().map(|belief| belief.method.as_str()))),
    ("depleted", Flag(|row| Some(row.record.depleted))),
    (
        "goal",
        Count(|row| {
            let mut goals = row.record.goals.iter();
            goals.find(|(role, _)| *role == row.record.role).map(|&(_, goal)| goal.into())
        }),
    ),
];

const PARTICLES: &[(&str, ParquetColumn<ParticleRow>)] = &[
    ("position", Count(|row| Some(row.position))),
    ("match", Count(|row| Some(row.id))),
    ("game", Text(|row| Some(&row.game))),
    ("step", Count(|row| Some(row.step))),
    ("role", Text(|row| Some(&row.role))),
    ("player", Text(|row| Some(&row.player))),
    ("weight", Number(|row| Some(row.state.weight))),
    ("histories", Count(|row| Some(row.state.histories.into()))),
    ("state", Texts(|row| &row.state.state)),
];

fn number_of(own: &str, pairs: &[(String, f64)]) -> Option<f64> {
    pairs.iter().find(|(listed, _)| listed == own).map(|&(_, number)| number)
}

/// The numbers of the legal moves, in their order; for moves that are not listed `other`, or NaN if none is.
fn of_legal(record: &PositionRecord, pairs: &[(String, f64)], other: f64) -> Vec<f64> {
    let other = if pairs.is_empty() { f64::NAN } else { other };
    record.legal.iter().map(|own| number_of(own, pairs).unwrap_or(other)).collect()
}

/// The two tables, each begun with its first row.
pub(super) struct DecisionTables {
    positions: ParquetFile<PositionRow>,
    particles: ParquetFile<ParticleRow>,
    /// Rows of positions before the match that is added next.
    before: u64,
}

impl DecisionTables {
    /// Tables in a folder.
    pub(super) fn new(to: &Path) -> Self {
        let positions = ParquetFile::new(to.join("positions.parquet"), POSITIONS);
        let particles = ParquetFile::new(to.join("particles.parquet"), PARTICLES);
        DecisionTables { positions, particles, before: 0 }
    }

    /// Adds what was recorded of the decisions of a match.
    pub(super) fn add(&mut self, planned: &Planned, finished: &FinishedMatch) -> Result<(), ResultsError> {
        let [_, positions, particles, ..] = &finished.lines;
        let before = self.before;
        let unreadable = |what, number: usize, cause: serde_json::Error| ResultsError::Decision {
            id: finished.record.id,
            what,
            number: number + 1,
            cause: cause.to_string(),
        };
        for (number, line) in positions.iter().flatten().enumerate() {
            let record = serde_json::from_slice::<PositionRecord>(line);
            let record = record.map_err(|cause| unreadable("position", number, cause))?;
            self.before += 1;
            self.positions.push(position_row(planned, &finished.record, record))?;
        }
        for (number, line) in particles.iter().flatten().enumerate() {
            let record = serde_json::from_slice::<ParticlesRecord>(line);
            let record = record.map_err(|cause| unreadable("particles", number, cause))?;
            let ParticlesRecord { id, game, step, role, player, states } = record;
            for state in states {
                let (game, role, player) = (game.clone(), role.clone(), player.clone());
                let position = before + number as u64;
                let row = ParticleRow { position, id, game, step: step as u64, role, player, state };
                self.particles.push(row)?;
            }
        }
        Ok(())
    }

    /// Completes the tables; returns the paths of those that were written.
    pub(super) fn finish(self) -> Result<Vec<PathBuf>, ResultsError> {
        Ok([self.positions.finish()?, self.particles.finish()?].into_iter().flatten().collect())
    }
}

fn position_row(planned: &Planned, of: &MatchRecord, record: PositionRecord) -> PositionRow {
    let entrant = planned.plan.entrants.iter().find(|entrant| entrant.label == record.player);
    let step = |own: &str, percepts: &[String]| {
        let terms: Vec<&str> = std::iter::once(own).chain(percepts.iter().map(String::as_str)).collect();
        format!("({})", terms.join(" "))
    };
    PositionRow {
        cell: of.cell as u64,
        deal: of.deal,
        seat_permutation: of.seat_permutation as u64,
        spec: entrant.map_or_else(String::new, |entrant| entrant.spec.clone()),
        evidence: record.evidence.iter().map(|seen| step(&seen.own, &seen.percepts)).collect(),
        record,
    }
}
