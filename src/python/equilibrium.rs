//! Equilibria, best responses and the gain against policies, on the tree of a game.

use std::path::Path;
use std::sync::Arc;

use hyperplay_machine::{ByRole, Move, Role, StateMachine, StateMachineExt};
use hyperplay_play::files::{FileContent, FileError, WrittenFile};
use hyperplay_play::player::{PolicyDocument, PolicyFile, entries_of, profile_of};
use hyperplay_think::solve::{
    self, Profile, RegretMinimiser, RegretRule, SolveLimits, SolvePoint, SolvedProfile, Verdict,
};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use super::belief::Steps;
use super::failure::{interruptible, wrong};
use super::game::Game;
use super::own::shares;
use super::tree::{GameTree, Solvable, grown};

/// A policy for every information set of a game in which a role has a choice.
#[pyclass(frozen, module = "hyperplay")]
pub struct Policy {
    of: Arc<Solvable>,
    profile: Profile,
    /// How it was found, if it was solved.
    found: Option<SolvePoint>,
}

/// Solves a game by regret minimisation until NashConv is at most `nash_conv`, in payoffs of `unit` goal points, or after
/// `iterations`. The tree may have `nodes` nodes. An equilibrium where two roles decide and the goals have a constant sum.
#[pyfunction]
#[pyo3(name = "solve", signature = (game, *, iterations = 10_000, nash_conv = 1e-6, unit = 1.0, nodes = 30_000_000))]
pub fn solve_game(
    py: Python<'_>,
    game: &Game,
    iterations: u64,
    nash_conv: f64,
    unit: f64,
    nodes: usize,
) -> PyResult<Policy> {
    interruptible(py, |stop| {
        let interrupt = &stop.interrupt;
        let of = grown(&game.0, unit, nodes, interrupt)?;
        let mut minimisers = RegretRule::PORTFOLIO.map(|rule| RegretMinimiser::new(&of.form, rule));
        let limits = SolveLimits {
            nash_conv,
            iterations: iterations.max(1),
            budget: stop.budget(None, None),
            stop: &|| interrupt.is_raised(),
        };
        let SolvedProfile { profile, point } = solve::solve(&of.form, &mut minimisers, &limits, |_| ());
        Ok(Policy { of, profile, found: Some(point) })
    })
}

/// Reads a policy file, as `hyperplay solve --out` and Policy.write make them; uniform where it says nothing.
#[pyfunction]
#[pyo3(signature = (game, path, *, unit = 1.0, nodes = 30_000_000))]
pub fn read_policy(py: Python<'_>, game: &Game, path: &str, unit: f64, nodes: usize) -> PyResult<Policy> {
    interruptible(py, |stop| {
        let interrupt = &stop.interrupt;
        let file = PolicyFile::read(Path::new(path)).map_err(|error| wrong(error, "name a policy file"))?;
        let of = grown(&game.0, unit, nodes, interrupt)?;
        let profile = profile_of(&game.0.engine, &file, &of.tree);
        Ok(Policy::of(&of, profile))
    })
}

impl Policy {
    fn by_role<'py>(&self, py: Python<'py>, of: &ByRole<f64>) -> PyResult<Bound<'py, PyDict>> {
        let engine = &self.of.game.engine;
        let players = engine.each_role().filter(|&role| engine.random() != Some(role));
        players.map(|role| (&engine.roles()[role], of[role])).into_py_dict(py)
    }

    fn at<'py>(&self, py: Python<'py>, set: usize) -> PyResult<Bound<'py, PyDict>> {
        let shares = self.of.tree.moves(set).iter().zip(self.profile.of(&self.of.tree, set));
        shares.map(|(&own, share)| (self.of.game.engine.show_move(own), share)).into_py_dict(py)
    }

    /// A policy that was not solved.
    pub fn of(tree: &Arc<Solvable>, profile: Profile) -> Policy {
        Policy { of: Arc::clone(tree), profile, found: None }
    }
}

#[pymethods]
impl Policy {
    /// The probabilities of the moves of a role after this evidence: a list of (own move, percepts). None where it has no choice, or where
    /// no history of the game gives this evidence.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        role: &str,
        evidence: Steps,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let role = self.of.game.role(role)?;
        let evidence = self.of.game.evidence(role, &evidence, false)?;
        let set = self.of.indexes[role].find(&self.of.tree, &evidence);
        set.map(|set| self.at(py, set)).transpose()
    }

    /// All information sets: role, evidence, and the probabilities of the moves.
    fn information_sets<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Steps, Bound<'py, PyDict>)>> {
        let (tree, game) = (&self.of.tree, &self.of.game);
        let one = |(number, set): (usize, &solve::InformationSet)| {
            let evidence = game.steps(&tree.evidence(set));
            Ok((game.engine.roles()[set.role].clone(), evidence, self.at(py, number)?))
        };
        tree.sets().iter().enumerate().map(one).collect()
    }

    /// The tree of the game.
    #[getter]
    fn tree(&self) -> GameTree {
        GameTree(Arc::clone(&self.of))
    }

    /// The probabilities of all moves of all information sets: float64, in the order that GameTree.information_sets states.
    #[getter]
    fn array<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let tree = &self.of.tree;
        let all = (0..tree.sets().len()).flat_map(|set| self.profile.of(tree, set)).copied();
        PyArray1::from_iter(py, all)
    }

    /// What the policy is worth and what can be gained against it, in payoffs: a dictionary with `values`, `best_responses` (both by
    /// role) and `nash_conv`.
    fn exploit<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Verdict { values, best_responses, nash_conv } =
            interruptible(py, |_| Ok(self.of.form.judge(&self.profile)))?;
        let shown = PyDict::new(py);
        shown.set_item("values", self.by_role(py, &values)?)?;
        shown.set_item("best_responses", self.by_role(py, &best_responses)?)?;
        shown.set_item("nash_conv", nash_conv)?;
        Ok(shown)
    }

    /// A best response of every role to the others' part of this policy.
    fn best_response(&self, py: Python<'_>) -> PyResult<Policy> {
        interruptible(py, |_| Ok(Policy::of(&self.of, self.of.form.best_responses(&self.profile))))
    }

    /// The policy that a function gives: it is called with role, evidence and legal moves, and answers probabilities by move or one move.
    fn replaced(&self, function: &Bound<'_, PyAny>) -> PyResult<Policy> {
        let (tree, game) = (&self.of.tree, &self.of.game);
        let mut failure = None;
        let ask = |set: usize, moves: &[Move]| {
            let of = &tree.sets()[set];
            let legal: Vec<String> = moves.iter().map(|&own| game.engine.show_move(own)).collect();
            let asked = (&game.engine.roles()[of.role], game.steps(&tree.evidence(of)), legal.clone());
            shares(&legal, &function.call1(asked)?)
        };
        let profile = Profile::from_fn(tree, |set, moves| {
            let asked = if failure.is_none() { ask(set, moves) } else { Ok(Vec::new()) };
            asked
                .map_err(|error| failure = Some(error))
                .ok()
                .filter(|shares| !shares.is_empty())
                .unwrap_or_else(|| vec![1.0; moves.len()])
        });
        failure.map_or_else(|| Ok(Policy::of(&self.of, profile)), Err)
    }

    /// Writes the policy as a file, for `policy:FILE` in specs. A file that is there is not replaced, and none is left half written.
    fn write(&self, path: &str) -> PyResult<()> {
        let engine = &self.of.game.engine;
        let refuse = |error: FileError| wrong(error, "name a file that is not there, where there is room");
        if Path::new(path).exists() {
            return Err(wrong(format!("{path} is there already"), "name a file that is not there"));
        }
        let content = FileContent::beginning("policy of Python", "{\"schema\": \"hyperplay.policy/1\"");
        let file = WrittenFile::at(Path::new(path), content).map_err(refuse)?;
        let header = serde_json::json!({"game": self.of.game.name, "rules": engine.game().rules_hash()});
        let roles: Vec<Role> = self.of.tree.players().collect();
        let entries = entries_of(&self.of.tree, &self.profile, &roles);
        file.write(|out| PolicyDocument { machine: engine, header }.write(out, entries, &[])).map_err(refuse)
    }

    /// NashConv when it was found; None for a policy that was not solved.
    #[getter]
    fn nash_conv(&self) -> Option<f64> {
        self.found.as_ref().map(|found| found.verdict.nash_conv)
    }

    /// The iterations that were made; None for a policy that was not solved.
    #[getter]
    fn iterations(&self) -> Option<u64> {
        self.found.as_ref().map(|found| found.iterations)
    }

    fn __repr__(&self) -> String {
        format!("Policy for {} information sets of {}", self.of.tree.sets().len(), self.of.game.name)
    }
}
