//! The tests of the linear program on tables. Those on rulesheets are in `tests/library/linear_program.rs`.

use super::*;
use crate::solve::{GameTree, Profile, TreeLimits};
use crate::toy::{Toy, choice, end};
use hyperplay_machine::{Budget, Role};

fn tree(toy: &Toy) -> GameTree {
    GameTree::build(toy, &TreeLimits::default()).unwrap()
}

fn unlimited() -> SolveLimits<'static> {
    SolveLimits { nash_conv: 0.0, iterations: 1_000, budget: Budget::UNLIMITED, stop: &|| false }
}

/// With 50 goals for a payoff of 1.
fn solved(toy: &Toy) -> Result<SolvedProfile, LinearProgramError> {
    linear_program(&SequenceForm::new(&tree(toy), 50.0), &unlimited())
}

fn value(toy: &Toy) -> f64 {
    let SolvedProfile { point, .. } = solved(toy).unwrap();
    assert!(point.verdict.nash_conv <= 1e-9, "{:?}", point.verdict);
    point.verdict.values[Role::new(0)]
}

/// Matching pennies.
fn pennies(roles: &[&str]) -> Toy {
    Toy::table(roles, vec![choice(&[2, 2], &[1, 2, 2, 1]), end(&[100, 0]), end(&[0, 100])])
}

#[test]
fn matching_pennies_is_played_at_random() {
    let toy = pennies(&["a", "b"]);
    let SolvedProfile { profile, point } = solved(&toy).unwrap();
    let uniform = Profile::uniform(&tree(&toy));
    assert!(profile.0.iter().zip(&uniform.0).all(|(share, even)| (share - even).abs() < 1e-9));
    assert!(point.verdict.nash_conv < 1e-9 && point.iterations > 0);
}

#[test]
fn a_role_without_a_decision_is_a_role() {
    // The first role takes the better of two ends; then the second role takes the worse.
    let ends = || [end(&[70, 30]), end(&[20, 80])];
    let first = Toy::table(&["a", "b"], [choice(&[2, 1], &[1, 2])].into_iter().chain(ends()).collect());
    assert!((value(&first) - 0.4).abs() < 1e-9);
    let second = Toy::table(&["a", "b"], [choice(&[1, 2], &[1, 2])].into_iter().chain(ends()).collect());
    assert!((value(&second) + 0.6).abs() < 1e-9);
    let nobody = Toy::table(&["a", "b"], vec![choice(&[1, 1], &[1]), end(&[70, 30])]);
    assert!((value(&nobody) - 0.4).abs() < 1e-9);
}

#[test]
fn chance_weighs_the_ends() {
    // A coin says which of two matching pennies is played: one for 100 goals, one for 20.
    let table = vec![
        choice(&[1, 1, 2], &[1, 2]),
        choice(&[2, 2, 1], &[3, 4, 4, 3]),
        choice(&[2, 2, 1], &[5, 4, 4, 5]),
        end(&[100, 0, 0]),
        end(&[0, 100, 0]),
        end(&[20, 80, 0]),
    ];
    let toy = Toy::table_with_random(&["a", "b", "random"], table);
    // Nobody sees the coin, so it is one game with the payoffs 0.2 and -1.
    assert!((value(&toy) + 0.4).abs() < 1e-9);
}

#[test]
fn equal_sums_other_than_the_middle_are_constant_too() {
    let toy = Toy::table(&["a", "b"], vec![choice(&[2, 2], &[1, 2, 2, 1]), end(&[30, 0]), end(&[0, 30])]);
    let SolvedProfile { point, .. } = solved(&toy).unwrap();
    assert!(point.verdict.values.values().iter().all(|value| (value + 0.7).abs() < 1e-9));
}

#[test]
fn games_of_other_kinds_are_refused_with_what_to_use_instead() {
    let one = Toy::table(&["a"], vec![choice(&[2], &[1, 2]), end(&[70]), end(&[20])]);
    assert!(solved(&one).unwrap_err().to_string().contains("a game of 1 role(s)"));
    let three = Toy::table(&["a", "b", "c"], vec![choice(&[2, 1, 1], &[1, 1]), end(&[50, 50, 0])]);
    assert!(solved(&three).unwrap_err().to_string().contains("the equilibria of 3 roles"));
    let both = Toy::table(&["a", "b"], vec![choice(&[2, 1], &[1, 2]), end(&[70, 70]), end(&[20, 80])]);
    let error = solved(&both).unwrap_err().to_string();
    assert!(error.contains("the same sum") && error.contains("regret minimiser"), "{error}");
}

#[test]
fn too_few_iterations_are_an_error_with_what_was_reached() {
    let toy = pennies(&["a", "b"]);
    let form = SequenceForm::new(&tree(&toy), 50.0);
    let limits = SolveLimits { iterations: 0, ..unlimited() };
    match linear_program(&form, &limits) {
        // The first iterate of a symmetric game may be its solution.
        Ok(SolvedProfile { point, .. }) => assert!(point.verdict.nash_conv <= 1e-9),
        Err(error) => assert!(error.to_string().contains("after 0 iterations"), "{error}"),
    }
}

#[test]
fn a_program_that_is_too_large_is_refused_before_it_is_solved() {
    let form = SequenceForm::new(&tree(&pennies(&["a", "b"])), 50.0);
    let error = solve_within(&form, &unlimited(), 1.0).unwrap_err().to_string();
    let numbers: Vec<f64> = error.split([' ', ';']).filter_map(|word| word.parse().ok()).collect();
    let [20.0, multiplications, 1.0] = numbers[..] else { panic!("{error}") };
    assert!((10.0..1e4).contains(&multiplications), "{multiplications}");
}
