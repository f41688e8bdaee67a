//! Tests of several trees and of leaf values.

use super::super::context::toy_context as context;
use super::tests::{hidden, options, search, search_seen, values};
use super::*;
use crate::toy::{State, Toy, at, choice, end};
use crate::tree::LeafValues;
use hyperplay_machine::{ByRole, Seed, Start, StateMachineExt as _, Tally};

#[test]
fn several_trees_give_the_same_on_any_number_of_threads() {
    let toy = hidden();
    let made = |trees, threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let options = IsmctsOptions { trees, ..options(4_001) };
        pool.install(|| search(&toy, 0, &[(0, 1.0), (1, 1.0)], false, options, Budget::UNLIMITED))
    };
    let (one, four) = (made(1, 1), made(4, 1));
    assert_eq!(four, made(4, 3));
    assert_ne!(one.moves, four.moves, "each tree has draws of its own");
    assert_eq!((one.simulations, four.simulations), (4_001, 4 * 1_001));
    let visits: u64 = four.moves.iter().map(|own| u64::from(own.visits)).sum();
    assert_eq!(visits, four.simulations);
    assert_eq!((one.information_sets, four.information_sets), (2, 8));
    for (alone, together) in values(&one).iter().zip(values(&four)) {
        assert!((alone - together).abs() < 4.0, "{one:?} {four:?}");
    }
}

#[test]
fn several_trees_share_the_nodes() {
    let toy = hidden();
    let options = IsmctsOptions { trees: 4, ..options(1_000_000) };
    let made = search(&toy, 0, &[(0, 1.0), (1, 1.0)], false, options, Budget::nodes(1_000));
    assert!(made.steps <= 1_000 && made.simulations > 100, "{made:?}");
}

/// Every leaf is worth 70 for the first role.
struct Certain;

impl LeafValues<Toy> for Certain {
    fn tallies(&self, _: &Toy, starts: &[Start<State>], _: &Seed, _: &Budget, _: &mut ()) -> Vec<Tally> {
        let sum = ByRole::new(vec![70, 30]);
        starts.iter().map(|_| Tally { count: 1, sum: sum.clone(), ..Tally::new(2) }).collect()
    }
}

#[test]
fn a_leaf_is_worth_what_its_values_say_and_an_end_its_goals() {
    let toy = hidden();
    let legal = toy.legal_by_role(&at(0), &mut ())[Role::new(0)].clone();
    let known = |_, role| Evidence::new(role);
    let possible = PossibleStates { states: &[(&at(0), 1.0)], known: &known, held: None, model: None };
    let leaves = &Certain;
    let mut context = SearchContext { leaves, ..context(&toy, 0, Budget::UNLIMITED) };
    let made = ismcts(&mut context, &possible, &legal, &options(2));
    assert_eq!((values(&made), made.playouts), (vec![40.0, 70.0], 1));
}

/// After either of two moves the first role has 190 moves, of which only one brings anything. Few simulations are left for each
/// set, but what was learnt in one of them tells which move to try in the other.
#[test]
fn in_a_wide_set_the_moves_are_tried_first_that_were_good_elsewhere() {
    let wide = || {
        let moves: Vec<u8> = (0..190).map(|own| if own == 77 { 4 } else { 3 }).collect();
        choice(&[190, 1], &moves)
    };
    let toy = Toy::table(
        &["a", "b"],
        vec![choice(&[2, 1], &[1, 2]), wide(), wide(), end(&[0, 100]), end(&[100, 0])],
    );
    let made = search_seen(&toy, options(300));
    // If all moves were tried once before any is tried again, no mean could be above 1.
    assert!(values(&made).iter().any(|&value| value > 20.0), "{made:?}");
}
