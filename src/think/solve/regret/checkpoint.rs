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
#[error("{0}")]
pub struct CheckpointError(String);

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
    pub fn resumed(form: &SequenceForm, checkpoint: &RegretCheckpoint) -> Result<Self, CheckpointError> {
        let refused = |why| Err(CheckpointError(why));
        let Ok(rule) = checkpoint.rule.parse::<RegretRule>() else {
            let (found, names) = (&checkpoint.rule, "cfr+, dcfr, pcfr+, pdcfr+");
            return refused(format!(
                "there is no solver '{found}' that could continue; it is one of {names}"
            ));
        };
        let lengths = |kept: &Kept| [kept.regrets.len(), kept.policy.len(), kept.sum.len()];
        let expected = form.players.iter().map(|player| [player.treeplex.len(); 3]);
        if !checkpoint.players.iter().map(lengths).eq(expected.clone()) {
            let found: usize = checkpoint.players.iter().map(|kept| kept.regrets.len()).sum();
            let expected: usize = expected.map(|[length, ..]| length).sum();
            let of = "the solver's state is of another game";
            return refused(format!("{of}: it has {found} sequences, this game has {expected}"));
        }
        let mut players = Vec::with_capacity(form.players.len());
        for (kept, player) in checkpoint.players.iter().zip(&form.players) {
            let shares = kept.policy.iter().chain(&kept.sum);
            if kept.regrets.iter().any(|regret| !regret.is_finite())
                || shares.into_iter().any(|share| !share.is_finite() || *share < 0.0)
            {
                return refused(
                    "the solver's state holds a number that is not finite, or a negative share".into(),
                );
            }
            players.push(PlayerState::resumed(&player.treeplex, kept.clone()));
        }
        Ok(Self { rule, iterations: checkpoint.iterations, players })
    }
}
