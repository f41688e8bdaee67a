//! The reasons of a decision as data.
//!
//! A player notes its reasons in every match, also where nobody reads them. So it notes numbers and states, and whoever
//! shows a match puts them into words ([`Decision::explain`](super::Decision::explain)).

use std::borrow::Cow;

use hyperplay_machine::State;
use hyperplay_think::search::{Evaluation, Method, Replacement, Simulations, WeightedState};
use hyperplay_think::solve::{Alternative, Subgame};

/// States that a reason keeps.
const SHOWN: usize = 6;

/// A reason of a decision. What a field of the [`Decision`](super::Decision) says is not repeated here.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// The opponent model excludes the evidence, and is given up.
    ModelExcluded,
    /// The belief has particles again, after it had none from this step on.
    Recovered {
        /// The step, from 0.
        since: usize,
    },
    /// No history was found that explains this step.
    Depleted {
        /// The step, from 1.
        step: usize,
    },
    /// No history of the rules explains this step.
    Inconsistent {
        /// The step, from 1.
        step: usize,
    },
    /// The belief from which the move was chosen ([`held`](super::Decision::held)).
    Held {
        /// The states that its update visited.
        visited: u64,
        /// The likeliest states with their weights, at most six, the likeliest first.
        likeliest: Vec<(State, f64)>,
    },
    /// Only one move is legal.
    Forced,
    /// The states could not be judged by the algorithm that the spec names.
    Replaced(Replacement),
    /// The methods by which the states were judged: of methods that differ only in how much work was done the one with
    /// the least and the one with the most work, and the number of states.
    Judged(Vec<(Method, Method, usize)>),
    /// A search of one tree for all states.
    Simulated {
        /// Simulations.
        simulations: u64,
        /// Those that had come by in the tree before.
        before: u64,
        /// Those of this decision that ended in a playout.
        playouts: u64,
        /// Information sets in the tree.
        information_sets: usize,
        /// States in the tree.
        worlds: usize,
    },
    /// A sub-game was solved in a tree that grows.
    Solved {
        /// Nodes of the tree.
        nodes: usize,
        /// Iterations in the match.
        iterations: u64,
        /// What it was made of; nothing where the game was solved from the initial state.
        subgame: Subgame,
        /// What the other roles had before, and what they have in the sub-game, by evidence; nothing without a gadget.
        alternatives: Vec<Alternative>,
    },
    /// The moves were compared ([`policy`](super::Decision::policy), [`values`](super::Decision::values)).
    Compared {
        /// The share of the votes of each move of the policy; empty where the states do not vote.
        votes: Vec<f64>,
    },
    /// The move was drawn from the mix of an equilibrium ([`policy`](super::Decision::policy)).
    Mixed,
    /// An evaluation of the rules failed ([`failure`](super::Decision::failure)).
    Failed,
    /// A legal move was drawn at random.
    Random,
    /// A reason in the player's own words.
    Said(Cow<'static, str>),
}

impl Reason {
    /// A reason in words.
    pub fn said(words: impl Into<Cow<'static, str>>) -> Reason {
        Reason::Said(words.into())
    }

    /// The belief that ends in these states.
    pub(super) fn held(visited: u64, states: &[WeightedState<'_, State>]) -> Reason {
        let mut likeliest: Vec<&WeightedState<'_, State>> = states.iter().collect();
        likeliest.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        likeliest.truncate(SHOWN);
        let kept = likeliest.into_iter().map(|possible| (possible.state.clone(), possible.weight));
        Reason::Held { visited, likeliest: kept.collect() }
    }

    /// How the states were judged.
    pub(super) fn judged(evaluations: &[Evaluation]) -> Reason {
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
        Reason::Judged(counts)
    }

    /// What a search of one tree did.
    pub(super) fn simulated(made: &Simulations) -> Reason {
        let Simulations { simulations, before, playouts, information_sets, worlds, .. } = *made;
        Reason::Simulated { simulations, before, playouts, information_sets, worlds }
    }
}
