//! The tasks of a sample's particles: to reach the last step, to be tested, and to be restarted.
//!
//! [`DescentTask`] brings a particle to the last step. If its budget runs out it starts again from the root, with a
//! weight that counts the attempts; but a particle that was resampled after the first step is given up then.
//! [`TestTask`] tests the branches beside a particle. [`RootTask`] does both from the root, for a particle that was
//! inconsistent, or looks for any consistent history.

use std::task::{Poll, ready};

use super::super::node_id::{NodeId, ROOT};
use super::super::slot::Slot;
use super::super::tree::Tree;
use super::branch_test::BranchTest;
use super::walk::{BacktrackingWalk, BranchChoice, RejectionWalk, WalkEnd};
use super::{RequestBatch, Task};
use crate::belief::options::{BeliefOptions, Weight};
use hyperplay_machine::{Budget, BudgetAccount, Bulk, Seed};

/// How often a particle whose budget ran out is started again in one update.
const ATTEMPTS: usize = 3;

/// How a particle looks for a consistent history.
enum Walk {
    Backtracking(BacktrackingWalk),
    Rejection(Box<RejectionWalk>),
}

/// A particle on its way to the last step.
pub(in super::super) struct DescentTask {
    slot: Slot,
    backtrack: bool,
    /// Whether all branches of its nodes will be tested.
    expand_small: bool,
    budget: Budget,
    /// States that one attempt may visit.
    states: u64,
    /// States that all attempts may still visit.
    share: u64,
    account: BudgetAccount,
    seed: Seed,
    attempt: usize,
    walk: Option<Walk>,
}

impl DescentTask {
    pub(in super::super) fn new(
        slot: Slot,
        options: &BeliefOptions,
        budget: &Budget,
        share: u64,
        seed: Seed,
    ) -> Self {
        let account = BudgetAccount::new(budget.with_nodes(share.min(options.states)));
        let expand_small = options.weight == Weight::Posterior;
        let (backtrack, states, budget) = (options.backtracks(), options.states, *budget);
        DescentTask {
            slot,
            backtrack,
            expand_small,
            budget,
            states,
            share,
            account,
            seed,
            attempt: 0,
            walk: None,
        }
    }

    /// The particle, and what is left of its budget.
    pub(in super::super) fn end(self) -> (Slot, BudgetAccount) {
        (self.slot, self.account)
    }

    fn begin(&self) -> Walk {
        let Slot { node, resampled_at, .. } = self.slot;
        let seed = self.seed.index(self.attempt);
        if self.backtrack {
            let choice = BranchChoice::Random { seed, expand_small: self.expand_small };
            Walk::Backtracking(BacktrackingWalk::new(node, resampled_at, choice))
        } else {
            Walk::Rejection(Box::new(RejectionWalk::new(node, &seed)))
        }
    }
}

impl<M: Bulk> Task<M> for DescentTask {
    fn poll(&mut self, tree: &mut Tree<M>, requests: &mut RequestBatch) -> Poll<()> {
        while self.slot.is_consistent && self.attempt < ATTEMPTS {
            let walk = match self.walk.take() {
                Some(walk) => walk,
                None => self.begin(),
            };
            let end = match self.walk.insert(walk) {
                Walk::Backtracking(walk) => ready!(walk.poll(tree, requests, &mut self.account)),
                Walk::Rejection(walk) => ready!(walk.poll(tree, requests, &mut self.account)),
            };
            match end {
                WalkEnd::Reached(node) => {
                    self.slot.node = node;
                    self.walk = None;
                    return Poll::Ready(());
                }
                WalkEnd::Inconsistent => self.slot.is_consistent = false,
                // There is no time: it goes on from where it is at the next update.
                WalkEnd::OutOfBudget if self.budget.is_late() => return Poll::Ready(()),
                WalkEnd::OutOfBudget if self.slot.resampled_at > 0 => self.slot.is_consistent = false,
                WalkEnd::OutOfBudget => {
                    // From the root again, with a weight that counts the attempts.
                    let ln_weight = -((self.attempt + 2) as f64).ln();
                    self.slot = Slot { ln_weight, ..Slot::at_root() };
                    self.share = self.share.saturating_sub(self.account.spent());
                    self.account = BudgetAccount::new(self.budget.with_nodes(self.share.min(self.states)));
                    self.attempt += 1;
                    self.walk = None;
                }
            }
        }
        Poll::Ready(())
    }
}

/// A particle whose branches are tested.
pub(in super::super) struct TestTask<'m> {
    test: BranchTest,
    account: &'m mut BudgetAccount,
    is_complete: bool,
}

impl<'m> TestTask<'m> {
    pub(in super::super) fn new<M: Bulk>(
        tree: &Tree<M>,
        slot: &Slot,
        account: &'m mut BudgetAccount,
    ) -> Self {
        let test = BranchTest::new(tree, slot.node, slot.resampled_at);
        TestTask { test, account, is_complete: false }
    }

    /// Whether all branches could be tested.
    pub(in super::super) fn is_complete(&self) -> bool {
        self.is_complete
    }
}

impl<M: Bulk> Task<M> for TestTask<'_> {
    fn poll(&mut self, tree: &mut Tree<M>, requests: &mut RequestBatch) -> Poll<()> {
        self.is_complete = ready!(self.test.poll(tree, requests, self.account));
        Poll::Ready(())
    }
}

/// A walk from the root to the last step: of a particle that starts again, which is tested, because without its tests its
/// weight would be wrong; or to any consistent history.
pub(in super::super) struct RootTask {
    walk: BacktrackingWalk,
    is_tested: bool,
    test: Option<(NodeId, BranchTest)>,
    account: BudgetAccount,
    node: Option<NodeId>,
}

impl RootTask {
    /// A particle that starts again.
    pub(in super::super) fn restart(seed: Seed, account: BudgetAccount) -> Self {
        RootTask::new(BranchChoice::Random { seed, expand_small: true }, true, account)
    }

    /// A search for one consistent history, whichever it may be.
    pub(in super::super) fn search(budget: &Budget) -> Self {
        RootTask::new(BranchChoice::Any, false, BudgetAccount::new(*budget))
    }

    fn new(choice: BranchChoice, is_tested: bool, account: BudgetAccount) -> Self {
        let walk = BacktrackingWalk::new(ROOT, 0, choice);
        RootTask { walk, is_tested, test: None, account, node: None }
    }

    /// The node that it came to; `None` if there is none or its budget did not last.
    pub(in super::super) fn node(&self) -> Option<NodeId> {
        self.node
    }

    /// The rest of its budget.
    pub(in super::super) fn end(self) -> BudgetAccount {
        self.account
    }
}

impl<M: Bulk> Task<M> for RootTask {
    fn poll(&mut self, tree: &mut Tree<M>, requests: &mut RequestBatch) -> Poll<()> {
        if self.test.is_none() {
            match ready!(self.walk.poll(tree, requests, &mut self.account)) {
                WalkEnd::Reached(node) if self.is_tested => {
                    self.test = Some((node, BranchTest::new(tree, node, 0)));
                }
                WalkEnd::Reached(node) => self.node = Some(node),
                WalkEnd::Inconsistent | WalkEnd::OutOfBudget => {}
            }
        }
        if let Some((node, test)) = &mut self.test {
            let is_complete = ready!(test.poll(tree, requests, &mut self.account));
            self.node = is_complete.then_some(*node);
        }
        Poll::Ready(())
    }
}
