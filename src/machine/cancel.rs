//! Cancelling from outside: the answer is no longer wanted.

use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that ends all work under a [`Budget`](super::Budget) that holds it. Copies are the same flag, so it reaches
/// every thread that works for one answer.
///
/// ```
/// use std::time::Duration;
/// use hyperplay_machine::{Budget, CancelFlag};
///
/// let flag = CancelFlag::leak();
/// let budget = Budget::time(Duration::from_secs(60)).cancelled_by(flag);
/// assert!(!budget.is_late() && !budget.share(0.5).is_late());
/// flag.set(true);
/// assert!(budget.is_late() && budget.share(0.5).is_late());
/// assert_eq!(budget.left(), Some(Duration::ZERO));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CancelFlag(&'static AtomicBool);

impl CancelFlag {
    /// A flag that is not raised. Its byte is never freed, so whoever needs many flags uses them again.
    pub fn leak() -> CancelFlag {
        CancelFlag(Box::leak(Box::default()))
    }

    /// Raises the flag, or lowers it when nothing works under it any more.
    pub fn set(self, raised: bool) {
        self.0.store(raised, Ordering::Release);
    }

    /// Whether it is raised.
    pub fn is_raised(self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl PartialEq for CancelFlag {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for CancelFlag {}
