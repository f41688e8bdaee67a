//! Monte-Carlo CFR on rulesheets: it comes near an equilibrium, and it can be repeated.
//!
//! The thresholds are about twice the mean NashConv of four seeds at that number of iterations (measured 2026-11-22).

use hyperplay::machine::Seed;
use hyperplay::solve::{GameTree, MonteCarloMinimiser, SamplingScheme, SequenceForm, TreeLimits};

use crate::common::machines::imperfect;

/// NashConv after `iterations` iterations, in payoffs of `unit` goals.
fn nash_conv(name: &str, unit: f64, scheme: SamplingScheme, iterations: u64) -> f64 {
    let machine = imperfect(name);
    let tree = GameTree::build(&*machine, &TreeLimits::default()).unwrap();
    let mut minimiser = MonteCarloMinimiser::new(&*machine, scheme);
    minimiser.iterate(&*machine, iterations, &Seed::root(1)).unwrap();
    SequenceForm::new(&tree, unit).judge(&minimiser.to_profile(&tree)).nash_conv
}

#[test]
fn both_methods_come_near_an_equilibrium_of_kuhn_poker() {
    for scheme in SamplingScheme::ALL {
        let nash_conv = nash_conv("kuhn_poker", 25.0, scheme, 100_000);
        assert!(nash_conv < 0.02, "{scheme}: {nash_conv}");
    }
}

#[test]
fn simultaneous_moves_are_solved_too() {
    for (scheme, iterations) in [(SamplingScheme::External, 3_000), (SamplingScheme::Outcome, 100_000)] {
        let nash_conv = nash_conv("goofspiel_4_imperfect", 50.0, scheme, iterations);
        assert!(nash_conv < 0.08, "{scheme}: {nash_conv}");
    }
}

#[test]
fn iterations_are_the_same_in_one_call_or_in_many() {
    let machine = imperfect("leduc_poker");
    let tree = GameTree::build(&*machine, &TreeLimits::default()).unwrap();
    for scheme in SamplingScheme::ALL {
        let [whole, parts] = [&[2_000][..], &[1, 0, 999, 1_000]].map(|counts| {
            let mut minimiser = MonteCarloMinimiser::new(&*machine, scheme);
            for &count in counts {
                minimiser.iterate(&*machine, count, &Seed::root(5)).unwrap();
            }
            (minimiser.visits(), minimiser.to_profile(&tree))
        });
        assert_eq!(whole, parts, "{scheme}");
    }
}

#[test]
fn a_game_without_a_tree_is_sampled() {
    let machine = imperfect("phantom_tictactoe");
    let mut minimiser = MonteCarloMinimiser::new(&*machine, SamplingScheme::Outcome);
    minimiser.iterate(&*machine, 2_000, &Seed::root(1)).unwrap();
    assert!(minimiser.information_sets() > 5_000);
    for policy in minimiser.policies().take(100) {
        assert!(policy.moves.len() > 1 && policy.evidence.role == policy.role);
        assert!((policy.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
}

/// The long form.
#[test]
#[ignore = "takes some seconds"]
fn both_methods_come_near_an_equilibrium_of_leduc_poker() {
    for (scheme, most) in [(SamplingScheme::External, 0.09), (SamplingScheme::Outcome, 0.3)] {
        let nash_conv = nash_conv("leduc_poker", 3.0, scheme, 1_000_000);
        assert!(nash_conv < most, "{scheme}: {nash_conv}");
    }
}
