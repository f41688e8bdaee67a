//! Metropolis: moves of Metropolis and Hastings on histories, whose stationary distribution is the posterior.
//!
//! A move picks a step uniformly among all steps (from the first one on, because otherwise not every history could be
//! reached) and draws the rest of the history again: at each node from the set A of branches that explain their own
//! step, by the model. Where a node has many branches, A is all of them. A contradiction rejects the move. Otherwise it
//! is accepted with probability `min(1, r/d)`, where r and d are the products of the probability of A over the new and
//! the old rest.
//!
//! **A is a function of its node.** It does not depend on what was found out further down. If dead ends that were found
//! out were left out of A, those beside the particle's own history would be missing and those beside its destination
//! would not, and particles would leave histories whose dead ends show late (bias TV .105 for .011 on a sheet made for
//! this, 16 particles).
//!
//! A move that cannot be paid for is rejected.
//!
//! References: Metropolis53, Gilks01 (`docs/REFERENCES.md`).

use rand::{Rng, RngExt};

use super::node_id::NodeId;
use super::tree::Tree;
use hyperplay_machine::{BudgetAccount, Bulk};

/// The history that a move from a history of some steps leads to, if it is accepted.
pub(crate) fn moved<M: Bulk>(
    tree: &mut Tree<M>,
    old: NodeId,
    account: &mut BudgetAccount,
    rng: &mut impl Rng,
) -> Option<NodeId> {
    let parting = rng.random_range(0..tree.depth(old));
    let above: Vec<NodeId> = tree.steps(old).map(|(_, above, _)| above).collect();
    let mut node = above[above.len() - 1 - parting];
    let mut ln_ratio = 0.0;
    // At the step where the two part, A is the same for both.
    for above in above.into_iter().take_while(|&above| above != node) {
        ln_ratio -= tree.own(above, account)?.1.ln();
    }
    while tree.depth(node) < tree.target() {
        let (among, mass) = tree.own(node, account)?;
        if tree.depth(node) > parting {
            ln_ratio += mass.ln();
        }
        let index = tree.branches(node)?.draw(among, rng)?;
        node = tree.child(node, index, account)?;
    }
    (ln_ratio >= 0.0 || rng.random::<f64>() < ln_ratio.exp()).then_some(node)
}
