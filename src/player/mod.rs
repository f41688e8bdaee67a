//! Layer 4, the players: programs that play a role.
//!
//! This is the only place where belief and search meet.

mod decision;

pub use decision::{Cost, Decision, Player, View};
