//! The branches of a node: the joint moves that agree with the own move, and what is known of each.
//!
//! A branch is named by the number of its joint move. It is *untried*, *contradicted* (it does not explain its own step),
//! *dead* (it does, and nothing below it explains the evidence) or *open*. Evidence only grows, so a branch that is
//! contradicted or dead stays so for ever. These are the set `bad` of `HyperPlay12`, keyed by the prefix because each
//! node is one.

use rand::{Rng, RngExt};
use rustc_hash::FxHashMap;

use super::node_id::NodeId;
use crate::belief::joints::LegalJoints;

/// The knowledge about a branch that was tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Branch {
    Contradicted,
    Dead,
    /// Its successor explains the evidence of its own step.
    Open(NodeId),
}

/// Which branches a draw or a sum is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Among {
    /// Those that are not known to lead nowhere.
    Consistent,
    /// Those that are not known to contradict their own step: a function of the node alone, once all were tried.
    OwnConsistent,
    All,
}

impl Among {
    fn admits(self, branch: Option<Branch>) -> bool {
        match branch {
            None | Some(Branch::Open(_)) => true,
            Some(Branch::Contradicted) => self == Among::All,
            Some(Branch::Dead) => self != Among::Consistent,
        }
    }
}

/// Masses are added up branch by branch up to this number, and more are listed only for a draw.
const SUMMED: u64 = 1 << 16;

/// Draws that may miss before those that are left are listed, and where they are too many for that.
const MISSES: [usize; 2] = [16, 1 << 16];

/// A probability that is this small is not found by what it lacks to 1, because of rounding.
const PRECISE: f64 = 1e-6;

#[derive(Clone)]
pub(crate) struct Branches {
    pub(crate) joints: LegalJoints,
    tried: FxHashMap<u64, Branch>,
    /// How many were tried and are not open.
    inconsistent: u64,
}

impl Branches {
    pub(crate) fn new(joints: LegalJoints) -> Self {
        Branches { joints, tried: FxHashMap::default(), inconsistent: 0 }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u64 {
        self.joints.count()
    }

    /// What is known of a branch; `None` if it is untried.
    pub(crate) fn branch(&self, index: u64) -> Option<Branch> {
        self.tried.get(&index).copied()
    }

    pub(crate) fn set(&mut self, index: u64, branch: Branch) {
        let is_open = |branch| matches!(branch, None | Some(Branch::Open(_)));
        if is_open(self.tried.insert(index, branch)) && !is_open(Some(branch)) {
            self.inconsistent += 1;
        }
    }

    /// Whether no branch leads on.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.inconsistent == self.count()
    }

    /// Those not yet tried, in order.
    pub(crate) fn untried(&self) -> Vec<u64> {
        (0..self.count()).filter(|index| !self.tried.contains_key(index)).collect()
    }

    /// The probability of some of them.
    pub(crate) fn mass(&self, among: Among) -> f64 {
        if self.joints.is_uniform() {
            let left_out = self.tried.values().filter(|&&branch| !among.admits(Some(branch))).count() as f64;
            return 1.0 - left_out / self.count() as f64;
        }
        let left_out = self.tried.iter().filter(|(_, branch)| !among.admits(Some(**branch)));
        let mut left_out: Vec<u64> = left_out.map(|(&index, _)| index).collect();
        left_out.sort_unstable();
        let mass = 1.0 - left_out.into_iter().map(|index| self.joints.probability(index)).sum::<f64>();
        if mass < PRECISE && self.count() <= SUMMED {
            return self.admitted(among).map(|index| self.joints.probability(index)).sum();
        }
        mass.max(f64::MIN_POSITIVE)
    }

    fn admitted(&self, among: Among) -> impl Iterator<Item = u64> {
        (0..self.count()).filter(move |&index| among.admits(self.branch(index)))
    }

    /// Draws one of the branches in `among` by its probability. `None` if there is no such branch, or if none was found in the
    /// draws that may miss.
    pub(crate) fn draw(&self, among: Among, rng: &mut impl Rng) -> Option<u64> {
        for miss in 0.. {
            if miss == MISSES[usize::from(self.count() > SUMMED)] {
                break;
            }
            let index = self.joints.index_of(&self.joints.draw(rng)?);
            if among.admits(self.branch(index)) {
                return Some(index);
            }
        }
        if self.count() > SUMMED {
            return None;
        }
        let mut left = rng.random::<f64>() * self.mass(among);
        let mut last = None;
        for index in self.admitted(among) {
            last = Some(index);
            left -= self.joints.probability(index);
            if left < 0.0 {
                break;
            }
        }
        last
    }
}
