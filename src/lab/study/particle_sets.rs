//! The particle sets of a block as a Parquet table: `particles/KEY.parquet` in the folder of the study, where KEY is the hash in that of the block.
//!
//! A row is one particle of one replicate at one point; an empty set is a row without history and weight. The tables of all blocks have the same columns, so pandas, DuckDB and polars read the folder as one table.

use std::iter;
use std::path::Path;

use parking_lot::Mutex;
use serde::Serialize;

use super::columns::COLUMNS;
use super::harness::{EvaluationPoint, KeptParticle};
use super::row::{Measured, Place};
use crate::parquet_file::{ParquetFile, typed};
use hyperplay_engine::Engine;
use hyperplay_machine::{History, Observation, Role, StateMachine as _, StateMachineExt as _};
use hyperplay_play::files::FileError;

/// A particle of a replicate, in fields that `columns.tsv` defines.
#[derive(Serialize)]
struct ParticleRow<'a> {
    #[serde(flatten)]
    of: &'a Measured,
    #[serde(flatten)]
    place: &'a Place,
    replicate: usize,
    seconds: f64,
    evidence: &'a [String],
    truth: &'a [String],
    history: Vec<String>,
    weight: Option<f64>,
    probability: Option<f64>,
}

/// The set of a replicate at a step: the number of both, its particles, and the seconds of the last update.
type KeptSet = (usize, usize, Vec<KeptParticle>, f64);

/// The sets that are being kept, in memory until all of a block are known.
#[derive(Default)]
pub(super) struct ParticleSets(Mutex<Vec<KeptSet>>);

impl ParticleSets {
    pub(super) fn add(
        &self,
        replicate: usize,
        point: &EvaluationPoint,
        particles: Vec<KeptParticle>,
        seconds: f64,
    ) {
        self.0.lock().push((point.evidence.step(), replicate, particles, seconds));
    }

    /// Writes the table of what was measured of `of` in a match, at these points.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write(
        &self,
        path: &Path,
        machine: &Engine,
        (index, role, of): (usize, Role, &Measured),
        points: &[EvaluationPoint],
    ) -> Result<(), FileError> {
        let mut sets = self.0.lock();
        sets.sort_by_key(|&(step, replicate, ..)| (step, replicate));
        let mut table = ParquetFile::new(path.to_owned(), typed(COLUMNS, "particle"));
        for point in points {
            let step = point.evidence.step();
            let place = Place { index, role: machine.roles()[role].clone(), step };
            let (evidence, truth) = (evidence(machine, point), joint_moves(machine, &point.truth));
            let row = |replicate, seconds, particle: Option<&KeptParticle>| ParticleRow {
                of,
                place: &place,
                replicate,
                seconds,
                evidence: &evidence,
                truth: &truth,
                history: particle.map_or_else(Vec::new, |(history, ..)| joint_moves(machine, history)),
                weight: particle.map(|(_, weight, _)| *weight),
                probability: particle.and_then(|&(.., at)| at).map(|at| point.posterior.histories[at].1),
            };
            for (_, replicate, particles, seconds) in sets.iter().filter(|(at, ..)| *at == step) {
                let empty = particles.is_empty().then_some(None);
                let mut all = particles.iter().map(Some).chain(empty);
                all.try_for_each(|particle| table.push(&row(*replicate, *seconds, particle)))?;
            }
        }
        table.finish().map(drop)
    }
}

/// The joint moves, each as a list in the order of the roles.
pub(super) fn joint_moves(machine: &Engine, history: &History) -> Vec<String> {
    history.0.iter().map(|joint| list(joint.iter().map(|&own| machine.show_move(own)))).collect()
}

/// What the role saw: at each step a list of its own move and its percepts.
fn evidence(machine: &Engine, point: &EvaluationPoint) -> Vec<String> {
    let seen = |seen: &Observation| {
        let own = seen.own.presumed().map_or(String::new(), |own| machine.show_move(own));
        list(iter::once(own).chain(seen.percepts.iter().map(|percept| machine.terms().show(percept.0))))
    };
    point.evidence.steps.iter().map(seen).collect()
}

fn list(terms: impl Iterator<Item = String>) -> String {
    format!("({})", terms.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests;
