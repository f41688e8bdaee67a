//! Comparisons: p-values and intervals where several means are compared at once.
//!
//! [`holm`] adjusts p-values so that the probability of any wrong rejection is at most the level, whatever the
//! comparisons have in common. The family of a comparison of all pairs is that of all pairs: the best of several means
//! is chosen by the same numbers that it is then compared by, so its comparisons with the others alone would reject too
//! often.
//!
//! Reference: Holm79 (`docs/REFERENCES.md`).

/// The adjusted p-values of a family, in the same order.
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&one, &other| values[one].total_cmp(&values[other]));
    let (mut adjusted, mut least) = (vec![1.0; values.len()], 0.0_f64);
    for (rank, at) in order.into_iter().enumerate() {
        least = least.max((values.len() - rank) as f64 * values[at]).min(1.0);
        adjusted[at] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holm_multiplies_the_least_value_most_and_keeps_the_order() {
        // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
        assert_eq!(holm(&[0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02]);
        assert_eq!(holm(&[0.6, 0.9]), [1.0, 1.0]);
    }
}
