//! The order in which a particle tries the branches of a node.
//!
//! Repeatedly drawing from J without the branches found inconsistent is the same as walking through J in a random
//! order. The order is a function of a seed alone, and does not depend on what is inconsistent. A particle keeps the
//! first branch of *its* order that leads to a consistent history, no matter which particle found the others
//! inconsistent, and when. So the history that it ends with does not depend on what other particles did before it
//! (unless its budget runs out), and particles can work at the same time.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;

use super::node_id::NodeId;
use super::tree::Tree;
use hyperplay_machine::{Bulk, Seed};

pub(in crate::belief) enum Order {
    /// Uniform: a shuffle that is computed only as far as it is needed. `moved` lists the places whose content has
    /// changed.
    Shuffled { rng: Box<ChaCha8Rng>, count: u64, next: u64, moved: FxHashMap<u64, u64> },
    /// A list made at once, then all of a range.
    Listed(std::vec::IntoIter<u64>, std::ops::Range<u64>),
}

impl Order {
    /// A random order: at each place, a branch comes next with its share of the probability of all that are left.
    pub(in crate::belief) fn random<M: Bulk>(tree: &mut Tree<M>, node: NodeId, seed: &Seed) -> Order {
        let branches = tree.branches(node);
        let mut rng = seed.rng();
        let count = branches.count();
        if branches.is_uniform() {
            return Order::Shuffled { rng: Box::new(rng), count, next: 0, moved: FxHashMap::default() };
        }
        // The least of exponential variables with rates p belongs to each in proportion to p.
        let mut ranked: Vec<(f64, u64)> = (0..count)
            .map(|index| (-(1.0 - rng.random::<f64>()).ln() / branches.probability(index), index))
            .collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        Order::listed(ranked.into_iter().map(|(_, index)| index), 0..0)
    }

    /// The order that finds a consistent history soonest: first the branches that are known to lead far, then the
    /// others in their natural order.
    pub(in crate::belief) fn natural<M: Bulk>(tree: &mut Tree<M>, node: NodeId) -> Order {
        let mut open = tree.branches(node).open();
        open.sort_by_key(|&(_, child)| std::cmp::Reverse(tree.reach(child)));
        Order::listed(open.into_iter().map(|(index, _)| index), 0..tree.branches(node).count())
    }

    fn listed(first: impl Iterator<Item = u64>, rest: std::ops::Range<u64>) -> Order {
        Order::Listed(first.collect::<Vec<_>>().into_iter(), rest)
    }
}

impl Iterator for Order {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        match self {
            Order::Shuffled { rng, count, next, moved } => {
                if *next == *count {
                    return None;
                }
                let drawn = rng.random_range(*next..*count);
                let first = moved.remove(next).unwrap_or(*next);
                let result = if drawn == *next { first } else { moved.insert(drawn, first).unwrap_or(drawn) };
                *next += 1;
                Some(result)
            }
            Order::Listed(first, rest) => first.next().or_else(|| rest.next()),
        }
    }
}
