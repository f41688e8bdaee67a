//! Weights, and systematic resampling: draws from a weighted list, spread as evenly as possible.
//!
//! The weights are laid end to end on a line, and a comb of equally spaced teeth is placed over it at one uniformly
//! drawn offset. Each tooth draws the entry below it. So every entry is drawn its expected number of times, rounded
//! down or up.

use rand::{Rng, RngExt};

/// The positions drawn, in ascending order; `weights` sum to 1.
pub fn systematic(weights: &[f64], count: usize, rng: &mut impl Rng) -> Vec<usize> {
    if weights.is_empty() {
        return Vec::new();
    }
    let offset: f64 = rng.random();
    let mut drawn = Vec::with_capacity(count);
    let mut position = 0;
    let mut end = weights[0];
    for tooth in 0..count {
        let place = (tooth as f64 + offset) / count as f64;
        while end <= place && position + 1 < weights.len() {
            position += 1;
            end += weights[position];
        }
        drawn.push(position);
    }
    drawn
}

/// The weights of at most `count` different entries, with the sum `count`: those above a threshold stay as they are, and as many of the
/// others as there is room for are drawn, each of which weighs as much as the threshold. Every weight is what it was in expectation
/// (Fearnhead03). `weights` sum to 1.
pub(super) fn thinned(weights: &[f64], count: usize, rng: &mut impl Rng) -> Vec<f64> {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
    let mut rest: f64 = order.iter().rev().map(|&entry| weights[entry]).sum();
    let mut result: Vec<f64> = weights.iter().map(|weight| weight * count as f64).collect();
    let (mut kept, all) = (0, order.len());
    while kept < all.min(count) && (all <= count || weights[order[kept]] * (count - kept) as f64 >= rest) {
        rest -= weights[order[kept]];
        kept += 1;
    }
    let others = &order[kept..];
    let rest: f64 = others.iter().map(|&entry| weights[entry]).sum();
    let shares: Vec<f64> = others.iter().map(|&entry| weights[entry] / rest).collect();
    others.iter().for_each(|&entry| result[entry] = 0.0);
    for place in systematic(&shares, count.saturating_sub(kept), rng) {
        result[others[place]] += rest * count as f64 / (count - kept) as f64;
    }
    result
}

/// The weights with these logarithms, summing to 1. Empty for none.
pub(super) fn normalised(logarithms: &[f64]) -> Vec<f64> {
    let greatest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logarithms.iter().map(|ln| (ln - greatest).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// The effective sample size of normalised weights: the number of equal weights that would vary as little.
///
/// ```
/// use hyperplay_think::belief::effective_size;
///
/// assert_eq!(effective_size([0.25, 0.25, 0.25, 0.25]), 4.0);
/// assert_eq!(effective_size([1.0, 0.0, 0.0, 0.0]), 1.0);
/// ```
pub fn effective_size(weights: impl IntoIterator<Item = f64>) -> f64 {
    let squares: f64 = weights.into_iter().map(|weight| weight * weight).sum();
    if squares > 0.0 { 1.0 / squares } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_machine::Seed;

    #[test]
    fn normalised_weights_sum_to_one_however_small_they_were() {
        let weights = normalised(&[-2000.0, -2000.0 + 2_f64.ln(), f64::NEG_INFINITY]);
        for (weight, expected) in weights.iter().zip([1.0 / 3.0, 2.0 / 3.0, 0.0]) {
            assert!((weight - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn the_effective_size_counts_equal_weights() {
        assert!((effective_size([0.25; 4]) - 4.0).abs() < 1e-12);
        assert!((effective_size([1.0, 0.0]) - 1.0).abs() < 1e-12);
        assert_eq!(effective_size([]), 0.0);
    }

    #[test]
    fn every_entry_is_drawn_its_expected_number_of_times_rounded() {
        let weights = [0.5, 0.0, 0.3, 0.2];
        for seed in 0..100 {
            let drawn = systematic(&weights, 10, &mut Seed::root(seed).rng());
            let times = |entry| drawn.iter().filter(|&&position| position == entry).count();
            assert_eq!([times(0), times(1)], [5, 0]);
            assert!((3..=4).contains(&(times(2).max(3))) && times(2) + times(3) == 5);
        }
        assert!(systematic(&[], 3, &mut Seed::root(1).rng()).is_empty());
    }

    #[test]
    fn thinned_weights_are_as_they_were_in_expectation_and_great_ones_stay() {
        let weights = [0.001, 0.6, 0.004, 0.2, 0.1, 0.05, 0.03, 0.015];
        let mut sums = [0.0; 8];
        for seed in 0..20_000 {
            let thinned = thinned(&weights, 4, &mut Seed::root(seed).rng());
            assert!(thinned.iter().filter(|&&weight| weight > 0.0).count() <= 4);
            assert!((thinned.iter().sum::<f64>() - 4.0).abs() < 1e-12);
            assert!((thinned[1] - 2.4).abs() < 1e-12 && (thinned[3] - 0.8).abs() < 1e-12);
            sums.iter_mut().zip(thinned).for_each(|(sum, weight)| *sum += weight / 4.0);
        }
        for (sum, weight) in sums.iter().zip(weights) {
            assert!((sum / 20_000.0 - weight).abs() < 0.002, "{sums:?}");
        }
        // With room for all, all stay.
        let all = thinned(&[0.75, 0.25], 4, &mut Seed::root(1).rng());
        assert_eq!(all, [3.0, 1.0]);
        assert!(thinned(&[], 4, &mut Seed::root(1).rng()).is_empty());
    }
}
