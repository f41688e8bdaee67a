//! Budgets: how much a decision may cost, in nodes, in time or in both.
//!
//! A decision with a budget in nodes can be reproduced; a decision with a budget in time cannot. This file and the
//! clock of the referee are the only places that read the time.

use std::time::{Duration, Instant};

use super::cancel::CancelFlag;

/// The time and the work that a decision may spend.
///
/// ```
/// use std::time::Duration;
/// use hyperplay_machine::Budget;
///
/// let budget = Budget::nodes(1000);
/// assert!(budget.reproduces() && !budget.is_late());
/// assert_eq!(budget.less(400), Budget::nodes(600));
/// let timed = Budget::time(Duration::from_secs(60)).with_nodes(10);
/// assert!(!timed.reproduces() && timed.left() <= Some(Duration::from_secs(60)));
/// assert!(timed.share(0.5).left() <= Some(Duration::from_secs(30)));
/// assert!(timed.earlier(Duration::from_secs(30)).left() <= Some(Duration::from_secs(30)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// States that may be visited; `None` for no limit.
    pub nodes: Option<u64>,
    /// The time by which the answer must be given; `None` for no limit.
    pub deadline: Option<Instant>,
    /// When this flag is raised, the deadline has passed.
    pub cancel: Option<CancelFlag>,
}

impl Budget {
    /// No limit at all.
    pub const UNLIMITED: Budget = Budget { nodes: None, deadline: None, cancel: None };

    /// A limit in visited states.
    pub fn nodes(nodes: u64) -> Self {
        Budget { nodes: Some(nodes), ..Budget::UNLIMITED }
    }

    /// A limit in time from now on.
    pub fn time(duration: Duration) -> Self {
        Budget { deadline: Instant::now().checked_add(duration), ..Budget::UNLIMITED }
    }

    /// The same deadline with another node limit.
    pub fn with_nodes(self, nodes: u64) -> Self {
        Budget { nodes: Some(nodes), ..self }
    }

    /// The rest of the budget after `visited` states were visited.
    pub fn less(self, visited: u64) -> Self {
        Budget { nodes: self.nodes.map(|nodes| nodes.saturating_sub(visited)), ..self }
    }

    /// The same node limit, and the given share (0..=1) of the time that is left.
    pub fn share(self, share: f64) -> Self {
        let deadline = self.deadline.map(|deadline| {
            let now = Instant::now();
            now + deadline.saturating_duration_since(now).mul_f64(share.clamp(0.0, 1.0))
        });
        Budget { deadline, ..self }
    }

    /// The same node limit, and a deadline that comes so much earlier.
    pub fn earlier(self, time: Duration) -> Self {
        let deadline = self.deadline.map(|deadline| deadline.checked_sub(time).unwrap_or_else(Instant::now));
        Budget { deadline, ..self }
    }

    /// This budget with at most so much time from now on.
    pub fn within(self, time: Duration) -> Self {
        let end = Instant::now().checked_add(time);
        Budget { deadline: self.deadline.into_iter().chain(end).min(), ..self }
    }

    /// Whether the deadline has passed.
    pub fn is_late(&self) -> bool {
        self.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The time until the deadline, zero when it has passed; `None` without one.
    pub fn left(&self) -> Option<Duration> {
        if self.is_cancelled() {
            return Some(Duration::ZERO);
        }
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The same limits; and from the moment at which the flag is raised, no time is left.
    pub fn cancelled_by(self, flag: CancelFlag) -> Self {
        Budget { cancel: Some(flag), ..self }
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(CancelFlag::is_raised)
    }

    /// Whether the same budget gives the same result every time, that is, whether it has no deadline.
    pub fn reproduces(&self) -> bool {
        self.deadline.is_none()
    }
}

/// Measures how long something took.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts at zero.
    pub fn start() -> Self {
        Stopwatch(Instant::now())
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// An account of what has been spent of a [`Budget`].
#[derive(Clone, Debug)]
pub struct BudgetAccount {
    budget: Budget,
    spent: u64,
    late: bool,
}

impl BudgetAccount {
    /// A fresh account.
    pub fn new(budget: Budget) -> Self {
        BudgetAccount { budget, spent: 0, late: false }
    }

    /// Counts one visited state; false when it was one too many or the deadline has passed. The clock is read once
    /// in 64 calls.
    pub fn spend(&mut self) -> bool {
        self.spent += 1;
        if self.spent & 63 == 1 && self.budget.is_late() {
            self.late = true;
        }
        !self.is_exhausted()
    }

    /// Whether nothing more may be spent.
    pub fn is_exhausted(&self) -> bool {
        self.late || self.budget.nodes.is_some_and(|nodes| self.spent > nodes)
    }

    /// States that may still be visited; `u64::MAX` for no limit.
    pub fn left(&self) -> u64 {
        self.budget.nodes.map_or(u64::MAX, |nodes| nodes.saturating_sub(self.spent))
    }

    /// States visited so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_grants_exactly_its_nodes() {
        let mut account = BudgetAccount::new(Budget::nodes(2));
        assert!(account.spend() && account.spend());
        assert!(!account.spend());
        assert!(account.is_exhausted());
    }

    #[test]
    fn a_passed_deadline_ends_the_account_at_the_first_look() {
        let mut account = BudgetAccount::new(Budget::time(Duration::ZERO));
        assert!(!account.spend());
    }
}
