//! States as values: what is legal, what a joint move leads to, who perceives what.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use hyperplay_machine::{self as machine, ChanceDistribution, Seed, StateMachine, StateMachineExt};
use numpy::{PyArray1, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use super::failure::wrong;
use super::game::{Game, Shared};

/// A state of a game. It never changes: a step gives another one.
#[pyclass(frozen, module = "hyperplay")]
pub struct State {
    pub game: Arc<Shared>,
    pub state: machine::State,
}

impl Shared {
    /// Refuses an answer that a limit of the evaluation cut off.
    pub fn checked<T>(&self, scratch: &mut hyperplay_engine::EngineScratch, answer: T) -> PyResult<T> {
        match self.engine.take_failure(scratch) {
            Some(failure) => {
                Err(wrong(format!("{}: {failure}", self.name), "hyperplay check names the clause"))
            }
            None => Ok(answer),
        }
    }
}

#[pymethods]
impl State {
    /// The game.
    #[getter]
    fn game(&self) -> Game {
        Game(Arc::clone(&self.game))
    }

    /// Whether the game is over.
    #[getter]
    fn is_terminal(&self) -> PyResult<bool> {
        let mut scratch = self.game.engine.scratch();
        let is_over = self.game.engine.terminal(&self.state, &mut scratch);
        self.game.checked(&mut scratch, is_over)
    }

    /// The legal moves of a role, in the natural order of terms.
    fn legal_moves(&self, role: &str) -> PyResult<Vec<String>> {
        let (role, mut scratch, mut moves) = (self.game.role(role)?, self.game.engine.scratch(), Vec::new());
        self.game.engine.legal(&self.state, role, &mut scratch, &mut moves);
        let shown = moves.into_iter().map(|own| self.game.engine.show_move(own)).collect();
        self.game.checked(&mut scratch, shown)
    }

    /// The state after a joint move: a list in the order of roles, or a dictionary by role; a role that is left out makes its only legal move.
    fn step(&self, moves: &Bound<'_, PyAny>) -> PyResult<State> {
        let mut scratch = self.game.engine.scratch();
        let joint = self.read(moves, &mut scratch)?;
        let state = self.game.engine.next(&self.state, &joint, &mut scratch);
        self.game.checked(&mut scratch, State { game: Arc::clone(&self.game), state })
    }

    /// What each role perceives at the step that makes these moves, by role.
    fn percepts<'py>(&self, py: Python<'py>, moves: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let (engine, mut scratch) = (&self.game.engine, self.game.engine.scratch());
        let joint = self.read(moves, &mut scratch)?;
        let seen = |role| {
            let percepts = engine.percepts(&self.state, &joint, role, &mut scratch);
            let shown: Vec<String> = percepts.iter().map(|percept| engine.terms().show(percept.0)).collect();
            (&engine.roles()[role], shown)
        };
        let seen = engine.each_role().map(seen).into_py_dict(py)?;
        self.game.checked(&mut scratch, seen)
    }

    /// The moves of the role `random` with their probabilities; empty where the game has none.
    fn chance_outcomes(&self) -> PyResult<Vec<(String, f64)>> {
        let engine = &self.game.engine;
        let (Some(random), mut scratch, mut moves) = (engine.random(), engine.scratch(), Vec::new()) else {
            return Ok(Vec::new());
        };
        engine.legal(&self.state, random, &mut scratch, &mut moves);
        let shares = ChanceDistribution::of(&**engine, &self.state, &mut scratch).probabilities(moves.len());
        let outcomes = moves.into_iter().map(|own| engine.show_move(own)).zip(shares).collect();
        self.game.checked(&mut scratch, outcomes)
    }

    /// The goal of each role, 0 to 100.
    #[getter]
    fn goals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (engine, mut scratch) = (&self.game.engine, self.game.engine.scratch());
        let goal = |role| (&engine.roles()[role], engine.goal(&self.state, role, &mut scratch).value());
        let goals = engine.each_role().map(goal).into_py_dict(py)?;
        self.game.checked(&mut scratch, goals)
    }

    /// The fluents that hold, in the natural order of terms.
    #[getter]
    fn facts(&self) -> Vec<String> {
        self.game.engine.fluents(&self.state)
    }

    /// Which fluents hold: uint8, shape [fluents], in the order of Game.fluents.
    fn tensor<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let mut row = vec![0; self.game.vocabulary()?.fluents.len()];
        self.game.write_fluents(&self.state, &mut row)?;
        Ok(row.to_pyarray(py))
    }

    /// A joint move in which each role chooses uniformly among its legal moves, and `random` as the rules say.
    fn random_moves(&self, seed: u64) -> PyResult<Vec<String>> {
        let engine = &self.game.engine;
        let mut scratch = engine.scratch();
        let joint = engine.random_joint(&self.state, &mut scratch, &mut Seed::root(seed).rng());
        let joint =
            joint.ok_or_else(|| wrong("a role has no legal move here", "ask is_terminal before a step"))?;
        self.game.checked(&mut scratch, joint.iter().map(|&own| engine.show_move(own)).collect())
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __repr__(&self) -> String {
        format!(
            "State of {}\n{}",
            self.game.name,
            self.game.layout().draw(&self.game.engine.holds(&self.state))
        )
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.game.text() == other.game.text() && self.facts() == other.facts()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.game.text(), self.facts()).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (Vec<String>,))> {
        let game = Bound::new(slf.py(), slf.get().game())?;
        Ok((game.getattr("state")?.unbind(), (slf.get().facts(),)))
    }
}

impl State {
    fn read(
        &self,
        moves: &Bound<'_, PyAny>,
        scratch: &mut hyperplay_engine::EngineScratch,
    ) -> PyResult<machine::JointMove> {
        let engine = &self.game.engine;
        if engine.terminal(&self.state, scratch) {
            return Err(wrong("the game is over in this state", "ask is_terminal before a step"));
        }
        self.game.joint(moves, &engine.legal_by_role(&self.state, scratch))
    }
}
