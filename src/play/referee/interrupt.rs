//! The interrupt: a request to stop that all running matches see.
//!
//! The loop of a match reads the flag between steps and ends the match as
//! [`MatchOutcome::Interrupted`](super::MatchOutcome). This file has no signal handler: the command line raises the
//! flag on Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Raises the flag; returns whether it was raised before.
    pub fn raise(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }

    /// Whether the flag was raised.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
