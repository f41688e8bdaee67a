//! Measures how much strength a tree of playouts loses by making descents in blocks, and how much speed it gains:
//! matches of `uct` with different blocks against each other, with equally many playouts or in equal time, and with
//! seats swapped.
//!
//! `cargo bench --bench trees -- GAME MATCHES BUDGET GROWTH,EARLY,TAPER,MOST,FILL GROWTH,...` plays two kinds of blocks
//! against each other; the budget is a number of playouts, or seconds such as `0.05s`. Each pair of matches begins
//! with the same two random moves. It prints the mean goal of the first. `cargo test` runs one short pair.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use hyperplay::engine::{Engines, NetworkEngine};
use hyperplay::gdl::{Source, load};
use hyperplay::machine::{Budget, Bulk, JointMove, Role, Seed, StateMachineExt};
use hyperplay::search::{Blocks, OpenState, SearchContext, uct};

/// Playouts, or seconds.
#[derive(Clone, Copy)]
enum Allowed {
    Playouts(u64),
    Seconds(f64),
}

/// The tally of one side.
#[derive(Default, Clone, Copy)]
struct Side {
    playouts: u64,
    seconds: f64,
    decisions: u64,
}

/// The better move by the mean of its playouts.
#[expect(clippy::too_many_arguments, reason = "they are those of the search")]
fn decide<M: Bulk>(
    machine: &M,
    state: &M::State,
    role: Role,
    blocks: &Blocks,
    allowed: Allowed,
    seed: &Seed,
    side: &mut Side,
    scratch: &mut M::Scratch,
) -> hyperplay::machine::Move {
    let legal = machine.legal_by_role(state, scratch)[role].clone();
    let (playouts, budget) = match allowed {
        Allowed::Playouts(playouts) => (playouts, Budget::UNLIMITED),
        Allowed::Seconds(seconds) => (u64::MAX, Budget::time(Duration::from_secs_f64(seconds))),
    };
    if legal.len() == 1 {
        return legal[0];
    }
    let began = Instant::now();
    let open = OpenState { state, moves: legal.clone(), weight: 1.0, share: 1 };
    let mut context = SearchContext::new(machine, role, budget, seed.clone(), scratch);
    let made = uct(&mut context, &[open], playouts, blocks);
    side.seconds += began.elapsed().as_secs_f64();
    side.playouts += made.playouts;
    side.decisions += 1;
    let values = &made.evaluations[0].values;
    let best = (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap_or(0);
    legal[best]
}

/// One match in which the two players have the given blocks; the goal of the first role, and the length.
fn play<M: Bulk>(
    machine: &M,
    blocks: [&Blocks; 2],
    allowed: Allowed,
    opening: &Seed,
    seed: &Seed,
    sides: [&mut Side; 2],
) -> f64 {
    let mut scratch = machine.scratch();
    let (mut state, mut rng) = (machine.initial(), opening.rng());
    for step in 0.. {
        if machine.terminal(&state, &mut scratch) {
            break;
        }
        let joint = if step < 2 {
            machine.random_joint(&state, &mut scratch, &mut rng).unwrap()
        } else {
            JointMove::new((0..2).map(|role| {
                let seed = seed.index(step).index(role);
                let (own, side) = (blocks[role], &mut *sides[role]);
                decide(machine, &state, Role::new(role), own, allowed, &seed, side, &mut scratch)
            }))
        };
        state = machine.next(&state, &joint, &mut scratch);
    }
    machine.goal(&state, Role::new(0), &mut scratch).into()
}

fn duel<M: Bulk>(machine: &M, name: &str, blocks: [&Blocks; 2], allowed: Allowed, matches: usize) -> f64 {
    let (mut first, mut second) = (Side::default(), Side::default());
    let (mut sum, mut squares) = (0.0, 0.0);
    for index in 0..matches {
        let (opening, seed) = (Seed::root(7).index(index / 2), Seed::root(9).index(index));
        let score = if index % 2 == 0 {
            play(machine, blocks, allowed, &opening, &seed, [&mut first, &mut second])
        } else {
            let swapped = [blocks[1], blocks[0]];
            100.0 - play(machine, swapped, allowed, &opening, &seed, [&mut second, &mut first])
        };
        sum += score;
        squares += score * score;
    }
    let n = matches as f64;
    let mean = sum / n;
    let error = ((squares / n - mean * mean) / n).sqrt();
    println!("{name}: {matches} matches, {:?} against {:?}: {mean:.1} +- {error:.1}", blocks[0], blocks[1]);
    for side in [first, second] {
        println!(
            "    {:.0} playouts a decision, {:.0} a second",
            side.playouts as f64 / side.decisions.max(1) as f64,
            side.playouts as f64 / side.seconds.max(1e-9)
        );
    }
    mean
}

fn blocks(text: &str) -> Blocks {
    let numbers: Vec<u64> = text.split(',').map(|number| number.parse().unwrap()).collect();
    let [growth, early, taper, most, fill] = numbers[..] else { panic!("five numbers: {text}") };
    Blocks { growth, early, taper, most, fill: fill as u32 }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let short = ["perfect/tictactoe", "2", "50", "1,1,1,1,1", "64,64,8,512,16"].map(str::to_owned);
    let [game, matches, budget, one, two] = arguments.first_chunk().unwrap_or(&short);
    let path = format!("{}/games/{game}.kif", env!("CARGO_MANIFEST_DIR"));
    let loaded = load(Source::new(game.as_str(), std::fs::read_to_string(path).unwrap()), None);
    let propagator = Engines::new(&loaded.game.unwrap()).propagator().unwrap();
    let allowed = match budget.strip_suffix('s') {
        Some(seconds) => Allowed::Seconds(seconds.parse().unwrap()),
        None => Allowed::Playouts(budget.parse().unwrap()),
    };
    let (one, two, matches) = (blocks(one), blocks(two), matches.parse().unwrap());
    let mean = if arguments.get(5).is_some_and(|engine| engine == "propagator") {
        duel(&*propagator, game, [&one, &two], allowed, matches)
    } else {
        duel(&NetworkEngine::with_lanes(propagator), game, [&one, &two], allowed, matches)
    };
    assert!((0.0..=100.0).contains(&mean));
}
