//! Rejuvenation: Metropolis-Hastings moves on histories, whose stationary distribution is the posterior.
//!
//! A [move](MoveTask) picks a step uniformly among all steps (from the first one on, because otherwise not every
//! history could be reached) and draws the rest of the history again: at each node from the set A of branches that
//! explain their own step, by the model. Where a node has many branches, A is all of them. A contradiction rejects the
//! move. Otherwise the move is accepted with probability `min(1, r/d)`, where r and d are the products of the
//! probability of A over the new and the old rest.
//!
//! **A is a function of its node.** It does not depend on what weights and earlier moves have found out about the
//! branches further down. If dead ends that were found out were left out of A, those beside the particle's own history
//! would be missing and those beside its destination would not, and particles would leave histories whose dead ends
//! show late (bias TV .105 for .011 on a sheet made for this, 16 particles).
//!
//! A move that its particle cannot pay for is rejected. So where budgets end, particles whose histories were dear move
//! less.
//!
//! The moves of a pass do not depend on each other, and all particles make theirs in [lockstep](super::lockstep).

use super::lockstep::metropolis::MoveTask;
use super::lockstep::run;
use super::node_id::NodeId;
use super::tree::Tree;
use hyperplay_machine::{Budget, BudgetAccount, Bulk, Seed};

/// One pass: a move for each of these histories, all as long as the evidence. Particle `first + p` draws from the
/// stream of its number and pays from its account; a particle that cannot pay stays as it is.
pub(in crate::belief) fn pass<M: Bulk>(
    tree: &mut Tree<M>,
    nodes: &mut [(NodeId, BudgetAccount)],
    first: usize,
    budget: &Budget,
    seed: &Seed,
) {
    if nodes.iter().any(|&(node, _)| tree.depth(node) == 0) {
        return;
    }
    let begin = |(particle, (node, account)): (usize, &mut (NodeId, BudgetAccount))| {
        MoveTask::new(tree, *node, &seed.index(first + particle), account.clone())
    };
    let mut moves: Vec<MoveTask> = nodes.iter_mut().enumerate().map(begin).collect();
    run(tree, &mut moves, budget);
    for ((node, account), moved) in nodes.iter_mut().zip(moves) {
        let (accepted, left) = moved.end();
        let to = accepted.unwrap_or(*node);
        tree.spent.rejuvenation_moves += 1;
        tree.spent.rejuvenation_changes += u64::from(to != *node);
        (*node, *account) = (to, left);
    }
}
