//! Points of truth: the true history beside the sets of one sampler, after one step of a match.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::super::harness::{BINS, Bin};
use super::super::row::{Measured, Place};

/// The figures with a mean over points, by the names of their columns.
pub(super) const MEANS: [&str; 7] = [
    "held",
    "state_held",
    "log_size",
    "history_loss",
    "history_loss_exact",
    "state_loss",
    "state_loss_exact",
];

/// The truth and the sets of one sampler at one point.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TruthPoint {
    /// What it is of; the posterior is the one under the sampler's own model.
    #[serde(flatten)]
    pub of: Measured,
    /// Where it is from.
    #[serde(flatten)]
    pub place: Place,
    /// Sets without a particle.
    pub depletions: usize,
    /// The place of the truth among the drawn particles, 0 to 1; NaN where there is none.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub rank: f64,
    /// By relation, how many of its facts are true, then how many each drawn particle has; and the same with a number that is drawn
    /// for each fact. Without relations in which these are all equal.
    pub facts: BTreeMap<String, Vec<f64>>,
    /// The facts that a set holds possible and not certain, in bins of what it says of them.
    pub calibration: [Bin; BINS],
    /// The means over the sets of what [`TruthRow::means`](super::TruthRow::means) has, by name; null or NaN where they are not known.
    #[serde(flatten, deserialize_with = "means")]
    pub means: BTreeMap<&'static str, f64>,
}

fn means<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<&'static str, f64>, D::Error> {
    let all: BTreeMap<String, Option<f64>> = BTreeMap::deserialize(from)?;
    Ok(MEANS.into_iter().map(|name| (name, all.get(name).copied().flatten().unwrap_or(f64::NAN))).collect())
}
