//! The control: independent draws from the posterior, measured at the points where samplers are measured.
//!
//! There are as many sets of as many particles as a sampler has, but from streams of their own. So the sampler `exact`
//! is compared with a repetition of itself, and its row shows how much of a ratio is chance.

use serde::{Deserialize, Serialize};

use super::batch::{ReplicateBatch, calibration, mixture};
use super::fluents::{BINS, Bin};
use super::point::EvaluationPoint;
use super::{collect, draw};
use hyperplay_machine::Seed;
use hyperplay_report::Mean;
use hyperplay_think::belief::IndependentSampler;

/// The distances of independent draws from the posterior they are drawn from.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Control {
    /// As [`bias_tv`](super::Figures::bias_tv).
    #[serde(rename = "bias_tv_control")]
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub bias_tv: f64,
    /// As [`state_bias_tv`](super::Figures::state_bias_tv).
    #[serde(rename = "state_bias_tv_control")]
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub state_bias_tv: f64,
    /// As [`set_tv`](super::Figures::set_tv).
    #[serde(rename = "set_tv_control")]
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub set_tv: f64,
    /// As [`calibration`](super::Figures::calibration): even exact draws say more than is so, and less, where they are few.
    #[serde(rename = "calibration_control")]
    pub calibration: [Bin; BINS],
}

/// The control at every point for samplers with `particles` particles and `count` replicates. `None` if `stop` said so before the end.
pub fn control(
    points: &[EvaluationPoint],
    (particles, count): (usize, usize),
    seed: &Seed,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<Control>> {
    let seed = seed.child("control");
    let points: Vec<&EvaluationPoint> = points.iter().collect();
    let one = |points: &[&EvaluationPoint], number: usize, _| {
        let seed = seed.index(number);
        let drawn = points.iter().map(|point| draw(point, (&IndependentSampler, particles), &seed, None));
        Ok(drawn.collect::<Option<_>>().map(|sets| (sets, 0)))
    };
    let batches = collect(&points, (count, u64::MAX), stop, &|| (), &one).ok()??;
    let of_point = |(point, batches): (&&EvaluationPoint, &Vec<ReplicateBatch>)| {
        let all = mixture(batches.iter(), point.posterior.histories.len());
        let sets = batches.iter().flat_map(|batch| &batch.sets);
        Control {
            bias_tv: point.known() * all.total_variation(&point.posterior),
            state_bias_tv: point.known() * all.state_variation(&point.posterior),
            set_tv: Mean::of(sets.map(|set| set.total_variation)).value,
            calibration: calibration(batches),
        }
    };
    Some(points.iter().zip(&batches).map(of_point).collect())
}
