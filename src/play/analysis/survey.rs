//! The fluents, moves and percepts of a game, and the graph of its states.
//!
//! Fluents, moves and percepts are those that the rules declare by `base`, `input` and `percept`; where they declare
//! none, those met in the reachable states. [`Basis`] says which, and whether all states were seen: if not, there may
//! be more.

use rustc_hash::FxHashSet;

use super::reach::{Reach, Sight, reach};
use crate::referee::Interrupt;
use hyperplay_engine::{Engine, declared};
use hyperplay_logic::gdl::{Symbol, TermId};
use hyperplay_machine::{Evaluated, EvaluationFailure, State, StateMachine, StateMachineExt};

/// Where words come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Basis {
    /// The rules declare them.
    Declared,
    /// All reachable states were seen.
    Reachable,
    /// Some reachable states were seen; there may be more words.
    Met,
}

/// Words of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SurveyWords {
    /// The terms, in their natural order.
    pub terms: Vec<TermId>,
    /// Where they come from.
    pub basis: Basis,
}

/// The facts that are known of a game.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The terms that can hold.
    pub fluents: SurveyWords,
    /// The moves that can be made, by any role.
    pub moves: SurveyWords,
    /// The percepts that can be perceived, by any role but `random`.
    pub percepts: SurveyWords,
    /// The states.
    pub reach: Reach,
}

/// Explores a game; `limit` bounds the joint moves tried. An interrupt ends it as the limit does. `tick` is called for
/// each state and for each joint move tried.
///
/// # Errors
/// If the rules cannot be evaluated.
pub fn survey(machine: &Engine, limit: usize, interrupt: &Interrupt, tick: &dyn Fn()) -> Evaluated<Survey> {
    let (mut fluents, mut moves, mut percepts) =
        (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
    let mut scratch = machine.scratch();
    machine.set_deadline(&mut scratch, interrupt.budget.deadline);
    let visit = |sight: Sight<'_, State>| {
        match sight {
            Sight::State(state) => fluents.extend(machine.holds(state)),
            Sight::Step(state, joint) => {
                moves.extend(joint.iter().map(|own| own.0));
                for role in machine.each_role().filter(|&role| machine.random() != Some(role)) {
                    let seen = machine.percepts(state, joint, role, &mut scratch);
                    // The percepts that were cut off are not all that is seen, but they are seen.
                    percepts.extend(seen.iter().map(|percept| percept.0));
                }
            }
        }
        tick();
    };
    let reach = reach(machine, limit, interrupt, visit)?;
    if let Some(failure) = machine.take_failure(&mut scratch) {
        return Err(failure);
    }
    let basis = if reach.complete { Basis::Reachable } else { Basis::Met };
    let words = |relation, column: usize, met: FxHashSet<TermId>| -> Evaluated<SurveyWords> {
        let declared = declared(machine.game(), relation)
            .map_err(|error| EvaluationFailure { reason: error.to_string() })?;
        let (terms, basis) = match declared {
            Some(tuples) => (tuples.iter().map(|tuple| tuple[column]).collect(), Basis::Declared),
            None => (met, basis),
        };
        Ok(SurveyWords { terms: machine.terms().sorted(terms), basis })
    };
    Ok(Survey {
        fluents: words(Symbol::BASE, 0, fluents)?,
        moves: words(Symbol::INPUT, 1, moves)?,
        percepts: words(Symbol::PERCEPT, 1, percepts)?,
        reach,
    })
}
