//! What every command gets beside its arguments.

use std::sync::Arc;

use super::human::HumanTable;
use super::output::Output;
use hyperplay_play::player::Registry;
use hyperplay_play::referee::Interrupt;

/// The program around a command.
pub struct Session {
    /// The players, samplers, searches and models that specs can name.
    pub registry: Registry,
    /// Where persons sit; only `match` and `host` have players that ask there.
    pub table: Arc<HumanTable>,
    /// Raised by Ctrl-C and SIGTERM.
    pub interrupt: Interrupt,
    /// Standard output.
    pub out: Output,
}
