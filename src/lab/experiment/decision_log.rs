//! Decision log: the data recorded of every decision beside its turn, and the records of the beliefs of a player.
//!
//! A decision is recorded in up to three files, each with one line for every turn: `turns` unless the experiment leaves
//! them out, `positions` with the true state and all that the player knew and said, `particles` with the states that it
//! held possible. The belief of a player is asked of it right after its decision, because the next one forgets it; with clocks the asking takes time
//! of the player.

use serde::{Deserialize, Serialize};

use hyperplay_play::player::BelievedState;
use hyperplay_report::rounded;

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

/// The belief of a player at one decision.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ParticlesRecord {
    /// The number of the match.
    #[serde(rename = "match")]
    pub id: u64,
    /// The game.
    pub game: String,
    /// The step, from 1.
    pub step: usize,
    /// The role.
    pub role: String,
    /// The entrant.
    pub player: String,
    /// The distinct states held possible, the likeliest first; none without a belief.
    pub states: Vec<StateRecord>,
}

/// A state that was held possible.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StateRecord {
    /// Its share of the belief.
    pub weight: f64,
    /// In how many particles it is the last state.
    pub histories: u32,
    /// The facts that hold in it.
    pub state: Vec<String>,
}

impl From<BelievedState> for StateRecord {
    fn from(BelievedState { weight, histories, facts }: BelievedState) -> Self {
        StateRecord { weight: rounded(weight), histories, state: facts }
    }
}
