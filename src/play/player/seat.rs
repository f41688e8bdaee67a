//! Seats: a player of one role of one match, with the kind of access that it has to the match.
//!
//! A [`Player`] is shown what its role knows, a [`ClairvoyantPlayer`] the true history, and a [`RemotePlayer`] is
//! another program, which is told of the match by messages. Only the last can fail to answer in ways that the referee
//! has to name.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use thiserror::Error;

use super::decision::{ClairvoyantPlayer, ClairvoyantView, Decision, Player};
use hyperplay_machine::{Budget, Evidence, Move, Seed};

/// The name in specs of the player that is another program. The network layer registers it.
pub const REMOTE: &str = "remote";

/// The name in specs of the player that is a person. The command line registers it.
pub const HUMAN: &str = "human";

/// A player for one role of one match, together with the kind of view that it is shown.
pub enum Seat {
    /// Knows what its role knows.
    Player(Box<dyn Player>),
    /// Knows the true history.
    Clairvoyant(Box<dyn ClairvoyantPlayer>),
    /// Is another program.
    Remote(Box<dyn RemotePlayer>),
}

impl Seat {
    /// A seat for a player that knows what its role knows.
    pub fn player(player: impl Player + 'static) -> Seat {
        Seat::Player(Box::new(player))
    }

    /// A seat for a player that knows the true history.
    pub fn clairvoyant(player: impl ClairvoyantPlayer + 'static) -> Seat {
        Seat::Clairvoyant(Box::new(player))
    }

    /// A seat for another program.
    pub fn remote(player: impl RemotePlayer + 'static) -> Seat {
        Seat::Remote(Box::new(player))
    }

    /// Whether its player is shown the true history.
    pub fn is_clairvoyant(&self) -> bool {
        matches!(self, Seat::Clairvoyant(_))
    }

    /// Whether its player is another program.
    pub fn is_remote(&self) -> bool {
        matches!(self, Seat::Remote(_))
    }

    /// Lets the player decide. The player is shown only the part of `view` that it may know.
    ///
    /// # Errors
    /// If another program gives no answer, or one that is no term of the game.
    pub fn decide(
        &mut self,
        view: &ClairvoyantView<'_>,
        budget: &Budget,
        seed: &Seed,
    ) -> Result<Decision, RemoteFailure> {
        match self {
            Seat::Player(player) => Ok(player.decide(&view.own, budget, seed)),
            Seat::Clairvoyant(player) => Ok(player.decide(view, budget, seed)),
            Seat::Remote(player) => {
                player.play(view.own.evidence, budget).map(|own| Decision::draw(vec![(own, 1.0)], seed))
            }
        }
    }
}

/// Another program that plays one role of one match. It is told of the match by messages, in the order of these
/// functions.
///
/// ```
/// use hyperplay_machine::{Budget, Evidence, Move};
/// use hyperplay_play::player::{RemoteEnd, RemoteFailure, RemotePlayer, RemoteStart, Seat};
///
/// /// A program that is not there.
/// struct Nobody;
///
/// impl RemotePlayer for Nobody {
///     fn start(&mut self, _: &RemoteStart<'_>, _: &Budget) -> Result<(), RemoteFailure> {
///         Err(RemoteFailure::Unreachable("connection refused".to_owned()))
///     }
///
///     fn play(&mut self, _: &Evidence, _: &Budget) -> Result<Move, RemoteFailure> {
///         Err(RemoteFailure::Unreachable("connection refused".to_owned()))
///     }
///
///     fn end(&mut self, end: RemoteEnd<'_>, _: &Budget) {
///         assert!(matches!(end, RemoteEnd::Stopped(_) | RemoteEnd::Aborted));
///     }
/// }
///
/// assert!(Seat::remote(Nobody).is_remote());
/// ```
pub trait RemotePlayer: Send {
    /// Tells it that the match begins. The budget ends with the start clock.
    ///
    /// # Errors
    /// If it does not say in time that it is ready. The match goes on all the same.
    fn start(&mut self, start: &RemoteStart<'_>, budget: &Budget) -> Result<(), RemoteFailure>;

    /// Tells it what its role learnt in the last step and asks for a move. The budget ends with the play clock.
    ///
    /// # Errors
    /// If no move of the game comes in time.
    fn play(&mut self, evidence: &Evidence, budget: &Budget) -> Result<Move, RemoteFailure>;

    /// Tells it that the match has ended. Its answer does not matter.
    fn end(&mut self, end: RemoteEnd<'_>, budget: &Budget);
}

/// The information that another program is told at the beginning of a match; the rules and the role it got with its
/// seat.
#[derive(Clone, Copy, Debug)]
pub struct RemoteStart<'a> {
    /// The name of the match: letters, digits and `_`, a small letter first.
    pub id: &'a str,
    /// The time until the first move is asked for.
    pub startclock: Duration,
    /// The time for each move.
    pub playclock: Duration,
    /// For what is drawn for this match, such as other names of the constants; the same for all its roles.
    pub seed: &'a Seed,
}

/// How the match of another program ended.
#[derive(Clone, Copy, Debug)]
pub enum RemoteEnd<'a> {
    /// By the rules; this is what its role knows at the end.
    Stopped(&'a Evidence),
    /// Without a result.
    Aborted,
}

/// The answer that came after the time for it, if one has come by now.
pub type LateAnswer = Arc<OnceLock<String>>;

/// Why another program gave no move.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RemoteFailure {
    /// The clock ran out. The answer may come later.
    #[error("no answer in time")]
    Late(LateAnswer),
    /// There was no connection, or it broke.
    #[error("no connection: {0}")]
    Unreachable(String),
    /// This answer is no term of the game.
    #[error("'{0}' is no move of the game")]
    Illegal(String),
}
