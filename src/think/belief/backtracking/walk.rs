//! Walks: how one history is brought to the last step of the evidence by backtracking.
//!
//! A walk draws a joint move among those that agree with the own move and are not known to be inconsistent. If the
//! successor explains what was perceived, it goes on from there; otherwise the branch is contradicted, and another one
//! is drawn. Where no branch is left, the walk takes its last move back, and that branch is dead. Finding one consistent
//! history is FNP-complete, so a walk has a budget.
//!
//! Reference: `HyperPlay12`.

use rand::Rng;

use super::branches::{Among, Branch};
use super::node_id::NodeId;
use super::tree::Tree;
use hyperplay_machine::{BudgetAccount, Bulk};

/// How a walk ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WalkEnd {
    /// At this node.
    Reached(NodeId),
    /// Nothing below the depth that it may go back to explains the evidence.
    Inconsistent,
    /// The budget ran out.
    OutOfBudget,
}

/// Walks from a node to the last step of the evidence, taking moves back down to the depth `floor`.
pub(crate) fn walk<M: Bulk>(
    tree: &mut Tree<M>,
    from: NodeId,
    floor: usize,
    account: &mut BudgetAccount,
    rng: &mut impl Rng,
) -> WalkEnd {
    let mut node = from;
    while tree.depth(node) < tree.target() {
        let Some(branches) = tree.branches(node) else { return WalkEnd::OutOfBudget };
        if branches.is_exhausted() {
            let above = tree.prune(node);
            if tree.depth(node) <= floor {
                return WalkEnd::Inconsistent;
            }
            tree.spent.backtracks += 1;
            node = above;
            continue;
        }
        let Some(index) = branches.draw(Among::Consistent, rng) else { return WalkEnd::OutOfBudget };
        match branches.branch(index) {
            Some(Branch::Open(child)) => node = child,
            _ if !tree.expand(node, &[index], account) => return WalkEnd::OutOfBudget,
            _ => {}
        }
    }
    WalkEnd::Reached(node)
}
