//! The wish to stop, raised once and seen by everyone who plays.
//!
//! Whoever runs matches looks between steps and ends the match as [`MatchOutcome::Interrupted`](super::MatchOutcome). A flag,
//! not a signal handler: the command line raises it on Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag shared by all its clones; it is raised once and stays so.
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
