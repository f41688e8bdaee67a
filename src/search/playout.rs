//! Playout: what each move is worth by the mean goal of uniform random play after it.
//!
//! Flat: every move of every state gets the same number of playouts, all through [`Bulk::playouts`]. They are made in
//! rounds of 1, 1, 2, 4, ... a move, so that whatever ends the work, the moves of a state have been tried equally
//! often: the count asked for, the nodes (every playout step is one; checked between rounds, and the first round is
//! always made), or the deadline. Without a deadline the result depends on the seed alone; round `r` draws from the
//! stream `seed/r`. The error of a value is at most 50 / sqrt(playouts).

use super::evaluation::{Evaluation, Method};
use crate::machine::{Budget, Bulk, Move, Role, Seed, Start};

/// What the playouts were.
#[derive(Clone, PartialEq, Debug)]
pub struct Playouts {
    /// One evaluation for each state, in the order given.
    pub evaluations: Vec<Evaluation>,
    /// How many playouts were made.
    pub playouts: u64,
    /// How many steps they took together.
    pub steps: u64,
}

/// Judges the moves of `role` in each state, not terminal, by up to `count` playouts a move. Each state comes with the
/// legal moves of the role.
pub fn playouts<M: Bulk>(
    machine: &M,
    states: &[(&M::State, Vec<Move>)],
    role: Role,
    count: u32,
    budget: &Budget,
    seed: &Seed,
    scratch: &mut M::Scratch,
) -> Playouts {
    let mut starts: Vec<Start<M::State>> = states
        .iter()
        .flat_map(|(state, moves)| moves.iter().map(move |&own| (*state, own)))
        .map(|(state, own)| Start { state: state.clone(), first: vec![(role, own)], count: 0 })
        .collect();
    let mut sums = vec![(0_u64, 0_u32); starts.len()];
    let (mut playouts, mut steps, mut made) = (0, 0, 0);
    for round in 0.. {
        let size = made.max(1).min(count - made);
        let spent = budget.nodes.is_some_and(|nodes| made > 0 && steps >= nodes);
        if size == 0 || spent || budget.is_late() {
            break;
        }
        starts.iter_mut().for_each(|start| start.count = size);
        let tallies = machine.playouts(&starts, &seed.index(round), budget, scratch);
        for ((sum, tried), tally) in sums.iter_mut().zip(&tallies) {
            *sum += tally.sum[role];
            *tried += tally.count;
            playouts += u64::from(tally.count);
            steps += tally.steps;
        }
        made += size;
    }
    let mut sums = sums.into_iter();
    let evaluations = states
        .iter()
        .map(|(_, moves)| evaluation(moves, &sums.by_ref().take(moves.len()).collect::<Vec<_>>()))
        .collect();
    Playouts { evaluations, playouts, steps }
}

/// A state of which some move was never tried is not judged: there is nothing to compare.
fn evaluation(moves: &[Move], sums: &[(u64, u32)]) -> Evaluation {
    let tried = sums.iter().map(|&(_, tried)| tried).min().unwrap_or(0);
    let (values, method) = if tried == 0 {
        (Vec::new(), Method::Unjudged)
    } else {
        let mean = |&(sum, tried): &(u64, u32)| sum as f64 / f64::from(tried);
        (sums.iter().map(mean).collect(), Method::Playouts(tried))
    };
    Evaluation { moves: moves.to_vec(), values, mixture: None, method }
}

#[cfg(test)]
mod tests {
    use super::super::toy::{Toy, choice, end};
    use super::*;
    use crate::machine::{StateMachine, StateMachineExt};
    use std::time::Duration;

    /// A coin for the first move, a certain 40 for the second.
    fn coin() -> Toy {
        Toy::new(
            &["a", "b"],
            vec![
                choice(&[2, 1], &[1, 2]),
                choice(&[1, 2], &[3, 4]),
                end(&[40, 60]),
                end(&[100, 0]),
                end(&[0, 100]),
            ],
        )
    }

    fn run(count: u32, budget: Budget) -> Playouts {
        let toy = coin();
        let legal = toy.legal_by_role(&toy.initial(), &mut ())[Role::new(0)].clone();
        playouts(&toy, &[(&0, legal)], Role::new(0), count, &budget, &Seed::root(1), &mut ())
    }

    #[test]
    fn the_mean_over_many_playouts_is_near_the_truth_and_the_counts_are_exact() {
        let made = run(1_000, Budget::UNLIMITED);
        let evaluation = &made.evaluations[0];
        assert_eq!((made.playouts, made.steps), (2_000, 3_000));
        assert_eq!(evaluation.method, Method::Playouts(1_000));
        assert!((evaluation.values[0] - 50.0).abs() < 5.0, "{evaluation:?}");
        assert_eq!(evaluation.values[1], 40.0);
        assert_eq!(made, run(1_000, Budget::UNLIMITED));
    }

    #[test]
    fn nodes_end_the_rounds_but_not_the_first() {
        assert_eq!(run(1_000, Budget::nodes(1)).playouts, 2);
        assert_eq!(run(1_000, Budget::nodes(12)).playouts, 8);
    }

    #[test]
    fn without_time_nothing_is_judged() {
        let made = run(1_000, Budget::time(Duration::ZERO));
        assert_eq!(made.evaluations[0].method, Method::Unjudged);
        assert_eq!(made.evaluations[0].best(), 0.0);
    }
}
