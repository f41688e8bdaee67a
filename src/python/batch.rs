//! Many states of one game as one object, which answers in arrays.
//!
//! A row is a state. Moves are numbers into `Game.moves(role)`, fluents and percepts columns in the order of `Game.fluents` and
//! `Game.percepts(role)`. Rows do not depend on each other: row `i` of a random result draws from the stream `seed/i`.

use std::sync::Arc;

use hyperplay_engine::EngineScratch;
use hyperplay_machine::{
    self as machine, Bulk, JointMove, Move, Role, Seed, Start, StateMachine, StateMachineExt,
};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::prelude::*;
use rustc_hash::FxHashMap;

use super::failure::{interruptible, wrong};
use super::game::{Game, Shared, Vocabulary};
use super::state::State;

/// Playouts are made for this many rows between two looks at Ctrl-C.
const ROWS: usize = 4096;

/// N states of a game. A step changes the object; `copy` keeps it as it was.
#[pyclass(module = "hyperplay")]
pub struct Batch {
    game: Arc<Shared>,
    states: Vec<machine::State>,
    ends: Vec<bool>,
    scratch: EngineScratch,
}

impl Shared {
    /// Writes which fluents hold in a state into a row of zeros.
    pub fn write_fluents(&self, state: &machine::State, row: &mut [u8]) -> PyResult<()> {
        let words = self.vocabulary()?;
        if self.engine.network_engine().is_some() {
            let bit = |&(_, bit): &(_, Option<usize>)| u8::from(bit.is_none_or(|bit| state.bit(bit)));
            row.iter_mut().zip(&words.fluents).for_each(|(cell, fluent)| *cell = bit(fluent));
            return Ok(());
        }
        for fluent in self.engine.holds(state) {
            let place = words.places.get(&fluent).ok_or_else(|| {
                let what =
                    format!("{} holds, and `base` does not declare it", self.engine.terms().show(fluent));
                wrong(what, "hyperplay check --simulate 100 finds such facts")
            })?;
            row[*place] = 1;
        }
        Ok(())
    }
}

impl Batch {
    /// These states of a game.
    pub fn of(game: &Arc<Shared>, states: Vec<machine::State>) -> PyResult<Batch> {
        game.vocabulary()?;
        let mut batch =
            Batch { scratch: game.engine.scratch(), ends: Vec::new(), game: Arc::clone(game), states };
        batch.ends =
            batch.states.iter().map(|state| game.engine.terminal(state, &mut batch.scratch)).collect();
        Ok(batch)
    }

    fn words(&self) -> &Vocabulary {
        self.game.words().unwrap_or_else(|_| unreachable!("a batch is only made where there are words"))
    }

    /// The rows that are not over, with their joint moves: the numbers of `moves` by row and role.
    fn joints(&self, moves: &PyReadonlyArray2<'_, i64>) -> PyResult<Vec<(usize, JointMove)>> {
        let (moves, words, roles) = (moves.as_array(), self.words(), self.game.engine.roles().len());
        let what = format!("the moves have the shape {:?}", moves.shape());
        if moves.dim() != (self.states.len(), roles) {
            return Err(wrong(what, format!("it must be [{}, {roles}]: rows, roles", self.states.len())));
        }
        let own = |row: usize, role: Role| {
            let number = moves[[row, role.index()]];
            let found = usize::try_from(number).ok().and_then(|number| words.moves[role].get(number));
            let name = &self.game.engine.roles()[role];
            let what = || format!("row {row}: {name} has no move of number {number}");
            found
                .copied()
                .ok_or_else(|| wrong(what(), format!("it has {} moves, from 0", words.moves[role].len())))
        };
        let open = (0..self.states.len()).filter(|&row| !self.ends[row]);
        open.map(|row| {
            let each: PyResult<Vec<Move>> = (0..roles).map(|role| own(row, Role::new(role))).collect();
            Ok((row, JointMove::new(each?)))
        })
        .collect()
    }

    /// Makes these steps. The moves must be legal.
    fn advance(&mut self, joints: &[(usize, JointMove)]) {
        let steps: Vec<_> = joints.iter().map(|(row, joint)| (&self.states[*row], joint)).collect();
        let reached = self.game.engine.advance(&steps, &mut self.scratch);
        for ((row, _), (state, end)) in joints.iter().zip(reached) {
            self.states[*row] = state;
            self.ends[*row] = end.is_some();
        }
    }

    /// Refuses a move that is not legal.
    fn refuse_illegal(&mut self, joints: &[(usize, JointMove)]) -> PyResult<()> {
        let (engine, mut legal) = (&self.game.engine, Vec::new());
        for (row, joint) in joints {
            for role in engine.each_role() {
                engine.legal(&self.states[*row], role, &mut self.scratch, &mut legal);
                if !legal.contains(&joint.of(role)) {
                    let what = format!(
                        "row {row}: {} may not do {}",
                        engine.roles()[role],
                        engine.show_move(joint.of(role))
                    );
                    return Err(wrong(what, "Batch.legal_mask says what is legal"));
                }
            }
        }
        Ok(())
    }
}

#[pymethods]
impl Batch {
    /// The game.
    #[getter]
    fn game(&self) -> Game {
        Game(Arc::clone(&self.game))
    }

    fn __len__(&self) -> usize {
        self.states.len()
    }

    /// The state of a row.
    fn __getitem__(&self, row: isize) -> PyResult<State> {
        let place = if row < 0 { row + self.states.len() as isize } else { row };
        let state = usize::try_from(place).ok().and_then(|place| self.states.get(place)).cloned();
        let what = format!("row {row} is out of range: there are {}", self.states.len());
        let state = state.ok_or_else(|| pyo3::exceptions::PyIndexError::new_err(what))?;
        Ok(State { game: Arc::clone(&self.game), state })
    }

    fn __repr__(&self) -> String {
        format!("Batch of {} states of {}", self.states.len(), self.game.name)
    }

    /// The same states as another object.
    fn copy(&self) -> Batch {
        let scratch = self.game.engine.scratch();
        Batch { game: Arc::clone(&self.game), states: self.states.clone(), ends: self.ends.clone(), scratch }
    }

    /// Puts the initial state into these rows: bool [N], or all of them.
    #[pyo3(signature = (rows = None))]
    fn reset(&mut self, rows: Option<PyReadonlyArray1<'_, bool>>) -> PyResult<()> {
        let initial = self.game.engine.initial();
        let is_over = self.game.engine.terminal(&initial, &mut self.scratch);
        if rows.as_ref().is_some_and(|rows| rows.as_array().len() != self.states.len()) {
            return Err(wrong(
                "the rows have another length than the batch",
                format!("give {} values", self.states.len()),
            ));
        }
        for row in 0..self.states.len() {
            if rows.as_ref().is_none_or(|rows| rows.as_array()[row]) {
                self.states[row] = initial.clone();
                self.ends[row] = is_over;
            }
        }
        Ok(())
    }

    /// Which rows are over: bool [N].
    fn is_terminal<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.ends.to_pyarray(py)
    }

    /// Which moves of a role are legal: bool [N, moves]. In rows that are over none is.
    fn legal_mask<'py>(&mut self, py: Python<'py>, role: &str) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let role = self.game.role(role)?;
        let game = Arc::clone(&self.game);
        let (numbers, moves) = (&game.vocabulary()?.numbers[role], game.vocabulary()?.moves[role].len());
        let mut mask = Array2::from_elem((self.states.len(), moves), false);
        let (mut legal, scratch, mut unknown) = (Vec::new(), &mut self.scratch, None);
        for (row, state) in self.states.iter().enumerate().filter(|(row, _)| !self.ends[*row]) {
            game.engine.legal(state, role, scratch, &mut legal);
            for own in &legal {
                match numbers.get(own) {
                    Some(&number) => mask[[row, number]] = true,
                    None => unknown = Some(*own),
                }
            }
        }
        if let Some(own) = unknown {
            let what = format!("{} is legal, and `input` does not declare it", game.engine.show_move(own));
            return Err(wrong(what, "hyperplay check --simulate 100 finds such moves"));
        }
        game.checked(scratch, mask.into_pyarray(py))
    }

    /// Makes a step in every row that is not over. `moves`: int64 [N, roles], numbers into Game.moves(role). With `check=False` the moves
    /// are trusted to be legal, which is faster; a move that is not legal then leads to a state without meaning.
    #[pyo3(signature = (moves, *, check = true))]
    fn step(&mut self, moves: PyReadonlyArray2<'_, i64>, check: bool) -> PyResult<()> {
        let joints = self.joints(&moves)?;
        if check {
            self.refuse_illegal(&joints)?;
        }
        self.advance(&joints);
        self.game.checked(&mut self.scratch, ())
    }

    /// The numbers of random moves: int64 [N, roles]. Each role chooses uniformly among its legal moves, and `random` as the rules say; -1 in
    /// rows that are over.
    fn random_moves<'py>(&mut self, py: Python<'py>, seed: u64) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let (engine, seed) = (Arc::clone(&self.game.engine), Seed::root(seed));
        let mut drawn = Array2::from_elem((self.states.len(), engine.roles().len()), -1);
        for row in (0..self.states.len()).filter(|&row| !self.ends[row]) {
            let joint = engine.random_joint(&self.states[row], &mut self.scratch, &mut seed.index(row).rng());
            let what = || format!("row {row}: a role has no legal move");
            let joint = joint.ok_or_else(|| wrong(what(), "hyperplay check names the state"))?;
            for role in engine.each_role() {
                let number = self.words().numbers[role].get(&joint.of(role));
                drawn[[row, role.index()]] = number.map_or(-1, |&number| number as i64);
            }
        }
        self.game.checked(&mut self.scratch, drawn.into_pyarray(py))
    }

    /// Which percepts a role has at the step that makes these moves (see step), before the step is made: uint8 [N, percepts].
    fn observe<'py>(
        &mut self,
        py: Python<'py>,
        moves: PyReadonlyArray2<'py, i64>,
        role: &str,
    ) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let (role, joints, game) = (self.game.role(role)?, self.joints(&moves)?, Arc::clone(&self.game));
        let words = &game.vocabulary()?.percepts[role];
        let places: FxHashMap<_, _> = words.iter().enumerate().map(|(place, word)| (word, place)).collect();
        let mut seen = Array2::zeros((self.states.len(), words.len()));
        let scratch = &mut self.scratch;
        for (row, joint) in &joints {
            for percept in &*game.engine.percepts(&self.states[*row], joint, role, scratch) {
                if let Some(&place) = places.get(percept) {
                    seen[[*row, place]] = 1;
                }
            }
        }
        game.checked(scratch, seen.into_pyarray(py))
    }

    /// Which fluents hold: uint8 [N, fluents].
    fn tensor<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let mut rows = Array2::zeros((self.states.len(), self.words().fluents.len()));
        for (state, mut row) in self.states.iter().zip(rows.rows_mut()) {
            self.game.write_fluents(state, row.as_slice_mut().unwrap_or_default())?;
        }
        Ok(rows.into_pyarray(py))
    }

    /// The goal of each role, 0 to 100: uint8 [N, roles]. They count in rows that are over.
    fn goals<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let (engine, scratch) = (&self.game.engine, &mut self.scratch);
        let goals = Array2::from_shape_fn((self.states.len(), engine.roles().len()), |(row, role)| {
            engine.goal(&self.states[row], Role::new(role), scratch).value()
        });
        self.game.checked(&mut self.scratch, goals.into_pyarray(py))
    }

    /// The mean goals of `count` random playouts from each row: float64 [N, roles]; in rows that are over, their goals.
    fn playouts<'py>(
        &mut self,
        py: Python<'py>,
        count: u32,
        seed: u64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (game, states, ends) = (Arc::clone(&self.game), &self.states, &self.ends);
        let roles = game.engine.roles().len();
        let means = interruptible(py, |stop| {
            let (engine, mut scratch, seed) = (&game.engine, game.engine.scratch(), Seed::root(seed));
            let (mut means, budget) = (Array2::zeros((states.len(), roles)), stop.budget(None, None));
            for (block, rows) in (0..states.len()).collect::<Vec<_>>().chunks(ROWS).enumerate() {
                if stop.interrupt.is_raised() {
                    break;
                }
                let open: Vec<usize> = rows.iter().copied().filter(|&row| !ends[row]).collect();
                let start = |&row: &usize| Start {
                    state: states[row].clone(),
                    first: Vec::new(),
                    weights: None,
                    count,
                };
                let starts: Vec<_> = open.iter().map(start).collect();
                let tallies = engine.playouts(&starts, &seed.index(block), &budget, &mut scratch);
                for (row, role) in
                    rows.iter().flat_map(|&row| engine.each_role().map(move |role| (row, role)))
                {
                    means[[row, role.index()]] = match open.binary_search(&row) {
                        Ok(place) => tallies[place].mean(role),
                        Err(_) => f64::from(engine.goal(&states[row], role, &mut scratch).value()),
                    };
                }
            }
            game.checked(&mut scratch, means)
        })?;
        Ok(means.into_pyarray(py))
    }
}
