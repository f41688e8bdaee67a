//! Interval: how sure a figure is, by the bootstrap.
//!
//! What was measured several times is drawn anew with replacement, as often as there are measurements, and the figure
//! computed from each such sample; the interval holds the middle 95 % of these figures. The draws come from a seed, so an
//! interval is as reproducible as what it is about.
//!
//! Reference: Efron79 (`docs/REFERENCES.md`).

use rand::RngExt;

use hyperplay_engine::machine::Seed;

/// How often a sample is drawn.
pub const REPLICATES: usize = 400;

/// The percentile interval of `figure` over samples of `count` measurements, which are given by their numbers; both
/// ends NaN if there are fewer than two.
pub fn bootstrap(count: usize, seed: &Seed, mut figure: impl FnMut(&[usize]) -> f64) -> (f64, f64) {
    if count < 2 {
        return (f64::NAN, f64::NAN);
    }
    let mut rng = seed.rng();
    let mut sample = vec![0; count];
    let mut figures: Vec<f64> = (0..REPLICATES)
        .map(|_| {
            sample.fill_with(|| rng.random_range(0..count));
            figure(&sample)
        })
        .collect();
    figures.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| figures[((figures.len() - 1) as f64 * share).round() as usize];
    (at(0.025), at(0.975))
}

/// The same, moved so that the middle of the samples' figures comes to lie on the figure itself. For a distance, which
/// any noise makes larger: samples of samples are noisier, so their plain interval would lie above the figure.
pub fn centred(value: f64, count: usize, seed: &Seed, mut figure: impl FnMut(&[usize]) -> f64) -> (f64, f64) {
    let mut all = Vec::with_capacity(REPLICATES);
    let (low, high) = bootstrap(count, seed, |sample| {
        all.push(figure(sample));
        all[all.len() - 1]
    });
    all.sort_unstable_by(f64::total_cmp);
    let middle = all.get(all.len() / 2).copied().unwrap_or(f64::NAN);
    ((value + low - middle).max(0.0), value + high - middle)
}

/// The mean and its standard error; NaN for none, and an error of NaN for one.
pub fn mean(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
    // Distances from the first value, so that equal values have no error at all.
    let mut first = None;
    for value in values {
        let from = *first.get_or_insert(value);
        count += 1.0;
        sum += value - from;
        squares += (value - from) * (value - from);
    }
    let Some(first) = first else { return (f64::NAN, f64::NAN) };
    let mean: f64 = sum / count;
    let variance = if count > 1.0 { ((squares - sum * mean) / (count - 1.0)).max(0.0) } else { f64::NAN };
    (first + mean, (variance / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The interval of a mean holds the truth as often as it says.
    #[test]
    fn an_interval_holds_the_truth_in_95_of_100() {
        let held = (0..400)
            .filter(|&trial| {
                let mut rng = Seed::root(trial).rng();
                let values: Vec<f64> = (0..40).map(|_| rng.random::<f64>()).collect();
                let mean = |sample: &[usize]| sample.iter().map(|&at| values[at]).sum::<f64>() / 40.0;
                let (low, high) = bootstrap(40, &Seed::root(trial).child("b"), mean);
                (low..=high).contains(&0.5)
            })
            .count();
        assert!((360..=396).contains(&held), "{held}");
    }

    #[test]
    fn means_have_errors_and_too_few_values_have_none() {
        assert_eq!(mean([3.0; 5].into_iter()), (3.0, 0.0));
        let (value, error) = mean([1.0, 3.0].into_iter());
        assert_eq!((value, error), (2.0, 1.0));
        assert!(mean(std::iter::empty()).0.is_nan() && mean([1.0].into_iter()).1.is_nan());
        assert!(bootstrap(1, &Seed::root(1), |_| 1.0).0.is_nan());
    }

    #[test]
    fn a_centred_interval_holds_its_figure() {
        let values = [0.1, -0.2, 0.15, 0.05, -0.1];
        let size = |sample: &[usize]| (sample.iter().map(|&at| values[at]).sum::<f64>() / 5.0).abs();
        let (low, high) = centred(0.0, 5, &Seed::root(3), size);
        assert!(low == 0.0 && high > 0.0 && high < 0.2, "{low} {high}");
    }
}
