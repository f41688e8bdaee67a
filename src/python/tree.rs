//! The tree of a game, in arrays.

use std::sync::Arc;

use hyperplay_machine::{ByRole, Move};
use hyperplay_play::for_engine;
use hyperplay_play::referee::Interrupt;
use hyperplay_think::solve::{self, EvidenceIndex, NodeKind, Profile, SequenceForm, TreeLimits};
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::equilibrium::Policy;
use super::failure::{interruptible, wrong};
use super::game::{Game, Shared};

/// Nodes are read between two looks at Ctrl-C.
const LOOK: usize = 4096;

/// The tree of a game, in the forms that questions are asked in.
pub struct Solvable {
    pub game: Arc<Shared>,
    pub tree: solve::GameTree,
    pub form: SequenceForm,
    pub indexes: ByRole<EvidenceIndex>,
}

/// The tree of a game, of at most `nodes` nodes, with payoffs of `unit` goal points.
pub fn grown(game: &Arc<Shared>, unit: f64, nodes: usize, interrupt: &Interrupt) -> PyResult<Arc<Solvable>> {
    if !(unit.is_finite() && unit > 0.0) {
        return Err(wrong("the unit is the goal points for a payoff of 1", "give a number above 0"));
    }
    let stop = |_| interrupt.is_raised();
    let limits = TreeLimits { nodes, stop: &stop, deadline: None };
    let tree = for_engine::game_tree(&game.engine, &limits)
        .map_err(|error| wrong(format!("{}: {error}", game.name), "raise `nodes`, or let a player search"))?;
    let form = SequenceForm::new(&tree, unit);
    let indexes = ByRole::from_fn(tree.roles().len(), |role| EvidenceIndex::new(&tree, role));
    Ok(Arc::new(Solvable { game: Arc::clone(game), tree, form, indexes }))
}

/// All histories of a game as a tree, in arrays; parents stand before their children.
#[pyclass(frozen, module = "hyperplay")]
pub struct GameTree(pub Arc<Solvable>);

#[pymethods]
impl GameTree {
    /// The tree of a game, of at most `nodes` nodes, with payoffs of `unit` goal points.
    #[new]
    #[pyo3(signature = (game, *, unit = 1.0, nodes = 30_000_000))]
    fn new(py: Python<'_>, game: &Game, unit: f64, nodes: usize) -> PyResult<GameTree> {
        interruptible(py, |stop| grown(&game.0, unit, nodes, &stop.interrupt)).map(GameTree)
    }

    fn __len__(&self) -> usize {
        self.0.tree.len()
    }

    /// The nodes, a dictionary of arrays [nodes]: `parent` (int64, -1 at the root), `share` (float64, how likely `random` is to come here
    /// from the parent; 1 where a role chooses), `set` (int64, the information set of the role that chooses here; -1 if none does) and
    /// `entry` (int64, where the probability of the move that leads here stands in Policy.array; -1 after `random`). `goals` is
    /// float64 [nodes, roles], nan where the match is not over.
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (tree, roles) = (&self.0.tree, self.0.tree.roles().len());
        let count = tree.len();
        let (mut parents, mut sets, mut entries) = (vec![-1; count], vec![-1; count], vec![-1; count]);
        let (mut shares, mut goals) = (vec![1.0; count], vec![f64::NAN; count * roles]);
        let mut read = |node: usize| {
            let children = tree.children(node);
            children.clone().for_each(|child| parents[child] = node as i64);
            match tree.kind(node) {
                NodeKind::Terminal { goals: own } => (goals[node * roles..].iter_mut().zip(own))
                    .for_each(|(cell, goal)| *cell = f64::from(goal.value())),
                NodeKind::Chance { distribution, .. } => {
                    shares[children.clone()].copy_from_slice(&distribution.probabilities(children.len()));
                }
                NodeKind::Decision { set } => {
                    sets[node] = set as i64;
                    let own = tree.sets()[set].range().zip(children);
                    own.for_each(|(entry, child)| entries[child] = entry as i64);
                }
            }
        };
        interruptible(py, |stop| {
            (0..count).take_while(|node| node % LOOK > 0 || !stop.interrupt.is_raised()).for_each(&mut read);
            Ok(())
        })?;
        let arrays = PyDict::new(py);
        arrays.set_item("parent", parents.into_pyarray(py))?;
        arrays.set_item("share", shares.into_pyarray(py))?;
        arrays.set_item("set", sets.into_pyarray(py))?;
        arrays.set_item("entry", entries.into_pyarray(py))?;
        let goals = numpy::ndarray::Array2::from_shape_vec((count, roles), goals);
        arrays.set_item("goals", goals.expect("a row for each node").into_pyarray(py))?;
        Ok(arrays)
    }

    /// The information sets, a dictionary of arrays [sets]: `role` (int64, its number among the roles of the game), `first` (int64, where the
    /// probabilities of its moves begin in Policy.array) and `moves` (int64, how many there are).
    fn information_sets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let sets = self.0.tree.sets();
        let column = |of: fn(&solve::InformationSet) -> usize| {
            sets.iter().map(|set| of(set) as i64).collect::<Vec<_>>().into_pyarray(py)
        };
        let arrays = PyDict::new(py);
        arrays.set_item("role", column(|set| set.role.index()))?;
        arrays.set_item("first", column(|set| set.range().start))?;
        arrays.set_item("moves", column(|set| set.range().len()))?;
        Ok(arrays)
    }

    /// The policy of these probabilities: float64, in the order of Policy.array. What an information set has is divided by its sum.
    fn policy(&self, probabilities: PyReadonlyArray1<'_, f64>) -> PyResult<Policy> {
        let (given, tree) = (probabilities.as_array(), &self.0.tree);
        let remedy = format!(
            "give {} numbers of 0 or more, with one above 0 in each information set",
            tree.pool_len()
        );
        let sum = |set: &solve::InformationSet| set.range().map(|entry| given[entry]).sum::<f64>();
        let are_shares = |own: &f64| own.is_finite() && *own >= 0.0;
        if given.len() != tree.pool_len()
            || !given.iter().all(are_shares)
            || !tree.sets().iter().all(|set| sum(set) > 0.0 && sum(set).is_finite())
        {
            return Err(wrong(format!("these {} numbers are no policy of this game", given.len()), remedy));
        }
        let of = |set: usize, _: &[Move]| tree.sets()[set].range().map(|entry| given[entry]).collect();
        Ok(Policy::of(&self.0, Profile::from_fn(tree, of)))
    }

    fn __repr__(&self) -> String {
        let (tree, game) = (&self.0.tree, &self.0.game);
        format!("GameTree of {}: {} nodes, {} information sets", game.name, tree.len(), tree.sets().len())
    }
}
