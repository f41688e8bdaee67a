//! The one matrix game that several states are in which two roles move at once.
//!
//! One move is chosen for all states held possible, so their matrices are averaged by weight and the mean is solved.
//! Solving each matrix and averaging what the moves are worth would lose the mixture: against the other's optimal move
//! in each state, all moves worth playing are equal.
//!
//! **What the other role knows.** Its legal moves, at least. So states in which it has the same legal moves are one
//! *type* of it, whose matrices are added up, and it chooses a column for each type. Its other knowledge is not
//! modelled, as everywhere in HyperPlay, so within a type it chooses one column for all states. A state in which the
//! two do not move at once has one column: the values of the moves there. There the other role's best answers are in
//! the values already.
//!
//! An own move that is illegal in a state is worth there, against each column, the mean of that state's moves.

use super::judged::Judged;
use hyperplay_machine::Move;
use hyperplay_think::search::matrix::Matrix;
use hyperplay_think::search::{Evaluation, RootMatrix};

/// The matrix of each type of the other role, multiplied by its probability; the rows are the `legal` moves. `None` if
/// in no state the two move at once, or if the other role is not the same one in all states.
pub(super) fn mean_matrix(states: &[&Judged], legal: &[Move]) -> Option<Vec<Matrix>> {
    let mut opponents =
        states.iter().filter_map(|state| at_once(&state.evaluation)).map(|root| root.opponent);
    let opponent = opponents.next()?;
    if opponents.any(|other| other != opponent) {
        return None;
    }
    let total: f64 = states.iter().map(|state| state.weight).sum();
    let mut types: Vec<(&[Move], Matrix)> = vec![(&[], Matrix::zero(legal.len(), 1))];
    for Judged { weight, evaluation } in states {
        let weight = weight / total;
        let Some(RootMatrix { columns, payoffs, .. }) = at_once(evaluation) else {
            for (row, value) in values_of(evaluation, legal).enumerate() {
                *types[0].1.at_mut(row, 0) += weight * value;
            }
            continue;
        };
        let known = types.iter().position(|(listed, _)| is_permutation(listed, columns));
        let place = known.unwrap_or_else(|| {
            types.push((columns, Matrix::zero(legal.len(), columns.len())));
            types.len() - 1
        });
        let (listed, sum) = &mut types[place];
        let even = vec![1.0 / payoffs.rows() as f64; payoffs.rows()];
        let mean = payoffs.column_values(&even);
        for (row, own) in legal.iter().enumerate() {
            let from = evaluation.moves.iter().position(|listed| listed == own);
            for (at, other) in columns.iter().enumerate() {
                let column = listed.iter().position(|listed| listed == other).unwrap_or(at);
                *sum.at_mut(row, column) += weight * from.map_or(mean[at], |from| payoffs.at(from, at));
            }
        }
    }
    Some(types.into_iter().map(|(_, matrix)| matrix).collect())
}

/// The value of each of the `legal` moves in a judged state.
pub(super) fn values_of(evaluation: &Evaluation, legal: &[Move]) -> impl Iterator<Item = f64> {
    let mean = evaluation.mean();
    legal.iter().map(move |&own| evaluation.value(own).unwrap_or(mean))
}

/// The matrix of a state, if it has one and the matrix has the rows and columns that it says.
fn at_once(evaluation: &Evaluation) -> Option<&RootMatrix> {
    evaluation.matrix.as_ref().filter(|root| {
        root.payoffs.rows() == evaluation.moves.len() && root.payoffs.columns() == root.columns.len()
    })
}

/// Whether two lists without repetitions have the same moves.
fn is_permutation(a: &[Move], b: &[Move]) -> bool {
    a == b || a.len() == b.len() && a.iter().all(|own| b.contains(own))
}
