//! How far the policies are from an equilibrium of the grown tree.
//!
//! A best response of each role is found in the grown tree against the averages of the others. After the leaves everybody
//! is taken to play as the playouts did that valued them. So where leaves are left this says whether more iterations on
//! the same tree would help, and is no bound of NashConv in the game; without a leaf it is NashConv.

use super::pass::{Pass, Policies};
use super::{GrowingMinimiser, range};
use crate::tree::UNEVEN_CHANCE;
use hyperplay_machine::Bulk;

/// No role.
const NOBODY: u32 = UNEVEN_CHANCE - 1;

impl<M: Bulk> GrowingMinimiser<M> {
    /// NashConv of the average policies in the grown tree, in goal points, and the probability that a match under these
    /// policies comes to a leaf; `None` after a failure.
    pub fn judged_in_tree(&self) -> Option<(f64, f64)> {
        let tree = self.failure.is_none().then_some(&self.tree)?;
        let mut average = vec![0.0; self.policy.len()];
        for &set in tree.positions.sets.list() {
            average[range(set)].copy_from_slice(&self.average(set));
        }
        let gains = self.players.iter().map(|&role| self.gain(role, &average).max(0.0));
        let mut pass = Pass::default();
        pass.descend(tree, Policies { role: NOBODY, own: &[], others: &average });
        let leaves = (0..tree.positions.len() as u32).filter(|&leaf| tree.followings(leaf).is_empty());
        Some((gains.sum(), leaves.map(|leaf| pass.others[leaf as usize]).sum()))
    }

    /// What a best response of a role gains.
    fn gain(&self, role: u32, average: &[f64]) -> f64 {
        let tree = &self.tree;
        let as_ever = Policies { role, own: average, others: average };
        let mut own = average.to_vec();
        let (mut best, mut usual) = (Pass::default(), Pass::default());
        best.descend(tree, as_ever);
        usual.descend(tree, as_ever);
        for (step, positions) in tree.by_step.iter().enumerate().rev() {
            usual.climb(tree, step, as_ever);
            best.climb(tree, step, Policies { own: &own, ..as_ever });
            for &position in positions.iter().filter(|&&position| !tree.followings(position).is_empty()) {
                let choosers = tree.positions.choosers(position).iter();
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
        best.value(tree, role) - usual.value(tree, role)
    }
}
