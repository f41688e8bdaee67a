//! Joint sample: independent measurements of several numbers at once, so that any two can be compared pairwise.
//!
//! A measurement is a vector, such as the scores of all entrants on one deal. Means and covariances are kept, not the
//! measurements, so memory grows with the square of their length alone. Sums are made of distances from the first
//! measurement, as in [`Sample`].

use super::statistics::Sample;

/// Squares of combinations are taken as zero below this share of those of their parts.
const ROUNDING: f64 = 1e-12;

/// Measurements of several numbers, added one by one.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct JointSample {
    count: u64,
    first: Vec<f64>,
    sums: Vec<f64>,
    /// Row by row.
    products: Vec<f64>,
}

impl JointSample {
    /// Counts one more measurement; all have the same length.
    pub fn add(&mut self, numbers: &[f64]) {
        let length = numbers.len();
        if self.count == 0 {
            self.first = numbers.to_vec();
            (self.sums, self.products) = (vec![0.0; length], vec![0.0; length * length]);
        }
        self.count += 1;
        let from: Vec<f64> = numbers.iter().zip(&self.first).map(|(number, first)| number - first).collect();
        self.sums.iter_mut().zip(&from).for_each(|(sum, from)| *sum += from);
        for (row, one) in self.products.chunks_mut(length.max(1)).zip(&from) {
            row.iter_mut().zip(&from).for_each(|(product, other)| *product += one * other);
        }
    }

    /// How many measurements there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The numbers at one place.
    pub fn at(&self, one: usize) -> Sample {
        self.combined(&[(one, 1.0)])
    }

    /// The numbers at one place less those at another one.
    pub fn difference(&self, one: usize, other: usize) -> Sample {
        self.combined(&[(one, 1.0), (other, -1.0)])
    }

    /// The weighted sums of the numbers at these places.
    pub fn combined(&self, places: &[(usize, f64)]) -> Sample {
        if self.count == 0 {
            return Sample::default();
        }
        let sum = |numbers: &[f64]| places.iter().map(|&(at, weight)| weight * numbers[at]).sum();
        let product = |one: usize, other: usize| self.products[one * self.sums.len() + other];
        let pairs = || places.iter().flat_map(|one| places.iter().map(move |other| (one, other)));
        let squares: f64 = pairs().map(|(one, other)| one.1 * other.1 * product(one.0, other.0)).sum();
        let scale: f64 = places.iter().map(|&(at, weight)| weight * weight * product(at, at)).sum();
        // Less is rounding.
        let squares = if squares < ROUNDING * scale { 0.0 } else { squares };
        Sample::from([self.count as f64, sum(&self.first), sum(&self.sums), squares])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_combination_is_the_sample_of_the_combined_numbers() {
        let rows = [[1.0, 5.0, 2.0], [4.0, 5.5, 2.0], [9.0, -3.0, 2.0], [0.5, 7.0, 2.0]];
        let mut joint = JointSample::default();
        rows.iter().for_each(|row| joint.add(row));
        let of = |read: fn(&[f64; 3]) -> f64| rows.iter().map(read).collect::<Sample>();
        let pairs = [
            (joint.at(1), of(|row| row[1])),
            (joint.difference(0, 1), of(|row| row[0] - row[1])),
            (
                joint.combined(&[(0, 0.5), (1, 0.25), (2, -2.0)]),
                of(|row| 0.5 * row[0] + 0.25 * row[1] - 2.0 * row[2]),
            ),
        ];
        for (one, other) in pairs {
            assert!((one.mean().unwrap() - other.mean().unwrap()).abs() < 1e-12);
            assert!((one.variance().unwrap() - other.variance().unwrap()).abs() < 1e-9);
        }
        assert_eq!((joint.at(2).variance(), joint.count()), (Some(0.0), 4));
        let mut thirds = JointSample::default();
        (0..50).map(f64::from).for_each(|number| thirds.add(&[number / 3.0 + 0.1, number / 3.0]));
        let difference = thirds.difference(0, 1);
        assert!(difference.variance() == Some(0.0) && (difference.mean().unwrap() - 0.1).abs() < 1e-12);
        assert_eq!(JointSample::default().difference(0, 1), Sample::default());
    }
}
