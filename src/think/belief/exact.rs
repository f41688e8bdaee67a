//! Exact: the complete information set with its posterior, computed directly from the definition.
//!
//! This is the independent oracle of the sampler. It searches breadth first from the initial state, tries every legal
//! joint move at every step, and keeps the histories that agree with the evidence. It shares no code with the
//! sampler, evaluates one state at a time (not in bulk), and remembers nothing between calls. It is therefore slow.
//! See `docs/REFERENCES.md`, `HyperPlay12`.

use thiserror::Error;

use super::model::OpponentModel;
use crate::tree::Numbered;
use hyperplay_machine::{
    ChanceDistribution, EvaluationFailure, Evidence, History, JointMove, JointMoves, Observation, OwnMove,
    Role, StateMachine, StateMachineExt,
};

/// An information set.
#[derive(Clone, PartialEq, Debug)]
pub struct Posterior {
    /// Every history that explains the evidence, with its probability.
    pub histories: Vec<(History, f64)>,
    /// For every history which state it ends in, the states being numbered in the order in which they come first.
    pub ends: Vec<usize>,
    /// The probability of the evidence, given the own moves.
    pub evidence: f64,
    /// States visited.
    pub states: u64,
}

/// Why there is no posterior.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ExactError {
    /// The rules could not be evaluated, here or by the opponent model.
    #[error("{0}")]
    Failed(#[from] EvaluationFailure),
    /// More histories than allowed.
    #[error("more than {limit} histories explain the evidence up to step {step}")]
    TooLarge {
        /// The most histories allowed.
        limit: usize,
        /// The step at which there were more.
        step: usize,
    },
    /// No history at all.
    #[error("no history explains the evidence of step {step}")]
    Inconsistent {
        /// The step, counted from 1; 0 for the initial state.
        step: usize,
    },
}

struct Open<S> {
    history: Vec<JointMove>,
    state: S,
    evidence: Vec<Vec<Observation>>,
    prior: f64,
}

/// The information set of this evidence, if no step has more than `limit` histories.
///
/// # Errors
/// Too many histories, or none.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_think::belief::{Uniform, exact};
/// use hyperplay_think::belief::exact::{ExactError, Posterior};
///
/// let posterior: Posterior = exact::posterior(&*machine, &evidence, &Uniform, 1_000)?;
/// assert_eq!(posterior.histories.len(), 2);
/// let (_, probability) = posterior.histories.iter().find(|(history, _)| *history == truth).expect("it is true");
/// assert!((probability - 2.0 / 3.0).abs() < 1e-9);
/// // The evidence: the car is behind door 1 and door 3 is opened, or it is behind door 2 and so is one of two.
/// assert!((posterior.evidence - (1.0 / 3.0 + 1.0 / 6.0)).abs() < 1e-9);
///
/// let too_large = exact::posterior(&*machine, &evidence, &Uniform, 1);
/// assert_eq!(too_large, Err(ExactError::TooLarge { limit: 1, step: 1 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn posterior<M: StateMachine>(
    machine: &M,
    evidence: &Evidence,
    model: &dyn OpponentModel,
    limit: usize,
) -> Result<Posterior, ExactError> {
    let mut scratch = machine.scratch();
    let roles: Vec<Role> = machine.each_role().collect();
    let mut states = 0;
    let mut open = vec![Open {
        history: Vec::new(),
        state: machine.initial(),
        evidence: vec![Vec::new(); roles.len()],
        prior: 1.0,
    }];
    if evidence.steps.is_empty() && machine.terminal(&open[0].state, &mut scratch) != evidence.over {
        return Err(ExactError::Inconsistent { step: 0 });
    }
    let mut of_model = None;
    for (done, observed) in evidence.steps.iter().enumerate() {
        let last = done + 1 == evidence.steps.len();
        let mut next = Vec::new();
        for before in &open {
            if machine.terminal(&before.state, &mut scratch) {
                continue;
            }
            let mut legal = machine.legal_by_role(&before.state, &mut scratch);
            let own = observed.own.among(&mut legal[evidence.role]);
            let drawn = ChanceDistribution::of(machine, &before.state, &mut scratch);
            let chance: Vec<Vec<f64>> = roles
                .iter()
                .map(|&role| {
                    let steps = before.evidence[role.index()].clone();
                    let view = Evidence { role, steps, over: false };
                    if Some(role) == machine.random() && role != evidence.role {
                        drawn.probabilities(legal[role].len())
                    } else if role == evidence.role {
                        own.probabilities(legal[role].len())
                    } else {
                        let (policy, met) = model.policy_and_failure(role, &view, &legal[role]);
                        of_model = of_model.take().or(met);
                        policy
                    }
                })
                .collect();
            for joint in JointMoves::new(&legal) {
                let share: f64 = roles
                    .iter()
                    .map(|&role| {
                        let at = legal[role].iter().position(|&own| own == joint.of(role));
                        chance[role.index()][at.expect("a joint move is made of legal moves")]
                    })
                    .product();
                states += 1;
                let seen: Vec<_> = roles
                    .iter()
                    .map(|&role| machine.percepts(&before.state, &joint, role, &mut scratch))
                    .collect();
                let state = machine.next(&before.state, &joint, &mut scratch);
                let over = machine.terminal(&state, &mut scratch);
                if seen[evidence.role.index()] != observed.percepts
                    || over != (last && evidence.over)
                    || share <= 0.0
                {
                    continue;
                }
                let mut known = before.evidence.clone();
                for (&role, percepts) in roles.iter().zip(seen) {
                    known[role.index()].push(Observation { own: OwnMove::Known(joint.of(role)), percepts });
                }
                let mut history = before.history.clone();
                history.push(joint);
                next.push(Open { history, state, evidence: known, prior: before.prior * share });
                if next.len() > limit {
                    return Err(ExactError::TooLarge { limit, step: done + 1 });
                }
            }
        }
        if let Some(failure) = machine.take_failure(&mut scratch).or(of_model.take()) {
            return Err(failure.into());
        }
        if next.is_empty() {
            return Err(ExactError::Inconsistent { step: done + 1 });
        }
        open = next;
    }
    let total: f64 = open.iter().map(|leaf| leaf.prior).sum();
    let mut states_met: Numbered<&M::State> = Numbered::default();
    let ends = open.iter().map(|leaf| states_met.insert_full(&leaf.state).0).collect();
    let histories = open.into_iter().map(|leaf| (History(leaf.history), leaf.prior / total)).collect();
    Ok(Posterior { histories, ends, evidence: total, states })
}
