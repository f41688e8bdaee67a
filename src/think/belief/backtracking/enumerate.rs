//! Enumeration: while an information set is small, the belief keeps all of it and does not sample.
//!
//! Invariant: an [`EnumeratedSet`] lists every history that explains the evidence up to its step, each once, with the
//! exact logarithm of its prior. So when they are normalised, the weights are the posterior.
//!
//! At each step, all joint moves of all histories are tried. When a step would cost too many states or leaves too
//! many histories, the caller goes on by sampling. A belief returns to enumeration by [`search`], a depth-first walk
//! over the branches that are not inconsistent, which ends as soon as it finds too many histories.
//!
//! **The exact belief-state update.** The probability of all that may follow a history depends on its state alone under
//! uniform opponents, and on the state and what the other roles know under any other model. So when there are too many
//! histories, those that are equal in this become one, with the sum of their probabilities, and
//! the weights of the states stay exact. The history that stands for the others is drawn in proportion to its
//! probability. Hence it is a draw from the posterior given the state, and particles drawn from a set of states are
//! draws from the posterior.

use rand::RngExt;
use rustc_hash::FxHashMap;

use super::lockstep;
use super::node_id::{NodeId, ROOT};
use super::tree::Tree;
use super::weight::normalised;
use hyperplay_machine::{Budget, BudgetAccount, Bulk, Seed};

/// Nodes expanded ahead in a depth-first walk.
const AHEAD: usize = 8;

/// All histories that explain the evidence of the first steps, with the logarithms of their priors.
#[derive(Clone, Debug)]
pub(in crate::belief) struct EnumeratedSet {
    list: Vec<(NodeId, f64)>,
    /// Whether each stands for all with its state.
    is_by_state: bool,
}

/// How following the evidence went.
pub(in crate::belief) enum Extended {
    /// To its last step.
    Done,
    /// The set is complete up to some step; going on costs too much, or there are too many histories already.
    TooLarge,
    /// No history explains this step.
    Empty { step: usize },
}

impl EnumeratedSet {
    /// The empty history alone.
    pub(in crate::belief) fn new() -> Self {
        EnumeratedSet { list: vec![(ROOT, 0.0)], is_by_state: false }
    }

    /// The histories, to be renumbered.
    pub(in crate::belief) fn nodes_mut(&mut self) -> impl Iterator<Item = &mut NodeId> {
        self.list.iter_mut().map(|(node, _)| node)
    }

    /// The histories and, in the same order, their posterior.
    pub(in crate::belief) fn weighted(&self) -> (Vec<NodeId>, Vec<f64>) {
        let (nodes, logarithms): (Vec<NodeId>, Vec<f64>) = self.list.iter().copied().unzip();
        (nodes, normalised(&logarithms))
    }

    /// Follows the evidence to its last step, holding at most `limit` histories and visiting at most `states` states.
    /// A step that would cost more is not begun. With a seed for `by_state`, histories with equal states may become
    /// one.
    pub(in crate::belief) fn extend<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        limit: usize,
        states: u64,
        budget: &Budget,
        by_state: Option<&Seed>,
    ) -> Extended {
        let mut account = BudgetAccount::new(budget.with_nodes(states));
        while let Some(&(first, _)) = self.list.first() {
            let depth = tree.depth(first);
            if self.list.len() > limit {
                return Extended::TooLarge;
            }
            if depth == tree.target() {
                return Extended::Done;
            }
            let cost = self
                .list
                .iter()
                .fold(account.spent(), |cost, &(node, _)| cost.saturating_add(tree.branches(node).count()));
            let nodes: Vec<NodeId> = self.list.iter().map(|&(node, _)| node).collect();
            if cost > states || !lockstep::expand_all(tree, &nodes, &mut account) {
                return Extended::TooLarge;
            }
            let mut next = Vec::new();
            for &(node, ln_prior) in &self.list {
                let branches = tree.branches(node);
                for (index, child) in branches.open() {
                    next.push((child, ln_prior + branches.probability(index).ln()));
                }
            }
            if next.is_empty() {
                return Extended::Empty { step: depth + 1 };
            }
            next.iter().for_each(|&(node, _)| tree.witness(node));
            self.list = next;
            if let Some(seed) = by_state
                && (self.is_by_state || self.list.len() > limit)
            {
                self.merge_states(tree, &seed.index(depth + 1));
            }
        }
        Extended::Done
    }

    /// Keeps one history for each state and knowledge of the others.
    fn merge_states<M: Bulk>(&mut self, tree: &Tree<M>, seed: &Seed) {
        self.is_by_state = true;
        let mut rng = seed.rng();
        let mut place: FxHashMap<(&M::State, u128), usize> = FxHashMap::default();
        let mut kept: Vec<(NodeId, f64)> = Vec::new();
        for &(node, ln) in &self.list {
            let at = *place.entry(tree.key(node)).or_insert(kept.len());
            let Some((representative, ln_sum)) = kept.get_mut(at) else {
                kept.push((node, ln));
                continue;
            };
            let greatest = ln.max(*ln_sum);
            *ln_sum = greatest + ((ln - greatest).exp() + (*ln_sum - greatest).exp()).ln();
            if rng.random::<f64>() < (ln - *ln_sum).exp() {
                *representative = node;
            }
        }
        self.list = kept;
    }
}

/// All histories that explain the evidence, if they are at most `limit` and the account lasts.
pub(in crate::belief) fn search<M: Bulk>(
    tree: &mut Tree<M>,
    limit: usize,
    account: &mut BudgetAccount,
) -> Option<EnumeratedSet> {
    let mut found = Vec::new();
    // Each node is met twice: on the way down, and when all below it is known.
    let mut stack = vec![(ROOT, 0.0, false)];
    while let Some((node, ln_prior, done)) = stack.pop() {
        if tree.depth(node) == tree.target() {
            tree.witness(node);
            found.push((node, ln_prior));
            if found.len() > limit {
                return None;
            }
            continue;
        }
        if done {
            if tree.branches(node).is_exhausted() {
                tree.prune(node);
            }
            continue;
        }
        if tree.branches(node).missing().next().is_some() {
            // Those that come next will be needed too, and together they are cheaper.
            let next = stack.iter().rev().take(AHEAD).filter(|(.., done)| !done).map(|&(next, ..)| next);
            let mut nodes = vec![node];
            nodes.extend(next.filter(|&next| tree.depth(next) < tree.target()));
            if !lockstep::expand_all(tree, &nodes, account) {
                return None;
            }
        }
        stack.push((node, ln_prior, true));
        let branches = tree.branches(node);
        for (index, child) in branches.open().into_iter().rev() {
            stack.push((child, ln_prior + branches.probability(index).ln(), false));
        }
    }
    Some(EnumeratedSet { list: found, is_by_state: false })
}
