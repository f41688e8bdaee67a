//! The cost of a step on each engine, estimated from counts.
//!
//! The engine of a game is chosen by these costs and not by a clock, because the playouts of different engines draw
//! different moves: a choice that depended on how busy a machine is would change the results of a seed. The costs of a
//! count were fitted to the measured speeds of some hundred rulesheets (docs/measurements.md).

use serde::Serialize;

use super::kind::EngineKind;
use super::single::SingleWork;

/// A row that the interpreter visits.
const VISIT: f64 = 17.0;
/// A tuple that the interpreter tests or derives.
const TEST: f64 = 58.0;
/// A fluent of the next state, or a legal move.
const ANSWER: f64 = 22.0;
/// A step of the interpreter, besides.
const INTERPRETED_STEP: f64 = 600.0;
/// A step of the network and the queries about the state after it, besides.
const SINGLE: f64 = 60.0;
/// A gate of two inputs, evaluated for one state.
const SINGLE_GATE: f64 = 0.5;
/// A nibble that is looked up for one state.
const LOOK_UP: f64 = 1.1;
/// A look-up table of a program, evaluated for one state.
const TABLE: f64 = 0.85;
/// A gate of two inputs, evaluated for one of the states in the lanes.
const LANE_GATE: f64 = 0.004;
/// A gate of a network that does not fit into the caches, evaluated for one of the states in the lanes.
const FAR_LANE_GATE: f64 = 0.012;
/// The gates of a network that fits into the caches.
const NEAR_GATES: f64 = 30_000.0;

/// The work of a step of the interpreter and of the queries about its state, on average over some random matches.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct StepWork {
    /// Rows that are visited.
    pub visits: f64,
    /// Tuples that are tested, and tuples that are derived.
    pub tests: f64,
    /// Fluents of the next state, and legal moves.
    pub answers: f64,
}

impl StepWork {
    /// The time, by estimate, in nanoseconds of one thread.
    pub(crate) fn nanoseconds(&self) -> f64 {
        INTERPRETED_STEP + VISIT * self.visits + TEST * self.tests + ANSWER * self.answers
    }
}

/// The cost of a step and of the queries about its state, in nanoseconds of one thread.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EngineCosts {
    /// By the interpreter.
    pub interpreter: f64,
    /// By the network, for one state.
    pub single: f64,
    /// By the network, for one of many states in lanes.
    pub lanes: f64,
}

impl EngineCosts {
    /// The costs on a network with the given number of gates of two inputs.
    pub(crate) fn of_network(gates: usize) -> EngineCosts {
        let gates = gates as f64;
        let lanes = LANE_GATE * gates.min(NEAR_GATES) + FAR_LANE_GATE * (gates - NEAR_GATES).max(0.0);
        EngineCosts { interpreter: f64::INFINITY, single: SINGLE + SINGLE_GATE * gates, lanes }
    }

    /// These costs with those of an interpreter.
    pub(crate) fn with(self, interpreter: StepWork) -> EngineCosts {
        EngineCosts { interpreter: interpreter.nanoseconds(), ..self }
    }

    /// These costs with those of a single state by what has been compiled for it.
    pub(crate) fn compiled(self, passes: [SingleWork; 2]) -> EngineCosts {
        let sum = |of: fn(&SingleWork) -> usize| passes.iter().map(of).sum::<usize>() as f64;
        let (look_ups, tables) = (sum(|pass| pass.look_ups), sum(|pass| pass.tables));
        EngineCosts { single: SINGLE + LOOK_UP * look_ups + TABLE * tables, ..self }
    }

    /// Whether no interpreter makes a step faster than the network.
    pub(crate) fn is_surely_fast(&self) -> bool {
        self.single <= INTERPRETED_STEP
    }

    /// The engines that are fastest for playouts, and for single states. If that is the interpreter for playouts, it is
    /// the only engine.
    pub fn chosen(&self) -> (EngineKind, EngineKind) {
        if self.lanes > self.interpreter {
            (EngineKind::Interpreter, EngineKind::Interpreter)
        } else if self.single > self.interpreter {
            (EngineKind::Lanes, EngineKind::Interpreter)
        } else {
            (EngineKind::Lanes, EngineKind::Propagator)
        }
    }
}
