//! Records: the lines of the files of an experiment.
//!
//! `matches` and `turns` hold what the plan and the seed determine, and nothing else; wall times, host and thread count
//! stand in `timings`. Every file begins with a header. `docs/json.md` explains every key.

use indexmap::IndexMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::shards::Shard;
use hyperplay_play::player::BelievedState;
use hyperplay_report::rounded;

/// A record of one line.
pub trait Record: Serialize + DeserializeOwned {
    /// The record in a line.
    ///
    /// # Errors
    /// If the line is no such record.
    fn read(line: &[u8]) -> serde_json::Result<Self> {
        read(line)
    }

    /// The record as a line, without a checksum.
    fn line(&self) -> Vec<u8> {
        line(self)
    }
}

fn read<T: DeserializeOwned>(line: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(line)
}

fn line(record: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(record).expect("a record is plain data");
    bytes.push(b'\n');
    bytes
}

/// Reads and writes records of which there are many by code of this crate, which is optimised. The methods that the trait provides are
/// compiled in the crate that calls them.
macro_rules! many {
    ($($record:ty),*) => {$(
        impl Record for $record {
            fn read(line: &[u8]) -> serde_json::Result<Self> {
                read(line)
            }

            fn line(&self) -> Vec<u8> {
                line(self)
            }
        }
    )*};
}

many!(
    RecordHeader,
    MatchRecord,
    TurnRecord,
    TimingRecord,
    PositionRecord,
    ParticlesRecord,
    Map<String, Value>
);

/// The form of one kind of file. Columns of matches, turns and positions were renamed after version 0.1, and then
/// positions got the true state.
fn schema(kind: &str) -> String {
    let form = match kind {
        "timings" | "particles" | "exploit" | "checkpoint" => 1,
        "positions" => 3,
        _ => 2,
    };
    format!("hyperplay.{kind}/{form}")
}

/// The first line of every file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecordHeader {
    /// The form of the file: `hyperplay.matches/2` and so on.
    pub schema: String,
    /// The program that played: its version, and the commit of its sources, if it was known.
    pub version: String,
    /// See [`version`](Self::version).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The hash of the plan.
    pub config: String,
    /// The seed of the plan.
    pub seed: u64,
    /// Which part of the experiment this is, as in `1-of-8`; empty in a file that has no parts.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub shard: String,
    /// The most nodes of a game tree, where entrants were asked; `None` for a reader, to whom it does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_nodes: Option<usize>,
}

impl RecordHeader {
    /// The header of one kind of file.
    pub fn new(kind: &str, config: &str, seed: u64, shard: Shard) -> Self {
        RecordHeader {
            schema: schema(kind),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: option_env!("HYPERPLAY_COMMIT").map(str::to_owned),
            config: config.to_owned(),
            seed,
            shard: shard.to_string(),
            max_nodes: None,
        }
    }

    /// Why a file with this header does not continue one with the other, as a sentence; `None` if it does. The form and
    /// what is played decide, and not which program played it.
    pub fn difference(&self, found: &RecordHeader) -> Option<String> {
        if let (Some((kind, form)), Some((other, former))) =
            (self.schema.split_once('/'), found.schema.split_once('/'))
            && kind == other
            && former < form
        {
            let (version, schema) = (&found.version, &found.schema);
            return Some(format!("made by version {version} with the columns of {schema}; play it again"));
        }
        let text =
            |number: Option<usize>| number.or(found.max_nodes).map_or(String::new(), |n| n.to_string());
        let pairs = [
            ("schema", self.schema.clone(), found.schema.clone()),
            ("config", self.config.clone(), found.config.clone()),
            ("shard", self.shard.clone(), found.shard.clone()),
            ("seed", self.seed.to_string(), found.seed.to_string()),
            ("max_nodes", text(self.max_nodes), text(found.max_nodes)),
        ];
        let (key, mine, theirs) = pairs.into_iter().find(|(_, mine, theirs)| mine != theirs)?;
        Some(format!("its {key} is {theirs}, that of this run {mine}"))
    }
}

/// The outcome of a match in which the rules could not be evaluated.
pub const FAILED: &str = "failed";

/// One match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchRecord {
    /// Its number in the plan.
    #[serde(rename = "match")]
    pub id: u64,
    /// The game, as the plan names it.
    pub game: String,
    /// The cell, from 0.
    pub cell: usize,
    /// The deal, from 0: the number of the match in a series of `hyperplay match`.
    pub deal: u64,
    /// The seat permutation of the cell, from 0.
    pub seat_permutation: usize,
    /// The entrant of each role.
    pub players: IndexMap<String, String>,
    /// How it ended: `over`, `step-limit`, `no-legal-move` or [`FAILED`].
    pub outcome: String,
    /// Joint moves made.
    pub steps: usize,
    /// The goals, empty if it did not end with goals.
    pub goals: IndexMap<String, u8>,
    /// Moves replaced.
    pub faults: IndexMap<String, u32>,
    /// Records of this match among the turns.
    pub turns: usize,
}

impl MatchRecord {
    /// Whether the rules could not be evaluated. Such a match is in no statistics.
    pub fn has_failed(&self) -> bool {
        self.outcome == FAILED
    }

    /// Whether a move was replaced.
    pub fn has_faults(&self) -> bool {
        self.faults.values().any(|&count| count > 0)
    }
}

/// One decision between two legal moves or more, or a fault.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TurnRecord {
    /// The number of the match.
    #[serde(rename = "match")]
    pub id: u64,
    /// The game.
    pub game: String,
    /// The cell.
    pub cell: usize,
    /// The step, from 1.
    pub step: usize,
    /// The role.
    pub role: String,
    /// The entrant.
    pub player: String,
    /// How many legal moves there were.
    pub legal: usize,
    /// The move made.
    #[serde(rename = "move")]
    pub own: String,
    /// Its expected goal, if the player reasons.
    pub value: Option<f64>,
    /// Particles held, if the player has a belief.
    pub particles: Option<usize>,
    /// Their distinct states.
    pub states: Option<usize>,
    /// Their effective sample size.
    pub effective: Option<f64>,
    /// Whether they were the complete information set.
    pub enumerated: Option<bool>,
    /// How they were found, as [`UpdateMethod`](hyperplay_think::belief::UpdateMethod) is written.
    pub method: Option<String>,
    /// Steps drawn at random and compared with what was observed.
    pub attempts: Option<u64>,
    /// Those of them that agreed.
    pub accepted: Option<u64>,
    /// Whether the belief was depleted.
    pub depleted: bool,
    /// States visited.
    pub visited: u64,
    /// Playouts made.
    pub playouts: u64,
    /// Playouts for each legal move and state held possible.
    pub playouts_per_move: f64,
    /// `late`, `illegal` or `crashed`, if the move was replaced.
    pub fault: Option<String>,
}

/// Where a match was played and how long it took.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TimingRecord {
    /// The number of the match.
    #[serde(rename = "match")]
    pub id: u64,
    /// The computer.
    pub host: String,
    /// Threads of the run.
    pub threads: usize,
    /// Seconds of the match.
    pub seconds: f64,
    /// With clocks, how many processes of the computer ran or waited in the last minute, where it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
    /// Of each record among the turns, in the same order.
    pub turns: Vec<TurnTime>,
}

/// How long a decision took.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TurnTime {
    /// Seconds in which the belief followed the evidence, if there is one.
    pub update: Option<f64>,
    /// Seconds for all the rest.
    pub select: Option<f64>,
    /// Seconds of processor time in all; none of a player behind an address, or where several threads worked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<f64>,
}

impl TurnTime {
    /// Seconds in all.
    pub fn all(self) -> Option<f64> {
        self.select.map(|select| select + self.update.unwrap_or(0.0))
    }
}

/// A decision in full, for training and analysis by other programs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PositionRecord {
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
    /// The true state: its facts, as terms in their natural order.
    pub state: Vec<String>,
    /// The knowledge of the role: its own moves and percepts, step by step.
    pub evidence: Vec<SeenRecord>,
    /// The legal moves.
    pub legal: Vec<String>,
    /// The policy of the player.
    pub policy: IndexMap<String, f64>,
    /// The expected goal of each move considered.
    pub values: IndexMap<String, f64>,
    /// How often the search made each move, where it says so.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub visits: IndexMap<String, u32>,
    /// The move made.
    #[serde(rename = "move")]
    pub own: String,
    /// The content of the belief, if there is one.
    pub belief: Option<HeldRecord>,
    /// Whether it was depleted.
    pub depleted: bool,
    /// The goals at the end of the match, empty if there are none.
    pub goals: IndexMap<String, u8>,
}

/// One step as a role saw it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SeenRecord {
    /// Its own move.
    #[serde(rename = "move")]
    pub own: String,
    /// Its percepts.
    pub percepts: Vec<String>,
}

/// A belief in figures.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HeldRecord {
    /// Particles.
    pub particles: usize,
    /// Distinct states.
    pub states: usize,
    /// Effective sample size.
    pub effective: f64,
    /// Whether it is the complete information set.
    pub enumerated: bool,
    /// How the particles were found.
    pub method: String,
    /// Steps drawn at random and compared with what was observed.
    pub attempts: u64,
    /// Those of them that agreed.
    pub accepted: u64,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_first_version_are_refused_with_what_to_do() {
        let header = |kind| RecordHeader::new(kind, "sha256:0", 1, Shard::WHOLE);
        assert_eq!(header("turns").difference(&header("turns")), None);
        let later = RecordHeader { version: "0.2.9".to_owned(), commit: None, ..header("turns") };
        assert_eq!(header("turns").difference(&later), None);
        for kind in ["matches", "turns", "positions"] {
            let schema = format!("hyperplay.{kind}/1");
            let old = RecordHeader { schema: schema.clone(), version: "0.1.0".to_owned(), ..header(kind) };
            let expected = format!("made by version 0.1.0 with the columns of {schema}; play it again");
            assert_eq!(header(kind).difference(&old), Some(expected));
        }
        let former = RecordHeader { schema: "hyperplay.positions/2".to_owned(), ..header("positions") };
        assert!(header("positions").difference(&former).is_some_and(|said| said.ends_with("play it again")));
        let foreign = header("turns").difference(&header("matches")).unwrap_or_default();
        assert!(foreign.starts_with("its schema is hyperplay.matches/2"), "{foreign}");
    }
}
