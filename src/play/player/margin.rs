//! The margin that a player keeps before its deadline: part of the time, and more where it was not enough.
//!
//! Some work cannot be stopped: a pass through all lanes of a large network, freeing what a search has built, or other
//! programs that have the processor. How long that takes is a matter of the game and of the computer. So a player
//! measures by how much it missed the end that it had set itself, and keeps a multiple of that from the next decision
//! on. The learnt overrun fades, because a computer is not loaded forever.
//!
//! A decision without a deadline does not depend on it.

use std::time::Duration;

use hyperplay_machine::{Budget, Stopwatch};

/// The share of the time until the deadline that a player that reasons uses; the rest is for whatever cannot be
/// interrupted and for the way back to the referee.
pub(super) const SAFE_SHARE: f64 = 0.85;

/// The share of a learnt overrun that is left after each decision.
const FADING: f64 = 0.9;

/// The share of the time that is used whatever was learnt.
const LEAST_SHARE: f64 = 0.3;

/// The longest overrun, as far as it is remembered.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Overrun(Duration);

impl Overrun {
    /// The time to keep free: twice the longest overrun.
    pub fn reserve(self) -> Duration {
        self.0 * 2
    }

    /// Learns by how much an end was missed, zero if it was kept; of the longest overrun this part is still remembered.
    pub fn learn(&mut self, missed: Duration, fading: f64) {
        self.0 = self.0.mul_f64(fading).max(missed);
    }
}

/// The overrun that one player has learnt to expect.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Margin(Overrun);

/// The time that a player has set itself for one decision.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnTime {
    watch: Stopwatch,
    /// None without a deadline.
    time: Option<Duration>,
}

impl Margin {
    /// The part of a budget that the player uses, from now on.
    pub(super) fn begin(&self, budget: &Budget) -> (Budget, OwnTime) {
        let watch = Stopwatch::start();
        let Some(left) = budget.left() else { return (*budget, OwnTime { watch, time: None }) };
        let free = left.saturating_sub(self.0.reserve());
        let time = left.mul_f64(SAFE_SHARE).min(free).max(left.mul_f64(LEAST_SHARE));
        (budget.within(time), OwnTime { watch, time: Some(time) })
    }

    /// Learns from a decision that ends now.
    pub(super) fn end(&mut self, own: OwnTime) {
        if let Some(time) = own.time {
            self.0.learn(own.watch.elapsed().saturating_sub(time), FADING);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share_used(margin: &Margin) -> f64 {
        let budget = Budget::time(Duration::from_secs(1000));
        margin.begin(&budget).0.left().unwrap().as_secs_f64() / 1000.0
    }

    #[test]
    fn a_player_that_was_late_keeps_more_time_and_forgets_it_slowly() {
        let mut margin = Margin::default();
        assert!((share_used(&margin) - SAFE_SHARE).abs() < 0.01);
        margin.0.learn(Duration::from_secs(50), FADING);
        assert!((share_used(&margin) - SAFE_SHARE).abs() < 0.01, "there is time enough for that");
        margin.0.learn(Duration::from_secs(200), FADING);
        assert!((share_used(&margin) - 0.6).abs() < 0.01);
        margin.0.learn(Duration::ZERO, FADING);
        assert!((share_used(&margin) - 0.64).abs() < 0.01);
        margin.0.learn(Duration::from_secs(2000), FADING);
        assert!((share_used(&margin) - LEAST_SHARE).abs() < 0.01);
        (0..60).for_each(|_| margin.0.learn(Duration::ZERO, FADING));
        assert!((share_used(&margin) - SAFE_SHARE).abs() < 0.01);
    }

    #[test]
    fn what_is_missed_is_learnt_and_a_budget_without_a_deadline_stays_as_it_is() {
        let mut margin = Margin::default();
        let (budget, own) = margin.begin(&Budget::nodes(5));
        assert_eq!(budget, Budget::nodes(5));
        margin.end(own);
        assert_eq!(margin.0, Overrun::default());
        let (_, own) = margin.begin(&Budget::time(Duration::from_millis(1)));
        std::thread::sleep(Duration::from_millis(5));
        margin.end(own);
        assert!(margin.0.reserve() > Duration::from_millis(6));
    }
}
