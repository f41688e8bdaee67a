//! The interrupt: a request to stop that all running matches see.
//!
//! The loop of a match reads the flag between steps and ends the match as
//! [`MatchOutcome::Interrupted`](super::MatchOutcome). This file has no signal handler: the command line raises the
//! flag on Ctrl-C.
//!
//! A part of the work may have a [deadline](Interrupt::within) besides. To those that do the work it is an interrupt
//! like the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyperplay_machine::Budget;

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
    /// The time until the deadline, and what [cancels](hyperplay_machine::CancelFlag) decisions, as a budget.
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
    pub(super) fn rest(&self, mut time: Duration) {
        while !time.is_zero() && !self.is_raised() {
            let part = time.min(LOOK);
            std::thread::sleep(part);
            time -= part;
        }
    }

    /// The same flag with the deadline of this budget.
    pub fn within(&self, budget: Budget) -> Interrupt {
        Interrupt { flag: Arc::clone(&self.flag), budget: Budget { nodes: None, ..budget } }
    }
}
