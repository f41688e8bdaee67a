//! The player in its seat: its knowledge, its legal moves, and its choice by a deadline.
//!
//! While the engine of the match is being made, which can take longer than the start clock, a second player of the same
//! spec plays on the interpreter. The legal moves are followed on the best engine that there is; where a better one
//! comes, it first catches up between two orders, so that no answer waits for it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

use rand::RngExt as _;

use super::knowledge::{Heard, Knowledge};
use super::legal::{LegalMoves, LegalSource};
use super::rules::unconditional_move;
use super::session::Spare;
use super::thinker::{PlayerParts, Said, Thinker};
use crate::protocol::{StepMessage, with_nothing_seen};
use hyperplay_engine::{Engine, EngineKind};
use hyperplay_logic::gdl::{Source, Syntax, load};
use hyperplay_machine::{Budget, Evidence, Move, Seed};
use hyperplay_play::player::ThoughtAhead;

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
    /// How legal moves were found last.
    source: LegalSource,
    /// Turns of thinking ahead since the last order.
    turns: usize,
}

/// A move that is to be sent.
pub(super) struct Chosen {
    /// The move, as it is sent.
    pub(super) text: String,
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
            source: LegalSource::State,
            turns: 0,
        };
        Ok((seated, prepared))
    }

    /// Takes in a message. The first one that tells of a step decides how a game of GDL-I is told; if it tells nothing,
    /// the player begins again with the rules as that game master reads them.
    pub(super) fn hear(&mut self, message: &StepMessage) -> Heard {
        let is_blank = message.seen.as_ref().is_some_and(Vec::is_empty);
        if is_blank && self.known.made == 0 && !self.parts.engines.game().is_imperfect() {
            self.see_nothing();
        }
        self.known.hear(self.parts.engines.game(), message)
    }

    /// Begins again in a game in which no role perceives anything.
    fn see_nothing(&mut self) {
        let game = self.parts.engines.game();
        let text = with_nothing_seen(game.source().text());
        let Some(game) = load(Source::new(game.name(), text), Some(Syntax::Kif)).game else { return };
        let engines = Arc::new(self.parts.engines.of(&game));
        match Seated::begin(PlayerParts { engines, ..self.parts.clone() }) {
            Ok((begun, _)) => {
                let known = std::mem::replace(&mut self.known, Knowledge::new(self.parts.role));
                *self = Seated { known, ..begun };
                tracing::info!("the game master tells no moves: a game of GDL-II in which nothing is seen");
            }
            Err(error) => tracing::warn!(%error, "no thread for a player that sees nothing"),
        }
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
        let step = self.known.made;
        let all = deadline.saturating_duration_since(received);
        let for_legal = Budget { deadline: Some(received + all.mul_f64(LEGAL_SHARE)), ..Budget::UNLIMITED };
        let for_legal = for_legal.cancelled_by(self.parts.cancel.flag);
        let evidence = self.known.evidence.clone();
        let Some((legal, source)) = self.legal_after(&evidence, &for_legal, &seed.child("legal").index(step))
        else {
            return self.without_legal("the rules cannot be evaluated");
        };
        // What nothing explained before is not explained by a repetition either.
        if source == LegalSource::Contradiction
            && self.source != source
            && let Some(answer) = self.known.take_back()
        {
            return Chosen { text: answer.text.clone(), fallback: None };
        }
        self.source = source;
        if source != LegalSource::Belief && source != LegalSource::State {
            tracing::warn!(step, ?source, "no history was found that explains what was seen");
        }
        if legal.is_empty() {
            return self.without_legal("no history was found that is so long");
        }
        let mut rng = seed.child("fallback").index(step).rng();
        let fallback = legal[rng.random_range(0..legal.len())];
        *spare.lock() = self.parts.engines.game().terms().show(fallback.0);
        let shown = |own: Move, fallback: Option<String>| Chosen {
            text: self.parts.engines.game().terms().show(own.0),
            fallback,
        };
        if self.known.has_hole() {
            return shown(fallback, Some("a message of the match did not come".to_owned()));
        }
        if self.parts.cancel.is_evicted() {
            return shown(fallback, Some("the match gave way to another one".to_owned()));
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
        let said = thinker.ask(evidence, (legal, self.is_lost()), budget, seed);
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
                shown(decision.choice, None)
            }
            Ok(_) => shown(fallback, Some("the player chose a move that is not legal".to_owned())),
            Err(why) => shown(fallback, Some(why)),
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
        let (evidence, budget) = (self.known.evidence.clone(), Budget::time(ThoughtAhead::TURN));
        let seed = seed.child("ahead").index(evidence.step()).index(self.turns);
        self.turns += 1;
        if let (Some(engine), Some(legal)) = (self.thinker.engine(), &self.legal)
            && !legal.is_on(engine)
        {
            let better = self.better.get_or_insert_with(|| LegalMoves::new(engine, self.parts.role));
            let found = better.search(&evidence, &budget, &seed);
            if found {
                self.legal = self.better.take();
                self.found();
            }
            return !found;
        }
        if !self.is_lost() {
            return false;
        }
        let found = self.legal.as_mut().is_none_or(|legal| legal.search(&evidence, &budget, &seed));
        if found {
            self.found();
        }
        !found
    }

    /// Notes that a history was found where none was known.
    fn found(&mut self) {
        if self.is_lost() {
            self.source = LegalSource::Belief;
        }
    }

    /// Whether no history is known that explains the evidence.
    fn is_lost(&self) -> bool {
        matches!(self.source, LegalSource::Guess | LegalSource::Nothing)
    }

    /// Whether the last answer ended the match, whatever the other roles do.
    pub(super) fn is_over(&mut self) -> bool {
        let (step, has_hole) = (self.known.made, self.known.has_hole());
        let sent = self.known.answer(step).filter(|sent| !sent.late && !has_hole);
        let own = sent.and_then(|sent| self.parts.engines.game().terms().read(&sent.text)).map(Move);
        let (Some(own), Some(legal)) = (own, &mut self.legal) else { return false };
        legal.is_last(own, step, &Budget::time(ThoughtAhead::TURN))
    }

    /// The move to send if nothing legal is known: the last resort of the server.
    fn without_legal(&self, why: &str) -> Chosen {
        let game = self.parts.engines.game();
        let role = game.terms().show(game.roles()[self.parts.role.index()]);
        let text = unconditional_move(game.source().text(), &role);
        Chosen { text, fallback: Some(why.to_owned()) }
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
