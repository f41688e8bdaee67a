//! How one move is chosen from what search says of all states that are considered possible. Values are averaged, not
//! policies.
//!
//! Input: distinct states with their weight and what search says of the own moves there. The value of a move is the
//! weighted mean of its values. Averaging policies instead would ask in each state what to do there
//! ([`vote`](super::vote)): in Monty Hall that switches doors only two times in three.
//!
//! **Which moves may be chosen**: the legal moves that the player was shown. In a well-formed game they are legal in
//! all states. Where they are not (rules in which legality leaks, or particles that are wrong), a referee would
//! replace an illegal move by a legal one. So a move is worth, where it is illegal, the mean of that state's moves. A
//! state that disagrees counts by its weight like the others and rules nothing out.
//!
//! **The policy** is even over the moves within 1e-9 of the best. There is one exception: in some state, both sides of
//! a zero-sum game move at once. Against the other's optimal mixed move all moves worth playing have the same value,
//! and playing them evenly could be exploited. One move is chosen for all states, so the states are one game, which is
//! solved once ([`mean_matrix`](super::mean_matrix)), and its optimal mixed move is the policy.

use super::decision::uniform;
use super::judged::{Judged, in_time, weighted_mean};
use super::mean_matrix::{mean_matrix, values_of};
use hyperplay_machine::Move;
use hyperplay_think::search::{Equilibrium, Evaluation, equilibrium};

/// Values this close count as equal.
const TIE: f64 = 1e-9;

/// The policy and the values that follow from the judged states.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Judgement {
    /// The distribution to draw the move from.
    pub policy: Vec<(Move, f64)>,
    /// The value of every move that may be chosen; empty if no state was judged in time.
    pub values: Vec<(Move, f64)>,
    /// The share of the votes of every move that may be chosen; empty where the states do not [vote](super::vote).
    pub votes: Vec<f64>,
    /// How often the search made each move, where it says so.
    pub visits: Vec<(Move, u32)>,
}

impl Judgement {
    /// Nothing was judged in time: every legal move alike.
    pub fn none(legal: &[Move]) -> Self {
        Judgement { policy: uniform(legal), ..Judgement::default() }
    }

    /// The legal moves with these shares, and nothing else.
    pub(super) fn of(legal: &[Move], shares: Vec<f64>) -> Self {
        Judgement { policy: with(legal, shares), ..Judgement::default() }
    }
}

/// Each of the legal moves with its number.
pub(super) fn with(legal: &[Move], numbers: Vec<f64>) -> Vec<(Move, f64)> {
    legal.iter().copied().zip(numbers).collect()
}

/// Decides among the `legal` moves, of which there is at least one. States that were not judged do not count.
pub fn judge(states: &[Judged], legal: &[Move]) -> Judgement {
    let Some(judged) = in_time(states) else { return Judgement::none(legal) };
    if let Some(types) = mean_matrix(&judged, legal) {
        let Equilibrium { row, row_values, .. } = equilibrium(&types);
        return Judgement { values: with(legal, row_values), ..Judgement::of(legal, row) };
    }
    let means = weighted_mean(&judged, legal.len(), |evaluation| values_of(evaluation, legal).collect());
    let policy = match judged[..] {
        // A search of another crate may know the mixture and not the matrix.
        [Judged { evaluation: Evaluation { mixture: Some(mixture), moves, .. }, .. }] if moves == legal => {
            mixture.clone()
        }
        _ => greedy(&means),
    };
    Judgement { values: with(legal, means), ..Judgement::of(legal, policy) }
}

/// Even over the greatest values.
pub(super) fn greedy(values: &[f64]) -> Vec<f64> {
    let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let ties = values.iter().filter(|value| **value >= best - TIE).count();
    values.iter().map(|&value| if value >= best - TIE { 1.0 / ties as f64 } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_logic::gdl::{Symbols, TermStore};
    use hyperplay_machine::Role;
    use hyperplay_think::search::matrix::Matrix;
    use hyperplay_think::search::{Method, RootMatrix};

    fn moves() -> Vec<Move> {
        let mut symbols = Symbols::new();
        let names = ["a", "b", "c"].map(|name| symbols.intern(name));
        let terms = TermStore::new(symbols);
        names.iter().map(|&name| Move(terms.intern(name, &[]))).collect()
    }

    fn state(weight: f64, moves: &[Move], values: &[f64]) -> Judged {
        let (values, method) = (values.to_vec(), Method::ExactZeroSum);
        Judged { weight, evaluation: Evaluation { values, method, ..Evaluation::unjudged(moves.to_vec()) } }
    }

    /// A state in which the other role chooses among `columns` at the same time. The values are not looked at.
    fn at_once(weight: f64, moves: &[Move], columns: &[Move], rows: &[&[f64]]) -> Judged {
        let mut judged = state(weight, moves, &vec![50.0; moves.len()]);
        let (opponent, columns) = (Role::new(1), columns.to_vec());
        let payoffs = Matrix::from_rows(rows);
        judged.evaluation.matrix = Some(RootMatrix { opponent, columns, payoffs });
        judged
    }

    fn assert_policy(judgement: &Judgement, expected: &[f64]) {
        let shares = judgement.policy.iter().map(|&(_, share)| share);
        assert!(
            judgement.policy.len() == expected.len()
                && shares.zip(expected).all(|(share, expected)| (share - expected).abs() < 1e-9),
            "{judgement:?}, expected {expected:?}"
        );
    }

    #[test]
    fn values_are_averaged_and_not_policies() {
        let m = moves();
        // By majority of states the first move; by value the second.
        let states = [state(0.6, &m[..2], &[51.0, 50.0]), state(0.4, &m[..2], &[0.0, 100.0])];
        let judgement = judge(&states, &m[..2]);
        assert_policy(&judgement, &[0.0, 1.0]);
        assert!((judgement.values[1].1 - 70.0).abs() < 1e-9);
    }

    #[test]
    fn equal_values_share_evenly() {
        let m = moves();
        let judgement = judge(&[state(1.0, &m, &[50.0, 50.0 + 1e-12, 10.0])], &m);
        assert_policy(&judgement, &[0.5, 0.5, 0.0]);
    }

    /// Until 0.2 a move that is legal in every state was chosen, however poor: one wrong particle ruled the best move
    /// out.
    #[test]
    fn a_state_in_which_a_move_is_illegal_counts_its_mean_and_rules_nothing_out() {
        let m = moves();
        let states = [state(0.9, &m[..2], &[10.0, 90.0]), state(0.1, &[m[0], m[2]], &[10.0, 80.0])];
        let judgement = judge(&states, &m[..2]);
        assert_policy(&judgement, &[0.0, 1.0]);
        let values: Vec<f64> = judgement.values.iter().map(|&(_, value)| value).collect();
        assert!((values[0] - 10.0).abs() < 1e-9 && (values[1] - (81.0 + 4.5)).abs() < 1e-9, "{values:?}");
    }

    #[test]
    fn only_moves_that_the_player_was_shown_are_chosen() {
        let m = moves();
        let states = [state(0.7, &m[..2], &[10.0, 90.0]), state(0.3, &m[2..], &[40.0])];
        let judgement = judge(&states, &[m[0], m[2]]);
        // 7 + 12, and the mean of the first state with 12.
        assert_eq!(judgement.values.iter().map(|&(own, _)| own).collect::<Vec<_>>(), [m[0], m[2]]);
        assert!((judgement.values[0].1 - 19.0).abs() < 1e-9);
        assert!((judgement.values[1].1 - 47.0).abs() < 1e-9);
        assert_policy(&judgement, &[0.0, 1.0]);
    }

    #[test]
    fn states_that_were_not_judged_do_not_count() {
        let m = moves();
        let states = [state(0.9, &m[..2], &[]), state(0.1, &m, &[1.0, 2.0, 3.0])];
        let judgement = judge(&states, &m[..2]);
        assert_policy(&judgement, &[0.0, 1.0]);
        assert!((judgement.values[1].1 - 2.0).abs() < 1e-9);
        let none = judge(&[state(1.0, &m[..2], &[])], &m[..2]);
        assert_eq!(none, Judgement::none(&m[..2]));
        assert_eq!((none.policy, none.values), (vec![(m[0], 0.5), (m[1], 0.5)], vec![]));
    }

    #[test]
    fn a_mixture_without_a_matrix_is_played_in_a_single_state() {
        let m = moves();
        let mut only = state(1.0, &m[..2], &[50.0, 50.0]);
        only.evaluation.mixture = Some(vec![0.25, 0.75]);
        assert_policy(&judge(&[only], &m[..2]), &[0.25, 0.75]);
    }

    /// Both matrices have a saddle point, in other rows; their mean has none.
    #[test]
    fn the_mean_of_the_matrices_is_solved_and_not_each() {
        let m = moves();
        let (own, columns) = (&m[..2], &m[1..]);
        let states = [
            at_once(0.5, own, columns, &[&[80.0, 40.0], &[0.0, 0.0]]),
            at_once(0.5, own, columns, &[&[0.0, 0.0], &[40.0, 80.0]]),
        ];
        // Rows (40, 20) and (20, 40).
        let judgement = judge(&states, own);
        assert_policy(&judgement, &[0.5, 0.5]);
        assert!(judgement.values.iter().all(|&(_, value)| (value - 30.0).abs() < 1e-6), "{judgement:?}");
    }

    #[test]
    fn equal_states_keep_the_mixture_however_the_columns_are_listed_and_called() {
        let m = moves();
        let own = &m[..2];
        let (rows, turned): ([&[f64]; 2], [&[f64]; 2]) =
            ([&[90.0, 0.0], &[0.0, 10.0]], [&[0.0, 90.0], &[10.0, 0.0]]);
        let first = at_once(0.3, own, &[m[0], m[1]], &rows);
        for second in [
            at_once(0.7, own, &[m[0], m[1]], &rows),
            at_once(0.7, own, &[m[1], m[0]], &turned),
            at_once(0.7, own, &[m[1], m[2]], &turned),
            at_once(0.7, &[m[1], m[0]], &[m[0], m[1]], &[rows[1], rows[0]]),
        ] {
            let judgement = judge(&[first.clone(), second.clone()], own);
            assert_policy(&judgement, &[0.1, 0.9]);
            assert_policy(&judge(&[second, first.clone()], own), &[0.1, 0.9]);
        }
    }

    #[test]
    fn a_state_in_which_the_other_has_no_choice_counts_the_same_in_every_column() {
        let m = moves();
        let (own, columns) = (&m[..2], &m[1..]);
        let pennies: [&[f64]; 2] = [&[100.0, 0.0], &[0.0, 100.0]];
        let states = [at_once(0.5, own, columns, &pennies), state(0.5, own, &[60.0, 40.0])];
        // Rows (80, 30) and (20, 70): indifferent with half and half.
        assert_policy(&judge(&states, own), &[0.5, 0.5]);
        let states = [at_once(0.5, own, columns, &pennies), state(0.5, own, &[100.0, 0.0])];
        // Rows (100, 50) and (0, 50): the first dominates.
        assert_policy(&judge(&states, own), &[1.0, 0.0]);
        // A state in which both moves are illegal adds the same to all.
        let stray = at_once(0.2, &m[2..], columns, &[&[10.0, 10.0]]);
        let states = [at_once(0.8, own, columns, &[&[90.0, 0.0], &[0.0, 10.0]]), stray];
        assert_policy(&judge(&states, own), &[0.1, 0.9]);
    }
}
