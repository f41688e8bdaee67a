//! Exact: what each move is worth when the rest of the game is searched completely.
//!
//! This is backward induction over a [`Graph`], so each state is judged once. How the others are taken to play is
//! read off the graph, and the [`Method`] says which it was:
//!
//! - Two roles besides `random` whose goals sum to the same at every end met: the game is zero-sum. A state is worth
//!   the value of the matrix game of its moves; where only one role has a choice, that is its best move or the
//!   other's.
//! - One role besides `random`: its best move.
//! - Otherwise: its best move where all others play uniformly. That is no equilibrium; it carries HyperPlay's own
//!   assumption through to the end.
//!
//! `random` always averages uniformly. At the root each own move is judged. Where both choose at once in a zero-sum
//! game, it is judged against the opponent's optimal mixed move, and the evaluation holds the matrix and the own
//! optimal mixed move too. Of several optimal ones these are what `bayesian_matrix` says, whatever the moves are
//! called.

use super::bayesian_matrix::{Equilibrium, equilibrium};
use super::context::SearchContext;
use super::evaluation::{Evaluation, Method, RootMatrix};
use super::graph::{Graph, Node};
use super::matrix::{self, Matrix};
use hyperplay_machine::{BudgetAccount, Bulk, Role};

/// Judges the moves of the context's role in `state`, not terminal, by searching the rest of the game; `None` if it
/// does not fit the budget or has no end. Also returns the number of states visited, in both cases.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_think::search::{SearchContext, exact};
///
/// let mut scratch = machine.scratch();
/// let (budget, seed) = (Budget::nodes(1_000), Seed::root(1));
/// let mut context = SearchContext::new(&*machine, candidate, budget, seed, &mut scratch);
/// let (evaluation, _) = exact(&mut context, &state);
/// let evaluation = evaluation.expect("it fits");
/// let switch = evaluation.moves[1];
/// assert_eq!((machine.show_move(switch), evaluation.value(switch)), ("switch".to_owned(), Some(100.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn exact<M: Bulk>(context: &mut SearchContext<'_, M>, state: &M::State) -> (Option<Evaluation>, u64) {
    let others: Vec<Role> = context.opponents().collect();
    by_graph(context, state, |graph, role| judge(graph, role, &others))
}

/// The same, with [`Method::ExactVersusUniform`] even where the game is zero-sum.
pub(super) fn exact_versus_uniform<M: Bulk>(
    context: &mut SearchContext<'_, M>,
    state: &M::State,
) -> (Option<Evaluation>, u64) {
    by_graph(context, state, |graph, role| induct(graph, role, Method::ExactVersusUniform, None))
}

/// The expected goal of each move of the context's role in `state`, not terminal, if every role plays uniformly from
/// there on: what infinitely many playouts would say. `None` as with [`exact`]; second: the states visited.
pub fn uniform<M: Bulk>(context: &mut SearchContext<'_, M>, state: &M::State) -> (Option<Evaluation>, u64) {
    by_graph(context, state, average)
}

/// Judges a state by the rest of the game; also returns the number of states visited.
fn by_graph<M: Bulk>(
    context: &mut SearchContext<'_, M>,
    state: &M::State,
    judge: impl FnOnce(&Graph, Role) -> Option<Evaluation>,
) -> (Option<Evaluation>, u64) {
    let mut account = BudgetAccount::new(context.budget);
    let graph = context.by_deadline(|context| Graph::build(context, state, &mut account));
    (graph.and_then(|graph| judge(&graph, context.role)), account.spent())
}

fn average(graph: &Graph, role: Role) -> Option<Evaluation> {
    let mut values = vec![0.0; graph.nodes.len()];
    for &index in graph.order.iter().rev() {
        values[index as usize] = match &graph.nodes[index as usize] {
            Node::End(goals) => f64::from(goals[role]),
            Node::Inner { successors, uneven: None, .. } => {
                successors.iter().map(|&next| values[next as usize]).sum::<f64>() / successors.len() as f64
            }
            inner @ Node::Inner { legal, .. } => {
                let rows = matrix_of(inner, role, None, &values).row_values(&[1.0]);
                rows.iter().sum::<f64>() / legal[role].len() as f64
            }
        };
    }
    let Some(inner @ Node::Inner { legal, .. }) = graph.nodes.first() else { return None };
    let root = matrix_of(inner, role, None, &values);
    let (moves, values) = (legal[role].clone(), root.row_values(&[1.0]));
    Some(Evaluation { values, method: Method::Uniform, ..Evaluation::unjudged(moves) })
}

fn judge(graph: &Graph, role: Role, others: &[Role]) -> Option<Evaluation> {
    let (method, opponent) = match others {
        [] => (Method::ExactAlone, None),
        &[other] if sums_to_a_constant(graph, role, other) => (Method::ExactZeroSum, Some(other)),
        _ => (Method::ExactVersusUniform, None),
    };
    induct(graph, role, method, opponent)
}

/// Backward induction, with `opponent` playing its best and all other roles uniformly.
fn induct(graph: &Graph, role: Role, method: Method, opponent: Option<Role>) -> Option<Evaluation> {
    let mut values = vec![0.0; graph.nodes.len()];
    for &index in graph.order.iter().rev() {
        values[index as usize] = match &graph.nodes[index as usize] {
            Node::End(goals) => f64::from(goals[role]),
            inner @ Node::Inner { .. } => matrix::solve(&matrix_of(inner, role, opponent, &values)).value,
        };
    }
    let Some(inner @ Node::Inner { legal, .. }) = graph.nodes.first() else { return None };
    let root = matrix_of(inner, role, opponent, &values);
    let moves = legal[role].clone();
    let Some(opponent) = opponent.filter(|_| root.rows() > 1 && root.columns() > 1) else {
        let values = root.row_values(&matrix::solve(&root).column);
        return Some(Evaluation { values, method, ..Evaluation::unjudged(moves) });
    };
    let Equilibrium { row, row_values, .. } = equilibrium(std::slice::from_ref(&root));
    let matrix = Some(RootMatrix { opponent, columns: legal[opponent].clone(), payoffs: root });
    Some(Evaluation { moves, values: row_values, mixture: Some(row), matrix, method })
}

/// Whether the goals of the two roles sum to the same at every end.
fn sums_to_a_constant(graph: &Graph, role: Role, other: Role) -> bool {
    let mut sums = graph.nodes.iter().filter_map(|node| match node {
        Node::End(goals) => Some(u16::from(goals[role].value()) + u16::from(goals[other].value())),
        Node::Inner { .. } => None,
    });
    sums.next().is_none_or(|first| sums.all(|sum| sum == first))
}

/// The mean value of the successors for each move of `role` (rows) and of `opponent` (columns; one column without an
/// opponent), over all moves of the remaining roles.
fn matrix_of(inner: &Node, role: Role, opponent: Option<Role>, values: &[f64]) -> Matrix {
    let Node::Inner { legal, successors, uneven } = inner else { unreachable!("an end has no moves") };
    let stride = |of: Role| -> usize { legal.values()[of.index() + 1..].iter().map(Vec::len).product() };
    let (rows, row_stride) = (legal[role].len(), stride(role));
    let (columns, column_stride) = opponent.map_or((1, 1), |other| (legal[other].len(), stride(other)));
    let mut matrix = Matrix::zero(rows, columns);
    // How much more likely than on average the move of `random` is.
    let factor = |position: usize| {
        uneven.as_ref().map_or(1.0, |(random, chance)| {
            let moves = legal[*random].len();
            chance.probability(position / stride(*random) % moves, moves) * moves as f64
        })
    };
    for (position, &next) in successors.iter().enumerate() {
        *matrix.at_mut(position / row_stride % rows, position / column_stride % columns) +=
            factor(position) * values[next as usize];
    }
    let averaged = (successors.len() / (rows * columns)) as f64;
    for row in 0..rows {
        for column in 0..columns {
            *matrix.at_mut(row, column) /= averaged;
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::super::context::toy_context as context;
    use super::*;
    use crate::toy::{Toy, at, choice, end};
    use hyperplay_machine::Budget;

    fn values(toy: &Toy, role: usize) -> Option<Evaluation> {
        exact(&mut context(toy, role, Budget::nodes(1_000)), &at(0)).0
    }

    #[test]
    fn alternating_moves_give_minimax() {
        // The first role picks a state, the second role the worse of its two ends.
        let toy = Toy::table(
            &["a", "b"],
            vec![
                choice(&[2, 1], &[1, 2]),
                choice(&[1, 2], &[3, 4]),
                choice(&[1, 2], &[4, 5]),
                end(&[100, 0]),
                end(&[30, 70]),
                end(&[20, 80]),
            ],
        );
        let evaluation = values(&toy, 0).unwrap();
        assert_eq!((evaluation.method, evaluation.values), (Method::ExactZeroSum, vec![30.0, 20.0]));
        assert_eq!(evaluation.mixture, None);
        let evaluation = exact(&mut context(&toy, 1, Budget::nodes(2)), &at(2)).0.unwrap();
        assert_eq!(evaluation.values, [70.0, 80.0]);
    }

    #[test]
    fn simultaneous_moves_give_the_value_of_the_matrix_and_the_mixture() {
        let toy = Toy::table(
            &["a", "b"],
            vec![choice(&[2, 2], &[1, 2, 2, 3]), end(&[60, 40]), end(&[20, 80]), end(&[40, 60])],
        );
        let evaluation = values(&toy, 0).unwrap();
        let mixture = evaluation.mixture.unwrap();
        for value in evaluation.values {
            assert!((value - 100.0 / 3.0).abs() < 1e-9);
        }
        assert!((mixture[0] - 1.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn random_is_averaged_and_a_lone_role_maximises() {
        let toy = Toy::table_with_random(
            &["a", "random"],
            vec![
                choice(&[2, 1], &[1, 2]),
                choice(&[1, 3], &[3, 3, 4]),
                choice(&[2, 1], &[4, 5]),
                end(&[90, 0]),
                end(&[0, 0]),
                end(&[59, 0]),
            ],
        );
        let evaluation = values(&toy, 0).unwrap();
        assert_eq!((evaluation.method, evaluation.values), (Method::ExactAlone, vec![60.0, 59.0]));
    }

    #[test]
    fn without_a_constant_sum_the_others_are_taken_as_uniform() {
        let toy = Toy::table(
            &["a", "b"],
            vec![
                choice(&[2, 1], &[1, 2]),
                choice(&[1, 2], &[3, 4]),
                end(&[40, 60]),
                end(&[100, 100]),
                end(&[0, 0]),
            ],
        );
        let evaluation = values(&toy, 0).unwrap();
        assert_eq!((evaluation.method, evaluation.values), (Method::ExactVersusUniform, vec![50.0, 40.0]));
    }

    #[test]
    fn a_state_that_recurs_does_not_fit_but_one_reached_twice_does() {
        let cyclic = Toy::table(&["a"], vec![choice(&[2], &[1, 2]), choice(&[1], &[0]), end(&[100])]);
        assert_eq!(values(&cyclic, 0), None);
        let inner = Toy::table(&["a"], vec![choice(&[2], &[1, 2]), choice(&[1], &[1]), end(&[100])]);
        assert_eq!(values(&inner, 0), None);
        let diamond = vec![choice(&[2], &[1, 2]), choice(&[1], &[2]), end(&[70])];
        assert_eq!(values(&Toy::table(&["a"], diamond), 0).unwrap().values, [70.0, 70.0]);
    }

    #[test]
    fn the_budget_is_kept_to_the_state() {
        let toy = Toy::table(&["a"], vec![choice(&[2], &[1, 2]), choice(&[1], &[2]), end(&[100]), end(&[0])]);
        let with = |nodes| exact(&mut context(&toy, 0, Budget::nodes(nodes)), &at(0));
        assert_eq!(with(2), (None, 2));
        let (evaluation, spent) = with(3);
        assert!(evaluation.is_some());
        assert_eq!(spent, 3);
    }

    #[test]
    fn the_second_role_gets_the_rest_of_the_sum() {
        let toy = Toy::table(
            &["a", "b"],
            vec![
                choice(&[2, 3], &[1, 2, 3, 4, 1, 2]),
                end(&[10, 90]),
                end(&[70, 30]),
                end(&[35, 65]),
                end(&[80, 20]),
            ],
        );
        let best = |role| values(&toy, role).unwrap().best();
        assert!((best(0) + best(1) - 100.0).abs() < 1e-9);
    }
}
