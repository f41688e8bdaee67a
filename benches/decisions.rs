//! Measures the cost of a decision of HyperPlay: playouts and states in the time of a decision, on the interpreter
//! and on the lanes, and the time of a decision of a fixed number of playouts compared with the bulk rate of the same
//! playouts.
//!
//! `cargo bench --bench decisions` follows random matches; at every step the player decides with a clock, then the
//! random move is made. It prints how many
//! decisions were late. `cargo bench --bench decisions -- GAME SECONDS
//! SPEC` does this for one game and one player (each decision by itself if VERBOSE is set). `cargo test` runs it with one short round.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use hyperplay::belief::{self, Belief, ParticleBelief, Uniform};
use hyperplay::engine::{Engine, EngineKind, Engines};
use hyperplay::gdl::{Source, load};
use hyperplay::machine::{
    Budget, ByRole, Evidence, History, MoveWeights, Role, Seed, Start, StateMachine, StateMachineExt,
};
use hyperplay::player::{Player, Registry, Seat, View};

/// A player that no count stops.
const GREEDY: &str = "hyperplay:particles=1000,playouts=1000000000";

fn engines(game: &str) -> Engines {
    let path = format!("{}/games/{game}.kif", env!("CARGO_MANIFEST_DIR"));
    let loaded = load(Source::new(game, std::fs::read_to_string(path).unwrap()), None);
    Engines::new(&loaded.game.unwrap())
}

fn lanes(game: &str) -> Arc<Engine> {
    engines(game).get(EngineKind::Lanes).unwrap()
}

fn interpreter(game: &str) -> Arc<Engine> {
    engines(game).get(EngineKind::Interpreter).unwrap()
}

/// A fresh player that knows what its role knows.
fn player(spec: &str, machine: &Arc<Engine>, role: Role) -> Box<dyn Player> {
    match Registry::standard().player(spec).unwrap().seat(machine, role) {
        Seat::Player(player) => player,
        Seat::Clairvoyant(_) | Seat::Remote(_) => panic!("the bench shows no history"),
    }
}

/// What each role knows after each step of a random match, before its end.
fn random_match(machine: &Engine, steps: usize, seed: u64) -> Vec<Vec<Evidence>> {
    let (mut scratch, mut rng) = (machine.scratch(), Seed::root(seed).rng());
    let (mut history, mut state) = (History::default(), machine.initial());
    let mut known = Vec::new();
    while history.step() < steps && !machine.terminal(&state, &mut scratch) {
        known.push(machine.each_role().map(|role| machine.evidence(&history, role, &mut scratch)).collect());
        let joint = machine.random_joint(&state, &mut scratch, &mut rng).unwrap();
        state = machine.next(&state, &joint, &mut scratch);
        history.0.push(joint);
    }
    known
}

#[derive(Default)]
struct Sum {
    decisions: usize,
    playouts: u64,
    states: u64,
    seconds: f64,
    late: usize,
}

/// Lets players with `spec` decide at every step of some random matches.
fn follow(machine: &Arc<Engine>, spec: &str, time: f64, matches: u64, steps: usize) -> Sum {
    let (mut sum, mut scratch) = (Sum::default(), machine.scratch());
    for seed in 0..matches {
        let mut player = player(spec, machine, Role::new(0));
        for known in random_match(machine, steps, seed) {
            let evidence = &known[0];
            // The referee's state is not known here; any particle's will do, for legal moves are known to their role.
            let began = Instant::now();
            let budget = Budget::time(Duration::from_secs_f64(time));
            let mut legal = Vec::new();
            machine.legal(&machine.initial(), Role::new(0), &mut scratch, &mut legal);
            let view = View { evidence, legal: &legal };
            let decision = player.decide(&view, &budget, &Seed::root(seed).index(evidence.step()));
            let took = began.elapsed().as_secs_f64();
            sum.late += usize::from(took >= time);
            if decision.policy.len() > 1 {
                sum.decisions += 1;
                sum.playouts += decision.cost.playouts;
                sum.states += decision.cost.states;
                sum.seconds += took;
                if std::env::var_os("VERBOSE").is_some() {
                    println!(
                        "  {} {took:.4} {:?} {:?}",
                        evidence.step(),
                        decision.cost,
                        decision.explain(machine).first()
                    );
                }
            }
        }
    }
    sum
}

fn print(game: &str, engine: &str, time: f64, sum: &Sum) {
    let n = sum.decisions.max(1) as f64;
    println!(
        "{game:<36}{engine:<13}{time:>6.2} s{:>4} decisions{:>12.0} playouts{:>12.0} states{:>9.4} s, {} late",
        sum.decisions,
        sum.playouts as f64 / n,
        sum.states as f64 / n,
        sum.seconds / n,
        sum.late
    );
}

/// All particles of a belief times all own moves, 64 playouts each: in one call, and as a decision.
fn all_particles(game: &str, particles: usize, step: usize) {
    let (machine, role) = (lanes(game), Role::new(0));
    let mut scratch = machine.scratch();
    let options = belief::BeliefOptions { particles, enumerate: false, ..belief::BeliefOptions::default() };
    let mut belief = ParticleBelief::new(Arc::clone(&machine), role, Arc::new(Uniform), options);
    let known = random_match(&machine, step + 1, 1);
    let spec = format!(
        "hyperplay:particles={particles},sampler=hyperplay:enumerate=off,nodes=0,search=flat,playouts="
    );
    let build = |playouts: u64| player(&format!("{spec}{playouts}"), &machine, role);
    let mut first = build(1);
    for known in &known {
        let began = Instant::now();
        belief.update(&known[0], &Budget::UNLIMITED, &Seed::root(1).index(known[0].step()).child("belief"));
        println!(
            "{game}: update to step {:>2} of {particles} particles {:>8.4} s {:>7} states",
            known[0].step(),
            began.elapsed().as_secs_f64(),
            belief.cost().states
        );
    }
    let mut starts = Vec::new();
    let mut legal = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    for particle in belief.particles() {
        let state = belief.state(particle);
        if !seen.insert(state.clone()) {
            continue;
        }
        machine.legal(state, role, &mut scratch, &mut legal);
        starts.extend(legal.iter().map(|&own| Start {
            state: state.clone(),
            first: vec![(role, own)],
            weights: None,
            count: 64,
        }));
    }
    let mut weights = MoveWeights::new(ByRole::from_fn(machine.roles().len(), |_| 5));
    for (place, &own) in legal.iter().enumerate() {
        weights.set(role, own, [15, 9, 2][place % 3]);
    }
    let weights = Arc::new(weights);
    for _ in 0..3 {
        let began = Instant::now();
        let (tallies, usage) =
            machine.measured_playouts(&starts, &Seed::root(2), &Budget::UNLIMITED, &mut scratch);
        let bulk = began.elapsed().as_secs_f64();
        let playouts: u64 = tallies.iter().map(|tally| u64::from(tally.count)).sum();
        let weighted: Vec<_> = starts
            .iter()
            .map(|start| Start { weights: Some(Arc::clone(&weights)), ..start.clone() })
            .collect();
        let began = Instant::now();
        machine.measured_playouts(&weighted, &Seed::root(2), &Budget::UNLIMITED, &mut scratch);
        println!("{game}: playouts by weights take {:.2} of the time", began.elapsed().as_secs_f64() / bulk);
        let evidence = &known.last().unwrap()[0];
        let mut player = build(playouts);
        for known in &known[..known.len() - 1] {
            let view = View { evidence: &known[0], legal: &legal };
            let seed = Seed::root(1).index(known[0].step());
            first.decide(&view, &Budget::UNLIMITED, &seed);
            player.decide(&view, &Budget::nodes(100_000), &seed);
        }
        let view = View { evidence, legal: &legal };
        let began = Instant::now();
        let seed = Seed::root(1).index(evidence.step());
        let decision = player.decide(&view, &Budget::UNLIMITED, &seed);
        let took = began.elapsed().as_secs_f64();
        println!(
            "{game}: {} starts, {playouts} playouts in one call {bulk:.4} s, {:.0} a second, {:.1} % of lanes at work; \
             decision {took:.4} s, {} playouts, {:.0} a second: {:.2} of the bulk rate",
            starts.len(),
            playouts as f64 / bulk,
            100.0 * usage.unwrap().steps as f64 / usage.unwrap().places as f64,
            decision.cost.playouts,
            decision.cost.playouts as f64 / took,
            decision.cost.playouts as f64 / took / (playouts as f64 / bulk),
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [game, seconds, spec, ..] = &arguments[..] {
        let time: f64 = seconds.parse().unwrap();
        let steps = arguments.get(3).map_or(100, |steps| steps.parse().unwrap());
        if arguments.len() > 4 {
            print(game, "interpreter", time, &follow(&interpreter(game), spec, time, 1, steps));
        }
        print(game, "lanes", time, &follow(&lanes(game), spec, time, 1, steps));
        return;
    }
    if let [game, particles] = &arguments[..] {
        return all_particles(game, particles.parse().unwrap(), 9);
    }
    let full = std::env::args().any(|argument| argument == "--bench");
    if !full {
        all_particles("imperfect/blind_breakthrough_4x4", 20, 4);
        let sum = follow(&lanes("imperfect/krieg_tictactoe_3x3"), GREEDY, 0.5, 1, 2);
        assert!(sum.decisions > 0);
        return;
    }
    for game in
        ["krieg_tictactoe_5x5", "blind_breakthrough_6x6", "blind_breakthrough_5x5", "phantom_tictactoe"]
    {
        let game = format!("imperfect/{game}");
        for (time, steps) in [(0.05, 20), (1.0, 6)] {
            print(&game, "interpreter", time, &follow(&interpreter(&game), GREEDY, time, 1, steps));
            print(&game, "lanes", time, &follow(&lanes(&game), GREEDY, time, 1, steps));
        }
    }
    all_particles("imperfect/blind_breakthrough_6x6", 1_000, 9);
}
