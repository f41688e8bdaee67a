//! Crosscheck: engines follow random matches of the interpreter and are compared with it at every state.
//!
//! The interpreter plays, and every other engine follows on states of its own. The comparison covers the fluents, the
//! legal moves, the end and the goals of every state, and the percepts and the successor of every step. After the match
//! all steps are made once more in bulk. The lanes also draw matches of their own, which the interpreter follows. The
//! first difference is given as facts, so that it can be read beside the rules.
//!
//! This is the evidence that grounding, each pass of the simplifier, and the programs change no answer.
//!
//! ```
//! use std::sync::Arc;
//! use hyperplay_engine::crosscheck::{Agreed, crosscheck, crosscheck_drawn};
//! use hyperplay_engine::lanes::Tracer;
//! use hyperplay_machine::Seed;
//! use hyperplay_engine::{Engine, Engines};
//! # use hyperplay_logic::gdl::{self, Source};
//! # let text = "(role a) (role b) (legal a x) (legal a y) (legal b noop) (init s) (<= (next (did ?m)) (does a ?m))
//! #     (<= terminal (not (true s))) (<= (goal a 100) (true (did x))) (<= (goal a 0) (true (did y))) (goal b 50)";
//! # let game = gdl::load(Source::new("pick", text), None).game.expect("the rules are fine");
//! let engines = Engines::new(&game);
//! let lanes = engines.lanes()?;
//! let tracer = Tracer::new(&lanes).expect("the engine has lanes");
//! let (reference, others) = (engines.interpreter()?, [Arc::new(Engine::Network(lanes))]);
//! assert_eq!(crosscheck(&reference, &others, 100, &Seed::root(1)), Ok(Agreed { steps: 1, over: true }));
//! let drawn = crosscheck_drawn(&reference, &tracer, 10, 100, &Seed::root(1));
//! assert_eq!(drawn, Ok(Agreed { steps: 10, over: true }));
//! # Ok::<(), hyperplay_engine::EngineError>(())
//! ```

mod difference;
mod drawn;
mod follower;

use std::sync::Arc;

use super::{Engine, Interpreter, InterpreterScratch};
use hyperplay_logic::gdl::TermId;
use hyperplay_machine::{ByRole, EvaluationFailure, Goal, Move, Seed, State, StateMachine, StateMachineExt};

pub use difference::EngineDifference;
pub use drawn::crosscheck_drawn;
use follower::Follower;

/// A match without a difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Agreed {
    /// Joint moves made.
    pub steps: usize,
    /// Whether it came to a terminal state.
    pub over: bool,
}

/// Why a match did not end in agreement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Disagreement {
    /// An engine gives another answer.
    Differs(Box<EngineDifference>),
    /// The interpreter met a limit.
    Failed(EvaluationFailure),
}

/// All answers of the interpreter about a state.
struct Answers {
    /// In increasing order of the ids.
    fluents: Vec<TermId>,
    legal: ByRole<Vec<Move>>,
    terminal: bool,
    goals: ByRole<Goal>,
}

/// Plays one random match of at most `limit` steps on the interpreter and on the other engines.
///
/// # Errors
/// The first difference, or that the interpreter met a limit.
pub fn crosscheck(
    reference: &Interpreter,
    engines: &[Arc<Engine>],
    limit: usize,
    seed: &Seed,
) -> Result<Agreed, Disagreement> {
    let mut followers: Vec<Follower> = engines.iter().map(Follower::new).collect();
    let mut scratch = reference.scratch();
    let mut rng = seed.rng();
    let mut state = reference.initial();
    let (mut steps, mut over) = (0, false);
    loop {
        let answers = Answers::of(reference, &state, &mut scratch);
        if let Some(failure) = reference.take_failure(&mut scratch) {
            return Err(Disagreement::Failed(failure));
        }
        followers.iter_mut().try_for_each(|follower| follower.compare(&answers))?;
        over |= answers.terminal;
        let none = answers.legal.values().iter().any(Vec::is_empty);
        if over || none || steps == limit {
            break;
        }
        let joint = reference.random_joint(&state, &mut scratch, &mut rng).expect("every role has a move");
        let percepts =
            ByRole::from_fn(joint.len(), |role| reference.percepts(&state, &joint, role, &mut scratch));
        state = reference.next(&state, &joint, &mut scratch);
        followers.iter_mut().try_for_each(|follower| follower.step(&joint, &percepts))?;
        steps += 1;
    }
    followers.iter_mut().try_for_each(Follower::once_more)?;
    Ok(Agreed { steps, over })
}

impl Answers {
    fn of(machine: &Interpreter, state: &State, scratch: &mut InterpreterScratch) -> Answers {
        Answers {
            fluents: state.fluents().to_vec(),
            legal: machine.legal_by_role(state, scratch),
            terminal: machine.terminal(state, scratch),
            goals: machine.goals(state, scratch),
        }
    }
}
