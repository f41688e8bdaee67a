//! Thinking ahead: what the thread of a player does between two questions.
//!
//! After a decision the player goes on from the evidence of that decision in short turns
//! ([`Player::think_ahead`]), until the next question comes or it says that more is of no use. A turn is not stopped by
//! a question, so it is a small part of the time of a decision: a question waits for the end of one turn at most.

use std::sync::Arc;
use std::time::Duration;

use super::Player;
use hyperplay_machine::{Budget, Evidence, Seed};

/// What a player thinks ahead from, after one decision.
#[derive(Debug)]
pub struct ThoughtAhead {
    evidence: Arc<Evidence>,
    turn: Duration,
    seed: Seed,
    turns: usize,
}

impl ThoughtAhead {
    /// The longest turn.
    pub const TURN: Duration = Duration::from_millis(30);

    /// The shortest play clock with which it is done. On a computer with other work a thread that has been busy gets its
    /// next turn later than one that has slept, and a shorter clock has no time for that.
    const LEAST_CLOCK: Duration = Duration::from_millis(50);

    /// Whether it is done in matches with this play clock, where they may have a limit in states: never where a match
    /// depends on counts alone.
    pub fn is_done(play: Option<Duration>, is_counted: bool) -> bool {
        !is_counted && play.is_some_and(|play| play >= ThoughtAhead::LEAST_CLOCK)
    }

    /// After a decision on this evidence, which had this time; a turn takes a tenth of it at most.
    pub fn new(evidence: Arc<Evidence>, time: Duration, seed: Seed) -> Self {
        ThoughtAhead { evidence, turn: (time / 10).min(ThoughtAhead::TURN), seed, turns: 0 }
    }

    /// Thinks for a turn within this budget; whether another turn is of use.
    pub fn turn(&mut self, player: &mut dyn Player, budget: Budget) -> bool {
        let seed = self.seed.index(self.turns);
        self.turns += 1;
        player.think_ahead(&self.evidence, &budget.within(self.turn), &seed)
    }
}
