//! Rank correlation: whether one number goes up with another, whatever the form of the relation (Spearman).
//!
//! It is the correlation of the ranks. Equal numbers share the mean of their ranks, and infinite ones have a rank like all
//! others. It is NaN with fewer than three pairs, and where all numbers of one kind are equal.

use super::statistics::rounded;

/// The rank correlation of these pairs, -1..=1; pairs with a number that is not known are left out.
pub fn rank_correlation(pairs: &[(f64, f64)]) -> f64 {
    let known: Vec<(f64, f64)> =
        pairs.iter().copied().filter(|(one, other)| !one.is_nan() && !other.is_nan()).collect();
    if known.len() < 3 {
        return f64::NAN;
    }
    let (ones, others): (Vec<f64>, Vec<f64>) = known.into_iter().unzip();
    let (ones, others) = (centred_ranks(&ones), centred_ranks(&others));
    let product =
        |ones: &[f64], others: &[f64]| ones.iter().zip(others).map(|(one, other)| one * other).sum::<f64>();
    product(&ones, &others) / (product(&ones, &ones) * product(&others, &others)).sqrt()
}

/// The rank of each number less the mean rank: half of how many are below it less how many are above it. Numbers that are
/// [`rounded`] to the same are equal: they are means of sums, whose last bits depend on the order of summation.
fn centred_ranks(numbers: &[f64]) -> Vec<f64> {
    let numbers: Vec<f64> = numbers.iter().copied().map(rounded).collect();
    let rank = |number: &f64| {
        let count = |is: fn(&f64, &f64) -> bool| numbers.iter().filter(|other| is(other, number)).count();
        (count(f64::lt) as f64 - count(f64::gt) as f64) / 2.0
    };
    numbers.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last value is by hand: ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4 have the correlation 4.5 / sqrt(4.5 * 5).
    #[test]
    fn it_is_the_correlation_of_the_ranks() {
        let of = |ones: &[f64], others: &[f64]| {
            rank_correlation(&ones.iter().copied().zip(others.iter().copied()).collect::<Vec<_>>())
        };
        assert_eq!(of(&[1.0, 2.0, 3.0], &[1.0, 10.0, f64::INFINITY]), 1.0);
        assert_eq!(of(&[1.0, 2.0, 3.0, f64::NAN], &[9.0, 8.0, -7.0, 0.0]), -1.0);
        assert!(of(&[1.0, 2.0], &[1.0, 2.0]).is_nan() && of(&[1.0; 4], &[1.0, 2.0, 3.0, 4.0]).is_nan());
        let nearly = |number: f64| number * (1.0 + 1e-15);
        assert!(
            (of(&[1.0, 2.0, nearly(2.0), 3.0], &[1.0, 5.0, 4.0, 6.0]) - 4.5 / 22.5_f64.sqrt()).abs() < 1e-12
        );
        assert_eq!(
            of(&[0.0, 1e-17, -1e-17, 1.0], &[1.0, 3.0, 2.0, 4.0]),
            of(&[0.0, 0.0, 0.0, 1.0], &[1.0, 3.0, 2.0, 4.0])
        );
        assert_eq!(of(&[1.0, f64::INFINITY, f64::INFINITY], &[1.0, 2.0, 2.0]), 1.0);
        assert!((of(&[1.0, 2.0, 2.0, 3.0], &[1.0, 5.0, 4.0, 6.0]) - 4.5 / 22.5_f64.sqrt()).abs() < 1e-12);
    }
}
