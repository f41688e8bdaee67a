//! Advance and backtrack: one particle is brought down to the last step of the evidence.
//!
//! `HyperPlay12`: draw a joint move among those that agree with the own move and are not known to lead nowhere; keep
//! it if its successor explains what was perceived, else mark it dead and draw again; where none is left, mark the
//! prefix dead and take its last move back. What is dead is shared by all particles for the whole match.
//!
//! Finding one consistent history is FNP-complete, so a particle has a budget of visited states. A particle never
//! takes back moves above its *base*: the part of its history that its weight no longer accounts for.

use rand::RngExt;

use super::branches::Branch;
use super::order::Order;
use super::tree::{NodeId, ROOT, Tree};
use crate::machine::{Bulk, Meter, Seed};

/// A node with at most this many branches is expanded at once when all its branches will be needed.
pub(super) const AT_ONCE: u64 = 64;

/// How an attempt to reach the last step ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Growth {
    /// At this node.
    Reached(NodeId),
    /// Nothing below the base explains the evidence.
    Dead,
    /// The budget ran out.
    Spent,
}

/// Where the order of the branches comes from.
#[derive(Clone, Copy)]
pub(super) enum Draw<'a> {
    /// Random, by depth; `whole` expands small nodes at once, since all their branches will be tested for the weight.
    Random { seed: &'a Seed, whole: bool },
    /// Whatever finds a way down.
    Any,
}

/// Grows a history from `from` to the last step, taking moves back where nothing else is left, down to `base`.
pub(super) fn grow<M: Bulk>(
    tree: &mut Tree<M>,
    from: NodeId,
    base: usize,
    draw: Draw<'_>,
    meter: &mut Meter,
) -> Growth {
    let mut node = from;
    // One order for each depth on the way; those below the node are stale.
    let mut orders: Vec<Option<Order>> = Vec::new();
    loop {
        let depth = tree.depth(node);
        if depth == tree.target() {
            tree.witness(node);
            return Growth::Reached(node);
        }
        if let Draw::Random { whole: true, .. } = draw
            && tree.branches(node).count() <= AT_ONCE
            && !tree.visit_all(node, meter)
        {
            return Growth::Spent;
        }
        if tree.branches(node).is_barren() {
            tree.bury(node);
            match tree.parent(node) {
                Some((parent, _)) if depth > base => node = parent,
                _ => return Growth::Dead,
            }
            continue;
        }
        orders.truncate(depth + 1);
        orders.resize_with(depth + 1, || None);
        let order = orders[depth].get_or_insert_with(|| match draw {
            Draw::Random { seed, .. } => Order::random(tree, node, &seed.index(depth)),
            Draw::Any => Order::natural(tree, node),
        });
        let branches = tree.branches(node);
        let index = order
            .find(|&index| branches.branch(index) != Branch::Dead)
            .expect("an order names every branch, and each named before was found dead");
        let branch = match branches.branch(index) {
            Branch::Untried if !meter.spend() => return Growth::Spent,
            Branch::Untried => tree.visit(node, index),
            known => known,
        };
        if let Branch::Open(child) = branch {
            node = child;
        }
    }
}

/// Grows a history without taking anything back: at the first contradiction it starts anew from the root. What is
/// dead is remembered but still drawn, so accepted histories have the posterior distribution. Every draw costs as a
/// visited state.
pub(super) fn restart<M: Bulk>(tree: &mut Tree<M>, from: NodeId, seed: &Seed, meter: &mut Meter) -> Growth {
    let mut rng = seed.rng();
    let mut node = from;
    while tree.depth(node) < tree.target() {
        if tree.branches(ROOT).is_barren() {
            return Growth::Dead;
        }
        if !meter.spend() {
            return Growth::Spent;
        }
        let branches = tree.branches(node);
        let index = (branches.count() > 0).then(|| {
            if branches.is_uniform() {
                return rng.random_range(0..branches.count());
            }
            let mut left: f64 = rng.random();
            (0..branches.count())
                .find(|&index| {
                    left -= branches.probability(index);
                    left < 0.0
                })
                .unwrap_or(0)
        });
        let branch = match index.map(|index| (index, branches.branch(index))) {
            Some((index, Branch::Untried)) => tree.visit(node, index),
            Some((_, known)) => known,
            None => Branch::Dead,
        };
        if let Branch::Open(child) = branch {
            node = child;
            continue;
        }
        while tree.branches(node).is_barren() && node != ROOT {
            tree.bury(node);
            node = tree.parent(node).expect("not the root").0;
        }
        node = ROOT;
    }
    tree.witness(node);
    Growth::Reached(node)
}
