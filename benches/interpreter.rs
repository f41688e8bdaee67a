//! Measures how fast the interpreter plays, as a ratio to the naive evaluator of the tests in the same process.
//!
//! `cargo bench --bench interpreter` plays uniform random matches from the initial state with both and prints
//! playouts and states a second and their ratio. It asserts its answers: the mean goals of tic-tac-toe under random
//! play are known exactly (737, 363 and 160 of 1,260 for the first role, the second, and a draw), and those of the
//! other games agree between the two evaluators. `cargo test` runs it with one short round.

use std::time::Instant;

use hyperplay::engine::Interpreter;
use hyperplay::gdl::{Source, load};
use hyperplay::machine::{Budget, Bulk, Role, Seed, Start, StateMachine};
use hyperplay_naive::Naive;
use rand::RngExt;

/// What a round of random play showed.
struct Round {
    playouts: f64,
    steps: f64,
    /// Mean goal of the first role, and its standard error.
    mean: f64,
    error: f64,
    seconds: f64,
}

fn interpreted(machine: &Interpreter, count: u32) -> Round {
    let starts = [Start { state: machine.initial(), first: Vec::new(), weights: None, count }];
    let begin = Instant::now();
    let tally =
        machine.playouts(&starts, &Seed::root(1), &Budget::UNLIMITED, &mut machine.scratch()).pop().unwrap();
    let seconds = begin.elapsed().as_secs_f64();
    let (n, role) = (f64::from(count), Role::new(0));
    let mean = tally.mean(role);
    let variance = tally.squares[role] as f64 / n - mean * mean;
    Round { playouts: n, steps: tally.steps as f64, mean, error: (variance / n).sqrt(), seconds }
}

fn naively(naive: &Naive, count: u32) -> Round {
    let mut rng = Seed::root(2).rng();
    let (mut steps, mut goals) = (0_u32, Vec::new());
    let begin = Instant::now();
    for _ in 0..count {
        let mut state = naive.initial();
        loop {
            let view = naive.at(&state);
            if view.terminal() {
                goals.push(view.goal(0) as f64);
                break;
            }
            let joint: Vec<_> = (0..naive.roles().len())
                .map(|role| {
                    let legal: Vec<_> = view.legal(role).into_iter().collect();
                    legal[rng.random_range(0..legal.len())].clone()
                })
                .collect();
            let next = view.step(&joint).0;
            state = next;
            steps += 1;
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    let n = f64::from(count);
    let mean = goals.iter().sum::<f64>() / n;
    let variance = goals.iter().map(|goal| (goal - mean).powi(2)).sum::<f64>() / n;
    Round { playouts: n, steps: f64::from(steps), mean, error: (variance / n).sqrt(), seconds }
}

fn main() {
    let full = std::env::args().any(|argument| argument == "--bench");
    let scale = if full { 20 } else { 1 };
    println!("{:<34}{:>12}{:>12}{:>16}{:>9}", "game", "playouts/s", "states/s", "naive states/s", "ratio");
    for (game, fast, slow) in [
        ("perfect/tictactoe", 500, 10),
        ("perfect/connect_four", 100, 2),
        ("perfect/breakthrough", 40, 1),
        ("imperfect/kuhn_poker", 1000, 40),
        ("imperfect/krieg_tictactoe_3x3", 500, 10),
        ("imperfect/blind_breakthrough_5x5", 100, 2),
    ] {
        let path = format!("{}/games/{game}.kif", env!("CARGO_MANIFEST_DIR"));
        let loaded = load(Source::new(game, std::fs::read_to_string(path).unwrap()), None);
        let machine = Interpreter::new(&loaded.game.unwrap()).unwrap();
        let fast = interpreted(&machine, fast * scale);
        let slow = naively(&Naive::new(&loaded.rulesheet), slow * scale);
        if game == "perfect/tictactoe" {
            let exact = 100.0 * 737.0 / 1260.0 + 50.0 * 160.0 / 1260.0;
            assert!((fast.mean - exact).abs() < 5.0 * fast.error, "{game}: {} is not {exact}", fast.mean);
        }
        let apart = (fast.mean - slow.mean).abs();
        assert!(
            apart < 5.0 * fast.error.hypot(slow.error) + 1e-9 || slow.error == 0.0,
            "{game}: {apart} apart"
        );
        let (states, naive) = (fast.steps / fast.seconds, slow.steps / slow.seconds);
        let playouts = fast.playouts / fast.seconds;
        println!("{game:<34}{playouts:>12.0}{states:>12.0}{naive:>16.0}{:>9.0}", states / naive);
        assert!(slow.playouts > 0.0);
    }
}
