//! Trembling: an opponent model that gives every legal move a positive probability.
//!
//! A role is taken to choose uniformly with a small probability, and as another model says otherwise: `(1 - epsilon)
//! * pi + epsilon / |legal|`. So a belief survives a move to which the other model gives probability 0.

use super::model::{OpponentModel, PolicyAndFailure, SharedModel, Uniform};
use hyperplay_machine::{Evidence, Move, Role};

/// Another model with a tremble.
pub struct Trembling {
    model: SharedModel,
    epsilon: f64,
}

impl Trembling {
    /// A model with a tremble of this probability.
    ///
    /// # Panics
    /// If that is no probability.
    pub fn new(model: SharedModel, epsilon: f64) -> Self {
        assert!((0.0..=1.0).contains(&epsilon), "{epsilon} is no probability");
        Trembling { model, epsilon }
    }
}

impl OpponentModel for Trembling {
    fn policy(&self, role: Role, evidence: &Evidence, legal: &[Move]) -> Vec<f64> {
        self.policy_and_failure(role, evidence, legal).0
    }

    fn policy_and_failure(&self, role: Role, evidence: &Evidence, legal: &[Move]) -> PolicyAndFailure {
        if self.is_uniform() {
            return Uniform.policy_and_failure(role, evidence, legal);
        }
        let even = self.epsilon / legal.len() as f64;
        let (policy, failure) = self.model.policy_and_failure(role, evidence, legal);
        (policy.into_iter().map(|share| (1.0 - self.epsilon) * share + even).collect(), failure)
    }

    fn is_uniform(&self) -> bool {
        self.epsilon >= 1.0 || self.model.is_uniform()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_logic::gdl::{Symbols, TermStore};
    use std::sync::Arc;

    /// Always the first move.
    struct First;

    impl OpponentModel for First {
        fn policy(&self, _: Role, _: &Evidence, legal: &[Move]) -> Vec<f64> {
            (0..legal.len()).map(|place| if place == 0 { 1.0 } else { 0.0 }).collect()
        }
    }

    #[test]
    fn a_tremble_gives_every_move_its_share() {
        let mut symbols = Symbols::new();
        let names = ["a", "b", "c", "d"].map(|name| symbols.intern(name));
        let terms = TermStore::new(symbols);
        let moves = names.map(|name| Move(terms.intern(name, &[])));
        let role = Role::new(0);
        let first = |epsilon| Trembling::new(Arc::new(First), epsilon);
        let policy = |model: &Trembling| model.policy(role, &Evidence::new(role), &moves);
        assert_eq!(policy(&first(0.0)), [1.0, 0.0, 0.0, 0.0]);
        for (share, expected) in policy(&first(0.1)).iter().zip([0.925, 0.025, 0.025, 0.025]) {
            assert!((share - expected).abs() < 1e-12);
        }
        assert_eq!(policy(&first(1.0)), [0.25; 4]);
        assert!(!first(0.1).is_uniform() && first(1.0).is_uniform());
        let uniform = Trembling::new(Arc::new(Uniform), 0.3);
        assert!(uniform.is_uniform());
        assert_eq!(policy(&uniform), [0.25; 4]);
    }
}
