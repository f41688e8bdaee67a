//! Statistics: means of independent numbers and what can be said about them.
//!
//! The numbers are those of *deals*: the matches of one deal share their luck, so they are averaged first, and only
//! the averages are independent. Intervals are Student's; Elo and likelihood of superiority follow from the interval of
//! the score. Elo: 400 log10(s / (1 - s)), s the expected share of the points.
//!
//! The sequential test is the generalised sequential probability ratio test for a normal mean of unknown variance
//! (Van den Bergh, *Comments on normalized Elo*, 2020; Wald 1945): with n numbers of mean m and variance v,
//! LLR = n (h1 - h0) (2 m - h0 - h1) / (2 v), and it decides where LLR leaves the interval from ln(beta / (1 - alpha)) to
//! ln((1 - beta) / alpha).

use statrs::distribution::{Beta, ContinuousCDF, StudentsT};

/// A variance below this, in squared goal points, is taken for this: deals that are all alike decide a test, but not at
/// the first look.
const LEAST_VARIANCE: f64 = 1.0;

/// Independent numbers, added one by one (Welford 1962).
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Sample {
    count: u64,
    mean: f64,
    squares: f64,
}

/// What a sequential test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The difference is taken to be `h1` or more.
    Accepted,
    /// The difference is taken to be `h0` or less.
    Rejected,
    /// More deals are needed.
    Open,
}

impl Verdict {
    /// The stable name, as in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Accepted => "h1",
            Verdict::Rejected => "h0",
            Verdict::Open => "open",
        }
    }
}

impl Sample {
    /// Counts one more number.
    pub fn add(&mut self, number: f64) {
        self.count += 1;
        let before = number - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (number - self.mean);
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; `None` without one.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// Their variance; `None` below two.
    pub fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| self.squares / (self.count - 1) as f64)
    }

    /// The standard error of the mean; `None` below two.
    pub fn error(&self) -> Option<f64> {
        self.variance().map(|variance| (variance / self.count as f64).sqrt())
    }

    /// Half the width of the 95 % confidence interval of the mean, Student's t; `None` below two.
    pub fn half_width(&self) -> Option<f64> {
        let error = self.error()?;
        Some(error * self.student().inverse_cdf(0.975))
    }

    /// The probability that the true mean is above zero, by Student's t and a flat prior; `None` below two. For paired
    /// differences this is the likelihood of superiority.
    pub fn superiority(&self) -> Option<f64> {
        let error = self.error()?;
        if error > 0.0 {
            Some(self.student().cdf(self.mean / error))
        } else if self.mean == 0.0 {
            Some(0.5)
        } else {
            Some(f64::from(u8::from(self.mean > 0.0)))
        }
    }

    fn student(&self) -> StudentsT {
        StudentsT::new(0.0, 1.0, (self.count - 1) as f64).expect("there is a degree of freedom")
    }

    /// The logarithm of the likelihood ratio of a mean of `h1` and one of `h0`; 0 below two.
    pub fn log_likelihood_ratio(&self, h0: f64, h1: f64) -> f64 {
        let Some(variance) = self.variance() else { return 0.0 };
        let variance = variance.max(LEAST_VARIANCE);
        self.count as f64 * (h1 - h0) * (2.0 * self.mean - h0 - h1) / (2.0 * variance)
    }

    /// What the sequential test says of these numbers.
    pub fn sprt(&self, h0: f64, h1: f64, alpha: f64, beta: f64) -> Verdict {
        let ratio = self.log_likelihood_ratio(h0, h1);
        if ratio >= ((1.0 - beta) / alpha).ln() {
            Verdict::Accepted
        } else if ratio <= (beta / (1.0 - alpha)).ln() {
            Verdict::Rejected
        } else {
            Verdict::Open
        }
    }
}

/// A share with its 95 % interval, `count` of `of`: Jeffreys'. `None` of none.
pub fn share(count: u64, of: u64) -> Option<(f64, f64, f64)> {
    let (x, n) = (count as f64, of as f64);
    let beta = Beta::new(x + 0.5, n - x + 0.5).ok()?;
    let low = if count == 0 { 0.0 } else { beta.inverse_cdf(0.025) };
    let high = if count == of { 1.0 } else { beta.inverse_cdf(0.975) };
    (of > 0).then(|| (x / n, low, high))
}

/// The Elo difference of an expected score, 0..=100; infinite at the ends.
pub fn elo(score: f64) -> f64 {
    let share = score / 100.0;
    400.0 * (share / (1.0 - share)).log10()
}

/// The number with so many significant digits, so that what is written does not depend on the last bit of a logarithm.
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
    use super::*;

    fn sample(numbers: &[f64]) -> Sample {
        let mut sample = Sample::default();
        numbers.iter().for_each(|&number| sample.add(number));
        sample
    }

    #[test]
    fn the_interval_is_student_s() {
        let three = sample(&[0.0, 50.0, 100.0]);
        assert_eq!((three.count(), three.mean(), three.variance()), (3, Some(50.0), Some(2500.0)));
        // t(0.975, 2) = 4.302653 by the tables.
        assert!((three.half_width().unwrap() - 4.302_653 * 50.0 / 3.0_f64.sqrt()).abs() < 1e-3);
        assert_eq!(sample(&[1.0]).half_width(), None);
        // P(t(2) < 1) = 0.788675.
        let one = sample(&[1.0 - 3.0_f64.sqrt(), 1.0, 1.0 + 3.0_f64.sqrt()]);
        assert!((one.superiority().unwrap() - 0.788_675).abs() < 1e-5, "{:?}", one.superiority());
        assert_eq!(sample(&[0.0, 0.0]).superiority(), Some(0.5));
    }

    #[test]
    fn a_share_has_jeffreys_interval() {
        // Brown, Cai, DasGupta (2001), table 5: n = 10, x = 3.
        let (mean, low, high) = share(3, 10).unwrap();
        assert_eq!(mean, 0.3);
        assert!((low - 0.093).abs() < 1e-3 && (high - 0.606).abs() < 1e-3, "{low} {high}");
        assert_eq!(share(0, 10).map(|(_, low, _)| low), Some(0.0));
        assert_eq!(share(0, 0), None);
    }

    #[test]
    fn elo_is_the_logistic_scale() {
        assert_eq!(elo(50.0), 0.0);
        assert!((elo(64.006) - 100.0).abs() < 0.01);
        assert_eq!((elo(0.0), elo(100.0)), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn the_ratio_is_that_of_two_normal_densities() {
        let numbers = [3.0, -1.0, 4.0, 1.0, -5.0, 9.0];
        let sample = sample(&numbers);
        let v = sample.variance().unwrap();
        let density = |mean: f64| -> f64 { numbers.iter().map(|x| -(x - mean).powi(2) / (2.0 * v)).sum() };
        let expected = density(2.0) - density(-1.0);
        assert!((sample.log_likelihood_ratio(-1.0, 2.0) - expected).abs() < 1e-9);
    }

    #[test]
    fn rounding_keeps_six_digits() {
        assert_eq!(rounded(1_234.567_891), 1234.57);
        assert_eq!(rounded(0.000_123_456_78), 0.000_123_457);
        assert_eq!((rounded(0.0), rounded(-2.0)), (0.0, -2.0));
    }
}
