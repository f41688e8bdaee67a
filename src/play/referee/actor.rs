//! One player in its seat. Whatever the player does becomes a decision or a fault.
//!
//! Without a clock the player runs in the caller's thread. With one it has a thread of its own, all roles think at
//! the same time, and an answer that has not come when the clock runs out is a `late` fault; an answer that comes
//! later is recognised by the number of its task and discarded. The player's thread notes when it has answered, so a player
//! is not late because the referee was waiting for another one. A panic becomes a `crashed` fault in both cases; a player
//! that has panicked may be in any state and is not asked again.
//!
//! A match has three kinds of tasks: to prepare, to decide, and to hear of the end. Only matches with another program in a
//! seat have the first, and only other programs get the last.
//!
//! Invariant: an actor gets one task at a time and then gives one answer. A player cannot be stopped from
//! outside, so a thread that never answers still runs when the match ends.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use super::clock::{Answered, ClockTurn};
use super::fault::FaultKind;
use crate::player::{ClairvoyantView, Decision, RemoteEnd, RemoteFailure, RemoteStart, Seat, View, guarded};
use hyperplay_engine::machine::{Budget, Evidence, History, Move, Seed};

/// The question to a player at one step, with what can be known. The [`Seat`] shows its player the part that this player may know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'a> {
    /// What its role knows; a thread shares it.
    pub(super) evidence: &'a Arc<Evidence>,
    /// Its legal moves.
    pub(super) legal: &'a [Move],
    /// The joint moves so far.
    pub(super) history: &'a History,
    /// What the player may spend.
    pub(super) budget: Budget,
    /// Its randomness.
    pub(super) seed: &'a Seed,
}

/// What a player is told before the first step of a match in which a seat has another program.
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
    Thread(PlayerThread),
    /// Has panicked with this message.
    Crashed(String),
}

/// The connection to a player's thread.
pub(super) struct PlayerThread {
    tasks: Sender<(Task, Budget)>,
    answers: Receiver<Answer>,
    is_clairvoyant: bool,
    is_remote: bool,
}

/// What a player's thread is asked to do.
enum Task {
    Prepare(Box<Preparation>),
    Decide(Box<OwnedQuestion>),
    /// The evidence if the match ended by the rules.
    End(Option<Arc<Evidence>>),
}

/// An answer on its way to the referee.
struct Answer {
    /// The number of the task.
    task: usize,
    given: Answered,
    said: Result<Option<Decision>, FaultKind>,
}

/// The number of the task to prepare; that to decide after n steps has the number n + 1.
const PREPARE: usize = 0;

struct OwnedQuestion {
    evidence: Arc<Evidence>,
    legal: Vec<Move>,
    /// Empty for a player that does not see it.
    history: History,
    seed: Seed,
}

impl Task {
    fn number(&self) -> usize {
        match self {
            Task::Prepare(_) => PREPARE,
            Task::Decide(question) => question.evidence.step() + 1,
            Task::End(_) => usize::MAX,
        }
    }
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
        let (is_clairvoyant, is_remote) = (seat.is_clairvoyant(), seat.is_remote());
        let (tasks, inbox) = channel();
        let (outbox, answers) = channel();
        thread::Builder::new().name("player".to_owned()).spawn(move || serve(seat, &inbox, &outbox))?;
        Ok(Actor::Thread(PlayerThread { tasks, answers, is_clairvoyant, is_remote }))
    }

    /// Whether it is another program.
    pub(super) fn is_remote(&self) -> bool {
        matches!(self, Actor::Thread(thread) if thread.is_remote)
    }

    /// Puts the question to a player with a thread of its own, which begins to think; the others wait for
    /// [`answer`](Actor::answer).
    pub(super) fn ask(&mut self, question: &Question<'_>, turn: Option<&ClockTurn>) {
        if let Actor::Thread(thread) = self {
            let history = if thread.is_clairvoyant { question.history.clone() } else { History::default() };
            // Another program is told of the clock itself; what it keeps in reserve is its own matter.
            let budget = match turn {
                Some(turn) if thread.is_remote => turn.whole(),
                _ => question.budget,
            };
            let question = OwnedQuestion {
                evidence: Arc::clone(question.evidence),
                legal: question.legal.to_vec(),
                history,
                seed: question.seed.clone(),
            };
            thread.give(Task::Decide(Box::new(question)), budget);
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
                said(|| seat.decide(&view, budget, seed)).map(|said| (said, None))
            }
            Actor::Thread(thread) => {
                thread.wait(question.evidence.step() + 1, turn).and_then(|(said, taken)| {
                    said.map(|said| (said, taken))
                        .ok_or_else(|| FaultKind::Crashed("it decided nothing".to_owned()))
                })
            }
            Actor::Crashed(message) => Err(FaultKind::Crashed(message.clone())),
        };
        answer.inspect_err(|fault| self.note(fault))
    }

    /// Lets a player with a thread of its own prepare.
    pub(super) fn prepare(&mut self, preparation: Preparation, turn: &ClockTurn) {
        if let Actor::Thread(thread) = self {
            let budget = if thread.is_remote { turn.whole() } else { turn.budget };
            thread.give(Task::Prepare(Box::new(preparation)), budget);
        }
    }

    /// Waits until it has prepared. A player of this program that is not done in time is no fault: it goes on.
    ///
    /// # Errors
    /// The fault of another program that did not say that it is ready, or that of a player that panicked.
    pub(super) fn prepared(&mut self, turn: &ClockTurn) -> Result<(), FaultKind> {
        let Actor::Thread(thread) = self else { return Ok(()) };
        match thread.wait(PREPARE, Some(turn)) {
            Err(FaultKind::Late) if !thread.is_remote => Ok(()),
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
            thread.give(Task::End(evidence), turn.whole());
        }
    }

    /// Waits until another program has heard of the end, or the time is up.
    pub(super) fn ended(&mut self, turn: &ClockTurn) {
        if let Actor::Thread(thread) = self
            && thread.is_remote
        {
            // Whatever it says, the match is over.
            let _ = thread.wait(usize::MAX, Some(turn));
        }
    }

    /// A player that has panicked is not asked again.
    fn note(&mut self, fault: &FaultKind) {
        if let FaultKind::Crashed(message) = fault {
            *self = Actor::Crashed(message.clone());
        }
    }
}

impl PlayerThread {
    fn give(&self, task: Task, budget: Budget) {
        // An error means that the thread has ended; `wait` will find out why.
        let _ = self.tasks.send((task, budget));
    }

    /// Waits for the answer to a task; those to older tasks are late and are discarded.
    fn wait(
        &self,
        task: usize,
        turn: Option<&ClockTurn>,
    ) -> Result<(Option<Decision>, Option<Duration>), FaultKind> {
        use std::sync::mpsc::RecvTimeoutError::{Disconnected, Timeout};
        loop {
            let left = turn.map_or(Duration::MAX, ClockTurn::patience);
            match self.answers.recv_timeout(left) {
                Ok(Answer { said: Err(fault @ FaultKind::Crashed(_)), .. }) => return Err(fault),
                Ok(Answer { task: asked, .. }) if asked < task => {}
                Ok(Answer { given, said, .. }) => {
                    let said = said?;
                    let taken = turn.map(|turn| turn.taken(given).ok_or(FaultKind::Late)).transpose()?;
                    return Ok((said, taken));
                }
                Err(Timeout) => return Err(FaultKind::Late),
                Err(Disconnected) => {
                    return Err(FaultKind::Crashed("the player's thread has ended".to_owned()));
                }
            }
        }
    }
}

/// The life of a player's thread: does its tasks until the referee hangs up or the player panics.
fn serve(mut seat: Seat, inbox: &Receiver<(Task, Budget)>, outbox: &Sender<Answer>) {
    for (task, budget) in inbox {
        let number = task.number();
        let said = said(|| done(&mut seat, task, &budget));
        let crashed = matches!(said, Err(FaultKind::Crashed(_)));
        if outbox.send(Answer { task: number, given: Answered::now(), said }).is_err() || crashed {
            return;
        }
    }
}

/// Does one task.
fn done(seat: &mut Seat, task: Task, budget: &Budget) -> Result<Option<Decision>, RemoteFailure> {
    match (task, seat) {
        (Task::Prepare(preparation), Seat::Remote(player)) => {
            let Preparation { id, startclock, playclock, shared, .. } = &*preparation;
            let start = RemoteStart { id, startclock: *startclock, playclock: *playclock, seed: shared };
            player.start(&start, budget)?;
            Ok(None)
        }
        (Task::Prepare(preparation), Seat::Player(player)) => {
            player.prepare(budget, &preparation.seed);
            Ok(None)
        }
        (Task::End(evidence), Seat::Remote(player)) => {
            player.end(evidence.as_deref().map_or(RemoteEnd::Aborted, RemoteEnd::Stopped), budget);
            Ok(None)
        }
        (Task::Prepare(_), Seat::Clairvoyant(_)) | (Task::End(_), _) => Ok(None),
        (Task::Decide(question), seat) => {
            let own = View { evidence: &question.evidence, legal: &question.legal };
            let view = ClairvoyantView { own, history: &question.history };
            seat.decide(&view, budget, &question.seed).map(Some)
        }
    }
}

/// What a player says; its panic is a fault.
fn said<T>(ask: impl FnOnce() -> Result<T, RemoteFailure>) -> Result<T, FaultKind> {
    guarded(ask).map_err(FaultKind::Crashed)?.map_err(FaultKind::from)
}
