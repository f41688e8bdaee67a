//! Rows of a study: the figures of one sampler at one point.
//!
//! Each figure is a field, and `columns.tsv` defines it by its name; `turns.jsonl`, `rows.csv`, the tables on the
//! terminal and on the page, and the table in `docs/belief-measures.md` follow from both.
//! [`ROW_COLUMNS`](super::ROW_COLUMNS) has no times, which the seed does not determine: those are in
//! [`TIME_COLUMNS`](super::TIME_COLUMNS).

use std::hash::Hash;
use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize};

use super::accuracy::DrawsCurve;
use super::harness::{Control, Figures, PosteriorSource};

/// What figures are of: a sampler with its particles in a game, against a posterior.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Measured {
    /// The game.
    pub game: String,
    /// The spec of the sampler, or its label.
    pub sampler: String,
    /// Particles in a set.
    pub particles: usize,
    /// The letter of the posterior: `U`, `P`, `E` or `M`.
    #[serde(deserialize_with = "letter")]
    pub posterior: PosteriorLetter,
}

/// Where figures are from.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Place {
    /// The match.
    #[serde(rename = "match")]
    pub index: usize,
    /// The name of the role.
    pub role: String,
    /// Joint moves made.
    pub step: usize,
}

/// The figures of one sampler at one point.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StudyRow {
    /// What they are of.
    #[serde(flatten)]
    pub of: Measured,
    /// Where they are from.
    #[serde(flatten)]
    pub place: Place,
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
fn letter<'de, D: Deserializer<'de>>(from: D) -> Result<PosteriorLetter, D::Error> {
    let text = String::deserialize(from)?;
    let known = LETTERS.into_iter().find(|letter| *letter == text);
    known.ok_or_else(|| serde::de::Error::custom("no posterior has this letter"))
}

/// The rows with each key, in the order in which the keys come first.
pub(super) fn grouped<'a, R, K: Hash + Eq>(
    rows: impl IntoIterator<Item = &'a R>,
    key: impl Fn(&'a R) -> K,
) -> IndexMap<K, Vec<&'a R>> {
    let mut groups: IndexMap<K, Vec<&R>> = IndexMap::new();
    rows.into_iter().for_each(|row| groups.entry(key(row)).or_default().push(row));
    groups
}

impl StudyRow {
    /// Whether the posterior is one of histories.
    pub fn is_of_histories(&self) -> bool {
        self.source == PosteriorSource::Exact
    }
}
