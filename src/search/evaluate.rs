//! Evaluate: judges one role's moves in a list of distinct states, exhaustively where that fits, else by playouts.
//!
//! The budgets are divided before anything starts, evenly: each state may spend the same number of nodes on exhaustive
//! search, and what one leaves over no other gets, so the order of the states does not matter to any of them. The
//! states that do not fit share the playouts, every move of each the same number, at least one. Of the time and the
//! nodes that the decision has left, exhaustive search may use half.

use super::evaluation::Evaluation;
use super::exact::exact;
use super::playout::playouts;
use crate::machine::{Budget, Bulk, Move, Role, Seed};

/// The share of the decision's own budget, in time and in nodes, that exhaustive search may use before the playouts.
const EXACT_SHARE: f64 = 0.5;

/// How much search a decision may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// States visited by exhaustive search, all states to be judged together.
    pub nodes: u64,
    /// Playouts, all moves of all states together.
    pub playouts: u64,
}

/// The judgement of a list of states.
#[derive(Clone, PartialEq, Debug)]
pub struct Evaluations {
    /// In the order of the states.
    pub states: Vec<Evaluation>,
    /// States visited, by exhaustive search and in playouts.
    pub visited: u64,
    /// Playouts made.
    pub playouts: u64,
}

/// Judges the moves of `role` in each of `states`, all of them distinct and none terminal. Stops at the deadline of
/// `budget`; its node limit bounds exhaustive search and playouts together (but each move gets one playout).
pub fn evaluate<M: Bulk>(
    machine: &M,
    states: &[&M::State],
    role: Role,
    options: &Options,
    budget: &Budget,
    seed: &Seed,
    scratch: &mut M::Scratch,
) -> Evaluations {
    let bound = budget.nodes.map_or(u64::MAX, |nodes| (nodes as f64 * EXACT_SHARE) as u64);
    let nodes = options.nodes.min(bound) / states.len().max(1) as u64;
    let exact_budget = budget.share(EXACT_SHARE).with_nodes(nodes);
    let mut visited = 0;
    let mut judged: Vec<Option<Evaluation>> = Vec::with_capacity(states.len());
    for state in states {
        let (evaluation, spent) = exact(machine, state, role, exact_budget, scratch);
        judged.push(evaluation);
        visited += spent;
    }
    let open: Vec<(&M::State, Vec<Move>)> = states
        .iter()
        .zip(&judged)
        .filter(|(_, evaluation)| evaluation.is_none())
        .map(|(state, _)| {
            let mut legal = Vec::new();
            machine.legal(state, role, scratch, &mut legal);
            (*state, legal)
        })
        .collect();
    let starts = open.iter().map(|(_, legal)| legal.len() as u64).sum::<u64>().max(1);
    let count = u32::try_from((options.playouts / starts).max(1)).unwrap_or(u32::MAX);
    let left = Budget { nodes: budget.nodes.map(|nodes| nodes.saturating_sub(visited)), ..*budget };
    let made = playouts(machine, &open, role, count, &left, &seed.child("playouts"), scratch);
    let mut by_playouts = made.evaluations.into_iter();
    let states = judged
        .into_iter()
        .map(|evaluation| {
            evaluation.unwrap_or_else(|| by_playouts.next().expect("one evaluation for each open state"))
        })
        .collect();
    Evaluations { states, visited: visited + made.steps, playouts: made.playouts }
}

#[cfg(test)]
mod tests {
    use super::super::evaluation::Method;
    use super::super::toy::{Toy, choice, end};
    use super::*;
    use std::time::Duration;

    /// From 0 six states follow, from 1 two.
    fn toy() -> Toy {
        Toy::new(
            &["a", "b"],
            vec![
                choice(&[2, 1], &[1, 2]),
                choice(&[1, 2], &[4, 5]),
                choice(&[1, 2], &[3, 3]),
                choice(&[2, 1], &[4, 5]),
                end(&[100, 0]),
                end(&[0, 100]),
            ],
        )
    }

    fn run(nodes: u64, budget: Budget) -> Evaluations {
        let options = Options { nodes, playouts: 100 };
        evaluate(&toy(), &[&0, &1], Role::new(0), &options, &budget, &Seed::root(1), &mut ())
    }

    #[test]
    fn each_state_is_searched_whole_where_it_fits_its_even_share() {
        let methods =
            |nodes| run(nodes, Budget::UNLIMITED).states.iter().map(|e| e.method).collect::<Vec<_>>();
        assert_eq!(methods(16), [Method::ExactZeroSum, Method::ExactZeroSum]);
        assert_eq!(methods(8), [Method::Playouts(50), Method::ExactZeroSum]);
        assert_eq!(methods(0), [Method::Playouts(33), Method::Playouts(33)]);
    }

    #[test]
    fn a_node_budget_bounds_search_and_playouts_together() {
        let made = run(1_000_000, Budget::nodes(12));
        assert!(made.visited <= 20, "{made:?}");
    }

    #[test]
    fn without_time_the_legal_moves_are_known_all_the_same() {
        let made = run(1_000, Budget::time(Duration::ZERO));
        assert_eq!(made.states[0].method, Method::OutOfTime);
        assert_eq!(made.states[0].moves.len(), 2);
    }
}
