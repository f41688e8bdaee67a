//! The states held possible, each judged by a search and weighed.

use hyperplay_think::search::Evaluation;

/// A state held possible, judged.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// Its weight; the weights of all states sum to 1.
    pub weight: f64,
    /// The values of the own moves there.
    pub evaluation: Evaluation,
}

/// The states that were judged; `None` if there is none.
pub(super) fn in_time(states: &[Judged]) -> Option<Vec<&Judged>> {
    let judged: Vec<&Judged> = states.iter().filter(|state| !state.evaluation.values.is_empty()).collect();
    (judged.iter().map(|state| state.weight).sum::<f64>() > 0.0).then_some(judged)
}

/// The weighted mean of what `of` says of each of the `moves` moves in every state.
pub(super) fn weighted_mean(
    states: &[&Judged],
    moves: usize,
    of: impl Fn(&Evaluation) -> Vec<f64>,
) -> Vec<f64> {
    let total: f64 = states.iter().map(|state| state.weight).sum();
    let mut means = vec![0.0; moves];
    for Judged { weight, evaluation } in states {
        for (mean, value) in means.iter_mut().zip(of(evaluation)) {
            *mean += weight * value / total;
        }
    }
    means
}
