//! Measures how fast steps that agree with an observation are drawn in lanes, as a ratio to the plain form over the
//! same network in the same process, and how long small calls take.
//!
//! `cargo bench --bench consistent -- GAME SECONDS SEED` plays a random match of a game of `games/` and takes what the
//! first role that is not `random` observed of the step in its middle. The states before that step are drawn forward.
//! It prints attempts for each second of processor time with random starts and with sorted ones. It asserts that the share of attempts that
//! agree is the same in both forms. Without arguments it measures four games; `cargo test` runs it for an instant.

use std::sync::Arc;

use cpu_time::ProcessTime;
use hyperplay::engine::{Engines, NetworkEngine};
use hyperplay::gdl::{Source, load};
use hyperplay::machine::{
    Budget, Bulk, ConsistentDraws, Evidence, History, ObservedStep, Role, Seed, State, StateMachine,
    StateMachineExt, StepAttempts,
};
use rand::RngExt;

const GAMES: [&str; 4] = [
    "imperfect/krieg_tictactoe_5x5",
    "imperfect/blind_breakthrough_6x6",
    "imperfect/phantom_tictactoe",
    "imperfect/monty_hall",
];
/// States before the step.
const STARTS: usize = 1000;

/// What one role observed of a step.
fn observed(evidence: &Evidence, step: usize) -> ObservedStep<'_> {
    let is_end = evidence.over && step + 1 == evidence.step();
    ObservedStep { role: evidence.role, observation: &evidence.steps[step], is_end }
}

/// The evidence of a role after a random match.
fn evidence(machine: &NetworkEngine, role: Role, seed: &Seed) -> Evidence {
    let (mut scratch, mut rng) = (machine.scratch(), seed.rng());
    let (mut history, mut state) = (History::default(), machine.initial());
    while !machine.terminal(&state, &mut scratch) {
        let joint = machine.random_joint(&state, &mut scratch, &mut rng).unwrap();
        state = machine.next(&state, &joint, &mut scratch);
        history.0.push(joint);
    }
    machine.evidence(&history, role, &mut scratch)
}

/// States that agree with the first steps of the evidence.
fn starts(machine: &NetworkEngine, evidence: &Evidence, steps: usize, seed: &Seed) -> Vec<State> {
    let mut scratch = machine.scratch();
    let mut starts = vec![machine.initial()];
    for step in 0..steps {
        let (mut found, mut call) = (Vec::new(), 0);
        while found.len() < STARTS {
            let attempts = random_attempts(1 << 14, starts.len(), &seed.index(step).index(call));
            let seed = seed.child("draw").index(step).index(call);
            let (starts, attempts, seed, budget) = (&starts, &attempts, &seed, &Budget::UNLIMITED);
            let asked = StepAttempts { starts, attempts, observed: observed(evidence, step), seed, budget };
            let drawn = machine.draw_consistent(&asked, &mut scratch);
            found.extend(drawn.steps.into_iter().map(|step| step.state));
            call += 1;
        }
        found.truncate(STARTS);
        starts = found;
    }
    starts
}

fn random_attempts(count: usize, starts: usize, seed: &Seed) -> Vec<u32> {
    let mut rng = seed.rng();
    (0..count).map(|_| rng.random_range(0..starts as u32)).collect()
}

/// Calls with these attempts for so many seconds: attempts, those that agree, and the seconds of a call.
fn measure(
    machine: &NetworkEngine,
    starts: &[State],
    attempts: &[u32],
    asked: &ObservedStep<'_>,
    seconds: f64,
) -> (f64, f64, f64) {
    let mut scratch = machine.scratch();
    let (mut tried, mut found, mut calls) = (0.0, 0.0, 0);
    let draw = |call: usize, scratch: &mut _| -> ConsistentDraws<State> {
        let seed = Seed::root(7).index(call);
        let (seed, budget) = (&seed, &Budget::UNLIMITED);
        machine.draw_consistent(&StepAttempts { starts, attempts, observed: *asked, seed, budget }, scratch)
    };
    draw(0, &mut scratch); // compiles, and makes the planes
    let begin = ProcessTime::now();
    while calls == 0 || begin.elapsed().as_secs_f64() < seconds {
        calls += 1;
        let drawn = draw(calls, &mut scratch);
        tried += drawn.tried as f64;
        found += drawn.steps.len() as f64;
    }
    let seconds = begin.elapsed().as_secs_f64();
    (tried, found, seconds / calls as f64)
}

fn run(name: &str, seconds: f64, seed: u64) {
    let path = format!("{}/games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    let loaded = load(Source::new(name, std::fs::read_to_string(path).unwrap()), None);
    let propagator = Engines::new(&loaded.game.unwrap()).propagator().unwrap();
    let plain = NetworkEngine::new(Arc::clone(&propagator), None);
    let lanes = NetworkEngine::with_lanes(propagator);
    let role = lanes.each_role().find(|role| Some(*role) != lanes.random()).unwrap();
    let seed = Seed::root(seed);
    let evidence = evidence(&lanes, role, &seed);
    let step = evidence.step() / 2;
    let asked = observed(&evidence, step);
    let begin = ProcessTime::now();
    let starts = starts(&lanes, &evidence, step, &seed);
    let first = begin.elapsed().as_secs_f64();
    let large = if seconds < 0.1 { 1 << 12 } else { 1 << 18 };
    let random = random_attempts(large, starts.len(), &seed);
    let sorted: Vec<u32> = (0..large).map(|place| (place * starts.len() / large) as u32).collect();
    let (made, agreed, of_call) = measure(&plain, &starts, &random[..1 << 12], &asked, seconds);
    let (share, slow) = (agreed / made, f64::from(1 << 12) / of_call);
    println!("{name}: step {step} of {}, {:.3} of {:.1e} attempts agree", evidence.step(), share, made);
    println!("    plain: {:.3} M attempts a second; {first:.2} s to the step", slow / 1e6);
    for (kind, attempts) in [("random", &random), ("sorted", &sorted)] {
        let (tried, found, of_call) = measure(&lanes, &starts, attempts, &asked, seconds);
        let rate = attempts.len() as f64 / of_call;
        println!("    {kind}: {:.1} M a second, {:.0} times the plain form", rate / 1e6, rate / slow);
        let (mine, other) = (found / tried, share);
        let error = (other * (1.0 - other) * (1.0 / tried + 1.0 / made)).sqrt();
        // Sorted attempts have each start equally often, random ones almost.
        assert!((mine - other).abs() < 6.0 * error + 0.02 * other + 1e-3, "{mine} {other}");
    }
    // If the step had ended the game, or had not, no attempt would agree: the time of the passes alone.
    let none = ObservedStep { is_end: !asked.is_end, ..asked };
    let (_, _, of_call) = measure(&lanes, &starts, &random, &none, seconds / 2.0);
    println!("    none agrees: {:.1} M a second", random.len() as f64 / of_call / 1e6);
    for count in [64, 512, 4096] {
        let (_, _, of_call) = measure(&lanes, &starts, &random[..count], &asked, seconds / 4.0);
        println!("    {count} attempts: {:.2} us a call", of_call * 1e6);
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let seconds = arguments.get(1).map_or(if is_bench { 1.0 } else { 0.01 }, |text| text.parse().unwrap());
    let seed = arguments.get(2).map_or(1, |text| text.parse().unwrap());
    match arguments.first() {
        Some(name) => run(name, seconds, seed),
        None => GAMES.iter().for_each(|name| run(name, seconds, seed)),
    }
}
