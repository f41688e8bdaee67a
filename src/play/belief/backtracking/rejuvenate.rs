//! Rejuvenation: Metropolis-Hastings moves on histories, whose stationary distribution is the posterior.
//!
//! A [move](MoveTask) picks a step uniformly among all steps (from the first one on, because otherwise not every
//! history could be reached). It draws the rest of the history again, at each node from the set A of branches that
//! are not known to be inconsistent. A contradiction rejects the move. Otherwise the move is accepted with
//! probability `min(1, r/d)`, where r and d are the products of `|A|/|J|` over the new and the old rest.
//!
//! During a pass A does not change: it stays as it was when the pass began. There is one exception, which does no
//! harm: a small node is expanded completely when it is first met, before its A is ever used, so that its A is a
//! function of the node alone. Contradictions that are found on the way are marked as inconsistent after the pass.
//! Hence the moves of a pass do not depend on each other, and all particles make theirs in
//! [lockstep](super::lockstep).

use super::lockstep::metropolis::MoveTask;
use super::lockstep::run;
use super::tree::{NodeId, Tree};
use hyperplay_engine::machine::{Budget, BudgetAccount, Bulk, Seed};

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
    let mut inconsistent: Vec<(NodeId, u64)> = run(tree, &mut moves, budget).into_iter().collect();
    for ((node, account), moved) in nodes.iter_mut().zip(moves) {
        let (accepted, left) = moved.end();
        let to = accepted.unwrap_or(*node);
        tree.spent.rejuvenation_moves += 1;
        tree.spent.rejuvenation_changes += u64::from(to != *node);
        (*node, *account) = (to, left);
    }
    inconsistent.sort_unstable();
    for (node, index) in inconsistent {
        tree.branches(node).mark_inconsistent(index);
    }
}
