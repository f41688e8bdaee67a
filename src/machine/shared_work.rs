//! Shared work: whether a thread had other threads work for it.
//!
//! The processor time of a thread is that of its work only where it shared none, so whoever shares work says so here. No
//! result depends on it.

use std::cell::Cell;

thread_local! {
    static SHARED: Cell<u64> = const { Cell::new(0) };
}

/// Notes that other threads work for this one.
pub fn note_shared_work() {
    SHARED.set(SHARED.get() + 1);
}

/// How often other threads have worked for this one.
pub fn shared_work() -> u64 {
    SHARED.get()
}
