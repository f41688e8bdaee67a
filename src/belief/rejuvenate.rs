//! Rejuvenation: Metropolis-Hastings moves on histories, whose stationary distribution is the posterior.
//!
//! One move picks a step uniformly, from the first on (else not every history could be reached), and draws the rest of
//! the history anew from the branches A that are not dead. A contradiction rejects the move; else it is accepted with
//! probability `min(1, r/d)`, where r and d are the products of `|A|/|J|` over the new and the old rest.
//!
//! During a pass nothing is learnt: A stays what it was when the pass began. One exception is harmless: a small node
//! is expanded at once when it is first met, before its A is ever used, so its A is a function of the node alone.
//! Contradictions found on the way are marked dead after the pass.

use rand::RngExt;
use rustc_hash::FxHashSet;

use super::advance::AT_ONCE;
use super::branches::Branch;
use super::tree::{NodeId, Tree};
use crate::machine::{Bulk, Meter, Seed};

/// One pass: a move for each of these histories, all of the length of the evidence. Particle `p` draws from `seed/p`
/// and pays from `meters[p]`; one that cannot pay stays as it is.
pub(super) fn pass<M: Bulk>(tree: &mut Tree<M>, nodes: &mut [(NodeId, Meter)], seed: &Seed) {
    let mut learnt = FxHashSet::default();
    for (particle, (node, meter)) in nodes.iter_mut().enumerate() {
        if let Some(moved) = propose(tree, *node, &mut seed.index(particle).rng(), &mut learnt, meter) {
            *node = moved;
        }
    }
    let mut learnt: Vec<(NodeId, u64)> = learnt.into_iter().collect();
    learnt.sort_unstable();
    for (node, index) in learnt {
        tree.branches(node).close(index);
    }
}

fn propose<M: Bulk>(
    tree: &mut Tree<M>,
    old: NodeId,
    rng: &mut rand_chacha::ChaCha8Rng,
    learnt: &mut FxHashSet<(NodeId, u64)>,
    meter: &mut Meter,
) -> Option<NodeId> {
    let length = tree.depth(old);
    if length == 0 {
        return None;
    }
    let kept = rng.random_range(0..length);
    let steps: Vec<NodeId> = tree.steps(old).map(|(above, _)| above).collect();
    let mut node = steps[length - 1 - kept];
    let mut ln_ratio = 0.0;
    // At the step where the two histories part, A is the same for both.
    for &above in &steps[..length - 1 - kept] {
        ln_ratio -= frozen_mass(tree, above, meter)?.ln();
    }
    for depth in kept..length {
        let mass = frozen_mass(tree, node, meter)?;
        if mass <= 0.0 {
            // Found out by expanding it at once.
            if let Some(step) = tree.parent(node) {
                learnt.insert(step);
            }
            return None;
        }
        if depth > kept {
            ln_ratio += mass.ln();
        }
        let index = draw(tree, node, mass, rng);
        if learnt.contains(&(node, index)) {
            return None;
        }
        node = match tree.branches(node).branch(index) {
            Branch::Open(child) => child,
            Branch::Dead => return None,
            Branch::Untried if !meter.spend() => return None,
            Branch::Untried => match tree.probe(node, index) {
                Some(child) => child,
                None => {
                    learnt.insert((node, index));
                    return None;
                }
            },
        };
    }
    let accepted = ln_ratio >= 0.0 || rng.random::<f64>() < ln_ratio.exp();
    tree.witness(node);
    accepted.then_some(node)
}

/// The probability of A at a node, expanded first where it is small. `None` if that cannot be paid for.
fn frozen_mass<M: Bulk>(tree: &mut Tree<M>, node: NodeId, meter: &mut Meter) -> Option<f64> {
    if tree.branches(node).count() <= AT_ONCE && !tree.visit_all(node, meter) {
        return None;
    }
    Some(tree.branches(node).alive_mass())
}

/// Draws a branch that is not dead. `mass` is the sum of their probabilities.
fn draw<M: Bulk>(tree: &mut Tree<M>, node: NodeId, mass: f64, rng: &mut rand_chacha::ChaCha8Rng) -> u64 {
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
