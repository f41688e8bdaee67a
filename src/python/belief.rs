//! Beliefs: weighted histories that explain the evidence of a role, sampled or complete.

use std::sync::Arc;

use hyperplay_engine::Engine;
use hyperplay_machine::{
    self as machine, Budget, Evidence, History, Observation, OwnMove, Percept, Percepts, Role, Seed,
    StateMachine, StateMachineExt, share_at,
};
use hyperplay_play::player::Registry;
use hyperplay_think::belief::{self, Sampler, SharedModel, UpdateOutcome, effective_size, exact};
use numpy::{PyArray1, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rand::RngExt;

use super::batch::Batch;
use super::failure::{interruptible, time, wrong};
use super::game::{Game, Shared};
use super::own::PythonSampler;

/// Evidence in Python: the own move and the percepts of each step.
pub type Steps = Vec<(String, Vec<String>)>;

impl Shared {
    /// Adds a step to evidence: the own move, and what was perceived at it.
    pub fn observe(
        &self,
        evidence: &mut Evidence,
        own: &str,
        percepts: &[String],
        over: bool,
    ) -> PyResult<()> {
        if evidence.over {
            return Err(wrong("the match is over by this evidence", "begin a new belief for a new match"));
        }
        let terms = self.engine.terms();
        // Where nothing is hidden, the list is empty and the joint move is perceived.
        let known =
            self.words().ok().map(|words| &words.percepts[evidence.role]).filter(|known| !known.is_empty());
        let percept = |text: &String| {
            let read = terms
                .read(text)
                .map(Percept)
                .filter(|percept| known.is_none_or(|known| known.contains(percept)));
            let what =
                || format!("{}: '{text}' is no percept of {}", self.name, self.engine.roles()[evidence.role]);
            read.ok_or_else(|| wrong(what(), "Game.percepts lists those of a role"))
        };
        let own = OwnMove::Known(self.read_move(evidence.role, own)?);
        let percepts = percepts.iter().map(percept).collect::<PyResult<Vec<_>>>()?;
        let percepts = Percepts::new(percepts, |a, b| terms.compare(a.0, b.0));
        evidence.steps.push(Observation { own, percepts });
        evidence.over = over;
        Ok(())
    }

    /// Evidence from a list of steps, each the own move and the percepts.
    pub fn evidence(&self, role: Role, steps: &[(String, Vec<String>)], over: bool) -> PyResult<Evidence> {
        let mut evidence = Evidence::new(role);
        for (number, (own, percepts)) in steps.iter().enumerate() {
            self.observe(&mut evidence, own, percepts, over && number + 1 == steps.len())?;
        }
        Ok(evidence)
    }

    /// The same, from evidence to the list of steps.
    pub fn steps(&self, evidence: &Evidence) -> Steps {
        let step = |step: &Observation| {
            let own = step.own.presumed().map(|own| self.engine.show_move(own)).unwrap_or_default();
            (own, step.percepts.iter().map(|percept| self.engine.terms().show(percept.0)).collect())
        };
        evidence.steps.iter().map(step).collect()
    }
}

/// Weighted histories that explain the evidence of a role: the particles of a belief, or the exact posterior.
#[pyclass(frozen, module = "hyperplay")]
pub struct Histories {
    game: Arc<Shared>,
    histories: Vec<History>,
    states: Vec<machine::State>,
    weights: Vec<f64>,
}

#[pymethods]
impl Histories {
    fn __len__(&self) -> usize {
        self.histories.len()
    }

    fn __repr__(&self) -> String {
        format!(
            "Histories of {}: {}, effective size {:.1}",
            self.game.name,
            self.weights.len(),
            self.effective_size()
        )
    }

    /// The weights, which sum to 1: float64 [N].
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.weights.to_pyarray(py)
    }

    /// The effective sample size: 1 / sum of squared weights.
    #[getter]
    fn effective_size(&self) -> f64 {
        effective_size(self.weights.iter().copied())
    }

    /// The last state of each history, as a Batch of N states.
    #[getter]
    fn states(&self) -> PyResult<Batch> {
        Batch::of(&self.game, self.states.clone())
    }

    /// A history: the joint moves, each a list in the order of roles.
    fn history(&self, number: usize) -> PyResult<Vec<Vec<String>>> {
        let what = || format!("there is no history {number}: there are {}", self.histories.len());
        let history = self.histories.get(number).ok_or_else(|| wrong(what(), "they count from 0"))?;
        let show =
            |joint: &machine::JointMove| joint.iter().map(|&own| self.game.engine.show_move(own)).collect();
        Ok(history.0.iter().map(show).collect())
    }

    /// A data frame of pandas with a row for each history: its `weight`, its `history` (joint moves, each a list in the order of roles) and
    /// the `facts` of its last state. `to_parquet` keeps it.
    fn frame<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let columns = PyDict::new(py);
        columns.set_item("weight", &self.weights)?;
        let histories = (0..self.histories.len()).map(|number| self.history(number));
        columns.set_item("history", histories.collect::<PyResult<Vec<_>>>()?)?;
        let facts = self.states.iter().map(|state| self.game.engine.fluents(state));
        columns.set_item("facts", facts.collect::<Vec<_>>())?;
        py.import("pandas")?.getattr("DataFrame")?.call1((columns,))
    }

    /// The probability of each fluent: float64 [fluents], in the order of Game.fluents.
    fn marginals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let fluents = self.game.vocabulary()?.fluents.len();
        let (mut marginals, mut row) = (vec![0.0; fluents], vec![0; fluents]);
        for (state, weight) in self.states.iter().zip(&self.weights) {
            row.fill(0);
            self.game.write_fluents(state, &mut row)?;
            marginals.iter_mut().zip(&row).for_each(|(sum, &holds)| *sum += weight * f64::from(holds));
        }
        Ok(marginals.to_pyarray(py))
    }

    /// The numbers of `count` histories drawn by their weights, with replacement: int64 [count].
    fn draw<'py>(&self, py: Python<'py>, count: usize, seed: u64) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let mut rng = Seed::root(seed).rng();
        let draw = |_| share_at(self.weights.iter().copied(), rng.random()).map(|place| place as i64);
        let drawn: Option<Vec<i64>> = (0..count).map(draw).collect();
        let drawn = drawn.ok_or_else(|| wrong("there is no history to draw", "look at Belief.outcome"))?;
        Ok(drawn.to_pyarray(py))
    }
}

/// What a role believes: it follows the evidence of the role by a sampler, under a model of the other roles.
#[pyclass(module = "hyperplay")]
pub struct Belief {
    game: Arc<Shared>,
    evidence: Evidence,
    model: SharedModel,
    belief: Box<dyn belief::Belief<Engine>>,
    outcome: UpdateOutcome,
    seed: Seed,
}

#[pymethods]
impl Belief {
    /// The belief of a role before the first step. `sampler` and `model` are specs, as `hyperplay players` explains them. A sampler may also be
    /// a class of Python: called with the game, the name of the role and the number of particles it makes an object with the method
    /// `update(evidence, over, seed)`, which answers histories, or pairs of a weight and a history.
    #[new]
    #[pyo3(signature = (game, role, *, particles = 200, sampler = None, model = "uniform", seed = 0))]
    fn new(
        game: &Game,
        role: &str,
        particles: usize,
        sampler: Option<&Bound<'_, PyAny>>,
        model: &str,
        seed: u64,
    ) -> PyResult<Belief> {
        let (game, role, registry) = (Arc::clone(&game.0), game.0.role(role)?, Registry::standard());
        if particles == 0 {
            return Err(wrong("a belief of no particles holds nothing", "ask for one at least"));
        }
        let refuse = |error| wrong(error, "`hyperplay players` lists names and keys");
        let sampler: Arc<dyn Sampler<Engine>> = match sampler {
            Some(own) if own.is_callable() => Arc::new(PythonSampler(own.clone().unbind())),
            named => {
                let spec: String = named.map_or(Ok("hyperplay".to_owned()), |spec| spec.extract())?;
                Arc::clone(registry.sampler(&spec).map_err(refuse)?.sampler())
            }
        };
        let model = registry.model(model).map_err(refuse)?.model(&game.engine);
        let belief = sampler.belief(&game.engine, role, &model, particles);
        let (evidence, seed) = (Evidence::new(role), Seed::root(seed).child("belief"));
        let mut new = Belief { game, evidence, model, belief, outcome: UpdateOutcome::Sampled, seed };
        new.outcome = new.belief.update(&new.evidence, &Budget::UNLIMITED, &new.seed.index(0));
        Ok(new)
    }

    /// Takes in one more step: the own move, and what was perceived at it. Returns the outcome: enumerated, sampled, depleted or inconsistent.
    /// `states` limits the states that are visited, `seconds` the time.
    #[pyo3(signature = (own, percepts, *, over = false, states = None, seconds = None))]
    fn update(
        &mut self,
        py: Python<'_>,
        own: &str,
        percepts: Vec<String>,
        over: bool,
        states: Option<u64>,
        seconds: Option<f64>,
    ) -> PyResult<&'static str> {
        // What is wrong with the call leaves the belief as it was.
        let seconds = time(seconds)?;
        self.game.observe(&mut self.evidence, own, &percepts, over)?;
        let seed = self.seed.index(self.evidence.step());
        let (belief, evidence) = (&mut self.belief, &self.evidence);
        self.outcome =
            interruptible(py, |stop| Ok(belief.update(evidence, &stop.budget(seconds, states), &seed)))?;
        let failure = self.belief.take_failure();
        failure.map_or(Ok(self.outcome()), |failure| Err(wrong(failure, "hyperplay check names the clause")))
    }

    /// How the last update ended.
    #[getter]
    fn outcome(&self) -> &'static str {
        match self.outcome {
            UpdateOutcome::Enumerated => "enumerated",
            UpdateOutcome::Sampled => "sampled",
            UpdateOutcome::Depleted { .. } => "depleted",
            UpdateOutcome::Inconsistent { .. } => "inconsistent",
        }
    }

    /// How the particles were found: enumeration, rejection, particle filter, backtracking or other.
    #[getter]
    fn method(&self) -> String {
        self.belief.method().to_string()
    }

    /// The evidence so far: a list of the own move and the percepts of each step.
    #[getter]
    fn evidence(&self) -> Steps {
        self.game.steps(&self.evidence)
    }

    /// The particles.
    #[getter]
    fn particles(&self) -> Histories {
        let belief = &self.belief;
        let particles = belief.particles();
        Histories {
            game: Arc::clone(&self.game),
            histories: particles.iter().map(|particle| belief.history(particle)).collect(),
            states: particles.iter().map(|particle| belief.state(particle).clone()).collect(),
            weights: particles.iter().map(|particle| particle.weight).collect(),
        }
    }

    /// The exact posterior under the same model, by enumeration of at most `limit` histories at each step.
    #[pyo3(signature = (*, limit = 100_000))]
    fn posterior(&self, py: Python<'_>, limit: usize) -> PyResult<Histories> {
        let (engine, evidence, model) = (&*self.game.engine, &self.evidence, &self.model);
        let found = interruptible(py, |_| {
            exact::posterior(engine, evidence, &**model, limit)
                .map_err(|error| wrong(error, "raise the limit, or ask a sampler"))
        })?;
        let (histories, weights): (Vec<History>, Vec<f64>) = found.histories.into_iter().unzip();
        let mut scratch = engine.scratch();
        let states = histories.iter().map(|history| engine.replay(history, &mut scratch)).collect();
        Ok(Histories { game: Arc::clone(&self.game), histories, states, weights })
    }

    fn __repr__(&self) -> String {
        let role = &self.game.engine.roles()[self.evidence.role];
        format!(
            "Belief of {role} in {} after {} steps: {}",
            self.game.name,
            self.evidence.step(),
            self.outcome()
        )
    }
}
