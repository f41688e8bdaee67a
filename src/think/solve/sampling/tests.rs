//! The tests of sampling on toys. Those on rulesheets are in `tests/library/monte_carlo.rs`.

use std::collections::HashMap;
use std::time::Duration;

use super::rule::Account;
use super::*;
use crate::solve::{SequenceForm, TreeError, TreeLimits};
use crate::toy::{Rules, Toy, choice, end};
use hyperplay_machine::{JointMoves, Role, StateMachine};

fn tree(toy: &Toy) -> GameTree {
    GameTree::build(toy, &TreeLimits::default()).unwrap()
}

fn minimised(toy: &Toy, method: SamplingScheme, iterations: u64) -> MonteCarloMinimiser<Toy> {
    let mut minimiser = MonteCarloMinimiser::new(toy, method);
    minimiser.iterate(toy, iterations, &Seed::root(1)).unwrap();
    minimiser
}

/// With 50 goals for a payoff of 1.
fn nash_conv(toy: &Toy, minimiser: &MonteCarloMinimiser<Toy>) -> f64 {
    let tree = tree(toy);
    SequenceForm::new(&tree, 50.0).judge(&minimiser.to_profile(&tree)).nash_conv
}

/// A matrix game in which the first role shows heads in a third of the matches.
fn uneven_pennies() -> Toy {
    Toy::table(
        &["a", "b"],
        vec![choice(&[2, 2], &[1, 2, 2, 3]), end(&[100, 0]), end(&[0, 100]), end(&[50, 50])],
    )
}

/// Two rounds in which both choose at once and see nothing.
fn two_rounds() -> Toy {
    let goals = [[100, 0], [0, 100], [20, 80], [60, 40]];
    let last: Vec<u8> = (0..16).map(|place| 5 + (place * 7 + place / 4) % 4).collect();
    let rounds = last.chunks(4).map(|next| choice(&[2, 2], next));
    let table = [choice(&[2, 2], &[1, 2, 3, 4])].into_iter().chain(rounds);
    Toy::table(&["a", "b"], table.chain(goals.iter().map(|goals| end(goals))).collect())
}

fn toys() -> [Toy; 3] {
    [
        two_rounds(),
        Toy::coin(),
        Toy::table_with_random(
            &["a", "b", "random"],
            vec![
                choice(&[2, 1, 3], &[1, 2, 3, 3, 2, 1]),
                choice(&[1, 2, 2], &[4, 5, 5, 6]),
                choice(&[1, 2, 1], &[6, 4]),
                choice(&[1, 2, 2], &[6, 6, 5, 4]),
                end(&[100, 0, 0]),
                end(&[0, 100, 0]),
                end(&[70, 30, 0]),
            ],
        ),
    ]
}

#[test]
fn where_both_move_at_once_both_mix() {
    let toy = uneven_pennies();
    for method in SamplingScheme::ALL {
        let minimiser = minimised(&toy, method, 20_000);
        assert!(nash_conv(&toy, &minimiser) < 0.03, "{method}: {}", nash_conv(&toy, &minimiser));
        let first = minimiser.policies().next().unwrap();
        assert!((first.probabilities[0] - 1.0 / 3.0).abs() < 0.02, "{method}: {:?}", first.probabilities);
    }
}

#[test]
fn a_single_role_learns_what_is_best() {
    let toy = Toy::coin();
    for method in SamplingScheme::ALL {
        // It cannot know better than to guess.
        assert!(nash_conv(&toy, &minimised(&toy, method, 1_000)) < 0.05, "{method}");
    }
    let toy = Toy::new(Rules::MontyHall);
    for method in SamplingScheme::ALL {
        assert!(nash_conv(&toy, &minimised(&toy, method, 20_000)) < 0.02, "{method}");
    }
}

#[test]
fn the_information_sets_are_those_of_the_tree() {
    for toy in toys() {
        let tree = tree(&toy);
        let minimiser = minimised(&toy, SamplingScheme::External, 1_000);
        assert_eq!(minimiser.information_sets(), tree.sets().len());
        for policy in minimiser.policies() {
            let of_tree = tree.sets().iter().position(|set| tree.evidence(set) == policy.evidence);
            assert_eq!(tree.moves(of_tree.expect("it is in the tree")), policy.moves);
            assert!((policy.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn it_converges_where_steps_and_chance_mix() {
    for toy in toys() {
        for method in SamplingScheme::ALL {
            let nash_conv = nash_conv(&toy, &minimised(&toy, method, 20_000));
            assert!(nash_conv < 0.03, "{method}: {nash_conv}");
        }
    }
}

#[test]
fn how_iterations_are_divided_into_calls_does_not_matter() {
    let seed = Seed::root(7);
    for (toy, method) in toys().iter().flat_map(|toy| SamplingScheme::ALL.map(|method| (toy, method))) {
        let [whole, parts] = [&[600][..], &[0, 1, 99, 500]].map(|counts| {
            let mut minimiser = MonteCarloMinimiser::new(toy, method);
            counts.iter().for_each(|&count| minimiser.iterate(toy, count, &seed).unwrap());
            minimiser
        });
        assert_eq!((parts.iterations, parts.visits), (whole.iterations, whole.visits));
        assert_eq!(parts.to_profile(&tree(toy)), whole.to_profile(&tree(toy)));
        assert!(parts.policies().eq(whole.policies()));
    }
}

#[test]
fn how_many_positions_are_kept_does_not_matter() {
    let seed = Seed::root(7);
    for (toy, method) in toys().iter().flat_map(|toy| SamplingScheme::ALL.map(|method| (toy, method))) {
        let policies = |memory: usize| {
            let mut minimiser = MonteCarloMinimiser::new(toy, method);
            minimiser.positions.memory = memory;
            minimiser.iterate(toy, 500, &seed).unwrap();
            minimiser.policies().map(|policy| (policy.evidence, policy.probabilities)).collect::<Vec<_>>()
        };
        let all = policies(usize::MAX);
        for memory in (0..2_000).step_by(50) {
            assert_eq!(policies(memory), all, "{method}, {memory} bytes");
        }
    }
}

#[test]
fn a_game_that_is_over_at_the_start_has_no_information_set() {
    let toy = Toy::table(&["a", "b"], vec![end(&[50, 50])]);
    let minimiser = minimised(&toy, SamplingScheme::External, 10);
    assert_eq!((minimiser.iterations, minimiser.information_sets()), (10, 0));
}

#[test]
fn a_game_without_an_end_is_an_error_that_stays() {
    let toy = Toy::table(&["a", "b"], vec![choice(&[2, 1], &[0, 0])]);
    for method in SamplingScheme::ALL {
        let mut minimiser = MonteCarloMinimiser::new(&toy, method);
        minimiser.widest = 1_000;
        let error = minimiser.iterate(&toy, 1, &Seed::root(1)).unwrap_err();
        match method {
            SamplingScheme::External => assert_eq!(error, SamplingError::TooWide(1_000)),
            SamplingScheme::Outcome => {
                assert!(matches!(error, SamplingError::Rules(TreeError::Endless(..))), "{error}");
            }
        }
        assert_eq!(minimiser.iterate(&toy, 1, &Seed::root(1)), Err(error));
    }
}

#[test]
fn moves_that_depend_on_what_is_not_known_are_an_error() {
    // The move of the first role decides how many moves the second has, and the second does not see it.
    let toy = Toy::table(
        &["a", "b"],
        vec![choice(&[2, 1], &[1, 2]), choice(&[1, 2], &[3, 3]), choice(&[1, 3], &[3, 3, 3]), end(&[50, 50])],
    );
    let mut minimiser = MonteCarloMinimiser::new(&toy, SamplingScheme::External);
    let error = minimiser.iterate(&toy, 1, &Seed::root(1)).unwrap_err();
    assert!(matches!(error, SamplingError::Rules(TreeError::MovesDiffer { .. })), "{error}");
}

/// A state in which the first move is right and two in which the second is, which is worth less there.
fn one_of_three() -> Toy {
    let hidden = |next: [u8; 2]| choice(&[2, 1], &next);
    Toy::table_with_random(
        &["a", "random"],
        vec![
            choice(&[1, 3], &[1, 2, 2]),
            hidden([3, 4]),
            hidden([4, 5]),
            end(&[100, 0]),
            end(&[0, 0]),
            end(&[60, 0]),
        ],
    )
}

/// Two rounds in which both and `random` choose and see nothing. Each round changes what the next one is worth.
fn two_rounds_with_chance() -> Toy {
    let round = |next: [u8; 8]| choice(&[2, 2, 2], &next);
    let goals = [100, 85, 60, 10, 0].map(|goal| end(&[goal, 100 - goal, 0]));
    let rounds = [
        round([1, 2, 3, 1, 2, 2, 3, 1]),
        round([4, 4, 5, 4, 6, 4, 5, 7]),
        round([8, 7, 8, 8, 7, 4, 8, 8]),
        round([6, 8, 4, 5, 7, 8, 6, 6]),
    ];
    Toy::table_with_random(&["a", "b", "random"], rounds.into_iter().chain(goals).collect())
}

/// The first role chooses once, and then the second one twice.
fn once_and_twice() -> Toy {
    let of_second = |next: [u8; 2]| choice(&[1, 2], &next);
    let choices = [
        choice(&[2, 1], &[1, 2]),
        of_second([3, 4]),
        of_second([4, 3]),
        of_second([5, 6]),
        of_second([6, 6]),
    ];
    let ends = [end(&[100, 0]), end(&[30, 70])];
    Toy::table(&["a", "b"], choices.into_iter().chain(ends).collect())
}

/// The first histories of this number of steps, each with a weight.
fn first_histories(toy: &Toy, steps: usize, weights: &[f64]) -> Vec<(History, f64)> {
    let mut histories = vec![History::default()];
    for _ in 0..steps {
        let longer = histories.iter().flat_map(|History(made)| {
            let state = toy.replay(&History(made.clone()), &mut toy.scratch());
            let legal = toy.legal_by_role(&state, &mut toy.scratch());
            JointMoves::new(&legal).map(|joint| History([&made[..], &[joint]].concat())).collect::<Vec<_>>()
        });
        histories = longer.collect();
    }
    histories.into_iter().zip(weights.iter().copied()).collect()
}

fn aiming(iterations: u64) -> AimOptions {
    AimOptions { iterations, share: 0.9, memory: usize::MAX }
}

fn aimed(toy: &Toy, at: &[(History, f64)], iterations: u64, seed: u64) -> MonteCarloMinimiser<Toy> {
    let mut minimiser = MonteCarloMinimiser::new(toy, SamplingScheme::Outcome);
    let (histories, seed) = (at.iter().cloned(), Seed::root(seed));
    minimiser.iterate_aimed(toy, histories, &aiming(iterations), &Budget::UNLIMITED, &seed).unwrap();
    minimiser
}

#[test]
fn what_is_aimed_at_does_not_change_what_is_learnt() {
    // Who takes the target for the truth makes the first move.
    let toy = one_of_three();
    for weights in [&[1.0][..], &[0.8, 0.1, 0.1], &[0.0, 0.5]] {
        let minimiser = aimed(&toy, &first_histories(&toy, 1, weights), 20_000, 1);
        assert!(nash_conv(&toy, &minimiser) < 0.02, "{weights:?}");
        let (moves, shares) = minimiser.policy(&tree(&toy).evidence(&tree(&toy).sets()[0])).unwrap();
        assert!(moves.len() == 2 && shares[1] > 0.95, "{weights:?}: {shares:?}");
    }
    for toy in toys() {
        let minimiser = aimed(&toy, &first_histories(&toy, 1, &[0.7, 0.3]), 60_000, 1);
        let nash_conv = nash_conv(&toy, &minimiser);
        assert!(nash_conv < 0.05, "{nash_conv}");
    }
}

type Sums = HashMap<(Evidence, Move), f64>;

/// The value of uniform play to the first role after a history that the others come to with probability `reach`. Adds what an
/// iteration adds in the mean where nothing is known: regrets of the first role and averages of the second.
fn enumerated(toy: &Toy, history: &History, reach: f64, sums: &mut Sums) -> f64 {
    let (scratch, first) = (&mut toy.scratch(), Role::new(0));
    let state = toy.replay(history, scratch);
    if toy.terminal(&state, scratch) {
        return f64::from(toy.goal(&state, first, scratch).value()) - 50.0;
    }
    let legal = toy.legal_by_role(&state, scratch);
    let count = legal[first].len() as f64;
    let others = legal.values().iter().map(|moves| moves.len() as f64).product::<f64>() / count;
    let mut values = vec![0.0; legal[first].len()];
    for joint in JointMoves::new(&legal) {
        let place = legal[first].iter().position(|&own| own == joint.of(first)).unwrap();
        let after = History(history.0.iter().cloned().chain([joint]).collect());
        values[place] += enumerated(toy, &after, reach / others, sums) / others;
    }
    let mean = values.iter().sum::<f64>() / count;
    for (&own, value) in legal[first].iter().zip(&values) {
        let known = toy.evidence(history, first, scratch);
        *sums.entry((known, own)).or_default() += reach * (value - mean);
    }
    let second = Role::new(1);
    for &own in legal[second].iter().filter(|_| Some(second) != toy.random()) {
        let known = toy.evidence(history, second, scratch);
        *sums.entry((known, own)).or_default() += reach * count / legal[second].len() as f64;
    }
    mean
}

#[test]
fn one_iteration_adds_in_the_mean_what_an_enumeration_says() {
    const RUNS: u64 = 5_000;
    const GUESSED: u64 = 10;
    let ([_, _, mixed], rounds) = (toys(), two_rounds_with_chance());
    for (toy, steps, weights) in [
        (&rounds, 0, &[][..]),
        (&rounds, 1, &[1.0]),
        (&rounds, 1, &[0.0, 0.2, 0.7]),
        (&rounds, 2, &[0.1, 0.3, 0.0, 0.0, 0.2, 0.4]),
        (&mixed, 2, &[0.7, 0.0, 0.3]),
        (&once_and_twice(), 2, &[0.7, 0.2, 0.1]),
        (&one_of_three(), 1, &[0.8, 0.1, 0.1]),
    ] {
        let histories = first_histories(toy, steps, weights);
        let (mut expected, mut found) = (Sums::new(), HashMap::new());
        enumerated(toy, &History::default(), 1.0, &mut expected);
        for seed in 0..RUNS {
            // The guesses stay, since what is learnt does not depend on them in the mean.
            let mut minimiser = aimed(toy, &[], GUESSED, seed);
            for set in minimiser.positions.tree.sets.list() {
                minimiser.accounts.of(set.first, set.count).fill(Account::default());
            }
            let (at, seed) = (histories.iter().cloned(), Seed::root(RUNS + seed));
            minimiser.iterate_aimed(toy, at, &aiming(1), &Budget::UNLIMITED, &seed).unwrap();
            let sets: Vec<_> = minimiser.positions.tree.sets.list().to_vec();
            let policies: Vec<_> =
                minimiser.policies().map(|policy| (policy.evidence, policy.moves.to_vec())).collect();
            for ((known, moves), SetMoves { first, count }) in policies.into_iter().zip(sets) {
                for (own, account) in moves.into_iter().zip(minimiser.accounts.of(first, count)) {
                    let is_first = known.role == Role::new(0);
                    let added = if is_first { account.regret } else { account.average };
                    let added = added / (GUESSED + 1) as f64;
                    let sums: &mut [f64; 2] = found.entry((known.clone(), own)).or_default();
                    *sums = [sums[0] + added, sums[1] + added * added];
                }
            }
        }
        for ((known, own), [sum, squares]) in found {
            let (mean, expected) = (sum / RUNS as f64, expected[&(known.clone(), own)]);
            let error = ((squares / RUNS as f64 - mean * mean) / RUNS as f64).sqrt();
            assert!(
                (mean - expected).abs() < 5.0 * error + 1e-9,
                "{weights:?}, {known:?}, {own:?}: {mean} +-{error}, {expected} by enumeration"
            );
        }
    }
}

#[test]
fn a_budget_ends_iterations_and_is_no_failure() {
    let toy = two_rounds();
    let mut minimiser = MonteCarloMinimiser::new(&toy, SamplingScheme::Outcome);
    let mut made = |options: AimOptions, budget: Budget| {
        let before = minimiser.iterations;
        let histories = first_histories(&toy, 1, &[0.5, 0.5]).into_iter();
        minimiser.iterate_aimed(&toy, histories, &options, &budget, &Seed::root(1)).unwrap();
        minimiser.iterations - before
    };
    assert_eq!(made(aiming(10), Budget::UNLIMITED), 10);
    assert_eq!(made(aiming(10), Budget::time(Duration::ZERO)), 0);
    assert_eq!(made(AimOptions { memory: 1, ..aiming(10) }, Budget::UNLIMITED), 0);
    assert!((1..10).contains(&made(aiming(10), Budget::nodes(30))));
    assert_eq!(made(aiming(10), Budget::UNLIMITED), 10);
}

#[test]
fn a_failure_stays_where_it_is_aimed_again() {
    let toy = Toy::table(&["a", "b"], vec![choice(&[2, 1], &[0, 0])]);
    let mut minimiser = MonteCarloMinimiser::new(&toy, SamplingScheme::Outcome);
    let mut once = || {
        let histories = first_histories(&toy, 1, &[1.0]).into_iter();
        minimiser.iterate_aimed(&toy, histories, &aiming(1), &Budget::UNLIMITED, &Seed::root(1))
    };
    let error = once().unwrap_err();
    assert!(matches!(error, SamplingError::Rules(TreeError::Endless(..))), "{error}");
    assert_eq!(once(), Err(error));
}
