//! Postponed perfect information: the next own moves are chosen by what the roles know, and only behind them a search
//! of states takes every role to see everything (EPIMC).
//!
//! To average what a search says of each state held possible is to let the own role choose another move in every state
//! from its second choice on, though it cannot tell them apart (*strategy fusion*). So a tree is grown from these states
//! up to the n-th own choice, n being how far perfect information is postponed. Its nodes are what the roles know, as in
//! [`ismcts`](super::ismcts()). At its *edge* a search of states values the own moves, all states in one call, so the values
//! are of one method. What is left is a game with imperfect information, which is [solved](regret) by minimising regret.
//!
//! The tree grows step by step. Where one more step does not fit the limits, the edge is where it stands.
//!
//! The tree begins with the states held possible alone, and the searching role knows the same in each. So the other roles
//! learn in it from nothing but these, and play as if they knew what it knows, however far perfect information is postponed.
//!
//! The other roles can follow a model: at each choice with a probability, the *model share*; otherwise they do what they learn.
//! With the share 1, and a tree that has all ends of the game, the own role plays a best response to the model. What lies
//! behind the edge is searched as ever, but random playouts there choose by the [mean of the model](modelled) in the tree and
//! right behind it.
//!
//! References: Arjonilla, Saffidine, Cazenave 2024, where the depth counts the moves of all roles; Johanson, Zinkevich, Bowling
//! 2007, for others that follow a model in part.

mod modelled;
mod regret;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::context::SearchContext;
use super::evaluate::{Evaluations, StateSearch, WeightedState};
use super::evaluation::Method;
use super::ismcts::PossibleStates;
use crate::tree::{Following, Positions};
use hyperplay_machine::{Bulk, Move};
use modelled::TreeModel;
use regret::Subgame;

/// How much is grown and solved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PostponedOptions {
    /// How many own choices are made by what the roles know.
    pub choices: u32,
    /// The most states in the tree.
    pub states: usize,
    /// How probably another role follows the model at a choice, 0..=1.
    pub model_share: f64,
}

/// The result of a search with postponed perfect information.
#[derive(Clone, PartialEq, Debug)]
pub struct Postponed {
    /// The probability of each move that can be chosen, in the order in which they were given.
    pub policy: Vec<f64>,
    /// The expected goal of each, 0..=100.
    pub values: Vec<f64>,
    /// Whether another role was taken to lose what the searching role wins; if not, the others choose in the tree by the model,
    /// or uniformly.
    pub is_opposed: bool,
    /// States in the tree.
    pub states: usize,
    /// How the states at the edge were judged; the states visited are those of the whole search.
    pub edge: Evaluations,
}

/// The share of the time in which the tree grows, and of what is left then in which the states are judged.
const GROWING: f64 = 0.3;
const JUDGING: f64 = 0.7;

/// Iterations of regret minimisation.
const ITERATIONS: u32 = 200;

/// Steps that are computed in one call.
const TOGETHER: usize = 4096;

/// About this number of steps behind the edge are taken to ask the model there, for the playouts.
const ASKED: usize = 64;

/// The most steps of the tree.
const STEPS: usize = 200;

/// Values the moves `legal` of the context's role over all states held possible. `None` if perfect information cannot be
/// postponed: nothing is to be grown, or the first step does not fit and no model is followed, or the time was up before the edge
/// was judged.
pub fn postponed<M: Bulk>(
    context: &mut SearchContext<'_, M>,
    possible: &PossibleStates<'_, M::State>,
    legal: &[Move],
    search: &dyn StateSearch<M>,
    options: &PostponedOptions,
) -> Option<Postponed> {
    let mut grown = context.with_budget(context.budget.share(GROWING));
    let Tree { positions, roots, edge, visited } =
        grown.by_deadline(|context| Tree::new(context, possible, legal, options))?;
    let model = TreeModel::new(context, &positions, possible.model, options.model_share);
    let judging = context.budget.less(visited).share(JUDGING);
    let states: Vec<&M::State> = edge.iter().map(|&position| positions.state(position)).collect();
    let weights = model.weights(positions.roles());
    let at_edge = context.with(judging, context.seed.child("edge"));
    let (mut made, places) = judged(&mut SearchContext { weights, ..at_edge }, &states, search);
    made.visited += visited;
    let is_opposed = context.opponents().count() == 1
        && model.share < 1.0
        && positions.has_constant_sum(context.machine)
        && !made.states.iter().any(|of| matches!(of.method, Method::ExactVersusUniform | Method::Uniform));
    let opposed = context.opponents().next().filter(|_| is_opposed);
    let of_edge = edge.iter().zip(places).map(|(&position, place)| (position, &made.states[place])).collect();
    let mut subgame = Subgame::new(&positions, (context.role, opposed), of_edge, model)?;
    for _ in 0..ITERATIONS {
        if context.budget.is_late() {
            break;
        }
        subgame.iterate(&roots);
    }
    let (policy, values) = subgame.average(&roots, legal.len());
    Some(Postponed { policy, values, is_opposed, states: positions.len(), edge: made })
}

/// Judges every state, equal ones once; the evaluations, and the place of that of each state.
fn judged<M: Bulk>(
    context: &mut SearchContext<'_, M>,
    states: &[&M::State],
    search: &dyn StateSearch<M>,
) -> (Evaluations, Vec<usize>) {
    let mut histories: IndexMap<&M::State, u32, FxBuildHasher> = IndexMap::default();
    let mut places = Vec::with_capacity(states.len());
    for &state in states {
        let entry = histories.entry(state);
        places.push(entry.index());
        *entry.or_default() += 1;
    }
    let weighted = |(state, histories)| WeightedState { histories, ..WeightedState::single(state) };
    let distinct: Vec<_> = histories.into_iter().map(weighted).collect();
    let made = if distinct.is_empty() { Evaluations::default() } else { search.evaluate(context, &distinct) };
    (made, places)
}

/// The tree up to its edge.
struct Tree<M: Bulk> {
    positions: Positions<M>,
    /// The states held possible, with weights that sum to 1.
    roots: Vec<(Following, f64)>,
    edge: Vec<u32>,
    visited: u64,
}

impl<M: Bulk> Tree<M> {
    fn new(
        context: &mut SearchContext<'_, M>,
        possible: &PossibleStates<'_, M::State>,
        legal: &[Move],
        options: &PostponedOptions,
    ) -> Option<Self> {
        let (machine, own) = (context.machine, context.role.index() as u32);
        let mut positions = Positions::new(machine);
        positions.sets.meet(context.role, 0, legal);
        let total: f64 = possible.states.iter().map(|&(_, weight)| weight).sum();
        let (mut roots, mut open, mut edge) = (Vec::new(), Vec::new(), Vec::new());
        for (place, &(state, weight)) in possible.states.iter().enumerate() {
            let mut classes = vec![0; machine.roles().len()];
            for other in context.opponents() {
                classes[other.index()] = positions.class(&(possible.known)(place, other));
            }
            if context.budget.is_late() {
                return None; // what the others know may have been cut off
            }
            let root = positions.add(machine, state.clone(), &classes, context.scratch)?;
            open.extend(root.position().map(|position| (position, options.choices.saturating_sub(1))));
            roots.push((root, weight / total));
        }
        let mut visited = 0;
        for _ in 0..STEPS {
            let chooses = |position| {
                let mut choosers = positions.choosers(position).iter();
                choosers.any(|chooser| chooser.role == own && chooser.moves > 1)
            };
            let (last, inner): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|&(position, left)| left == 0 && chooses(position));
            edge.extend(last.into_iter().map(|(position, _)| position));
            open = inner
                .iter()
                .map(|&(position, left)| (position, left - u32::from(chooses(position))))
                .collect();
            let count = open.iter().map(|at| positions.choices(at.0)).fold(0, u64::saturating_add);
            let room = (options.states as u64).min(context.budget.nodes.unwrap_or(u64::MAX) / 2);
            if count > room.saturating_sub(visited) {
                break;
            }
            let wanted: Vec<(u32, u64)> = open
                .iter()
                .flat_map(|&(position, _)| {
                    (0..positions.choices(position)).map(move |choice| (position, choice))
                })
                .collect();
            let mut parts = wanted.chunks(TOGETHER);
            if parts.any(|part| context.budget.is_late() || !positions.grow(machine, part, context.scratch)) {
                break;
            }
            visited += count;
            let mut next = Vec::with_capacity(wanted.len());
            for (position, left) in open {
                let following =
                    (0..positions.choices(position)).map(|choice| positions.following(position, choice));
                next.extend(following.flatten().filter_map(Following::position).map(|next| (next, left)));
            }
            open = next;
        }
        edge.extend(open.into_iter().map(|(position, _)| position));
        if options.model_share > 0.0 {
            let choices = |&at: &u32| (0..positions.choices(at)).map(move |choice| (at, choice));
            let behind: Vec<(u32, u64)> = edge.iter().flat_map(choices).collect();
            let some: Vec<_> = behind.iter().step_by(behind.len().div_ceil(ASKED).max(1)).copied().collect();
            positions.followings(machine, &some, context.scratch);
        }
        (visited > 0 || options.model_share > 0.0).then_some(Tree { positions, roots, edge, visited })
    }
}
