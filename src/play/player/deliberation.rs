//! How a player gets from the states it considers possible, each with its weight, to a decision.
//!
//! Equal states are judged once, with the sum of their weights ([`merge`]); then the values are averaged and the move
//! is drawn ([`judgement`](super::judgement)). If the role has only one legal move, there is no search. All
//! randomness comes from `seed/search` and `seed/choice`, so the draws of the search do not change the choice.

use std::collections::BTreeMap;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::decision::{Decision, DecisionCost, uniform};
use super::judgement::{Judged, judge};
use crate::search::{Evaluation, Method, SearchContext, StateSearch};
use hyperplay_engine::machine::{Budget, Move, Role, Seed, StateMachine as _, StateMachineExt};
use hyperplay_engine::{Engine, EngineScratch, State};

/// What a player deliberates with.
pub(super) struct Deliberation<'a> {
    pub(super) machine: &'a Engine,
    pub(super) role: Role,
    pub(super) search: &'a dyn StateSearch<Engine>,
    /// When to stop.
    pub(super) budget: Budget,
    pub(super) seed: &'a Seed,
    /// The legal moves that the player was shown, for states in which nothing is legal because their evaluation failed.
    pub(super) legal: &'a [Move],
    pub(super) scratch: &'a mut EngineScratch,
}

impl Deliberation<'_> {
    /// Decides by searching `states`: not empty, distinct, none terminal, the weights positive.
    pub(super) fn decide(self, states: &[(&State, f64)]) -> Decision {
        let Deliberation { machine, role, search, budget, seed, legal, scratch } = self;
        let total: f64 = states.iter().map(|&(_, weight)| weight).sum();
        let list: Vec<&State> = states.iter().map(|&(state, _)| state).collect();
        if let Some(own) = only_move(machine, &list, role, scratch) {
            let explanation = vec![format!("no choice: {}", machine.show_move(own))];
            return Decision { explanation, ..Decision::draw(vec![(own, 1.0)], seed) };
        }
        let mut context = SearchContext { machine, role, budget, seed: seed.child("search"), scratch };
        let made = search.evaluate(&mut context, states);
        let mut explanation = vec![methods(&made.states)];
        let judged: Vec<Judged> = states
            .iter()
            .zip(made.states)
            .map(|(&(_, weight), evaluation)| Judged { weight: weight / total, evaluation })
            .collect();
        let judgement = judge(&judged);
        for (index, &(own, share)) in judgement.policy.iter().enumerate() {
            let value =
                judgement.values.get(index).map_or("?".to_owned(), |(_, value)| format!("{value:.3}"));
            let share = if share > 0.0 { format!("  chosen with {share:.3}") } else { String::new() };
            explanation.push(format!("{value:>8}  {}{share}", machine.show_move(own)));
        }
        let cost = DecisionCost { states: made.visited, playouts: made.playouts };
        let policy = if judgement.policy.is_empty() { uniform(legal) } else { judgement.policy };
        Decision { values: judgement.values, cost, explanation, ..Decision::draw(policy, seed) }
    }
}

/// The distinct states with the sums of their weights, in the order in which they come first.
pub(super) fn merge<'a, S: Eq + Hash>(states: impl Iterator<Item = (&'a S, f64)>) -> Vec<(&'a S, f64)> {
    let mut position: FxHashMap<&S, usize> = FxHashMap::default();
    let mut distinct: Vec<(&S, f64)> = Vec::new();
    for (state, weight) in states {
        let at = *position.entry(state).or_insert(distinct.len());
        match distinct.get_mut(at) {
            Some((_, sum)) => *sum += weight,
            None => distinct.push((state, weight)),
        }
    }
    distinct
}

/// The move, if the role has the same single one in every state.
fn only_move(machine: &Engine, states: &[&State], role: Role, scratch: &mut EngineScratch) -> Option<Move> {
    let mut legal = Vec::new();
    let mut only = None;
    for state in states {
        machine.legal(state, role, scratch, &mut legal);
        match legal[..] {
            [own] if only.is_none_or(|before| before == own) => only = Some(own),
            _ => return None,
        }
    }
    only
}

/// How the states were judged, as a sentence.
fn methods(evaluations: &[Evaluation]) -> String {
    let mut counts: BTreeMap<Method, usize> = BTreeMap::new();
    for evaluation in evaluations {
        *counts.entry(evaluation.method).or_default() += 1;
    }
    let parts: Vec<String> = counts
        .iter()
        .map(|(method, &count)| {
            let noun = if count == 1 { "state" } else { "states" };
            format!("{count} {noun} {method}")
        })
        .collect();
    parts.join("; ")
}
