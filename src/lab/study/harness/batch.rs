//! Batches: the data kept of the replicates at a point.
//!
//! The figures need the mean of the weights over all sets, not the weights of each set. So the replicates are divided
//! into at most [`BATCHES`] batches, and a batch keeps the sum of the weights of its sets and some numbers of each. The
//! memory grows by a fixed number of bytes with each replicate, whatever the number of particles. The bootstrap over
//! replicates resamples batches; up to 200 replicates each is a batch of its own.

use super::super::accuracy::Placed;
use super::fluents::{BINS, Bin};
use super::point::EvaluationPoint;
use super::set::{MeasuredUpdate, ParticleSet, SetNumbers, merge};

/// The most batches of replicates.
const BATCHES: usize = 200;

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
    pub(super) fn add(&mut self, set: ParticleSet, point: &EvaluationPoint) {
        self.updates.push(set.update);
        self.sets.push(set.numbers);
        self.bins.iter_mut().zip(&set.bins).for_each(|(sum, bin)| sum.add(bin, 1.0));
        *if set.numbers.held == 0 { &mut self.empty } else { &mut self.outside } += set.outside;
        self.weights.extend(set.cells);
        // The order of the replicates decides the order of the sum.
        if self.weights.len() > 2 * point.posterior.histories.len() {
            merge(&mut self.weights);
        }
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
    Bin::sums(batches.iter().map(|batch| &batch.bins), 1.0 / sets as f64)
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
    let weights = &mut all.weights[..];
    for batch in batches {
        batch.weights.iter().for_each(|&(place, weight)| weights[place] += weight * share);
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
