//! Independent draws: how many exact draws from the posterior a particle set is worth.
//!
//! That is the number *n* for which *n* independent draws from the posterior have the same expected set TV. The expectation
//! is known in closed form ([`DrawsCurve`]), so nothing is simulated. It never rises with *n*, from 1 for an empty set on,
//! so it is inverted: over the decisions of a study the sum of set TV is compared with the sum of the expectations.
//!
//! Invariant: *n* exact draws come out as *n*, up to the noise of their own set TV.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::accuracy::DrawsCurve;
use super::row::StudyRow;
use hyperplay_report::{MeanInterval, skewed_interval};

/// A distance at a row, and what is expected of it.
type Distance<'a> = dyn Fn(&StudyRow) -> Option<(&Arc<DrawsCurve>, f64)> + 'a;

/// The independent draws that the sets of these rows are worth. Rows without an exact posterior, or whose particles are all of it
/// or of its states, are left out.
pub(super) fn independent_draws(rows: &[&StudyRow]) -> MeanInterval {
    draws_by(rows, &|row| row.figures.exactly.is_none().then_some((&row.curve, row.figures.set_tv)))
}

/// The same by another distance of a row, with the expectation of it under independent draws; rows without one are left out.
/// The interval is that of the distance in a match less what is expected there of this number of draws.
pub(super) fn draws_by(rows: &[&StudyRow], of_row: &Distance) -> MeanInterval {
    let mut matches: BTreeMap<usize, (DrawsCurve, f64)> = BTreeMap::new();
    for row in rows {
        if let Some((curve, distance)) = of_row(row).filter(|(curve, _)| curve.0[1] > 0.0) {
            let sums = matches.entry(row.place.index).or_default();
            sums.0.add(curve);
            sums.1 += distance;
        }
    }
    let (mut curve, mut distance) = (DrawsCurve::default(), 0.0);
    for (of_match, in_match) in matches.values() {
        curve.add(of_match);
        distance += in_match;
    }
    let value = curve.inverse(distance);
    let differences: Vec<f64> =
        matches.values().map(|(curve, distance)| distance - curve.at(value)).collect();
    let (low, high) = skewed_interval(&differences);
    let worth = |end: f64| curve.inverse(distance + end * matches.len() as f64);
    MeanInterval { value, low: worth(high), high: worth(low) }
}

#[cfg(test)]
mod tests {
    use super::super::accuracy::baseline;
    use super::super::accuracy::tests::{drawn, posterior};
    use super::*;
    use hyperplay_machine::Seed;

    #[test]
    fn exact_draws_are_worth_their_number() {
        let even = vec![0.01; 100];
        let steep: Vec<f64> = (0..40).map(|at| 0.5_f64.powi(at + 1)).collect();
        for probabilities in [even, steep, vec![0.7, 0.2, 0.1]] {
            let posterior = posterior(&probabilities);
            let curve = DrawsCurve::of(&posterior, baseline);
            assert!(curve.0.windows(2).all(|pair| pair[1] <= pair[0] + 1e-12), "draws never make it worse");
            for draws in [1, 5, 23, 64, 300] {
                assert!(
                    (curve.inverse(baseline(&posterior, draws)) / draws as f64 - 1.0).abs() < 0.03,
                    "{draws}"
                );
                let of_set =
                    |set| drawn(&posterior, draws, &mut Seed::root(set).rng()).total_variation(&posterior);
                let mean = (0..2_000).map(of_set).sum::<f64>() / 2_000.0;
                let worth = curve.inverse(mean);
                assert!((worth / draws as f64 - 1.0).abs() < 0.12, "{draws}: {worth}");
            }
            assert_eq!((curve.inverse(1.0), curve.inverse(0.0)), (0.0, f64::INFINITY));
            let many = curve.inverse(baseline(&posterior, 1 << 24));
            assert!((many / f64::from(1 << 24) - 1.0).abs() < 0.01, "{many}");
        }
        assert!(DrawsCurve::of(&posterior(&[1.0]), baseline).inverse(0.0).is_nan());
    }
}
