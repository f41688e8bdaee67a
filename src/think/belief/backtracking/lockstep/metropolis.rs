//! Metropolis: one Metropolis-Hastings move of one particle, as [`rejuvenate`](super::super::rejuvenate) describes it.

use std::task::Poll;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::super::branches::Branch;
use super::super::node_id::NodeId;
use super::super::tree::Tree;
use super::super::weight::steps_below;
use super::walk::SMALL;
use super::{RequestBatch, Task};
use hyperplay_machine::{BudgetAccount, Bulk, Seed};

/// A move of one particle.
pub(in super::super) struct MoveTask {
    rng: ChaCha8Rng,
    account: BudgetAccount,
    /// The prefixes of the old history below the step where it is drawn again, the last one last.
    old: Vec<NodeId>,
    /// The new history as far as it is drawn, and the branch drawn next.
    node: NodeId,
    next: Option<u64>,
    /// Whether the new history is still at the step where the two part: A is the same for both there.
    is_at_parting: bool,
    ln_ratio: f64,
    /// The new history, if the move is accepted.
    accepted: Option<NodeId>,
}

impl MoveTask {
    /// A move of a history that is not empty.
    pub(in super::super) fn new<M: Bulk>(
        tree: &Tree<M>,
        old: NodeId,
        seed: &Seed,
        account: BudgetAccount,
    ) -> Self {
        let mut rng = seed.rng();
        let kept = rng.random_range(0..tree.depth(old));
        let mut old = steps_below(tree, old, kept);
        let node = old.pop().expect("a step is drawn again");
        MoveTask { rng, account, old, node, next: None, is_at_parting: true, ln_ratio: 0.0, accepted: None }
    }

    /// The new history, if the move was accepted, and what is left of the budget.
    pub(in super::super) fn end(self) -> (Option<NodeId>, BudgetAccount) {
        (self.accepted, self.account)
    }

    /// The probability of A at a node. A small node is expanded first; then the result is what to return from
    /// [`poll`](Task::poll): the move ends if that cannot be paid for.
    fn mass<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        requests: &mut RequestBatch,
        node: NodeId,
    ) -> Result<f64, Poll<()>> {
        let branches = tree.branches(node);
        if branches.count() > SMALL {
            return Ok(1.0);
        }
        if !branches.is_tried() {
            let is_granted = requests.request_untried(tree, node, &mut self.account);
            return Err(if is_granted { Poll::Pending } else { Poll::Ready(()) });
        }
        Ok(branches.own_mass())
    }
}

impl<M: Bulk> Task<M> for MoveTask {
    fn poll(&mut self, tree: &mut Tree<M>, requests: &mut RequestBatch) -> Poll<()> {
        while let Some(&above) = self.old.last() {
            match self.mass(tree, requests, above) {
                Ok(mass) => self.ln_ratio -= mass.ln(),
                Err(wait) => return wait,
            }
            self.old.pop();
        }
        while tree.depth(self.node) < tree.target() {
            let node = self.node;
            let index = match self.next {
                Some(index) => index,
                None => {
                    let mass = match self.mass(tree, requests, node) {
                        Ok(mass) => mass,
                        Err(wait) => return wait,
                    };
                    if !self.is_at_parting {
                        self.ln_ratio += mass.ln();
                    }
                    let branches = tree.branches(node);
                    let is_small = branches.count() <= SMALL;
                    let drawn = if is_small {
                        branches.draw_own_consistent(&mut self.rng)
                    } else {
                        branches.draw(&mut self.rng)
                    };
                    let Some(index) = drawn else { return Poll::Ready(()) };
                    self.next = Some(index);
                    index
                }
            };
            match tree.branches(node).branch(index) {
                Branch::Inconsistent => return Poll::Ready(()),
                Branch::Open(child) => (self.node, self.next, self.is_at_parting) = (child, None, false),
                Branch::Untried => {
                    let is_granted = requests.request(tree, node, index, &mut self.account);
                    return if is_granted { Poll::Pending } else { Poll::Ready(()) };
                }
            }
        }
        tree.witness(self.node);
        if self.ln_ratio >= 0.0 || self.rng.random::<f64>() < self.ln_ratio.exp() {
            self.accepted = Some(self.node);
        }
        Poll::Ready(())
    }
}
