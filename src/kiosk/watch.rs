//! A running experiment: the data that the page of an experiment shows. The caller that runs the kiosk says where it
//! comes from, because experiments belong to another crate.

use std::collections::BTreeMap;

use serde::Serialize;

/// The score of a player.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WatchedScore {
    /// Its name in the experiment.
    pub player: String,
    /// The mean goal.
    pub mean: f64,
    /// The lower end of the interval; none for few matches.
    pub low: Option<f64>,
    /// The upper end of the interval.
    pub high: Option<f64>,
    /// Matches that count.
    pub matches: usize,
}

/// How far an experiment is.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct WatchedState {
    /// Its name.
    pub name: String,
    /// Matches that were played.
    pub done: usize,
    /// Matches of the plan.
    pub of: usize,
    /// The estimate of what is left, in seconds.
    pub seconds_left: Option<f64>,
    /// The scores.
    pub table: Vec<WatchedScore>,
    /// Faults so far.
    pub faults: usize,
}

/// A match of an experiment.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WatchedTranscript {
    /// Its number.
    pub index: usize,
    /// Its game.
    pub game: String,
    /// The players by role.
    pub players: BTreeMap<String, String>,
    /// The goals by role; none if it did not end with goals.
    pub goals: BTreeMap<String, u8>,
}

/// An experiment that can be looked at while it runs.
pub trait WatchedExperiment: Send + Sync {
    /// How far it is.
    ///
    /// # Errors
    /// A sentence, if it cannot be read.
    fn state(&self) -> Result<WatchedState, String>;

    /// Its matches from number `from` on, at most `most` of them.
    ///
    /// # Errors
    /// A sentence, if it cannot be read.
    fn transcripts(&self, from: usize, most: usize) -> Result<Vec<WatchedTranscript>, String>;

    /// One match: its transcript as a line of JSON, and its rules; none if there is no match of this number.
    ///
    /// # Errors
    /// A sentence, if it cannot be read.
    fn open(&self, index: usize) -> Result<Option<(String, String)>, String>;
}
