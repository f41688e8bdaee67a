//! The messages of a game master to a player.
//!
//! | message | official GDL-II | GDL-II of 2011 | GDL-I |
//! | --- | --- | --- | --- |
//! | first PLAY | `(PLAY id 0 NIL NIL)` | `(PLAY id NIL)` | `(PLAY id NIL)` |
//! | PLAY | `(PLAY id n LASTMOVE (p1 p2 ))` | `(PLAY id (p1 p2 ))` | `(PLAY id (m1 m2))` |
//! | STOP | `(STOP id n LASTMOVE (p1 p2 ))` | `(STOP id (p1 p2 ))` | `(STOP id (m1 m2))` |
//!
//! `SEES` in place of `PLAY` is the word of some course forks. The second and the third dialect differ only in what the
//! list means, which the rules tell: percepts if the game has `sees` or `random`, else the joint move in role order.
//!
//! [`Message::read`] reads them, [`Phrasing`](super::Phrasing) writes them.

use std::time::Duration;

/// A message of a game master. Keywords are read in any case; terms are kept as text, as they were spelt.
///
/// ```
/// use hyperplay_net::protocol::{Message, StepMessage};
///
/// let message = Message::read("(play m3 1 noop ( (MY_DICE 5  3) (does p1 noop) ))").unwrap();
/// let seen = Some(vec!["(MY_DICE 5 3)".to_owned(), "(does p1 noop)".to_owned()]);
/// let step = StepMessage { id: "m3".into(), numbered: Some((1, Some("noop".into()))), seen };
/// assert_eq!(message, Message::Play(step));
/// ```
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
    /// `(PLAY ...)`: the events of the last step, and the question for a move.
    Play(StepMessage),
    /// `(STOP ...)`: the events of the last step, which ended the match.
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
    /// The rules, without the parentheses around them and without the blank that game masters write before the last
    /// one.
    pub rules: String,
    /// The time until the first move is asked for.
    pub startclock: Duration,
    /// The time for each move.
    pub playclock: Duration,
}

/// The events in the last step of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepMessage {
    /// The name of the match.
    pub id: String,
    /// Official GDL-II: how many joint moves were made, and the own move that was recorded, if there was a step. `NIL`
    /// is no move only before the first step: after it, a move may have that name, and is kept as it is spelt.
    pub numbered: Option<(usize, Option<String>)>,
    /// The percepts, or in GDL-I the joint move; none before the first step (`NIL`). `()` is an empty list. A master
    /// that writes `NIL` for an empty list after the first step is told by the count of the steps.
    pub seen: Option<Vec<String>>,
}
