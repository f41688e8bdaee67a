//! The tests of the search on toys. Those of the player on real rulesheets are in `tests/library/players.rs`.

use std::time::Duration;

use super::super::context::toy_context as context;
use super::*;
use hyperplay_machine::testing::{State, Toy, at, choice, end};
use hyperplay_machine::{Budget, Observation, OwnMove, Percepts, Seed, StateMachine, StateMachineExt};

const OPTIONS: IsmctsOptions = IsmctsOptions { simulations: 2_000, exploration: 0.7 };

/// A search of entries of a table between which `role` cannot tell, and `other` can if `tells`.
fn search(
    toy: &Toy,
    role: usize,
    entries: &[(u8, f64)],
    tells: bool,
    options: IsmctsOptions,
    budget: Budget,
) -> Simulations {
    let states: Vec<State> = entries.iter().map(|&(entry, _)| at(entry)).collect();
    let weighted: Vec<(&State, f64)> =
        states.iter().zip(entries).map(|(s, &(_, weight))| (s, weight)).collect();
    let known = |place: usize, other: Role| {
        assert_ne!(other, Role::new(role), "the search knows that itself");
        let mut evidence = Evidence::new(other);
        if tells {
            let own = OwnMove::Known(toy.mv(place as u8));
            evidence.steps.push(Observation { own, percepts: Percepts::default() });
        }
        evidence
    };
    let legal = toy.legal_by_role(&states[0], &mut ())[Role::new(role)].clone();
    let possible = PossibleStates { states: &weighted, known: &known };
    ismcts(&mut context(toy, role, budget), &possible, &legal, &options)
}

fn values(made: &Simulations) -> Vec<f64> {
    made.moves.iter().map(|simulated| simulated.value.unwrap()).collect()
}

fn shares(made: &Simulations) -> Vec<f64> {
    let total: u32 = made.moves.iter().map(|simulated| simulated.visits).sum();
    made.moves.iter().map(|simulated| f64::from(simulated.visits) / f64::from(total)).collect()
}

/// In entries 0 and 1 the first role has a certain 40, and a move after which the other guesses which of the two it
/// was: 100 for the first role if the guess is wrong, else 0. Where the other knows, that is worth nothing.
fn hidden() -> Toy {
    let (none, all, certain) = (4, 5, 6);
    let entries = vec![
        choice(&[2, 1], &[certain, 2]),
        choice(&[2, 1], &[certain, 3]),
        choice(&[1, 2], &[none, all]),
        choice(&[1, 2], &[all, none]),
        end(&[0, 100]),
        end(&[100, 0]),
        end(&[40, 60]),
    ];
    Toy::table(&["a", "b"], entries)
}

#[test]
fn a_role_acts_on_what_it_knows_and_not_on_the_state() {
    let run = |tells| search(&hidden(), 0, &[(0, 1.0), (1, 1.0)], tells, OPTIONS, Budget::UNLIMITED);
    let (blind, seeing) = (run(false), run(true));
    let [certain, guessed] = values(&blind)[..] else { panic!("two moves") };
    assert!(certain == 40.0 && (guessed - 50.0).abs() < 5.0, "{blind:?}");
    assert!(shares(&blind)[1] > 0.8, "{blind:?}");
    let [certain, betrayed] = values(&seeing)[..] else { panic!("two moves") };
    assert!(certain == 40.0 && betrayed < 20.0 && shares(&seeing)[0] > 0.9, "{seeing:?}");
    // The own information set, and that of the other, once or twice; two states, and three after each.
    assert_eq!((blind.information_sets, seeing.information_sets), (2, 3));
    assert_eq!((blind.worlds, seeing.worlds), (10, 10));
}

#[test]
fn states_are_drawn_by_their_weights() {
    let entries = vec![choice(&[2, 1], &[2, 4]), choice(&[2, 1], &[3, 4]), end(&[100, 0]), end(&[0, 100])];
    let toy = Toy::table(&["a", "b"], entries.into_iter().chain([end(&[50, 50])]).collect());
    let made = search(&toy, 0, &[(0, 3.0), (1, 1.0)], false, OPTIONS, Budget::UNLIMITED);
    let values = values(&made);
    assert!((values[0] - 75.0).abs() < 4.0 && values[1] == 50.0, "{made:?}");
    // Every simulation comes to the end of the game.
    assert_eq!((made.simulations, made.playouts, made.steps), (2_000, 0, 2_000));
}

#[test]
fn random_does_not_learn() {
    let table = vec![choice(&[2, 1], &[1, 2]), choice(&[1, 2], &[3, 4]), end(&[40, 0])];
    let toy = Toy::table_with_random(
        &["a", "random"],
        table.into_iter().chain([end(&[100, 0]), end(&[0, 0])]).collect(),
    );
    let made = search(&toy, 0, &[(0, 1.0)], false, OPTIONS, Budget::UNLIMITED);
    assert!((values(&made)[0] - 50.0).abs() < 4.0, "{made:?}");
}

/// The values of moves made at once need not be right: the two bandits do not draw, and their moves are correlated.
#[test]
fn matching_pennies_is_played_evenly_and_a_dominated_move_seldom() {
    let pennies = vec![choice(&[2, 2], &[1, 2, 2, 1]), end(&[100, 0]), end(&[0, 100])];
    let toy = Toy::table(&["a", "b"], pennies);
    for role in 0..2 {
        let options = IsmctsOptions { simulations: 20_000, ..OPTIONS };
        let made = search(&toy, role, &[(0, 1.0)], false, options, Budget::UNLIMITED);
        assert!((shares(&made)[0] - 0.5).abs() < 0.05, "{made:?}");
    }
    // The second row dominates.
    let ends = [end(&[0, 100]), end(&[60, 40]), end(&[70, 30]), end(&[80, 20])];
    let entries = std::iter::once(choice(&[2, 2], &[1, 2, 3, 4])).chain(ends).collect();
    let made = search(&Toy::table(&["a", "b"], entries), 0, &[(0, 1.0)], false, OPTIONS, Budget::UNLIMITED);
    assert!(shares(&made)[1] > 0.9, "{made:?}");
}

/// If both roles choose alike it is a draw, so two bandits that always agree would not learn that the second move wins.
#[test]
fn roles_in_equal_positions_do_not_move_in_step() {
    let entries = vec![choice(&[2, 2], &[1, 2, 3, 1]), end(&[50, 50]), end(&[0, 100]), end(&[100, 0])];
    let toy = Toy::table(&["a", "b"], entries);
    for seed in 0..20 {
        let mut context = context(&toy, 0, Budget::UNLIMITED);
        context.seed = Seed::root(seed);
        let (state, legal) = (at(0), toy.legal_by_role(&at(0), &mut ())[Role::new(0)].clone());
        let known = |_, role| Evidence::new(role);
        let possible = PossibleStates { states: &[(&state, 1.0)], known: &known };
        let made = ismcts(&mut context, &possible, &legal, &OPTIONS);
        assert!(shares(&made)[1] > 0.8, "{made:?}");
    }
}

/// In the second state the first move is not legal, and in the third there is one that may not be chosen.
#[test]
fn a_move_is_tried_only_where_it_is_legal_and_chosen_only_if_it_was_shown() {
    let (low, high) = (3, 4);
    let entries = vec![
        choice(&[2, 1], &[low, high]),
        choice(&[1, 1], &[high]),
        choice(&[3, 1], &[high, low, low]),
        end(&[20, 0]),
        end(&[80, 0]),
    ];
    let toy = Toy::table(&["a", "b"], entries);
    let made = search(&toy, 0, &[(0, 1.0), (1, 1.0), (2, 2.0)], false, OPTIONS, Budget::UNLIMITED);
    assert_eq!(made.moves.len(), 2);
    let tried: u32 = made.moves.iter().map(|simulated| simulated.visits).sum();
    assert!(tried < 2_000 && made.simulations == 2_000, "{made:?}");
    let [first, second] = values(&made)[..] else { panic!("two moves") };
    assert!(first > 60.0 && second < first, "{made:?}");
}

#[test]
fn one_seed_gives_one_result_and_the_playouts_of_a_planted_game_are_counted() {
    let toy = Toy::new(hyperplay_machine::testing::Rules::Planted {
        seed: 3,
        steps: 6,
        width: 3,
        percepts: 2,
        every: 1,
    });
    let state = toy.initial();
    let legal = toy.legal_by_role(&state, &mut ())[Role::new(0)].clone();
    let known = |_, role| Evidence::new(role);
    let possible = PossibleStates { states: &[(&state, 1.0)], known: &known };
    let run = |seed| {
        let mut context = context(&toy, 0, Budget::UNLIMITED);
        context.seed = Seed::root(seed);
        ismcts(&mut context, &possible, &legal, &OPTIONS)
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
    let made = run(1);
    assert!(made.playouts > 10 && made.steps > 2_000 && made.information_sets > 10, "{made:?}");
}

#[test]
fn nodes_and_time_end_the_search_but_only_time_before_every_move_was_tried() {
    let run = |budget| search(&hidden(), 0, &[(0, 1.0), (1, 1.0)], false, OPTIONS, budget);
    let few = run(Budget::nodes(1));
    assert!((2..10).contains(&few.simulations) && few.moves.iter().all(|own| own.visits > 0), "{few:?}");
    let late = run(Budget::time(Duration::ZERO));
    assert_eq!((late.simulations, late.steps, late.worlds), (0, 0, 0));
    assert!(late.moves.len() == 2 && late.moves.iter().all(|own| own.visits == 0 && own.value.is_none()));
}

#[test]
fn a_full_tree_is_played_out_from_the_choices_that_were_made() {
    let toy = hidden();
    let state = at(0);
    let known = |_, role| Evidence::new(role);
    let possible = PossibleStates { states: &[(&state, 1.0)], known: &known };
    let legal = toy.legal_by_role(&state, &mut ())[Role::new(0)].clone();
    let mut worlds = Worlds::new(&toy, Role::new(0), &possible, &legal, 0.7);
    worlds.most = 1;
    let mut taken = Vec::new();
    for _ in 0..10 {
        let leaf = worlds.descend(0, &mut Seed::root(1).rng(), &Budget::UNLIMITED, &mut (), &mut taken);
        let Some(Leaf::Open(from, fixed)) = leaf else { panic!("{leaf:?}") };
        assert!(from == state && fixed.len() == 1 && legal.contains(&fixed[0].1), "{fixed:?}");
    }
    assert_eq!((worlds.len(), taken.len()), (1, 10));
}
