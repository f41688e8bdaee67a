//! Matches between players by name and players that are written in Python.

use std::sync::{Arc, Mutex, PoisonError};

use hyperplay_machine::{ByRole, Evidence, Move, Role, Seed, StateMachine, StateMachineExt};
use hyperplay_play::for_engine::play_match;
use hyperplay_play::player::{self as players, PlayerSpec, Registry, Seat, View};
use hyperplay_play::referee::{Clocks, Concurrency, Heading, Settings, Transcript, match_seed, play_series};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use super::failure::{interruptible, time, wrong};
use super::game::{Game, Shared};
use super::own::{PythonPlayer, Raised};

/// A player of a role by its spec, asked move by move.
#[pyclass(module = "hyperplay")]
pub struct Player {
    game: Arc<Shared>,
    evidence: Evidence,
    player: Mutex<Box<dyn players::Player>>,
    seed: Seed,
}

#[pymethods]
impl Player {
    /// A player for one match, by its spec, as `hyperplay players` explains them.
    #[new]
    #[pyo3(signature = (game, role, spec = "auto", *, seed = 0))]
    fn new(game: &Game, role: &str, spec: &str, seed: u64) -> PyResult<Player> {
        let (game, role) = (Arc::clone(&game.0), game.0.role(role)?);
        match read(&game, spec)?.seat(&game.engine, role) {
            Seat::Player(player) => {
                let (player, seed) = (Mutex::new(player), Seed::root(seed).child("player"));
                Ok(Player { evidence: Evidence::new(role), game, player, seed })
            }
            _ => Err(wrong(
                format!("'{spec}' is shown more than its role knows"),
                "let it play in a match, by play",
            )),
        }
    }

    /// Takes in what happened in a step: the own move, and what was perceived at it.
    #[pyo3(signature = (own, percepts, *, over = false))]
    fn observe(&mut self, own: &str, percepts: Vec<String>, over: bool) -> PyResult<()> {
        self.game.observe(&mut self.evidence, own, &percepts, over)
    }

    /// Its move among the legal ones, within `seconds` or `states` if they are given. A dictionary with `move`, `policy` (probabilities),
    /// `values` (expected goals) and `reasons` (lines of text).
    #[pyo3(signature = (legal, *, seconds = None, states = None))]
    fn decide<'py>(
        &mut self,
        py: Python<'py>,
        legal: Vec<String>,
        seconds: Option<f64>,
        states: Option<u64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (role, seconds) = (self.evidence.role, time(seconds)?);
        let mut moves =
            legal.iter().map(|own| self.game.read_move(role, own)).collect::<PyResult<Vec<Move>>>()?;
        if moves.is_empty() {
            return Err(wrong("there is no legal move to choose", "give all that are legal"));
        }
        let terms = self.game.engine.terms();
        moves.sort_unstable_by(|a, b| terms.compare(a.0, b.0));
        let (evidence, seed) = (&self.evidence, self.seed.index(self.evidence.step()));
        let player = self.player.get_mut().unwrap_or_else(PoisonError::into_inner);
        let decision = interruptible(py, |stop| {
            Ok(player.decide(&View { evidence, legal: &moves }, &stop.budget(seconds, states), &seed))
        })?;
        let (shown, engine) = (PyDict::new(py), &self.game.engine);
        let table = |of: &[(Move, f64)]| {
            of.iter().map(|(own, number)| (engine.show_move(*own), number)).into_py_dict(py)
        };
        shown.set_item("move", engine.show_move(decision.choice))?;
        shown.set_item("policy", table(&decision.policy)?)?;
        shown.set_item("values", table(&decision.values)?)?;
        shown.set_item("reasons", decision.explain(engine))?;
        Ok(shown)
    }
}

fn read(game: &Shared, spec: &str) -> PyResult<PlayerSpec> {
    let refuse = |error| wrong(error, "`hyperplay players` lists names and keys");
    let spec = Registry::standard().player(spec).map_err(refuse)?;
    let misfit = spec.spec().misfit(game.engine.roles().values(), &game.engine.game().rules_hash());
    misfit.map_or(Ok(spec), |misfit| Err(wrong(misfit, "take a file of this game")))
}

/// Who plays a role: a player by its spec, or what makes a player of Python for a match.
enum Seated {
    Spec(PlayerSpec),
    Python(Py<PyAny>),
}

/// Plays matches and returns one record for each: a dictionary, as docs/transcript.md describes it.
///
/// `players` has, by role, a spec, or a class (or any callable) that is called with the game and the name of the role and makes a player
/// with the method `decide(evidence, legal, seed)`: `evidence` is a list of (own move, percepts), and the answer a legal move or a
/// dictionary of probabilities. Roles that are left out choose at random. Under `nodes` or without limits a seed fixes the result.
#[pyfunction]
#[pyo3(signature = (game, players, *, matches = 1, seed = 0, startclock = None, playclock = None, nodes = None, limit = 10_000, values = false))]
#[allow(clippy::too_many_arguments)]
pub fn play<'py>(
    py: Python<'py>,
    game: &Game,
    players: &Bound<'py, PyDict>,
    matches: usize,
    seed: u64,
    startclock: Option<f64>,
    playclock: Option<f64>,
    nodes: Option<u64>,
    limit: usize,
    values: bool,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let (game, engine) = (Arc::clone(&game.0), Arc::clone(&game.0.engine));
    let mut seated: ByRole<Option<Seated>> = engine.roles().map(|_| None);
    let mut names: Vec<Option<String>> = vec![None; engine.roles().len()];
    for (role, player) in players.iter() {
        let role = game.role(&role.extract::<String>()?)?;
        if engine.random() == Some(role) {
            return Err(wrong("the role 'random' has no player: the rules play it", "leave it out"));
        }
        let (one, name) = match player.extract::<String>() {
            Ok(spec) => (Seated::Spec(read(&game, &spec)?), spec),
            Err(_) if player.is_callable() => {
                let name = player
                    .getattr("__name__")
                    .and_then(|name| name.extract())
                    .unwrap_or_else(|_| "python".to_owned());
                (Seated::Python(player.unbind()), name)
            }
            Err(_) => {
                return Err(wrong(
                    "a player is a spec, or a class that makes one",
                    "give 'auto', or a class with decide",
                ));
            }
        };
        (seated[role], names[role.index()]) = (Some(one), Some(name));
    }
    let clocks = time(playclock)?
        .map(|play| Ok::<_, PyErr>(Clocks { start: time(startclock)?.unwrap_or_default(), play }));
    let settings = Settings { clocks: clocks.transpose()?, nodes, limit, ..Settings::default() };
    for role in engine.each_role().filter(|&role| engine.random() != Some(role)) {
        names[role.index()].get_or_insert_with(|| "random".to_owned());
    }
    let heading = Heading {
        game: game.name.clone(),
        rules: engine.game().rules_hash(),
        players: names,
        seed,
        decisions: values,
    };
    let lines = interruptible(py, |stop| {
        let interrupt = &stop.interrupt;
        let raised = Raised::new(interrupt);
        let one = |index: usize| -> PyResult<String> {
            let seats = seats(&game, &seated, &raised)?;
            let played =
                play_match(&engine, seats, &settings, &match_seed(seed, index), interrupt, &mut |_| ())?;
            let record = Transcript::new(&*engine, &heading, &settings, index, &played);
            serde_json::to_string(&record).map_err(|error| wrong(error, "please report it"))
        };
        let mut lines = Vec::with_capacity(matches);
        let concurrency = if playclock.is_some() { Concurrency::One } else { Concurrency::Computing };
        play_series(matches, concurrency, interrupt, one, |_, line| {
            lines.push(line);
            Ok::<_, PyErr>(())
        })?;
        raised.take().map_or(Ok(lines), Err)
    })?;
    let loads = py.import("json")?.getattr("loads")?;
    lines.into_iter().map(|line| loads.call1((line,))).collect()
}

/// A player for every role but `random`.
fn seats(
    game: &Arc<Shared>,
    seated: &ByRole<Option<Seated>>,
    raised: &Raised,
) -> PyResult<ByRole<Option<Seat>>> {
    let engine = &game.engine;
    let one = |role: Role| {
        Ok(match &seated[role] {
            _ if engine.random() == Some(role) => None,
            None => Some(Seat::player(players::RandomPlayer)),
            Some(Seated::Spec(spec)) => {
                let kind = spec.engine().unwrap_or(engine.kind());
                let own = if kind == engine.kind() { Ok(Arc::clone(engine)) } else { game.engines.get(kind) };
                Some(spec.seat(&own.map_err(|error| wrong(error, "leave out the key engine"))?, role))
            }
            Some(Seated::Python(make)) => {
                let object =
                    Python::attach(|py| make.call1(py, (Game(Arc::clone(game)), &engine.roles()[role])))?;
                Some(Seat::player(PythonPlayer {
                    game: Arc::clone(game),
                    object,
                    raised: Some(raised.clone()),
                }))
            }
        })
    };
    let each = engine.each_role().map(one).collect::<PyResult<Vec<_>>>()?;
    Ok(ByRole::new(each))
}
