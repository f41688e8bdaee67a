//! Players and samplers that are written in Python.

use std::sync::{Arc, Mutex, PoisonError};

use hyperplay_engine::{Engine, Engines};
use hyperplay_machine::{Budget, Evidence, Move, Role, Seed, State, StateMachine, StateMachineExt};
use hyperplay_play::player::{
    Decision, Player, Registry, RegistryError, Seat, SpecEntry, View, answered_belief, explaining,
};
use hyperplay_play::referee::Interrupt;
use hyperplay_think::belief::{Belief, Histories, Sampler, SharedModel, TracedHistory};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rand::Rng;

use super::failure::wrong;
use super::game::{Game, Shared};

/// The first exception of a player; it ends all matches.
#[derive(Clone)]
pub struct Raised {
    error: Arc<Mutex<Option<PyErr>>>,
    interrupt: Interrupt,
}

impl Raised {
    pub fn new(interrupt: &Interrupt) -> Raised {
        Raised { error: Arc::default(), interrupt: interrupt.clone() }
    }

    fn keep(&self, error: PyErr) {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.interrupt.raise();
    }

    pub fn take(&self) -> Option<PyErr> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A number for a random generator of Python, below 2^63.
fn python_seed(seed: &Seed) -> u64 {
    seed.child("python").rng().next_u64() >> 1
}

/// A player that is written in Python: an object with the method `decide(evidence, legal, seed)`.
pub struct PythonPlayer {
    pub game: Arc<Shared>,
    pub object: Py<PyAny>,
    /// Where an exception goes; without it an exception is a fault of the player, which the referee names.
    pub raised: Option<Raised>,
}

impl PythonPlayer {
    /// The policy that it answers: a move, or probabilities by move.
    fn ask(&self, view: &View<'_>, seed: u64) -> PyResult<Vec<(Move, f64)>> {
        let engine = &self.game.engine;
        let legal: Vec<String> = view.legal.iter().map(|&own| engine.show_move(own)).collect();
        Python::attach(|py| {
            let asked = (self.game.steps(view.evidence), legal.clone(), seed);
            let shares = shares(&legal, &self.object.bind(py).call_method1("decide", asked)?)?;
            Ok(view.legal.iter().copied().zip(shares).collect())
        })
    }
}

/// The probabilities of the legal moves by an answer: one of them, or numbers of 0 or more by move, which are scaled.
pub fn shares(legal: &[String], answer: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let by_move: Vec<(String, f64)> = match answer.cast::<PyDict>() {
        Ok(policy) => {
            let share =
                |(own, share): (Bound<'_, PyAny>, Bound<'_, PyAny>)| Ok((own.extract()?, share.extract()?));
            policy.iter().map(share).collect::<PyResult<_>>()?
        }
        Err(_) => vec![(answer.extract()?, 1.0)],
    };
    let sum: f64 = by_move.iter().map(|(_, share)| share).sum();
    if !(sum > 0.0 && by_move.iter().all(|&(_, share)| share >= 0.0 && share.is_finite())) {
        return Err(wrong("an answer has probabilities that are none", "they are 0 or more, and not all 0"));
    }
    let mut shares = vec![0.0; legal.len()];
    for (own, share) in by_move {
        let place = legal.iter().position(|legal| *legal == own);
        let what = || format!("'{own}' was answered, which is not legal");
        let remedy = || format!("the legal moves are {}", legal.join(", "));
        shares[place.ok_or_else(|| wrong(what(), remedy()))?] = share / sum;
    }
    Ok(shares)
}

impl Player for PythonPlayer {
    fn decide(&mut self, view: &View<'_>, _: &Budget, seed: &Seed) -> Decision {
        match (self.ask(view, python_seed(seed)), &self.raised) {
            (Ok(policy), _) => Decision::draw(policy, seed),
            (Err(error), Some(raised)) => {
                raised.keep(error);
                Decision::uniform(view.legal, seed)
            }
            // The referee catches it, replaces the move, and names the fault.
            (Err(error), None) => panic!("{error}"),
        }
    }
}

/// A sampler that is written in Python: what is called with the game, the name of the role and the number of particles makes an object
/// with the method `update(evidence, over, seed)`, which answers histories, or pairs of a weight and a history.
pub struct PythonSampler(pub Py<PyAny>);

impl Sampler<Engine> for PythonSampler {
    fn belief(
        &self,
        machine: &Arc<Engine>,
        role: Role,
        model: &SharedModel,
        particles: usize,
    ) -> Box<dyn Belief<Engine>> {
        let (game, make) = (of_engine(machine), Python::attach(|py| self.0.clone_ref(py)));
        let mut object = None;
        answered_belief(
            machine,
            role,
            model,
            particles,
            "in Python".into(),
            move |histories, evidence, _, seed| {
                let drawn = Python::attach(|py| {
                    let asked = (Game(Arc::clone(&game)), &game.engine.roles()[role], particles);
                    let made: &mut Py<PyAny> = match &mut object {
                        Some(made) => made,
                        none => none.insert(make.call1(py, asked)?),
                    };
                    draw(&game, made.bind(py), histories, evidence, seed)
                });
                drawn.map_err(|error| error.to_string())
            },
        )
    }
}

/// The weighted histories that an object answers.
fn draw(
    game: &Shared,
    object: &Bound<'_, PyAny>,
    histories: &mut Histories<Engine>,
    evidence: &Evidence,
    seed: &Seed,
) -> PyResult<Vec<(TracedHistory<State>, f64)>> {
    let answer = object.call_method1("update", (game.steps(evidence), evidence.over, python_seed(seed)))?;
    let mut found = Vec::new();
    for (number, one) in answer.try_iter()?.enumerate() {
        let one = one?;
        let (weight, moves) =
            one.extract::<(f64, Vec<Vec<String>>)>().or_else(|_| Ok::<_, PyErr>((1.0, one.extract()?)))?;
        let remedy = "a history has a joint move for each step";
        let found_one = explaining(histories, evidence, number, &moves, weight);
        found.push(found_one.map_err(|what| wrong(what, remedy))?);
    }
    Ok(found)
}

fn of_engine(engine: &Arc<Engine>) -> Arc<Shared> {
    Arc::new(Shared::new(Arc::clone(engine), Engines::new(engine.game()), Vec::new()))
}

/// The standard registry with players and samplers of Python, by name.
pub fn registry(
    players: Option<&Bound<'_, PyDict>>,
    samplers: Option<&Bound<'_, PyDict>>,
) -> PyResult<Registry> {
    let refuse = |error: RegistryError| wrong(error, "take another name");
    let entry = |name: Bound<'_, PyAny>| -> PyResult<SpecEntry> {
        Ok(SpecEntry::new(name.extract::<String>()?, "is written in Python"))
    };
    let mut registry = Registry::standard();
    for (name, make) in players.into_iter().flatten() {
        let (entry, make) = (entry(name)?, Arc::new(make.unbind()));
        let read = move |_: &_, _: &_| {
            let make = Arc::clone(&make);
            Ok(move |engine: &Arc<Engine>, role: Role| {
                let game = of_engine(engine);
                let asked = (Game(Arc::clone(&game)), engine.roles()[role].clone());
                match Python::attach(|py| make.call1(py, asked)) {
                    Ok(object) => Seat::player(PythonPlayer { game, object, raised: None }),
                    Err(error) => panic!("a player in Python could not be made: {error}"),
                }
            })
        };
        registry = registry.with_player(entry, read).map_err(refuse)?;
    }
    for (name, make) in samplers.into_iter().flatten() {
        let (entry, make) = (entry(name)?, Arc::new(make.unbind()));
        let read = move |_: &_, _: &_| Ok(PythonSampler(Python::attach(|py| make.clone_ref(py))));
        registry = registry.with_sampler(entry, read).map_err(refuse)?;
    }
    Ok(registry)
}

/// Runs a command of the program `hyperplay` and returns its exit code: `main(["match", "kuhn_poker", "alice=auto"])`.
///
/// `players` and `samplers` have, by name, classes of Python (see play and Belief), which specs can then name. It writes to standard output
/// and takes Ctrl-C over, so call it as the only thing that a script does.
#[pyfunction]
#[pyo3(signature = (arguments, *, players = None, samplers = None))]
pub fn main(
    py: Python<'_>,
    arguments: Vec<String>,
    players: Option<&Bound<'_, PyDict>>,
    samplers: Option<&Bound<'_, PyDict>>,
) -> PyResult<u8> {
    let registry = registry(players, samplers)?;
    // Else Python would raise KeyboardInterrupt besides; outside its main thread it does not let that be changed.
    let signals = py.import("signal")?;
    let _ = signals.call_method1("signal", (signals.getattr("SIGINT")?, signals.getattr("SIG_DFL")?));
    let arguments = std::iter::once("hyperplay".to_owned()).chain(arguments);
    Ok(py.detach(|| hyperplay_cli::exit_code(&registry, arguments)))
}
