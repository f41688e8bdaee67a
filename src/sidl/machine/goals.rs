//! Balances as goals: one linear map for all roles, so that what is won by one and lost by another stays so.
//!
//! A text may declare the range of balances. Otherwise the range is that of the states that can be reached, explored up
//! to a limit. Where all balances lie on a grid of at most 100 steps, the goal of each step is a whole number, so that
//! the map is exact; otherwise goals are rounded. A balance outside the range counts as its end.

use std::fmt;

use crate::Number;

use hyperplay_machine::Goal;

/// How balances become goals.
///
/// ```
/// use hyperplay_sidl::BalanceScale;
/// use hyperplay_sidl::Number;
///
/// let scale = BalanceScale::of_balances([-2, -1, 1, 2].map(Number::from), true);
/// assert_eq!([-2, -1, 1, 2].map(|balance| scale.goal(Number::from(balance)).value()), [0, 25, 75, 100]);
/// assert_eq!(scale.to_string(), "goal = 25 x (balance + 2)");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BalanceScale {
    /// The balance that is worth 0.
    low: Number,
    /// The balance beyond which a goal grows no more.
    high: Number,
    /// Goals for one unit of balance.
    factor: Number,
    /// Whether every balance that can be reached was considered, or the range was declared.
    pub is_complete: bool,
}

impl BalanceScale {
    /// The map of a declared range.
    pub fn declared(low: Number, high: Number) -> BalanceScale {
        BalanceScale { low, high, factor: Number::from(100) / (high - low), is_complete: true }
    }

    /// The map of these balances, of which there is at least one. If all are the same, every goal is 0.
    pub fn of_balances(balances: impl IntoIterator<Item = Number>, is_complete: bool) -> BalanceScale {
        let balances: Vec<Number> = balances.into_iter().collect();
        let low = balances.iter().copied().min().unwrap_or_default();
        let high = balances.iter().copied().max().unwrap_or_default();
        let unit = balances.iter().fold(Number::from(0), |unit, &balance| common_unit(unit, balance - low));
        let factor = if low == high {
            Number::from(0)
        } else {
            let steps = (high - low) / unit;
            match Number::from(100) / steps {
                exact if exact >= Number::from(1) => exact.floor() / unit,
                _ => Number::from(100) / (high - low),
            }
        };
        BalanceScale { low, high, factor, is_complete }
    }

    /// The goal of a balance.
    pub fn goal(&self, balance: Number) -> Goal {
        Goal::clamped(((balance.clamp(self.low, self.high) - self.low) * self.factor).round().to_integer())
    }
}

impl fmt::Display for BalanceScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.low > Number::from(0) { '-' } else { '+' };
        let shift = if self.low > Number::from(0) { self.low } else { -self.low };
        match self.low == Number::from(0) {
            true => write!(f, "goal = {} x balance", self.factor)?,
            false => write!(f, "goal = {} x (balance {sign} {shift})", self.factor)?,
        }
        if !self.is_complete {
            write!(f, ", from the balances {} to {} that were met", self.low, self.high)?;
        }
        Ok(())
    }
}

/// The largest number of which both are whole multiples; both are at least 0.
fn common_unit(a: Number, b: Number) -> Number {
    if b == Number::from(0) { a } else { common_unit(b, a - (a / b).floor() * b) }
}
