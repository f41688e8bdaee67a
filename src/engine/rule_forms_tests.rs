//! Every form in which the rules of a game are evaluated gives the answers of the rules as they stand: restricted to
//! what is asked of them, derived on demand, ground on demand, and stepped by the interpreter for a network.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::crosscheck::crosscheck;
use super::evaluable::EvaluableRules;
use super::{Engine, Interpreter, NetworkEngine, Propagator};
use crate::machine::Seed;
use crate::propnet::{GroundingLimits, Propnet, ground_on_demand, simplify};
use hyperplay_logic::datalog::EvaluationLimits;
use hyperplay_logic::gdl::{Game, Source, load};

const MATCHES: usize = 2;
const STEPS: usize = 12;

/// The games of the project that are not made with mistakes.
fn games() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let files = ["perfect", "imperfect", "repaired"].into_iter().flat_map(|folder| {
        let files = fs::read_dir(root.join(folder)).expect("the folder is there");
        files.map(|file| file.expect("it can be read").path())
    });
    let mut games: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|suffix| suffix == "kif" || suffix == "gdl"))
        .collect();
    games.sort();
    games
}

fn game(path: &Path) -> Game {
    let text = fs::read_to_string(path).expect("it can be read");
    let loaded = load(Source::new(path.display().to_string(), text), None);
    loaded.game.unwrap_or_else(|| panic!("{}: {:?}", path.display(), loaded.findings))
}

/// The interpreter of the rules as they stand.
fn whole(game: &Game) -> Interpreter {
    Interpreter::of_rules(game, game.rules().to_vec(), EvaluationLimits::default())
        .expect("the rules are small")
        .0
}

fn propagator(game: &Game, propnet: Propnet) -> Arc<Propagator> {
    let (propnet, _) = simplify(propnet, game.terms());
    Arc::new(Propagator::new(game, Arc::new(propnet)))
}

/// Plays random matches of every game for which `make` gives an engine; returns the number of games.
fn all_agree(make: impl Fn(&Game) -> Option<Engine>) -> usize {
    let mut compared = 0;
    for path in games() {
        let game = game(&path);
        let reference = whole(&game);
        let Some(engine) = make(&game) else { continue };
        let engines = [Arc::new(engine)];
        for number in 0..MATCHES {
            let seed = Seed::root(1).index(number);
            let met = crosscheck(&reference, &engines, STEPS, &seed);
            assert!(met.is_ok(), "{}: {:?}", path.display(), met.unwrap_err());
        }
        compared += 1;
    }
    compared
}

#[test]
fn the_interpreter_answers_the_same_if_relations_are_restricted_to_what_is_asked() {
    let restricted = |game: &Game| {
        let (whole, sample) = Interpreter::of_rules(game, game.rules().to_vec(), EvaluationLimits::default())
            .expect("the rules are small");
        let rules = whole.restricted(&sample, 0)?;
        if rules.len() == game.rules().len() {
            return None;
        }
        Some(Engine::Interpreter(Arc::new(
            Interpreter::of_rules(game, rules, EvaluationLimits::default()).expect("it derives less").0,
        )))
    };
    assert!(all_agree(restricted) >= 14);
}

#[test]
fn the_interpreter_answers_the_same_if_what_depends_on_no_state_is_derived_on_demand() {
    let on_demand = |game: &Game| {
        let few = EvaluationLimits { tuples: 10, visits: 1_000_000, ..EvaluationLimits::default() };
        let rules = EvaluableRules::within(game, few);
        if rules.on_demand().is_empty() {
            return None;
        }
        let made = Interpreter::of_rules(game, rules.rules().to_vec(), EvaluationLimits::default())
            .expect("it derives less");
        Some(Engine::Interpreter(Arc::new(made.0)))
    };
    assert!(all_agree(on_demand) >= 8);
}

#[test]
fn a_network_of_rules_restricted_to_what_is_asked_answers_the_same() {
    let on_demand = |game: &Game| {
        let (propnet, _) = ground_on_demand(game, 3, &GroundingLimits::default()).ok()?;
        Some(Engine::Network(Arc::new(NetworkEngine::new(propagator(game, propnet), None))))
    };
    assert!(all_agree(on_demand) >= 40);
}

#[test]
fn a_network_whose_single_states_the_interpreter_answers_answers_the_same() {
    let stepping = |game: &Game| {
        let (propnet, _) = crate::propnet::ground(game, &GroundingLimits::default()).ok()?;
        let engine = NetworkEngine::with_lanes(propagator(game, propnet)).stepping_by(Arc::new(whole(game)));
        assert!(engine.steps_by_interpreter());
        Some(Engine::Network(Arc::new(engine)))
    };
    assert!(all_agree(stepping) >= 40);
}
