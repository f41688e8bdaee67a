//! The games of a study, and the schema of its files.

use std::sync::Arc;

use hyperplay_engine::Engine;

/// The schema of `turns.jsonl`, `timings.jsonl` and the blocks.
pub(super) const SCHEMA: &str = "hyperplay.belief/3";

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
