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

use super::interpreter::InterpreterScratch;
use super::lanes::LaneUsage;
use super::{EngineKind, Interpreter, NetworkEngine, NetworkScratch};
use hyperplay_machine::{
    Budget, Bulk, ByRole, ConsistentDraws, EvaluationFailure, GameSetup, Goal, JointMove, Move, ObservedStep,
    Percepts, Role, Seed, Start, State, StateMachine, Successor, Tally,
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
#[derive(Debug)]
pub enum EngineScratch {
    /// The scratch of an interpreter.
    Interpreter(Box<InterpreterScratch>),
    /// The scratch of a network engine.
    Network(Box<NetworkScratch>),
    /// The scratch of the machine of an interaction.
    Interaction(Box<InteractionScratch>),
}

impl EngineScratch {
    #[inline]
    fn interpreter(&mut self) -> &mut InterpreterScratch {
        match self {
            EngineScratch::Interpreter(scratch) => scratch,
            _ => panic!("an interpreter was handed the scratch of another kind"),
        }
    }

    #[inline]
    fn network(&mut self) -> &mut NetworkScratch {
        match self {
            EngineScratch::Network(scratch) => scratch,
            _ => panic!("a network engine was handed the scratch of another kind"),
        }
    }

    fn interaction(&mut self) -> &mut InteractionScratch {
        match self {
            EngineScratch::Interaction(scratch) => scratch,
            _ => panic!("the machine of an interaction was handed the scratch of another kind"),
        }
    }
}

impl Engine {
    /// The kind of the engine; never [`EngineKind::Auto`].
    pub fn kind(&self) -> EngineKind {
        match self {
            Engine::Interpreter(_) | Engine::Interaction(_) => EngineKind::Interpreter,
            Engine::Network(machine) if machine.lanes().is_some() => EngineKind::Lanes,
            Engine::Network(_) => EngineKind::Propagator,
        }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        match self {
            Engine::Interpreter(machine) => machine.game(),
            Engine::Network(machine) => machine.game(),
            Engine::Interaction(machine) => machine.game(),
        }
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
            Engine::Interpreter(machine) => machine.holds(state),
            Engine::Network(machine) => machine.holds(state),
            Engine::Interaction(_) => state.fluents().to_vec(),
        }
    }

    /// Compiles now what would be compiled when it is first needed, so that a measurement does not include it.
    pub fn prepare(&self) {
        match self {
            Engine::Interpreter(_) | Engine::Interaction(_) => {}
            Engine::Network(machine) => machine.prepare(),
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
        match self {
            Engine::Interpreter(machine) => {
                (machine.playouts(starts, seed, budget, scratch.interpreter()), None)
            }
            Engine::Network(machine) => machine.measured_playouts(starts, seed, budget, scratch.network()),
            Engine::Interaction(machine) => {
                (machine.playouts(starts, seed, budget, scratch.interaction()), None)
            }
        }
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
        match self {
            Engine::Interpreter(machine) => machine.setup(),
            Engine::Network(machine) => machine.setup(),
            Engine::Interaction(machine) => machine.setup(),
        }
    }

    #[inline]
    fn legal(&self, state: &State, role: Role, scratch: &mut EngineScratch, out: &mut Vec<Move>) {
        match self {
            Engine::Interpreter(machine) => machine.legal(state, role, scratch.interpreter(), out),
            Engine::Network(machine) => machine.legal(state, role, scratch.network(), out),
            Engine::Interaction(machine) => machine.legal(state, role, scratch.interaction(), out),
        }
    }

    #[inline]
    fn chance_weights(&self, state: &State, scratch: &mut EngineScratch, out: &mut Vec<u64>) -> bool {
        match self {
            Engine::Interaction(machine) => machine.chance_weights(state, scratch.interaction(), out),
            _ => {
                out.clear();
                false
            }
        }
    }

    #[inline]
    fn next(&self, state: &State, joint: &JointMove, scratch: &mut EngineScratch) -> State {
        match self {
            Engine::Interpreter(machine) => machine.next(state, joint, scratch.interpreter()),
            Engine::Network(machine) => machine.next(state, joint, scratch.network()),
            Engine::Interaction(machine) => machine.next(state, joint, scratch.interaction()),
        }
    }

    #[inline]
    fn percepts(
        &self,
        state: &State,
        joint: &JointMove,
        role: Role,
        scratch: &mut EngineScratch,
    ) -> Percepts {
        match self {
            Engine::Interpreter(machine) => machine.percepts(state, joint, role, scratch.interpreter()),
            Engine::Network(machine) => machine.percepts(state, joint, role, scratch.network()),
            Engine::Interaction(machine) => machine.percepts(state, joint, role, scratch.interaction()),
        }
    }

    #[inline]
    fn terminal(&self, state: &State, scratch: &mut EngineScratch) -> bool {
        match self {
            Engine::Interpreter(machine) => machine.terminal(state, scratch.interpreter()),
            Engine::Network(machine) => machine.terminal(state, scratch.network()),
            Engine::Interaction(machine) => machine.terminal(state, scratch.interaction()),
        }
    }

    #[inline]
    fn goal(&self, state: &State, role: Role, scratch: &mut EngineScratch) -> Goal {
        match self {
            Engine::Interpreter(machine) => machine.goal(state, role, scratch.interpreter()),
            Engine::Network(machine) => machine.goal(state, role, scratch.network()),
            Engine::Interaction(machine) => machine.goal(state, role, scratch.interaction()),
        }
    }

    fn goal_count(&self, state: &State, role: Role, scratch: &mut EngineScratch) -> usize {
        match self {
            Engine::Interpreter(machine) => machine.goal_count(state, role, scratch.interpreter()),
            Engine::Network(machine) => machine.goal_count(state, role, scratch.network()),
            Engine::Interaction(_) => 1, // one balance for each role, which no rule can contradict
        }
    }

    fn fluents(&self, state: &State) -> Vec<String> {
        match self {
            Engine::Interpreter(machine) => machine.fluents(state),
            Engine::Network(machine) => machine.fluents(state),
            Engine::Interaction(machine) => machine.fluents(state),
        }
    }

    fn take_failure(&self, scratch: &mut EngineScratch) -> Option<EvaluationFailure> {
        match self {
            Engine::Interpreter(machine) => machine.take_failure(scratch.interpreter()),
            Engine::Network(machine) => machine.take_failure(scratch.network()),
            Engine::Interaction(machine) => machine.take_failure(scratch.interaction()),
        }
    }

    fn set_deadline(&self, scratch: &mut EngineScratch, deadline: Option<Instant>) -> Option<Instant> {
        match self {
            Engine::Interpreter(machine) => machine.set_deadline(scratch.interpreter(), deadline),
            Engine::Network(machine) => machine.set_deadline(scratch.network(), deadline),
            Engine::Interaction(machine) => machine.set_deadline(scratch.interaction(), deadline),
        }
    }

    fn is_interrupted(&self, scratch: &EngineScratch) -> bool {
        match (self, scratch) {
            (Engine::Interpreter(machine), EngineScratch::Interpreter(scratch)) => {
                machine.is_interrupted(scratch)
            }
            (Engine::Network(machine), EngineScratch::Network(scratch)) => machine.is_interrupted(scratch),
            (Engine::Interaction(machine), EngineScratch::Interaction(scratch)) => {
                machine.is_interrupted(scratch)
            }
            _ => panic!("an engine was handed the scratch of another kind"),
        }
    }
}

impl Bulk for Engine {
    fn expand(&self, steps: &[(&State, &JointMove)], scratch: &mut EngineScratch) -> Vec<Successor<State>> {
        match self {
            Engine::Interpreter(machine) => machine.expand(steps, scratch.interpreter()),
            Engine::Network(machine) => machine.expand(steps, scratch.network()),
            Engine::Interaction(machine) => machine.expand(steps, scratch.interaction()),
        }
    }

    fn advance(
        &self,
        steps: &[(&State, &JointMove)],
        scratch: &mut EngineScratch,
    ) -> Vec<(State, Option<ByRole<Goal>>)> {
        match self {
            Engine::Interpreter(machine) => machine.advance(steps, scratch.interpreter()),
            Engine::Network(machine) => machine.advance(steps, scratch.network()),
            Engine::Interaction(machine) => machine.advance(steps, scratch.interaction()),
        }
    }

    fn draw_consistent(
        &self,
        starts: &[State],
        attempts: &[u32],
        observed: &ObservedStep<'_>,
        seed: &Seed,
        budget: &Budget,
        scratch: &mut EngineScratch,
    ) -> ConsistentDraws<State> {
        match self {
            Engine::Interpreter(machine) => {
                machine.draw_consistent(starts, attempts, observed, seed, budget, scratch.interpreter())
            }
            Engine::Network(machine) => {
                machine.draw_consistent(starts, attempts, observed, seed, budget, scratch.network())
            }
            Engine::Interaction(machine) => {
                machine.draw_consistent(starts, attempts, observed, seed, budget, scratch.interaction())
            }
        }
    }

    fn select_consistent(
        &self,
        steps: &[(&State, &JointMove)],
        observed: &ObservedStep<'_>,
        scratch: &mut EngineScratch,
    ) -> Vec<(usize, State)> {
        match self {
            Engine::Interpreter(machine) => machine.select_consistent(steps, observed, scratch.interpreter()),
            Engine::Network(machine) => machine.select_consistent(steps, observed, scratch.network()),
            Engine::Interaction(machine) => machine.select_consistent(steps, observed, scratch.interaction()),
        }
    }

    fn at_once(&self) -> u32 {
        match self {
            Engine::Interpreter(machine) => machine.at_once(),
            Engine::Network(machine) => machine.at_once(),
            Engine::Interaction(machine) => machine.at_once(),
        }
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
