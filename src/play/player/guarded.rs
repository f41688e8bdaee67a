//! Calls that may panic: a player is a program of somebody, and its panic is no reason to end the match.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls something that may panic. The data that it works on may be in any state after a panic and are not to be used
/// again.
///
/// # Errors
/// The message of the panic.
pub fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
    })
}
