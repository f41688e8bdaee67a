//! The tests of alpha-beta on toys. Those on real rulesheets are in `tests/library/search.rs`.

use super::alphabeta::{Answer, Leaves, alphabeta};
use super::context::toy_context as context;
use super::evaluation::Method;
use crate::toy::{Toy, at, choice, end};
use hyperplay_machine::Budget;

fn run(toy: &Toy, role: usize, leaves: Leaves, nodes: u64) -> (Answer, u64) {
    alphabeta(&mut context(toy, role, Budget::nodes(nodes)), &at(0), leaves)
}

fn proof(toy: &Toy) -> Answer {
    run(toy, 0, Leaves::Proof, 1_000).0
}

/// The first role picks a state, the second the worse of its two ends.
fn alternating() -> Toy {
    let table = [choice(&[2, 1], &[1, 2]), choice(&[1, 2], &[3, 4]), choice(&[1, 2], &[4, 5])];
    Toy::table(
        &["a", "b"],
        table.into_iter().chain([end(&[100, 0]), end(&[30, 70]), end(&[20, 80])]).collect(),
    )
}

#[test]
fn what_is_complete_is_exact() {
    let Answer::Judged(evaluation) = proof(&alternating()) else { panic!("it fits") };
    assert_eq!((evaluation.method, evaluation.values), (Method::ExactZeroSum, vec![30.0, 20.0]));
}

#[test]
fn a_state_is_opened_once_however_deep_the_search_goes() {
    assert_eq!(run(&alternating(), 0, Leaves::Proof, 1_000).1, 6);
    assert_eq!(run(&alternating(), 0, Leaves::Proof, 5).0, Answer::OutOfBudget);
}

#[test]
fn mobility_counts_where_the_budget_ends() {
    // In the first state the first role has two moves, then the other has two or one.
    let table = [choice(&[2, 1], &[1, 2]), choice(&[1, 2], &[3, 4]), choice(&[1, 1], &[4])];
    let ends = [choice(&[2, 1], &[5, 4]), end(&[0, 100]), end(&[100, 0])];
    let toy = Toy::table(&["a", "b"], table.into_iter().chain(ends).collect());
    let (Answer::Judged(evaluation), _) = run(&toy, 0, Leaves::Estimated, 2) else { panic!("one step fits") };
    assert_eq!(evaluation.method, Method::AlphaBeta(1));
    assert!(evaluation.values[0] < evaluation.values[1], "{evaluation:?}");
}

#[test]
fn chance_choices_at_once_and_other_sums_are_refused() {
    let ends = || [end(&[100, 0]), end(&[0, 100])];
    let at_once =
        Toy::table(&["a", "b"], [choice(&[2, 2], &[1, 2, 2, 1])].into_iter().chain(ends()).collect());
    assert_eq!(proof(&at_once), Answer::NotAlternating);
    let chance =
        Toy::table_with_random(&["a", "b", "random"], vec![choice(&[1, 1, 2], &[1, 1]), end(&[0, 100, 0])]);
    assert_eq!(proof(&chance), Answer::NotAlternating);
    let sums = Toy::table(&["a", "b"], vec![choice(&[2, 1], &[1, 2]), end(&[100, 0]), end(&[50, 0])]);
    assert_eq!(proof(&sums), Answer::NotAlternating);
    assert_eq!(proof(&Toy::table(&["a"], vec![choice(&[1], &[1]), end(&[1])])), Answer::NotAlternating);
}

#[test]
fn a_game_that_can_loop_ends_without_a_proof() {
    let cyclic =
        Toy::table(&["a", "b"], vec![choice(&[2, 1], &[1, 2]), choice(&[1, 2], &[0, 2]), end(&[40, 60])]);
    assert_eq!(proof(&cyclic), Answer::OutOfBudget);
}
