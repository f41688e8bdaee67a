//! Evaluate: judges the moves of one role in a list of distinct states, by the search that the options name.
//!
//! Where the options say so, the rest of the game is searched completely first, by alpha-beta where moves alternate.
//! The budgets are divided evenly before anything starts: each state may spend the same number of nodes, and no other
//! state gets what one leaves over, so the order of the states does not matter. The states for which the search does
//! not fit share the playouts, by a tree if there is only one state, otherwise flat. Of the time and the nodes that
//! the decision has left, exhaustive search may use half if something else can follow it.

use super::alphabeta::{Answer, Leaves, alphabeta};
use super::context::SearchContext;
use super::evaluation::Evaluation;
use super::exact::{exact, uniform};
use super::mcts::{Blocks, uct};
use super::options::{Algorithm, SearchOptions};
use super::playout::{OpenState, Playouts, playouts};
use hyperplay_engine::machine::Bulk;

/// The share of the decision's own budget, in time and in nodes, that exhaustive search may use before the playouts.
const EXACT_SHARE: f64 = 0.5;

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

/// A way to judge states. The built-in ones are the [`SearchOptions`]; a type of another crate can be another.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_engine::machine::Bulk;
/// use hyperplay_play::search::{Evaluation, Evaluations, Method, SearchContext, StateSearch};
///
/// /// Likes every move as much as it has letters.
/// struct Letters;
///
/// impl<M: Bulk> StateSearch<M> for Letters {
///     fn evaluate(&self, context: &mut SearchContext<'_, M>, states: &[(&M::State, f64)]) -> Evaluations {
///         let judge = |&(state, _): &(&M::State, f64)| {
///             let mut moves = Vec::new();
///             context.machine.legal(state, context.role, context.scratch, &mut moves);
///             let values = moves.iter().map(|&own| context.machine.show_move(own).len() as f64).collect();
///             Evaluation { moves, values, mixture: None, method: Method::Other("judged by its letters") }
///         };
///         Evaluations { states: states.iter().map(judge).collect(), visited: 0, playouts: 0 }
///     }
/// }
///
/// let mut scratch = machine.scratch();
/// let (budget, seed) = (Budget::nodes(1_000), Seed::root(1));
/// let mut context = SearchContext { machine: &*machine, role: candidate, budget, seed, scratch: &mut scratch };
/// let made = Letters.evaluate(&mut context, &[(&state, 1.0)]);
/// assert_eq!(made.states[0].values, [4.0, 6.0]); // stay, switch
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait StateSearch<M: Bulk>: Send + Sync {
    /// Judges the moves of the context's role in each of `states`, all of them distinct and none terminal, each with
    /// its weight (positive). Gives one evaluation for each state, in the order of the states.
    fn evaluate(&self, context: &mut SearchContext<'_, M>, states: &[(&M::State, f64)]) -> Evaluations;
}

impl<M: Bulk> StateSearch<M> for SearchOptions {
    fn evaluate(&self, context: &mut SearchContext<'_, M>, states: &[(&M::State, f64)]) -> Evaluations {
        evaluate(context, states, self)
    }
}

/// Judges the moves of a role in each of `states`, all of them distinct and none terminal, each with its weight: a move
/// that is poor on average gets fewer playouts. Stops at the deadline of the
/// budget, whose node limit bounds exhaustive search and playouts together (but each move gets one playout).
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_play::search::{Algorithm, Method, SearchContext, SearchOptions, evaluate};
///
/// let mut scratch = machine.scratch();
/// let (budget, seed) = (Budget::nodes(1_000), Seed::root(1));
/// let mut context = SearchContext { machine: &*machine, role: candidate, budget, seed, scratch: &mut scratch };
/// let options = SearchOptions { algorithm: Algorithm::Auto, nodes: 100, playouts: 100, per_move: None };
/// let made = evaluate(&mut context, &[(&state, 1.0)], &options);
/// assert_eq!(made.states[0].method, Method::ExactAlone);
/// assert_eq!(made.states[0].best(), 100.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn evaluate<M: Bulk>(
    context: &mut SearchContext<'_, M>,
    states: &[(&M::State, f64)],
    options: &SearchOptions,
) -> Evaluations {
    let share = match options.algorithm {
        Algorithm::Auto => EXACT_SHARE,
        Algorithm::AlphaBeta | Algorithm::Exact | Algorithm::Uniform | Algorithm::Uct | Algorithm::Flat => {
            1.0
        }
    };
    let budget = context.budget;
    let bound = budget.nodes.map_or(u64::MAX, |nodes| (nodes as f64 * share) as u64);
    let nodes = options.nodes.min(bound) / states.len().max(1) as u64;
    let mut exhaustive = context.with_budget(budget.share(share).with_nodes(nodes));
    let mut visited = 0;
    let mut judged: Vec<Option<Evaluation>> = Vec::with_capacity(states.len());
    for (state, _) in states {
        let (evaluation, spent) = first(&mut exhaustive, state, options.algorithm);
        judged.push(evaluation);
        visited += spent;
    }
    let open: Vec<OpenState<'_, M::State>> = states
        .iter()
        .zip(&judged)
        .filter(|(_, evaluation)| evaluation.is_none())
        .map(|(&(state, weight), _)| {
            let mut moves = Vec::new();
            context.machine.legal(state, context.role, context.scratch, &mut moves);
            OpenState { state, moves, weight }
        })
        .collect();
    // Over several states no gain of trees was seen (`docs/measurements.md`).
    let algorithm = match options.algorithm {
        Algorithm::Auto if states.len() == 1 => Algorithm::Uct,
        algorithm => algorithm,
    };
    let options = &SearchOptions { algorithm, ..*options };
    let made = then(&mut context.with_budget(budget.less(visited)), &open, options);
    let mut by_sampling = made.evaluations.into_iter();
    let states = judged
        .into_iter()
        .map(|evaluation| {
            evaluation.unwrap_or_else(|| by_sampling.next().expect("one evaluation for each open state"))
        })
        .collect();
    Evaluations { states, visited: visited + made.steps, playouts: made.playouts }
}

/// The search that is tried first, in each state alone; `None` where it does not fit or does not apply. Also returns
/// the number of states visited.
fn first<M: Bulk>(
    context: &mut SearchContext<'_, M>,
    state: &M::State,
    algorithm: Algorithm,
) -> (Option<Evaluation>, u64) {
    let leaves = match algorithm {
        Algorithm::Uct | Algorithm::Flat => return (None, 0),
        Algorithm::Uniform => return uniform(context, state),
        Algorithm::Auto | Algorithm::Exact => Leaves::Proof,
        Algorithm::AlphaBeta => Leaves::Mobility,
    };
    match alphabeta(context, state, leaves) {
        (Answer::Judged(evaluation), spent) => (Some(evaluation), spent),
        (Answer::NotAlternating, spent) if leaves == Leaves::Proof => {
            let left = context.budget.less(spent);
            let (evaluation, more) = exact(&mut context.with_budget(left), state);
            (evaluation, spent + more)
        }
        (_, spent) => (None, spent),
    }
}

/// What judges the states that are still open, all of them together.
fn then<M: Bulk>(
    context: &mut SearchContext<'_, M>,
    open: &[OpenState<'_, M::State>],
    options: &SearchOptions,
) -> Playouts {
    let starts: u64 = open.iter().map(|state| state.moves.len() as u64).sum();
    let (budget, seed) = (context.budget, context.seed.clone());
    match options.algorithm {
        Algorithm::Exact | Algorithm::Uniform => {
            let evaluations = open.iter().map(|state| Evaluation::unjudged(state.moves.clone()));
            Playouts { evaluations: evaluations.collect(), playouts: 0, steps: 0 }
        }
        Algorithm::Uct => {
            let total = options.per_move.map_or(options.playouts, |each| each.saturating_mul(starts));
            let count = total / open.len().max(1) as u64;
            uct(&mut context.with(budget, seed.child("uct")), open, count, &Blocks::default())
        }
        Algorithm::Auto | Algorithm::AlphaBeta | Algorithm::Flat => {
            let each = options.per_move.unwrap_or(options.playouts / starts.max(1));
            let count = u32::try_from(each.max(1)).unwrap_or(u32::MAX);
            playouts(&mut context.with(budget, seed.child("playouts")), open, count)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::toy_context as context;
    use super::super::evaluation::Method;
    use super::*;
    use crate::toy::{Toy, at, choice, end};
    use hyperplay_engine::machine::Budget;
    use std::time::Duration;

    /// From 0 six states follow, from 1 two.
    fn toy() -> Toy {
        Toy::table(
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
        let options = SearchOptions { algorithm: Algorithm::Auto, nodes, playouts: 100, per_move: None };
        evaluate(&mut context(&toy(), 0, budget), &[(&at(0), 0.5), (&at(1), 0.5)], &options)
    }

    #[test]
    fn each_state_is_searched_exhaustively_where_it_fits_its_even_share() {
        let methods =
            |nodes| run(nodes, Budget::UNLIMITED).states.iter().map(|e| e.method).collect::<Vec<_>>();
        assert_eq!(methods(16), [Method::ExactZeroSum, Method::ExactZeroSum]);
        assert_eq!(methods(8), [Method::Playouts(50), Method::ExactZeroSum]);
        assert_eq!(methods(0), [Method::Playouts(33), Method::Playouts(33)]);
    }

    #[test]
    fn a_single_state_that_does_not_fit_is_searched_by_a_tree() {
        let options = SearchOptions { algorithm: Algorithm::Auto, nodes: 0, playouts: 100, per_move: None };
        let made = evaluate(&mut context(&toy(), 0, Budget::UNLIMITED), &[(&at(0), 1.0)], &options);
        assert_eq!(made.states[0].method, Method::Uct(100));
    }

    #[test]
    fn playouts_can_be_asked_for_by_the_move_and_state() {
        let options = SearchOptions { algorithm: Algorithm::Flat, nodes: 0, playouts: 1, per_move: Some(5) };
        let states = [(&at(0), 0.5), (&at(1), 0.5)];
        let made = evaluate(&mut context(&toy(), 0, Budget::UNLIMITED), &states, &options);
        let starts: usize = made.states.iter().map(|evaluation| evaluation.moves.len()).sum();
        assert_eq!(made.playouts, 5 * starts as u64);
    }

    #[test]
    fn a_node_budget_bounds_search_and_playouts_together() {
        let made = run(1_000_000, Budget::nodes(12));
        assert!(made.visited <= 20, "{made:?}");
    }

    #[test]
    fn without_time_the_legal_moves_are_known_all_the_same() {
        let made = run(1_000, Budget::time(Duration::ZERO));
        assert_eq!(made.states[0].method, Method::Unjudged);
        assert_eq!(made.states[0].moves.len(), 2);
    }
}
