//! Several trees, searched side by side.
//!
//! Each tree makes its part of the simulations, from a stream of random numbers of its own, and what was learnt of the moves
//! at the roots is added up (root parallelisation: Chaslot, Winands, van den Herik 2008). So the result depends on how many
//! trees there are, and not on how many threads search them.

use rayon::prelude::*;

use super::{IsmctsOptions, IsmctsTree, PossibleStates, SearchContext, SimulatedMove, Simulations};
use hyperplay_machine::{Bulk, EvaluationFailure, Move, note_shared_work};

/// The trees of one role, each as [`IsmctsTree`].
#[derive_where::derive_where(Clone)]
pub struct IsmctsTrees<M: Bulk> {
    trees: Vec<IsmctsTree<M>>,
    /// A failure that was met while thinking ahead: the next search passes it on.
    failure: Option<EvaluationFailure>,
}

impl<M: Bulk> IsmctsTrees<M> {
    /// As many trees as the options say, without a position.
    pub fn new(machine: &M, options: &IsmctsOptions) -> Self {
        let trees = (0..options.trees.max(1)).map(|_| IsmctsTree::new(machine)).collect();
        IsmctsTrees { trees, failure: None }
    }

    /// About how many bytes all trees take.
    pub fn bytes(&self) -> usize {
        self.trees.iter().map(IsmctsTree::bytes).sum()
    }

    /// As [`IsmctsTree::clear`], in each tree.
    pub fn clear(&mut self) {
        self.trees.iter_mut().for_each(IsmctsTree::clear);
        self.failure = None;
    }

    /// As [`IsmctsTree::search`], in each tree by its part of the simulations, the nodes and the memory.
    pub fn search(
        &mut self,
        context: &mut SearchContext<'_, M>,
        possible: &PossibleStates<'_, M::State>,
        legal: &[Move],
        options: &IsmctsOptions,
    ) -> Simulations {
        let made = self.each(context, options, |tree, context, options| {
            let made = tree.search(context, possible, legal, options);
            Simulations { failure: context.machine.take_failure(context.scratch), ..made }
        });
        let made = made.into_iter().reduce(sum).expect("there is a tree");
        Simulations { failure: self.failure.take().or(made.failure), ..made }
    }

    /// As [`IsmctsTree::search_ahead`], in each tree.
    pub fn search_ahead(
        &mut self,
        context: &mut SearchContext<'_, M>,
        possible: &PossibleStates<'_, M::State>,
        legal: &[Move],
        options: &IsmctsOptions,
    ) -> bool {
        let made = self.each(context, options, |tree, context, options| {
            let has_room = tree.search_ahead(context, possible, legal, options);
            (has_room, context.machine.take_failure(context.scratch))
        });
        let (rooms, failures): (Vec<bool>, Vec<_>) = made.into_iter().unzip();
        self.failure = self.failure.take().or(failures.into_iter().flatten().next());
        rooms.contains(&true)
    }

    fn each<T: Send>(
        &mut self,
        context: &mut SearchContext<'_, M>,
        options: &IsmctsOptions,
        search: impl Fn(&mut IsmctsTree<M>, &mut SearchContext<'_, M>, &IsmctsOptions) -> T + Sync,
    ) -> Vec<T> {
        if let [tree] = &mut self.trees[..] {
            return vec![search(tree, context, options)];
        }
        let count = self.trees.len();
        let simulations = options.simulations.div_ceil(count as u64);
        let options = IsmctsOptions { simulations, memory: options.memory / count, ..*options };
        let SearchContext { machine, role, mut budget, leaves, ref seed, .. } = *context;
        budget.nodes = budget.nodes.map(|nodes| nodes / count as u64);
        if rayon::current_num_threads() > 1 || rayon::current_thread_index().is_none() {
            note_shared_work();
        }
        let made = self.trees.par_iter_mut().enumerate().map(|(number, tree)| {
            let (seed, scratch) = (seed.index(number), &mut machine.scratch());
            let context = SearchContext::new(machine, role, budget, seed, scratch);
            search(tree, &mut SearchContext { leaves, ..context }, &options)
        });
        made.collect()
    }
}

/// The simulations of two trees together.
fn sum(one: Simulations, other: Simulations) -> Simulations {
    let both = |(one, other): (SimulatedMove, SimulatedMove)| {
        let visits = one.visits.saturating_add(other.visits);
        let part = |of: SimulatedMove| of.value.map(|value| value * f64::from(of.visits));
        let total = part(one).into_iter().chain(part(other)).reduce(|one, other| one + other);
        let value = total.map(|total| total / f64::from(visits));
        SimulatedMove { own: one.own, visits, counted: one.counted.saturating_add(other.counted), value }
    };
    Simulations {
        moves: one.moves.into_iter().zip(other.moves).map(both).collect(),
        simulations: one.simulations + other.simulations,
        before: one.before + other.before,
        playouts: one.playouts + other.playouts,
        steps: one.steps + other.steps,
        information_sets: one.information_sets + other.information_sets,
        worlds: one.worlds + other.worlds,
        failure: one.failure.or(other.failure),
    }
}
