//! Moves that are legal for certain: in every state that is held possible.
//!
//! In a sound game a role can tell its legal moves from what it knows, so they are the same in all these states. Where
//! they are not, or where it is not known what the role did, the moves that count are those that are legal with the
//! greatest probability, or nearly that: a move that is seldom replaced may be better than one that is never.

use hyperplay_machine::{Budget, JointMoves, Move, Role, StateMachine, StateMachineExt as _};

/// The states looked at: if the game is sound and all own moves are told, the first one would do.
const STATES: usize = 128;

/// Of the greatest probability, the part that may be missing.
const MISSING: f64 = 1.0 / 128.0;

/// The moves of a role that are legal in all of these states, each with its weight, or in nearly as much of the weight
/// as any other move, in the natural order of terms. States in which nothing is legal, or that cannot be
/// evaluated in time, are left out. O(states × rules).
pub fn certain_moves<'a, M: StateMachine>(
    machine: &M,
    role: Role,
    states: impl IntoIterator<Item = (&'a M::State, f64)>,
    budget: &Budget,
    scratch: &mut M::Scratch,
) -> Vec<Move>
where
    M::State: 'a,
{
    let mut weights: Vec<(Move, f64)> = Vec::new();
    for (state, weight) in states.into_iter().take(STATES) {
        let legal = machine.by_deadline(budget.deadline, scratch, |scratch| {
            let mut legal = Vec::new();
            machine.legal(state, role, scratch, &mut legal);
            (!machine.is_interrupted(scratch)).then_some(legal)
        });
        let failed = machine.take_failure(scratch).is_some();
        let Some(legal) = legal.filter(|legal| !legal.is_empty() && !failed) else { continue };
        for own in legal {
            match weights.iter_mut().find(|(known, _)| *known == own) {
                Some((_, sum)) => *sum += weight,
                None => weights.push((own, weight)),
            }
        }
    }
    let most = weights.iter().map(|&(_, weight)| weight).fold(0.0, f64::max);
    let enough = most * (1.0 - MISSING);
    let mut legal: Vec<Move> =
        weights.into_iter().filter(|&(_, weight)| weight >= enough).map(|(own, _)| own).collect();
    legal.sort_by(|a, b| machine.terms().compare(a.0, b.0));
    legal
}

/// Whether the game is over once the role has made this move in any of these states, whatever the other roles do. False
/// without a state, and where that is not known in time.
pub fn is_last_move<'a, M: StateMachine>(
    machine: &M,
    (role, own): (Role, Move),
    states: impl IntoIterator<Item = &'a M::State>,
    budget: &Budget,
    scratch: &mut M::Scratch,
) -> bool
where
    M::State: 'a,
{
    let mut met = false;
    let ends = machine.by_deadline(budget.deadline, scratch, |scratch| {
        states.into_iter().all(|state| {
            let mut legal = machine.legal_by_role(state, scratch);
            let is_legal = legal[role].contains(&own);
            legal[role] = vec![own];
            is_legal
                && JointMoves::new(&legal).all(|joint| {
                    met = true;
                    let next = machine.next(state, &joint, scratch);
                    machine.terminal(&next, scratch) && !machine.is_interrupted(scratch) && !budget.is_late()
                })
        })
    });
    let failed = machine.take_failure(scratch).is_some();
    met && ends && !failed
}
