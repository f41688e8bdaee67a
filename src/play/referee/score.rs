//! The mean goal of a role over many matches, with a 95 % confidence interval.
//!
//! The interval is mean +- t(0.975, n-1) * s / sqrt(n), Student's t: right for means of many independent matches,
//! a little too narrow for a handful of very skewed ones. Sums of whole numbers, so the order of adding is no matter.

use statrs::distribution::{ContinuousCDF, StudentsT};

use hyperplay_engine::machine::Goal;

/// The goals of one role so far.
///
/// ```
/// use hyperplay_engine::machine::Goal;
/// use hyperplay_play::referee::Score;
///
/// let mut score = Score::default();
/// [0, 50, 100].map(|goal| score.add(Goal::clamped(goal)));
/// assert_eq!((score.count(), score.mean()), (3, Some(50.0)));
/// assert!((score.half_width().unwrap() - 124.2).abs() < 0.1);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Score {
    count: u64,
    sum: u64,
    squares: u64,
}

impl Score {
    /// Counts one more match.
    pub fn add(&mut self, goal: Goal) {
        let goal = u64::from(goal.value());
        self.count += 1;
        self.sum += goal;
        self.squares += goal * goal;
    }

    /// The number of matches.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean goal; `None` before the first match.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// Half the width of the 95 % confidence interval around the mean; `None` before the second match.
    pub fn half_width(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        let (n, sum, squares) = (self.count as f64, self.sum as f64, self.squares as f64);
        let variance = ((squares - sum * sum / n) / (n - 1.0)).max(0.0);
        let t = StudentsT::new(0.0, 1.0, n - 1.0).expect("there is a degree of freedom").inverse_cdf(0.975);
        Some(t * (variance / n).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_student_s() {
        let mut score = Score::default();
        assert_eq!((score.mean(), score.half_width()), (None, None));
        for goal in [0, 50, 100] {
            score.add(Goal::clamped(goal));
        }
        assert_eq!((score.count(), score.mean()), (3, Some(50.0)));
        // s = 50, n = 3, t(0.975, 2) = 4.302653 by the tables.
        let expected = 4.302_653 * 50.0 / 3.0_f64.sqrt();
        assert!((score.half_width().unwrap() - expected).abs() < 1e-3);
    }
}
