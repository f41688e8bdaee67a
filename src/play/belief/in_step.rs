//! In step: many particles at work at once, so that what they visit is expanded in blocks.
//!
//! Each particle is a [`Task`] that goes on until it must know a branch that nobody has tried. When every task waits (or
//! a block is full) all branches asked for are expanded in one call of [`Bulk::expand`], and the tasks go on. A branch
//! that two tasks want is asked for, and paid for, by the one that comes first in their order.
//!
//! What a task comes to is a function of the facts in the tree alone, and what a round finds out are facts; so the
//! result is that of one task after the other, budgets aside. The order of the tasks, and hence who pays, is fixed.

use rustc_hash::FxHashSet;

use super::branches::Branch;
use super::tree::{NodeId, Tree};
use hyperplay_engine::machine::{Budget, BudgetAccount, Bulk};

/// States expanded at once, and between two looks at the clock: one word of lanes, by then their number is a small part
/// of the cost, and a slow machine is not late by much.
const BLOCK: usize = 64;

/// Work of one particle.
pub(super) trait Task<M: Bulk> {
    /// Goes on until something is asked for that must be known first (or until another task has found it out); true
    /// when it is finished.
    fn go_on(&mut self, tree: &mut Tree<M>, asked: &mut Asked) -> bool;
}

/// Lets all tasks finish; after the deadline of the budget nothing more is granted. Returns what was learnt by [probing](Asked::probe): branches that do not explain the
/// evidence but are not marked as dead.
pub(super) fn run<M: Bulk>(
    tree: &mut Tree<M>,
    tasks: &mut [impl Task<M>],
    budget: &Budget,
) -> FxHashSet<(NodeId, u64)> {
    let mut asked = Asked { deadline: Budget { nodes: None, ..*budget }, ..Asked::default() };
    asked.is_late = asked.deadline.is_late();
    let mut open: Vec<usize> = (0..tasks.len()).collect();
    while !open.is_empty() {
        open.retain(|&task| !tasks[task].go_on(tree, &mut asked));
        asked.settle(tree);
    }
    asked.learnt
}

/// Expands all branches of these nodes that are not dead and have no successor, as many as the meter grants; false when
/// those were not all.
pub(super) fn visit_all<M: Bulk>(tree: &mut Tree<M>, nodes: &[NodeId], meter: &mut BudgetAccount) -> bool {
    let mut asked = Asked::default();
    let all = nodes.iter().all(|&node| asked.every(tree, node, meter));
    asked.settle(tree);
    all
}

/// Tries these branches as far as they are untried.
pub(super) fn visit_these<M: Bulk>(tree: &mut Tree<M>, branches: &[(NodeId, u64)]) {
    let mut asked = Asked::default();
    for &(node, index) in branches {
        if tree.branches(node).branch(index) == Branch::Untried {
            asked.push(tree, node, index);
        }
    }
    asked.settle(tree);
}

/// What is to be expanded next.
#[derive(Default)]
pub(super) struct Asked {
    list: Vec<(NodeId, u64)>,
    seen: FxHashSet<(NodeId, u64)>,
    /// Nodes all of whose untried branches are in the list.
    whole: FxHashSet<NodeId>,
    /// Branches to be probed only.
    probed: FxHashSet<(NodeId, u64)>,
    /// Branches that were probed in vain.
    learnt: FxHashSet<(NodeId, u64)>,
    /// Looked at once in a block, because the meters of many particles look too seldom.
    deadline: Budget,
    pub(super) is_late: bool,
}

impl Asked {
    /// Asks for all untried branches of a node; false if the meter does not grant them.
    pub(super) fn all<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        node: NodeId,
        meter: &mut BudgetAccount,
    ) -> bool {
        if self.whole.contains(&node) {
            return true;
        }
        let untried: Vec<u64> = tree.branches(node).untried().collect();
        let granted = self.these(tree, node, untried, meter);
        if granted {
            self.whole.insert(node);
        }
        granted
    }

    /// Asks for all branches of a node that are not dead and have no successor; false if the meter does not grant them.
    pub(super) fn every<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        node: NodeId,
        meter: &mut BudgetAccount,
    ) -> bool {
        let missing: Vec<u64> = tree.branches(node).missing().collect();
        self.these(tree, node, missing, meter)
    }

    fn these<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        node: NodeId,
        list: Vec<u64>,
        meter: &mut BudgetAccount,
    ) -> bool {
        for index in list {
            // A block that became full on the way may have answered it.
            if !self.seen.contains(&(node, index)) && tree.branches(node).branch(index) == Branch::Untried {
                if self.is_late || !meter.spend() {
                    return false;
                }
                self.push(tree, node, index);
            }
        }
        true
    }

    /// Asks for one untried branch; false if the meter does not grant it.
    pub(super) fn one<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        node: NodeId,
        index: u64,
        meter: &mut BudgetAccount,
    ) -> bool {
        self.ask(tree, node, index, meter, false)
    }

    /// As [`one`](Self::one), but if the branch does not explain the evidence it stays untried, and is
    /// [known](Self::is_in_vain) to.
    pub(super) fn probe<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        node: NodeId,
        index: u64,
        meter: &mut BudgetAccount,
    ) -> bool {
        self.ask(tree, node, index, meter, true)
    }

    fn ask<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        node: NodeId,
        index: u64,
        meter: &mut BudgetAccount,
        is_probe: bool,
    ) -> bool {
        if !self.seen.contains(&(node, index)) {
            if self.is_late || !meter.spend() {
                return false;
            }
            if is_probe {
                self.probed.insert((node, index));
            }
            self.push(tree, node, index);
        }
        true
    }

    /// Whether a branch was probed in vain, or [found](Self::find) to lead nowhere.
    pub(super) fn is_in_vain(&self, node: NodeId, index: u64) -> bool {
        self.learnt.contains(&(node, index))
    }

    /// Remembers that a branch leads nowhere, without marking it as dead.
    pub(super) fn find(&mut self, node: NodeId, index: u64) {
        self.learnt.insert((node, index));
    }

    /// Asks for an untried branch that is paid for. False if somebody else has asked for it already.
    pub(super) fn push<M: Bulk>(&mut self, tree: &mut Tree<M>, node: NodeId, index: u64) -> bool {
        let is_first = self.seen.insert((node, index));
        if is_first {
            self.list.push((node, index));
            if self.list.len() >= BLOCK {
                self.settle(tree);
            }
        }
        is_first
    }

    /// Expands what was asked for.
    fn settle<M: Bulk>(&mut self, tree: &mut Tree<M>) {
        for (&(node, index), child) in self.list.iter().zip(tree.expand(&self.list)) {
            if child.is_some() {
                continue;
            }
            if self.probed.contains(&(node, index)) {
                self.learnt.insert((node, index));
            } else {
                tree.branches(node).close(index);
            }
        }
        self.is_late = self.is_late || self.deadline.is_late();
        self.list.clear();
        self.seen.clear();
        self.whole.clear();
        self.probed.clear();
    }
}
