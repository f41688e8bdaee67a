//! The player `epimc`: `hyperplay` whose next own choices are made by what the roles know, before every role is taken to
//! see everything.
//!
//! The belief is that of [`hyperplay`](fn@super::hyperplay), with the same keys, and so is the search. A decision grows a
//! tree from the particles up to the n-th own choice and values the moves there by the search
//! ([`postponed`]). One that postpones nothing is `hyperplay`, and so is a decision in which the tree does not fit.
//! Where another role loses what the own one wins, a move is drawn from the mix of the solved tree; where none does, a best
//! move is played.
//!
//! A number of states and of iterations bounds the tree, so decisions without a deadline reproduce.
//!
//! Reference: Arjonilla, Saffidine, Cazenave, *Perfect Information Monte Carlo with Postponing Reasoning*, 2024.

use std::sync::Arc;

use super::deliberation::judged;
use super::judgement::{Judgement, greedy, judge, with};
use super::own_belief::Possible;
use super::{DecisionCost, OwnBelief, Player, Reason};
use hyperplay_engine::Engine;
use hyperplay_machine::Move;
use hyperplay_think::search::{
    PossibleStates, Postponed, PostponedOptions, SearchContext, StateSearch, postponed,
};

/// The player `epimc` for one match: the states of its belief are searched after the own choices that `options` count.
pub fn epimc(
    belief: OwnBelief,
    search: Arc<dyn StateSearch<Engine>>,
    options: PostponedOptions,
) -> impl Player {
    belief.player(move |deliberation, possible| {
        deliberation.unless_forced(|mut context, legal| {
            match grown(&mut context, possible, legal, &*search, &options) {
                Some(made) => made,
                None => judged(&mut context, &*search, possible.states, legal, judge),
            }
        })
    })
}

fn grown(
    context: &mut SearchContext<'_, Engine>,
    possible: &Possible<'_>,
    legal: &[Move],
    search: &dyn StateSearch<Engine>,
    options: &PostponedOptions,
) -> Option<(Judgement, DecisionCost, Vec<Reason>)> {
    let (states, known) = possible.knowing(context.budget.deadline);
    let possible = PossibleStates { states: &states, known: &known, held: None, model: None };
    let Postponed { policy, values, is_opposed, states, edge } =
        postponed(context, &possible, legal, search, options)?;
    let words = format!("a tree of {states} states, searched at its edge");
    let policy = if is_opposed { policy } else { greedy(&values) };
    let judgement = Judgement { values: with(legal, values), ..Judgement::of(legal, policy) };
    let cost = DecisionCost { states: edge.visited, playouts: edge.playouts };
    let judged_by = Reason::judged(&edge.states);
    let reasons =
        [Reason::said(words)].into_iter().chain(edge.replaced.map(Reason::Replaced)).chain([judged_by]);
    Some((judgement, cost, reasons.collect()))
}
