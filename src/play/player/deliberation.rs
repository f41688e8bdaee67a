//! How a player gets from the states it considers possible, each with its weight, to a decision.
//!
//! Equal states are judged once, with the sum of their weights and the number of their histories ([`merge`]); then one
//! policy over the legal moves that the player was shown is made of what search says of all of them
//! ([`judgement`](super::judgement), [`vote`](super::vote)), and the move is drawn from it. If only one move is legal,
//! there is no search. All randomness comes from `seed/search` and `seed/choice`, so the draws of the search do not
//! change the choice.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::judged::Judged;
use super::judgement::Judgement;
use super::{Decision, DecisionCost, Reason};
use hyperplay_engine::{Engine, EngineScratch};
use hyperplay_machine::{Budget, Move, Role, Seed, State};
use hyperplay_think::belief::Belief;
use hyperplay_think::search::{LeafValues, SearchContext, StateSearch, WeightedState};

/// The means by which a player deliberates.
pub(super) struct Deliberation<'a> {
    pub(super) machine: &'a Engine,
    pub(super) role: Role,
    /// When to stop.
    pub(super) budget: Budget,
    pub(super) seed: &'a Seed,
    /// The legal moves that the player was shown: one of them is chosen.
    pub(super) legal: &'a [Move],
    /// What the states are worth at which a search ends.
    pub(super) leaves: &'a dyn LeafValues<Engine>,
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
        self.unless_forced(|mut context, legal| judged(&mut context, search, states, legal, judge))
    }

    /// The decision that `judge` makes with a search of its own, unless only one move is legal. It also says what that
    /// cost and how it was done; the moves that were compared come after that.
    pub(super) fn unless_forced(
        self,
        judge: impl FnOnce(SearchContext<'a, Engine>, &[Move]) -> (Judgement, DecisionCost, Vec<Reason>),
    ) -> Decision {
        let seed = self.seed;
        let (context, legal) = self.context();
        if let [own] = *legal {
            return Decision { reasons: vec![Reason::Forced], ..Decision::draw(vec![(own, 1.0)], seed) };
        }
        let (Judgement { policy, values, votes, visits }, cost, mut reasons) = judge(context, legal);
        reasons.push(Reason::Compared { votes });
        Decision { values, visits, cost, reasons, ..Decision::draw(policy, seed) }
    }

    /// The context of a search, and the legal moves.
    pub(super) fn context(self) -> (SearchContext<'a, Engine>, &'a [Move]) {
        let Deliberation { machine, role, budget, seed, legal, leaves, scratch } = self;
        let context = SearchContext::new(machine, role, budget, seed.child("search"), scratch);
        (SearchContext { leaves, ..context }, legal)
    }
}

/// What a search says of states, and the cost of that; the states are as in [`Deliberation::decide`].
pub(super) fn judged(
    context: &mut SearchContext<'_, Engine>,
    search: &dyn StateSearch<Engine>,
    states: &[WeightedState<'_, State>],
    legal: &[Move],
    judge: impl FnOnce(&[Judged], &[Move]) -> Judgement,
) -> (Judgement, DecisionCost, Vec<Reason>) {
    let total: f64 = states.iter().map(|possible| possible.weight).sum();
    let made = search.evaluate(context, states);
    let judged_by = Reason::judged(&made.states);
    let reasons = made.replaced.map(Reason::Replaced).into_iter().chain([judged_by]).collect();
    let judged: Vec<Judged> = states
        .iter()
        .zip(made.states)
        .map(|(possible, evaluation)| Judged { weight: possible.weight / total, evaluation })
        .collect();
    let judgement = judge(&judged, legal);
    let cost = DecisionCost { states: made.visited, playouts: made.playouts };
    (judgement, cost, reasons)
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
