//! Opponents: what the roles that a model speaks of know in each history of a belief, and how they choose there.
//!
//! The knowledge of all of them together is one number, so comparing two histories by it compares two numbers; 0 stands
//! for the time before the first step. It is known for histories that a belief keeps, and the evidence behind a number
//! stays when the histories before it are dropped.
//!
//! A policy is computed once for a role, its evidence and its legal moves, and kept. The moves belong to it: histories
//! of equal evidence may differ in them. A policy that rests on a failure is not kept.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::model::SharedModel;
use crate::tree::{EvidenceClasses, Numbered, PerceptSets};
use hyperplay_machine::{
    Budget, Bulk, ByRole, EvaluationFailure, JointMove, Move, ObservedStep, Role, StateMachine,
    StateMachineExt,
};

/// Which of some steps agree with an observation, by number, with the state and what the others know after each. `known`
/// says what they know before it. `None` if the deadline of the scratch passed.
pub(super) fn agreeing<M: Bulk>(
    opponents: Option<&mut Opponents>,
    machine: &M,
    steps: &[(&M::State, &JointMove)],
    known: impl Fn(usize) -> u32,
    observed: &ObservedStep<'_>,
    scratch: &mut M::Scratch,
) -> Option<Vec<(usize, M::State, u32)>> {
    let selected = machine.select_consistent(steps, observed, scratch);
    let after = match opponents {
        Some(opponents) => {
            let kept: Vec<(&M::State, &JointMove)> =
                selected.iter().map(|(place, _)| steps[*place]).collect();
            opponents.after(machine, selected.iter().map(|(place, _)| known(*place)), &kept, scratch)
        }
        None => vec![0; selected.len()],
    };
    let made = selected.into_iter().zip(after).map(|((place, state), known)| (place, state, known)).collect();
    (!machine.is_interrupted(scratch)).then_some(made)
}

/// The probabilities of some moves.
pub(super) type Policy = Arc<[f64]>;

/// The roles that an opponent model speaks of.
#[derive(Clone)]
pub(super) struct Opponents {
    model: SharedModel,
    roles: Vec<(Role, EvidenceClasses)>,
    percepts: PerceptSets,
    /// What they know together: the class of each.
    known: Numbered<SmallVec<[u32; 2]>>,
    lists: Numbered<Vec<Move>>,
    /// By the place of the role, the class of its evidence and the number of its list of moves.
    policies: FxHashMap<(usize, u32, usize), Policy>,
    /// Why the model could not evaluate the rules, if that happened since the failure was taken.
    pub(super) failure: Option<EvaluationFailure>,
}

impl Opponents {
    /// All roles but `me` and `random`; `None` where they choose uniformly, or there are none.
    pub(super) fn new<M: StateMachine>(machine: &M, me: Role, model: &SharedModel) -> Option<Opponents> {
        let others = machine.each_role().filter(|&role| role != me && Some(role) != machine.random());
        let roles: Vec<(Role, EvidenceClasses)> = others.map(|role| (role, Default::default())).collect();
        (!model.is_uniform() && !roles.is_empty()).then(|| Opponents {
            model: Arc::clone(model),
            percepts: PerceptSets::default(),
            known: Numbered::from_iter([smallvec![0; roles.len()]]),
            roles,
            lists: Numbered::default(),
            policies: FxHashMap::default(),
            failure: None,
        })
    }

    /// The knowledge after each of some steps.
    fn after<M: Bulk>(
        &mut self,
        machine: &M,
        former: impl Iterator<Item = u32>,
        steps: &[(&M::State, &JointMove)],
        scratch: &mut M::Scratch,
    ) -> Vec<u32> {
        let successors = machine.expand(steps, scratch);
        let Opponents { roles, percepts, known, .. } = self;
        let made = former.zip(steps).zip(successors).map(|((former, (_, joint)), successor)| {
            let mut classes = known[former as usize].clone();
            for ((role, of_role), class) in roles.iter_mut().zip(&mut classes) {
                *class = of_role.after(*class, joint.of(*role), percepts.number(&successor.percepts[*role]));
            }
            known.insert_full(classes).0 as u32
        });
        made.collect()
    }
}

/// The policies of the roles that have a choice among these moves; none where all choose uniformly. `None` if the deadline
/// passes before all are known.
pub(super) fn policies(
    opponents: Option<&mut Opponents>,
    known: u32,
    legal: &ByRole<Vec<Move>>,
    budget: &Budget,
) -> Option<Vec<(Role, Policy)>> {
    let Some(opponents) = opponents else { return Some(Vec::new()) };
    let Opponents { model, roles, percepts, known: all_known, lists, policies, failure } = opponents;
    let mut asked = Vec::with_capacity(roles.len());
    for (place, (role, classes)) in roles.iter().enumerate() {
        let moves = &legal[*role];
        if moves.len() < 2 {
            continue;
        }
        let class = all_known[known as usize][place];
        let list = lists.get_index_of(moves).unwrap_or_else(|| lists.insert_full(moves.clone()).0);
        let key = (place, class, list);
        let policy = match policies.get(&key) {
            Some(policy) => Arc::clone(policy),
            None if budget.is_late() => return None,
            None => {
                let evidence = classes.evidence(*role, class, percepts);
                let (policy, met) = model.policy_and_failure(*role, &evidence, moves);
                let policy: Policy = policy.into();
                match met {
                    Some(met) => _ = failure.get_or_insert(met),
                    None => _ = policies.insert(key, Arc::clone(&policy)),
                }
                policy
            }
        };
        asked.push((*role, policy));
    }
    Some(asked)
}
