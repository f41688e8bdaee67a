//! The thread on which the player of one match works: it makes the engine, prepares, decides, and thinks ahead.
//!
//! Neither grounding nor a player can be stopped from outside. So this work has a thread of its own, and whoever asks waits no
//! longer than a deadline. What comes later is dropped. A question whose deadline has passed when its turn comes is not begun.
//!
//! Between two questions the player thinks ahead in short turns, as long as it says that this is of use.

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, channel, sync_channel};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::Duration;

use super::cancel::CancelToken;
use hyperplay_engine::{Engine, EngineKind, Engines};
use hyperplay_machine::{Budget, Evidence, Move, Role, Seed};
use hyperplay_play::player::{Decision, Player, PlayerSpec, Seat, View, guarded};

/// One turn of thinking ahead: short, because a question has to wait for its end.
pub(super) const TURN: Duration = Duration::from_millis(30);

/// By how much the threads of players are nicer than those that answer.
#[cfg(unix)]
const THINKERS_GIVE_WAY: i32 = 5;

/// The player of a match on its thread.
pub struct Thinker {
    questions: mpsc::Sender<PlayerQuestion>,
    engine: Arc<OnceLock<Arc<Engine>>>,
}

/// What the player is made of.
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
    /// The time to prepare; what is left of it when the engine is made.
    pub preparation: Budget,
    /// Its randomness.
    pub seed: Seed,
    /// Held until the thread has ended.
    pub cancel: Arc<CancelToken>,
    /// Whether it thinks ahead between two questions.
    pub thinks_ahead: bool,
}

/// What a player says.
#[derive(Debug)]
pub struct Said {
    /// Its decision.
    pub decision: Decision,
    /// What it took to be legal.
    pub legal: Vec<Move>,
}

/// A question to the player.
struct PlayerQuestion {
    evidence: Evidence,
    legal: Vec<Move>,
    /// Whether that is only guessed, so that the player may know better.
    is_guess: bool,
    budget: Budget,
    seed: Seed,
    answer: SyncSender<Result<Said, String>>,
}

impl Thinker {
    /// Begins to make the engine and the player. The receiver hears when the player has prepared.
    ///
    /// # Errors
    /// That of the operating system, if it gives no further thread.
    pub fn begin(parts: PlayerParts) -> std::io::Result<(Thinker, Receiver<()>)> {
        let (questions, inbox) = channel();
        let (ready, prepared) = sync_channel(1);
        let engine = Arc::new(OnceLock::new());
        let slot = Arc::clone(&engine);
        std::thread::Builder::new().name("thinker".to_owned()).spawn(move || {
            let _cancel = Arc::clone(&parts.cancel);
            give_way();
            // A panic while the engine is made ends the thread: whoever asks finds out by the closed channel.
            if let Some(player) = made(&parts, &slot) {
                work(player, &parts, &ready, &inbox);
            }
        })?;
        Ok((Thinker { questions, engine }, prepared))
    }

    /// The engine, once it is made.
    pub fn engine(&self) -> Option<&Arc<Engine>> {
        self.engine.get()
    }

    /// Asks for a decision. The answer is an error if the player panicked; if it cannot answer any more, the channel is closed.
    pub fn ask(
        &self,
        evidence: Evidence,
        (legal, is_guess): (Vec<Move>, bool),
        budget: Budget,
        seed: Seed,
    ) -> Receiver<Result<Said, String>> {
        let (answer, said) = sync_channel(1);
        // An error means that the thread has ended, and the closed channel says so.
        let _ = self.questions.send(PlayerQuestion { evidence, legal, is_guess, budget, seed, answer });
        said
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

/// Prepares and answers questions until nobody can ask any more or the player panics.
fn work(
    mut player: Box<dyn Player>,
    parts: &PlayerParts,
    ready: &SyncSender<()>,
    inbox: &Receiver<PlayerQuestion>,
) {
    let prepared = guarded(|| player.prepare(&parts.preparation, &parts.seed.child("prepare")));
    // Whoever waited may have given up.
    let _ = ready.try_send(());
    if prepared.is_err() {
        tracing::error!("the player panicked while it prepared");
        return;
    }
    // The evidence of the last decision, and how often the player has thought ahead since.
    let mut ahead: Option<(Evidence, usize)> = None;
    loop {
        let question = match (inbox.try_recv(), &mut ahead) {
            (Ok(question), _) => question,
            (Err(TryRecvError::Disconnected), _) => return,
            (Err(TryRecvError::Empty), Some((evidence, turns))) => {
                let seed = parts.seed.child("ahead").index(evidence.step()).index(*turns);
                *turns += 1;
                match guarded(|| player.think_ahead(evidence, &Budget::time(TURN), &seed)) {
                    Ok(true) => {}
                    Ok(false) => ahead = None,
                    Err(_) => {
                        tracing::error!("the player panicked while it thought ahead");
                        return;
                    }
                }
                continue;
            }
            (Err(TryRecvError::Empty), None) => match inbox.recv() {
                Ok(question) => question,
                Err(_) => return,
            },
        };
        if question.budget.is_late() {
            continue;
        }
        let decided = guarded(|| decided(&mut *player, &question));
        let panicked = decided.is_err();
        let _ = question.answer.try_send(decided);
        if panicked {
            return;
        }
        ahead = parts.thinks_ahead.then_some((question.evidence, 0));
    }
}

/// What a player answers. If it is only guessed what is legal, the player's own belief is asked first.
fn decided(player: &mut dyn Player, question: &PlayerQuestion) -> Said {
    let PlayerQuestion { evidence, budget, seed, .. } = question;
    let known = question.is_guess.then(|| player.legal_after(evidence, &budget.share(0.6), seed)).flatten();
    let legal = known.unwrap_or_else(|| question.legal.clone());
    Said { decision: player.decide(&View { evidence, legal: &legal }, budget, seed), legal }
}
