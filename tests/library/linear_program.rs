//! The linear program on rulesheets: values that no one here chose.
//!
//! The values are those of the literature and of other solvers (Kuhn 1950; Leduc and Liar's Dice as solved exactly by
//! OpenSpiel and Gambit); of a symmetric game the value is 0. What is compared is the payoff in the game's own unit.

use std::thread;

use hyperplay::for_engine::game_tree;
use hyperplay::machine::{Budget, Move, Role, Seed, StateMachineExt as _};
use hyperplay::solve::{
    LinearProgramError, Profile, RegretMinimiser, RegretRule, SequenceForm, SolveLimits, SolvedProfile,
    TreeLimits, linear_program, solve,
};
use rand::RngExt as _;

use crate::common::machines::{built_in, imperfect};

/// More entries than any of these games has.
const MOST: usize = 10_000_000;

fn unlimited() -> SolveLimits<'static> {
    SolveLimits { nash_conv: 0.0, iterations: 1_000, budget: Budget::UNLIMITED, stop: &|| false }
}

fn form(name: &str, unit: f64) -> SequenceForm {
    SequenceForm::new(&game_tree(&imperfect(name), &TreeLimits::default()).unwrap(), unit)
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

/// Bob always folds to a bet in Kuhn poker, or adapts. What is maximised is computed by the game itself.
#[test]
fn an_answer_to_a_role_that_follows_a_policy_with_a_probability_is_the_best_one() {
    let (machine, alice, bob) = (imperfect("kuhn_poker"), Role::new(0), Role::new(1));
    let tree = &game_tree(&machine, &TreeLimits::default()).unwrap();
    let form = SequenceForm::new(tree, 25.0);
    let folds = Profile::from_fn(tree, |_, moves| {
        let is_timid = |&own: &_| ["fold", "check"].contains(&machine.show_move(own).as_str());
        moves.iter().map(|own| f64::from(u8::from(is_timid(own)))).collect()
    });
    let against = |own: &Profile| {
        let verdict =
            |set: usize| if tree.sets()[set].role == bob { &folds } else { own }.of(tree, set).to_vec();
        form.judge(&Profile::from_fn(tree, |set, _| verdict(set)))
    };
    let (mut rng, mut last) = (Seed::root(1).rng(), f64::NEG_INFINITY);
    for share in [0.0, 0.25, 0.5, 0.9, 1.0] {
        let worth = |own: &Profile| {
            let verdict = against(own);
            share * verdict.values[alice] - (1.0 - share) * verdict.best_responses[bob]
        };
        let restricted = form.restricted(bob, share, &folds);
        let SolvedProfile { profile, point } = linear_program(&restricted, &unlimited()).unwrap();
        let best = worth(&profile);
        assert!(
            point.verdict.nash_conv <= 1e-9 && (best - point.verdict.values[alice]).abs() < 1e-8,
            "{share}"
        );
        let mut any = |_, moves: &[Move]| moves.iter().map(|_| rng.random::<f64>().powi(4)).collect();
        assert!((0..2_000).all(|_| worth(&Profile::from_fn(tree, &mut any)) <= best + 1e-9), "{share}");
        // A regret minimiser finds an equally good one.
        let mut minimiser = [RegretMinimiser::new(&restricted, RegretRule::PredictiveDiscounted)];
        let limits = SolveLimits { nash_conv: 1e-8, iterations: 100_000, ..unlimited() };
        let by_regret = solve(&restricted, &mut minimiser, &limits, |_| {}).profile;
        assert!((worth(&by_regret) - best).abs() < 1e-7, "{share}");
        // The more probably the policy is followed, the more is gained on it, from an equilibrium to a best response.
        let verdict = against(&profile);
        assert!(verdict.values[alice] >= last - 1e-8, "{share}");
        last = verdict.values[alice];
        let (at_worst, missed) = (-verdict.best_responses[bob], verdict.best_responses[alice] - last);
        assert!(share > 0.0 || (at_worst + 1.0 / 18.0).abs() < 1e-8, "{at_worst}");
        assert!(share < 1.0 || missed.abs() < 1e-8, "{missed}");
    }
}

/// At each of its information sets a role is made to move by a policy with a probability of the set. What it can get then is computed by
/// the definition, from the last sets to the first, on the game tree.
#[test]
fn a_data_biased_response_is_the_best_one() {
    for (name, unit, games) in [("kuhn_poker", 25.0, 2_000), ("goofspiel_4_imperfect", 50.0, 100)] {
        let machine = imperfect(name);
        let tree = &game_tree(&machine, &TreeLimits::default()).unwrap();
        let form = SequenceForm::new(tree, unit);
        let roles: Vec<Role> = tree.players().collect();
        let mut rng = Seed::root(2).rng();
        for (own, fixed) in [(roles[0], roles[1]), (roles[1], roles[0])] {
            let mut any = |_, moves: &[Move]| -> Vec<f64> {
                moves.iter().map(|_| rng.random::<f64>().powi(4)).collect()
            };
            let policy = Profile::from_fn(tree, &mut any);
            // Some sets are never followed, and some always.
            let shares: Vec<f64> = (0..tree.sets().len()).map(|set| (set * 7 % 9) as f64 / 8.0).collect();
            // The role best responds where it is free.
            let worth = |answer: &Profile| {
                let gains = |mixed: &Profile| form.judge(mixed).values[own];
                let mut mixed = Profile::from_fn(tree, |set, _| match tree.sets()[set].role == fixed {
                    true => policy.of(tree, set).to_vec(),
                    false => answer.of(tree, set).to_vec(),
                });
                // Sets come after those that lead to them.
                for set in (0..tree.sets().len()).rev().filter(|&set| tree.sets()[set].role == fixed) {
                    let (count, share) = (tree.moves(set).len(), shares[set]);
                    let play = |mixed: &mut Profile, at: usize| {
                        let made = policy.of(tree, set).iter().enumerate();
                        let free = |place| if place == at { 1.0 - share } else { 0.0 };
                        mixed.set(
                            tree,
                            set,
                            &made.map(|(place, made)| share * made + free(place)).collect::<Vec<_>>(),
                        );
                    };
                    // The sets before do not matter to what is best here, if they lead here.
                    let mut leads = mixed.clone();
                    let mut at = tree.sets()[set].former;
                    while let Some((former, place)) = at {
                        let moves = tree.moves(former as usize).len();
                        let only = (0..moves).map(|other| f64::from(u8::from(other == place as usize)));
                        leads.set(tree, former as usize, &only.collect::<Vec<_>>());
                        at = tree.sets()[former as usize].former;
                    }
                    let values = (0..count).map(|at| {
                        play(&mut leads, at);
                        gains(&leads)
                    });
                    let best = values.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0;
                    play(&mut mixed, best);
                }
                gains(&mixed)
            };
            let biased = form.data_biased(fixed, |set| shares[set], &policy, MOST).unwrap();
            assert!(form.data_biased(fixed, |set| shares[set], &policy, 1).is_none(), "{name}");
            let SolvedProfile { profile, point } = linear_program(&biased, &unlimited()).unwrap();
            let best = worth(&profile);
            assert!((best - point.verdict.values[own]).abs() < 1e-8, "{name}: {best}, {:?}", point.verdict);
            let random: Vec<Profile> = (0..games).map(|_| Profile::from_fn(tree, &mut any)).collect();
            assert!(random.iter().all(|answer| worth(answer) <= best + 1e-9), "{name}");
            let mut minimiser = [RegretMinimiser::new(&biased, RegretRule::PredictiveDiscounted)];
            let limits = SolveLimits { nash_conv: 1e-8, iterations: 100_000, ..unlimited() };
            let by_regret = solve(&biased, &mut minimiser, &limits, |_| {}).profile;
            assert!((worth(&by_regret) - best).abs() < 1e-7, "{name}");
            // Bound nowhere it is an equilibrium, bound everywhere a best response, and in Kuhn poker, where Bob moves once, bound with
            // one probability it is a restricted Nash response.
            let value =
                |form: &SequenceForm| linear_program(form, &unlimited()).unwrap().point.verdict.values[own];
            let same = |share: f64| {
                value(&form.data_biased(fixed, |_| share, &policy, MOST).unwrap())
                    - value(&form.restricted(fixed, share, &policy))
            };
            assert!(
                (value(&form.data_biased(fixed, |_| 0.0, &policy, MOST).unwrap()) - value(&form)).abs()
                    < 1e-8,
                "{name}"
            );
            assert!(same(1.0).abs() < 1e-8, "{name}");
            if name == "kuhn_poker" && fixed == roles[1] {
                assert!([0.25, 0.5, 0.9].into_iter().all(|share| same(share).abs() < 1e-8));
            }
        }
    }
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
    let tree = game_tree(&built_in("perfect/tictactoe.kif"), &TreeLimits::default()).unwrap();
    let form = SequenceForm::new(&tree, 50.0);
    let limits = SolveLimits { stop: &|| true, ..unlimited() };
    let error = linear_program(&form, &limits).unwrap_err();
    assert!(matches!(error, LinearProgramError::Stopped(_)), "{error}");
}

/// The long form: Liar's Dice with six faces, and tic-tac-toe, some seconds each.
#[test]
#[ignore = "takes ten seconds"]
fn the_values_of_larger_games_are_those_of_the_literature() {
    assert!((value(&form("liars_dice_1x6", 50.0), 0) + 7.0 / 258.0).abs() < 1e-9);
    let tree = game_tree(&built_in("perfect/tictactoe.kif"), &TreeLimits::default()).unwrap();
    assert!(value(&SequenceForm::new(&tree, 50.0), 0).abs() < 1e-9);
}
