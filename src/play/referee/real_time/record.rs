//! The parts that the record of an interaction has besides that of a match: each command with its time within the
//! chronon, and each state with its accounts.

use serde::{Deserialize, Serialize};

/// The time of an interaction: how long its chronons were, and how many there could be.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChrononClock {
    /// The length of a chronon in seconds; absent if the clock was simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The chronons after which it ended at the latest, if that was so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub horizon: Option<u32>,
}

/// One chronon.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ChrononRecord {
    /// When it began, in seconds since 1970 UTC; absent if the clock was simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<f64>,
    /// All commands that came, in the order of their arrival.
    pub commands: Vec<CommandRecord>,
    /// The state after it, accounts and settings included.
    pub state: Vec<String>,
}

/// One command.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CommandRecord {
    /// The agent that sent it.
    pub agent: String,
    /// The switch, as it was written.
    pub switch: String,
    /// The setting, as it was written.
    pub alias: String,
    /// When it came, in milliseconds since the beginning of the chronon; absent if the clock was simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milliseconds: Option<f64>,
    /// Why it had no effect, if it had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}
