//! Statistics: means with their errors and intervals, Elo, and the bootstrap.
//!
//! Every mean of the laboratory is computed by [`Sample`]. The interval of a mean is Student's; shares have that of
//! [`Clusters`](super::Clusters). The bootstrap gives the interval of any other figure ([`centred`]): the measurements are resampled
//! with replacement, as many as there are, and the figure is computed from each such sample; the interval contains the
//! middle 95 % of these figures. The draws come from a generator that the caller seeds, so an interval is as
//! reproducible as the figure that it belongs to.
//!
//! Elo: 400 log10(s / (1 - s)), where s is the expected share of the points.
//!
//! Reference: Efron79 (`docs/REFERENCES.md`).

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize, Serializer};
use statrs::distribution::{Continuous, ContinuousCDF, Normal, StudentsT};

/// How many samples a bootstrap draws.
const BOOTSTRAP_SAMPLES: usize = 400;

/// The share of the middle figures that an interval contains, from the lower to the upper end.
pub(super) const ENDS: (f64, f64) = (0.025, 0.975);

/// The 97.5 % quantile of the normal distribution.
const NORMAL: f64 = 1.96;

/// Fewer measurements than these do not give an interval that can be relied on: its theory is of many measurements, or
/// of normal ones, and goals are neither.
pub const FEW: u64 = 10;

/// Independent numbers, added one by one. Sums are made of distances from the first number, so that equal numbers have
/// no error at all.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Sample {
    count: u64,
    first: f64,
    sum: f64,
    squares: f64,
}

impl FromIterator<f64> for Sample {
    fn from_iter<I: IntoIterator<Item = f64>>(numbers: I) -> Self {
        let mut sample = Sample::default();
        numbers.into_iter().for_each(|number| sample.add(number));
        sample
    }
}

impl Sample {
    /// Counts one more number.
    pub fn add(&mut self, number: f64) {
        if self.count == 0 {
            self.first = number;
        }
        let from = number - self.first;
        self.count += 1;
        self.sum += from;
        self.squares += from * from;
    }

    /// Adds the numbers of another sample.
    pub fn merge(&mut self, other: &Sample) {
        if self.count == 0 {
            *self = *other;
        } else if other.count > 0 {
            let (from, count) = (other.first - self.first, other.count as f64);
            self.squares += other.squares + 2.0 * from * other.sum + count * from * from;
            self.sum += other.sum + count * from;
            self.count += other.count;
        }
    }

    /// How many numbers there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; `None` without a number.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.first + self.sum / self.count as f64)
    }

    /// Their variance; `None` below two numbers.
    pub fn variance(&self) -> Option<f64> {
        let count = self.count as f64;
        let square = || ((self.squares - self.sum * (self.sum / count)) / (count - 1.0)).max(0.0);
        (self.count > 1).then(square)
    }

    /// The standard error of the mean; `None` below two numbers.
    pub fn error(&self) -> Option<f64> {
        self.variance().map(|variance| (variance / self.count as f64).sqrt())
    }

    /// Half the width of the 95 % confidence interval of the mean, by Student's t; `None` below two numbers.
    pub fn half_width(&self) -> Option<f64> {
        self.half_width_among(1)
    }

    /// The same as one of several intervals that all contain their means with 95 % (Bonferroni).
    pub fn half_width_among(&self, intervals: usize) -> Option<f64> {
        let error = self.error()?;
        Some(error * self.student()?.inverse_cdf(1.0 - ENDS.0 / intervals as f64))
    }

    /// The p-value of a mean of zero, by Student's t on both sides; `None` below two numbers. It is at least that of
    /// numbers that all have one sign.
    pub fn p_value(&self) -> Option<f64> {
        let above = self.superiority()?;
        let one_sign = (1.0 - self.count as f64).exp2();
        Some((2.0 * above.min(1.0 - above)).max(one_sign))
    }

    /// The probability that the true mean is above zero, by Student's t and a flat prior; `None` below two numbers. For
    /// paired differences this is the likelihood of superiority.
    pub fn superiority(&self) -> Option<f64> {
        let (mean, error) = (self.mean()?, self.error()?);
        if error > 0.0 {
            Some(self.student()?.cdf(mean / error))
        } else if mean == 0.0 {
            Some(0.5)
        } else {
            Some(f64::from(u8::from(mean > 0.0)))
        }
    }

    /// How many times as many numbers of this sample are needed for an interval as narrow as with those of another; `None`
    /// where that is not known, or no number is enough.
    pub fn saved_by(&self, other: &Sample) -> Option<f64> {
        self.variance()
            .zip(other.variance())
            .map(|(own, less)| own / less)
            // A variance below this share of another one is rounding.
            .filter(|factor| *factor < 1e12)
    }

    fn student(&self) -> Option<StudentsT> {
        StudentsT::new(0.0, 1.0, self.count.checked_sub(1)? as f64).ok()
    }
}

/// The mean as `value`, and half the width of its interval as `ci95`.
impl Serialize for Sample {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map([("value", self.mean()), ("ci95", self.half_width())])
    }
}

/// The sums of which it consists, exactly: they make the same sample again.
impl From<Sample> for [f64; 4] {
    fn from(Sample { count, first, sum, squares }: Sample) -> Self {
        [count as f64, first, sum, squares]
    }
}

impl From<[f64; 4]> for Sample {
    fn from([count, first, sum, squares]: [f64; 4]) -> Self {
        Sample { count: count as u64, first, sum, squares }
    }
}

/// A mean with its standard error. Both are NaN where there is none.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Mean {
    /// The mean.
    #[serde(deserialize_with = "super::row::or_nan")]
    pub value: f64,
    /// Its standard error.
    #[serde(deserialize_with = "super::row::or_nan")]
    pub error: f64,
}

impl Mean {
    /// No mean.
    pub const NONE: Mean = Mean { value: f64::NAN, error: f64::NAN };

    /// The mean of these numbers; one number has no error.
    pub fn of(numbers: impl Iterator<Item = f64>) -> Self {
        let sample: Sample = numbers.collect();
        Mean { value: sample.mean().unwrap_or(f64::NAN), error: sample.error().unwrap_or(f64::NAN) }
    }

    /// The mean of independent means. Its error is that of theirs and not of how they differ; a mean without an error
    /// adds none.
    pub fn of_means(means: impl Iterator<Item = Mean>) -> Self {
        let (mut values, mut squares) = (Sample::default(), 0.0);
        for mean in means {
            values.add(mean.value);
            squares += if mean.error.is_finite() { mean.error * mean.error } else { 0.0 };
        }
        let error = squares.sqrt() / values.count() as f64;
        values.mean().map_or(Mean::NONE, |value| Mean { value, error })
    }

    /// Half the width of its 95 % interval, if the error is known so well that its distribution is normal.
    pub fn half_width(&self) -> f64 {
        NORMAL * self.error
    }
}

/// A mean, or a ratio of two means, with its 95 % interval. All are NaN where there is none.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct MeanInterval {
    /// The mean, or the ratio.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl MeanInterval {
    /// A mean with half the width of its interval.
    pub fn around(value: f64, half: f64) -> Self {
        MeanInterval { value, low: value - half, high: value + half }
    }

    /// The sum of the first numbers of these pairs over the sum of the second ones; pairs that are not finite are left
    /// out. The interval is that of what the first numbers differ from this ratio of the second ones (Cochran77).
    pub fn ratio_of_sums(pairs: impl Iterator<Item = (f64, f64)>) -> Self {
        let pairs: Vec<(f64, f64)> =
            pairs.filter(|(value, other)| value.is_finite() && other.is_finite()).collect();
        let (sum, of) = pairs.iter().fold((0.0, 0.0), |sums, pair| (sums.0 + pair.0, sums.1 + pair.1));
        let value = sum / of;
        let differences: Vec<f64> = pairs.iter().map(|(one, other)| one - value * other).collect();
        let end = |end: f64| value + end * pairs.len() as f64 / of;
        let (low, high) = skewed_interval(&differences);
        MeanInterval { value, low: end(low), high: end(high) }
    }
}

/// The interval of the mean of these numbers, which may be skewed: Student's after Hall's transformation, which takes their skewness
/// away (Hall92). Such an interval contains the mean too often where tails are light, by a term that is proportional to the excess
/// kurtosis (Hall88, percentile-*t*; its term of the skewness is left out): where this is negative by more than a standard error, the level is lower by that term.
/// Both ends are NaN below two numbers.
pub fn skewed_interval(numbers: &[f64]) -> (f64, f64) {
    let sample: Sample = numbers.iter().copied().collect();
    let (Some(mean), Some(error), Some(student)) = (sample.mean(), sample.error(), sample.student()) else {
        return (f64::NAN, f64::NAN);
    };
    let count = numbers.len() as f64;
    let moment = |power: i32| numbers.iter().map(|number| (number - mean).powi(power)).sum::<f64>() / count;
    let (skewness, kurtosis) = (moment(3) / moment(2).powf(1.5), moment(4) / moment(2).powi(2) - 3.0);
    let density = Normal::standard().pdf(NORMAL);
    let light = if kurtosis < -(24.0 / count).sqrt() { kurtosis / count } else { 0.0 };
    let beyond = ENDS.0 - light * NORMAL * (1.0 + 2.0 * NORMAL * NORMAL) * density / 6.0;
    let quantile = student.inverse_cdf(1.0 - beyond);
    // Numbers that are nearly equal have no skewness that can be computed.
    if !skewness.is_finite() || skewness.abs() < 1e-9 {
        return (mean - quantile * error, mean + quantile * error);
    }
    let back = |at: f64| ((1.0 + skewness * (at - skewness / (6.0 * count))).cbrt() - 1.0) * 3.0 / skewness;
    let (scale, half) = (error * count.sqrt(), quantile / count.sqrt());
    (mean - scale * back(half), mean - scale * back(-half))
}

/// The ends of the percentile interval of each of these figures, which are computed together of every sample, with the middle of the
/// samples' figures between them.
pub fn sampled_intervals<const N: usize>(mut sampled: impl FnMut() -> [f64; N]) -> [[f64; 3]; N] {
    let samples: Vec<[f64; N]> = (0..BOOTSTRAP_SAMPLES).map(|_| sampled()).collect();
    std::array::from_fn(|figure| {
        let mut figures: Vec<f64> = samples.iter().map(|sample| sample[figure]).collect();
        figures.sort_unstable_by(f64::total_cmp);
        [ENDS.0, 0.5, ENDS.1].map(|share| figures[((figures.len() - 1) as f64 * share).round() as usize])
    })
}

/// The percentile interval of a distance, which is the `figure` of `count` measurements that are given by their numbers, over samples
/// of these; moved so that the middle of the samples' figures lies on the distance itself. Any noise makes a distance larger:
/// samples of samples are noisier, so their plain interval would lie above it. Both ends are NaN if there are fewer than two
/// measurements.
pub fn centred(
    value: f64,
    count: usize,
    rng: &mut impl Rng,
    mut figure: impl FnMut(&[usize]) -> f64,
) -> (f64, f64) {
    if count < 2 {
        return (f64::NAN, f64::NAN);
    }
    let mut sample = vec![0; count];
    let [[low, middle, high]] = sampled_intervals(|| {
        sample.fill_with(|| rng.random_range(0..count));
        [figure(&sample)]
    });
    ((value + low - middle).max(0.0), value + high - middle)
}

/// The Elo difference of an expected score, 0..=100; infinite at the ends.
pub fn elo(score: f64) -> f64 {
    let share = score / 100.0;
    400.0 * (share / (1.0 - share)).log10()
}

/// The number with six significant digits, so that what is written does not depend on the last bit of a logarithm.
pub fn rounded(number: f64) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return number;
    }
    let digits = 6 - 1 - number.abs().log10().floor() as i32;
    let scale = 10_f64.powi(digits.min(12));
    (number * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;

    fn sample(numbers: &[f64]) -> Sample {
        numbers.iter().copied().collect()
    }

    #[test]
    fn the_interval_is_student_s() {
        let three = sample(&[0.0, 50.0, 100.0]);
        assert_eq!((three.count(), three.mean(), three.variance()), (3, Some(50.0), Some(2500.0)));
        // t(0.975, 2) = 4.302653 by the tables.
        assert!((three.half_width().unwrap() - 4.302_653 * 50.0 / 3.0_f64.sqrt()).abs() < 1e-3);
        assert_eq!(sample(&[1.0]).half_width(), None);
        assert_eq!(
            (sample(&[]).mean(), sample(&[]).half_width(), sample(&[]).superiority()),
            (None, None, None)
        );
        // P(t(2) < 1) = 0.788675.
        let one = sample(&[1.0 - 3.0_f64.sqrt(), 1.0, 1.0 + 3.0_f64.sqrt()]);
        assert!((one.superiority().unwrap() - 0.788_675).abs() < 1e-5, "{:?}", one.superiority());
        assert_eq!(sample(&[0.0, 0.0]).superiority(), Some(0.5));
    }

    #[test]
    fn merged_samples_are_the_sample_of_all_numbers() {
        let numbers = [3.0, 3.5, -2.0, 8.0, 100.0];
        for cut in 0..=numbers.len() {
            let mut first = sample(&numbers[..cut]);
            first.merge(&sample(&numbers[cut..]));
            let all = sample(&numbers);
            assert_eq!(first.count(), all.count());
            let close = |one: Option<f64>, other: Option<f64>| (one.unwrap() - other.unwrap()).abs() < 1e-9;
            assert!(close(first.mean(), all.mean()) && close(first.variance(), all.variance()), "{cut}");
        }
    }

    #[test]
    fn means_have_errors_and_too_few_numbers_have_none() {
        assert_eq!(Mean::of([3.0; 5].into_iter()), Mean { value: 3.0, error: 0.0 });
        assert_eq!(Mean::of([1.0, 3.0].into_iter()), Mean { value: 2.0, error: 1.0 });
        assert!(Mean::of(std::iter::empty()).value.is_nan() && Mean::of([1.0].into_iter()).error.is_nan());
        assert!(centred(1.0, 1, &mut StdRng::seed_from_u64(1), |_| 1.0).0.is_nan());
    }

    #[test]
    fn a_bootstrap_interval_contains_the_true_mean_in_95_of_100() {
        let contains = (0..400)
            .filter(|&trial| {
                let rng = &mut StdRng::seed_from_u64(trial);
                let values: Vec<f64> = (0..40).map(|_| rng.random::<f64>()).collect();
                let mean = |sample: &[usize]| sample.iter().map(|&at| values[at]).sum::<f64>() / 40.0;
                let all: Vec<usize> = (0..40).collect();
                let (low, high) = centred(mean(&all), 40, rng, mean);
                (low..=high).contains(&0.5)
            })
            .count();
        assert!((360..=396).contains(&contains), "{contains}");
    }

    #[test]
    fn an_interval_of_skewed_numbers_contains_the_true_mean_in_95_of_100() {
        let contained = |mean: f64, number: fn(&mut StdRng) -> f64| {
            let rng = &mut StdRng::seed_from_u64(11);
            let contains = (0..10_000).filter(|_| {
                let numbers: Vec<f64> = (0..30).map(|_| number(rng)).collect();
                let (low, high) = skewed_interval(&numbers);
                (low..=high).contains(&mean)
            });
            contains.count()
        };
        let even = contained(0.5, |rng| rng.random());
        let normal = contained(6.0, |rng| (0..12).map(|_| rng.random::<f64>()).sum());
        let skewed = contained(1.0, |rng| -rng.random::<f64>().ln());
        let two_sided = contained(0.0, |rng| (std::f64::consts::PI * rng.random::<f64>()).cos());
        assert!((9_480..=9_600).contains(&even), "{even}");
        assert!((9_480..=9_620).contains(&two_sided), "{two_sided}");
        assert!((9_450..=9_560).contains(&normal), "{normal}");
        assert!((9_350..=9_560).contains(&skewed), "{skewed}");
    }

    /// Ratios of noisy figures of equal means: their geometric mean may be far from 1, the ratio of the sums is not.
    #[test]
    fn the_ratio_of_sums_has_no_bias_that_noise_makes() {
        let rng = &mut StdRng::seed_from_u64(5);
        let noisy: Vec<(f64, f64)> = (0..2_000).map(|_| (rng.random(), 0.5)).collect();
        let ratio = MeanInterval::ratio_of_sums(noisy.iter().copied());
        assert!((ratio.value - 1.0).abs() < 0.05 && ratio.low < 1.0 && ratio.high > 1.0, "{ratio:?}");
        let logarithms = noisy.iter().map(|(value, other)| (value / other).ln()).sum::<f64>();
        assert!((logarithms / 2_000.0).exp() < 0.8);
        let pairs = [(1.0, 2.0), (f64::NAN, 1.0), (2.0, 4.0)];
        let MeanInterval { value, low, high } = MeanInterval::ratio_of_sums(pairs.into_iter());
        assert_eq!((value, low, high), (0.5, 0.5, 0.5));
        assert!(MeanInterval::ratio_of_sums(std::iter::empty()).value.is_nan());
    }

    #[test]
    fn a_centred_interval_contains_its_figure() {
        let values = [0.1, -0.2, 0.15, 0.05, -0.1];
        let size = |sample: &[usize]| (sample.iter().map(|&at| values[at]).sum::<f64>() / 5.0).abs();
        let (low, high) = centred(0.0, 5, &mut StdRng::seed_from_u64(3), size);
        assert!(low == 0.0 && high > 0.0 && high < 0.2, "{low} {high}");
    }

    #[test]
    fn the_error_of_a_mean_of_means_is_that_of_theirs() {
        let mean = |value, error| Mean { value, error };
        let of_three = Mean::of_means([mean(1.0, 3.0), mean(5.0, 4.0), mean(3.0, f64::NAN)].into_iter());
        assert_eq!(of_three, mean(3.0, 5.0 / 3.0));
        assert!((of_three.half_width() - 1.96 * 5.0 / 3.0).abs() < 1e-12);
        assert!(Mean::of_means(std::iter::empty()).value.is_nan());
    }

    #[test]
    fn elo_is_the_logistic_scale() {
        assert_eq!(elo(50.0), 0.0);
        assert!((elo(64.006) - 100.0).abs() < 0.01);
        assert_eq!((elo(0.0), elo(100.0)), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn rounding_keeps_six_digits() {
        assert_eq!(rounded(1_234.567_891), 1234.57);
        assert_eq!(rounded(0.000_123_456_78), 0.000_123_457);
        assert_eq!((rounded(0.0), rounded(-2.0)), (0.0, -2.0));
    }
}
