//! Compares the interpreter with the naive evaluator, and checks the laws of the machine, on every game of `games/`.

use std::path::{Path, PathBuf};

use crate::common::{games, games_of_the_house, loaded, rulesheets_in};
use hyperplay::engine::Interpreter;
use hyperplay::gdl::{Loaded, Source, load};
use hyperplay::machine::{Seed, laws};

use crate::naive::lockstep::{self, Played};
use crate::naive::{Naive, generate};

/// The longest match, in steps: some games have no end.
const STEPS: usize = 120;

/// Plays `matches` in lockstep with the naive evaluator; returns how many came to their end, and how many of these
/// have one goal for each role.
fn agrees(path: &Path, matches: usize) -> (usize, usize) {
    let Loaded { rulesheet, game, .. } = loaded(path);
    let machine = Interpreter::new(&game.unwrap()).unwrap();
    let naive = Naive::new(&rulesheet);
    let seed = Seed::root(1).child("agree");
    let play = |number| {
        lockstep::play(&machine, &naive, STEPS, &seed.index(number))
            .unwrap_or_else(|error| panic!("{}, match {number}: {error}", path.display()))
    };
    let played: Vec<Played> = (0..matches).map(play).filter(|played| played.over).collect();
    (played.len(), played.iter().filter(|played| played.one_goal_each).count())
}

fn all_agree(folder: &str, matches: usize) {
    for path in rulesheets_in(&games(folder)) {
        let (over, well_formed) = agrees(&path, matches);
        assert!(over > 0, "{}: no match came to its end", path.display());
        assert_eq!(well_formed, over, "{}: not one goal each at the end", path.display());
    }
}

#[test]
fn the_interpreter_agrees_with_the_naive_evaluator_on_the_perfect_games() {
    all_agree("perfect", 10);
}

#[test]
fn the_interpreter_agrees_with_the_naive_evaluator_on_the_imperfect_games() {
    all_agree("imperfect", 40);
}

#[test]
#[ignore = "minutes"]
fn they_agree_in_200_matches_of_every_game() {
    all_agree("perfect", 200);
    all_agree("imperfect", 200);
}

/// The repairs of faults are part of the definitions, so broken games that can be played must agree as well.
#[test]
fn the_repairs_of_broken_games_are_the_same_in_both() {
    // What is wrong with one of them is that its initial state is too large to be derived.
    let is_evaluable = |path: &PathBuf| loaded(path).game.is_some() && !path.ends_with("too_many_tuples.kif");
    let broken: Vec<PathBuf> = rulesheets_in(&games("broken")).into_iter().filter(is_evaluable).collect();
    assert!(broken.len() > 10, "{}", broken.len());
    broken.iter().for_each(|path| {
        agrees(path, 20);
    });
}

#[test]
fn the_laws_of_the_machine_hold_on_every_game() {
    for path in games_of_the_house() {
        let machine = Interpreter::new(&loaded(&path).game.unwrap()).unwrap();
        for number in 0..20 {
            let mut rng = Seed::root(2).child("laws").index(number).rng();
            if let Err(breach) = laws::check_random_match(&machine, STEPS, &mut rng) {
                panic!("{}, match {number}: {breach}", path.display());
            }
        }
    }
}

/// Plays three matches on each of some random rulesheets.
fn agree_on_generated(rulesheets: usize) {
    let (mut games, mut steps) = (0, 0);
    for number in 0..rulesheets {
        let text = generate::rulesheet(Seed::root(4).child("generated").index(number).rng());
        let Loaded { rulesheet, game: Some(game), .. } = load(Source::new("generated", &text), None) else {
            continue;
        };
        games += 1;
        let machine = Interpreter::new(&game).unwrap();
        let naive = Naive::new(&rulesheet);
        for number in 0..3 {
            match lockstep::play(&machine, &naive, 10, &Seed::root(5).index(number)) {
                Ok(played) => steps += played.steps,
                Err(error) => panic!("{error}, in the rulesheet\n{text}"),
            }
        }
    }
    assert!(games * 2 > rulesheets && steps > games * 3, "{games} games, {steps} steps");
}

#[test]
fn they_agree_on_300_generated_rulesheets() {
    agree_on_generated(300);
}

#[test]
#[ignore = "minutes"]
fn they_agree_on_100000_generated_rulesheets() {
    agree_on_generated(100_000);
}

/// A test of the comparison itself: it must fail against the rules of Kuhn poker with any one of them missing.
#[test]
fn a_missing_rule_is_noticed() {
    let Loaded { rulesheet, game, .. } = loaded(&games("imperfect/kuhn_poker.kif"));
    let machine = Interpreter::new(&game.unwrap()).unwrap();
    let mut unnoticed = Vec::new();
    for (number, clause) in rulesheet.clauses.iter().enumerate() {
        let relation = rulesheet.symbols.name(clause.head.relation);
        if clause.body.is_empty() || ["base", "input", "percept"].contains(&relation) {
            continue;
        }
        let mut fewer = rulesheet.clone();
        fewer.clauses.remove(number);
        let naive = Naive::new(&fewer);
        let goes_unnoticed = (0..200).all(|number| {
            lockstep::play(&machine, &naive, STEPS, &Seed::root(3).index(number))
                .is_ok_and(|played| played.one_goal_each)
        });
        if goes_unnoticed {
            unnoticed.push(rulesheet.source.slice(clause.at.0));
        }
    }
    assert!(unnoticed.is_empty(), "{unnoticed:#?}");
}
