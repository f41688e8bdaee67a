//! The playouts of the lanes, compared step by step with the interpreter.
//!
//! This is the reverse of a match: the circuit of the lanes draws the moves, and the interpreter follows. Every move
//! must be legal, and successor, percepts, end and goals must be those of the rules. The tests of `lanes` check that
//! the draws are uniform.

use rustc_hash::FxHashMap;

use super::difference::{EngineDifference, fact};
use super::{Agreed, Disagreement};
use crate::lanes::{TracedStep, Tracer};
use crate::{EngineKind, Interpreter, InterpreterScratch, Propagator};
use hyperplay_machine::{ByRole, Goal, Percepts, Seed, Start, State, StateMachine, StateMachineExt};

/// Follows `count` playouts of the lanes from the initial state, each for at most `limit` steps. `over` says whether
/// all of them came to an end.
///
/// # Errors
/// The first difference, or that the interpreter met a limit.
pub fn crosscheck_drawn(
    reference: &Interpreter,
    tracer: &Tracer,
    count: u32,
    limit: usize,
    seed: &Seed,
) -> Result<Agreed, Disagreement> {
    let lanes = &tracer.propagator;
    let (mut scratch, mut of_rules) = (lanes.scratch(), reference.scratch());
    let initial = lanes.initial();
    if lanes.terminal(&initial, &mut scratch) {
        return Ok(Agreed { steps: 0, over: true });
    }
    let start = Start { state: initial.clone(), first: Vec::new(), weights: None, count };
    let (steps, _) = tracer.trace(&[start], limit, seed);
    // The states met, as the interpreter has them. Several lanes may be in one.
    let mut known: FxHashMap<State, State> = FxHashMap::default();
    known.insert(initial, reference.initial());
    let mut ends: u32 = 0;
    for (number, step) in steps.iter().enumerate() {
        let before = known[&step.0].clone();
        let after = follow(reference, lanes, (number, step), &before, &mut of_rules)?;
        ends += u32::from(step.2.end.is_some());
        known.insert(step.2.state.clone(), after);
    }
    Ok(Agreed { steps: steps.len(), over: ends == count })
}

/// Makes a step by the rules; gives the state after it.
fn follow(
    reference: &Interpreter,
    lanes: &Propagator,
    (number, (state, joint, made)): (usize, &TracedStep),
    before: &State,
    scratch: &mut InterpreterScratch,
) -> Result<State, Disagreement> {
    let roles = reference.roles();
    let differs = |question, expected: Vec<String>, found: Vec<String>| {
        let (machine, place) = ((lanes, EngineKind::Lanes), (number, state, Some(joint)));
        Disagreement::Differs(EngineDifference::new(machine, place, question, [expected, found]))
    };
    let terms = |role, list: Vec<String>, relation: &str| -> Vec<String> {
        list.iter().map(|term| fact(relation, &roles[role], term)).collect()
    };
    let legal = reference.legal_by_role(before, scratch);
    for (role, moves) in legal.iter() {
        let own = joint.of(role);
        if !moves.contains(&own) {
            let moves = moves.iter().map(|&own| reference.show_move(own)).collect();
            let drawn = vec![fact("legal", &roles[role], &reference.show_move(own))];
            return Err(differs("the move drawn", terms(role, moves, "legal"), drawn));
        }
    }
    let after = reference.next(before, joint, scratch);
    let mut found = lanes.holds(&made.state);
    let mut expected = after.fluents().to_vec();
    found.sort_unstable();
    expected.sort_unstable();
    if found != expected {
        let show = |state: Vec<String>| state.into_iter().map(|fluent| format!("(next {fluent})")).collect();
        return Err(differs(
            "the successor",
            show(reference.fluents(&after)),
            show(lanes.fluents(&made.state)),
        ));
    }
    if reference.game().is_imperfect() {
        let seen: ByRole<Percepts> =
            ByRole::from_fn(roles.len(), |role| reference.percepts(before, joint, role, scratch));
        if seen != made.percepts {
            let show = |seen: &ByRole<Percepts>| -> Vec<String> {
                let of = |(role, seen): (_, &Percepts)| {
                    terms(
                        role,
                        seen.iter().map(|percept| reference.terms().show(percept.0)).collect(),
                        "sees",
                    )
                };
                seen.iter().flat_map(of).collect()
            };
            return Err(differs("the percepts", show(&seen), show(&made.percepts)));
        }
    }
    let end = reference.terminal(&after, scratch).then(|| reference.goals(&after, scratch));
    if let Some(failure) = reference.take_failure(scratch) {
        return Err(Disagreement::Failed(failure));
    }
    if end != made.end {
        let show = |end: &Option<ByRole<Goal>>| -> Vec<String> {
            let goals = end.iter().flat_map(|goals| goals.iter());
            let goals = goals.map(|(role, goal)| fact("goal", &roles[role], &goal.value().to_string()));
            end.iter().map(|_| "terminal".to_owned()).chain(goals).collect()
        };
        return Err(differs("end and goals", show(&end), show(&made.end)));
    }
    Ok(after)
}
