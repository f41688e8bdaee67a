//! Accuracy: how far a belief is from the posterior.
//!
//! *Set TV* is half the L1 distance between one weighted particle set and the posterior. *Bias TV* is the same distance
//! for the mean of many independent sets; it is the error that more sets do not average out. With finitely many draws
//! even perfect sampling does not reach 0. So each distance is compared with its *baseline*: its expectation when the
//! same number of particles is drawn independently from the posterior itself. [`baseline`] is that expectation in
//! closed form; tests compare it with 1,000 simulated replicates and with the normal approximation.
//!
//! Sums are made in the order of the posterior, never of a hash table, so figures are the same to the last bit every time.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use statrs::distribution::{ChiSquared, ContinuousCDF};
use statrs::function::factorial::ln_binomial;

use hyperplay_think::belief::exact::Posterior;

/// The least expected number of draws in a cell of a chi-squared test.
const CELL: f64 = 5.0;

/// Weights at the places of a posterior: how much is held of each of its histories.
#[derive(Clone, PartialEq, Debug)]
pub struct Placed {
    /// In the order of the posterior.
    pub weights: Vec<f64>,
    /// The weight outside the information set. It is 0 unless there is an error or the posterior is incomplete.
    pub outside: f64,
}

impl Placed {
    /// Nothing, for a posterior of `histories` histories.
    pub fn nothing(histories: usize) -> Self {
        Placed { weights: vec![0.0; histories], outside: 0.0 }
    }

    /// The total variation distance from a posterior: 0 for the same, 1 for nothing in common.
    pub fn total_variation(&self, posterior: &Posterior) -> f64 {
        let pairs = self.weights.iter().zip(&posterior.histories);
        let distance: f64 = pairs.map(|(weight, (_, probability))| (weight - probability).abs()).sum();
        // The weight outside the information set counts whole.
        (distance + self.outside.abs()) / 2.0
    }

    /// The total variation distance between the distributions of the states that the histories end in.
    pub fn state_variation(&self, posterior: &Posterior) -> f64 {
        let differences = by_state(posterior, |at| self.weights[at] - posterior.histories[at].1);
        let distance: f64 = differences.iter().map(|difference| difference.abs()).sum();
        (distance + self.outside.abs()) / 2.0
    }

    /// The Kullback-Leibler divergence of the posterior from this distribution, as if it had been counted in `draws`
    /// draws and every history of the information set half a time more.
    pub fn divergence(&self, posterior: &Posterior, draws: usize) -> f64 {
        let all = draws as f64 + posterior.histories.len() as f64 / 2.0;
        let pairs = self.weights.iter().zip(&posterior.histories);
        pairs
            .filter(|&(_, &(_, probability))| probability > 0.0)
            .map(|(weight, &(_, probability))| {
                let smoothed = (weight * draws as f64 + 0.5) / all;
                probability * (probability / smoothed).ln()
            })
            .sum()
    }

    /// The chi-squared test of this distribution, counted in `draws` independent draws without weights, against the
    /// posterior. Histories with fewer than 5 expected draws are put together with the next such ones, in the order
    /// of the posterior, until that many are expected. A single draw from outside the information set refutes the
    /// hypothesis. `None` if there is only one cell.
    pub fn chi_squared(&self, posterior: &Posterior, draws: usize) -> Option<GoodnessOfFit> {
        let scale = draws as f64;
        let pairs = self.weights.iter().zip(&posterior.histories);
        let mut cells: Vec<(f64, f64)> = Vec::new();
        let mut small = (0.0, 0.0);
        for (weight, (_, probability)) in pairs {
            let cell = (probability * scale, weight * scale);
            if cell.0 >= CELL {
                cells.push(cell);
                continue;
            }
            small = (small.0 + cell.0, small.1 + cell.1);
            if small.0 >= CELL {
                cells.push(std::mem::take(&mut small));
            }
        }
        match cells.last_mut() {
            Some(last) => *last = (last.0 + small.0, last.1 + small.1),
            None => cells.push(small),
        }
        let fit = GoodnessOfFit::of(&cells, draws)?;
        let is_refuted = self.outside > 0.5 / scale;
        Some(if is_refuted { GoodnessOfFit { p: 0.0, ..fit } } else { fit })
    }
}

/// The result of a chi-squared test.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct GoodnessOfFit {
    /// The sum of squared differences over what was expected.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub statistic: f64,
    /// Degrees of freedom.
    pub freedom: usize,
    /// The probability of this much or more if the draws come from the posterior.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub p: f64,
    /// Draws counted.
    pub draws: usize,
}

impl GoodnessOfFit {
    /// Pearson's test of what was expected in each cell and what was counted; `None` if there is only one cell.
    pub(super) fn of(cells: &[(f64, f64)], draws: usize) -> Option<GoodnessOfFit> {
        let square = |&(expected, counted): &(f64, f64)| (counted - expected).powi(2) / expected;
        let (statistic, freedom) = (cells.iter().map(square).sum(), cells.len() - 1);
        let p = ChiSquared::new(freedom as f64).ok()?.sf(statistic);
        Some(GoodnessOfFit { statistic, freedom, p, draws })
    }
}

/// The expected total variation from the posterior of `draws` independent draws from it. The baseline of set TV has as
/// many draws as particles, that of bias TV as many as particles in all sets together.
pub fn baseline(posterior: &Posterior, draws: usize) -> f64 {
    expected_distance(posterior.histories.iter().map(|&(_, probability)| probability), draws)
}

/// The same for [`Placed::state_variation`].
pub fn state_baseline(posterior: &Posterior, draws: usize) -> f64 {
    expected_distance(by_state(posterior, |at| posterior.histories[at].1).into_iter(), draws)
}

fn expected_distance(probabilities: impl Iterator<Item = f64>, draws: usize) -> f64 {
    let deviations = probabilities.map(|probability| mean_deviation(draws, probability));
    deviations.sum::<f64>() / draws as f64 / 2.0
}

/// The expected posterior mass of the histories that `draws` independent draws hit.
pub fn expected_coverage(posterior: &Posterior, draws: usize) -> f64 {
    let hit = |probability: f64| probability * -((-probability).ln_1p() * draws as f64).exp_m1();
    posterior
        .histories
        .iter()
        .map(|&(_, probability)| if probability < 1.0 { hit(probability) } else { 1.0 })
        .sum()
}

/// The numbers of draws at which the expectation is computed: all small ones, then four for each power of two.
static COUNTS: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let further = (17..=80).map(|quarter| (f64::from(quarter) / 4.0).exp2().round() as usize);
    (0..=16).chain(further.filter(|&count| count > 16)).collect()
});

/// The expected set TV of independent draws by their number, or a sum of such expectations.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct DrawsCurve(pub(super) Vec<f64>);

impl DrawsCurve {
    /// That of draws from this posterior, of histories ([`baseline`]) or of states ([`state_baseline`]).
    pub(super) fn of(posterior: &Posterior, expected: fn(&Posterior, usize) -> f64) -> Self {
        let at = |&count: &usize| if count == 0 { 1.0 } else { expected(posterior, count) };
        DrawsCurve(COUNTS.iter().map(at).collect())
    }

    /// Adds the expectations of another point.
    pub fn add(&mut self, other: &DrawsCurve) {
        self.0.resize(other.0.len().max(self.0.len()), 0.0);
        self.0.iter_mut().zip(&other.0).for_each(|(sum, one)| *sum += one);
    }

    /// The expected distance of this number of draws.
    pub(super) fn at(&self, draws: f64) -> f64 {
        let place = COUNTS.partition_point(|&count| count as f64 <= draws);
        let (most, least) = (COUNTS[COUNTS.len() - 1] as f64, self.0[COUNTS.len() - 1]);
        let Some(&many) = COUNTS.get(place) else { return least * (most / draws).sqrt() };
        let (few, above, below) = (COUNTS[place - 1] as f64, self.0[place - 1], self.0[place]);
        if place == 1 {
            above + draws * (below - above)
        } else {
            above * (below / above).powf((draws / few).ln() / (many as f64 / few).ln())
        }
    }

    /// The number of draws with this set TV: infinite for none, NaN where every draw is the same history. Between two numbers it
    /// is interpolated, and beyond the last one the distance falls as the square root of the number.
    pub fn inverse(&self, distance: f64) -> f64 {
        let DrawsCurve(expected) = self;
        let place = expected.partition_point(|&one| one > distance);
        let ends = |at: usize| (COUNTS[at] as f64, expected[at]);
        if expected.get(1).is_none_or(|&one| one <= 0.0) || distance.is_nan() {
            f64::NAN
        } else if distance <= 0.0 {
            f64::INFINITY
        } else if place == 0 {
            0.0
        } else if let Some(&below) = expected.get(place) {
            let ((few, above), (many, _)) = (ends(place - 1), ends(place));
            let linear = (above - distance) / (above - below);
            let share = (above / distance).ln() / (above / below).ln();
            if place == 1 { linear } else { few * (many / few).powf(share) }
        } else {
            let (most, least) = ends(place - 1);
            most * (least / distance).powi(2)
        }
    }
}

/// The sum of a figure of the histories that end in each state.
pub(super) fn by_state(posterior: &Posterior, figure: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut sums = vec![0.0; posterior.ends.iter().max().map_or(0, |last| last + 1)];
    for (at, &end) in posterior.ends.iter().enumerate() {
        sums[end] += figure(at);
    }
    sums
}

/// The mean absolute deviation of a binomial variable from its mean, by de Moivre:
/// `2 m C(n, m) p^m (1 - p)^(n - m + 1)` with m the least whole number above n p.
fn mean_deviation(draws: usize, probability: f64) -> f64 {
    if probability <= 0.0 || probability >= 1.0 {
        return 0.0;
    }
    let above = ((draws as f64 * probability).floor() as usize + 1).min(draws);
    let ways = ln_binomial(draws as u64, above as u64);
    let hits = above as f64 * probability.ln();
    let misses = (draws - above + 1) as f64 * (-probability).ln_1p();
    2.0 * above as f64 * (ways + hits + misses).exp()
}

#[cfg(test)]
pub(super) mod tests {
    use rand::{Rng, RngExt};

    use super::*;
    use hyperplay_logic::gdl::{Symbols, TermStore};
    use hyperplay_machine::{History, JointMove, Move, Seed};

    /// The baseline by the normal approximation: `sum of sqrt(2 p (1 - p) / (pi draws)) / 2`. A check of [`baseline`]
    /// where every history is drawn often.
    fn normal_baseline(posterior: &Posterior, draws: usize) -> f64 {
        let deviation = |probability: f64| {
            (2.0 * probability * (1.0 - probability) / std::f64::consts::PI / draws as f64).sqrt()
        };
        posterior.histories.iter().map(|&(_, probability)| deviation(probability)).sum::<f64>() / 2.0
    }

    /// A posterior with these probabilities, over histories of one step.
    pub(in super::super) fn posterior(probabilities: &[f64]) -> Posterior {
        let mut symbols = Symbols::new();
        let names: Vec<_> = (0..probabilities.len()).map(|name| symbols.intern(&name.to_string())).collect();
        let terms = TermStore::new(symbols);
        let history = |&name| History(vec![JointMove::new([Move(terms.intern(name, &[]))])]);
        let histories = names.iter().map(history).zip(probabilities.iter().copied()).collect();
        Posterior { histories, ends: (0..probabilities.len()).collect(), evidence: 1.0, states: 0 }
    }

    /// Draws from the posterior.
    pub(in super::super) fn drawn(posterior: &Posterior, draws: usize, rng: &mut impl Rng) -> Placed {
        let mut all = Placed::nothing(posterior.histories.len());
        for _ in 0..draws {
            let mut left: f64 = rng.random();
            let under = |(_, probability): &(History, f64)| {
                left -= probability;
                left < 0.0
            };
            all.weights[posterior.histories.iter().position(under).unwrap_or(0)] += 1.0 / draws as f64;
        }
        all
    }

    #[test]
    fn the_baseline_is_what_a_thousand_replicates_average_and_what_the_normal_law_says() {
        for probabilities in
            [vec![0.5, 0.5], vec![0.9, 0.06, 0.04], vec![0.01; 100], vec![1.0 / 3.0, 2.0 / 3.0]]
        {
            let posterior = posterior(&probabilities);
            for draws in [1, 16, 640] {
                let exact = baseline(&posterior, draws);
                let replicates = (0..1_000).map(|replicate| {
                    drawn(&posterior, draws, &mut Seed::root(replicate).rng()).total_variation(&posterior)
                });
                let simulated = replicates.sum::<f64>() / 1_000.0;
                assert!((simulated / exact - 1.0).abs() < 0.08, "{simulated} {exact}");
                if draws == 640 {
                    assert!((normal_baseline(&posterior, draws) / exact - 1.0).abs() < 0.06);
                }
            }
        }
        assert_eq!(baseline(&posterior(&[1.0]), 7), 0.0);
    }

    #[test]
    fn the_expected_coverage_is_what_replicates_average() {
        let posterior = posterior(&[0.5, 0.3, 0.1, 0.06, 0.04]);
        let covered = |draws: usize, replicate: u64| -> f64 {
            let drawn = drawn(&posterior, draws, &mut Seed::root(replicate).rng());
            let held = drawn.weights.iter().zip(&posterior.histories).filter(|(weight, _)| **weight > 0.0);
            held.map(|(_, (_, probability))| probability).sum()
        };
        for draws in [1, 3, 20] {
            let simulated = (0..1_000).map(|replicate| covered(draws, replicate)).sum::<f64>() / 1_000.0;
            let expected = expected_coverage(&posterior, draws);
            assert!((simulated - expected).abs() < 0.02, "{draws}: {simulated} {expected}");
        }
    }

    #[test]
    fn good_draws_pass_the_chi_squared_test_and_bad_ones_fail() {
        let truth = posterior(&[0.5, 0.3, 0.197, 0.002, 0.001]);
        let good = drawn(&truth, 2_000, &mut Seed::root(1).rng());
        let fit = good.chi_squared(&truth, 2_000).unwrap();
        assert_eq!(fit.freedom, 3);
        assert!(fit.p > 0.01, "{fit:?}");
        assert!(good.divergence(&truth, 2_000) < 0.005);
        let other = posterior(&[0.4, 0.4, 0.197, 0.002, 0.001]);
        let fit = good.chi_squared(&other, 2_000).unwrap();
        assert!(fit.p < 1e-6, "{fit:?}");
        assert!(good.divergence(&other, 2_000) > 0.01);
        let single = posterior(&[1.0]);
        assert_eq!(good.chi_squared(&single, 2_000), None);
    }
}
