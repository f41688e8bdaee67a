//! The thread on which the player of one match works: it makes the engine, prepares, decides, and thinks ahead.
//!
//! Neither grounding nor a player can be stopped from outside. So this work has a thread of its own, and a caller waits
//! no longer than a deadline. An answer that comes later is dropped. A question whose deadline has passed when its turn
//! comes is not begun.
//!
//! Between two questions the player thinks ahead in short turns, as long as it says that this is of use.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, OnceLock};

use super::cancel::CancelToken;
use hyperplay_engine::{Engine, EngineKind, Engines};
use hyperplay_machine::{Budget, Evidence, Move, Role, Seed};
use hyperplay_play::player::{Decision, Player, PlayerSpec, PlayerThread, Seat, ThoughtAhead, View};

/// By how much the threads of players are nicer than those that answer.
#[cfg(unix)]
const THINKERS_GIVE_WAY: i32 = 5;

/// The player of a match on its thread.
pub struct Thinker {
    thread: PlayerThread<Thinking>,
    engine: Arc<OnceLock<Arc<Engine>>>,
}

/// The parts from which the player is made.
#[derive(Clone)]
pub struct PlayerParts {
    /// The engines of the game.
    pub engines: Arc<Engines>,
    /// The engine, where the spec names none.
    pub kind: EngineKind,
    /// The engine whatever the spec names.
    pub only: Option<EngineKind>,
    /// The player.
    pub spec: PlayerSpec,
    /// Its role.
    pub role: Role,
    /// The time to prepare that is left when the engine is made.
    pub preparation: Budget,
    /// Its randomness.
    pub seed: Seed,
    /// Held until the thread has ended.
    pub cancel: Arc<CancelToken>,
    /// Whether it thinks ahead between two questions.
    pub thinks_ahead: bool,
}

/// The answer of a player.
#[derive(Debug)]
pub struct Said {
    /// Its decision.
    pub decision: Decision,
    /// The moves that it took to be legal.
    pub legal: Vec<Move>,
}

/// The player, and the parts from which it is made.
struct Thinking {
    player: Box<dyn Player>,
    parts: PlayerParts,
    /// What the player thinks ahead from, once it has decided.
    ahead: Option<ThoughtAhead>,
}

impl Thinker {
    /// Begins to make the engine and the player. The receiver hears when the player has prepared.
    ///
    /// # Errors
    /// That of the operating system, if it gives no further thread.
    pub fn begin(parts: PlayerParts) -> std::io::Result<(Thinker, Receiver<Result<(), String>>)> {
        let engine = Arc::new(OnceLock::new());
        let slot = Arc::clone(&engine);
        let make = move || {
            give_way();
            made(&parts, &slot).map(|player| Thinking { player, parts, ahead: None })
        };
        let thread = PlayerThread::begin("thinker", make, Thinking::think_ahead)?;
        let prepared = thread.ask(|Thinking { player, parts, .. }| {
            let budget = parts.preparation.cancelled_by(parts.cancel.flag);
            player.prepare(&budget, &parts.seed.child("prepare"));
        });
        Ok((Thinker { thread, engine }, prepared))
    }

    /// The engine, once it is made.
    pub fn engine(&self) -> Option<&Arc<Engine>> {
        self.engine.get()
    }

    /// Asks for a decision; there is none if its time is up before it is begun. If it is only guessed what is legal,
    /// the player's own belief is asked first.
    pub fn ask(
        &self,
        evidence: Evidence,
        (legal, is_guess): (Vec<Move>, bool),
        budget: Budget,
        seed: Seed,
    ) -> Receiver<Result<Option<Said>, String>> {
        self.thread.ask(move |Thinking { player, parts, ahead }| {
            let budget = budget.cancelled_by(parts.cancel.flag);
            if budget.is_late() {
                return None;
            }
            let time = budget.left().unwrap_or(ThoughtAhead::TURN);
            let known = is_guess.then(|| player.legal_after(&evidence, &budget.share(0.6), &seed)).flatten();
            let legal = known.unwrap_or(legal);
            let decision = player.decide(&View { evidence: &evidence, legal: &legal }, &budget, &seed);
            let seed = parts.seed.child("ahead").index(evidence.step());
            *ahead = parts.thinks_ahead.then(|| ThoughtAhead::new(Arc::new(evidence), time, seed));
            Some(Said { decision, legal })
        })
    }
}

impl Thinking {
    /// Thinks ahead for a turn; whether another one is of use.
    fn think_ahead(&mut self) -> bool {
        let (Some(ahead), true) = (&mut self.ahead, self.parts.cancel.wants_thought()) else {
            return false;
        };
        ahead.turn(&mut *self.player, Budget::UNLIMITED.cancelled_by(self.parts.cancel.flag))
    }
}

/// Lets the threads that answer run first: they need little, and they need it at once.
fn give_way() {
    #[cfg(unix)]
    if let Err(error) = rustix::process::nice(THINKERS_GIVE_WAY) {
        tracing::debug!(%error, "the player thinks with the priority of the answers");
    }
}

/// The player on its engine; none if there is no engine for the game.
fn made(parts: &PlayerParts, slot: &OnceLock<Arc<Engine>>) -> Option<Box<dyn Player>> {
    let kind = parts.only.or(parts.spec.engine()).unwrap_or(parts.kind);
    let engine = parts.engines.get(kind).or_else(|error| {
        tracing::warn!(%error, "no engine of this kind; the interpreter plays");
        parts.engines.get(EngineKind::Interpreter)
    });
    let engine = engine.inspect_err(|error| tracing::warn!(%error, "no engine for the game")).ok()?;
    engine.prepare();
    tracing::debug!(engine = %engine.kind(), "the engine is made");
    let _ = slot.set(Arc::clone(&engine));
    match parts.spec.seat(&engine, parts.role) {
        Seat::Player(player) => Some(player),
        Seat::Clairvoyant(_) | Seat::Remote(_) => None,
    }
}
