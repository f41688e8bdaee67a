//! Batch sizing: how many playouts are requested at once.
//!
//! A machine that plays many games at the same time wants large calls, but a budget must be kept. So the first round
//! is small where there is a budget, and every later round is as large as the cost of the earlier ones allows: as
//! many playouts as the nodes allow, or as fit half of the time that is left (because the estimate may be wrong, and
//! a round that the deadline cuts off leaves moves unequally tried). Without a limit, a round is all that is wanted; a flag that may
//! cancel a budget is none.
//!
//! Sizes depend on the clock only where there is a deadline. Under a limit in nodes they are a function of the counts.

use std::time::Duration;

use hyperplay_machine::Budget;

/// The share of the time left that a round may take.
const SHARE: f64 = 0.5;

/// Playouts of a call, at most: its plan must fit the memory.
const MOST: u64 = 1 << 24;

/// The cost of playouts so far.
#[derive(Clone, Debug)]
pub(super) struct BatchSize {
    budget: Budget,
    /// Playouts made.
    pub playouts: u64,
    /// Steps made in them.
    pub steps: u64,
    /// Seconds that a playout of the last round took.
    each: f64,
    /// The time left when the round began.
    began: Option<Duration>,
}

impl BatchSize {
    /// Nothing played yet.
    pub fn new(budget: Budget) -> Self {
        BatchSize { budget, playouts: 0, steps: 0, each: 0.0, began: None }
    }

    /// Playouts that the rest of the budget allows; `u64::MAX` without a budget or experience.
    pub fn rest(&self) -> u64 {
        if self.playouts == 0 {
            return u64::MAX;
        }
        let by_nodes = self.budget.nodes.map_or(f64::INFINITY, |nodes| {
            let a_step = self.playouts as f64 / self.steps.max(1) as f64;
            nodes.saturating_sub(self.steps) as f64 * a_step
        });
        let by_time =
            self.budget.left().map_or(f64::INFINITY, |left| left.as_secs_f64() / self.each.max(1e-12));
        by_nodes.min(by_time) as u64 // a cast of infinity is the greatest number
    }

    /// How many of the `wanted` playouts from each of `starts` starts to make in the next round; 0 if no more. The
    /// first round is made whatever the nodes.
    pub fn size(&mut self, starts: u64, wanted: u64) -> u32 {
        self.began = self.budget.left();
        if self.began == Some(Duration::ZERO) || starts == 0 {
            return 0;
        }
        let first = self.playouts == 0;
        let is_limited = self.budget.nodes.is_some() || self.budget.deadline.is_some();
        let most = if first && is_limited { 1 } else { (MOST / starts).max(1) };
        if !first && self.budget.nodes.is_some_and(|nodes| self.steps >= nodes) {
            return 0;
        }
        let share = if self.began.is_some() { SHARE } else { 1.0 };
        let fits = ((self.rest() as f64 * share) as u64 / starts).max(1);
        u32::try_from(wanted.min(most).min(fits)).unwrap_or(u32::MAX)
    }

    /// Takes in what the round has cost.
    pub fn spend(&mut self, playouts: u64, steps: u64) {
        self.playouts += playouts;
        self.steps += steps;
        if let (Some(began), Some(left)) = (self.began, self.budget.left()) {
            self.each = began.saturating_sub(left).as_secs_f64() / playouts.max(1) as f64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_machine::CancelFlag;

    #[test]
    fn without_a_budget_a_round_is_all_that_is_wanted() {
        // Whether it can be cancelled must not change what a seed gives.
        for budget in [Budget::UNLIMITED, Budget::UNLIMITED.cancelled_by(CancelFlag::leak())] {
            let mut batch = BatchSize::new(budget);
            assert_eq!(batch.size(10, 1_000), 1_000);
            assert_eq!(batch.size(10, 1 << 40), (MOST / 10) as u32);
            assert_eq!(batch.size(0, 5), 0);
        }
    }

    #[test]
    fn nodes_are_spent_in_two_rounds_if_playouts_are_equally_long() {
        let mut batch = BatchSize::new(Budget::nodes(1_000));
        assert_eq!(batch.size(10, 1_000), 1);
        batch.spend(10, 50);
        assert_eq!((batch.rest(), batch.size(10, 1_000)), (190, 19));
        batch.spend(190, 950);
        assert_eq!(batch.size(10, 1_000), 0);
    }

    #[test]
    fn a_round_takes_half_of_the_time_that_the_last_one_says() {
        let mut batch = BatchSize::new(Budget::time(Duration::from_secs(1_000)));
        assert_eq!(batch.size(1, 1 << 40), 1);
        batch.spend(1, 10);
        batch.each = 1.0;
        let size = batch.size(1, 1 << 40);
        assert!((490..=500).contains(&size), "{size}");
        assert_eq!(batch.size(10_000, 1 << 40), 1, "what the time allows, but one at least");
        assert_eq!(BatchSize::new(Budget::time(Duration::ZERO)).size(1, 1), 0);
    }
}
