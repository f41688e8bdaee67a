//! Decision log: the data recorded of every decision beside its turn.
//!
//! A decision is recorded in up to three files, each with one line for every turn: `turns` unless the experiment leaves
//! them out, `positions` with the true state and all that the player knew and said, `particles` with the states that it
//! held possible. The belief of a player is asked of it right after its decision, because the next one forgets it; with clocks the asking takes time
//! of the player.

/// The data that are recorded of every decision.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum DecisionLog {
    /// Nothing: neither turns nor timings are written.
    Matches,
    /// Its figures.
    #[default]
    Turns,
    /// All that the player knew and said as well, and the true state.
    Positions,
    /// The states that it held possible as well.
    Particles,
}

impl DecisionLog {
    /// Whether a kind of file is written.
    pub fn records(self, kind: &str) -> bool {
        match kind {
            "turns" | "timings" => self >= DecisionLog::Turns,
            "positions" => self >= DecisionLog::Positions,
            "particles" => self >= DecisionLog::Particles,
            _ => true,
        }
    }
}
