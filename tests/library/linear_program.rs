//! The linear program on rulesheets: values that no one here chose.
//!
//! The values are those of the literature and of other solvers (Kuhn 1950; Leduc and Liar's Dice as solved exactly by
//! OpenSpiel and Gambit); of a symmetric game the value is 0. What is compared is the payoff in the game's own unit.

use std::thread;

use hyperplay::machine::{Budget, Role};
use hyperplay::solve::{
    GameTree, LinearProgramError, RegretMinimiser, RegretRule, SequenceForm, SolveLimits, SolvedProfile,
    TreeLimits, linear_program, solve,
};

use crate::common::machines::{built_in, imperfect};

fn unlimited() -> SolveLimits<'static> {
    SolveLimits { nash_conv: 0.0, iterations: 1_000, budget: Budget::UNLIMITED, stop: &|| false }
}

fn form(name: &str, unit: f64) -> SequenceForm {
    SequenceForm::new(&GameTree::build(&*imperfect(name), &TreeLimits::default()).unwrap(), unit)
}

/// The value of the first role that decides, of a game whose solution is precise.
fn value(form: &SequenceForm, first: usize) -> f64 {
    let SolvedProfile { point, .. } = linear_program(form, &unlimited()).unwrap();
    assert!(point.verdict.nash_conv <= 1e-9, "{:?}", point.verdict);
    point.verdict.values[Role::new(first)]
}

#[test]
fn the_values_of_small_games_are_those_of_the_literature() {
    let table = [
        ("kuhn_poker", 25.0, -1.0 / 18.0),
        ("kuhn_poker_4", 25.0, -1.0 / 24.0),
        ("kuhn_poker_5", 25.0, -1.0 / 15.0),
        ("kuhn_poker_6", 25.0, -11.0 / 180.0),
        ("kuhn_poker_13", 25.0, -5.0 / 78.0),
        ("leduc_poker", 3.0, -0.085606424078),
        ("goofspiel_4_imperfect", 50.0, 0.0),
        ("rock_paper_scissors", 50.0, 0.0),
    ];
    for (name, unit, expected) in table {
        let value = value(&form(name, unit), 0);
        assert!((value - expected).abs() < 1e-9, "{name}: {value}, not {expected}");
    }
}

#[test]
fn a_regret_minimiser_comes_to_the_same_value() {
    let form = form("simplified_poker", 50.0);
    let mut minimiser = [RegretMinimiser::new(&form, RegretRule::PredictiveDiscounted)];
    let limits = SolveLimits { nash_conv: 1e-8, iterations: 100_000, ..unlimited() };
    let SolvedProfile { point, .. } = solve(&form, &mut minimiser, &limits, |_| {});
    assert!((point.verdict.values[Role::new(0)] - value(&form, 0)).abs() < 1e-7);
}

#[test]
fn it_gives_the_same_profile_again_and_on_any_thread() {
    let form = form("leduc_poker", 3.0);
    let solved = || linear_program(&form, &unlimited()).unwrap().profile;
    let here = solved();
    assert_eq!(solved(), here);
    assert_eq!(thread::scope(|scope| scope.spawn(solved).join().unwrap()), here);
}

#[test]
fn it_can_be_stopped() {
    let tree = GameTree::build(&*built_in("perfect/tictactoe.kif"), &TreeLimits::default()).unwrap();
    let form = SequenceForm::new(&tree, 50.0);
    let limits = SolveLimits { stop: &|| true, ..unlimited() };
    let error = linear_program(&form, &limits).unwrap_err();
    assert!(matches!(error, LinearProgramError::Stopped { .. }), "{error}");
}

/// The long form: Liar's Dice with six faces, and tic-tac-toe, some seconds each.
#[test]
#[ignore = "takes ten seconds"]
fn the_values_of_larger_games_are_those_of_the_literature() {
    assert!((value(&form("liars_dice_1x6", 50.0), 0) + 7.0 / 258.0).abs() < 1e-9);
    let tree = GameTree::build(&*built_in("perfect/tictactoe.kif"), &TreeLimits::default()).unwrap();
    assert!(value(&SequenceForm::new(&tree, 50.0), 0).abs() < 1e-9);
}
