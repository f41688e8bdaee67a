//! The sequential test, by which an experiment stops as soon as the result is clear.
//!
//! The numbers are those of *deals*: the matches of one deal share their luck, so they are averaged first, and only the
//! averages are independent. The test is the generalised sequential probability ratio test for a normal mean of unknown
//! variance (Van den Bergh, *Comments on normalized Elo*, 2020; Wald 1945): with n numbers of mean m and variance v,
//! LLR = n (h1 - h0) (2 m - h0 - h1) / (2 v). The test decides when LLR leaves the interval from ln(beta / (1 - alpha))
//! to ln((1 - beta) / alpha).

use serde::{Deserialize, Serialize};

use hyperplay_report::Sample;

/// The least variance, in squared goal points, that the test assumes: deals that are all equal decide a test, but not
/// immediately.
const LEAST_VARIANCE: f64 = 1.0;

/// The two hypotheses of a sequential test and its error rates.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SequentialTest {
    /// The difference that is to be rejected, in goal points.
    pub h0: f64,
    /// The difference that is looked for, in goal points.
    pub h1: f64,
    /// How often a true `h0` may be rejected.
    #[serde(default = "five_percent")]
    pub alpha: f64,
    /// How often a true `h1` may be rejected.
    #[serde(default = "five_percent")]
    pub beta: f64,
}

fn five_percent() -> f64 {
    0.05
}

/// The verdict of a sequential test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum SequentialVerdict {
    /// The difference is taken to be `h1` or more.
    #[strum(serialize = "h1")]
    Accepted,
    /// The difference is taken to be `h0` or less.
    #[strum(serialize = "h0")]
    Rejected,
    /// The test needs more deals.
    Open,
}

impl SequentialVerdict {
    /// The stable name, as in reports.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl SequentialTest {
    /// The test, if `h0` is below `h1` and the error rates are between 0 and .5.
    pub fn checked(self) -> Option<SequentialTest> {
        let SequentialTest { h0, h1, alpha, beta } = self;
        let is_rate = |rate: f64| rate > 0.0 && rate < 0.5;
        let is_one = h0.is_finite() && h1.is_finite() && h0 < h1 && is_rate(alpha) && is_rate(beta);
        is_one.then_some(self)
    }

    /// The logarithm of the likelihood ratio of a mean of `h1` and one of `h0`; 0 below two numbers.
    pub fn log_likelihood_ratio(&self, sample: &Sample) -> f64 {
        let (Some(mean), Some(variance)) = (sample.mean(), sample.variance()) else { return 0.0 };
        let variance = variance.max(LEAST_VARIANCE);
        sample.count() as f64 * (self.h1 - self.h0) * (2.0 * mean - self.h0 - self.h1) / (2.0 * variance)
    }

    /// The verdict of the test on these numbers.
    pub fn verdict(&self, sample: &Sample) -> SequentialVerdict {
        let ratio = self.log_likelihood_ratio(sample);
        if ratio >= ((1.0 - self.beta) / self.alpha).ln() {
            SequentialVerdict::Accepted
        } else if ratio <= (self.beta / (1.0 - self.alpha)).ln() {
            SequentialVerdict::Rejected
        } else {
            SequentialVerdict::Open
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_that_of_two_normal_densities() {
        let numbers = [3.0, -1.0, 4.0, 1.0, -5.0, 9.0];
        let sample: Sample = numbers.into_iter().collect();
        let v = sample.variance().unwrap();
        let density = |mean: f64| -> f64 { numbers.iter().map(|x| -(x - mean).powi(2) / (2.0 * v)).sum() };
        let expected = density(2.0) - density(-1.0);
        let test = SequentialTest { h0: -1.0, h1: 2.0, alpha: 0.05, beta: 0.05 };
        assert!((test.log_likelihood_ratio(&sample) - expected).abs() < 1e-9);
    }
}
