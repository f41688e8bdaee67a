//! One match of the player server, on a thread of its own: what the role knows, what is legal, and an answer in time.
//!
//! An answer has three sources, each for where the one before it fails: the player; a legal move that was found before the player
//! was asked; and, where not even that is known, the word that the rules suggest. The front of the server holds the last one
//! ready for the case that this thread itself hangs in an evaluation ([`Spare`]).
//!
//! Invariant: each order is answered once, by its deadline as far as the operating system lets this thread run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rand::RngExt as _;
use tokio::sync::oneshot;

use super::knowledge::{Heard, Knowledge, SentAnswer};
use super::legal::{LegalMoves, LegalSource};
use super::margin::AnswerMargin;
use super::records::{EndedMatch, PlayedStep, Recorder};
use super::rules::{ReceivedRules, unconditional_move};
use super::thinker::{PlayerParts, Thinker};
use crate::protocol::{StartMessage, StepMessage};
use hyperplay_engine::machine::{Budget, Evidence, Move, Role, Seed};
use hyperplay_engine::propnet::GroundingLimits;
use hyperplay_engine::{Engine, EngineKind, Engines};
use hyperplay_play::player::PlayerSpec;
use hyperplay_play::referee::EvidenceOutcome;

/// The share of the play clock in which legal moves are looked for before the player is asked.
const LEGAL_SHARE: f64 = 0.3;

/// Bytes that reading and validating rules takes for each byte of their text, at most: measured with texts of 16 MB made of one
/// fact a million times, of words, of empty lists and of lists inside lists, on 2026-11-23.
const MEMORY_OF_TEXT: u64 = 150;

/// What a session is asked to do.
pub enum Order {
    /// Something happened; answer with a move, or with `done` at the end.
    Step {
        /// What.
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
    /// The match is over for another reason.
    End(EvidenceOutcome),
}

/// The answer that the front of the server gives if the session does not: it always has one.
#[derive(Clone, Debug)]
pub struct Spare(Arc<Mutex<String>>);

impl Spare {
    /// At first the word that the rules suggest.
    pub fn new(rules: &str, role: &str) -> Spare {
        Spare(Arc::new(Mutex::new(unconditional_move(rules, role))))
    }

    /// The answer.
    pub fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, text: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }
}

/// What a session is made of.
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
    pub recorder: Option<Arc<Recorder>>,
    /// Whether the player thinks ahead between its moves.
    pub thinks_ahead: bool,
    /// The bytes that its rules may take, by estimate.
    pub memory: u64,
    /// Held by every thread of the match until it has ended.
    pub working: Arc<()>,
}

/// Runs a session until its orders end; `ready` hears when it has prepared.
pub fn run(parts: SessionParts, ready: oneshot::Sender<()>, orders: &Receiver<Order>) {
    let span = tracing::info_span!("match", id = %parts.start.id, role = %parts.start.role);
    let _entered = span.enter();
    let mut session = Session::prepare(parts);
    // The front may have answered already.
    let _ = ready.send(());
    let end = loop {
        match orders.recv() {
            Ok(Order::Step { message, ends: false, received, answer, spared }) => {
                session.play(&message, received, answer, &spared);
            }
            Ok(Order::Step { message, ends: true, received, answer, .. }) => {
                session.stop(&message, received, answer);
                break EvidenceOutcome::Stopped;
            }
            Ok(Order::End(end)) => break end,
            Err(_) => break EvidenceOutcome::Interrupted,
        }
    };
    session.end(end);
}

/// The player and what it needs; there is none where no game could be made of the rules.
struct Seated {
    engines: Arc<Engines>,
    role: Role,
    thinker: Thinker,
    /// What is legal, once it was asked for.
    legal: Option<LegalMoves>,
    known: Knowledge,
    /// Whether the recorded own moves are taken as unknown, because the match cannot be explained otherwise.
    is_weakened: bool,
}

struct Session {
    start: StartMessage,
    seed: Seed,
    margin: Arc<AnswerMargin>,
    spare: Spare,
    recorder: Option<Arc<Recorder>>,
    player: String,
    seated: Option<Seated>,
    remarks: Vec<String>,
    steps: Vec<PlayedStep>,
    begun: Instant,
    /// Held until the session has ended.
    _working: Arc<()>,
}

/// A move that is to be sent.
struct Chosen {
    own: Option<Move>,
    text: String,
    legal: Vec<Move>,
    /// Why it is not the player's.
    fallback: Option<String>,
}

impl Session {
    /// Reads the rules and prepares the player in the time of the start clock.
    fn prepare(parts: SessionParts) -> Session {
        let SessionParts { start, received, spec, engine, seed, margin, spare, recorder, .. } = parts;
        let SessionParts { thinks_ahead, memory, working, .. } = parts;
        let until = received + start.startclock.saturating_sub(margin.of(start.startclock));
        let rules = ReceivedRules::read_within(&start.id, &start.rules, memory / MEMORY_OF_TEXT);
        let mut remarks = rules.remarks;
        let player = spec.spec().to_string();
        let seated = rules.game.and_then(|game| {
            let limits = GroundingLimits::default();
            let limits = GroundingLimits { bytes: limits.bytes.min(memory), ..limits };
            let engines = Arc::new(Engines::within(&game, limits));
            let terms = game.terms();
            let role =
                terms.read(&start.role).and_then(|of| game.roles().iter().position(|&role| role == of));
            let Some(role) = role else {
                remarks.push(format!("the rules have no role {}", start.role));
                return None;
            };
            let preparation = Budget { nodes: None, deadline: Some(until) };
            let role = Role::new(role);
            let parts = PlayerParts {
                engines: Arc::clone(&engines),
                kind: engine,
                spec,
                role,
                preparation,
                seed: seed.child("player"),
                thinks_ahead,
                working: Arc::clone(&working),
            };
            match Thinker::begin(parts) {
                Ok((thinker, prepared)) => {
                    if prepared.recv_timeout(until.saturating_duration_since(Instant::now())).is_err() {
                        tracing::info!(
                            "the player is not ready at the end of the start clock; legal moves until then"
                        );
                    }
                    let known = Knowledge::new(role);
                    Some(Seated { engines, role, thinker, legal: None, known, is_weakened: false })
                }
                Err(error) => {
                    remarks.push(format!("no thread for the player: {error}"));
                    None
                }
            }
        });
        remarks.iter().for_each(|remark| tracing::warn!("{remark}"));
        let steps = Vec::new();
        Session {
            start,
            seed,
            margin,
            spare,
            recorder,
            player,
            seated,
            remarks,
            steps,
            begun: received,
            _working: working,
        }
    }

    /// Answers with a move.
    fn play(
        &mut self,
        message: &StepMessage,
        received: Instant,
        answer: oneshot::Sender<String>,
        spared: &AtomicBool,
    ) {
        let clock = self.start.playclock;
        let deadline = received + clock.saturating_sub(self.margin.of(clock));
        let chosen = match &mut self.seated {
            None => Some(Chosen {
                own: None,
                text: self.spare.text(),
                legal: Vec::new(),
                fallback: Some("no game could be made of the rules".to_owned()),
            }),
            Some(seated) => {
                let heard = seated.known.hear(seated.engines.game(), message);
                match heard {
                    Heard::Again(step) if let Some(former) = seated.known.answer(step) => {
                        tracing::info!(step, "asked again; answered as before");
                        // A receiver that is gone has been answered by the front.
                        let _ = answer.send(former.text.clone());
                        return;
                    }
                    Heard::Hole { made } => {
                        tracing::warn!(step = made, "a message before this one did not come");
                    }
                    _ => {}
                }
                Some(seated.choose(&self.seed, received, deadline))
            }
        };
        let Some(mut chosen) = chosen else { return };
        let after = Instant::now().saturating_duration_since(deadline);
        self.margin.learn(after);
        let is_sent = answer.send(chosen.text.clone()).is_ok();
        let elapsed = received.elapsed();
        let was_spared = spared.load(Ordering::Acquire);
        if was_spared {
            // The front has sent what it had.
            chosen.text = self.spare.text();
            chosen.fallback = Some("no answer was ready".to_owned());
            chosen.own = self
                .seated
                .as_ref()
                .and_then(|seated| seated.engines.game().terms().read(&chosen.text))
                .map(Move);
        }
        // A connection that is gone took no answer.
        let late = elapsed > clock || (!is_sent && !was_spared);
        if let Some(fallback) = &chosen.fallback {
            tracing::warn!(own = %chosen.text, "a legal move stands in: {fallback}");
        }
        let step = self.seated.as_ref().map_or(self.steps.len(), |seated| seated.known.made());
        tracing::info!(step, own = %chosen.text, milliseconds = elapsed.as_millis() as u64, late, "answered");
        let Chosen { own, text, legal, fallback } = chosen;
        self.spare.set(text.clone());
        self.steps.push(PlayedStep {
            step,
            answered: text.clone(),
            seconds: elapsed.as_secs_f64(),
            late,
            fallback,
        });
        if let Some(seated) = &mut self.seated {
            seated.known.answered(SentAnswer { own, text, legal, late });
        }
    }

    /// Hears of the end.
    fn stop(&mut self, message: &StepMessage, received: Instant, answer: oneshot::Sender<String>) {
        // Nothing depends on whether it is heard.
        let _ = answer.send("done".to_owned());
        if let Some(seated) = &mut self.seated {
            seated.known.hear(seated.engines.game(), message);
            seated.known.end();
        }
        tracing::info!(milliseconds = received.elapsed().as_millis() as u64, "the match is over");
    }

    /// Keeps a record.
    fn end(mut self, outcome: EvidenceOutcome) {
        tracing::info!(outcome = outcome.as_str(), "ended");
        let (Some(recorder), Some(seated)) = (&self.recorder, &self.seated) else { return };
        self.remarks.extend_from_slice(seated.known.remarks());
        recorder.keep(&EndedMatch {
            start: &self.start,
            player: &self.player,
            engines: &seated.engines,
            evidence: &seated.evidence(),
            known: &seated.known,
            steps: &self.steps,
            remarks: &self.remarks,
            outcome,
            seconds: self.begun.elapsed().as_secs_f64(),
        });
    }
}

impl Seated {
    /// What is known, with the recorded own moves left open where the match cannot be explained otherwise.
    fn evidence(&self) -> Evidence {
        if self.is_weakened { self.known.weakened() } else { self.known.evidence().clone() }
    }

    /// A move for what is known now, found by the deadline.
    fn choose(&mut self, seed: &Seed, received: Instant, deadline: Instant) -> Chosen {
        let step = self.known.made();
        let all = deadline.saturating_duration_since(received);
        let for_legal = Budget { nodes: None, deadline: Some(received + all.mul_f64(LEGAL_SHARE)) };
        let mut evidence = self.evidence();
        let Some((mut legal, mut source)) =
            self.legal_after(&evidence, &for_legal, &seed.child("legal").index(step))
        else {
            return self.without_legal("the rules cannot be evaluated");
        };
        if source == LegalSource::Contradiction && self.known.is_of_2011() && !self.is_weakened {
            // Perhaps the master has replaced a move of which we think that it came in time.
            let weakened = self.known.weakened();
            let again = self.legal_after(&weakened, &for_legal, &seed.child("weakened").index(step));
            if let Some((moves, found @ (LegalSource::Belief | LegalSource::State))) = again {
                (legal, source, evidence, self.is_weakened) = (moves, found, weakened, true);
                tracing::warn!("the match is explained only if the game master replaced one of our moves");
            }
        }
        if source != LegalSource::Belief && source != LegalSource::State {
            tracing::warn!(step, ?source, "no history was found that explains what was seen");
        }
        if legal.is_empty() {
            return self.without_legal("no history was found that is so long");
        }
        let mut rng = seed.child("fallback").index(step).rng();
        let spare = legal[rng.random_range(0..legal.len())];
        let show = |own: Move| self.engines.game().terms().show(own.0);
        let stands_in = |fallback: String| Chosen {
            own: Some(spare),
            text: show(spare),
            legal: legal.clone(),
            fallback: Some(fallback),
        };
        if self.known.has_hole() {
            return stands_in("a message of the match did not come".to_owned());
        }
        let budget = Budget { nodes: None, deadline: Some(deadline) };
        let said = self.thinker.ask(evidence, legal.clone(), budget, seed.child("step").index(step));
        match said.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Ok(decision)) if legal.contains(&decision.choice) => {
                for line in &decision.explanation {
                    tracing::debug!(step, "{line}");
                }
                Chosen {
                    own: Some(decision.choice),
                    text: show(decision.choice),
                    legal: legal.clone(),
                    fallback: None,
                }
            }
            Ok(Ok(decision)) => stands_in(format!("the player chose {}", show(decision.choice))),
            Ok(Err(panic)) => stands_in(format!("the player panicked: {panic}")),
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                let why = if self.thinker.engine().is_none() {
                    "the engine is not made yet"
                } else {
                    "the player is late"
                };
                stands_in(why.to_owned())
            }
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
                stands_in("the player has ended".to_owned())
            }
        }
    }

    /// What to send if nothing legal is known: the last resort of the server.
    fn without_legal(&self, why: &str) -> Chosen {
        let game = self.engines.game();
        let role = game.terms().show(game.roles()[self.role.index()]);
        let text = unconditional_move(game.source().text(), &role);
        Chosen {
            own: game.terms().read(&text).map(Move),
            text,
            legal: Vec::new(),
            fallback: Some(why.to_owned()),
        }
    }

    /// The legal moves, by the fastest engine that there is by now; none if there is no engine.
    fn legal_after(
        &mut self,
        evidence: &Evidence,
        budget: &Budget,
        seed: &Seed,
    ) -> Option<(Vec<Move>, LegalSource)> {
        let engine: Arc<Engine> = match self.thinker.engine() {
            Some(engine) => Arc::clone(engine),
            None => self.engines.get(EngineKind::Interpreter).ok()?,
        };
        if self.legal.as_ref().is_none_or(|legal| !legal.is_on(&engine)) {
            self.legal = Some(LegalMoves::new(&engine, self.role));
        }
        self.legal.as_mut().map(|legal| legal.after(evidence, budget, seed))
    }
}

/// The longest time that a message of the protocol may take.
pub const LONGEST: Duration = Duration::from_secs(24 * 3600);
