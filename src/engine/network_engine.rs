//! The engine on the ground network of a game.
//!
//! A [`NetworkEngine`] answers questions about single states, and expands steps in bulk, with its [`Propagator`]. It
//! makes random playouts, and draws steps that agree with an observation, with its [`Lanes`] if it has some; otherwise
//! the propagator makes them one after the other.

use std::sync::Arc;
use std::time::Instant;

use super::lanes::{LaneUsage, LanesScratch};
use super::stepper::{Stepper, StepperScratch};
use super::{Interpreter, Lanes, Propagator, PropagatorScratch};
use hyperplay_logic::gdl::Game;
use hyperplay_machine::{
    Budget, Bulk, ConsistentDraws, EvaluationFailure, GameSetup, Goal, JointMove, Move, ObservedStep,
    Percepts, Reached, Role, Seed, Start, State, StateMachine, StepAttempts, Successor, Tally,
};

/// The number of playouts that a call should have if they are made in lanes.
const IN_LANES: u32 = 4096;

/// The engine on the ground network of a game, with lanes for playouts or without.
#[derive(Debug)]
pub struct NetworkEngine {
    /// The engine for single states.
    pub propagator: Arc<Propagator>,
    /// The lanes, if it has some.
    pub lanes: Option<Lanes>,
    /// The engine that answers for single states, where it is faster than the propagator.
    stepper: Option<Stepper>,
}

/// The working memory with which one thread evaluates on a [`NetworkEngine`].
#[derive(Clone, Debug)]
pub struct NetworkScratch {
    single: PropagatorScratch,
    lanes: LanesScratch,
    stepper: StepperScratch,
}

impl NetworkEngine {
    /// The engine whose lanes, if it has some, were made from this propagator.
    pub fn new(propagator: Arc<Propagator>, lanes: Option<Lanes>) -> NetworkEngine {
        NetworkEngine { propagator, lanes, stepper: None }
    }

    /// This engine, but single states are answered by the interpreter of the same game.
    #[must_use]
    pub fn stepping_by(self, interpreter: Arc<Interpreter>) -> NetworkEngine {
        let stepper = Stepper::new(interpreter, &self.propagator.propnet);
        NetworkEngine { stepper: Some(stepper), ..self }
    }

    /// Whether the interpreter answers for single states.
    pub fn steps_by_interpreter(&self) -> bool {
        self.stepper.is_some()
    }

    /// The engine with lanes in which every role chooses uniformly.
    pub fn with_lanes(propagator: Arc<Propagator>) -> NetworkEngine {
        let lanes = Lanes::new(&propagator);
        NetworkEngine::new(propagator, Some(lanes))
    }

    /// The lanes, to set their width.
    #[cfg(test)]
    pub(crate) fn lanes_mut(&mut self) -> &mut Lanes {
        self.lanes.as_mut().expect("it has lanes")
    }

    /// The game.
    pub fn game(&self) -> &Game {
        self.propagator.game()
    }

    /// As [`Bulk::playouts`], and how the lanes were used, if there are any.
    pub fn measured_playouts(
        &self,
        starts: &[Start<State>],
        seed: &Seed,
        budget: &Budget,
        scratch: &mut NetworkScratch,
    ) -> (Vec<Tally>, Option<LaneUsage>) {
        match &self.lanes {
            Some(lanes) => {
                let (tallies, usage) = lanes.playouts(
                    &self.propagator,
                    starts,
                    seed,
                    budget,
                    &mut scratch.single,
                    &mut scratch.lanes,
                );
                (tallies, Some(usage))
            }
            None => (self.propagator.playouts(starts, seed, budget, &mut scratch.single), None),
        }
    }
}

impl StateMachine for NetworkEngine {
    type State = State;
    type Scratch = NetworkScratch;

    fn scratch(&self) -> NetworkScratch {
        NetworkScratch {
            single: self.propagator.scratch(),
            lanes: LanesScratch::default(),
            stepper: StepperScratch::default(),
        }
    }

    fn setup(&self) -> &GameSetup<State> {
        self.propagator.setup()
    }

    fn legal(&self, state: &State, role: Role, scratch: &mut NetworkScratch, out: &mut Vec<Move>) {
        match &self.stepper {
            Some(stepper) => stepper
                .ask(state, &mut scratch.stepper, |machine, state, own| machine.legal(state, role, own, out)),
            None => self.propagator.legal(state, role, &mut scratch.single, out),
        }
    }

    fn next(&self, state: &State, joint: &JointMove, scratch: &mut NetworkScratch) -> State {
        match &self.stepper {
            Some(stepper) => stepper.next(state, joint, &mut scratch.stepper),
            None => self.propagator.next(state, joint, &mut scratch.single),
        }
    }

    fn percepts(
        &self,
        state: &State,
        joint: &JointMove,
        role: Role,
        scratch: &mut NetworkScratch,
    ) -> Percepts {
        match &self.stepper {
            Some(stepper) if !self.propagator.perceives_moves() => {
                stepper.ask(state, &mut scratch.stepper, |machine, state, own| {
                    machine.percepts(state, joint, role, own)
                })
            }
            _ => self.propagator.percepts(state, joint, role, &mut scratch.single),
        }
    }

    fn terminal(&self, state: &State, scratch: &mut NetworkScratch) -> bool {
        match &self.stepper {
            Some(stepper) => {
                stepper.ask(state, &mut scratch.stepper, |machine, state, own| machine.terminal(state, own))
            }
            None => self.propagator.terminal(state, &mut scratch.single),
        }
    }

    fn goal(&self, state: &State, role: Role, scratch: &mut NetworkScratch) -> Goal {
        match &self.stepper {
            Some(stepper) => {
                stepper.ask(state, &mut scratch.stepper, |machine, state, own| machine.goal(state, role, own))
            }
            None => self.propagator.goal(state, role, &mut scratch.single),
        }
    }

    fn goal_count(&self, state: &State, role: Role, scratch: &mut NetworkScratch) -> usize {
        self.propagator.goal_count(state, role, &mut scratch.single)
    }

    fn take_failure(&self, scratch: &mut NetworkScratch) -> Option<EvaluationFailure> {
        self.stepper.as_ref().and_then(|stepper| stepper.take_failure(&mut scratch.stepper))
    }

    fn set_deadline(&self, scratch: &mut NetworkScratch, deadline: Option<Instant>) -> Option<Instant> {
        self.stepper.as_ref().and_then(|stepper| stepper.set_deadline(&mut scratch.stepper, deadline))
    }

    fn is_interrupted(&self, scratch: &NetworkScratch) -> bool {
        self.stepper.as_ref().is_some_and(|stepper| stepper.is_interrupted(&scratch.stepper))
    }

    fn fluents(&self, state: &State) -> Vec<String> {
        self.propagator.fluents(state)
    }
}

impl Bulk for NetworkEngine {
    fn expand(&self, steps: &[(&State, &JointMove)], scratch: &mut NetworkScratch) -> Vec<Successor<State>> {
        self.propagator.expand(steps, &mut scratch.single)
    }

    fn advance(&self, steps: &[(&State, &JointMove)], scratch: &mut NetworkScratch) -> Vec<Reached<State>> {
        self.propagator.advance(steps, &mut scratch.single)
    }

    fn draw_consistent(
        &self,
        asked: &StepAttempts<'_, State>,
        scratch: &mut NetworkScratch,
    ) -> ConsistentDraws<State> {
        let (propagator, single) = (&*self.propagator, &mut scratch.single);
        let in_lanes = self.lanes.as_ref().and_then(|lanes| {
            let vectors = &mut scratch.lanes;
            lanes.draw_consistent(propagator, asked, vectors, single)
        });
        in_lanes.unwrap_or_else(|| propagator.draw_consistent(asked, single))
    }

    fn select_consistent(
        &self,
        steps: &[(&State, &JointMove)],
        observed: &ObservedStep<'_>,
        scratch: &mut NetworkScratch,
    ) -> Vec<(usize, State)> {
        self.propagator.select_consistent(steps, observed, &mut scratch.single)
    }

    fn at_once(&self) -> u32 {
        if self.lanes.is_some() { IN_LANES } else { self.propagator.at_once() }
    }

    fn playouts(
        &self,
        starts: &[Start<State>],
        seed: &Seed,
        budget: &Budget,
        scratch: &mut NetworkScratch,
    ) -> Vec<Tally> {
        self.measured_playouts(starts, seed, budget, scratch).0
    }
}
