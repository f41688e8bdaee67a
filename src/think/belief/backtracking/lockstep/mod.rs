//! Lockstep: the tasks of a belief, and the small cooperative scheduler that runs them.
//!
//! Nearly all the time of an update goes into computing successors of states, and a machine computes many successors
//! in one call of [`Bulk::expand`] much faster than one after the other. Therefore many particles are at work at the
//! same time, and the successors that they need are computed in blocks.
//!
//! **What a task is.** A [`Task`] is the work of one particle, written as a state machine. [`Task::poll`] goes on for
//! as long as the facts in the [`Tree`] allow and returns [`Poll::Ready`] when the work is done. When it needs to
//! know a branch that has not been expanded, it puts a request into the [`RequestBatch`] and returns
//! [`Poll::Pending`]. A task may also be pending without a request, when another task is finding out what it needs.
//!
//! **What a task may request.** One branch of a node, all untried branches of a node, or all branches of a node that
//! have no successor in the tree. The task pays for each requested state from its own account. A branch that two
//! tasks want in the same block is requested, and paid for, by the one that comes first.
//!
//! **How a round works.** [`run`] polls every unfinished task once, in a fixed order, and then expands the batch. A
//! batch that reaches [`BLOCK`] requests during the round is expanded at once. Each successor that explains the
//! evidence becomes a node of the tree; the branch of every other is marked as inconsistent.
//! Rounds follow each other until all tasks are done. After the deadline no request is granted, so all tasks come to
//! their end.
//!
//! **Why the result does not depend on the schedule.** The result of a task is a function of the facts in the tree,
//! and a round only adds facts. So the result is that of running the tasks one after the other, budgets aside. The
//! order of the tasks is fixed, and this also fixes which task pays for a state.
//!
//! | task | what it does |
//! | --- | --- |
//! | [`particle::DescentTask`] | brings a particle to the last step of the evidence |
//! | [`particle::TestTask`] | tests the branches beside a particle, for its weight |
//! | [`particle::RootTask`] | does both from the root, for a particle that was inconsistent; or looks for any history |
//! | [`metropolis::MoveTask`] | makes one Metropolis-Hastings move with a particle |
//!
//! They are made of two kinds of [walk] and the [test of branches](branch_test), which are polled in the same
//! way but return what they found.

pub(super) mod branch_test;
pub(super) mod metropolis;
pub(super) mod particle;
mod requests;
pub(super) mod walk;

use std::task::Poll;

pub(in crate::belief::backtracking) use requests::RequestBatch;

use super::branches::Branch;
use super::node_id::{NodeId, ROOT};
use super::tree::Tree;
use hyperplay_machine::{Budget, BudgetAccount, Bulk, History, JointMove};

/// States expanded at once, and between two looks at the clock. This is one word of lanes: with this number of states,
/// the fixed price of a call is a small part of the cost, and a slow machine is not late by much.
const BLOCK: usize = 64;

/// The work of one particle.
pub(in crate::belief::backtracking) trait Task<M: Bulk> {
    /// Goes on until the task is done, or something that it has requested (or that another task is finding out) must be
    /// known first.
    fn poll(&mut self, tree: &mut Tree<M>, requests: &mut RequestBatch) -> Poll<()>;
}

/// Runs all tasks to their end; after the deadline of the budget no request is granted.
pub(in crate::belief::backtracking) fn run<M: Bulk>(
    tree: &mut Tree<M>,
    tasks: &mut [impl Task<M>],
    budget: &Budget,
) {
    let mut requests = RequestBatch::until(budget);
    let mut open: Vec<usize> = (0..tasks.len()).collect();
    while !open.is_empty() {
        open.retain(|&task| tasks[task].poll(tree, &mut requests).is_pending());
        requests.expand(tree);
    }
}

/// Expands all branches of these nodes that are not inconsistent and have no successor, as many as the account grants;
/// false if those were not all.
pub(in crate::belief) fn expand_all<M: Bulk>(
    tree: &mut Tree<M>,
    nodes: &[NodeId],
    account: &mut BudgetAccount,
) -> bool {
    let mut requests = RequestBatch::default();
    let all = nodes.iter().all(|&node| requests.request_missing(tree, node, account));
    requests.expand(tree);
    all && !tree.is_cut()
}

/// Expands these branches as far as they are untried.
pub(in crate::belief) fn expand_these<M: Bulk>(tree: &mut Tree<M>, branches: &[(NodeId, u64)]) {
    let mut requests = RequestBatch::default();
    for &(node, index) in branches {
        if tree.branches(node).branch(index) == Branch::Untried {
            requests.push(tree, node, index);
        }
    }
    requests.expand(tree);
}

impl<M: Bulk> Tree<M> {
    /// The nodes of some histories of equal length that explain the evidence; `None` if the deadline passed before.
    pub(in crate::belief) fn insert(&mut self, histories: &[History]) -> Option<Vec<NodeId>> {
        let mut nodes = vec![ROOT; histories.len()];
        for step in 0..histories.first().map_or(0, History::step) {
            let at = |(node, history): (&NodeId, &History)| (*node, history.0[step].clone());
            let wanted: Vec<(NodeId, JointMove)> = nodes.iter().zip(histories).map(at).collect();
            let mut branches: Vec<(NodeId, u64)> = Vec::with_capacity(wanted.len());
            for (node, joint) in wanted {
                self.branches(node);
                if self.is_cut() {
                    return None;
                }
                branches.push((node, self.branches(node).index_of(&joint)));
            }
            expand_these(self, &branches);
            if self.is_cut() {
                return None;
            }
            for (node, (above, index)) in nodes.iter_mut().zip(branches) {
                if let Branch::Open(child) = self.branches(above).branch(index) {
                    *node = child;
                }
            }
        }
        Some(nodes)
    }
}
