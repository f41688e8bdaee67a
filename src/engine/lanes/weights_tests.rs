//! Tests of playouts by weights in lanes.

use std::sync::Arc;

use super::tests::{file, game, propagator};
use crate::{NetworkEngine, NetworkScratch};
use hyperplay_machine::{
    Budget, Bulk, ByRole, Move, MoveWeights, Role, Seed, Start, State, StateMachine, Tally,
};

/// Two roles make one move each at once; `random` makes one too. What a role gets tells which move it made.
const ONCE: &str = "(role a) (role b) (role random) (init start)
     (<= (legal ?r (take ?n)) (role ?r) (worth ?n)) (worth 10) (worth 20) (worth 40)
     (<= (next (got ?r ?n)) (does ?r (take ?n))) (<= terminal (not (true start))) (<= (goal ?r ?n) (true (got ?r ?n)))";

fn weights(machine: &NetworkEngine, of: &[(usize, &str, u8)]) -> Arc<MoveWeights> {
    let roles = machine.roles().len();
    let mut weights = MoveWeights::new(ByRole::from_fn(roles, |_| MoveWeights::MOST));
    for &(role, own, weight) in of {
        weights.set(Role::new(role), Move(machine.terms().read(own).expect("a term")), weight);
    }
    Arc::new(weights)
}

/// How often a role got 10, 20 and 40 in playouts of [`ONCE`].
fn counts(tally: &Tally, role: usize) -> [f64; 3] {
    let role = Role::new(role);
    let (n, sum, squares) =
        (f64::from(tally.count), tally.sum[role] as f64 / 10.0, tally.squares[role] as f64 / 100.0);
    // n = x + y + z, sum = x + 2 y + 4 z, squares = x + 4 y + 16 z.
    let z = (squares - n - 3.0 * (sum - n)) / 6.0;
    let y = sum - n - 3.0 * z;
    [n - y - z, y, z]
}

fn assert_shares(counts: [f64; 3], weights: [f64; 3]) {
    let (n, all): (f64, f64) = (counts.iter().sum(), weights.iter().sum());
    for (count, weight) in counts.iter().zip(weights) {
        let p = weight / all;
        let error = (count - n * p) / (n * p * (1.0 - p)).sqrt();
        assert!(error.abs() < 5.0, "{counts:?} by {weights:?}: {error} standard errors");
    }
}

#[test]
fn each_role_chooses_by_its_weights_in_every_start_and_random_does_not() {
    let lanes = NetworkEngine::with_lanes(propagator(&game(ONCE)));
    let one = weights(
        &lanes,
        &[(0, "(take 10)", 1), (0, "(take 20)", 5), (1, "(take 40)", 3), (2, "(take 10)", 1)],
    );
    let other = weights(&lanes, &[(0, "(take 40)", 2)]);
    let start = |weights: Option<&Arc<MoveWeights>>, first| Start {
        state: lanes.initial(),
        first,
        weights: weights.cloned(),
        count: 50_000,
    };
    let take = Move(lanes.terms().read("(take 20)").expect("a term"));
    let starts = [
        start(Some(&one), Vec::new()),
        start(Some(&other), Vec::new()),
        start(None, Vec::new()),
        start(Some(&one), vec![(Role::new(1), take)]),
        start(Some(&one), vec![(Role::new(2), take)]),
    ];
    let tallies = lanes.playouts(&starts, &Seed::root(4), &Budget::UNLIMITED, &mut lanes.scratch());
    let even = [1.0; 3];
    let expected = [
        [[1.0, 5.0, 15.0], [15.0, 15.0, 3.0], even],
        [[15.0, 15.0, 2.0], even, even],
        [even; 3],
        [[1.0, 5.0, 15.0], [0.0, 1.0, 0.0], even],
        [[1.0, 5.0, 15.0], [15.0, 15.0, 3.0], [0.0, 1.0, 0.0]],
    ];
    for (tally, expected) in tallies.iter().zip(expected) {
        assert_eq!((tally.count, tally.steps), (50_000, 50_000));
        for (role, weights) in expected.into_iter().enumerate() {
            let counts = counts(tally, role);
            match weights {
                [0.0, _, 0.0] => assert_eq!(counts, [0.0, 50_000.0, 0.0]),
                weights => assert_shares(counts, weights),
            }
        }
    }
}

/// In games where the roles alternate and where they do not, the lanes have the means of the plain playouts.
#[test]
fn lanes_play_by_weights_as_single_playouts_do() {
    let cases = [
        ("perfect/tictactoe.kif", &[(0, "(mark 2 2)", 1), (0, "(mark 1 1)", 6), (1, "(mark 1 3)", 2)][..]),
        (
            "imperfect/krieg_tictactoe_3x3.kif",
            &[(0, "(mark 2 2)", 1), (0, "(mark 1 1)", 2), (1, "(mark 1 2)", 4)][..],
        ),
    ];
    for (name, of) in cases {
        let propagator = propagator(&file(name));
        let lanes = NetworkEngine::with_lanes(propagator.clone());
        let weights = Some(weights(&lanes, of));
        let start = |count, weights| Start { state: lanes.initial(), first: Vec::new(), weights, count };
        let (seed, budget) = (Seed::root(2), Budget::UNLIMITED);
        let many = [start(100_000, weights.clone()), start(100_000, None)];
        let tallies = lanes.playouts(&many, &seed, &budget, &mut lanes.scratch());
        let plain = propagator.playouts(&[start(20_000, weights)], &seed, &budget, &mut propagator.scratch());
        let x = Role::new(0);
        let mean = |tally: &Tally| tally.mean(x);
        let variance = |tally: &Tally| {
            let count = f64::from(tally.count);
            (tally.squares[x] as f64 / count - mean(tally).powi(2)) / count
        };
        let distance = |a: &Tally, b: &Tally| (mean(a) - mean(b)) / (variance(a) + variance(b)).sqrt();
        assert!(distance(&tallies[0], &plain[0]).abs() < 5.0, "{name}: {tallies:?} {plain:?}");
        assert!(distance(&tallies[0], &tallies[1]).abs() > 8.0, "{name}: the weights matter");
    }
}

#[test]
fn playouts_by_weights_and_uniform_ones_leave_nothing_behind_for_each_other() {
    let lanes = NetworkEngine::with_lanes(propagator(&file("imperfect/krieg_tictactoe_3x3.kif")));
    let weights = weights(&lanes, &[(0, "(mark 2 2)", 1)]);
    let start = |weights| Start { state: lanes.initial(), first: Vec::new(), weights, count: 3_000 };
    let (uniform, weighted) = ([start(None)], [start(Some(weights))]);
    let play = |starts: &[Start<State>], scratch: &mut NetworkScratch| {
        lanes.playouts(starts, &Seed::root(3), &Budget::UNLIMITED, scratch)
    };
    let one = &mut lanes.scratch();
    let both = [play(&uniform, one), play(&weighted, one), play(&uniform, one), play(&weighted, one)];
    assert_eq!(both[0], both[2]);
    assert_eq!(both[1], both[3]);
    assert_eq!(both[1], play(&weighted, &mut lanes.scratch()));
    assert_ne!(both[0], both[1]);
}
