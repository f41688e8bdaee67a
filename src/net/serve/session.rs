//! One match of the player server, on a thread of its own: the knowledge of the role, its legal moves, and an answer in
//! time.
//!
//! An answer has three sources, each for where the one before it fails: the player; a legal move that was found before
//! the player was asked; and, where not even that is known, the word that the rules suggest. The front of the server
//! holds the last one ready for the case that this thread itself hangs in an evaluation ([`Spare`]).
//!
//! Invariant: each order is answered once, by its deadline as far as the operating system lets this thread run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::cancel::CancelToken;
use super::knowledge::{Heard, SentAnswer};
use super::margin::AnswerMargin;
use super::records::{EvidenceRecorder, PlayedStep};
use super::rules::read_within;
use super::seated::{Chosen, Seated};
use super::thinker::PlayerParts;
use crate::protocol::{StartMessage, StepMessage};
use hyperplay_engine::propnet::GroundingLimits;
use hyperplay_engine::{EngineKind, Engines};
use hyperplay_machine::{Budget, Role, Seed};
use hyperplay_play::player::PlayerSpec;
use hyperplay_play::referee::EvidenceOutcome;

/// Bytes that reading and validating rules takes for each byte of their text, at most: measured with texts of 16 MB
/// made of one fact a million times, of words, of empty lists and of lists inside lists, on 2026-11-23.
const MEMORY_OF_TEXT: u64 = 150;

/// A request to a session.
pub enum Order {
    /// Something happened; answer with a move, or with `done` at the end.
    Step {
        /// The message of the step.
        message: StepMessage,
        /// Whether it ended the match.
        ends: bool,
        /// When the message came.
        received: Instant,
        /// Where the answer goes.
        answer: oneshot::Sender<String>,
        /// Whether the front has answered in the session's place.
        spared: Arc<AtomicBool>,
    },
    /// Says whether the match is over for certain, by the last answer.
    IsOver(oneshot::Sender<bool>),
    /// The match is over for another reason.
    End(EvidenceOutcome),
}

/// The answer that the front of the server gives if the session does not: it always has one.
/// At first the word that the rules suggest.
pub type Spare = Arc<Mutex<String>>;

/// The parts from which a session is made.
pub struct SessionParts {
    /// The beginning of the match.
    pub start: StartMessage,
    /// When that message came.
    pub received: Instant,
    /// The player.
    pub spec: PlayerSpec,
    /// The engine, where the spec names none.
    pub engine: EngineKind,
    /// The seed of this match.
    pub seed: Seed,
    /// How long before the end of a clock an answer is sent.
    pub margin: Arc<AnswerMargin>,
    /// The answer of the front.
    pub spare: Spare,
    /// Where records are kept.
    pub recorder: Option<Arc<EvidenceRecorder>>,
    /// Whether the player thinks ahead between its moves.
    pub thinks_ahead: bool,
    /// The bytes that its rules may take, by estimate.
    pub memory: u64,
    /// Held by every thread of the match until it has ended.
    pub cancel: Arc<CancelToken>,
}

/// Runs a session until its orders end; `ready` hears when it has prepared.
pub fn run(parts: SessionParts, ready: oneshot::Sender<()>, orders: &Receiver<Order>) {
    let span = tracing::info_span!("match", id = %parts.start.id, role = %parts.start.role);
    let _entered = span.enter();
    let mut session = Session::prepare(parts);
    // The front may have answered already.
    let _ = ready.send(());
    let end = loop {
        // Between two orders a history is searched for, if none is known: without one nobody knows what is legal.
        let order = match orders.try_recv() {
            Err(TryRecvError::Empty) if session.thinks_ahead() => continue,
            Err(TryRecvError::Empty) => orders.recv().ok(),
            order => order.ok(),
        };
        match order {
            Some(Order::Step { message, ends: false, received, answer, spared }) => {
                session.play(&message, received, answer, &spared);
            }
            Some(Order::Step { message, ends: true, received, answer, .. }) => {
                session.stop(&message, received, answer);
                break EvidenceOutcome::Stopped;
            }
            Some(Order::IsOver(answer)) => {
                // Whoever asked may have given up.
                let _ = answer.send(session.is_over());
            }
            Some(Order::End(end)) => break end,
            None => break EvidenceOutcome::Interrupted,
        }
    };
    session.end(end);
}

pub(super) struct Session {
    pub(super) parts: SessionParts,
    seated: Option<Seated>,
    pub(super) remarks: Vec<String>,
    pub(super) steps: Vec<PlayedStep>,
    /// Whether the last answer ended the match, once that was asked.
    is_over: Option<bool>,
}

impl Session {
    /// Reads the rules and prepares the player in the time of the start clock.
    fn prepare(mut parts: SessionParts) -> Session {
        let (memory, thinks_ahead) = (parts.memory, parts.thinks_ahead);
        // The game has its text; one of which no game is made is not kept.
        let text = std::mem::take(&mut parts.start.rules);
        let (game, mut remarks) = read_within(&parts.start.id, &text, memory / MEMORY_OF_TEXT);
        drop(text);
        let SessionParts { start, spec, seed, margin, cancel, .. } = &parts;
        let until = parts.received + start.startclock.saturating_sub(margin.of(start.startclock));
        let seated = game.and_then(|game| {
            let engines = Arc::new(Engines::within(&game, GroundingLimits::in_memory(memory)));
            let terms = game.terms();
            let role =
                terms.read(&start.role).and_then(|of| game.roles().iter().position(|&role| role == of));
            let Some(role) = role else {
                remarks.push(format!("the rules have no role {}", start.role));
                return None;
            };
            let preparation = Budget { deadline: Some(until), ..Budget::UNLIMITED };
            let role = Role::new(role);
            let parts = PlayerParts {
                engines,
                kind: parts.engine,
                only: None,
                spec: spec.clone(),
                role,
                preparation,
                seed: seed.child("player"),
                thinks_ahead,
                cancel: Arc::clone(cancel),
            };
            match Seated::begin(parts) {
                Ok((seated, prepared)) => {
                    if cancel.wait_for(&prepared, until).is_err() {
                        tracing::info!("the player is not ready at the end of the start clock");
                    }
                    Some(seated)
                }
                Err(error) => {
                    remarks.push(format!("no thread for the player: {error}"));
                    None
                }
            }
        });
        remarks.iter().for_each(|remark| tracing::warn!("{remark}"));
        Session { parts, seated, remarks, steps: Vec::new(), is_over: None }
    }

    /// Answers with a move.
    fn play(
        &mut self,
        message: &StepMessage,
        received: Instant,
        answer: oneshot::Sender<String>,
        spared: &AtomicBool,
    ) {
        self.is_over = None;
        let SessionParts { start, seed, margin, spare, .. } = &self.parts;
        let clock = start.playclock;
        let deadline = received + clock.saturating_sub(margin.of(clock));
        let mut chosen = match &mut self.seated {
            None => {
                let fallback = Some("no game could be made of the rules".to_owned());
                Chosen { text: spare.lock().clone(), fallback }
            }
            Some(seated) => {
                match seated.hear(message) {
                    Heard::Again(step) if let Some(former) = seated.known.answer(step) => {
                        tracing::info!(step, "asked again; answered as before");
                        // A receiver that is gone has been answered by the front.
                        let _ = answer.send(former.text.clone());
                        return;
                    }
                    Heard::Hole(made) => {
                        tracing::warn!(step = made, "a message before this one did not come");
                    }
                    _ => {}
                }
                seated.choose(seed, spare, received, deadline)
            }
        };
        let after = Instant::now().saturating_duration_since(deadline);
        margin.learn(after);
        let is_sent = answer.send(chosen.text.clone()).is_ok();
        let elapsed = received.elapsed();
        let was_spared = spared.load(Ordering::Acquire);
        if was_spared {
            // The front has sent what it had.
            chosen.text.clone_from(&spare.lock());
            chosen.fallback = Some("no answer was ready".to_owned());
        }
        // A connection that is gone took no answer.
        let late = elapsed > clock || (!is_sent && !was_spared);
        if let Some(fallback) = &chosen.fallback {
            tracing::warn!(own = %chosen.text, "a legal move stands in: {fallback}");
        }
        let step = self.seated.as_ref().map_or(self.steps.len(), |seated| seated.known.made);
        tracing::info!(step, own = %chosen.text, milliseconds = elapsed.as_millis() as u64, late, "answered");
        let Chosen { text, fallback } = chosen;
        spare.lock().clone_from(&text);
        self.steps.push(PlayedStep {
            step,
            answered: text.clone(),
            seconds: elapsed.as_secs_f64(),
            late,
            fallback,
        });
        if let Some(seated) = &mut self.seated {
            seated.known.answered(SentAnswer { text, late });
        }
    }

    /// Whether the last answer ended the match for certain; looked up once, however often it is asked.
    fn is_over(&mut self) -> bool {
        let seated = &mut self.seated;
        *self.is_over.get_or_insert_with(|| seated.as_mut().is_some_and(Seated::is_over))
    }

    /// Uses a turn of the time between two orders. Returns whether further turns are of use.
    fn thinks_ahead(&mut self) -> bool {
        let wants = self.parts.thinks_ahead && self.parts.cancel.wants_thought();
        let (true, Some(seated)) = (wants, &mut self.seated) else { return false };
        seated.thinks_ahead(&self.parts.seed)
    }

    /// Hears of the end.
    fn stop(&mut self, message: &StepMessage, received: Instant, answer: oneshot::Sender<String>) {
        // Nothing depends on whether it is heard.
        let _ = answer.send("done".to_owned());
        if let Some(seated) = &mut self.seated {
            seated.hear(message);
            seated.known.end();
        }
        tracing::info!(milliseconds = received.elapsed().as_millis() as u64, "the match is over");
    }

    /// Keeps a record.
    fn end(self, outcome: EvidenceOutcome) {
        tracing::info!(outcome = outcome.as_str(), "ended");
        if let (Some(recorder), Some(seated)) = (&self.parts.recorder, &self.seated) {
            recorder.append(&self, seated, outcome);
        }
    }
}

/// The longest time that a message of the protocol may take.
pub const LONGEST: Duration = Duration::from_secs(24 * 3600);
