//! The messages of a game master to a player, and how they are read.
//!
//! | message | official GDL-II | GDL-II of 2011 | GDL-I |
//! | --- | --- | --- | --- |
//! | first PLAY | `(PLAY id 0 NIL NIL)` | `(PLAY id NIL)` | `(PLAY id NIL)` |
//! | PLAY | `(PLAY id n LASTMOVE (p1 p2 ))` | `(PLAY id (p1 p2 ))` | `(PLAY id (m1 m2))` |
//! | STOP | `(STOP id n LASTMOVE (p1 p2 ))` | `(STOP id (p1 p2 ))` | `(STOP id (m1 m2))` |
//!
//! `SEES` in place of `PLAY` is the word of some course forks. The second and the third dialect differ only in what the list
//! means, which the rules tell: percepts if the game has `sees` or `random`, else the joint move in role order.

use std::time::Duration;

use thiserror::Error;

/// What a game master says. Keywords are read in any case; terms are kept as text, as they were spelt.
#[derive(Clone, PartialEq, Debug)]
pub enum Message {
    /// `(INFO)`: who are you, and are you free?
    Info,
    /// `(PREVIEW (RULES) clock)`: a game that will be played later.
    Preview {
        /// The rules, without the parentheses around them.
        rules: String,
        /// The time to look at it.
        clock: Duration,
    },
    /// `(START id ROLE (RULES) startclock playclock)`.
    Start(StartMessage),
    /// `(PLAY ...)`: what happened in the last step, and the question for a move.
    Play(StepMessage),
    /// `(STOP ...)`: what happened in the last step, which ended the match.
    Stop(StepMessage),
    /// `(ABORT id)`: the match ends without a result.
    Abort {
        /// Which match.
        id: String,
    },
}

/// The beginning of a match.
#[derive(Clone, PartialEq, Debug)]
pub struct StartMessage {
    /// The name of the match.
    pub id: String,
    /// The role to be played, as spelt.
    pub role: String,
    /// The rules, without the parentheses around them.
    pub rules: String,
    /// The time until the first move is asked for.
    pub startclock: Duration,
    /// The time for each move.
    pub playclock: Duration,
}

/// What happened in the last step of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepMessage {
    /// The name of the match.
    pub id: String,
    /// Official GDL-II: how many joint moves were made, and the own move that was recorded, if there was a step.
    pub numbered: Option<(usize, Option<String>)>,
    /// The percepts, or in GDL-I the joint move; none before the first step (`NIL`). `()` is an empty list.
    pub seen: Option<Vec<String>>,
}

/// Why a text is no message.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MessageError {
    /// The text is no message.
    #[error("no message")]
    NoMessage,
}
