//! A profile: for each information set of every role the probabilities of its moves.
//!
//! All probabilities lie in one array, in the order of the moves of [`GameTree::sets`]. The probabilities of one
//! information set are at least 0 and sum to 1.

use super::tree::{GameTree, NodeKind};
use hyperplay_machine::{Move, Role};

/// One policy for each role: what is done how often at each information set.
#[derive(Clone, PartialEq, Debug)]
pub struct Profile(pub(super) Vec<f64>);

impl Profile {
    /// Every move alike, everywhere.
    pub fn uniform(tree: &GameTree) -> Profile {
        Profile::from_fn(tree, |_, moves| vec![1.0; moves.len()])
    }

    /// Shares by information set and its moves; they are divided by their sum.
    pub fn from_fn(tree: &GameTree, mut shares: impl FnMut(usize, &[Move]) -> Vec<f64>) -> Profile {
        let mut profile = Profile(vec![0.0; tree.pool_len()]);
        for set in 0..tree.sets().len() {
            profile.set(tree, set, &shares(set, tree.moves(set)));
        }
        profile
    }

    /// The probabilities of the moves of an information set.
    pub fn of(&self, tree: &GameTree, set: usize) -> &[f64] {
        &self.0[tree.sets()[set].range()]
    }

    /// Sets the probabilities at an information set to shares that are at least 0, divided by their sum; even where the
    /// sum is 0.
    ///
    /// # Panics
    /// If there are not as many shares as moves.
    pub fn set(&mut self, tree: &GameTree, set: usize, shares: &[f64]) {
        let own = &mut self.0[tree.sets()[set].range()];
        own.copy_from_slice(shares);
        normalise(own);
    }
}

impl GameTree {
    /// How probably each information set is reached under a profile: the sum over its histories. Visits every node.
    pub fn reached(&self, profile: &Profile) -> Vec<f64> {
        let nodes = self.node_reach(profile, None);
        let mut sets = vec![0.0; self.sets().len()];
        for (node, reach) in nodes.into_iter().enumerate() {
            if let NodeKind::Decision { set } = self.kind(node) {
                sets[set] += reach;
            }
        }
        sets
    }

    /// How probably each node is reached under a profile; with a role, if this one goes there.
    pub(super) fn node_reach(&self, profile: &Profile, role: Option<Role>) -> Vec<f64> {
        let mut nodes = vec![0.0; self.len()];
        nodes[0] = 1.0;
        for node in 0..self.len() {
            let (reach, children) = (nodes[node], self.children(node));
            match self.kind(node) {
                NodeKind::Terminal { .. } => {}
                NodeKind::Chance { moves, distribution } => {
                    for (place, child) in children.enumerate() {
                        nodes[child] = distribution.part(reach, place, moves.len());
                    }
                }
                NodeKind::Decision { set } if Some(self.sets()[set].role) == role => {
                    nodes[children].fill(reach)
                }
                NodeKind::Decision { set } => {
                    for (child, share) in children.zip(profile.of(self, set)) {
                        nodes[child] = reach * share;
                    }
                }
            }
        }
        nodes
    }
}

/// Divides shares by their sum; even where the sum is 0.
pub(super) fn normalise(shares: &mut [f64]) {
    let sum: f64 = shares.iter().sum();
    let even = 1.0 / shares.len() as f64;
    shares.iter_mut().for_each(|share| *share = if sum > 0.0 { *share / sum } else { even });
}
