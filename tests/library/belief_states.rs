//! The state oracle: the exact distribution of the states, against the enumeration of histories grouped by the state that they end
//! in, and against an enumerator in Python that has the rules of two games written by hand.

use std::collections::HashMap;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use crate::common::machines::{imperfect, players};
use hyperplay::belief::exact::{Enumeration, ExactError, Posterior, posterior};
use hyperplay::belief::{OpponentModel, Uniform};
use hyperplay::engine::Engine as Machine;
use hyperplay::machine::{
    Budget, ChanceDistribution, Evidence, JointMoves, Observation, OwnMove, Role, Seed, State, StateMachine,
    StateMachineExt,
};
use hyperplay::player::Registry;
use hyperplay::study::harness::random_match;

/// The games, and how many matches of each are looked at in the short form.
const GAMES: [&str; 12] = [
    "monty_hall",
    "kuhn_poker",
    "leduc_poker",
    "liars_dice_1x6",
    "mastermind_3c3p",
    "mastermind_4c3p",
    "krieg_tictactoe_3x3",
    "krieg_tictactoe_4x4",
    "phantom_tictactoe",
    "blind_breakthrough_4x4",
    "blind_breakthrough_5x5",
    "battleships_small",
];

/// How far two probabilities of one state may lie apart.
const CLOSE: f64 = 1e-12;

/// What a role knows after each step of a random match, while it goes on.
fn evidence(machine: &Machine, role: Role, seed: u64) -> Vec<Evidence> {
    let history = random_match(machine, usize::MAX, &Seed::root(seed)).unwrap();
    let whole = machine.evidence(&history, role, &mut machine.scratch());
    (1..whole.step()).map(|step| whole.until(step)).collect()
}

/// The probability of each state.
fn by_state<'a>(
    machine: &Machine,
    histories: impl Iterator<Item = (&'a hyperplay::machine::History, f64)>,
) -> HashMap<State, f64> {
    let (mut sums, mut scratch) = (HashMap::new(), machine.scratch());
    histories.for_each(|(history, weight)| {
        *sums.entry(machine.replay(history, &mut scratch)).or_default() += weight
    });
    sums
}

fn of_posterior(machine: &Machine, posterior: &Posterior) -> HashMap<State, f64> {
    by_state(machine, posterior.histories.iter().map(|(history, probability)| (history, *probability)))
}

fn hold_close(one: &HashMap<State, f64>, other: &HashMap<State, f64>, place: &str) {
    assert_eq!(one.len(), other.len(), "{place}");
    for (state, probability) in one {
        let distance = (probability - other.get(state).unwrap_or(&f64::NAN)).abs();
        assert!(distance < CLOSE, "{place}: {probability} differs by {distance}");
    }
}

/// Compares the state oracle, with states merged from the first step on and from some later step on, with the histories
/// grouped by state, wherever these are at most `limit`. Returns the points, and those at which histories were put together.
fn compared(name: &str, matches: u64, limit: usize) -> (usize, usize) {
    let machine = imperfect(name);
    let (mut points, mut merged) = (0, 0);
    for seed in 0..matches {
        for role in players(&machine) {
            let mut all = Enumeration::new(&*machine, role, &Uniform, limit);
            let mut states = Enumeration::new(&*machine, role, &Uniform, 100 * limit);
            let mut late = Enumeration::new(&*machine, role, &Uniform, 100 * limit);
            assert!(states.merge_states() && !states.merge_states());
            for evidence in evidence(&machine, role, seed) {
                let observed = evidence.steps.last().unwrap();
                match all.observe(observed, false) {
                    Err(ExactError::TooLarge { .. }) => break,
                    result => result.unwrap(),
                }
                states.observe(observed, false).unwrap();
                late.observe(observed, false).unwrap();
                let place = format!("{name}, match {seed}, {role:?}, step {}", evidence.step());
                let histories = all.posterior();
                let grouped = of_posterior(&machine, &histories);
                for oracle in [&states, &late] {
                    let found = oracle.posterior();
                    hold_close(&grouped, &of_posterior(&machine, &found), &place);
                    let share = found.evidence / histories.evidence;
                    assert!(
                        (share - 1.0).abs() < CLOSE,
                        "{place}: the evidence has {share} of its probability"
                    );
                }
                assert_eq!(states.posterior().histories.len(), grouped.len(), "{place}: one history a state");
                points += 1;
                merged += usize::from(grouped.len() < histories.histories.len());
                if evidence.step() == 2 {
                    late.merge_states();
                }
            }
        }
    }
    (points, merged)
}

#[test]
fn the_state_oracle_is_enumeration_grouped_by_state() {
    let all = GAMES.map(|name| compared(name, 1, 500));
    let (points, merged) = all.iter().fold((0, 0), |sums, of| (sums.0 + of.0, sums.1 + of.1));
    // In many games no two histories end in one state; a comparison of those alone would say nothing.
    assert!(points > 50 && merged > 10, "{all:?}");
}

/// Minutes: `cargo test --release --test library -- --ignored state_oracle`.
#[test]
#[ignore = "minutes"]
fn the_state_oracle_is_enumeration_grouped_by_state_at_up_to_a_hundred_thousand_histories() {
    for name in GAMES {
        let (points, merged) = compared(name, 3, 100_000);
        println!("{name}: {points} points, at {merged} of them histories share a state");
        assert!(points > 0);
    }
}

/// A history that goes on: its state, what each player knows, and its probability given the moves of this player.
struct Node {
    state: State,
    known: Vec<Evidence>,
    likelihoods: Vec<f64>,
}

/// All histories that are one step longer and go on; none if they are more than `limit`.
fn one_step_longer(machine: &Machine, level: &[Node], roles: &[Role], limit: usize) -> Option<Vec<Node>> {
    let (mut scratch, mut longer) = (machine.scratch(), Vec::new());
    for node in level {
        let legal = machine.legal_by_role(&node.state, &mut scratch);
        let chance = ChanceDistribution::of(machine, &node.state, &mut scratch);
        let share = |role: Role, own| {
            let place = legal[role].iter().position(|&one| one == own).unwrap();
            let is_chance = machine.random() == Some(role);
            if is_chance {
                chance.probability(place, legal[role].len())
            } else {
                1.0 / legal[role].len() as f64
            }
        };
        for joint in JointMoves::new(&legal) {
            let state = machine.next(&node.state, &joint, &mut scratch);
            if machine.terminal(&state, &mut scratch) {
                continue;
            }
            let (mut known, mut likelihoods) = (node.known.clone(), node.likelihoods.clone());
            for (at, &role) in roles.iter().enumerate() {
                let percepts = machine.percepts(&node.state, &joint, role, &mut scratch);
                known[at].steps.push(Observation { own: OwnMove::Known(joint.of(role)), percepts });
                let others = machine.each_role().filter(|&other| other != role);
                likelihoods[at] *= others.map(|other| share(other, joint.of(other))).product::<f64>();
            }
            longer.push(Node { state, known, likelihoods });
            if longer.len() > limit {
                return None;
            }
        }
    }
    Some(longer)
}

/// Compares the state oracle with all histories, found without it, at every point of a game up to the first step with more than
/// `limit` of them. Returns the steps and the points.
fn compared_at_every_point(name: &str, limit: usize) -> (usize, usize) {
    let (machine, mut steps, mut points) = (imperfect(name), 0, 0);
    let roles = players(&machine);
    let known = roles.iter().map(|&role| Evidence::new(role)).collect();
    let mut level = vec![Node { state: machine.initial(), known, likelihoods: vec![1.0; roles.len()] }];
    while let Some(longer) = one_step_longer(&machine, &level, &roles, limit).filter(|all| !all.is_empty()) {
        (level, steps) = (longer, steps + 1);
        for (at, &role) in roles.iter().enumerate() {
            let mut sets: HashMap<&Evidence, HashMap<State, f64>> = HashMap::new();
            for node in &level {
                let set = sets.entry(&node.known[at]).or_default();
                *set.entry(node.state.clone()).or_default() += node.likelihoods[at];
            }
            for (evidence, mut expected) in sets {
                let mut states = Enumeration::new(&*machine, role, &Uniform, 100 * limit);
                states.merge_states();
                evidence.steps.iter().for_each(|observed| states.observe(observed, false).unwrap());
                let all: f64 = expected.values().sum();
                expected.values_mut().for_each(|probability| *probability /= all);
                let found = of_posterior(&machine, &states.posterior());
                hold_close(&expected, &found, &format!("{name}, {role:?}, step {steps}"));
                points += 1;
            }
        }
    }
    (steps, points)
}

#[test]
fn the_state_oracle_is_right_at_every_point_of_small_games() {
    let all =
        ["monty_hall", "kuhn_poker", "krieg_tictactoe_3x3"].map(|name| compared_at_every_point(name, 10_000));
    assert!(all.iter().all(|&(steps, points)| steps > 1 && points > 5), "{all:?}");
}

/// Minutes: `cargo test --release --test library -- --ignored every_point_of_twelve`.
#[test]
#[ignore = "minutes"]
fn the_state_oracle_is_right_at_every_point_of_twelve_games() {
    for name in GAMES {
        let (steps, points) = compared_at_every_point(name, 100_000);
        println!("{name}: {points} points up to step {steps}");
        assert!(points > 0);
    }
}

#[test]
fn an_enumerator_in_python_finds_the_same_states() {
    let script = format!("{}/tests/exact_histories.py", env!("CARGO_MANIFEST_DIR"));
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: python3 is not installed");
        return;
    }
    let registry = Registry::standard().with_programs();
    let python = registry.sampler(&format!("program:command=python3 {script}")).unwrap();
    let model: Arc<dyn OpponentModel> = Arc::new(Uniform);
    for (name, last) in [("kuhn_poker", usize::MAX), ("krieg_tictactoe_3x3", 4)] {
        let (machine, mut points) = (imperfect(name), 0);
        for (seed, role) in
            (0..6).flat_map(|seed| players(&machine).into_iter().map(move |role| (seed, role)))
        {
            let mut belief = python.sampler().belief(&machine, role, &model, 1);
            let mut states = Enumeration::new(&*machine, role, &Uniform, 100_000);
            states.merge_states();
            for evidence in evidence(&machine, role, seed).into_iter().take_while(|of| of.step() <= last) {
                states.observe(evidence.steps.last().unwrap(), false).unwrap();
                belief.update(&evidence, &Budget::UNLIMITED, &Seed::root(seed));
                assert_eq!(belief.take_failure(), None, "every history of it is replayed");
                let held: Vec<_> =
                    belief.particles().iter().map(|of| (belief.history(of), of.weight)).collect();
                let place = format!("{name}, match {seed}, {role:?}, step {}", evidence.step());
                let found = by_state(&machine, held.iter().map(|(history, weight)| (history, *weight)));
                hold_close(&found, &of_posterior(&machine, &states.posterior()), &place);
                let all = posterior(&*machine, &evidence, &Uniform, 100_000).unwrap();
                assert_eq!(held.len(), all.histories.len(), "{place}");
                points += 1;
            }
        }
        assert!(points >= 20, "{name}: {points}");
    }
}

/// What the state oracle costs where histories are far too many: Blind Breakthrough 6x6 to its end and small Kriegspiel.
#[test]
#[ignore = "prints figures for docs/measurements.md"]
fn figures_of_the_state_oracle() {
    for (name, limit, seeds) in [("blind_breakthrough_6x6", 3_000_000, 3), ("kriegspiel_small", 3_000_000, 3)]
    {
        let machine = imperfect(name);
        for seed in 0..seeds {
            let role = players(&machine)[0];
            let mut states = Enumeration::new(&*machine, role, &Uniform, limit);
            states.merge_states();
            let (since, mut most) = (Instant::now(), 0);
            let all = evidence(&machine, role, seed);
            let mut ended = format!("to the end, step {}", all.len());
            for evidence in &all {
                if let Err(error) = states.observe(evidence.steps.last().unwrap(), false) {
                    ended = error.to_string();
                    break;
                }
                most = most.max(states.posterior().histories.len());
            }
            println!(
                "{name}, match {seed}: {ended}; at most {most} states, {:.0} ms",
                since.elapsed().as_secs_f64() * 1e3
            );
        }
    }
}
