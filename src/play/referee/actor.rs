//! One player in its seat. Everything that the player does becomes a decision or a fault.
//!
//! Without a clock the player runs in the caller's thread. With one it has a thread of its own, all roles think at
//! the same time, and an answer that has not come when the clock runs out is a `late` fault; an answer that comes
//! later goes to nobody ([`PlayerThread`]). The player's thread notes when it has answered, so a player
//! is not late because the referee was waiting for another one. A panic becomes a `crashed` fault in both cases; a
//! player that has panicked may be in any state and is not asked again.
//!
//! A match has three kinds of tasks: to prepare, to decide, and to hear of the end. Only matches with another program
//! in a seat have the first, and only other programs get the last.
//!
//! Between two questions the thread of a player thinks ahead ([`ThoughtAhead`]), if it is told to; it stops when the actor is
//! dropped, at the end of the match.
//!
//! Invariant: an actor gets one task at a time and then gives one answer. A player cannot be stopped from
//! outside, so a thread that never answers still runs when the match ends.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use super::clock::{Answered, ClockTurn};
use super::fault::FaultKind;
use crate::player::{
    ClairvoyantView, Decision, LateAnswer, PlayerThread, RemoteEnd, RemoteFailure, RemoteStart, Seat,
    ThoughtAhead, View, guarded,
};
use hyperplay_machine::{Budget, Evidence, History, Move, Seed};

/// The question to a player at one step, with what can be known. The [`Seat`] shows its player the part that this
/// player may know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'a> {
    /// The knowledge of its role; a thread shares it.
    pub(super) evidence: &'a Arc<Evidence>,
    /// Its legal moves.
    pub(super) legal: &'a [Move],
    /// The joint moves so far; a thread shares them if its player is clairvoyant.
    pub(super) history: &'a Arc<History>,
    /// The budget of the player.
    pub(super) budget: Budget,
    /// Its randomness.
    pub(super) seed: &'a Seed,
}

/// The information that a player is told before the first step of a match in which a seat has another program.
#[derive(Clone, Debug)]
pub(super) struct Preparation {
    /// The name of the match.
    pub(super) id: String,
    /// The time that there is.
    pub(super) startclock: Duration,
    /// The time for each move.
    pub(super) playclock: Duration,
    /// The randomness of a local player.
    pub(super) seed: Seed,
    /// The seed of the match, for what all other programs share.
    pub(super) shared: Seed,
}

/// A player in its seat.
pub(super) enum Actor {
    /// Runs in the caller's thread.
    Inline(Seat),
    /// Runs in a thread of its own.
    Thread(SeatThread),
    /// Has panicked with this message, or is not asked any more.
    Crashed(String),
}

/// The answer of a player, and its time.
type Said = (Result<Option<Decision>, RemoteFailure>, Answered);

/// A player on its thread.
pub(super) struct SeatThread {
    thread: PlayerThread<Thinking>,
    /// The answer to the last task, until it was waited for.
    awaited: Option<Receiver<Result<Said, String>>>,
    is_clairvoyant: bool,
    is_remote: bool,
    thinks_ahead: bool,
}

/// A player, and what it thinks ahead from between two questions.
struct Thinking {
    seat: Seat,
    ahead: Option<ThoughtAhead>,
}

impl Actor {
    /// Seats a player, on a thread of its own if there is a clock. There it may think ahead.
    ///
    /// # Errors
    /// The error of the operating system, if it gives no further thread.
    pub(super) fn seat(seat: Seat, clocked: bool, thinks_ahead: bool) -> std::io::Result<Actor> {
        if !clocked {
            return Ok(Actor::Inline(seat));
        }
        let (is_clairvoyant, is_remote) = (seat.is_clairvoyant(), seat.is_remote());
        let thinking = Thinking { seat, ahead: None };
        let thread = PlayerThread::begin("player", || Some(thinking), Thinking::think_ahead)?;
        Ok(Actor::Thread(SeatThread { thread, awaited: None, is_clairvoyant, is_remote, thinks_ahead }))
    }

    /// Whether it is another program.
    pub(super) fn is_remote(&self) -> bool {
        matches!(self, Actor::Thread(thread) if thread.is_remote)
    }

    /// Puts the question to a player with a thread of its own, which begins to think; the others wait for
    /// [`answer`](Actor::answer).
    pub(super) fn ask(&mut self, question: &Question<'_>, turn: Option<&ClockTurn>) {
        if let Actor::Thread(thread) = self {
            let history = if thread.is_clairvoyant { Arc::clone(question.history) } else { Arc::default() };
            // Another program is told of the clock itself; it chooses its own reserve.
            let budget = match turn {
                Some(turn) if thread.is_remote => turn.whole(),
                _ => question.budget,
            };
            let (evidence, legal) = (Arc::clone(question.evidence), question.legal.to_vec());
            let seed = question.seed.clone();
            let time = turn.filter(|_| thread.thinks_ahead).map(ClockTurn::left);
            thread.give(move |Thinking { seat, ahead }| {
                let own = View { evidence: &evidence, legal: &legal };
                let said = seat.decide(&ClairvoyantView { own, history: &history }, &budget, &seed);
                *ahead = time.map(|time| ThoughtAhead::new(evidence, time, seed.child("ahead")));
                said.map(Some)
            });
        }
    }

    /// The answer to the question that was put before, and how long it took if there is a clock.
    ///
    /// # Errors
    /// The fault, if there is none.
    pub(super) fn answer(
        &mut self,
        question: &Question<'_>,
        turn: Option<&ClockTurn>,
    ) -> Result<(Decision, Option<Duration>), FaultKind> {
        let answer = match self {
            Actor::Inline(seat) => {
                let Question { evidence, legal, history, budget, seed } = question;
                let view = ClairvoyantView { own: View { evidence, legal }, history };
                let said = guarded(|| seat.decide(&view, budget, seed)).map_err(FaultKind::Crashed);
                said.and_then(|said| said.map_err(FaultKind::from)).map(|said| (said, None))
            }
            Actor::Thread(thread) => thread.wait(turn).and_then(|(said, taken)| {
                said.map(|said| (said, taken))
                    .ok_or_else(|| FaultKind::Crashed("it decided nothing".to_owned()))
            }),
            Actor::Crashed(message) => Err(FaultKind::Crashed(message.clone())),
        };
        answer.inspect_err(|fault| self.note(fault))
    }

    /// Lets a player with a thread of its own prepare.
    pub(super) fn prepare(&mut self, preparation: Preparation, turn: &ClockTurn) {
        if let Actor::Thread(thread) = self {
            let budget = if thread.is_remote { turn.whole() } else { turn.budget };
            let Preparation { id, startclock, playclock, seed, shared } = preparation;
            thread.give(move |Thinking { seat, .. }| {
                match seat {
                    Seat::Remote(player) => {
                        let start = RemoteStart { id: &id, startclock, playclock, seed: &shared };
                        player.start(&start, &budget)?;
                    }
                    Seat::Player(player) => player.prepare(&budget, &seed),
                    Seat::Clairvoyant(_) => {}
                }
                Ok(None)
            });
        }
    }

    /// Waits until it has prepared. A player of this program that is not done in time is no fault: it goes on.
    ///
    /// # Errors
    /// The fault of another program that did not say that it is ready, or that of a player that panicked.
    pub(super) fn prepared(&mut self, turn: &ClockTurn) -> Result<(), FaultKind> {
        let Actor::Thread(thread) = self else { return Ok(()) };
        match thread.wait(Some(turn)) {
            Err(FaultKind::Late(_)) if !thread.is_remote => Ok(()),
            Err(fault) => {
                self.note(&fault);
                Err(fault)
            }
            Ok(_) => Ok(()),
        }
    }

    /// Tells another program of the end, with its evidence if that came by the rules.
    pub(super) fn end(&mut self, evidence: Option<Arc<Evidence>>, turn: &ClockTurn) {
        if let Actor::Thread(thread) = self
            && thread.is_remote
        {
            let budget = turn.whole();
            thread.give(move |Thinking { seat, .. }| {
                if let Seat::Remote(player) = seat {
                    player.end(evidence.as_deref().map_or(RemoteEnd::Aborted, RemoteEnd::Stopped), &budget);
                }
                Ok(None)
            });
        }
    }

    /// Waits until another program has heard of the end, or the time is up.
    pub(super) fn ended(&mut self, turn: &ClockTurn) {
        if let Actor::Thread(thread) = self
            && thread.is_remote
        {
            // Whatever it says, the match is over.
            let _ = thread.wait(Some(turn));
        }
    }

    /// Lets go of a player of this program that is not asked any more, so that it thinks no further.
    pub(super) fn dismiss(&mut self) -> FaultKind {
        if !self.is_remote() {
            *self = Actor::Crashed("it was dismissed".to_owned());
        }
        FaultKind::Dropped
    }

    /// A player that has panicked is not asked again.
    fn note(&mut self, fault: &FaultKind) {
        if let FaultKind::Crashed(message) = fault {
            *self = Actor::Crashed(message.clone());
        }
    }
}

impl Thinking {
    /// Thinks ahead for a turn; whether another one is of use.
    fn think_ahead(&mut self) -> bool {
        match (&mut self.seat, &mut self.ahead) {
            (Seat::Player(player), Some(ahead)) => ahead.turn(&mut **player, Budget::UNLIMITED),
            _ => false,
        }
    }
}

impl SeatThread {
    fn give(
        &mut self,
        task: impl FnOnce(&mut Thinking) -> Result<Option<Decision>, RemoteFailure> + Send + 'static,
    ) {
        self.awaited = Some(self.thread.ask(move |thinking| (task(thinking), Answered::now())));
    }

    /// Waits for the answer to the task that was given.
    fn wait(&mut self, turn: Option<&ClockTurn>) -> Result<(Option<Decision>, Option<Duration>), FaultKind> {
        let left = turn.map_or(Duration::MAX, ClockTurn::patience);
        let late = || FaultKind::Late(LateAnswer::default());
        let answer = self.awaited.take().map(|awaited| awaited.recv_timeout(left));
        match answer.unwrap_or(Err(RecvTimeoutError::Disconnected)) {
            Ok(Ok((said, given))) => {
                let said = said?;
                let taken = turn.map(|turn| turn.taken(given).ok_or_else(late)).transpose()?;
                Ok((said, taken))
            }
            Ok(Err(panic)) => Err(FaultKind::Crashed(panic)),
            Err(RecvTimeoutError::Timeout) => Err(late()),
            Err(RecvTimeoutError::Disconnected) => {
                let why = self.thread.panic().unwrap_or("the player's thread has ended");
                Err(FaultKind::Crashed(why.to_owned()))
            }
        }
    }
}
