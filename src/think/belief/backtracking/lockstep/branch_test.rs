//! Branch test: finds out which branches beside a history lead to a consistent history, for the weight of a particle.
//!
//! The prefixes are tested from the last step up to the resampling time. For each branch that was not taken, and that
//! explains its own step, a walk looks for any consistent history below it. If another particle is already testing a
//! prefix, the task waits for its result.

use std::task::{Poll, ready};

use super::super::node_id::NodeId;
use super::super::tree::Tree;
use super::super::weight::steps_below;
use super::RequestBatch;
use super::walk::{BacktrackingWalk, BranchChoice, WalkEnd};
use hyperplay_machine::{BudgetAccount, Bulk};

/// The test of the branches beside one history.
pub(super) struct BranchTest {
    /// The prefixes still to be tested, the first one last.
    above: Vec<NodeId>,
    /// The successors of the prefix under test that are still to be tested.
    siblings: Option<Vec<NodeId>>,
    /// The walk from the sibling under test.
    walk: Option<BacktrackingWalk>,
}

impl BranchTest {
    pub(super) fn new<M: Bulk>(tree: &Tree<M>, node: NodeId, resampled_at: usize) -> Self {
        let mut above = steps_below(tree, node, resampled_at);
        above.reverse();
        BranchTest { above, siblings: None, walk: None }
    }

    /// Goes on until a branch that was requested must be known first. False if the budget ran out.
    pub(super) fn poll<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        requests: &mut RequestBatch,
        account: &mut BudgetAccount,
    ) -> Poll<bool> {
        let target = tree.target();
        while let Some(&above) = self.above.last() {
            if let Some(walk) = &mut self.walk {
                if ready!(walk.poll(tree, requests, account)) == WalkEnd::OutOfBudget {
                    tree.branches(above).is_under_test = false;
                    return Poll::Ready(false);
                }
                self.walk = None;
            }
            if let Some(siblings) = &mut self.siblings {
                match siblings.pop() {
                    Some(sibling) if tree.reach(sibling) < target => {
                        let depth = tree.depth(sibling);
                        self.walk = Some(BacktrackingWalk::new(sibling, depth, BranchChoice::Any));
                    }
                    Some(_) => {}
                    None => {
                        self.siblings = None;
                        let branches = tree.branches(above);
                        (branches.tested_at, branches.is_under_test) = (target as u32, false);
                        self.above.pop();
                    }
                }
                continue;
            }
            let branches = tree.branches(above);
            if branches.tested_at as usize == target {
                self.above.pop();
            } else if branches.is_under_test {
                return Poll::Pending;
            } else if branches.missing().next().is_some() {
                let is_granted = requests.request_missing(tree, above, account);
                return if is_granted { Poll::Pending } else { Poll::Ready(false) };
            } else {
                branches.is_under_test = true;
                let open = branches.open().into_iter().rev();
                self.siblings = Some(open.map(|(_, sibling)| sibling).collect());
            }
        }
        Poll::Ready(true)
    }
}
