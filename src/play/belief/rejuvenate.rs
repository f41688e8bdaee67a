//! Rejuvenation: Metropolis-Hastings moves on histories, whose stationary distribution is the posterior.
//!
//! One move picks a step uniformly, from the first on (else not every history could be reached), and draws the rest of
//! the history anew from the branches A that are not dead. A contradiction rejects the move; else it is accepted with
//! probability `min(1, r/d)`, where r and d are the products of `|A|/|J|` over the new and the old rest.
//!
//! During a pass nothing is learnt: A stays what it was when the pass began. One exception is harmless: a small node
//! is expanded at once when it is first met, before its A is ever used, so its A is a function of the node alone.
//! Contradictions found on the way are marked dead after the pass. Hence the moves of a pass do not depend on each
//! other, and all particles make theirs [in step](super::in_step).

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::advance::AT_ONCE;
use super::branches::Branch;
use super::in_step::{self, Asked, Task};
use super::tree::{NodeId, Tree};
use hyperplay_engine::machine::{Budget, BudgetAccount, Bulk, Seed};

/// One pass: a move for each of these histories, all of the length of the evidence. Particle `first + p` draws from
/// the stream of its number and pays from its meter; one that cannot pay stays as it is.
pub(super) fn pass<M: Bulk>(
    tree: &mut Tree<M>,
    nodes: &mut [(NodeId, BudgetAccount)],
    first: usize,
    budget: &Budget,
    seed: &Seed,
) {
    if nodes.iter().any(|&(node, _)| tree.depth(node) == 0) {
        return;
    }
    let begin = |(particle, (node, meter)): (usize, &mut (NodeId, BudgetAccount))| {
        Moving::new(tree, *node, seed.index(first + particle).rng(), meter.clone())
    };
    let mut moves: Vec<Moving> = nodes.iter_mut().enumerate().map(begin).collect();
    let mut learnt: Vec<(NodeId, u64)> = in_step::run(tree, &mut moves, budget).into_iter().collect();
    for ((node, meter), moved) in nodes.iter_mut().zip(moves) {
        let to = moved.to.unwrap_or(*node);
        tree.spent.rejuvenation_moves += 1;
        tree.spent.rejuvenation_changes += u64::from(to != *node);
        *node = to;
        *meter = moved.meter;
    }
    learnt.sort_unstable();
    for (node, index) in learnt {
        tree.branches(node).close(index);
    }
}

/// A move of one particle.
struct Moving {
    rng: ChaCha8Rng,
    meter: BudgetAccount,
    /// The prefixes of the old history below the step where it is drawn anew, the last one last.
    old: Vec<NodeId>,
    /// The new history as far as it is drawn, and the branch drawn next.
    node: NodeId,
    next: Option<u64>,
    /// Whether it is still the step where the two part: A is the same for both there.
    parts: bool,
    ln_ratio: f64,
    /// The new history, if the move is accepted.
    to: Option<NodeId>,
}

impl Moving {
    /// A move of a history that is not empty.
    fn new<M: Bulk>(tree: &Tree<M>, old: NodeId, mut rng: ChaCha8Rng, meter: BudgetAccount) -> Self {
        let kept = rng.random_range(0..tree.depth(old));
        let steps = tree.steps(old).map(|(above, _)| above);
        let mut old: Vec<NodeId> = steps.take_while(|&above| tree.depth(above) >= kept).collect();
        let node = old.pop().expect("a step is drawn anew");
        Moving { rng, meter, old, node, next: None, parts: true, ln_ratio: 0.0, to: None }
    }

    /// The probability of A at a node, expanded first where it is small: `Err` with whether it can be paid for.
    fn frozen_mass<M: Bulk>(
        &mut self,
        tree: &mut Tree<M>,
        asked: &mut Asked,
        node: NodeId,
    ) -> Result<f64, bool> {
        let branches = tree.branches(node);
        if branches.count() <= AT_ONCE && !branches.is_tried() {
            return Err(asked.all(tree, node, &mut self.meter));
        }
        Ok(branches.alive_mass())
    }
}

impl<M: Bulk> Task<M> for Moving {
    fn go_on(&mut self, tree: &mut Tree<M>, asked: &mut Asked) -> bool {
        while let Some(&above) = self.old.last() {
            match self.frozen_mass(tree, asked, above) {
                Ok(mass) => self.ln_ratio -= mass.ln(),
                Err(is_paid) => return !is_paid,
            }
            self.old.pop();
        }
        while tree.depth(self.node) < tree.target() {
            let node = self.node;
            let index = match self.next {
                Some(index) => index,
                None => {
                    let mass = match self.frozen_mass(tree, asked, node) {
                        Ok(mass) => mass,
                        Err(is_paid) => return !is_paid,
                    };
                    if mass <= 0.0 {
                        // Found out by expanding it at once.
                        if let Some((above, index)) = tree.parent(node) {
                            asked.find(above, index);
                        }
                        return true;
                    }
                    if !self.parts {
                        self.ln_ratio += mass.ln();
                    }
                    draw(tree, node, mass, &mut self.rng)
                }
            };
            if asked.is_in_vain(node, index) {
                return true;
            }
            match tree.branches(node).branch(index) {
                Branch::Dead => return true,
                Branch::Open(child) => (self.node, self.next, self.parts) = (child, None, false),
                Branch::Untried => {
                    self.next = Some(index);
                    return !asked.probe(tree, node, index, &mut self.meter);
                }
            }
        }
        tree.witness(self.node);
        if self.ln_ratio >= 0.0 || self.rng.random::<f64>() < self.ln_ratio.exp() {
            self.to = Some(self.node);
        }
        true
    }
}

/// Draws a branch that is not dead. `mass` is the sum of their probabilities.
fn draw<M: Bulk>(tree: &mut Tree<M>, node: NodeId, mass: f64, rng: &mut ChaCha8Rng) -> u64 {
    let branches = tree.branches(node);
    if branches.is_uniform() {
        loop {
            let index = rng.random_range(0..branches.count());
            if branches.branch(index) != Branch::Dead {
                return index;
            }
        }
    }
    let mut left = rng.random::<f64>() * mass;
    let mut last = 0;
    for index in (0..branches.count()).filter(|&index| branches.branch(index) != Branch::Dead) {
        last = index;
        left -= branches.probability(index);
        if left < 0.0 {
            break;
        }
    }
    last
}
