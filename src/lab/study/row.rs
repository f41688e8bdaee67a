//! Rows of a study: the figures of one sampler at one point.
//!
//! Each figure is a field, and `columns.tsv` defines it by its name; `turns.jsonl`, `rows.csv`, the tables on the
//! terminal and on the page, and the table in `docs/belief-measures.md` follow from both.
//! [`ROW_COLUMNS`](super::ROW_COLUMNS) has no times, which the seed does not determine: those are in
//! [`TIME_COLUMNS`](super::TIME_COLUMNS).

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};

use super::accuracy::DrawsCurve;
use super::harness::{Control, Figures, PosteriorSource};

/// The figures of one sampler at one point.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StudyRow {
    /// The game.
    pub game: String,
    /// The spec of the sampler.
    pub sampler: String,
    /// Particles in a set.
    pub particles: usize,
    /// The letter of the posterior: `U`, `P`, `E` or `M`.
    #[serde(deserialize_with = "letter")]
    pub posterior: PosteriorLetter,
    /// The match.
    #[serde(rename = "match")]
    pub index: usize,
    /// The name of the role.
    pub role: String,
    /// Joint moves made.
    pub step: usize,
    /// How the posterior was made.
    #[serde(flatten)]
    pub source: PosteriorSource,
    /// Histories of the posterior, if it is exact.
    pub information_set: Option<usize>,
    /// States that they end in.
    #[serde(rename = "distinct_states")]
    pub states: Option<usize>,
    /// Whether this is a decision.
    #[serde(rename = "decision")]
    pub is_decision: bool,
    /// The figures.
    #[serde(flatten)]
    pub figures: Figures,
    /// The expected set TV of independent draws by their number.
    pub curve: Arc<DrawsCurve>,
    /// The same on states.
    pub state_curve: Arc<DrawsCurve>,
    /// The distances of as many independent draws.
    #[serde(flatten)]
    pub control: Control,
}

/// The letter of a posterior.
pub type PosteriorLetter = &'static str;

/// All letters.
const LETTERS: [&str; 4] = ["U", "P", "E", "M"];

/// Reads the letter of a posterior.
///
/// # Errors
/// If it is none.
pub(super) fn letter<'de, D: Deserializer<'de>>(from: D) -> Result<PosteriorLetter, D::Error> {
    let text = String::deserialize(from)?;
    let known = LETTERS.into_iter().find(|letter| *letter == text);
    known.ok_or_else(|| serde::de::Error::custom("no posterior has this letter"))
}

impl StudyRow {
    /// Whether the posterior is one of histories.
    pub fn is_of_histories(&self) -> bool {
        self.source == PosteriorSource::Exact
    }
}
