//! The opponent model that asks a player: an opponent that does what this player would do.
//!
//! An answer is a function of role and evidence, because its random stream is derived from the printed evidence; with a
//! time limit it is so only as far as the player is. So answers are [remembered](super::super::remembered) and shared
//! by all threads, and a belief that uses the model costs one decision of the player for each evidence that it meets.

use std::sync::Arc;

use parking_lot::Mutex;

use super::question::{Answer, AskedSeat, check};
use super::{Asked, AskedCounts, DecisionBudget};
use crate::player::evidence_seed::evidence_seed;
use crate::player::remembered::Remembered;
use crate::player::{PlayerSpec, View};
use hyperplay_engine::Engine;
use hyperplay_logic::gdl::fold;
use hyperplay_machine::{ByRole, CancelFlag, Evidence, Move, Role, Seed, StateMachine as _};
use hyperplay_think::belief::{OpponentModel, PolicyAndFailure};

/// Each role does what its player would do; a role without a player chooses uniformly.
pub struct AskedModel {
    players: ByRole<Option<(PlayerSpec, Arc<Engine>)>>,
    budget: DecisionBudget,
    seed: Seed,
    met: Remembered,
    counts: Mutex<AskedCounts>,
}

impl AskedModel {
    /// The players with their engines, and the budget of each of their decisions.
    ///
    /// # Errors
    /// If one is clairvoyant.
    pub fn new(
        players: ByRole<Option<(PlayerSpec, Arc<Engine>)>>,
        budget: DecisionBudget,
        seed: Seed,
    ) -> Asked<Self> {
        for (role, player) in players.iter() {
            if let Some((player, machine)) = player {
                check(player, machine, role)?;
            }
        }
        let (met, counts) = (Remembered::new(), Mutex::default());
        Ok(AskedModel { players, budget, seed, met, counts })
    }

    /// The cost of the answers so far, and what went wrong. Two threads that ask the same at once count twice.
    pub fn counts(&self) -> AskedCounts {
        self.counts.lock().clone()
    }
}

impl OpponentModel for AskedModel {
    fn policy(&self, role: Role, evidence: &Evidence, legal: &[Move]) -> Vec<f64> {
        self.policy_and_failure(role, evidence, legal).0
    }

    fn policy_and_failure(&self, role: Role, evidence: &Evidence, legal: &[Move]) -> PolicyAndFailure {
        let player = self.players[role].as_ref().filter(|_| legal.len() > 1);
        let Some((player, machine)) = player else {
            return (vec![1.0 / legal.len() as f64; legal.len()], None);
        };
        self.met.or(evidence, legal, || {
            let own = self.seed.child(&fold(&machine.roles()[role]));
            let seed = |evidence: &Evidence| evidence_seed(machine, own.clone(), evidence);
            let (mut seat, view) = (AskedSeat::new(player, machine, role), View { evidence, legal });
            let Answer { policy, counts, failure } = match seat.guarded(|player| player.carries_plan()) {
                Ok(true) => seat.answer_along(&view, &self.budget, &seed),
                _ => seat.answer(&view, &self.budget, &seed(evidence)),
            };
            // The answer of a search that was cancelled is not the player's.
            if !self.budget.cancel.is_some_and(CancelFlag::is_raised) {
                self.counts.lock().add(counts);
            }
            (policy, failure)
        })
    }

    /// So if there is no player.
    fn is_uniform(&self) -> bool {
        self.players.values().iter().all(Option::is_none)
    }
}
