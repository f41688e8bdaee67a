//! The tests of sampling on toys. Those on rulesheets are in `tests/library/monte_carlo.rs`.

use super::external::VISITS;
use super::*;
use crate::solve::{SequenceForm, TreeError, TreeLimits};
use hyperplay_machine::testing::{Rules, Toy, choice, end};

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
        assert_eq!((parts.iterations(), parts.visits()), (whole.iterations(), whole.visits()));
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
    assert_eq!((minimiser.iterations(), minimiser.information_sets()), (10, 0));
}

#[test]
fn a_game_without_an_end_is_an_error_that_stays() {
    let toy = Toy::table(&["a", "b"], vec![choice(&[2, 1], &[0, 0])]);
    for method in SamplingScheme::ALL {
        let mut minimiser = MonteCarloMinimiser::new(&toy, method);
        let error = minimiser.iterate(&toy, 1, &Seed::root(1)).unwrap_err();
        match method {
            SamplingScheme::External => assert_eq!(error, SamplingError::TooWide { limit: VISITS }),
            SamplingScheme::Outcome => {
                assert!(matches!(error, SamplingError::Rules(TreeError::Endless { .. })), "{error}");
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
