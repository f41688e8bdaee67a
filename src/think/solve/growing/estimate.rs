//! How far the policies are from an equilibrium of the grown tree, and what its positions are worth.
//!
//! A best response of each role is found in the grown tree against the averages of the others. After the leaves everybody
//! is taken to play as the playouts did that valued them. So where leaves are left this says whether more iterations on
//! the same tree would help, and is no bound of NashConv in the game; without a leaf it is NashConv.

use super::pass::{Pass, Policies};
use super::{GrowingMinimiser, range};
use crate::tree::{SetMoves, UNEVEN_CHANCE};
use hyperplay_machine::Bulk;

/// No role.
pub(super) const NOBODY: u32 = UNEVEN_CHANCE - 1;

impl<M: Bulk> GrowingMinimiser<M> {
    /// NashConv of the average policies in the grown tree, in goal points, and the probability that a match under these
    /// policies comes to a leaf; `None` after a failure.
    pub fn judged_in_tree(&self) -> Option<(f64, f64)> {
        let tree = self.failure.is_none().then_some(&self.tree)?;
        let average = self.average_everywhere();
        let gains = self.players.iter().map(|&role| {
            let usual = self.usual(role, &average).value(tree);
            (self.best_response(role, &average).value(tree) - usual).max(0.0)
        });
        let gains = gains.sum();
        let mut pass = Pass::default();
        pass.descend_from_roots(tree, Policies { role: NOBODY, own: &[], others: &average });
        let leaves = tree.by_step.iter().flatten().filter(|&&leaf| tree.followings(leaf).is_empty());
        Some((gains, leaves.map(|&leaf| pass.others[leaf as usize]).sum()))
    }

    /// The average policies below the roots, by number of a move.
    pub(super) fn average_everywhere(&self) -> Vec<f64> {
        self.by_move(|set| self.average(set))
    }

    /// Shares of the moves of the sets below the roots, by number of a move.
    pub(super) fn by_move(&self, shares: impl Fn(SetMoves) -> Vec<f64>) -> Vec<f64> {
        let mut all = vec![0.0; self.tree.positions.sets.moves().len()];
        for set in self.tree.sets_below() {
            all[range(set)].copy_from_slice(&shares(set));
        }
        all
    }

    /// The values of all positions to a role if all play the averages.
    pub(super) fn usual(&self, role: u32, average: &[f64]) -> Pass {
        let (tree, policies, mut pass) =
            (&self.tree, Policies { role, own: average, others: average }, Pass::default());
        pass.descend_from_roots(tree, policies);
        (0..tree.by_step.len()).rev().for_each(|step| pass.climb(tree, step, policies));
        pass
    }

    /// The values of all positions to a role that plays a best response to the averages of the others.
    pub(super) fn best_response(&self, role: u32, average: &[f64]) -> Pass {
        let tree = &self.tree;
        let as_ever = Policies { role, own: average, others: average };
        let (mut own, mut best) = (average.to_vec(), Pass::default());
        best.descend_from_roots(tree, as_ever);
        for (step, positions) in tree.by_step.iter().enumerate().rev() {
            best.climb(tree, step, Policies { own: &own, ..as_ever });
            for &position in positions {
                let choosers = tree.choosers(position).iter();
                for chooser in choosers.filter(|chooser| chooser.role == role) {
                    let (first, moves) = (chooser.first as usize, chooser.moves as usize);
                    let gains = &best.gains[first..first + moves];
                    let most =
                        (0..moves).fold(0, |most, one| if gains[one] > gains[most] { one } else { most });
                    own[first..first + moves].fill(0.0);
                    own[first + most] = 1.0;
                }
            }
            // Again, with the moves that were chosen; what they gain is not read any more.
            best.climb(tree, step, Policies { own: &own, ..as_ever });
        }
        best
    }
}
