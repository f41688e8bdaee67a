//! One seed gives the same beliefs and the same decisions on any number of threads.
//!
//! Beliefs share large jobs with the threads of the pool that they run in: at least four pieces of 2^14 attempts. The beliefs here
//! are so large that they do.

use crate::common::machines::{evidence_before_the_end, imperfect, sampler, seat};
use hyperplay::belief::UpdateMethod;
use hyperplay::engine::Engine as Machine;
use hyperplay::machine::{Budget, Evidence, History, Role, Seed, StateMachine, StateMachineExt};
use hyperplay::player::{Decision, Seat, View};
use hyperplay::study::harness::random_match;
use std::sync::Arc;

/// More attempts than this in one update are shared between threads.
const SHARED: u64 = 4 << 14;

/// What runs in a pool of `threads` threads gives.
fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// What the first role knows after each step of a random match of at least `steps` steps.
fn known(machine: &Machine, steps: usize) -> Vec<Evidence> {
    let histories = (0..).map(|seed| random_match(machine, steps + 1, &Seed::root(seed)).unwrap());
    let history = histories.into_iter().find(|history| history.step() > steps).unwrap();
    let mut known = evidence_before_the_end(machine, &history, Role::new(0));
    known.truncate(steps);
    known
}

/// A belief after one update: how it was found, its attempts, its particles' histories and the bits of their weights.
#[derive(PartialEq)]
struct Held {
    method: UpdateMethod,
    attempts: u64,
    particles: Vec<(History, u64)>,
}

/// A belief after every update.
fn beliefs(machine: &Arc<Machine>, spec: &str, particles: usize, known: &[Evidence]) -> Vec<Held> {
    let (sampler, model) = sampler(spec, machine);
    let mut belief = sampler.belief(machine, known[0].role, &model, particles);
    let update = |evidence: &Evidence| {
        belief.update(evidence, &Budget::UNLIMITED, &Seed::root(1).index(evidence.step()));
        assert!(belief.take_failure().is_none() && !belief.particles().is_empty());
        let particles = belief.particles().iter();
        Held {
            method: belief.method(),
            attempts: belief.cost().attempts,
            particles: particles.map(|held| (belief.history(held), held.weight.to_bits())).collect(),
        }
    };
    known.iter().map(update).collect()
}

#[test]
fn a_large_belief_is_the_same_on_one_thread_and_on_two() {
    let machine = imperfect("blind_breakthrough_6x6");
    let known = known(&machine, 7);
    for (spec, particles, steps, method) in [
        ("hyperplay:enumerate=off,merge=off", 100_000, 5, UpdateMethod::Rejection),
        ("hyperplay:enumerate=off,method=filter", 50_000, 6, UpdateMethod::ParticleFilter),
    ] {
        let known = &known[..steps];
        let [one, two] =
            [1, 2].map(|threads| on_threads(threads, || beliefs(&machine, spec, particles, known)));
        for (step, (one, two)) in one.iter().zip(&two).enumerate() {
            let (method, held, attempts) = (one.method, one.particles.len(), one.attempts);
            println!("{spec}, step {}: {held} particles by {method}, {attempts} attempts", step + 1);
            assert!(one == two, "{spec}: another belief on two threads at step {}", step + 1);
        }
        let shared = one.iter().filter(|held| held.method == method && held.attempts > SHARED);
        assert!(shared.count() > 0, "{spec}: no update was large enough");
    }
}

/// What the player decides at each of its decisions.
fn decisions(machine: &Arc<Machine>, spec: &str, nodes: u64, known: &[Evidence]) -> Vec<Decision> {
    let role = known[0].role;
    let Seat::Player(mut player) = seat(spec, machine, role) else { panic!("it is not clairvoyant") };
    let mut scratch = machine.scratch();
    let decide = |evidence: &Evidence| {
        let history = random_explanation(machine, evidence);
        let state = machine.replay(&history, &mut scratch);
        let legal = machine.legal_by_role(&state, &mut scratch)[role].clone();
        let view = View { evidence, legal: &legal };
        player.decide(&view, &Budget::nodes(nodes), &Seed::root(2).index(evidence.step()))
    };
    known.iter().map(decide).collect()
}

/// A history that explains the evidence.
fn random_explanation(machine: &Arc<Machine>, evidence: &Evidence) -> History {
    let (sampler, model) = sampler("hyperplay", machine);
    let mut belief = sampler.belief(machine, evidence.role, &model, 1);
    belief.update(evidence, &Budget::UNLIMITED, &Seed::root(3));
    belief.history(&belief.particles()[0])
}

#[test]
fn a_decision_under_a_node_budget_is_the_same_on_one_thread_and_on_two() {
    let machine = imperfect("blind_breakthrough_6x6");
    let known = known(&machine, 5);
    for player in ["hyperplay", "oos", "subgame"] {
        let spec = format!("{player}:particles=100000,sampler=hyperplay:enumerate=off");
        let [one, two] =
            [1, 2].map(|threads| on_threads(threads, || decisions(&machine, &spec, 4_000_000, &known)));
        assert_eq!(one, two, "{player}");
        let held: Vec<_> = one.iter().filter_map(|decision| decision.held).collect();
        println!("{player}: {held:#?}");
        assert!(held.iter().any(|held| held.attempts > SHARED), "{player}: {held:?}");
    }
}
