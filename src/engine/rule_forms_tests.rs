//! Every form in which the rules of a game are evaluated gives the answers of the rules as they stand: restricted to
//! what is asked of them, derived on demand, ground on demand, and stepped by the interpreter for a network. This holds
//! of the games of the project, of rulesheets made at random, and of games with changes made at random.
//!
//! The reference is the interpreter of the rules as they stand, which `tests/library/agree.rs` holds against the naive
//! evaluator on rulesheets of the same generator.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::crosscheck::{Disagreement, crosscheck};
use super::evaluable::EvaluableRules;
use super::{Engine, Interpreter, NetworkEngine, Propagator};
use crate::propnet::{GroundingLimits, Propnet, ground_in_each_form, simplify};
use hyperplay_logic::datalog::{Database, EvaluationLimits};
use hyperplay_logic::gdl::{Game, Rule, Source, load};
use hyperplay_machine::Seed;

#[allow(unreachable_pub, reason = "it is a public module of the naive evaluators too")]
#[path = "../../tests/naive/generate.rs"]
mod generate;
#[path = "../../tests/common/property.rs"]
mod property;

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
        if rules.on_demand.is_empty() {
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
        let [.., on_demand] = ground_in_each_form(game, game.rules(), 3, &GroundingLimits::default());
        let (propnet, _) = on_demand.ok()?;
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

/// Rules that are derived on demand have auxiliary relations, and so have rules that are split for the grounder: these
/// relations were once given the same names.
#[test]
fn what_is_derived_on_demand_is_split_for_the_grounder() {
    let digits: String = (1..10).map(|digit| format!("(d {digit}) ")).collect();
    let text = format!(
        "(role r) {digits} (init (at 1)) (init (left 1 2)) (init (left 2 3)) (<= terminal (true (at 9))) (goal r 50)
         (<= (all ?a ?b ?c ?d ?e ?f ?g) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f) (d ?g))
         (<= (legal r (go ?x ?z)) (true (at ?y)) (d ?x) (d ?z) (all ?x ?y ?x ?y ?x ?y ?x))
         (<= (next (at ?x)) (does r (go ?x ?z)))
         (<= (next (left ?x ?y)) (true (left ?x ?y)) (does r (go ?a ?b)) (distinct ?x ?a))"
    );
    let game = load(Source::new("on demand", text), None).game.expect("the rules are fine");
    let rules = EvaluableRules::of(&game);
    assert_eq!(rules.on_demand.len(), 1);
    let networks = ground_in_each_form(&game, rules.rules(), 10, &GroundingLimits::default());
    let networks = networks.map(|made| made.expect("it is small").0);
    let engines = networks
        .map(|net| Arc::new(Engine::Network(Arc::new(NetworkEngine::new(propagator(&game, net), None)))));
    let reference = Interpreter::new(&game).expect("what is large is derived on demand");
    for number in 0..10 {
        let met = crosscheck(&reference, &engines, STEPS, &Seed::root(1).index(number));
        assert!(met.is_ok(), "{:?}", met.unwrap_err());
    }
}

/// Limits that are met within some milliseconds.
fn small(tuples: usize) -> EvaluationLimits {
    EvaluationLimits { tuples, visits: 50 * tuples as u64, depth: 40, ..EvaluationLimits::default() }
}

/// Rules of a game in other forms, each in an engine: at first a few of the relations are derived on demand or
/// restricted to what is asked of them, which ones is drawn; the result is restricted once more, and it is ground in
/// every form.
fn forms(game: &Game, whole: (&Interpreter, &Database), rng: &mut ChaCha8Rng) -> Vec<Engine> {
    let evaluated = |rules: Vec<Rule>| Interpreter::of_rules(game, rules, small(200_000)).ok();
    let mut rows = || rng.random_range(0..6);
    let on_demand = EvaluableRules::within(game, EvaluationLimits { tuples: rows() + 1, ..small(20_000) });
    let mut engines: Vec<Interpreter> = Vec::new();
    engines.extend(whole.0.restricted(whole.1, rows()).and_then(evaluated).map(|made| made.0));
    if let Some((interpreter, sample)) = evaluated(on_demand.rules().to_vec()) {
        engines.extend(interpreter.restricted(&sample, rows()).and_then(evaluated).map(|made| made.0));
        engines.push(interpreter);
    }
    let limits = GroundingLimits {
        atoms: 20_000,
        visits: 200_000,
        instances: 50_000,
        depth: 20,
        ..GroundingLimits::default()
    };
    let rules = [game.rules(), on_demand.rules()];
    let ground = rules.into_iter().flat_map(|rules| ground_in_each_form(game, rules, rows(), &limits));
    let network = |propnet| Engine::Network(Arc::new(NetworkEngine::new(propagator(game, propnet), None)));
    let networks: Vec<Engine> = ground.flatten().map(|(propnet, _)| network(propnet)).collect();
    engines.into_iter().map(|engine| Engine::Interpreter(Arc::new(engine))).chain(networks).collect()
}

/// Plays a random match of a game on all forms of its rules; returns how many forms there were.
fn forms_agree(game: &Game, seed: &Seed) -> Result<usize, String> {
    let whole = Interpreter::of_rules(game, game.rules().to_vec(), small(20_000));
    let Ok((reference, sample)) = whole else { return Ok(0) };
    let engines = forms(game, (&reference, &sample), &mut seed.child("forms").rng());
    let engines: Vec<Arc<Engine>> = engines.into_iter().map(Arc::new).collect();
    match crosscheck(&reference, &engines, STEPS, seed) {
        Err(Disagreement::Differs(difference)) => Err(format!("{difference:?}")),
        Ok(_) | Err(Disagreement::Failed(_)) => Ok(engines.len()),
    }
}

/// Makes texts, and compares the forms of those that are games; returns the numbers of games and of forms.
fn all_forms_agree(texts: usize, what: &str, make: impl Fn(&mut ChaCha8Rng) -> String) -> (usize, usize) {
    let root = Seed::root(property::seed()).child(what);
    let (mut games, mut compared) = (0, 0);
    for number in 0..texts {
        let seed = root.index(number);
        let text = make(&mut seed.rng());
        let played = catch_unwind(AssertUnwindSafe(|| {
            let game = load(Source::new(what, text.as_str()), None).game;
            game.map(|game| forms_agree(&game, &seed))
        }));
        match played {
            Ok(None) => {}
            Ok(Some(Ok(forms))) => (games, compared) = (games + 1, compared + forms),
            Ok(Some(Err(difference))) => panic!("number {number}: {difference}, in the rulesheet\n{text}"),
            Err(_) => panic!("number {number}: a panic (see above) in the rulesheet\n{text}"),
        }
    }
    println!("{texts} texts, {games} games, {compared} forms of their rules");
    (games, compared)
}

fn all_forms_of_generated_rulesheets_agree(texts: usize) {
    let (games, compared) = all_forms_agree(texts, "generated", |rng| generate::rulesheet(rng.clone()));
    assert!(games * 2 > texts && compared > games * 2, "{games} games, {compared} forms");
}

#[test]
fn every_form_of_200_generated_rulesheets_answers_the_same() {
    all_forms_of_generated_rulesheets_agree(200);
}

#[test]
#[ignore = "minutes"]
fn every_form_of_30000_generated_rulesheets_answers_the_same() {
    all_forms_of_generated_rulesheets_agree(30_000);
}

/// The longest text of a game that is changed, so that many can be tried.
const LENGTH: usize = 5_000;

/// The texts of the games of the project, and of the folder that `HYPERPLAY_RULESHEETS` names, that are not too long.
fn texts() -> Vec<String> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games")];
    folders.extend(std::env::var_os("HYPERPLAY_RULESHEETS").map(PathBuf::from));
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder)
            .expect("the folder is there")
            .map(|entry| entry.expect("it can be read").path())
        {
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|suffix| suffix == "kif") => paths.push(path),
                false => {}
            }
        }
    }
    paths.sort();
    let read = paths.iter().filter_map(|path| fs::read_to_string(path).ok());
    read.filter(|text| text.len() <= LENGTH).collect()
}

/// The terms and formulas of a text in KIF, with how deep they stand. Comments are taken for words.
fn parts(text: &str) -> Vec<(std::ops::Range<usize>, usize)> {
    let (mut parts, mut open, mut word) = (Vec::new(), Vec::new(), None);
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        if letter.is_whitespace() || "()".contains(letter) {
            parts.extend(word.take().map(|from| (from..at, open.len())));
        } else {
            word.get_or_insert(at);
        }
        match letter {
            '(' => open.push(at),
            ')' => {
                let from = open.pop();
                parts.extend(from.map(|from| (from..at + 1, open.len())));
            }
            _ => {}
        }
    }
    parts
}

/// A text with one part left out, doubled, negated, or replaced by a part of another text, mostly one that stands as
/// deep.
fn changed(text: &str, other: &str, rng: &mut ChaCha8Rng) -> String {
    let (own, parts) = (parts(text), parts(other));
    let (Some((at, depth)), Some((there, _))) = (own.choose(rng), parts.choose(rng)) else {
        return text.to_owned();
    };
    let like: Vec<_> = parts.iter().filter(|(part, other)| other == depth && part.len() < 200).collect();
    let there = like.choose(rng).filter(|_| rng.random_bool(0.9)).map_or(there, |(part, _)| part);
    let (part, there) = (&text[at.clone()], &other[there.clone()]);
    let new = match rng.random_range(0..8) {
        0 => String::new(),
        1 => format!("{part} {part}"),
        2 => format!("(not {part})"),
        3 => format!("{part} {there}"),
        _ => there.to_owned(),
    };
    format!("{}{new}{}", &text[..at.start], &text[at.end..])
}

fn all_forms_of_changed_games_agree(count: usize) {
    let texts = texts();
    let make = |rng: &mut ChaCha8Rng| {
        let mut text = texts.choose(rng).expect("there are some").clone();
        for _ in 0..rng.random_range(1..5) {
            let other = if rng.random_bool(0.8) {
                text.clone()
            } else {
                texts.choose(rng).expect("there are some").clone()
            };
            text = changed(&text, &other, rng);
        }
        text
    };
    let (games, compared) = all_forms_agree(count, "changed", make);
    assert!(games * 4 > count && compared > games, "{games} games, {compared} forms");
}

#[test]
fn every_form_of_200_changed_games_answers_the_same() {
    all_forms_of_changed_games_agree(200);
}

#[test]
#[ignore = "minutes"]
fn every_form_of_20000_changed_games_answers_the_same() {
    all_forms_of_changed_games_agree(20_000);
}
