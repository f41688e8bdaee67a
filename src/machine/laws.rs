//! The laws of [`StateMachine`], as functions that run on any machine.
//!
//! Tests run them on every game and every engine. Each returns the first breach as a sentence that names the state.
//!
//! ```
//! use hyperplay_engine::Interpreter;
//! use hyperplay_machine::{Seed, laws};
//! # use hyperplay_logic::gdl::{self, Source};
//! # let text = "(role a) (role b) (legal a x) (legal a y) (legal b noop) (init s) (<= (next (did ?m)) (does a ?m))
//! #     (<= terminal (not (true s))) (<= (goal a 100) (true (did x))) (<= (goal a 0) (true (did y))) (goal b 50)";
//! # let game = gdl::load(Source::new("pick", text), None).game.expect("the rules are fine");
//! let history = laws::check_random_match(&Interpreter::new(&game)?, 100, &mut Seed::root(1).rng());
//! assert_eq!(history.map(|history| history.step()), Ok(1));
//! # Ok::<(), hyperplay_engine::EngineError>(())
//! ```

use std::time::Duration;

use rand::Rng;

use super::{Budget, History, JointMove, StateMachine, StateMachineExt};

/// Plays one random match of at most `limit` steps and checks every law at every state met.
///
/// Returns the history. The caller's `rng` decides the moves.
///
/// # Errors
/// The first breach of a law.
pub fn check_random_match<M: StateMachine>(
    machine: &M,
    limit: usize,
    rng: &mut impl Rng,
) -> Result<History, String> {
    let mut scratch = machine.scratch();
    let mut state = machine.initial();
    let mut history = History::default();
    while !machine.terminal(&state, &mut scratch) && history.step() < limit {
        check_moves(machine, &state, &mut scratch)?;
        check_answers(machine, &state, &mut scratch)?;
        let joint = machine
            .random_joint(&state, &mut scratch, rng)
            .ok_or_else(|| breach(machine, &state, "a role has no legal move"))?;
        state = check_step(machine, &state, &joint, &mut scratch)?;
        history.0.push(joint);
    }
    check_answers(machine, &state, &mut scratch)?;
    if machine.replay(&history, &mut machine.scratch()) != state {
        return Err(breach(machine, &state, "replaying the history gives another state"));
    }
    match machine.take_failure(&mut scratch) {
        Some(failure) => Err(failure.to_string()),
        None => Ok(history),
    }
}

/// Legal moves are listed in the natural order of terms, each once, and read back as themselves.
fn check_moves<M: StateMachine>(
    machine: &M,
    state: &M::State,
    scratch: &mut M::Scratch,
) -> Result<(), String> {
    for (role, moves) in machine.legal_by_role(state, scratch).iter() {
        let name = &machine.roles()[role];
        if moves.is_empty() {
            return Err(breach(machine, state, &format!("{name} has no legal move")));
        }
        if !moves.is_sorted_by(|a, b| machine.terms().compare(a.0, b.0).is_lt()) {
            return Err(breach(machine, state, &format!("the legal moves of {name} are not in order")));
        }
        for &own in moves {
            let text = machine.show_move(own);
            if machine.terms().read(&text) != Some(own.0) {
                return Err(breach(machine, state, &format!("the move {text} reads back as another")));
            }
        }
    }
    Ok(())
}

/// A query about a state has one answer, whatever the scratch was used for before.
fn check_answers<M: StateMachine>(
    machine: &M,
    state: &M::State,
    scratch: &mut M::Scratch,
) -> Result<(), String> {
    let fresh = &mut machine.scratch();
    let goals = machine.goals(state, scratch);
    if machine.goals(state, fresh) != goals {
        return Err(breach(machine, state, "goals differ between two scratches"));
    }
    if machine.legal_by_role(state, fresh) != machine.legal_by_role(state, scratch) {
        return Err(breach(machine, state, "legal moves differ between two scratches"));
    }
    if machine.terminal(state, fresh) != machine.terminal(state, scratch) {
        return Err(breach(machine, state, "a state is terminal for one scratch only"));
    }
    check_interruption(machine, state)
}

/// An answer after the deadline is marked as interrupted or right; and no answer that was interrupted is kept.
fn check_interruption<M: StateMachine>(machine: &M, state: &M::State) -> Result<(), String> {
    let (late, scratch) = (&mut machine.scratch(), &mut machine.scratch());
    let legal = machine.legal_by_role(state, scratch);
    machine.set_deadline(late, Budget::time(Duration::ZERO).deadline);
    let answer = machine.legal_by_role(state, late);
    if answer != legal && !machine.is_interrupted(late) {
        return Err(breach(machine, state, "an interrupted answer is not marked"));
    }
    machine.set_deadline(late, None);
    if machine.is_interrupted(late) || machine.take_failure(late).is_some() {
        return Err(breach(machine, state, "an interruption is not forgotten"));
    }
    if machine.legal_by_role(state, late) != legal {
        return Err(breach(machine, state, "legal moves differ after an interruption"));
    }
    Ok(())
}

/// A step is deterministic, whatever the scratch was used for before.
fn check_step<M: StateMachine>(
    machine: &M,
    state: &M::State,
    joint: &JointMove,
    scratch: &mut M::Scratch,
) -> Result<M::State, String> {
    let mut fresh = machine.scratch();
    let next = machine.next(state, joint, scratch);
    if machine.next(state, joint, &mut fresh) != next {
        return Err(breach(machine, state, "next gives two states for one joint move"));
    }
    for role in machine.each_role() {
        let seen = machine.percepts(state, joint, role, scratch);
        if machine.percepts(state, joint, role, &mut fresh) != seen {
            return Err(breach(machine, state, "percepts differ between two scratches"));
        }
        if !seen.is_sorted_by(|a, b| machine.terms().compare(a.0, b.0).is_lt()) {
            return Err(breach(machine, state, "percepts are not in order"));
        }
    }
    Ok(next)
}

fn breach<M: StateMachine>(machine: &M, state: &M::State, what: &str) -> String {
    format!("{what}, in the state {}", machine.fluents(state).join(" "))
}
