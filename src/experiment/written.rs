//! The parsed form of `experiment.toml`, before any name in it is resolved.
//!
//! Unknown keys are refused, with their place. This file has only the structure; [`config`](super::config) interprets
//! the values. `docs/experiments/README.md` explains every key.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

use super::sequential_test::SequentialTest;
use hyperplay_play::player::REMOTE;

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    pub schema: Spanned<String>,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub about: String,
    pub seed: Spanned<i64>,
    pub games: Vec<Spanned<String>>,
    pub repetitions: Spanned<i64>,
    pub engine: Option<Spanned<String>>,
    pub limit: Option<Spanned<i64>>,
    pub on_fault: Option<Spanned<String>>,
    #[serde(default)]
    pub without_turns: bool,
    #[serde(default)]
    pub budget: BudgetTable,
    #[serde(default)]
    pub schedule: ScheduleTable,
    pub stop: Option<Spanned<StopTable>>,
    pub player: Vec<PlayerTable>,
}

/// The budget of a decision.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetTable {
    pub nodes: Option<Spanned<i64>>,
    pub playclock: Option<Spanned<f64>>,
    pub startclock: Option<Spanned<f64>>,
    pub think_ahead: Option<Spanned<bool>>,
}

/// The pairings.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScheduleTable {
    pub kind: Option<Spanned<String>>,
    pub challengers: Vec<Spanned<String>>,
    pub pairings: Vec<Spanned<Vec<Spanned<String>>>>,
    pub seats: Option<Spanned<String>>,
}

/// When a cell has been played enough.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopTable {
    pub width: Option<f64>,
    pub sprt: Option<SequentialTest>,
    pub every: Option<Spanned<i64>>,
    pub least: Option<Spanned<i64>>,
}

/// A player, or several that differ in some parameters.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerTable {
    pub name: Spanned<String>,
    pub spec: Option<Spanned<String>>,
    /// In the place of a spec: the address of another program.
    pub url: Option<Spanned<String>>,
    /// Every combination of these values.
    #[serde(default)]
    pub grid: BTreeMap<Spanned<String>, Vec<Spanned<Parameter>>>,
    /// The first values together, then the second ones, and so on.
    #[serde(default)]
    pub zip: BTreeMap<Spanned<String>, Vec<Spanned<Parameter>>>,
}

impl PlayerTable {
    /// The spec, as written or of the program behind the address.
    pub fn spec_text(&self) -> String {
        match (&self.spec, &self.url) {
            (Some(spec), _) => spec.get_ref().clone(),
            (None, Some(url)) => format!("{REMOTE}:url={}", url.get_ref()),
            (None, None) => String::new(),
        }
    }

    /// Where that is written; where neither is, the name.
    pub fn spec_span(&self) -> Range<usize> {
        self.spec.as_ref().or(self.url.as_ref()).unwrap_or(&self.name).span()
    }
}

/// A value of a key of a spec.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Parameter {
    Count(i64),
    Switch(bool),
    Real(f64),
    Text(String),
}

impl Parameter {
    /// As it stands in a spec.
    pub fn as_spec(&self) -> String {
        match self {
            Parameter::Count(count) => count.to_string(),
            Parameter::Real(real) => real.to_string(),
            Parameter::Switch(true) => "on".to_owned(),
            Parameter::Switch(false) => "off".to_owned(),
            Parameter::Text(text) => text.clone(),
        }
    }
}
