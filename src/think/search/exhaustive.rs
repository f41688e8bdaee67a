//! Exhaustive: the rest of the game searched in every state of a decision, by one definition of value, or not at all.
//!
//! The values of the states are averaged, and an average of values of different games is the value of none. So the
//! answer is for all states or for none, and all have one method:
//!
//! - *Both sides play their best* ([`Method::ExactZeroSum`]; [`Method::ExactAlone`] where there is no other role), by
//!   alpha-beta where moves alternate, otherwise on the whole graph.
//! - *The others play uniformly* ([`Method::ExactVersusUniform`]), on the whole graph, as soon as one of the states is
//!   not zero-sum. The states that are zero-sum by themselves are judged a second time then.
//! - *All play uniformly* ([`Method::Uniform`]).
//! - *Alpha-beta with mobility at its leaves* ([`Method::AlphaBeta`]), to the same depth in all states: the greatest
//!   that was finished in every state that the search did not complete.
//!
//! The first three share one budget, and the search stops as soon as it is used up. The states fit if what they need
//! together fits, whatever their order. Alpha-beta to a depth uses whatever it is given, so there the budget is
//! divided evenly beforehand.
//!
//! Limits: alpha-beta finds out on the way whether the goals sum to a constant. Where it cuts off the only ends that
//! contradict this, the state counts as zero-sum.

use super::alphabeta::{Answer, Leaves, alphabeta, to_each_depth};
use super::context::SearchContext;
use super::evaluation::{Evaluation, Method};
use super::exact::{exact, exact_versus_uniform, uniform};
use super::options::Algorithm;
use hyperplay_machine::{Budget, Bulk};

/// Judges all states, by one method, or none; the budget of the context is that of all states together. Also returns
/// the number of states visited.
pub(super) fn exhaustive<M: Bulk>(
    context: &mut SearchContext<'_, M>,
    states: &[&M::State],
    algorithm: Algorithm,
) -> (Option<Vec<Evaluation>>, u64) {
    match algorithm {
        Algorithm::Uct | Algorithm::Flat => (None, 0),
        Algorithm::Uniform => each(context, states, uniform),
        Algorithm::Auto | Algorithm::Exact => best(context, states),
        Algorithm::AlphaBeta => to_one_depth(context, states),
    }
}

/// Judges every state by itself, with what the states before it have left.
fn each<M: Bulk>(
    context: &mut SearchContext<'_, M>,
    states: &[&M::State],
    judge: impl Fn(&mut SearchContext<'_, M>, &M::State) -> (Option<Evaluation>, u64),
) -> (Option<Vec<Evaluation>>, u64) {
    let (budget, mut visited) = (context.budget, 0);
    let mut judged = Vec::with_capacity(states.len());
    for state in states {
        let (evaluation, spent) = judge(&mut context.with_budget(budget.less(visited)), state);
        visited += spent;
        match evaluation {
            Some(evaluation) => judged.push(evaluation),
            None => return (None, visited),
        }
    }
    (Some(judged), visited)
}

/// All sides play their best; where that is not defined in some state, the others play uniformly in all.
fn best<M: Bulk>(context: &mut SearchContext<'_, M>, states: &[&M::State]) -> (Option<Vec<Evaluation>>, u64) {
    let (judged, visited) =
        each(context, states, |context, state| match alphabeta(context, state, Leaves::Proof) {
            (Answer::Judged(evaluation), spent) => (Some(evaluation), spent),
            (Answer::OutOfBudget, spent) => (None, spent),
            (Answer::NotAlternating, spent) => {
                let left = context.budget.less(spent);
                let (evaluation, more) = exact(&mut context.with_budget(left), state);
                (evaluation, spent + more)
            }
        });
    let Some(judged) = judged else { return (None, visited) };
    if judged.windows(2).all(|pair| pair[0].method == pair[1].method) {
        return (Some(judged), visited);
    }
    let left = context.budget.less(visited);
    let (judged, more) = each(&mut context.with_budget(left), states, exact_versus_uniform);
    (judged, visited + more)
}

/// Alpha-beta with mobility at its leaves. Every state is tried, whatever becomes of the others.
fn to_one_depth<M: Bulk>(
    context: &mut SearchContext<'_, M>,
    states: &[&M::State],
) -> (Option<Vec<Evaluation>>, u64) {
    let budget = context.budget;
    let nodes = budget.nodes.map(|nodes| nodes / states.len().max(1) as u64);
    let mut visited = 0;
    let mut found = Vec::with_capacity(states.len());
    for (number, state) in states.iter().enumerate() {
        let share = Budget { nodes, ..budget.share(1.0 / (states.len() - number) as f64) };
        let (depths, spent) = to_each_depth(&mut context.with_budget(share), state, Leaves::Estimated);
        visited += spent;
        found.push(depths.unwrap_or_default());
    }
    let is_complete = |depths: &Vec<Evaluation>| {
        depths.last().is_some_and(|deepest| deepest.method == Method::ExactZeroSum)
    };
    // All states are complete at their own depths, or none counts beyond the depth that all have.
    let common = found.iter().filter(|depths| !is_complete(depths)).map(Vec::len).min();
    let judged = found.iter().map(|depths| match common {
        None => depths.last().cloned(),
        Some(common) => {
            let method = Method::AlphaBeta(u32::try_from(common).unwrap_or(u32::MAX));
            let to_depth = depths.get(common.checked_sub(1)?).or(depths.last())?;
            Some(Evaluation { method, ..to_depth.clone() })
        }
    });
    (judged.collect(), visited)
}
