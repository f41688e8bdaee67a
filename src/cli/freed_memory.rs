//! How much freed memory a server keeps.
//!
//! The allocator of the GNU C library has up to eight heaps for each processor. After a large block was freed, it keeps
//! as much as 64 MiB at the end of each heap, so a server would keep most of what matches took that have ended. A
//! setting in the environment of a process fixes a smaller amount. It is read when a program begins, and safe code has
//! no other way to it. So the program begins again with it, as the same process.
//!
//! Invariant: the program begins again at most once, because it then has the setting.

use std::env::{args_os, current_exe, var_os};
use std::io::{Error, Result};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// The setting: bytes that are kept at the end of each heap.
const SETTING: &str = "MALLOC_TRIM_THRESHOLD_";

/// One MiB; blocks of 128 KiB and more are returned one by one.
const KEPT: &str = "1048576";

/// Lets this process return what it frees. Only a process that has the setting, or cannot begin again, comes back from
/// here, so nothing else may have begun.
///
/// # Errors
/// That of the operating system, if the program does not begin again; it may go on as it is.
pub fn return_freed_memory() -> Result<()> {
    if cfg!(not(all(target_os = "linux", target_env = "gnu"))) || var_os(SETTING).is_some() {
        return Ok(());
    }
    let mut words = args_os();
    let mut again = Command::new(current_exe()?);
    if let Some(name) = words.next() {
        again.arg0(name);
    }
    Err::<(), Error>(again.args(words).env(SETTING, KEPT).exec())
}
