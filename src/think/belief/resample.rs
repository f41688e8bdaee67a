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
}
