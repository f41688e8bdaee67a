//! Messages between game masters and players, as text: read, written, and with scrambled names. No network here.
//!
//! The facts are those of the existing game masters (the Dresden GameController of 2011 and 2013, and ggp-base).

mod message;

pub use message::{Message, MessageError, StartMessage, StepMessage};
