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

/// What holds where a law holds, or the first breach as a sentence.
pub type Lawful<T = ()> = Result<T, String>;

/// Plays one random match of at most `limit` steps and checks every law at every state met.
///
/// Returns the history. The caller's `rng` decides the moves.
///
/// # Errors
/// The first breach of a law.
pub fn check_random_match<M: StateMachine>(machine: &M, limit: usize, rng: &mut impl Rng) -> Lawful<History> {
    let (mut state, mut scratch) = (machine.initial(), machine.scratch());
    let history = check_match(machine, &mut state, limit, &mut scratch, rng)
        .map_err(|breach| format!("{breach}, in the state {}", machine.fluents(&state).join(" ")))?;
    match machine.take_failure(&mut scratch) {
        Some(failure) => Err(failure.to_string()),
        None => Ok(history),
    }
}

/// Plays the match from `state`, which is then its last state, or the one of the breach.
fn check_match<M: StateMachine>(
    machine: &M,
    state: &mut M::State,
    limit: usize,
    scratch: &mut M::Scratch,
    rng: &mut impl Rng,
) -> Lawful<History> {
    let mut history = History::default();
    while !machine.terminal(state, scratch) && history.step() < limit {
        check_moves(machine, state, scratch)?;
        check_answers(machine, state, scratch)?;
        let joint = machine.random_joint(state, scratch, rng).ok_or("a role has no legal move")?;
        *state = check_step(machine, state, &joint, scratch)?;
        history.0.push(joint);
    }
    check_answers(machine, state, scratch)?;
    let again = machine.replay(&history, &mut machine.scratch());
    law(again == *state, "replaying the history gives another state")?;
    Ok(history)
}

/// Legal moves are listed in the natural order of terms, each once, and read back as themselves.
fn check_moves<M: StateMachine>(machine: &M, state: &M::State, scratch: &mut M::Scratch) -> Lawful {
    let terms = machine.terms();
    for (role, moves) in machine.legal_by_role(state, scratch).iter() {
        let name = &machine.roles()[role];
        law(!moves.is_empty(), format_args!("{name} has no legal move"))?;
        let in_order = moves.is_sorted_by(|a, b| terms.compare(a.0, b.0).is_lt());
        law(in_order, format_args!("the legal moves of {name} are not in order"))?;
        for &own in moves {
            let text = machine.show_move(own);
            law(terms.read(&text) == Some(own.0), format_args!("the move {text} reads back as another"))?;
        }
    }
    Ok(())
}

/// A query about a state has one answer, whatever the scratch was used for before.
fn check_answers<M: StateMachine>(machine: &M, state: &M::State, scratch: &mut M::Scratch) -> Lawful {
    let fresh = &mut machine.scratch();
    let goals = machine.goals(state, scratch);
    law(machine.goals(state, fresh) == goals, "goals differ between two scratches")?;
    let legal = machine.legal_by_role(state, fresh);
    law(machine.legal_by_role(state, scratch) == legal, "legal moves differ between two scratches")?;
    let terminal = machine.terminal(state, fresh);
    law(machine.terminal(state, scratch) == terminal, "a state is terminal for one scratch only")?;
    check_interruption(machine, state)
}

/// An answer after the deadline is marked as interrupted or right; and no answer that was interrupted is kept.
fn check_interruption<M: StateMachine>(machine: &M, state: &M::State) -> Lawful {
    let (late, scratch) = (&mut machine.scratch(), &mut machine.scratch());
    let legal = machine.legal_by_role(state, scratch);
    machine.set_deadline(late, Budget::time(Duration::ZERO).deadline);
    let answer = machine.legal_by_role(state, late);
    law(answer == legal || machine.is_interrupted(late), "an interrupted answer is not marked")?;
    machine.set_deadline(late, None);
    let is_marked = machine.is_interrupted(late) || machine.take_failure(late).is_some();
    law(!is_marked, "an interruption is not forgotten")?;
    law(machine.legal_by_role(state, late) == legal, "legal moves differ after an interruption")
}

/// A step is deterministic, whatever the scratch was used for before.
fn check_step<M: StateMachine>(
    machine: &M,
    state: &M::State,
    joint: &JointMove,
    scratch: &mut M::Scratch,
) -> Lawful<M::State> {
    let mut fresh = machine.scratch();
    let next = machine.next(state, joint, scratch);
    law(machine.next(state, joint, &mut fresh) == next, "next gives two states for one joint move")?;
    for role in machine.each_role() {
        let seen = machine.percepts(state, joint, role, scratch);
        let again = machine.percepts(state, joint, role, &mut fresh);
        law(again == seen, "percepts differ between two scratches")?;
        let in_order = seen.is_sorted_by(|a, b| machine.terms().compare(a.0, b.0).is_lt());
        law(in_order, "percepts are not in order")?;
    }
    Ok(next)
}

/// Nothing where the law holds.
fn law(holds: bool, breach: impl ToString) -> Lawful {
    if holds { Ok(()) } else { Err(breach.to_string()) }
}
