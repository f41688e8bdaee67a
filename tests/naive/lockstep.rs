//! Plays one random match on an engine and the naive evaluator in lockstep, and compares them at every state.

use std::collections::{BTreeMap, BTreeSet};

use hyperplay_machine::{JointMove, Move, Role, Seed, StateMachine, StateMachineExt};
use rand::RngExt;

use super::{Naive, State, Term, View};

/// How far a match went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// Joint moves made.
    pub steps: usize,
    /// Whether it came to a terminal state.
    pub over: bool,
    /// Whether every role but `random` has exactly one goal in the last state.
    pub one_goal_each: bool,
}

/// Plays a random match of at most `limit` steps on both.
///
/// # Errors
/// The first difference, as a sentence with the state.
pub fn play<M: StateMachine>(
    machine: &M,
    naive: &Naive,
    limit: usize,
    seed: &Seed,
) -> Result<Played, String> {
    let mut scratch = machine.scratch();
    let mut rng = seed.rng();
    let (mut state, mut slow) = (machine.initial(), naive.initial());
    let names: Vec<&str> = machine.roles().values().iter().map(String::as_str).collect();
    same("the roles", &names, &shown(naive.roles()).iter().map(String::as_str).collect())?;
    for steps in 0.. {
        let view = naive.at(&slow);
        let at = |error: String| format!("step {steps}: {error}, in the state {}", shown(&slow).join(" "));
        same_state(machine, &state, &slow, &view, &mut scratch).map_err(at)?;
        let over = view.terminal();
        if over || steps >= limit {
            let players = machine.each_role().filter(|&role| machine.random() != Some(role));
            let one_goal_each = players.into_iter().all(|role| view.goals(role.index()) == 1);
            return Ok(Played { steps, over, one_goal_each });
        }
        let mut joint: Vec<(Move, Term)> = Vec::new();
        for role in machine.each_role() {
            let moves = legal(machine, &state, role, &view, &mut scratch).map_err(at)?;
            if moves.is_empty() {
                // A fault of the rules: the match stops here.
                return Ok(Played { steps, over, one_goal_each: false });
            }
            joint.push(moves[rng.random_range(0..moves.len())].clone());
        }
        let (moves, terms): (Vec<Move>, Vec<Term>) = joint.into_iter().unzip();
        let moves = JointMove::new(moves);
        let (next, percepts) = view.step(&terms);
        for role in machine.each_role() {
            let fast = machine.percepts(&state, &moves, role, &mut scratch);
            let fast: BTreeSet<String> = fast.iter().map(|percept| machine.terms().show(percept.0)).collect();
            let seen = shown(&percepts[role.index()]).into_iter().collect();
            same(
                &format!("the percepts of {} after {}", names[role.index()], shown(&terms).join(" ")),
                &fast,
                &seen,
            )
            .map_err(at)?;
        }
        state = machine.next(&state, &moves, &mut scratch);
        if let Some(failure) = machine.take_failure(&mut scratch) {
            return Err(failure.to_string());
        }
        slow = next;
    }
    unreachable!("the loop has no end")
}

/// Fluents, end and goals.
fn same_state<M: StateMachine>(
    machine: &M,
    state: &M::State,
    slow: &State,
    view: &View<'_>,
    scratch: &mut M::Scratch,
) -> Result<(), String> {
    let fluents: BTreeSet<String> = machine.fluents(state).into_iter().collect();
    same("the fluents", &fluents, &shown(slow).into_iter().collect())?;
    same("terminal", &machine.terminal(state, scratch), &view.terminal())?;
    for (role, name) in machine.roles().iter() {
        let fast = i64::from(machine.goal(state, role, scratch).value());
        same(&format!("the goal of {name}"), &fast, &view.goal(role.index()))?;
    }
    Ok(())
}

/// The legal moves of a role, in the machine's order, each with its term.
fn legal<M: StateMachine>(
    machine: &M,
    state: &M::State,
    role: Role,
    view: &View<'_>,
    scratch: &mut M::Scratch,
) -> Result<Vec<(Move, Term)>, String> {
    let mut moves = Vec::new();
    machine.legal(state, role, scratch, &mut moves);
    let fast: BTreeSet<String> = moves.iter().map(|&own| machine.show_move(own)).collect();
    let terms: BTreeMap<String, Term> =
        view.legal(role.index()).into_iter().map(|term| (term.to_string(), term)).collect();
    let what = format!("the legal moves of {}", machine.roles()[role]);
    same(&what, &fast, &terms.keys().cloned().collect())?;
    Ok(moves.into_iter().map(|own| (own, terms[&machine.show_move(own)].clone())).collect())
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, fast: &T, slow: &T) -> Result<(), String> {
    if fast == slow {
        Ok(())
    } else {
        Err(format!("{what} differ: {fast:?} and by the naive evaluator {slow:?}"))
    }
}

fn shown<'a>(terms: impl IntoIterator<Item = &'a Term>) -> Vec<String> {
    terms.into_iter().map(Term::to_string).collect()
}
