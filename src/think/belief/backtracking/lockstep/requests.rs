//! Request batch: the branches that the tasks want to know next, each once.

use rustc_hash::FxHashSet;

use super::super::branches::Branch;
use super::super::node_id::NodeId;
use super::super::tree::Tree;
use super::BLOCK;
use hyperplay_machine::{Budget, BudgetAccount, Bulk};

/// The branches to be expanded next.
#[derive(Default)]
pub(in super::super) struct RequestBatch {
    list: Vec<(NodeId, u64)>,
    /// The requests in the list.
    requested: FxHashSet<(NodeId, u64)>,
    /// Nodes all of whose untried branches are in the list.
    complete: FxHashSet<NodeId>,
    /// The batch itself reads the clock, once for each block. The accounts of many particles would each read it too
    /// seldom.
    deadline: Budget,
    is_late: bool,
}

impl RequestBatch {
    /// An empty batch that grants nothing after the deadline of this budget.
    pub(super) fn until(budget: &Budget) -> Self {
        let deadline = Budget { nodes: None, ..*budget };
        RequestBatch { deadline, is_late: deadline.is_late(), ..RequestBatch::default() }
    }

    /// Whether the deadline has passed, as far as is known.
    pub(super) fn is_late(&self) -> bool {
        self.is_late
    }

    /// Requests all untried branches of a node; false if the account does not grant them.
    pub(super) fn request_untried<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        node: NodeId,
        account: &mut BudgetAccount,
    ) -> bool {
        if self.complete.contains(&node) {
            return true;
        }
        let untried: Vec<u64> = tree.branches(node).untried().collect();
        let is_granted = self.request_these(tree, node, untried, account);
        if is_granted {
            self.complete.insert(node);
        }
        is_granted
    }

    /// Requests all branches of a node that are not inconsistent and have no successor; false if the account does not
    /// grant them.
    pub(super) fn request_missing<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        node: NodeId,
        account: &mut BudgetAccount,
    ) -> bool {
        let missing: Vec<u64> = tree.branches(node).missing().collect();
        self.request_these(tree, node, missing, account)
    }

    fn request_these<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        node: NodeId,
        list: impl IntoIterator<Item = u64>,
        account: &mut BudgetAccount,
    ) -> bool {
        for index in list {
            // A block that became full on the way may have expanded it.
            let is_known = tree.branches(node).branch(index) != Branch::Untried;
            if !is_known && !self.requested.contains(&(node, index)) {
                if self.is_late || tree.is_cut() || !account.spend() {
                    return false;
                }
                self.push(tree, node, index);
            }
        }
        true
    }

    /// Requests one untried branch; false if the account does not grant it.
    pub(super) fn request<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        node: NodeId,
        index: u64,
        account: &mut BudgetAccount,
    ) -> bool {
        self.request_these(tree, node, [index], account)
    }

    /// Requests an untried branch that is paid for. False if it was requested already.
    pub(super) fn push<M: Bulk>(&mut self, tree: &mut Tree<M>, node: NodeId, index: u64) -> bool {
        let is_first = self.requested.insert((node, index));
        if is_first {
            self.list.push((node, index));
            if self.list.len() >= BLOCK {
                self.expand(tree);
            }
        }
        is_first
    }

    /// Expands the requests, and empties the batch. Requests that the deadline cut off stay untried.
    pub(super) fn expand<M: Bulk>(&mut self, tree: &mut Tree<M>) {
        for (&(node, index), child) in self.list.iter().zip(tree.expand(&self.list)) {
            if child.is_none() {
                tree.branches(node).mark_inconsistent(index);
            }
        }
        self.is_late = self.is_late || tree.is_cut() || self.deadline.is_late();
        self.list.clear();
        self.requested.clear();
        self.complete.clear();
    }
}
