//! Metropolis: one Metropolis-Hastings move of one particle, as [`rejuvenate`](super::super::rejuvenate) describes it.

use std::task::Poll;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::super::branches::{Branch, Branches};
use super::super::tree::{NodeId, Tree};
use super::walk::SMALL;
use super::{RequestBatch, Task};
use hyperplay_engine::machine::{BudgetAccount, Bulk, Seed};

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
        let steps = tree.steps(old).map(|(above, _)| above);
        let mut old: Vec<NodeId> = steps.take_while(|&above| tree.depth(above) >= kept).collect();
        let node = old.pop().expect("a step is drawn again");
        MoveTask { rng, account, old, node, next: None, is_at_parting: true, ln_ratio: 0.0, accepted: None }
    }

    /// The new history, if the move was accepted, and what is left of the budget.
    pub(in super::super) fn end(self) -> (Option<NodeId>, BudgetAccount) {
        (self.accepted, self.account)
    }

    /// The probability of A at a node. A small node is expanded first; then the result is what to return from
    /// [`poll`](Task::poll): the move ends if that cannot be paid for.
    fn frozen_mass<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        requests: &mut RequestBatch,
        node: NodeId,
    ) -> Result<f64, Poll<()>> {
        let branches = tree.branches(node);
        if branches.count() <= SMALL && !branches.is_tried() {
            let is_granted = requests.request_untried(tree, node, &mut self.account);
            return Err(if is_granted { Poll::Pending } else { Poll::Ready(()) });
        }
        Ok(branches.consistent_mass())
    }
}

impl<M: Bulk> Task<M> for MoveTask {
    fn poll(&mut self, tree: &mut Tree<M>, requests: &mut RequestBatch) -> Poll<()> {
        while let Some(&above) = self.old.last() {
            match self.frozen_mass(tree, requests, above) {
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
                    let mass = match self.frozen_mass(tree, requests, node) {
                        Ok(mass) => mass,
                        Err(wait) => return wait,
                    };
                    if mass <= 0.0 {
                        // The expansion has shown that no branch is left.
                        if let Some((above, index)) = tree.parent(node) {
                            requests.fail(above, index);
                        }
                        return Poll::Ready(());
                    }
                    if !self.is_at_parting {
                        self.ln_ratio += mass.ln();
                    }
                    draw(tree.branches(node), mass, &mut self.rng)
                }
            };
            if requests.has_failed(node, index) {
                return Poll::Ready(());
            }
            match tree.branches(node).branch(index) {
                Branch::Inconsistent => return Poll::Ready(()),
                Branch::Open(child) => (self.node, self.next, self.is_at_parting) = (child, None, false),
                Branch::Untried => {
                    self.next = Some(index);
                    let is_granted = requests.probe(tree, node, index, &mut self.account);
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

/// Draws a branch that is not inconsistent. `mass` is the sum of their probabilities.
fn draw(branches: &Branches, mass: f64, rng: &mut ChaCha8Rng) -> u64 {
    if branches.is_uniform() {
        loop {
            let index = rng.random_range(0..branches.count());
            if branches.branch(index) != Branch::Inconsistent {
                return index;
            }
        }
    }
    let mut left = rng.random::<f64>() * mass;
    let mut last = 0;
    for index in (0..branches.count()).filter(|&index| branches.branch(index) != Branch::Inconsistent) {
        last = index;
        left -= branches.probability(index);
        if left < 0.0 {
            break;
        }
    }
    last
}
