//! Checks the facts of `tests/tables/facts.tsv`, which were found independently of the rulesheets, by the library.
//!
//! Fluents and moves are what `base` and `input` declare, by the naive evaluator.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::sync::Arc;

use crate::common::{self, machines::machine};
use crate::extent::extent;
use hyperplay::engine::Engine as Machine;
use hyperplay::gdl::Rulesheet;
use hyperplay::machine::{ByRole, StateMachine, StateMachineExt};

use crate::count::Count;
use crate::naive::Naive;

/// Up to this many sequences are walked one by one; if there are more, they are counted with equal states merged.
const WALKED: u64 = 20_000;
/// The histories of the largest game whose information sets are counted, and more.
const HISTORIES: u64 = 200_000;

struct Opened {
    rulesheet: Rulesheet,
    machine: Arc<Machine>,
}

fn open(file: &str) -> Opened {
    let path = common::games(file);
    Opened { rulesheet: common::loaded(&path).rulesheet, machine: machine(&path) }
}

/// Game, fact and value of every row.
fn table() -> Vec<[String; 3]> {
    let text = common::markdown::read("tests/tables/facts.tsv");
    let mut rows = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    assert_eq!(rows.next(), Some("game\tfact\tvalue"));
    let row = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>().try_into().unwrap();
    rows.map(row).collect()
}

/// The values of one fact, by game.
fn of(fact: &str) -> Vec<(String, String)> {
    let all = table().into_iter().filter(|[_, other, _]| other == fact);
    let all: Vec<_> = all.map(|[game, _, value]| (game, value)).collect();
    assert!(!all.is_empty(), "no row says {fact}");
    all
}

fn numbers(value: &str) -> Vec<u64> {
    value.split(',').map(|number| number.parse().unwrap()).collect()
}

fn by_role<T: ToString>(values: &ByRole<T>) -> String {
    values.values().iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

#[test]
fn every_game_has_its_facts_and_every_fact_is_checked() {
    let mut facts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for [game, fact, _] in table() {
        assert!(facts.entry(game).or_default().insert(fact), "a fact stands twice");
    }
    let known = ["roles", "fluents", "moves", "legal_at_start", "perft"];
    let more = ["complete", "information_sets", "shortest_end"];
    let table = "tests/tables/facts.tsv";
    for (game, facts) in &facts {
        let missing: Vec<&&str> = known.iter().filter(|fact| !facts.contains(**fact)).collect();
        assert!(missing.is_empty(), "{table}: no row of {game} says {missing:?}");
        let strange: Vec<&String> =
            facts.iter().filter(|fact| known.iter().chain(&more).all(|other| fact != other)).collect();
        assert!(strange.is_empty(), "{table}: {game} has facts that nothing checks: {strange:?}");
    }
    for folder in ["perfect", "imperfect"] {
        for entry in fs::read_dir(common::games(folder)).unwrap() {
            let game = format!("{folder}/{}", entry.unwrap().file_name().to_str().unwrap());
            assert!(facts.contains_key(&game), "{table} has no rows of {game}; it needs {known:?}");
        }
    }
}

/// The rulesheets of one game in two syntaxes share a row.
#[test]
fn every_game_has_a_row_in_the_list_of_the_games() {
    let list = common::markdown::read("games/README.md");
    for path in common::games_of_the_house() {
        let names =
            [path.with_extension("kif"), path.clone()].map(|path| path.file_name().unwrap().to_owned());
        let row = |name: &OsString| list.contains(&format!("\n| `{}`", name.to_str().unwrap()));
        assert!(names.iter().any(row), "games/README.md has no row of {}", path.display());
    }
}

#[test]
fn the_roles_are_those_of_the_table() {
    for (game, value) in of("roles") {
        assert_eq!(by_role(open(&game).machine.roles()), value, "{game}");
    }
}

#[test]
fn as_many_fluents_and_moves_are_declared_as_the_table_says() {
    for (fact, keyword) in [("fluents", "base"), ("moves", "input")] {
        for (game, value) in of(fact) {
            let declared = Naive::new(&open(&game).rulesheet).declared(keyword);
            assert_eq!(declared.len().to_string(), value, "{game}: {keyword}");
        }
    }
}

#[test]
fn each_role_has_as_many_legal_moves_at_the_start_as_the_table_says() {
    for (game, value) in of("legal_at_start") {
        let machine = open(&game).machine;
        let legal = machine.legal_by_role(&machine.initial(), &mut machine.scratch());
        let legal = ByRole::from_fn(legal.len(), |role| legal[role].len());
        assert_eq!(by_role(&legal), value, "{game}");
    }
}

#[test]
fn there_are_as_many_sequences_of_joint_moves_as_the_table_says() {
    for (game, value) in of("perft") {
        let machine = open(&game).machine;
        let (start, mut scratch) = (machine.initial(), machine.scratch());
        let mut count = Count::new(&machine);
        for (depth, number) in (1..).zip(numbers(&value)) {
            if depth > 1 {
                count.advance();
            }
            assert_eq!(count.following(), number, "{game}, {depth} steps");
            if number <= WALKED {
                assert_eq!(machine.perft(&start, depth, &mut scratch), number, "{game}, {depth} steps");
            }
        }
    }
}

#[test]
fn there_are_as_many_complete_games_as_the_table_says() {
    for (game, value) in of("complete") {
        let machine = open(&game).machine;
        let mut count = Count::new(&machine);
        let mut complete = 0;
        while !count.is_empty() {
            complete += count.ends().values().sum::<u64>();
            count.advance();
        }
        assert_eq!(complete.to_string(), value, "{game}");
    }
}

#[test]
fn the_shortest_end_is_as_far_as_the_table_says() {
    for (game, value) in of("shortest_end") {
        let machine = open(&game).machine;
        let mut count = Count::new(&machine);
        assert!(!count.has_end(), "{game} is over at the start");
        let mut steps = 1;
        while !count.ends_in_one() {
            count.advance();
            steps += 1;
        }
        assert_eq!(steps.to_string(), value, "{game}");
    }
}

#[test]
fn there_are_as_many_information_sets_as_the_table_says() {
    for (game, value) in of("information_sets") {
        let machine = open(&game).machine;
        let extent = extent(machine.as_ref(), HISTORIES);
        let players = machine.each_role().filter(|&role| machine.random() != Some(role));
        let counted =
            players.map(|role| format!("{}:{}", machine.roles()[role], extent.information_sets[role]));
        assert_eq!(counted.collect::<Vec<_>>().join(","), value, "{game}");
    }
}

/// Counting information sets needs the complete tree of a game, so the size of the tree must agree with the table
/// too.
#[test]
fn the_extensive_form_has_as_many_ends_as_the_table_says() {
    let complete: BTreeMap<String, String> = of("complete").into_iter().collect();
    for (game, _) in of("information_sets") {
        let extent = extent(open(&game).machine.as_ref(), HISTORIES);
        assert_eq!(extent.ends.to_string(), complete[&game], "{game}");
    }
}
