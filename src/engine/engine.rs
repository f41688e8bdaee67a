//! One machine type for a game, whichever engine evaluates it.
//!
//! Belief, search and the extensive form are generic over the machine. The code above them uses [`Engine`] and is
//! compiled once. Every question is one branch on the kind of engine, and a question in bulk is one branch for each
//! call.
//!
//! Invariant: the caller passes an engine only states and scratches of its own kind. A mistake is a panic that says
//! so, never a wrong answer.

use std::sync::Arc;
use std::time::Instant;

use hyperplay_logic::gdl::{Game, TermId};

use super::lanes::LaneUsage;
use super::{EngineKind, Interpreter, InterpreterScratch, NetworkEngine, NetworkScratch};
use hyperplay_machine::{
    Budget, Bulk, ConsistentDraws, EvaluationFailure, GameSetup, Goal, JointMove, Move, ObservedStep,
    Percepts, Reached, Role, Seed, Start, State, StateMachine, StepAttempts, Successor, Tally,
};
use hyperplay_sidl::{InteractionMachine, InteractionScratch};

/// An engine of a game; cheap to clone.
#[derive(Clone, Debug)]
pub enum Engine {
    /// The reference.
    Interpreter(Arc<Interpreter>),
    /// The ground network, with lanes or without.
    Network(Arc<NetworkEngine>),
    /// The machine of an interaction in SIDL, which is its only engine.
    Interaction(Arc<InteractionMachine>),
}

/// The working memory with which one thread evaluates.
#[derive(Clone, Debug)]
pub enum EngineScratch {
    /// The scratch of an interpreter.
    Interpreter(Box<InterpreterScratch>),
    /// The scratch of a network engine.
    Network(Box<NetworkScratch>),
    /// The scratch of the machine of an interaction.
    Interaction(Box<InteractionScratch>),
}

/// Lets the machine inside an engine answer, with its own scratch where the question needs one.
macro_rules! ask {
    ($engine:expr, $machine:ident => $answer:expr) => {
        match $engine {
            Engine::Interpreter($machine) => $answer,
            Engine::Network($machine) => $answer,
            Engine::Interaction($machine) => $answer,
        }
    };
    ($engine:expr, $scratch:expr, $machine:ident, $own:ident => $answer:expr) => {
        match ($engine, $scratch) {
            (Engine::Interpreter($machine), EngineScratch::Interpreter($own)) => $answer,
            (Engine::Network($machine), EngineScratch::Network($own)) => $answer,
            (Engine::Interaction($machine), EngineScratch::Interaction($own)) => $answer,
            _ => panic!("an engine was handed the scratch of another kind"),
        }
    };
}

impl Engine {
    /// The kind of the engine; never [`EngineKind::Auto`].
    pub fn kind(&self) -> EngineKind {
        match self {
            Engine::Interpreter(_) | Engine::Interaction(_) => EngineKind::Interpreter,
            Engine::Network(machine) if machine.lanes.is_some() => EngineKind::Lanes,
            Engine::Network(_) => EngineKind::Propagator,
        }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        ask!(self, machine => machine.game())
    }

    /// The network engine, if it is one.
    pub fn network_engine(&self) -> Option<&Arc<NetworkEngine>> {
        match self {
            Engine::Network(machine) => Some(machine),
            Engine::Interpreter(_) | Engine::Interaction(_) => None,
        }
    }

    /// The machine of an interaction, if it is one.
    pub fn interaction(&self) -> Option<&Arc<InteractionMachine>> {
        match self {
            Engine::Interaction(machine) => Some(machine),
            _ => None,
        }
    }

    /// The fluents that hold in a state, each once, in no particular order.
    pub fn holds(&self, state: &State) -> Vec<TermId> {
        match self {
            Engine::Network(machine) => machine.propagator.holds(state),
            Engine::Interpreter(_) | Engine::Interaction(_) => state.fluents().to_vec(),
        }
    }

    /// Compiles now what would be compiled when it is first needed, so that a measurement does not include it.
    pub fn prepare(&self) {
        if let Engine::Network(machine) = self {
            machine.propagator.prepare();
        }
    }

    /// The playouts of [`Bulk::playouts`], and how the lanes were used if the engine has some.
    pub fn measured_playouts(
        &self,
        starts: &[Start<State>],
        seed: &Seed,
        budget: &Budget,
        scratch: &mut EngineScratch,
    ) -> (Vec<Tally>, Option<LaneUsage>) {
        if let (Engine::Network(machine), EngineScratch::Network(own)) = (self, &mut *scratch) {
            return machine.measured_playouts(starts, seed, budget, own);
        }
        (ask!(self, scratch, machine, own => machine.playouts(starts, seed, budget, own)), None)
    }
}

impl From<Interpreter> for Engine {
    fn from(interpreter: Interpreter) -> Engine {
        Engine::Interpreter(Arc::new(interpreter))
    }
}

impl From<InteractionMachine> for Engine {
    fn from(machine: InteractionMachine) -> Engine {
        Engine::Interaction(Arc::new(machine))
    }
}

impl StateMachine for Engine {
    type State = State;
    type Scratch = EngineScratch;

    fn scratch(&self) -> EngineScratch {
        match self {
            Engine::Interpreter(machine) => EngineScratch::Interpreter(Box::new(machine.scratch())),
            Engine::Network(machine) => EngineScratch::Network(Box::new(machine.scratch())),
            Engine::Interaction(machine) => EngineScratch::Interaction(Box::new(machine.scratch())),
        }
    }

    fn setup(&self) -> &GameSetup<State> {
        ask!(self, machine => machine.setup())
    }

    #[inline]
    fn legal(&self, state: &State, role: Role, scratch: &mut EngineScratch, out: &mut Vec<Move>) {
        ask!(self, scratch, machine, own => machine.legal(state, role, own, out))
    }

    #[inline]
    fn chance_weights(&self, state: &State, scratch: &mut EngineScratch, out: &mut Vec<u64>) -> bool {
        ask!(self, scratch, machine, own => machine.chance_weights(state, own, out))
    }

    #[inline]
    fn next(&self, state: &State, joint: &JointMove, scratch: &mut EngineScratch) -> State {
        ask!(self, scratch, machine, own => machine.next(state, joint, own))
    }

    #[inline]
    fn percepts(
        &self,
        state: &State,
        joint: &JointMove,
        role: Role,
        scratch: &mut EngineScratch,
    ) -> Percepts {
        ask!(self, scratch, machine, own => machine.percepts(state, joint, role, own))
    }

    #[inline]
    fn terminal(&self, state: &State, scratch: &mut EngineScratch) -> bool {
        ask!(self, scratch, machine, own => machine.terminal(state, own))
    }

    #[inline]
    fn goal(&self, state: &State, role: Role, scratch: &mut EngineScratch) -> Goal {
        ask!(self, scratch, machine, own => machine.goal(state, role, own))
    }

    fn goal_count(&self, state: &State, role: Role, scratch: &mut EngineScratch) -> usize {
        ask!(self, scratch, machine, own => machine.goal_count(state, role, own))
    }

    fn fluents(&self, state: &State) -> Vec<String> {
        ask!(self, machine => machine.fluents(state))
    }

    fn take_failure(&self, scratch: &mut EngineScratch) -> Option<EvaluationFailure> {
        ask!(self, scratch, machine, own => machine.take_failure(own))
    }

    fn set_deadline(&self, scratch: &mut EngineScratch, deadline: Option<Instant>) -> Option<Instant> {
        ask!(self, scratch, machine, own => machine.set_deadline(own, deadline))
    }

    fn is_interrupted(&self, scratch: &EngineScratch) -> bool {
        ask!(self, scratch, machine, own => machine.is_interrupted(own))
    }
}

impl Bulk for Engine {
    fn expand(&self, steps: &[(&State, &JointMove)], scratch: &mut EngineScratch) -> Vec<Successor<State>> {
        ask!(self, scratch, machine, own => machine.expand(steps, own))
    }

    fn advance(&self, steps: &[(&State, &JointMove)], scratch: &mut EngineScratch) -> Vec<Reached<State>> {
        ask!(self, scratch, machine, own => machine.advance(steps, own))
    }

    fn draw_consistent(
        &self,
        asked: &StepAttempts<'_, State>,
        scratch: &mut EngineScratch,
    ) -> ConsistentDraws<State> {
        ask!(self, scratch, machine, own => machine.draw_consistent(asked, own))
    }

    fn select_consistent(
        &self,
        steps: &[(&State, &JointMove)],
        observed: &ObservedStep<'_>,
        scratch: &mut EngineScratch,
    ) -> Vec<(usize, State)> {
        ask!(self, scratch, machine, own => machine.select_consistent(steps, observed, own))
    }

    fn at_once(&self) -> u32 {
        ask!(self, machine => machine.at_once())
    }

    fn playouts(
        &self,
        starts: &[Start<State>],
        seed: &Seed,
        budget: &Budget,
        scratch: &mut EngineScratch,
    ) -> Vec<Tally> {
        self.measured_playouts(starts, seed, budget, scratch).0
    }
}
