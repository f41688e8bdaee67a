//! One player in its seat. Whatever the player does becomes a decision or a fault.
//!
//! Without a clock the player runs in the caller's thread. With one it has a thread of its own, all roles think at
//! the same time, and an answer that has not come when the clock runs out is a `late` fault; an answer that comes
//! later is recognised by its step number and discarded. The player's thread notes when it has answered, so a player
//! is not late because the referee was waiting for another one. A panic becomes a `crashed` fault in both cases; a player
//! that has panicked may be in any state and is not asked again.
//!
//! Invariant: in each step an actor gets one question and then gives one answer. A player cannot be stopped from
//! outside, so a thread that never answers still runs when the match ends.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use super::clock::{Answered, ClockTurn};
use super::fault::FaultKind;
use crate::player::{ClairvoyantView, Decision, Seat, View, panic_message};
use hyperplay_engine::machine::{Budget, Evidence, History, Move, Seed};

/// The question to a player at one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'a> {
    /// What can be known. The [`Seat`] shows its player the part that this player may know.
    pub(super) view: ClairvoyantView<'a>,
    /// What the player may spend.
    pub(super) budget: Budget,
    /// Its randomness.
    pub(super) seed: &'a Seed,
}

/// A player in its seat.
pub(super) enum Actor {
    /// Runs in the caller's thread.
    Inline(Seat),
    /// Runs in a thread of its own.
    Thread(PlayerThread),
    /// Has panicked with this message.
    Crashed(String),
}

/// The connection to a player's thread.
pub(super) struct PlayerThread {
    questions: Sender<OwnedQuestion>,
    answers: Receiver<Answer>,
    is_clairvoyant: bool,
}

/// An answer on its way to the referee.
struct Answer {
    /// The step of the question.
    step: usize,
    given: Answered,
    /// The message of the panic, if there was one.
    said: Result<Decision, String>,
}

struct OwnedQuestion {
    evidence: Evidence,
    legal: Vec<Move>,
    /// Empty for a player that does not see it.
    history: History,
    budget: Budget,
    seed: Seed,
}

impl Actor {
    /// Seats a player, on a thread of its own if there is a clock.
    ///
    /// # Errors
    /// The error of the operating system, if it gives no further thread.
    pub(super) fn seat(seat: Seat, clocked: bool) -> std::io::Result<Actor> {
        if !clocked {
            return Ok(Actor::Inline(seat));
        }
        let is_clairvoyant = seat.is_clairvoyant();
        let (questions, inbox) = channel();
        let (outbox, answers) = channel();
        thread::Builder::new().name("player".to_owned()).spawn(move || serve(seat, &inbox, &outbox))?;
        Ok(Actor::Thread(PlayerThread { questions, answers, is_clairvoyant }))
    }

    /// Puts the question to a player with a thread of its own, which begins to think; the others wait for
    /// [`answer`](Actor::answer).
    pub(super) fn ask(&mut self, question: &Question<'_>) {
        if let Actor::Thread(thread) = self {
            let ClairvoyantView { own, history } = question.view;
            let history = if thread.is_clairvoyant { history.clone() } else { History::default() };
            // An error means that the thread has ended; `answer` will find out why.
            let _ = thread.questions.send(OwnedQuestion {
                evidence: own.evidence.clone(),
                legal: own.legal.to_vec(),
                history,
                budget: question.budget,
                seed: question.seed.clone(),
            });
        }
    }

    /// The answer to the question that was put before, and how long it took if there is a clock.
    ///
    /// # Errors
    /// The fault, if there is none: late or crashed.
    pub(super) fn answer(
        &mut self,
        question: &Question<'_>,
        turn: Option<&ClockTurn>,
    ) -> Result<(Decision, Option<Duration>), FaultKind> {
        let answer = match self {
            Actor::Inline(seat) => {
                guarded(seat, &question.view, &question.budget, question.seed).map(|said| (said, None))
            }
            Actor::Thread(thread) => thread.wait(question.view.own.evidence.step(), turn)?,
            Actor::Crashed(message) => return Err(FaultKind::Crashed(message.clone())),
        };
        answer.map_err(|message| {
            *self = Actor::Crashed(message.clone());
            FaultKind::Crashed(message)
        })
    }
}

impl PlayerThread {
    /// Waits for the answer to the question of this step; older answers are late and are discarded.
    fn wait(
        &self,
        step: usize,
        turn: Option<&ClockTurn>,
    ) -> Result<Result<(Decision, Option<Duration>), String>, FaultKind> {
        use std::sync::mpsc::RecvTimeoutError::{Disconnected, Timeout};
        loop {
            let left = turn.map_or(Duration::MAX, ClockTurn::left);
            match self.answers.recv_timeout(left) {
                Ok(Answer { step: asked, said: Ok(_), .. }) if asked < step => {}
                Ok(Answer { said: Err(message), .. }) => return Ok(Err(message)),
                Ok(Answer { given, said: Ok(decision), .. }) => {
                    let taken = turn.map(|turn| turn.taken(given).ok_or(FaultKind::Late)).transpose()?;
                    return Ok(Ok((decision, taken)));
                }
                Err(Timeout) => return Err(FaultKind::Late),
                Err(Disconnected) => return Ok(Err("the player's thread has ended".to_owned())),
            }
        }
    }
}

/// The life of a player's thread: answers questions until the referee hangs up or the player panics.
fn serve(mut seat: Seat, inbox: &Receiver<OwnedQuestion>, outbox: &Sender<Answer>) {
    for question in inbox {
        let step = question.evidence.step();
        let own = View { evidence: &question.evidence, legal: &question.legal };
        let view = ClairvoyantView { own, history: &question.history };
        let said = guarded(&mut seat, &view, &question.budget, &question.seed);
        let crashed = said.is_err();
        if outbox.send(Answer { step, given: Answered::now(), said }).is_err() || crashed {
            return;
        }
    }
}

/// Asks a player and catches its panic.
fn guarded(
    seat: &mut Seat,
    view: &ClairvoyantView<'_>,
    budget: &Budget,
    seed: &Seed,
) -> Result<Decision, String> {
    // After a panic the player is not used again, so its broken state is never seen.
    catch_unwind(AssertUnwindSafe(|| seat.decide(view, budget, seed)))
        .map_err(|panic| panic_message(panic.as_ref()))
}
