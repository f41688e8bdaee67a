//! Games: a name, a file or a text becomes a machine, with the vocabulary in which arrays speak of it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use hyperplay_engine::{Engine, EngineKind, Engines, declared};
use hyperplay_games::names::GameNames;
use hyperplay_games::{builtin, repository::GameNameError};
use hyperplay_logic::gdl::{self, Severity, Source, Symbol, TermId};
use hyperplay_machine::{
    self as machine, ByRole, Goal, JointMove, Move, Percept, Role, StateMachine, StateMachineExt,
};
use hyperplay_play::analysis::{ReachKind, survey};
use hyperplay_view::BoardLayout;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rustc_hash::FxHashMap;

use super::batch::Batch;
use super::failure::{interruptible, wrong};
use super::state::State;

/// The words of a game, in a fixed order: what the columns of arrays mean.
pub struct Vocabulary {
    /// The fluents, in the natural order of terms, each with the bit of a state where the engine has bits.
    pub fluents: Vec<(TermId, Option<usize>)>,
    /// The place of each fluent.
    pub places: FxHashMap<TermId, usize>,
    /// The moves of each role.
    pub moves: ByRole<Vec<Move>>,
    /// The place of each of them.
    pub numbers: ByRole<FxHashMap<Move, usize>>,
    /// The percepts of each role.
    pub percepts: ByRole<Vec<Percept>>,
}

/// The remedy for facts that are no state.
const REMEDY: &str = "take the facts of a state, as State.facts lists them";

/// What everything made of one game shares.
pub struct Shared {
    pub name: String,
    pub engine: Arc<Engine>,
    pub engines: Engines,
    words: OnceLock<Result<Vocabulary, String>>,
    layout: OnceLock<BoardLayout>,
    findings: Vec<Finding>,
}

impl Shared {
    /// What is made of one game on an engine.
    pub fn new(engine: Arc<Engine>, engines: Engines, findings: Vec<Finding>) -> Shared {
        let name = engine.game().name().to_owned();
        Shared { name, engine, engines, words: OnceLock::new(), layout: OnceLock::new(), findings }
    }

    /// The text of the rules.
    pub fn text(&self) -> &str {
        self.engine.game().source().text()
    }

    /// The words; where the rules neither ground nor declare them, why there are none.
    pub fn words(&self) -> Result<&Vocabulary, &String> {
        self.words.get_or_init(|| vocabulary(&self.engine)).as_ref()
    }

    /// How states are drawn.
    pub fn layout(&self) -> &BoardLayout {
        self.layout.get_or_init(|| BoardLayout::of(self.engine.game()))
    }

    pub fn vocabulary(&self) -> PyResult<&Vocabulary> {
        let remedy = "declare all fluents by `base` and all moves by `input`";
        self.words().map_err(|why| wrong(format!("{}: there are no arrays: {why}", self.name), remedy))
    }

    /// The role of a name.
    pub fn role(&self, name: &str) -> PyResult<Role> {
        let remedy = format!("the roles are {}", self.engine.roles().values().join(", "));
        let what = || format!("{}: there is no role '{name}'", self.name);
        self.engine.role_named(name).ok_or_else(|| wrong(what(), remedy))
    }

    /// The term of a move of a role, as the rules spell it.
    pub fn read_move(&self, role: Role, text: &str) -> PyResult<Move> {
        let what = || format!("{}: '{text}' is no move of {}", self.name, self.engine.roles()[role]);
        let known = self.words().ok().map(|words| &words.numbers[role]);
        let read = self.engine.terms().read(text).map(Move);
        read.filter(|own| known.is_none_or(|known| known.contains_key(own)))
            .ok_or_else(|| wrong(what(), "State.legal_moves lists those that are legal"))
    }

    /// A joint move: a list in the order of roles, or a dictionary by role. A role that is left out has one legal move, which it makes.
    pub fn joint(&self, moves: &Bound<'_, PyAny>, legal: &ByRole<Vec<Move>>) -> PyResult<JointMove> {
        let mut named: ByRole<Option<String>> = legal.map(|_| None);
        if let Ok(by_role) = moves.cast::<PyDict>() {
            for (role, own) in by_role.iter() {
                named[self.role(&role.extract::<String>()?)?] = Some(own.extract()?);
            }
        } else {
            let list: Vec<String> = moves.extract()?;
            let what = format!("{} moves were given for {} roles", list.len(), legal.len());
            if list.len() != legal.len() {
                return Err(wrong(what, "give one for each role, or a dictionary by role"));
            }
            list.into_iter().enumerate().for_each(|(role, own)| named[Role::new(role)] = Some(own));
        }
        let chosen = legal.iter().map(|(role, legal)| {
            let name = &self.engine.roles()[role];
            match (&named[role], &legal[..]) {
                (None, [only]) => Ok(*only),
                (None, _) => Err(wrong(
                    format!("{name} has {} legal moves, and none was given", legal.len()),
                    "name one of them",
                )),
                (Some(text), _) => {
                    let own = self.read_move(role, text)?;
                    let shown =
                        || legal.iter().map(|&own| self.engine.show_move(own)).collect::<Vec<_>>().join(", ");
                    legal.contains(&own).then_some(own).ok_or_else(|| {
                        wrong(
                            format!("{name} may not do {text} here"),
                            format!("its legal moves are {}", shown()),
                        )
                    })
                }
            }
        });
        Ok(JointMove::new(chosen.collect::<PyResult<Vec<Move>>>()?))
    }
}

/// A finding about rules: its code, severity, line (from 1), message and help.
#[pyclass(frozen, get_all, module = "hyperplay")]
#[derive(Clone)]
pub struct Finding {
    code: &'static str,
    severity: String,
    line: usize,
    message: String,
    help: Option<String>,
}

#[pymethods]
impl Finding {
    fn __repr__(&self) -> String {
        format!("Finding(line={}, {}[{}]: {})", self.line, self.severity, self.code, self.message)
    }
}

/// A game, from its rules.
#[pyclass(frozen, module = "hyperplay")]
pub struct Game(pub Arc<Shared>);

/// Loads a game: the name of a built-in one, the path of a file, or the text of the rules (it has a bracket or a line break).
///
/// `engine` is auto, interpreter, propagator or lanes. Raises HyperplayError, with all errors by line, if the rules are not a game.
#[pyfunction]
#[pyo3(signature = (rules, *, engine = "auto"))]
pub fn load(py: Python<'_>, rules: &str, engine: &str) -> PyResult<Game> {
    let kind: EngineKind = engine.parse().map_err(|_| {
        wrong(format!("'{engine}' is no engine"), "take auto, interpreter, propagator or lanes")
    })?;
    let source = if rules.contains(['(', '\n']) && !Path::new(rules).exists() {
        Source::new("rules", rules)
    } else {
        let repository = std::env::var_os("HYPERPLAY_REPOSITORY").map(PathBuf::from);
        let names = GameNames { folder: PathBuf::new(), repository };
        names.source(rules).map_err(|error| match error {
            GameNameError::Unknown { what, remedy } => wrong(what, remedy),
            GameNameError::Unreadable(path, cause) => {
                wrong(format!("{}: {cause}", path.display()), "name a file that can be read")
            }
        })?
    };
    py.detach(|| open(source, kind)).map(|shared| Game(Arc::new(shared)))
}

/// The names of the built-in games.
#[pyfunction]
pub fn games() -> Vec<String> {
    builtin::all().into_iter().map(|game| game.name).collect()
}

fn open(source: Source, kind: EngineKind) -> PyResult<Shared> {
    let loaded = hyperplay_games::load(source.clone(), None);
    let name = source.name().to_owned();
    let Some(game) = loaded.game else {
        let errors: Vec<_> =
            loaded.findings.into_iter().filter(|found| found.severity == Severity::Error).collect();
        return Err(wrong(
            format!("{name} is not a game:\n{}", gdl::render(&errors, &source, false).trim_end()),
            "correct the rules",
        ));
    };
    let finding = |found: gdl::Finding| Finding {
        code: found.code.as_str(),
        severity: found.severity.to_string(),
        line: source.line_column(found.span.start).0,
        message: found.message,
        help: found.help,
    };
    let engines = Engines::new(&game);
    let engine =
        engines.get(kind).map_err(|error| wrong(format!("{name}: {error}"), "take the engine auto"))?;
    let findings = loaded.findings.into_iter().map(finding).collect();
    Ok(Shared::new(engine, engines, findings))
}

/// The words of a game: those of its network, or those that the rules declare.
fn vocabulary(engine: &Engine) -> Result<Vocabulary, String> {
    let terms = engine.terms();
    let (mut fluents, moves, percepts) = if let Some(network) = engine.network_engine() {
        let net = &network.propagator.propnet;
        let fixed = net.fixed.iter().map(|&term| (term, None));
        (
            net.fluents.iter().map(|fluent| (fluent.term, Some(fluent.bit))).chain(fixed).collect(),
            net.roles.map(|role| role.moves.clone()),
            net.roles.map(|role| role.percepts.iter().map(|&(percept, _)| percept).collect()),
        )
    } else {
        let of = |relation, name: &str| {
            let tuples = declared(engine.game(), relation).map_err(|error| error.to_string())?;
            tuples.ok_or_else(|| format!("the rules are not grounded, and declare no `{name}`"))
        };
        let (base, input) = (of(Symbol::BASE, "base")?, of(Symbol::INPUT, "input")?);
        let percept = of(Symbol::PERCEPT, "percept").unwrap_or_default();
        let of_role = |tuples: &[Box<[TermId]>], role: Role| {
            let own = tuples.iter().filter(|tuple| terms.show(tuple[0]) == engine.roles()[role]);
            terms.sorted(own.map(|tuple| tuple[1]))
        };
        let each =
            |tuples: &[Box<[TermId]>]| ByRole::from_fn(engine.roles().len(), |role| of_role(tuples, role));
        (
            base.iter().map(|tuple| (tuple[0], None)).collect::<Vec<_>>(),
            each(&input).map(|moves| moves.iter().map(|&own| Move(own)).collect()),
            each(&percept).map(|seen| seen.iter().map(|&percept| Percept(percept)).collect()),
        )
    };
    fluents.sort_unstable_by(|a, b| terms.compare(a.0, b.0));
    fluents.dedup_by_key(|fluent| fluent.0);
    let places = fluents.iter().enumerate().map(|(place, &(term, _))| (term, place)).collect();
    let numbers =
        moves.map(|moves: &Vec<Move>| moves.iter().enumerate().map(|(number, &own)| (own, number)).collect());
    Ok(Vocabulary { fluents, places, moves, numbers, percepts })
}

#[pymethods]
impl Game {
    /// The name of the game, or the path of its file.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// The text of the rules.
    #[getter]
    fn rules(&self) -> &str {
        self.0.text()
    }

    /// The hash of the rules, by which files name them.
    #[getter]
    fn rules_hash(&self) -> String {
        self.0.engine.game().rules_hash()
    }

    /// The names of the roles, in their order.
    #[getter]
    fn roles(&self) -> Vec<String> {
        self.0.engine.roles().values().to_vec()
    }

    /// The name of the role that moves at random, or None.
    #[getter]
    fn random(&self) -> Option<&str> {
        self.0.engine.random().map(|role| &*self.0.engine.roles()[role])
    }

    /// The engine that evaluates the rules.
    #[getter]
    fn engine(&self) -> String {
        self.0.engine.kind().to_string()
    }

    /// What was found wrong or noteworthy in the rules.
    #[getter]
    fn findings(&self) -> Vec<Finding> {
        self.0.findings.clone()
    }

    /// The fluents, in the order of the columns of arrays.
    #[getter]
    fn fluents(&self) -> PyResult<Vec<String>> {
        let terms = self.0.engine.terms();
        Ok(self.0.vocabulary()?.fluents.iter().map(|&(term, _)| terms.show(term)).collect())
    }

    /// The moves that a role may ever make, in the order of their numbers in arrays.
    fn moves(&self, role: &str) -> PyResult<Vec<String>> {
        let role = self.0.role(role)?;
        Ok(self.0.vocabulary()?.moves[role].iter().map(|&own| self.0.engine.show_move(own)).collect())
    }

    /// The percepts that a role may ever have, in the order of the columns of arrays; empty where nothing is hidden.
    fn percepts(&self, role: &str) -> PyResult<Vec<String>> {
        let (role, terms) = (self.0.role(role)?, self.0.engine.terms());
        Ok(self.0.vocabulary()?.percepts[role].iter().map(|percept| terms.show(percept.0)).collect())
    }

    /// The state in which the game begins.
    fn initial_state(&self) -> State {
        State { game: Arc::clone(&self.0), state: self.0.engine.initial() }
    }

    /// The state in which exactly these facts hold.
    fn state(&self, facts: Vec<String>) -> PyResult<State> {
        let (engine, terms) = (&self.0.engine, self.0.engine.terms());
        let read = |text: &String| {
            terms.read(text).ok_or_else(|| wrong(format!("'{text}' is no fact of {}", self.0.name), REMEDY))
        };
        let held = facts.iter().map(read).collect::<PyResult<Vec<TermId>>>()?;
        let state = match engine.network_engine() {
            None => machine::State::of_fluents(held.clone()),
            Some(network) => {
                let net = &network.propagator.propnet;
                let mut bits = vec![false; net.bits()];
                let on = net.fluents.iter().filter(|fluent| held.contains(&fluent.term));
                on.for_each(|fluent| bits[fluent.bit] = true);
                machine::State::of_bits(&bits)
            }
        };
        let (asked, found) = (BTreeSet::from_iter(held), BTreeSet::from_iter(engine.holds(&state)));
        let shown = || engine.fluents(&state).join(" ");
        if asked != found {
            return Err(wrong(
                format!("{} has no state with these facts; near it is {}", self.0.name, shown()),
                REMEDY,
            ));
        }
        Ok(State { game: Arc::clone(&self.0), state })
    }

    /// Many copies of the initial state as one object.
    fn batch(&self, states: usize) -> PyResult<Batch> {
        Batch::of(&self.0, vec![self.0.engine.initial(); states])
    }

    /// What exploring at most `limit` joint moves shows: a dictionary with `states`, `complete` (whether these are all), `longest` (steps of
    /// the longest match; None if that is not known or there is none) and `goal_sum` (of all roles but `random`; None if ends differ).
    #[pyo3(signature = (*, limit = 100_000))]
    fn survey<'py>(&self, py: Python<'py>, limit: usize) -> PyResult<Bound<'py, PyDict>> {
        let engine = &*self.0.engine;
        let failed =
            |failure| wrong(format!("{}: {failure}", self.0.name), "hyperplay check names the clause");
        let reach = interruptible(py, |stop| {
            survey(engine, limit, &stop.interrupt, &|| ()).map_err(failed).map(|survey| survey.reach)
        })?;
        let sum = |goals: &ByRole<Goal>| -> u32 {
            let players = goals.iter().filter(|(role, _)| engine.random() != Some(*role));
            players.map(|(_, goal)| u32::from(goal.value())).sum()
        };
        let mut sums = reach.graph.node_weights().filter_map(|node| match &node.kind {
            ReachKind::Terminal(goals) => Some(sum(goals)),
            _ => None,
        });
        let first = sums.next().filter(|first| reach.complete && sums.all(|sum| sum == *first));
        let found = PyDict::new(py);
        found.set_item("states", reach.graph.node_count())?;
        found.set_item("complete", reach.complete)?;
        found.set_item("longest", reach.longest_match())?;
        found.set_item("goal_sum", first)?;
        Ok(found)
    }

    fn __repr__(&self) -> String {
        format!("Game({:?}, roles={:?})", self.0.name, self.roles())
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        let load = slf.py().import("hyperplay")?.getattr("load")?.unbind();
        Ok((load, (slf.get().0.text().to_owned(),)))
    }
}
