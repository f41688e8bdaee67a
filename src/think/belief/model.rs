//! Opponent model: the assumed probabilities of the other roles' moves.
//!
//! A model is a function of a role, that role's own evidence in the particle, and its legal moves. It never sees the
//! state, because a role cannot act on what it does not know. The role `random` is uniform by the definition of
//! GDL-II, and no model is used for it.

use hyperplay_machine::{EvaluationFailure, Evidence, Move, Role};
use std::sync::Arc;

/// A policy, and the failure of the rules that it rests on if there was one.
pub type PolicyAndFailure = (Vec<f64>, Option<EvaluationFailure>);

/// The expected behaviour of the other roles.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_think::belief::{OpponentModel, PolicyAndFailure, Uniform, exact};
///
/// /// Always the first of the legal moves.
/// struct First;
///
/// impl OpponentModel for First {
///     fn policy(&self, _: Role, _: &Evidence, legal: &[Move]) -> Vec<f64> {
///         (0..legal.len()).map(|place| if place == 0 { 1.0 } else { 0.0 }).collect()
///     }
/// }
///
/// assert!(Uniform.is_uniform() && !First.is_uniform());
/// let legal = machine.legal_by_role(&machine.initial(), &mut machine.scratch())[candidate].clone();
/// let (policy, failure): PolicyAndFailure =
///     First.policy_and_failure(candidate, &Evidence::new(candidate), &legal);
/// assert!(policy == [1.0, 0.0, 0.0] && failure.is_none());
///
/// // Seen from `random`, the candidate cannot have chosen door 2 now.
/// let random = Role::new(1);
/// let evidence = machine.evidence(&truth, random, &mut machine.scratch());
/// let posterior = exact::posterior(&*machine, &evidence, &First, 1_000)?;
/// assert!(posterior.histories.iter().all(|(history, _)| *history != truth));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait OpponentModel: Send + Sync {
    /// The probability of each of `legal`, in that order; sums to 1. A move that must not be ruled out needs a
    /// positive probability: a move that has none is left out of every particle.
    fn policy(&self, role: Role, evidence: &Evidence, legal: &[Move]) -> Vec<f64>;

    /// The [policy](OpponentModel::policy), and the failure that it rests on, for a model that evaluates the rules
    /// itself and met one. Beliefs ask this, and [pass the failure on](super::Belief::take_failure).
    fn policy_and_failure(&self, role: Role, evidence: &Evidence, legal: &[Move]) -> PolicyAndFailure {
        (self.policy(role, evidence, legal), None)
    }

    /// Whether every policy is uniform. In that case the caller need not collect the evidence.
    fn is_uniform(&self) -> bool {
        false
    }
}

/// A model that several hold.
pub type SharedModel = Arc<dyn OpponentModel>;

/// Every legal move is equally probable, as HyperPlay assumes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Uniform;

impl OpponentModel for Uniform {
    fn policy(&self, _: Role, _: &Evidence, legal: &[Move]) -> Vec<f64> {
        vec![1.0 / legal.len() as f64; legal.len()]
    }

    fn is_uniform(&self) -> bool {
        true
    }
}
