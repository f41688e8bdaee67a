//! The player in its seat: its knowledge, its legal moves, and its choice by a deadline.
//!
//! While the engine of the match is being made, which can take longer than the start clock, a second player of the same
//! spec plays on the interpreter. The legal moves are followed on the best engine that there is; where a better one
//! comes, it first catches up between two orders, so that no answer waits for it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

use rand::RngExt as _;

use super::knowledge::{Knowledge, SentAnswer};
use super::legal::{LegalMoves, LegalSource};
use super::rules::unconditional_move;
use super::session::Spare;
use super::thinker::{PlayerParts, Said, TURN, Thinker};
use hyperplay_engine::{Engine, EngineKind};
use hyperplay_machine::{Budget, Evidence, Move, Seed};

/// The share of the play clock in which legal moves are looked for before the player is asked.
const LEGAL_SHARE: f64 = 0.3;

/// A player in its seat.
pub(super) struct Seated {
    /// The parts from which the player is made.
    pub(super) parts: PlayerParts,
    /// The knowledge of its role.
    pub(super) known: Knowledge,
    /// The player.
    thinker: Thinker,
    /// The player on the interpreter, if it was needed.
    quick: Option<Thinker>,
    /// The legal moves, once they were asked for.
    legal: Option<LegalMoves>,
    /// The same on a better engine, while it catches up.
    better: Option<LegalMoves>,
    /// Whether the recorded own moves are taken as unknown, because the match cannot be explained otherwise.
    is_weakened: bool,
    /// Whether no history is known that explains the evidence.
    is_lost: bool,
    /// Turns of thinking ahead since the last order.
    turns: usize,
}

/// A move that is to be sent.
pub(super) struct Chosen {
    /// The move; none where it is no term of the game.
    pub(super) own: Option<Move>,
    /// As it is sent.
    pub(super) text: String,
    /// The legal moves, as far as they are known.
    pub(super) legal: Vec<Move>,
    /// Why it is not the player's.
    pub(super) fallback: Option<String>,
}

impl Seated {
    /// Begins to make the player; the receiver hears when it has prepared.
    ///
    /// # Errors
    /// That of the operating system, if it gives no further thread.
    pub(super) fn begin(parts: PlayerParts) -> std::io::Result<(Seated, Receiver<Result<(), String>>)> {
        let (thinker, prepared) = Thinker::begin(parts.clone())?;
        let seated = Seated {
            known: Knowledge::new(parts.role),
            parts,
            thinker,
            quick: None,
            legal: None,
            better: None,
            is_weakened: false,
            is_lost: false,
            turns: 0,
        };
        Ok((seated, prepared))
    }

    /// The evidence, with the recorded own moves left open where the match cannot be explained otherwise.
    pub(super) fn evidence(&self) -> Evidence {
        if self.is_weakened { self.known.weakened() } else { self.known.evidence().clone() }
    }

    /// A move for what is known now, found by the deadline.
    /// As soon as a legal move is known, `spare` has it too.
    pub(super) fn choose(
        &mut self,
        seed: &Seed,
        spare: &Spare,
        received: Instant,
        deadline: Instant,
    ) -> Chosen {
        self.turns = 0;
        let step = self.known.made();
        let all = deadline.saturating_duration_since(received);
        let for_legal = Budget { deadline: Some(received + all.mul_f64(LEGAL_SHARE)), ..Budget::UNLIMITED };
        let for_legal = for_legal.cancelled_by(self.parts.cancel.flag());
        let mut evidence = self.evidence();
        let Some((mut legal, mut source)) =
            self.legal_after(&evidence, &for_legal, &seed.child("legal").index(step))
        else {
            return self.without_legal("the rules cannot be evaluated");
        };
        if source == LegalSource::Contradiction && self.known.may_be_repeated() {
            // The message of the step before came once more, which a dialect without numbers does not say.
            if let Some(SentAnswer { own, text, legal, .. }) = self.known.take_back().cloned() {
                return Chosen { own, text, legal, fallback: None };
            }
        }
        if source == LegalSource::Contradiction && self.known.is_of_2011() && !self.is_weakened {
            // Perhaps the master has replaced a move of which we think that it came in time.
            let weakened = self.known.weakened();
            let again = self.legal_after(&weakened, &for_legal, &seed.child("weakened").index(step));
            if let Some((moves, found @ (LegalSource::Belief | LegalSource::State))) = again {
                (legal, source, evidence, self.is_weakened) = (moves, found, weakened, true);
                tracing::warn!("the match is explained only if the game master replaced one of our moves");
            }
        }
        self.is_lost = matches!(source, LegalSource::Guess | LegalSource::Nothing);
        if source != LegalSource::Belief && source != LegalSource::State {
            tracing::warn!(step, ?source, "no history was found that explains what was seen");
        }
        if legal.is_empty() {
            return self.without_legal("no history was found that is so long");
        }
        let mut rng = seed.child("fallback").index(step).rng();
        let fallback = legal[rng.random_range(0..legal.len())];
        spare.set(self.parts.engines.game().terms().show(fallback.0));
        let shown = |own: Move, legal: Vec<Move>, fallback: Option<String>| {
            let text = self.parts.engines.game().terms().show(own.0);
            Chosen { own: Some(own), text, legal, fallback }
        };
        if self.known.has_hole() {
            return shown(fallback, legal, Some("a message of the match did not come".to_owned()));
        }
        if self.parts.cancel.is_evicted() {
            return shown(fallback, legal, Some("the match gave way to another one".to_owned()));
        }
        let budget = Budget { deadline: Some(deadline), ..Budget::UNLIMITED };
        let seed = seed.child("step").index(step);
        if self.thinker.engine().is_none() && self.quick.is_none() {
            self.quick = self.quick_player();
        }
        let thinker = match (self.thinker.engine(), &self.quick) {
            (None, Some(quick)) => quick,
            _ => &self.thinker,
        };
        let said = thinker.ask(evidence, (legal.clone(), self.is_lost), budget, seed);
        match self.heard(&said, deadline) {
            Ok(Said { decision, legal }) if legal.contains(&decision.choice) => {
                if tracing::enabled!(tracing::Level::DEBUG)
                    && let Some(engine) = thinker.engine()
                {
                    decision.explain(engine).iter().for_each(|line| tracing::debug!(step, "{line}"));
                }
                tracing::debug!(
                    step,
                    playouts = decision.cost.playouts,
                    states = decision.cost.states,
                    "decided"
                );
                shown(decision.choice, legal, None)
            }
            Ok(_) => shown(fallback, legal, Some("the player chose a move that is not legal".to_owned())),
            Err(why) => shown(fallback, legal, Some(why)),
        }
    }

    /// The player's decision, if it comes by the deadline.
    fn heard(
        &self,
        said: &Receiver<Result<Option<Said>, String>>,
        deadline: Instant,
    ) -> Result<Said, String> {
        match self.parts.cancel.wait_for(said, deadline) {
            Ok(Ok(Some(said))) => Ok(said),
            Ok(Err(panic)) => Err(format!("the player panicked: {panic}")),
            Err(RecvTimeoutError::Timeout) if self.parts.cancel.is_cancelled() => {
                Err("the match has ended".to_owned())
            }
            Err(RecvTimeoutError::Timeout) if self.thinker.engine().is_none() => {
                Err("the engine is not made yet".to_owned())
            }
            Ok(Ok(None)) | Err(RecvTimeoutError::Timeout) => Err("the player is late".to_owned()),
            Err(RecvTimeoutError::Disconnected) => Err("the player has ended".to_owned()),
        }
    }

    /// The player on the interpreter, which needs no preparation.
    fn quick_player(&self) -> Option<Thinker> {
        let only = Some(EngineKind::Interpreter);
        let parts = PlayerParts { only, preparation: Budget::nodes(0), ..self.parts.clone() };
        tracing::info!("the engine is not made yet; the player begins on the interpreter");
        match Thinker::begin(parts) {
            Ok((quick, _)) => Some(quick),
            Err(error) => {
                tracing::warn!(%error, "no thread for a player on the interpreter");
                None
            }
        }
    }

    /// Uses a turn of the time between two orders. Returns whether further turns are of use.
    pub(super) fn thinks_ahead(&mut self, seed: &Seed) -> bool {
        if self.known.has_hole() {
            return false;
        }
        if self.thinker.engine().is_some() {
            self.quick = None;
        }
        let (evidence, budget) = (self.evidence(), Budget::time(TURN));
        let seed = seed.child("ahead").index(evidence.step()).index(self.turns);
        self.turns += 1;
        if let (Some(engine), Some(legal)) = (self.thinker.engine(), &self.legal)
            && !legal.is_on(engine)
        {
            let better = self.better.get_or_insert_with(|| LegalMoves::new(engine, self.parts.role));
            let found = better.search(&evidence, &budget, &seed);
            if found {
                (self.legal, self.is_lost) = (self.better.take(), false);
            }
            return !found;
        }
        if !self.is_lost {
            return false;
        }
        let found = self.legal.as_mut().is_none_or(|legal| legal.search(&evidence, &budget, &seed));
        self.is_lost = !found;
        !found
    }

    /// Whether the last answer ended the match, whatever the other roles do.
    pub(super) fn is_over(&mut self) -> bool {
        let (step, has_hole) = (self.known.made(), self.known.has_hole());
        let sent = self.known.answer(step).filter(|sent| !sent.late && !has_hole);
        let (Some(own), Some(legal)) = (sent.and_then(|sent| sent.own), &mut self.legal) else {
            return false;
        };
        legal.is_last(own, step, &Budget::time(TURN))
    }

    /// The move to send if nothing legal is known: the last resort of the server.
    fn without_legal(&self, why: &str) -> Chosen {
        let game = self.parts.engines.game();
        let role = game.terms().show(game.roles()[self.parts.role.index()]);
        let text = unconditional_move(game.source().text(), &role);
        Chosen {
            own: game.terms().read(&text).map(Move),
            text,
            legal: Vec::new(),
            fallback: Some(why.to_owned()),
        }
    }

    /// The legal moves, by the engine on which they are followed; none if there is no engine.
    fn legal_after(
        &mut self,
        evidence: &Evidence,
        budget: &Budget,
        seed: &Seed,
    ) -> Option<(Vec<Move>, LegalSource)> {
        if self.legal.is_none() {
            let engine: Arc<Engine> = match self.thinker.engine() {
                Some(engine) => Arc::clone(engine),
                None => self.parts.engines.get(EngineKind::Interpreter).ok()?,
            };
            self.legal = Some(LegalMoves::new(&engine, self.parts.role));
        }
        let begun = Instant::now();
        let found = self.legal.as_mut().map(|legal| legal.after(evidence, budget, seed));
        let milliseconds = begun.elapsed().as_millis() as u64;
        tracing::debug!(milliseconds, source = ?found.as_ref().map(|found| found.1), "looked for legal moves");
        found
    }
}
