//! The control: independent draws from the posterior, measured at the points where samplers are measured.
//!
//! There are as many sets of as many particles as a sampler has, but from streams of their own. So the sampler `exact`
//! is compared with a repetition of itself, and its row shows how much of a ratio is chance.

use std::sync::Arc;

use serde::Serialize;

use super::batch::{calibration, mixture};
use super::fluents::{BINS, Bin};
use super::point::EvaluationPoint;
use super::{Replicates, collect, draw};
use hyperplay_machine::Seed;
use hyperplay_report::Mean;
use hyperplay_think::belief::{IndependentSampler, OpponentModel};

/// The distances of independent draws from the posterior they are drawn from.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Control {
    /// As [`bias_tv`](super::Figures::bias_tv).
    #[serde(rename = "bias_tv_control")]
    pub bias_tv: f64,
    /// As [`state_bias_tv`](super::Figures::state_bias_tv).
    #[serde(rename = "state_bias_tv_control")]
    pub state_bias_tv: f64,
    /// As [`set_tv`](super::Figures::set_tv).
    #[serde(rename = "set_tv_control")]
    pub set_tv: f64,
    /// As [`calibration`](super::Figures::calibration): even exact draws say more than is so, and less, where they are few.
    #[serde(rename = "calibration_control")]
    pub calibration: [Bin; BINS],
}

impl Control {
    /// Where there is no posterior to draw from.
    const NONE: Control = Control {
        bias_tv: f64::NAN,
        state_bias_tv: f64::NAN,
        set_tv: f64::NAN,
        calibration: [Bin { count: 0.0, said: 0.0, held: 0.0 }; BINS],
    };
}

/// The control at every point for samplers with `particles` particles and `count` replicates. All figures are NaN where
/// the posterior is not exact. `None` if `stop` said so before the end.
pub fn control(
    points: &[EvaluationPoint],
    model: &Arc<dyn OpponentModel>,
    (particles, count): (usize, usize),
    seed: &Seed,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<Control>> {
    let seed = seed.child("control");
    let replicates =
        Replicates { sampler: &IndependentSampler, model, is_of_points: true, particles, count, seed };
    let exact: Vec<&EvaluationPoint> = points.iter().filter(|point| point.is_exact()).collect();
    let one = |number: usize| {
        let seed = replicates.seed.index(number);
        Ok(exact.iter().map(|point| draw(point, &replicates, &seed)).collect())
    };
    let mut batches = collect(&exact, count, stop, &|| (), &one).ok()??.into_iter();
    let mut of_point = |point: &EvaluationPoint| {
        let Some(batches) = point.is_exact().then(|| batches.next()).flatten() else { return Control::NONE };
        let all = mixture(batches.iter(), point.posterior.histories.len());
        let sets = batches.iter().flat_map(|batch| &batch.sets);
        Control {
            bias_tv: all.total_variation(&point.posterior),
            state_bias_tv: all.state_variation(&point.posterior),
            set_tv: Mean::of(sets.map(|set| set.total_variation)).value,
            calibration: calibration(&batches),
        }
    };
    Some(points.iter().map(&mut of_point).collect())
}
