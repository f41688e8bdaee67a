//! The numbers that a regret minimiser keeps, written down, so that a later run continues where it stopped.
//!
//! The numbers are in the order of the sequences of the game; a run that continues from them gives the same bits as one
//! that was not interrupted.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::player::{Kept, PlayerState};
use super::rule::RegretRule;
use super::{RegretMinimiser, SequenceForm};

/// The state of a minimiser.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegretCheckpoint {
    /// The name of the rule.
    pub rule: String,
    /// Iterations made.
    pub iterations: u64,
    players: Vec<Kept>,
}

/// Why a minimiser cannot continue from a checkpoint.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CheckpointError {
    /// There is no such rule.
    #[error("there is no solver '{found}' that could continue; it is one of cfr+, dcfr, pcfr+, pdcfr+")]
    Rule {
        /// As written.
        found: String,
    },
    /// It is of another game.
    #[error("the solver's state is of another game: it has {found} sequences, this game has {expected}")]
    Game {
        /// Sequences in the checkpoint.
        found: usize,
        /// Sequences of the game.
        expected: usize,
    },
    /// A number in it cannot be.
    #[error("the solver's state holds a number that is not finite, or a negative share")]
    Number,
}

impl RegretMinimiser {
    /// The numbers that it keeps.
    pub fn checkpoint(&self) -> RegretCheckpoint {
        RegretCheckpoint {
            rule: self.rule.name().to_owned(),
            iterations: self.iterations,
            players: self.players.iter().map(|state| state.kept.clone()).collect(),
        }
    }

    /// A minimiser that continues.
    ///
    /// # Errors
    /// If the checkpoint is not of this game, or not in order.
    pub fn resumed(
        form: &SequenceForm,
        checkpoint: &RegretCheckpoint,
    ) -> Result<RegretMinimiser, CheckpointError> {
        let rule = RegretRule::named(&checkpoint.rule)
            .ok_or_else(|| CheckpointError::Rule { found: checkpoint.rule.clone() })?;
        let expected = form.players.iter().map(|player| player.treeplex.len()).sum();
        let found = checkpoint.players.iter().map(|kept| kept.regrets.len()).sum();
        if checkpoint.players.len() != form.players.len() {
            return Err(CheckpointError::Game { found, expected });
        }
        let mut players = Vec::with_capacity(form.players.len());
        for (kept, player) in checkpoint.players.iter().zip(&form.players) {
            let length = player.treeplex.len();
            if [&kept.regrets, &kept.policy, &kept.sum].iter().any(|numbers| numbers.len() != length) {
                return Err(CheckpointError::Game { found, expected });
            }
            let shares = kept.policy.iter().chain(&kept.sum);
            if kept.regrets.iter().any(|regret| !regret.is_finite())
                || shares.into_iter().any(|share| !share.is_finite() || *share < 0.0)
            {
                return Err(CheckpointError::Number);
            }
            players.push(PlayerState::resumed(&player.treeplex, kept.clone()));
        }
        Ok(RegretMinimiser { rule, iterations: checkpoint.iterations, players })
    }
}
