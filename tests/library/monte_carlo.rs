//! Monte-Carlo CFR on rulesheets: it comes near an equilibrium, and it can be repeated.
//!
//! The thresholds are about twice the mean NashConv of four seeds at that number of iterations (measured 2026-11-22).

use hyperplay::engine::Engine;
use hyperplay::for_engine::{game_tree, iterate};
use hyperplay::machine::{Budget, Evidence, History, JointMoves, Seed, StateMachine, StateMachineExt};
use hyperplay::solve::{AimOptions, MonteCarloMinimiser, SamplingScheme, SequenceForm, TreeLimits};

use crate::common::machines::imperfect;

/// NashConv after `iterations` iterations, in payoffs of `unit` goals.
fn nash_conv(name: &str, unit: f64, scheme: SamplingScheme, iterations: u64) -> f64 {
    let machine = imperfect(name);
    let tree = game_tree(&machine, &TreeLimits::default()).unwrap();
    let mut minimiser = MonteCarloMinimiser::new(&*machine, scheme);
    iterate(&mut minimiser, &machine, iterations, &Seed::root(1)).unwrap();
    SequenceForm::new(&tree, unit).judge(&minimiser.to_profile(&tree)).nash_conv
}

#[test]
fn both_methods_come_near_an_equilibrium_of_kuhn_poker() {
    for scheme in SamplingScheme::ALL {
        let nash_conv = nash_conv("kuhn_poker", 25.0, scheme, 100_000);
        assert!(nash_conv < 0.02, "{scheme}: {nash_conv}");
    }
}

/// All histories that leave a role with this evidence, equally weighted.
fn explanations(machine: &Engine, evidence: &Evidence) -> Vec<(History, f64)> {
    let (mut histories, scratch) = (vec![History::default()], &mut machine.scratch());
    for step in 1..=evidence.step() {
        let mut longer = Vec::new();
        for History(made) in &histories {
            let state = machine.replay(&History(made.clone()), scratch);
            if machine.terminal(&state, scratch) {
                continue;
            }
            let legal = machine.legal_by_role(&state, scratch);
            longer.extend(JointMoves::new(&legal).map(|joint| History([&made[..], &[joint]].concat())));
        }
        longer.retain(|history| machine.evidence(history, evidence.role, scratch) == evidence.until(step));
        histories = longer;
    }
    histories.into_iter().map(|history| (history, 1.0)).collect()
}

/// Only Bob's, because there are many of Alice.
#[test]
fn wherever_iterations_aim_the_same_equilibrium_policy_of_kuhn_poker_is_learnt() {
    let machine = imperfect("kuhn_poker");
    let tree = game_tree(&machine, &TreeLimits::default()).unwrap();
    let bob: Vec<Evidence> =
        tree.sets().iter().map(|set| tree.evidence(set)).filter(|known| known.role.index() == 1).collect();
    let learnt = |aimed_at: Vec<(History, f64)>| {
        let mut minimiser = MonteCarloMinimiser::new(&*machine, SamplingScheme::Outcome);
        let options = AimOptions { iterations: 200_000, share: 0.9, memory: usize::MAX };
        let (histories, budget) = (aimed_at.into_iter(), Budget::UNLIMITED);
        minimiser.iterate_aimed(&*machine, histories, &options, &budget, &Seed::root(1)).unwrap();
        let first = |known: &Evidence| minimiser.policy(known).unwrap().1[0];
        bob.iter().map(first).collect::<Vec<f64>>()
    };
    let plain = learnt(Vec::new());
    for set in tree.sets() {
        let aimed = learnt(explanations(&machine, &tree.evidence(set)));
        println!("{plain:.3?}, {aimed:.3?}");
        for (plain, aimed) in plain.iter().zip(aimed) {
            assert!((plain - aimed).abs() < 0.06, "{aimed} where iterations aim, {plain} where not");
        }
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
    let tree = game_tree(&machine, &TreeLimits::default()).unwrap();
    for scheme in SamplingScheme::ALL {
        let [whole, parts] = [&[2_000][..], &[1, 0, 999, 1_000]].map(|counts| {
            let mut minimiser = MonteCarloMinimiser::new(&*machine, scheme);
            for &count in counts {
                iterate(&mut minimiser, &machine, count, &Seed::root(5)).unwrap();
            }
            (minimiser.visits, minimiser.to_profile(&tree))
        });
        assert_eq!(whole, parts, "{scheme}");
    }
}

#[test]
fn a_game_without_a_tree_is_sampled() {
    let machine = imperfect("phantom_tictactoe");
    let mut minimiser = MonteCarloMinimiser::new(&*machine, SamplingScheme::Outcome);
    iterate(&mut minimiser, &machine, 2_000, &Seed::root(1)).unwrap();
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
