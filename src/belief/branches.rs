//! The branches of a node: the joint moves J that agree with the own move, and what is known of each.
//!
//! A joint move is named by its position in J (the last role's move changing fastest), so nothing depends on the
//! numbers of terms. A branch is untried, dead (it leads to no history that explains the evidence) or open (its
//! successor explains the evidence of its own step). Dead is for ever, since evidence only grows: the dead branches are
//! the set `bad` of `HyperPlay12`, keyed by the prefix because each node is one.
//!
//! Invariant: `open` lists exactly the branches whose entry is `Open`; `dead` counts those whose entry is `Dead`.

use rustc_hash::FxHashMap;

use super::tree::NodeId;
use crate::machine::{ByRole, JointMove, Move};

/// What is known of a joint move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Branch {
    Untried,
    Dead,
    Open(NodeId),
}

/// Masses are added up branch by branch below this size; above, one subtraction must do.
const SUMMED: u64 = 1 << 16;

#[derive(Debug)]
pub(super) struct Branches {
    /// The moves that each role may have made.
    moves: ByRole<Vec<Move>>,
    /// Their probabilities; `None` where all are alike.
    policy: Option<ByRole<Vec<f64>>>,
    /// |J|. (Products beyond 2^64 are cut there; such a node is never exhausted anyway.)
    count: u64,
    known: FxHashMap<u64, Branch>,
    open: Vec<(u64, NodeId)>,
    dead: u64,
    /// The step up to which every branch was last found dead or alive; 0 for never.
    pub(super) tested: usize,
    /// Whether some particle is finding that out.
    pub(super) testing: bool,
}

impl Branches {
    pub(super) fn new(moves: ByRole<Vec<Move>>, policy: Option<ByRole<Vec<f64>>>) -> Self {
        let count = moves.values().iter().fold(1_u64, |count, of| count.saturating_mul(of.len() as u64));
        let (known, open) = (FxHashMap::default(), Vec::new());
        let mut branches = Branches { moves, policy, count, known, open, dead: 0, tested: 0, testing: false };
        if branches.policy.is_some() {
            // What the model rules out is dead from the start.
            for index in (0..count).filter(|&index| branches.probability(index) <= 0.0).collect::<Vec<_>>() {
                branches.close(index);
            }
        }
        branches
    }

    /// |J|, the number of joint moves.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Whether no branch is left: A is empty.
    pub(super) fn is_barren(&self) -> bool {
        self.dead == self.count
    }

    /// Whether every branch has been tried.
    pub(super) fn is_tried(&self) -> bool {
        self.known.len() as u64 == self.count
    }

    /// Whether the model holds all joint moves equally probable.
    pub(super) fn is_uniform(&self) -> bool {
        self.policy.is_none()
    }

    pub(super) fn branch(&self, index: u64) -> Branch {
        self.known.get(&index).copied().unwrap_or(Branch::Untried)
    }

    /// The open branches, in the order in which they were found.
    pub(super) fn open(&self) -> &[(u64, NodeId)] {
        &self.open
    }

    /// The branches not yet tried, in order.
    pub(super) fn untried(&self) -> impl Iterator<Item = u64> {
        let all = if self.is_tried() { 0 } else { self.count };
        (0..all).filter(|&index| self.branch(index) == Branch::Untried)
    }

    pub(super) fn joint(&self, index: u64) -> JointMove {
        let mut rest = index;
        let mut joint: smallvec::SmallVec<[Move; 4]> = self.moves.values().iter().map(|of| of[0]).collect();
        for (own, moves) in joint.iter_mut().zip(self.moves.values()).rev() {
            *own = moves[(rest % moves.len() as u64) as usize];
            rest /= moves.len() as u64;
        }
        JointMove::new(joint)
    }

    /// The probability of a joint move, given the own move.
    pub(super) fn probability(&self, index: u64) -> f64 {
        let Some(policy) = &self.policy else { return 1.0 / self.count as f64 };
        let mut rest = index;
        let mut probability = 1.0;
        for of in policy.values().iter().rev() {
            probability *= of[(rest % of.len() as u64) as usize];
            rest /= of.len() as u64;
        }
        probability
    }

    /// The probability of the branches that are not dead: `|A|/|J|` under uniform opponents.
    pub(super) fn alive_mass(&self) -> f64 {
        if self.is_barren() {
            return 0.0;
        }
        if self.policy.is_none() {
            return (self.count - self.dead) as f64 / self.count as f64;
        }
        if self.count <= SUMMED {
            return (0..self.count)
                .filter(|&index| self.branch(index) != Branch::Dead)
                .map(|index| self.probability(index))
                .sum();
        }
        let dead: f64 = self
            .known
            .iter()
            .filter(|(_, branch)| **branch == Branch::Dead)
            .map(|(&index, _)| self.probability(index))
            .sum();
        1.0 - dead
    }

    /// Marks a branch as dead.
    pub(super) fn close(&mut self, index: u64) {
        match self.known.insert(index, Branch::Dead) {
            Some(Branch::Dead) => return,
            Some(Branch::Open(_)) => self.open.retain(|&(open, _)| open != index),
            Some(Branch::Untried) | None => {}
        }
        self.dead += 1;
    }

    /// Marks an untried branch as open.
    pub(super) fn set_open(&mut self, index: u64, child: NodeId) {
        self.known.insert(index, Branch::Open(child));
        self.open.push((index, child));
    }
}
