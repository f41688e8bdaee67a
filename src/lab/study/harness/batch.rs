//! Batches: the data kept of the replicates at a point.
//!
//! The figures need the mean of the weights over all sets, not the weights of each set. So the replicates are divided
//! into at most [`BATCHES`] batches, and a batch keeps the sum of the weights of its sets and some numbers of each. The
//! memory grows by a fixed number of bytes with each replicate, whatever the number of particles. The bootstrap over
//! replicates resamples batches; up to 200 replicates each is a batch of its own.

use super::super::accuracy::Placed;
use super::fluents::{BINS, Bin};
use super::point::EvaluationPoint;
use super::set::ParticleSet;
use hyperplay_think::belief::{UpdateCost, UpdateMethod};

/// The most batches of replicates.
const BATCHES: usize = 200;

/// One replicate at one point.
pub(super) struct Held {
    pub(super) set: ParticleSet,
    pub(super) update: MeasuredUpdate,
}

/// The last update of one replicate before a point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MeasuredUpdate {
    pub(super) cost: UpdateCost,
    pub(super) method: UpdateMethod,
    /// Processor time of this update alone, in seconds; NaN where there was none.
    pub(super) seconds: f64,
    /// The same of all updates up to this one.
    pub(super) seconds_total: f64,
}

/// The numbers that are kept of each set.
#[derive(Clone, Copy, Debug)]
pub(super) struct SetNumbers {
    pub(super) held: usize,
    pub(super) distinct: usize,
    pub(super) effective: f64,
    pub(super) total_variation: f64,
    pub(super) state_variation: f64,
    pub(super) coverage: f64,
    /// The weight on the true history.
    pub(super) truth: f64,
    /// Log loss and Brier score, if a fluent is open.
    pub(super) scores: Option<(f64, f64)>,
    pub(super) regret: f64,
    /// The place of one history drawn by weight, if it has one.
    pub(super) drawn: Option<usize>,
}

/// Some replicates at one point, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct ReplicateBatch {
    /// One for each replicate.
    pub(super) updates: Vec<MeasuredUpdate>,
    /// One for each set.
    pub(super) sets: Vec<SetNumbers>,
    /// The sum of the bins of the sets.
    pub(super) bins: [Bin; BINS],
    /// The sum of the weights of the sets: places with weights. A place may come more than once.
    weights: Vec<(usize, f64)>,
    outside: f64,
    /// Sets without a particle.
    empty: f64,
}

impl ReplicateBatch {
    /// Adds the next replicate.
    pub(super) fn add(&mut self, held: Held, point: &EvaluationPoint) {
        self.updates.push(held.update);
        let set = held.set;
        let at = point.true_place;
        let at = at.and_then(|place| set.cells.binary_search_by_key(&place, |&(place, _)| place).ok());
        let nothing = if set.held == 0 { 1.0 / point.posterior.histories.len() as f64 } else { 0.0 };
        self.sets.push(SetNumbers {
            held: set.held,
            distinct: set.distinct,
            effective: set.effective,
            total_variation: set.total_variation,
            state_variation: set.state_variation,
            coverage: set.coverage,
            truth: at.map_or(nothing, |at| set.cells[at].1),
            scores: set.scores.as_ref().map(|scores| (scores.log_loss, scores.brier)),
            regret: set.regret,
            drawn: set.drawn,
        });
        if let Some(scores) = &set.scores {
            self.bins.iter_mut().zip(&scores.bins).for_each(|(sum, bin)| sum.add(bin, 1.0));
        }
        *if set.held == 0 { &mut self.empty } else { &mut self.outside } += set.outside;
        self.weights.extend(set.cells);
        if self.weights.len() > 2 * point.posterior.histories.len() {
            self.merge();
        }
    }

    /// Adds up the weights of each place. The order of the replicates decides the order of the sum.
    fn merge(&mut self) {
        self.weights.sort_by_key(|&(place, _)| place);
        self.weights.dedup_by(|later, first| {
            let is_same = later.0 == first.0;
            if is_same {
                first.1 += later.1;
            }
            is_same
        });
    }
}

/// The numbers of the replicates of every batch, of `count` replicates.
pub(super) fn batches(count: usize) -> Vec<std::ops::Range<usize>> {
    let batches = count.min(BATCHES);
    (0..batches).map(|batch| batch * count / batches..(batch + 1) * count / batches).collect()
}

/// The bins of these batches, in the mean over all sets.
pub(super) fn calibration(batches: &[ReplicateBatch]) -> [Bin; BINS] {
    let sets: usize = batches.iter().map(|batch| batch.sets.len()).sum();
    let mut all = [Bin::default(); BINS];
    for batch in batches {
        all.iter_mut().zip(&batch.bins).for_each(|(sum, bin)| sum.add(bin, 1.0 / sets as f64));
    }
    all
}

/// The equal mixture of all sets of these batches, over `histories` histories. The empty ones lie outside the information set.
pub(super) fn mixture<'a>(
    batches: impl Iterator<Item = &'a ReplicateBatch> + Clone,
    histories: usize,
) -> Placed {
    let add = |sums: (f64, f64), one: &ReplicateBatch| (sums.0 + one.empty, sums.1 + one.sets.len() as f64);
    let (empty, sets) = batches.clone().fold((0.0, 0.0), add);
    let share = 1.0 - empty / sets;
    let mut all = filled(batches, histories);
    all.weights.iter_mut().for_each(|weight| *weight *= share);
    all.outside = all.outside * share + (1.0 - share);
    all
}

/// The same without the empty sets: what is tested as draws.
pub(super) fn filled<'a>(
    batches: impl Iterator<Item = &'a ReplicateBatch> + Clone,
    histories: usize,
) -> Placed {
    let mut all = Placed::nothing(histories);
    let sets = batches.clone().map(|batch| batch.sets.len() as f64 - batch.empty).sum::<f64>();
    let share = 1.0 / sets.max(1.0);
    for batch in batches {
        batch.weights.iter().for_each(|&(place, weight)| all.weights[place] += weight * share);
        all.outside += batch.outside * share;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_replicate_is_in_one_batch() {
        for count in [0, 1, 199, 200, 201, 20_000] {
            let all = batches(count);
            assert_eq!(all.len(), count.min(BATCHES));
            assert!(all.iter().cloned().flatten().eq(0..count), "{count}");
            let sizes = || all.iter().map(ExactSizeIterator::len);
            assert!(sizes().max().unwrap_or(0) <= sizes().min().unwrap_or(0) + 1, "{count}");
        }
    }
}
