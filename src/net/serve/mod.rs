//! The player server: messages in, moves out.
//!
//! ```text
//! call --table--> session (a thread a match): knowledge, legal moves --question--> thinker (a thread): engine, player
//!   ^               |                                                                    |
//!   +--- answer ----+<------------------------------ decision, or a legal move ----------+
//! ```
//!
//! Whatever the rules, the player or the game master do, a message is answered, and a PLAY with a move that is legal as
//! far as anybody can know, before the clock runs out.

mod cancel;
mod knowledge;
mod legal;
mod margin;
mod records;
#[cfg(test)]
mod recovery_tests;
mod respond;
mod rules;
mod seated;
mod session;
mod table;
#[cfg(test)]
mod tests;
mod thinker;

pub use records::RecordFolder;
pub use table::{PlayerServer, Refusal, ServeError, ServeOptions};
