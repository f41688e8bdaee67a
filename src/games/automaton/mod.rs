//! The automaton of a game: all states that can be reached, with what can be done in each of them.
//!
//! Games of GDL and interactions in SIDL are the same behind the contract of the machine, so the automaton of a game
//! in one language can be written in the other ([`Automaton::to_kif`], [`Automaton::to_sidl`]), and drawn
//! ([`Automaton::dot`]). The variables of the rules are lost: the result is a table.
//!
//! Invariant: the states are numbered breadth first by joint moves in their natural order, so the automaton of a game
//! is the same in every run. The initial state is number 0. A state has goals or steps, never both.

mod dot;
mod kif;
mod names;
mod sidl;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use thiserror::Error;

use hyperplay_engine::{Engine, EngineScratch};
use hyperplay_logic::gdl::TermId;
use hyperplay_machine::{
    ByRole, EvaluationFailure, Goal, JointMove, JointMoves, Move, Percepts, Role, StateMachine,
    StateMachineExt,
};

/// How large an automaton may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AutomatonLimits {
    /// The most states.
    pub states: usize,
    /// The most steps: joint moves of all states together.
    pub steps: usize,
}

impl Default for AutomatonLimits {
    fn default() -> Self {
        AutomatonLimits { states: 20_000, steps: 200_000 }
    }
}

/// Why a game has no automaton, or why its automaton cannot be written in the other language.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum AutomatonError {
    /// The states, or the steps between them, are more than the limits.
    #[error(
        "the game has more than {} states or {} steps ({found_states} states and {found_steps} steps were found)",
        limits.states,
        limits.steps
    )]
    TooLarge {
        /// The states that were found.
        found_states: usize,
        /// The steps that were found.
        found_steps: usize,
        /// The limits that were set.
        limits: AutomatonLimits,
    },
    /// An evaluation met a limit.
    #[error(transparent)]
    Failed(#[from] EvaluationFailure),
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
    /// The game is none that can be written, whatever the limits are.
    #[error("{what}")]
    Unfit {
        /// What is wrong with it.
        what: String,
        /// Advice on how to correct it.
        remedy: &'static str,
    },
}

impl AutomatonError {
    /// Advice on how to correct it.
    pub fn remedy(&self) -> &'static str {
        match self {
            AutomatonError::TooLarge { .. } => {
                "take a smaller game, or end an interaction in SIDL earlier with --horizon N"
            }
            AutomatonError::Failed(_) => "see `hyperplay check`",
            AutomatonError::Stopped => "run it again",
            AutomatonError::Unfit { remedy, .. } => remedy,
        }
    }
}

/// One step of an automaton: a joint move and where it leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AutomatonStep {
    /// The moves of all roles.
    pub joint: JointMove,
    /// The number of the state after it.
    pub successor: usize,
    /// The percepts of each role.
    pub percepts: ByRole<Percepts>,
    /// The operations that it executes, if the game is an interaction in SIDL.
    pub operations: Vec<TermId>,
}

/// One state of an automaton.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AutomatonState {
    /// The fluents that hold, in the natural order of terms.
    pub fluents: Vec<TermId>,
    /// The goals if the state is terminal.
    pub goals: Option<ByRole<Goal>>,
    /// The legal moves; none in a terminal state.
    pub legal: ByRole<Vec<Move>>,
    /// The weights of the moves of random; empty if all are equally likely.
    pub weights: Vec<u64>,
    /// One step for each joint move.
    pub steps: Vec<AutomatonStep>,
}

/// All states of a game and the steps between them.
///
/// ```
/// use hyperplay_sidl::InteractionMachine;
/// use hyperplay_engine::Engine;
/// use hyperplay_logic::gdl::Source;
/// use hyperplay_games::load;
/// use hyperplay_games::automaton::{Automaton, AutomatonError, AutomatonLimits, AutomatonState, AutomatonStep};
///
/// let text = "fact(state, 1). branching([nat(1), nat(2)], 0). chance(0, [0.25, 0.75]).
///     operation(nat(X)) :- state(0), ax(state(0)), next(state(X)), goal(alice, X).
///     terminal :- state(1). terminal :- state(2). init(account(alice, 0)). init(state(0)).";
/// let game = load(Source::new("nature.sidl", text), None).game.expect("the text has no error");
/// let machine = Engine::from(InteractionMachine::new(&game));
/// let automaton = Automaton::explore(&machine, AutomatonLimits::default(), &|| false)?;
/// let AutomatonState { weights, steps, .. } = &automaton.states[0];
/// let AutomatonStep { successor, .. } = steps[1];
/// assert_eq!((automaton.states.len(), &weights[..], successor), (3, &[1, 3][..], 2));
/// // GDL-II has no fractions.
/// let error: AutomatonError = automaton.to_kif("nature.sidl").unwrap_err();
/// assert!(error.to_string().contains("(draw 0 (nat 1)) with 1/4"), "{error}");
/// assert!(automaton.dot().starts_with("digraph states {"));
/// assert!(automaton.to_sidl("nature.sidl")?.contains("chance(random_1, [1/4, 3/4])."));
/// // Only a part fits into two states.
/// let two = AutomatonLimits { states: 2, steps: 10 };
/// let part = Automaton::explore_part(&machine, two, &|| false)?;
/// assert!(!part.is_complete() && part.states.len() == 2);
/// assert!(matches!(Automaton::explore(&machine, two, &|| false), Err(AutomatonError::TooLarge { .. })));
/// # Ok::<(), AutomatonError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Automaton<'m> {
    machine: &'m Engine,
    /// The states; the initial state is the first.
    pub states: Vec<AutomatonState>,
    /// Why there are no more states, if some are missing; the last states then have steps that are not known.
    missing: Option<AutomatonError>,
    /// The number of states whose steps are known.
    expanded: usize,
}

impl<'m> Automaton<'m> {
    /// All states that all joint moves lead to, from the initial state on. `stop` says when to give up.
    ///
    /// # Errors
    /// That there are too many, that a role is stuck, that an evaluation met a limit, or that it was stopped.
    pub fn explore(
        machine: &'m Engine,
        limits: AutomatonLimits,
        stop: &dyn Fn() -> bool,
    ) -> Result<Automaton<'m>, AutomatonError> {
        let automaton = Automaton::explore_part(machine, limits, stop)?;
        automaton.refuse_part()?;
        Ok(automaton)
    }

    /// As many states as the limits allow, with the steps between them.
    ///
    /// # Errors
    /// That a role is stuck, that an evaluation met a limit, or that it was stopped.
    pub fn explore_part(
        machine: &'m Engine,
        limits: AutomatonLimits,
        stop: &dyn Fn() -> bool,
    ) -> Result<Automaton<'m>, AutomatonError> {
        let mut scratch = machine.scratch();
        let mut found = IndexSet::<_, FxBuildHasher>::from_iter([machine.initial()]);
        let mut automaton = Automaton { machine, states: Vec::new(), missing: None, expanded: 0 };
        let mut found_steps = 0;
        while let Some(state) = found.get_index(automaton.states.len()).cloned() {
            let mut it = automaton.state(&state, &mut scratch)?;
            let legal = it.legal.clone();
            let goes_on = it.goals.is_none() && automaton.missing.is_none();
            let joints = if goes_on { JointMoves::new(&legal).collect() } else { Vec::new() };
            for joint in joints {
                if stop() {
                    return Err(AutomatonError::Stopped);
                }
                let after = machine.next(&state, &joint, &mut scratch);
                let known = found.get_index_of(&after);
                found_steps += 1;
                if known.is_none() && found.len() >= limits.states || found_steps > limits.steps {
                    let found_states = found.len() + usize::from(known.is_none());
                    automaton.missing = Some(AutomatonError::TooLarge { found_states, found_steps, limits });
                    break;
                }
                let successor = known.unwrap_or_else(|| found.insert_full(after).0);
                let percepts = ByRole::from_fn(machine.roles().len(), |role| {
                    machine.percepts(&state, &joint, role, &mut scratch)
                });
                let operations = match (machine.interaction(), &mut scratch) {
                    (Some(machine), EngineScratch::Interaction(scratch)) => {
                        let executed = machine.executed(&state, &joint, scratch);
                        executed.into_iter().map(|executed| executed.operation).collect()
                    }
                    _ => Vec::new(),
                };
                it.steps.push(AutomatonStep { joint, successor, percepts, operations });
            }
            if let Some(failure) = machine.take_failure(&mut scratch) {
                return Err(failure.into());
            }
            automaton.states.push(it);
            automaton.expanded += usize::from(automaton.missing.is_none());
        }
        Ok(automaton)
    }

    /// Whether all states are known.
    pub fn is_complete(&self) -> bool {
        self.missing.is_none()
    }

    fn refuse_part(&self) -> Result<(), AutomatonError> {
        self.missing.clone().map_or(Ok(()), Err)
    }

    /// Refuses what is no whole game.
    fn refuse_unfinished(&self) -> Result<(), AutomatonError> {
        self.refuse_part()?;
        match self.states.iter().any(|state| state.goals.is_some()) {
            true => Ok(()),
            false => Err(AutomatonError::Unfit {
                what: format!("the game never ends: none of its {} states is terminal", self.states.len()),
                remedy: "end an interaction in SIDL after some chronons with --horizon N",
            }),
        }
    }

    /// Whether some steps of a state may be missing.
    fn is_open(&self, number: usize) -> bool {
        number >= self.expanded && self.states[number].goals.is_none()
    }

    fn state(
        &self,
        state: &hyperplay_machine::State,
        scratch: &mut EngineScratch,
    ) -> Result<AutomatonState, AutomatonError> {
        let machine = self.machine;
        let fluents = machine.terms().sorted(machine.holds(state));
        if machine.terminal(state, scratch) {
            let goals = Some(machine.goals(state, scratch));
            let legal = ByRole::from_fn(self.roles().len(), |_| Vec::new());
            return Ok(AutomatonState { fluents, goals, legal, ..AutomatonState::default() });
        }
        let legal = machine.legal_by_role(state, scratch);
        if let Some((role, _)) = legal.iter().find(|(_, moves)| moves.is_empty()) {
            if let Some(failure) = machine.take_failure(scratch) {
                return Err(failure.into());
            }
            let (role, fluents) = (&self.roles()[role], machine.fluents(state).join(" "));
            return Err(AutomatonError::Unfit {
                what: format!("{role} has no legal move in this state: {fluents}"),
                remedy: "see `hyperplay check`; every role needs a legal move until the end",
            });
        }
        let mut weights = Vec::new();
        if !machine.chance_weights(state, scratch, &mut weights) {
            weights.clear();
        }
        Ok(AutomatonState { fluents, legal, weights, ..AutomatonState::default() })
    }

    fn roles(&self) -> &ByRole<String> {
        self.machine.roles()
    }

    /// The roles but for random, in their order.
    fn players(&self) -> Vec<Role> {
        self.machine.each_role().filter(|&role| Some(role) != self.machine.random()).collect()
    }

    /// The fluents of a state as text.
    fn shown(&self, state: &AutomatonState) -> Vec<String> {
        state.fluents.iter().map(|&fluent| self.machine.terms().show(fluent)).collect()
    }

    /// Every term that occurs, once.
    fn each_term(&self, visit: &mut dyn FnMut(TermId)) {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut once = |term: TermId| {
            if seen.insert(term) {
                visit(term);
            }
        };
        for state in &self.states {
            state.fluents.iter().for_each(|&fluent| once(fluent));
            state.legal.values().iter().flatten().for_each(|own| once(own.0));
            let percepts = state.steps.iter().flat_map(|step| step.percepts.values());
            percepts.for_each(|percepts| percepts.iter().for_each(|percept| once(percept.0)));
        }
    }
}
