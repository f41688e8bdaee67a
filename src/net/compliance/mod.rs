//! A compliance test of a player server: the demands of a game master of the field, as named checks.
//!
//! Each check is a short conversation with a small game written for it (`games`), led by a small game master
//! (`master`). It ends with a verdict, and with the bytes that were sent and received. A check asks one thing: a player
//! that cannot do it still passes the others. Two exceptions are by design: a player that does not answer START passes
//! little, and one that does not follow its percepts fails in each game that needs them.
//!
//! ```text
//! checks      the list, and running it      match_checks    whole matches: dialects, spelling, percepts
//! verdict     what comes of a check         server_checks   connections, other messages, hostile ones
//! ```

mod checks;
mod conversation;
mod games;
mod master;
mod match_checks;
mod server_checks;
#[cfg(test)]
mod tests;
mod verdict;

pub use checks::{checks, run_checks};
pub use master::CheckClocks;
pub use verdict::{CheckExchange, CheckReport, CheckVerdict, shown_bytes};
