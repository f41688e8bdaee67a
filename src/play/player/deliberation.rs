//! How a player gets from the states it considers possible, each with its weight, to a decision.
//!
//! Equal states are judged once, with the sum of their weights and the number of their histories ([`merge`]); then one
//! policy over the legal moves that the player was shown is made of what search says of all of them
//! ([`judgement`](super::judgement), [`vote`](super::vote)), and the move is drawn from it. If only one move is legal,
//! there is no search. All randomness comes from `seed/search` and `seed/choice`, so the draws of the search do not
//! change the choice.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::decision::{Decision, DecisionCost};
use super::judgement::{Judged, Judgement};
use hyperplay_engine::{Engine, EngineScratch};
use hyperplay_machine::{Budget, Move, Role, Seed, State};
use hyperplay_think::belief::Belief;
use hyperplay_think::search::{Evaluation, Method, SearchContext, StateSearch, WeightedState};

/// The means by which a player deliberates.
pub(super) struct Deliberation<'a> {
    pub(super) machine: &'a Engine,
    pub(super) role: Role,
    /// When to stop.
    pub(super) budget: Budget,
    pub(super) seed: &'a Seed,
    /// The legal moves that the player was shown: one of them is chosen.
    pub(super) legal: &'a [Move],
    pub(super) scratch: &'a mut EngineScratch,
}

impl<'a> Deliberation<'a> {
    /// Decides by searching `states`: not empty, distinct, none terminal, the weights positive. `judge` says how one
    /// move follows from the judgements of all states.
    pub(super) fn decide(
        self,
        search: &dyn StateSearch<Engine>,
        states: &[WeightedState<'_, State>],
        judge: impl FnOnce(&[Judged], &[Move]) -> Judgement,
    ) -> Decision {
        self.unless_forced(|mut context, legal| {
            let total: f64 = states.iter().map(|possible| possible.weight).sum();
            let made = search.evaluate(&mut context, states);
            let mut explanation: Vec<String> = made.remark.into_iter().collect();
            explanation.push(methods(&made.states));
            let judged: Vec<Judged> = states
                .iter()
                .zip(made.states)
                .map(|(possible, evaluation)| Judged { weight: possible.weight / total, evaluation })
                .collect();
            let judgement = judge(&judged, legal);
            let cost = DecisionCost { states: made.visited, playouts: made.playouts };
            (judgement, cost, explanation)
        })
    }

    /// The decision that `judge` makes with a search of its own, unless only one move is legal. It also says what that
    /// cost and how it was done; the sentences on the moves come after that.
    pub(super) fn unless_forced(
        self,
        judge: impl FnOnce(SearchContext<'a, Engine>, &[Move]) -> (Judgement, DecisionCost, Vec<String>),
    ) -> Decision {
        let Deliberation { machine, role, budget, seed, legal, scratch } = self;
        if let [own] = *legal {
            let explanation = vec![format!("no choice: {}", machine.game().show(own.0))];
            return Decision { explanation, ..Decision::draw(vec![(own, 1.0)], seed) };
        }
        let context = SearchContext { machine, role, budget, seed: seed.child("search"), scratch };
        let (Judgement { policy, values, votes }, cost, mut explanation) = judge(context, legal);
        for (place, &(own, share)) in policy.iter().enumerate() {
            let value = values.iter().find(|(of, _)| *of == own);
            let value = value.map_or("?".to_owned(), |(_, value)| format!("{value:.3}"));
            let votes = votes.get(place).map_or(String::new(), |votes| format!("  {votes:.3} of the votes"));
            let share = if share > 0.0 { format!("  chosen with {share:.3}") } else { String::new() };
            explanation.push(format!("{value:>8}  {}{votes}{share}", machine.game().show(own.0)));
        }
        Decision { values, cost, explanation, ..Decision::draw(policy, seed) }
    }
}

/// The distinct states, each with the sum of its weights and as many histories as it comes up, in the order in which
/// they come first.
fn merge<'a, S: Eq + Hash>(states: impl Iterator<Item = (&'a S, f64)>) -> Vec<WeightedState<'a, S>> {
    let mut position: FxHashMap<&S, usize> = FxHashMap::default();
    let mut distinct: Vec<WeightedState<'_, S>> = Vec::new();
    for (state, weight) in states {
        let at = *position.entry(state).or_insert(distinct.len());
        match distinct.get_mut(at) {
            Some(known) => {
                known.weight += weight;
                known.histories += 1;
            }
            None => distinct.push(WeightedState { state, weight, histories: 1 }),
        }
    }
    distinct
}

/// The distinct states that the particles of a belief end in.
pub(super) fn distinct(belief: &dyn Belief<Engine>) -> Vec<WeightedState<'_, State>> {
    merge(belief.particles().iter().map(|particle| (belief.state(particle), particle.weight)))
}

/// How the states were judged, as a sentence. Methods that differ only in how much work was done are one.
fn methods(evaluations: &[Evaluation]) -> String {
    let mut counts: Vec<(Method, Method, usize)> = Vec::new();
    for Evaluation { method, .. } in evaluations {
        match counts.iter_mut().find(|(least, ..)| least.is_like(*method)) {
            Some((least, most, count)) => {
                (*least, *most) = ((*least).min(*method), (*most).max(*method));
                *count += 1;
            }
            None => counts.push((*method, *method, 1)),
        }
    }
    let parts: Vec<String> = counts
        .iter()
        .map(|&(least, most, count)| {
            let noun = if count == 1 { "state" } else { "states" };
            let more = if least == most { "" } else { " or more" };
            format!("{count} {noun} {least}{more}")
        })
        .collect();
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_states_are_one_with_the_sum_of_their_weights_and_all_their_histories() {
        let ends = [("b", 0.5), ("a", 0.125), ("b", 0.25), ("c", 0.125)];
        let merged = merge(ends.iter().map(|&(ref state, weight)| (state, weight)));
        let listed: Vec<(&str, f64, u32)> =
            merged.iter().map(|known| (*known.state, known.weight, known.histories)).collect();
        assert_eq!(listed, [("b", 0.75, 2), ("a", 0.125, 1), ("c", 0.125, 1)]);
    }
}
