//! The information sets of a game, counted from its rules by walking all histories: what the game tree is compared with.
//!
//! An information set of a role is the set of all histories with the same evidence for it, that is, with the same own
//! moves and percepts step by step. This module counts the evidence classes of each role but `random`, at histories
//! that are not terminal and where the role has two or more legal moves. (A role with one move has nothing to
//! decide.)
//!
//! All histories are walked, depth first, so this is for small games. Evidence is numbered in the order in which it is met: the number of a
//! class stands for the class before it, the own move and the percepts.
//!
//! Definition: Thielscher, *GDL-II* (2011), section 4; the extensive form of GDL-II games.

use rustc_hash::{FxHashMap, FxHashSet};

use hyperplay::machine::{ByRole, JointMoves, Move, Percepts, StateMachine, StateMachineExt};

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
/// # Panics
/// If there are more than `limit` histories or the rules cannot be evaluated.
pub fn extent<M: StateMachine>(machine: &M, limit: u64) -> Extent {
    let mut scratch = machine.scratch();
    let roles = machine.roles().len();
    let mut classes: ByRole<Classes> = ByRole::from_fn(roles, |_| Classes::default());
    let mut open = vec![(machine.initial(), vec![0; roles])];
    let (mut histories, mut ends) = (0, 0);
    while let Some((state, evidence)) = open.pop() {
        histories += 1;
        let terminal = machine.terminal(&state, &mut scratch);
        assert_eq!(machine.take_failure(&mut scratch), None);
        assert!(histories <= limit, "the game has more than {limit} histories");
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
    Extent { histories, ends, information_sets }
}
