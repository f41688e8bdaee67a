//! The information sets of a game, counted from its rules by walking all histories.
//!
//! An information set of a role is the set of all histories with the same evidence for it, that is, with the same own
//! moves and percepts step by step. This module counts the evidence classes of each role but `random`, at histories
//! that are not terminal and where the role has two or more legal moves. (A role with one move has nothing to
//! decide.)
//!
//! All histories are walked, depth first, so this is for small games. A limit on histories ends the walk with a typed
//! error in large games and in endless ones. Evidence is numbered in the order in which it is met: the number of a
//! class stands for the class before it, the own move and the percepts.
//!
//! Definition: Thielscher, *GDL-II* (2011), section 4; the extensive form of GDL-II games.

use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use hyperplay_machine::{
    ByRole, EvaluationFailure, JointMoves, Move, Percepts, StateMachine, StateMachineExt,
};

/// Why information sets could not be counted.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CountError {
    /// The game has more histories.
    #[error("the game has more than {limit} histories")]
    TooLarge {
        /// The limit on histories.
        limit: u64,
    },
    /// The caller asked it to stop.
    #[error("the count was stopped")]
    Stopped,
    /// The rules could not be evaluated.
    #[error(transparent)]
    Failed(#[from] EvaluationFailure),
}

/// The size of a game in extensive form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Histories, terminal ones included, the empty one too.
    pub histories: u64,
    /// Terminal histories.
    pub ends: u64,
    /// Information sets of each role; 0 for `random`.
    pub information_sets: ByRole<u64>,
}

/// A class of evidence of one role, numbered as met; 0 is the evidence before the first step.
type Class = usize;

/// The classes of one role that were met.
#[derive(Default)]
struct Classes {
    numbers: FxHashMap<(Class, Move, Percepts), Class>,
    deciding: FxHashSet<Class>,
}

/// Counts histories and information sets.
///
/// # Errors
/// If there are more than `limit` histories or the rules cannot be evaluated.
pub fn extent<M: StateMachine>(machine: &M, limit: u64) -> Result<Extent, CountError> {
    extent_until(machine, limit, &|| false)
}

/// Counts as [`extent`] does, until `stop` returns true.
///
/// # Errors
/// As [`extent`], or that it was stopped.
pub fn extent_until<M: StateMachine>(
    machine: &M,
    limit: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Extent, CountError> {
    let mut scratch = machine.scratch();
    let roles = machine.roles().len();
    let mut classes: ByRole<Classes> = ByRole::from_fn(roles, |_| Classes::default());
    let mut open = vec![(machine.initial(), vec![0; roles])];
    let (mut histories, mut ends) = (0, 0);
    while let Some((state, evidence)) = open.pop() {
        histories += 1;
        if stop() {
            return Err(CountError::Stopped);
        }
        let terminal = machine.terminal(&state, &mut scratch);
        if let Some(failure) = machine.take_failure(&mut scratch) {
            return Err(failure.into());
        }
        // Open histories will be counted too, so the walk stops before it fills the memory.
        if histories + open.len() as u64 > limit {
            return Err(CountError::TooLarge { limit });
        }
        if terminal {
            ends += 1;
            continue;
        }
        let legal = machine.legal_by_role(&state, &mut scratch);
        for (role, moves) in legal.iter() {
            if moves.len() >= 2 && machine.random() != Some(role) {
                classes[role].deciding.insert(evidence[role.index()]);
            }
        }
        for joint in JointMoves::new(&legal) {
            let after = machine
                .each_role()
                .map(|role| {
                    let percepts = machine.percepts(&state, &joint, role, &mut scratch);
                    let numbers = &mut classes[role].numbers;
                    let fresh = numbers.len() + 1;
                    *numbers.entry((evidence[role.index()], joint.of(role), percepts)).or_insert(fresh)
                })
                .collect();
            open.push((machine.next(&state, &joint, &mut scratch), after));
        }
    }
    let information_sets = ByRole::from_fn(roles, |role| classes[role].deciding.len() as u64);
    Ok(Extent { histories, ends, information_sets })
}
