//! The player `epimc`: `hyperplay` whose next own choices are made by what the roles know, before every role is taken to
//! see everything.
//!
//! The belief is that of [`hyperplay`](fn@super::hyperplay), with the same keys, and so is the search. A decision grows a
//! tree from the particles up to the n-th own choice and values the moves there by the search
//! ([`postponed`]). One that postpones nothing is `hyperplay`, and so is a decision in which the tree does not fit.
//! Where another role loses what the own one wins, a move is drawn from the mix of the solved tree; where none does, a best
//! move is played.
//!
//! Where the other roles follow a model (the key `modelled`), `hyperplay` and `pimc` decide by such a tree too, with all own
//! choices in it: by a best response to the model, as far as the tree reaches and the model is followed.
//!
//! A number of states and of iterations bounds the tree, so decisions without a deadline reproduce.
//!
//! Reference: Arjonilla, Saffidine, Cazenave, *Perfect Information Monte Carlo with Postponing Reasoning*, 2024.

use std::sync::Arc;

use super::deliberation::judged;
use super::ismcts::prepare;
use super::judgement::{Judgement, greedy, judge, with};
use super::own_belief::Possible;
use super::vote::vote;
use super::{DecisionCost, OwnBelief, Player, Reason, VotePolicy};
use hyperplay_engine::Engine;
use hyperplay_machine::Move;
use hyperplay_think::search::{Postponed, PostponedOptions, SearchContext, StateSearch, postponed};

/// The player `epimc` for one match: the states of its belief are searched after the own choices that `options` count.
pub fn epimc(
    belief: OwnBelief,
    search: Arc<dyn StateSearch<Engine>>,
    options: PostponedOptions,
) -> impl Player {
    clocked(belief, search, [options; 2], None)
}

/// The options of a player that postpones nothing: without a deadline and with one, the most `states` of a tree, which is grown only
/// where the others follow a model.
pub(super) fn unpostponed(states: [u64; 2]) -> [PostponedOptions; 2] {
    states.map(|states| PostponedOptions { choices: 1, states: states as usize, model_share: 0.0 })
}

/// The player with options for decisions without a deadline and for those with. Where a vote is asked for, states that are
/// searched by themselves vote.
pub(super) fn clocked(
    belief: OwnBelief,
    search: Arc<dyn StateSearch<Engine>>,
    options: [PostponedOptions; 2],
    voting: Option<VotePolicy>,
) -> impl Player {
    if belief.modelled() > 0.0 {
        prepare(&belief.machine);
    }
    belief.player(move |deliberation, possible| {
        deliberation.unless_forced(|mut context, legal| {
            let options = options[usize::from(!context.budget.reproduces())];
            let made = grown(&mut context, possible, legal, &*search, options);
            made.unwrap_or_else(|| {
                judged(&mut context, &*search, possible.states, legal, |judged, legal| match voting {
                    Some(how) => vote(judged, legal, how),
                    None => judge(judged, legal),
                })
            })
        })
    })
}

/// The decision of a tree. None where nothing is postponed and no model is followed; where one is, all choices of such a player
/// are made in the tree.
fn grown(
    context: &mut SearchContext<'_, Engine>,
    possible: &Possible<'_>,
    legal: &[Move],
    search: &dyn StateSearch<Engine>,
    mut options: PostponedOptions,
) -> Option<(Judgement, DecisionCost, Vec<Reason>)> {
    options.model_share = possible.modelled;
    if options.choices == 1 {
        options.choices = if options.model_share > 0.0 { u32::MAX } else { return None };
    }
    let made = possible
        .searching(context, 0, |context, possible| postponed(context, possible, legal, search, &options));
    let Postponed { policy, values, is_opposed, states, edge } = made?;
    let words = format!("a tree of {states} states, searched at its edge");
    let policy = if is_opposed { policy } else { greedy(&values) };
    let judgement = Judgement { values: with(legal, values), ..Judgement::of(legal, policy) };
    let cost = DecisionCost { states: edge.visited, playouts: edge.playouts };
    let judged_by = Reason::judged(&edge.states);
    let reasons =
        [Reason::said(words)].into_iter().chain(edge.replaced.map(Reason::Replaced)).chain([judged_by]);
    Some((judgement, cost, reasons.collect()))
}
