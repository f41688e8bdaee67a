//! Walks: how one history is brought to the last step of the evidence, by backtracking or by rejection.
//!
//! [`BacktrackingWalk`] is the method of `HyperPlay12`. It draws a joint move among those that agree with the own move
//! and are not known to be inconsistent. If the successor explains what was perceived, the walk goes on from there;
//! otherwise the branch is marked as inconsistent and another one is drawn. Where no branch is left, the walk marks the
//! node as inconsistent and takes its last move back. All particles share what is inconsistent.
//!
//! [`RejectionWalk`] takes nothing back: at the first contradiction it starts again from the root.
//!
//! Finding one consistent history is FNP-complete, so a walk has a budget of visited states. A walk never takes back
//! moves above the *resampling time* of its particle: its weight no longer accounts for that part of the history.

use std::task::Poll;

use rand_chacha::ChaCha8Rng;

use super::super::branches::Branch;
use super::super::node_id::{NodeId, ROOT};
use super::super::order::Order;
use super::super::tree::Tree;
use super::RequestBatch;
use hyperplay_machine::{BudgetAccount, Bulk, Seed};

/// A node with at most this many branches is expanded completely when all its branches will be needed.
pub(super) const SMALL: u64 = 64;

/// How an attempt to reach the last step ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum WalkEnd {
    /// At this node.
    Reached(NodeId),
    /// Nothing below the resampling time explains the evidence.
    Inconsistent,
    /// The budget ran out.
    OutOfBudget,
}

/// In which order the branches of a node are tried.
pub(super) enum BranchChoice {
    /// In a random order, by depth. With `expand_small`, small nodes are expanded completely, because all their
    /// branches will be tested for the weight.
    Random { seed: Seed, expand_small: bool },
    /// In whatever order finds a consistent history soonest.
    Any,
}

/// A history that grows to the last step. Where nothing else is left it takes moves back, down to the depth
/// `resampled_at`.
pub(super) struct BacktrackingWalk {
    node: NodeId,
    resampled_at: usize,
    choice: BranchChoice,
    /// One order for each depth from the resampling time on; those below the node are stale.
    orders: Vec<Option<Order>>,
    /// The branch of the node that was requested.
    next: Option<u64>,
}

impl BacktrackingWalk {
    pub(super) fn new(from: NodeId, resampled_at: usize, choice: BranchChoice) -> Self {
        BacktrackingWalk { node: from, resampled_at, choice, orders: Vec::new(), next: None }
    }

    /// Goes on until a branch that was requested must be known first.
    pub(super) fn poll<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        requests: &mut RequestBatch,
        account: &mut BudgetAccount,
    ) -> Poll<WalkEnd> {
        loop {
            let (node, depth) = (self.node, tree.depth(self.node));
            if depth == tree.target() {
                tree.witness(node);
                return Poll::Ready(WalkEnd::Reached(node));
            }
            let branches = tree.branches(node);
            if matches!(self.choice, BranchChoice::Random { expand_small: true, .. })
                && branches.count() <= SMALL
                && !branches.is_tried()
            {
                let is_granted = requests.request_untried(tree, node, account);
                return if is_granted { Poll::Pending } else { Poll::Ready(WalkEnd::OutOfBudget) };
            }
            if branches.is_exhausted() {
                self.next = None;
                tree.prune(node);
                match tree.parent(node) {
                    Some((parent, _)) if depth > self.resampled_at => {
                        self.node = parent;
                        let is_counted = matches!(self.choice, BranchChoice::Random { .. });
                        tree.spent.backtracks += u64::from(is_counted);
                    }
                    _ => return Poll::Ready(WalkEnd::Inconsistent),
                }
                continue;
            }
            let index = self.next.take().unwrap_or_else(|| self.choose(tree, depth));
            match tree.branches(node).branch(index) {
                Branch::Open(child) => self.node = child,
                Branch::Inconsistent => {}
                Branch::Untried => {
                    if !requests.request(tree, node, index, account) {
                        return Poll::Ready(WalkEnd::OutOfBudget);
                    }
                    self.next = Some(index);
                    return Poll::Pending;
                }
            }
        }
    }

    /// The next branch of the node in its order that is not known to be inconsistent.
    fn choose<M: Bulk>(&mut self, tree: &mut Tree<M>, depth: usize) -> u64 {
        let place = depth - self.resampled_at;
        self.orders.truncate(place + 1);
        self.orders.resize_with(place + 1, || None);
        let node = self.node;
        let order = self.orders[place].get_or_insert_with(|| match &self.choice {
            BranchChoice::Random { seed, .. } => Order::random(tree, node, &seed.index(depth)),
            BranchChoice::Any => Order::natural(tree, node),
        });
        let branches = tree.branches(node);
        order
            .find(|&index| branches.branch(index) != Branch::Inconsistent)
            .expect("an order names every branch, and each named before was found inconsistent")
    }
}

/// A history that grows without taking anything back: at the first contradiction it starts again from the root.
/// Inconsistent branches are remembered but still drawn, so accepted histories have the posterior distribution. Every
/// step drawn counts as a visited state, even if it was visited before, and no branch that explains its own step is
/// marked as inconsistent: a walk costs what it would cost without the tree.
pub(super) struct RejectionWalk {
    node: NodeId,
    rng: ChaCha8Rng,
    /// The branch of the node that was requested.
    next: Option<u64>,
}

impl RejectionWalk {
    pub(super) fn new(from: NodeId, seed: &Seed) -> Self {
        RejectionWalk { node: from, rng: seed.rng(), next: None }
    }

    /// Goes on until a branch that was requested must be known first.
    pub(super) fn poll<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        requests: &mut RequestBatch,
        account: &mut BudgetAccount,
    ) -> Poll<WalkEnd> {
        while tree.depth(self.node) < tree.target() {
            if tree.is_cut() {
                return Poll::Ready(WalkEnd::OutOfBudget);
            }
            let (index, is_drawn) = match self.next.take() {
                Some(index) => (Some(index), false),
                None => {
                    if tree.branches(ROOT).is_exhausted() {
                        return Poll::Ready(WalkEnd::Inconsistent);
                    }
                    if requests.is_late() || !account.spend() {
                        return Poll::Ready(WalkEnd::OutOfBudget);
                    }
                    (tree.branches(self.node).draw(&mut self.rng), true)
                }
            };
            let branch = index.map(|index| (index, tree.branches(self.node).branch(index)));
            // A branch that others have expanded, or are about to, is visited all the same.
            let is_known = match branch {
                Some((index, Branch::Untried)) => !requests.push(tree, self.node, index),
                Some(_) => true,
                None => false,
            };
            tree.spent.states += u64::from(is_drawn && is_known);
            match branch {
                Some((index, Branch::Untried)) => {
                    self.next = Some(index);
                    return Poll::Pending;
                }
                Some((_, Branch::Open(child))) => self.node = child,
                Some((_, Branch::Inconsistent)) | None => {
                    give_up(tree, self.node);
                    self.node = ROOT;
                    tree.spent.backtracks += 1;
                }
            }
        }
        tree.witness(self.node);
        Poll::Ready(WalkEnd::Reached(self.node))
    }
}

/// Records for a node and its prefixes, up to the first of which that is not known, that nothing below them explains
/// the evidence. If that holds for the root, the evidence is refuted.
fn give_up<M: Bulk>(tree: &mut Tree<M>, node: NodeId) {
    let mut next = Some(node);
    while let Some(node) = next {
        let branches = tree.branches(node);
        if !branches.is_tried() || branches.missing().next().is_some() {
            return;
        }
        let open = branches.open();
        if !open.iter().all(|&(_, child)| tree.is_hopeless(child)) {
            return;
        }
        if node == ROOT {
            open.into_iter().for_each(|(index, _)| tree.branches(ROOT).mark_dead(index));
        }
        tree.branches(node).is_hopeless = true;
        next = tree.parent(node).map(|(above, _)| above);
    }
}
