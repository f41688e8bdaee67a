//! Evaluate: judges the moves of one role in a list of distinct states, by the search that the options name.
//!
//! **One definition of value.** The values of the states are averaged, so they must estimate one and the same game.
//! Where the options say so, the rest of the game is searched completely first ([`exhaustive`](super::exhaustive)),
//! and what that says counts only if it can judge *all* states. Otherwise all of them are judged by playouts: by a
//! tree if there is only one state, otherwise flat.
//!
//! Whether all states fit does not depend on their order, because it is a question about the sum of what they cost.
//! Nor does the limit in nodes of the playouts after a search that did not fit: it has been charged all that it might
//! have spent. The time is another matter: the search stops as soon as one state does not fit. Of the time and the
//! nodes that the decision has left, exhaustive search may use half if something else can follow it.

use std::fmt;

use super::context::SearchContext;
use super::evaluation::Evaluation;
use super::exhaustive::exhaustive;
use super::mcts::{Blocks, uct};
use super::options::{Algorithm, PlayoutBudget, PlayoutShare, SearchOptions};
use super::playout::{OpenState, Playouts, playouts};
use hyperplay_machine::Bulk;

/// The share of the decision's own budget, in time and in nodes, that exhaustive search may use before the playouts.
const EXACT_SHARE: f64 = 0.5;

/// The judgement of a list of states.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Evaluations {
    /// In the order of the states.
    pub states: Vec<Evaluation>,
    /// States visited, by exhaustive search and in playouts.
    pub visited: u64,
    /// Playouts made.
    pub playouts: u64,
    /// The algorithm that playouts took the place of, if any.
    pub replaced: Option<Replacement>,
}

/// An algorithm that was asked for by name and could not judge all states: playouts judge every one of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Replacement {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The nodes that it could visit.
    pub nodes: u64,
    /// The number of states.
    pub states: usize,
}

impl fmt::Display for Replacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Replacement { algorithm, nodes, states } = *self;
        match algorithm {
            Algorithm::AlphaBeta => {
                f.write_str("alpha-beta does not apply, or the budget is too small for it,")?
            }
            Algorithm::Uniform => {
                write!(f, "the rest of the game under uniform play does not fit {nodes} nodes")?
            }
            _ => write!(f, "the rest of the game does not fit {nodes} nodes")?,
        }
        match states {
            1 => f.write_str(": the state is judged by playouts"),
            _ => write!(f, " in all {states} states: every one is judged by playouts"),
        }
    }
}

/// A state that is held possible.
#[derive(PartialEq, Debug)]
#[derive_where::derive_where(Clone, Copy)]
pub struct WeightedState<'a, S> {
    /// The state.
    pub state: &'a S,
    /// How much it counts beside the others; positive.
    pub weight: f64,
    /// In how many of the histories held possible it is the last state; at least 1.
    pub histories: u32,
}

impl<'a, S> WeightedState<'a, S> {
    /// The only state that is possible, after the only history.
    pub fn single(state: &'a S) -> Self {
        WeightedState { state, weight: 1.0, histories: 1 }
    }
}

/// A way to judge states. The built-in ones are the [`SearchOptions`]; a type of another crate can be another.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_machine::Bulk;
/// use hyperplay_think::search::{
///     Evaluation, Evaluations, Method, SearchContext, StateSearch, WeightedState,
/// };
///
/// /// Likes every move as much as it has letters.
/// struct Letters;
///
/// impl<M: Bulk> StateSearch<M> for Letters {
///     fn evaluate(
///         &self,
///         context: &mut SearchContext<'_, M>,
///         states: &[WeightedState<'_, M::State>],
///     ) -> Evaluations {
///         let judge = |possible: &WeightedState<'_, M::State>| {
///             let mut moves = Vec::new();
///             context.machine.legal(possible.state, context.role, context.scratch, &mut moves);
///             let values = moves.iter().map(|&own| context.machine.show_move(own).len() as f64).collect();
///             let method = Method::Other("judged by its letters");
///             Evaluation { values, method, ..Evaluation::unjudged(moves) }
///         };
///         Evaluations { states: states.iter().map(judge).collect(), ..Evaluations::default() }
///     }
/// }
///
/// let mut scratch = machine.scratch();
/// let (budget, seed) = (Budget::nodes(1_000), Seed::root(1));
/// let mut context = SearchContext::new(&*machine, candidate, budget, seed, &mut scratch);
/// let made = Letters.evaluate(&mut context, &[WeightedState::single(&state)]);
/// assert_eq!(made.states[0].values, [4.0, 6.0]); // stay, switch
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait StateSearch<M: Bulk>: Send + Sync {
    /// Judges the moves of the context's role in each of `states`, all of them distinct and none terminal. Gives one
    /// evaluation for each state, in the order of the states. The values are averaged by weight, so those of all states
    /// must estimate one game: all by the same method.
    fn evaluate(
        &self,
        context: &mut SearchContext<'_, M>,
        states: &[WeightedState<'_, M::State>],
    ) -> Evaluations;
}

impl<M: Bulk> StateSearch<M> for SearchOptions {
    /// Judges the moves of the context's role in each of `states`, all of them distinct and none terminal: one
    /// evaluation for each, in their order ([`StateSearch::evaluate`]). A move that is poor on average gets fewer
    /// playouts. All states are judged by one method. Stops at the deadline of the budget, whose node limit bounds
    /// exhaustive search and playouts together (but each move gets one playout).
    ///
    /// ```
    #[doc = include_str!("../monty_hall.example")]
    /// use hyperplay_think::search::{Method, SearchContext, SearchOptions, StateSearch, WeightedState};
    ///
    /// let mut scratch = machine.scratch();
    /// let (budget, seed) = (Budget::nodes(1_000), Seed::root(1));
    /// let mut context = SearchContext::new(&*machine, candidate, budget, seed, &mut scratch);
    /// let options = SearchOptions { nodes: 100, playouts: 100.into(), ..SearchOptions::default() };
    /// let made = options.evaluate(&mut context, &[WeightedState::single(&state)]);
    /// assert_eq!(made.states[0].method, Method::ExactAlone);
    /// assert_eq!(made.states[0].best(), 100.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn evaluate(
        &self,
        context: &mut SearchContext<'_, M>,
        states: &[WeightedState<'_, M::State>],
    ) -> Evaluations {
        let SearchOptions { algorithm, .. } = *self;
        let budget = context.budget;
        let share = if algorithm == Algorithm::AlphaBeta { 1.0 } else { EXACT_SHARE };
        let bound = budget.nodes.map_or(u64::MAX, |nodes| (nodes as f64 * share) as u64).min(self.nodes);
        let (mut visited, mut charged) = (0, 0);
        if !matches!(algorithm, Algorithm::Uct | Algorithm::Flat) {
            let list: Vec<&M::State> = states.iter().map(|possible| possible.state).collect();
            let mut context = context.with_budget(budget.share(share).with_nodes(bound));
            let (judged, spent) = exhaustive(&mut context, &list, algorithm);
            if let Some(states) = judged {
                return Evaluations { states, visited: spent, ..Evaluations::default() };
            }
            visited = spent;
            // Alpha-beta has tried every state, so what it spent does not depend on their order.
            charged = if algorithm == Algorithm::AlphaBeta { spent } else { bound.max(spent) };
        }
        let made = sample(&mut context.with_budget(budget.less(charged)), states, self);
        let (states, playouts) = (made.evaluations, made.playouts);
        let is_by_name = matches!(algorithm, Algorithm::Exact | Algorithm::Uniform | Algorithm::AlphaBeta);
        let replaced = is_by_name.then_some(Replacement { algorithm, nodes: bound, states: states.len() });
        Evaluations { visited: visited + made.steps, playouts, replaced, states }
    }
}

/// Judges the states by playouts, all of them together.
fn sample<'a, M: Bulk>(
    context: &mut SearchContext<'_, M>,
    states: &[WeightedState<'a, M::State>],
    options: &SearchOptions,
) -> Playouts {
    // The moves of a state for which the time does not last are not known, and the state is not judged.
    let open: Vec<OpenState<'_, M::State>> = context.by_deadline(|context| {
        let moves_of = |&WeightedState { state, weight, histories }: &WeightedState<'a, M::State>| {
            let mut moves = Vec::new();
            context.machine.legal(state, context.role, context.scratch, &mut moves);
            let share = if options.playouts.share == PlayoutShare::Particle { histories.max(1) } else { 1 };
            OpenState { state, moves, weight, share }
        };
        states.iter().map(moves_of).collect()
    });
    // The moves of a state count as often as the state has shares.
    let starts: u64 = open.iter().map(|state| state.moves.len() as u64 * u64::from(state.share)).sum();
    let PlayoutBudget { count: wanted, per_move, halving, .. } = options.playouts;
    let (budget, seed) = (context.budget, context.seed.clone());
    // Over several states trees gain in one game and lose or change nothing in six (`docs/measurements.md`).
    let is_tree =
        options.algorithm == Algorithm::Uct || options.algorithm == Algorithm::Auto && open.len() == 1;
    if is_tree {
        let total = if per_move { wanted.saturating_mul(starts) } else { wanted };
        let count = total / open.len().max(1) as u64;
        return uct(&mut context.with(budget, seed.child("uct")), &open, count, &Blocks::default());
    }
    let each = if per_move { wanted } else { wanted / starts.max(1) };
    let count = u32::try_from(each.max(1)).unwrap_or(u32::MAX);
    playouts(&mut context.with(budget, seed.child("playouts")), &open, count, halving)
}

#[cfg(test)]
mod tests {
    use super::super::context::toy_context as context;
    use super::super::evaluation::Method;
    use super::*;
    use crate::toy::{Toy, at, choice, end};
    use hyperplay_machine::Budget;
    use std::time::Duration;

    fn half<S>(state: &S) -> WeightedState<'_, S> {
        WeightedState { weight: 0.5, ..WeightedState::single(state) }
    }

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
        let options = SearchOptions { nodes, playouts: 100.into(), ..SearchOptions::default() };
        options.evaluate(&mut context(&toy(), 0, budget), &[half(&at(0)), half(&at(1))])
    }

    fn methods(made: &Evaluations) -> Vec<Method> {
        made.states.iter().map(|evaluation| evaluation.method).collect()
    }

    #[test]
    fn all_states_are_searched_exhaustively_where_they_fit_together_and_none_where_they_do_not() {
        let of = |nodes| methods(&run(nodes, Budget::UNLIMITED));
        assert_eq!(of(10), [Method::ExactZeroSum; 2]);
        assert_eq!(of(9), [Method::Playouts(33); 2]);
        assert_eq!(of(0), [Method::Playouts(33); 2]);
    }

    /// Two states of which the second needs more nodes. The first move leads to 0 or three times 100 in the first
    /// state and to 60 after some steps in the second; the second move to 50, and to 0 or 100.
    fn two() -> Toy {
        let (zero, fifty, sixty, hundred) = (12, 13, 14, 15);
        let mut entries = vec![
            choice(&[2, 1], &[2, fifty]),
            choice(&[2, 1], &[4, 3]),
            choice(&[1, 4], &[zero, hundred, hundred, hundred]),
            choice(&[1, 2], &[zero, hundred]),
        ];
        entries.extend((5..12).map(|next| choice(&[1, 1], &[next])));
        entries.push(choice(&[1, 1], &[sixty]));
        entries.extend([0, 50, 60, 100].map(|goal| end(&[goal, 100 - goal])));
        Toy::table(&["a", "b"], entries)
    }

    fn run_two(algorithm: Algorithm, nodes: u64, order: [usize; 2], budget: Budget) -> Evaluations {
        let options = SearchOptions { algorithm, nodes, playouts: 20_000.into() };
        let states = order.map(|entry| at(entry as u8));
        options.evaluate(&mut context(&two(), 0, budget), &[half(&states[0]), half(&states[1])])
    }

    /// By how much the first move is better than the second.
    fn lead(evaluation: &Evaluation) -> f64 {
        evaluation.values[0] - evaluation.values[1]
    }

    #[test]
    fn the_values_of_one_decision_are_those_of_one_game() {
        let best = run_two(Algorithm::Auto, 18, [0, 1], Budget::UNLIMITED);
        let sampled = run_two(Algorithm::Auto, 17, [0, 1], Budget::UNLIMITED);
        assert_eq!(methods(&best), [Method::ExactZeroSum; 2]);
        assert!(sampled.states.iter().all(|evaluation| matches!(evaluation.method, Method::Playouts(_))));
        let sum = |a: &Evaluation, b: &Evaluation| lead(a) + lead(b);
        // By either definition the first move is better; by a mixture of the two, the second.
        assert!(sum(&best.states[0], &best.states[1]) > 5.0, "{best:?}");
        assert!(sum(&sampled.states[0], &sampled.states[1]) > 5.0, "{sampled:?}");
        assert!(sum(&best.states[0], &sampled.states[1]) < -5.0);
    }

    #[test]
    fn the_order_of_the_states_changes_neither_the_method_nor_the_number_of_playouts() {
        for algorithm in [Algorithm::Auto, Algorithm::Exact, Algorithm::Uniform, Algorithm::AlphaBeta] {
            for nodes in [0, 2, 8, 12, 17, 18, 19, 40] {
                for budget in [Budget::UNLIMITED, Budget::nodes(30)] {
                    let [there, mut back] =
                        [[0, 1], [1, 0]].map(|order| run_two(algorithm, nodes, order, budget));
                    back.states.reverse();
                    assert_eq!(methods(&there), methods(&back), "{algorithm:?} {nodes} {budget:?}");
                    assert_eq!(there.playouts, back.playouts, "{algorithm:?} {nodes} {budget:?}");
                }
            }
        }
    }

    #[test]
    fn what_was_asked_for_by_name_and_does_not_fit_is_replaced_in_all_states_and_said() {
        for algorithm in [Algorithm::Exact, Algorithm::Uniform] {
            let made = run_two(algorithm, 17, [0, 1], Budget::UNLIMITED);
            assert!(made.states.iter().all(|evaluation| matches!(evaluation.method, Method::Playouts(_))));
            let remark = made.replaced.unwrap().to_string();
            assert!(remark.contains("does not fit 17 nodes in all 2 states"), "{remark}");
            assert_eq!(run_two(algorithm, 18, [0, 1], Budget::UNLIMITED).replaced, None);
        }
        assert_eq!(run_two(Algorithm::Auto, 17, [0, 1], Budget::UNLIMITED).replaced, None);
    }

    #[test]
    fn where_one_state_is_not_zero_sum_the_others_play_uniformly_in_all() {
        let ends = [end(&[0, 100]), end(&[100, 0]), end(&[60, 60])];
        let choices = [choice(&[2, 1], &[2, 5]), choice(&[2, 1], &[2, 6]), choice(&[1, 2], &[4, 5])];
        let toy = Toy::table(&["a", "b"], choices.into_iter().chain([end(&[50, 50])]).chain(ends).collect());
        let judge = |nodes, states: &[u8]| {
            let states: Vec<_> = states.iter().map(|&entry| at(entry)).collect();
            let weighted: Vec<_> = states.iter().map(half).collect();
            let algorithm = Algorithm::Exact;
            let options = SearchOptions { algorithm, nodes, playouts: 100.into() };
            options.evaluate(&mut context(&toy, 0, Budget::UNLIMITED), &weighted).states
        };
        assert_eq!(judge(100, &[0])[0].values, [0.0, 100.0]);
        for order in [[0, 1], [1, 0]] {
            let both = judge(100, &order);
            assert!(both.iter().all(|e| e.method == Method::ExactVersusUniform), "{both:?}");
            assert_eq!(both[usize::from(order[0])].values, [50.0, 100.0]);
        }
    }

    #[test]
    fn alpha_beta_counts_to_the_depth_that_all_states_have() {
        let made = |nodes| run_two(Algorithm::AlphaBeta, nodes, [0, 1], Budget::UNLIMITED);
        assert_eq!(methods(&made(1_000)), [Method::ExactZeroSum; 2]);
        let [Method::AlphaBeta(depth), both] = methods(&made(14))[..] else { panic!("{:?}", made(14)) };
        assert_eq!(both, Method::AlphaBeta(depth));
        // The first state is complete; in the second the end of the chain is not reached.
        assert_eq!(made(14).states[0].values, [0.0, 50.0]);
        assert!((2..9).contains(&depth), "{depth}");
        let none = made(2);
        assert!(
            matches!(methods(&none)[..], [Method::Playouts(_), Method::Playouts(_)])
                && none.replaced.is_some()
        );
    }

    #[test]
    fn a_single_state_that_does_not_fit_is_searched_by_a_tree() {
        let options = SearchOptions { nodes: 0, playouts: 100.into(), ..SearchOptions::default() };
        let made =
            options.evaluate(&mut context(&toy(), 0, Budget::UNLIMITED), &[WeightedState::single(&at(0))]);
        assert_eq!(made.states[0].method, Method::Uct(100));
    }

    #[test]
    fn playouts_can_be_asked_for_by_the_move_and_state() {
        let flat = Algorithm::Flat;
        let playouts = PlayoutBudget { share: PlayoutShare::State, ..PlayoutBudget::per_move(5) };
        let options = SearchOptions { algorithm: flat, playouts, ..SearchOptions::default() };
        let (first, second) = (at(0), at(1));
        let states = [half(&first), half(&second)];
        let made = options.evaluate(&mut context(&toy(), 0, Budget::UNLIMITED), &states);
        let starts: usize = made.states.iter().map(|evaluation| evaluation.moves.len()).sum();
        assert_eq!(made.playouts, 5 * starts as u64);
    }

    /// The first state has two moves and is the end of two histories; the second has one move and one history.
    #[test]
    fn playouts_are_counted_by_the_state_or_by_the_history() {
        let (first, second) = (at(0), at(1));
        let states = [WeightedState { histories: 2, ..half(&first) }, half(&second)];
        let made = |playouts: PlayoutBudget| {
            let algorithm = Algorithm::Flat;
            let options = SearchOptions { algorithm, playouts, ..SearchOptions::default() };
            options.evaluate(&mut context(&toy(), 0, Budget::UNLIMITED), &states)
        };
        let [by_state, by_history] = [PlayoutShare::State, PlayoutShare::Particle]
            .map(|share| made(PlayoutBudget { share, ..PlayoutBudget::per_move(5) }));
        assert_eq!((by_state.playouts, methods(&by_state)), (3 * 5, vec![Method::Playouts(5); 2]));
        let of_each = vec![Method::Playouts(10), Method::Playouts(5)];
        assert_eq!((by_history.playouts, methods(&by_history)), (2 * 10 + 5, of_each));
        // A number of all playouts stays what it is, and the shares of it become others.
        let all = made(PlayoutBudget { count: 25, per_move: false, ..PlayoutBudget::per_move(5) });
        assert_eq!((all.playouts, methods(&all)), (25, methods(&by_history)));
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
