//! The games of a study, the schema of its files, and why these cannot be written.

use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

use crate::shards::LockError;
use hyperplay_engine::Engine;
use hyperplay_play::files::FileError;

/// The schema of `turns.jsonl`, `timings.jsonl` and the blocks.
pub(super) const SCHEMA: &str = "hyperplay.belief/3";

/// Why the files of a study cannot be written.
#[derive(Debug, Error)]
pub enum StudyFileError {
    /// A file cannot be written, or something else is there.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file of blocks cannot be opened.
    #[error(transparent)]
    Blocks(#[from] LockError),
    /// The folder belongs to another run.
    #[error("{} holds another run of `belief`: it differs in {}", folder.display(), differences(changed))]
    Other {
        /// The folder.
        folder: PathBuf,
        /// The keys of the configuration that differ, with what the other run has.
        changed: Vec<(String, String)>,
    },
    /// The folder holds figures without the blocks that they were made of.
    #[error("{} holds a run of `belief` of an earlier version, which cannot go on", folder.display())]
    Earlier {
        /// The folder.
        folder: PathBuf,
    },
}

/// The differences, with the value of the other run.
fn differences(changed: &[(String, String)]) -> String {
    let said = changed.iter().map(|(key, there)| format!("{key} (there {there})"));
    said.collect::<Vec<String>>().join(", ")
}

/// A game that is measured.
#[derive(Clone)]
pub struct StudyGame {
    /// Its name.
    pub name: String,
    /// The hash of its rules.
    pub rules: String,
    /// Its engine.
    pub machine: Arc<Engine>,
    /// The engine of the players of its matches.
    pub players_engine: Arc<Engine>,
    /// The engine of the playouts that value moves, if it is another one.
    pub playouts_engine: Option<Arc<Engine>>,
    /// The time of a state in nanoseconds, estimated from counts and not measured.
    pub state_cost: f64,
}

#[cfg(test)]
impl StudyGame {
    /// A game without a name.
    pub(super) fn unnamed(machine: &Arc<Engine>) -> StudyGame {
        let (machine, players_engine) = (Arc::clone(machine), Arc::clone(machine));
        StudyGame {
            name: String::new(),
            rules: String::new(),
            machine,
            players_engine,
            playouts_engine: None,
            state_cost: 1.0,
        }
    }
}
