//! The opponent model `equilibrium`: every other role is taken to play by an equilibrium of the game.
//!
//! The game is solved when the model is first asked. Where it is not solved, or where the equilibrium says nothing, the
//! model is uniform; that it was not solved is a failure, which beliefs pass on.

use std::sync::Arc;

use super::super::shared::Shared;
use super::solved_game::{SolveEffort, Solved, SolvedGame};
use hyperplay_engine::Engine;
use hyperplay_machine::{Budget, EvaluationFailure, Evidence, Move, Role};
use hyperplay_think::belief::{OpponentModel, PolicyAndFailure};

/// The model on one machine.
pub(super) struct EquilibriumModel {
    pub(super) machine: Arc<Engine>,
    pub(super) effort: SolveEffort,
    pub(super) seconds: f64,
    pub(super) shared: Arc<Shared<Solved>>,
}

impl OpponentModel for EquilibriumModel {
    fn policy(&self, role: Role, evidence: &Evidence, legal: &[Move]) -> Vec<f64> {
        self.policy_and_failure(role, evidence, legal).0
    }

    fn policy_and_failure(&self, _: Role, evidence: &Evidence, legal: &[Move]) -> PolicyAndFailure {
        let budget = match self.seconds {
            0.0 => Budget::UNLIMITED,
            seconds => Budget::UNLIMITED.within(std::time::Duration::from_secs_f64(seconds)),
        };
        let solve = || SolvedGame::solve(&self.machine, &self.effort, &budget);
        let solved = self.shared.get(&self.machine, solve);
        let uniform = || vec![1.0 / legal.len() as f64; legal.len()];
        match &*solved {
            Ok(game) => match game.advice(evidence) {
                Some((set, advice)) if game.tree.moves(set) == legal => (advice.shares.to_vec(), None),
                _ => (uniform(), None),
            },
            Err(reason) => {
                let reason = format!("the opponent model has no equilibrium: {reason}");
                (uniform(), Some(EvaluationFailure { reason }))
            }
        }
    }
}
