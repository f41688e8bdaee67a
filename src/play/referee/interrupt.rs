//! The interrupt: a request to stop that all running matches see.
//!
//! The loop of a match reads the flag between steps and ends the match as
//! [`MatchOutcome::Interrupted`](super::MatchOutcome). This file has no signal handler: the command line raises the
//! flag on Ctrl-C.
//!
//! A part of the work may have a [deadline](Interrupt::within) besides. To those that do the work it is an interrupt
//! like the other; whoever reports asks whether [the time was up](Interrupt::is_timed_out).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyperplay_machine::{Budget, CancelFlag, Stopwatch};

/// How often the flag is looked at in a rest.
const LOOK: Duration = Duration::from_millis(30);

/// A flag that all its clones share. Once raised, it stays raised.
///
/// ```
/// use hyperplay_play::referee::Interrupt;
///
/// let interrupt = Interrupt::default();
/// let of_a_thread = interrupt.clone();
/// assert!(!interrupt.raise(), "it was not raised before");
/// assert!(of_a_thread.is_raised());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    /// The time until the deadline, and what [cancels](CancelFlag) decisions, as a budget.
    pub budget: Budget,
}

impl Interrupt {
    /// Raises the flag; returns whether it was raised before.
    pub fn raise(&self) -> bool {
        self.flag.swap(true, Ordering::Relaxed)
    }

    /// Whether the flag was raised, or the deadline has passed.
    pub fn is_raised(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.budget.is_late()
    }

    /// Waits for so long, or until the interrupt is raised.
    pub(super) fn rest(&self, time: Duration) {
        let watch = Stopwatch::start();
        while !self.is_raised() {
            let left = time.saturating_sub(watch.elapsed());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(LOOK));
        }
    }

    /// Whether the deadline has passed, and nothing else raised it or cancelled decisions.
    pub fn is_timed_out(&self) -> bool {
        // First whether it is late: what is cancelled meanwhile is no end of the time.
        let is_late = self.budget.is_late();
        let is_cancelled = self.budget.cancel.is_some_and(CancelFlag::is_raised);
        is_late && !is_cancelled && !self.flag.load(Ordering::Relaxed)
    }

    /// The same flag with the deadline of this budget. What cancels decisions here cancels them there, unless the budget names
    /// something else.
    pub fn within(&self, budget: Budget) -> Interrupt {
        let cancel = budget.cancel.or(self.budget.cancel);
        Interrupt { flag: Arc::clone(&self.flag), budget: Budget { nodes: None, cancel, ..budget } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_time_is_told_from_an_interrupt() {
        let cancel = CancelFlag::leak();
        let whole = Interrupt::default().within(Budget::nodes(3).cancelled_by(cancel));
        let [over, part] = [0, 1000].map(|seconds| whole.within(Budget::time(Duration::from_secs(seconds))));
        assert_eq!(
            (part.budget.cancel, part.budget.nodes),
            (Some(cancel), None),
            "a part is cancelled with the whole"
        );
        assert!(over.is_raised() && over.is_timed_out() && !part.is_raised() && !whole.is_raised());
        cancel.set(true);
        assert!(part.is_raised() && part.within(part.budget.share(0.5)).is_raised());
        assert!(![&whole, &part, &over].iter().any(|interrupt| interrupt.is_timed_out()), "it was cancelled");
        cancel.set(false);
        assert!(over.is_timed_out());
        whole.raise();
        assert!(part.is_raised() && !part.is_timed_out() && !over.is_timed_out());
    }
}
