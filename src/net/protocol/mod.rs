//! Messages between game masters and players, as text: read, written, and with scrambled names. No network here.
//!
//! ```text
//! scan      words and lists of a text        dialect   official GDL-II, GDL-II of 2011, GDL-I
//! read      text to message                  write     message to text
//! rules     a game as one line               scramble  other names for one match
//! ```
//!
//! The facts are those of the existing game masters (the Dresden GameController of 2011 and 2013, and ggp-base).

#[cfg(test)]
pub(crate) mod captures;
mod dialect;
mod error;
mod message;
mod read;
mod rules;
mod scan;
mod scramble;
#[cfg(test)]
mod tests;
mod write;

pub use dialect::WireDialect;
pub use error::MessageError;
pub(crate) use error::quoted;
pub use message::{Message, StartMessage, StepMessage};
pub use read::read_term;
pub use rules::{game_line, rules_line, with_joint_moves, with_nothing_seen};
pub(crate) use scan::{pieces, replace_words};
pub use scramble::Scrambler;
pub use write::{Phrasing, WireLetters};
