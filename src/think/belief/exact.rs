//! Exact: the complete information set with its posterior, computed directly from the definition.
//!
//! This is the independent oracle of the sampler. It searches breadth first from the initial state, tries every legal
//! joint move at every step, and keeps the histories that agree with the evidence. It shares no code with the
//! sampler and evaluates one state at a time (not in bulk). It is therefore slow. Where the histories are too many and all
//! others choose uniformly, histories that end in one state are put together
//! ([`merge_states`](Enumeration::merge_states)): what follows depends on the state alone, so the distribution of the states
//! stays exact. See `docs/REFERENCES.md`, `HyperPlay12`.

use std::hash::Hash;

use thiserror::Error;

use super::model::OpponentModel;
use crate::tree::Numbered;
use hyperplay_machine::{
    ChanceDistribution, EvaluationFailure, Evidence, History, JointMove, JointMoves, Observation, OwnMove,
    Role, StateMachine, StateMachineExt,
};

/// An information set.
#[derive(Clone, PartialEq, Debug, Default)]
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
    /// More states than allowed, or too much work to find them.
    #[error(
        "more than {limit} states explain the evidence up to step {step}, or more than {WORK} times as many joint moves were tried"
    )]
    TooManyStates {
        /// The most states allowed.
        limit: usize,
        /// The step at which there were more.
        step: usize,
    },
    /// No history at all, since this step: counted from 1, 0 for the initial state.
    #[error("no history explains the evidence of step {0}")]
    Inconsistent(usize),
}

/// This number of joint moves may be tried in all for each state allowed, where states are merged.
const WORK: usize = 10;

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
    let mut all = Enumeration::new(machine, evidence.role, model, limit);
    let is_over = machine.terminal(&machine.initial(), &mut machine.scratch());
    if evidence.steps.is_empty() && is_over != evidence.over {
        return Err(ExactError::Inconsistent(0));
    }
    for (done, observed) in evidence.steps.iter().enumerate() {
        all.observe(observed, done + 1 == evidence.steps.len() && evidence.over)?;
    }
    Ok(all.posterior())
}

/// An information set that follows the evidence step by step.
pub struct Enumeration<'a, M: StateMachine> {
    machine: &'a M,
    role: Role,
    model: &'a dyn OpponentModel,
    limit: usize,
    scratch: M::Scratch,
    open: Vec<Open<M::State>>,
    /// Whether each of `open` stands for all histories that end in its state.
    is_merged: bool,
    done: usize,
    states: u64,
    /// Joint moves tried since states were merged.
    tried: usize,
}

impl<'a, M: StateMachine> Enumeration<'a, M> {
    /// That of a role before the first step, with at most `limit` histories at any step.
    pub fn new(machine: &'a M, role: Role, model: &'a dyn OpponentModel, limit: usize) -> Self {
        let evidence = vec![Vec::new(); machine.roles().len()];
        let open = vec![Open { history: Vec::new(), state: machine.initial(), evidence, prior: 1.0 }];
        let scratch = machine.scratch();
        Self { machine, role, model, limit, scratch, open, is_merged: false, done: 0, states: 0, tried: 0 }
    }

    /// Puts histories together that end in one state, from here on; false if they are together already, or if the model is
    /// not uniform and so may depend on more than the state.
    pub fn merge_states(&mut self) -> bool {
        let may_merge = self.model.is_uniform() && !self.is_merged;
        if may_merge {
            let mut merged: Found<M::State> = (Vec::new(), Some(Numbered::default()));
            std::mem::take(&mut self.open).into_iter().for_each(|open| add(&mut merged, open));
            (self.open, self.is_merged) = (merged.0, true);
        }
        may_merge
    }

    /// Takes in what was observed in one more step, after which the match is `over` or goes on. After an error the
    /// enumeration is as it was.
    ///
    /// # Errors
    /// Too many histories or states, or none.
    pub fn observe(&mut self, observed: &Observation, over: bool) -> Result<(), ExactError> {
        let step = self.done + 1;
        let mut next: Found<M::State> = (Vec::new(), self.is_merged.then(Numbered::default));
        let mut of_model = None;
        let opens = std::mem::take(&mut self.open);
        for before in &opens {
            let tried = self.continued(before, observed, over, &mut next, &mut of_model);
            self.tried += if self.is_merged { tried } else { 0 };
            if next.0.len() > self.limit || self.tried > WORK * self.limit {
                break;
            }
        }
        let limit = self.limit;
        let error = if next.0.len() > limit && !self.is_merged {
            Some(ExactError::TooLarge { limit, step })
        } else if next.0.len() > limit || self.tried > WORK * limit {
            Some(ExactError::TooManyStates { limit, step })
        } else if let Some(failure) = self.machine.take_failure(&mut self.scratch).or(of_model) {
            Some(failure.into())
        } else {
            next.0.is_empty().then_some(ExactError::Inconsistent(step))
        };
        if let Some(error) = error {
            self.open = opens;
            return Err(error);
        }
        (self.open, self.done) = (next.0, step);
        Ok(())
    }

    /// Adds all continuations of a history that agree with what was observed; how many joint moves were tried.
    fn continued(
        &mut self,
        before: &Open<M::State>,
        observed: &Observation,
        is_over: bool,
        next: &mut Found<M::State>,
        of_model: &mut Option<EvaluationFailure>,
    ) -> usize {
        let (machine, scratch, own_role) = (self.machine, &mut self.scratch, self.role);
        if machine.terminal(&before.state, scratch) {
            return 0;
        }
        let roles: Vec<Role> = machine.each_role().collect();
        let mut legal = machine.legal_by_role(&before.state, scratch);
        let own = observed.own.among(&mut legal[own_role]);
        let drawn = ChanceDistribution::of(machine, &before.state, scratch);
        let mut policy_of = |role: Role| {
            let steps = before.evidence[role.index()].clone();
            let view = Evidence { role, steps, over: false };
            if Some(role) == machine.random() && role != own_role {
                drawn.probabilities(legal[role].len())
            } else if role == own_role {
                own.probabilities(legal[role].len())
            } else {
                let (policy, met) = self.model.policy_and_failure(role, &view, &legal[role]);
                *of_model = of_model.take().or(met);
                policy
            }
        };
        let chance: Vec<Vec<f64>> = roles.iter().map(|&role| policy_of(role)).collect();
        let mut tried = 0;
        for joint in JointMoves::new(&legal) {
            let share = |&role: &Role| {
                let at = legal[role].iter().position(|&own| own == joint.of(role));
                chance[role.index()][at.expect("a joint move is made of legal moves")]
            };
            let share: f64 = roles.iter().map(share).product();
            tried += 1;
            let mut seen = |role| machine.percepts(&before.state, &joint, role, scratch);
            if share <= 0.0 || seen(own_role) != observed.percepts {
                continue;
            }
            let mut evidence = before.evidence.clone();
            // Whoever chooses uniformly is not asked what it knows.
            for &role in roles.iter().filter(|_| !self.is_merged) {
                let own = OwnMove::Known(joint.of(role));
                evidence[role.index()].push(Observation { own, percepts: seen(role) });
            }
            let state = machine.next(&before.state, &joint, scratch);
            if machine.terminal(&state, scratch) != is_over {
                continue;
            }
            let mut history = before.history.clone();
            history.push(joint);
            add(next, Open { history, state, evidence, prior: before.prior * share });
            if next.0.len() > self.limit {
                break;
            }
        }
        self.states += tried as u64;
        tried
    }

    /// The information set after what was observed. If states are merged, one history of each has the probability of the
    /// state.
    pub fn posterior(&self) -> Posterior {
        let total: f64 = self.open.iter().map(|leaf| leaf.prior).sum();
        let mut states_met: Numbered<&M::State> = Numbered::default();
        let ends = self.open.iter().map(|leaf| states_met.insert_full(&leaf.state).0).collect();
        let probable = |leaf: &Open<M::State>| (History(leaf.history.clone()), leaf.prior / total);
        let histories = self.open.iter().map(probable).collect();
        Posterior { histories, ends, evidence: total, states: self.states }
    }
}

/// Histories in the order in which they are found, and the place of each state if states are merged.
type Found<S> = (Vec<Open<S>>, Option<Numbered<S>>);

fn add<S: Clone + Eq + Hash>((all, places): &mut Found<S>, open: Open<S>) {
    let place = places.as_mut().map(|places| places.insert_full(open.state.clone()).0);
    match place.and_then(|place| all.get_mut(place)) {
        Some(known) => known.prior += open.prior,
        None => all.push(open),
    }
}
