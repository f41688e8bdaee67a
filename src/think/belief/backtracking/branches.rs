//! The branches of a node: the joint moves J that agree with the own move, and what is known of each.
//!
//! A joint move is named by its position in J (the last role's move changes fastest), so nothing depends on the
//! numbers of terms. A branch is *untried*, *inconsistent* (it leads to no history that explains the evidence) or
//! *open* (its successor explains the evidence of its own step). Evidence only grows, so a branch stays inconsistent
//! for ever. The inconsistent branches are the set `bad` of `HyperPlay12`, keyed by the prefix because each node is
//! one. An open branch whose successor was dropped when the tree was [compacted](super::tree::Tree::compact) is
//! *forgotten*: it is known to explain its own step, and is expanded again when a particle goes there.
//!
//! There may be millions of branches. So what is known of up to [`LISTED`] branches takes four bytes each, and nodes
//! with the same moves share the list of them.
//!
//! Invariant: `inconsistent` counts the branches that are inconsistent, and `tried` those that are not untried.

use std::sync::Arc;

use rand::{Rng, RngExt};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::node_id::NodeId;
use crate::belief::model::OpponentModel;
use hyperplay_machine::{
    ByRole, ChanceDistribution, EvaluationFailure, Evidence, JointMove, Move, Role, StateMachine,
};

/// The knowledge about a joint move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::belief) enum Branch {
    /// There is no successor to go to; to be expanded.
    Untried,
    /// Nothing below it explains the evidence, or it contradicts its own step.
    Inconsistent,
    /// Its successor explains the evidence of its own step.
    Open(NodeId),
}

/// Masses are added up branch by branch below this size; above, one subtraction must do.
const SUMMED: u64 = 1 << 16;

/// Up to this number of branches stand in a list, more in a table of those that are known.
const LISTED: u64 = 1 << 12;

const UNTRIED: u32 = 0;
const INCONSISTENT: u32 = 1;
const FORGOTTEN: u32 = 2;
/// It explains its own step, and nothing below it explains the evidence.
const DEAD: u32 = 3;
/// The code of the first node.
const NODES: u32 = 4;

#[derive(Debug)]
enum Known {
    /// The code of every branch; empty while none is known.
    List(SmallVec<[u32; 4]>),
    /// The codes that are not `UNTRIED`.
    Table(Box<FxHashMap<u64, u32>>),
}

#[derive(Debug)]
pub(in crate::belief) struct Branches {
    /// The moves that each role may have made.
    moves: Arc<ByRole<Vec<Move>>>,
    /// Their probabilities; `None` where all are alike.
    policy: Option<Box<ByRole<Vec<f64>>>>,
    /// |J|. (Products beyond 2^64 are cut there; such a node is never exhausted anyway.)
    count: u64,
    known: Known,
    /// Those that are not open: contradicted or dead.
    inconsistent: u32,
    /// Those of them that are dead.
    dead: u32,
    tried: u32,
    /// The step for which every branch was last tested; 0 for never.
    pub(in crate::belief) tested_at: u32,
    /// Whether some particle is testing them.
    pub(in crate::belief) is_under_test: bool,
    /// Whether it is known that nothing below explains the evidence, though branches that explain their own step are
    /// not marked as inconsistent.
    pub(in crate::belief) is_hopeless: bool,
}

/// The probabilities of the legal moves of every role, under a model of all roles but `me`, whose distribution is known,
/// and the distribution of `random`; `None` where all joint moves are equally probable. `evidence` says what a role knows. A failure that the
/// model meets is left in `failure`, if there is none yet.
pub(in crate::belief) fn joint_policy<M: StateMachine>(
    machine: &M,
    model: &dyn OpponentModel,
    (me, own): (Role, ChanceDistribution),
    legal: &ByRole<Vec<Move>>,
    chance: &ChanceDistribution,
    evidence: impl Fn(Role) -> Evidence,
    failure: &mut Option<EvaluationFailure>,
) -> Option<Box<ByRole<Vec<f64>>>> {
    (!model.is_uniform() || !chance.is_uniform() || !own.is_uniform()).then(|| {
        Box::new(ByRole::from_fn(legal.len(), |role| {
            let moves = &legal[role];
            if Some(role) == machine.random() && role != me {
                chance.probabilities(moves.len())
            } else if role == me {
                own.probabilities(moves.len())
            } else if model.is_uniform() {
                vec![1.0 / moves.len() as f64; moves.len()]
            } else {
                let (policy, met) = model.policy_and_failure(role, &evidence(role), moves);
                *failure = failure.take().or(met);
                policy
            }
        }))
    })
}

impl Branches {
    pub(in crate::belief) fn new(
        moves: Arc<ByRole<Vec<Move>>>,
        policy: Option<Box<ByRole<Vec<f64>>>>,
    ) -> Self {
        let count = moves.values().iter().fold(1_u64, |count, of| count.saturating_mul(of.len() as u64));
        let known = if count <= LISTED { Known::List(SmallVec::new()) } else { Known::Table(Box::default()) };
        let mut branches = Branches {
            moves,
            policy,
            count,
            known,
            inconsistent: 0,
            dead: 0,
            tried: 0,
            tested_at: 0,
            is_under_test: false,
            is_hopeless: false,
        };
        if branches.policy.is_some() {
            // A branch that the model rules out is inconsistent from the start.
            for index in (0..count).filter(|&index| branches.probability(index) <= 0.0).collect::<Vec<_>>() {
                branches.mark_inconsistent(index);
            }
        }
        branches
    }

    /// One branch of which nothing is known.
    pub(in crate::belief) fn unknown() -> Self {
        Branches::new(Arc::default(), None)
    }

    fn code(&self, index: u64) -> u32 {
        match &self.known {
            Known::List(list) => list.get(index as usize).copied().unwrap_or(UNTRIED),
            Known::Table(table) => table.get(&index).copied().unwrap_or(UNTRIED),
        }
    }

    fn set(&mut self, index: u64, code: u32) {
        match (self.code(index), code) {
            (UNTRIED, UNTRIED) => return,
            (UNTRIED, _) => self.tried += 1,
            _ => {}
        }
        match &mut self.known {
            Known::List(list) => {
                if list.is_empty() {
                    list.reserve_exact(self.count as usize);
                    list.resize(self.count as usize, UNTRIED);
                }
                list[index as usize] = code;
            }
            Known::Table(table) => {
                table.insert(index, code);
            }
        }
    }

    /// |J|, the number of joint moves.
    pub(in crate::belief) fn count(&self) -> u64 {
        self.count
    }

    /// Whether no branch is left: A is empty.
    pub(in crate::belief) fn is_exhausted(&self) -> bool {
        u64::from(self.inconsistent) == self.count
    }

    /// Whether every branch has been tried.
    pub(in crate::belief) fn is_tried(&self) -> bool {
        u64::from(self.tried) == self.count
    }

    /// Whether the model holds all joint moves equally probable.
    pub(in crate::belief) fn is_uniform(&self) -> bool {
        self.policy.is_none()
    }

    pub(in crate::belief) fn branch(&self, index: u64) -> Branch {
        match self.code(index) {
            UNTRIED | FORGOTTEN => Branch::Untried,
            INCONSISTENT | DEAD => Branch::Inconsistent,
            code => Branch::Open(NodeId::numbered((code - NODES) as usize)),
        }
    }

    /// The open branches that have a successor, in order.
    pub(in crate::belief) fn open(&self) -> Vec<(u64, NodeId)> {
        let node = |(index, code): (u64, u32)| {
            (code >= NODES).then(|| (index, NodeId::numbered((code - NODES) as usize)))
        };
        match &self.known {
            Known::List(list) => (0..).zip(list.iter().copied()).filter_map(node).collect(),
            Known::Table(table) => {
                let mut open: Vec<(u64, NodeId)> =
                    table.iter().map(|(&index, &code)| (index, code)).filter_map(node).collect();
                open.sort_unstable();
                open
            }
        }
    }

    /// The branches not yet tried, in order.
    pub(in crate::belief) fn untried(&self) -> impl Iterator<Item = u64> {
        let all = if self.is_tried() { 0 } else { self.count };
        (0..all).filter(|&index| self.code(index) == UNTRIED)
    }

    /// The branches without a successor that are not inconsistent, in order: those untried or forgotten.
    pub(in crate::belief) fn missing(&self) -> impl Iterator<Item = u64> {
        (0..self.count).filter(|&index| matches!(self.code(index), UNTRIED | FORGOTTEN))
    }

    /// Gives every successor the number that it has now, or forgets it.
    pub(in crate::belief) fn renumber(&mut self, number: impl Fn(NodeId) -> Option<NodeId>) {
        let renumber = |code: &mut u32| {
            if *code >= NODES {
                let now = number(NodeId::numbered((*code - NODES) as usize));
                *code = now.map_or(FORGOTTEN, |node| node.number() as u32 + NODES);
            }
        };
        match &mut self.known {
            Known::List(list) => list.iter_mut().for_each(renumber),
            Known::Table(table) => table.values_mut().for_each(renumber),
        }
    }

    pub(in crate::belief) fn joint(&self, index: u64) -> JointMove {
        let mut rest = index;
        let mut joint: SmallVec<[Move; 4]> = self.moves.values().iter().map(|of| of[0]).collect();
        for (own, moves) in joint.iter_mut().zip(self.moves.values()).rev() {
            *own = moves[(rest % moves.len() as u64) as usize];
            rest /= moves.len() as u64;
        }
        JointMove::new(joint)
    }

    /// The number of a joint move that is legal here.
    pub(in crate::belief) fn index_of(&self, joint: &JointMove) -> u64 {
        self.moves.values().iter().zip(joint.iter()).fold(0, |index, (moves, own)| {
            let place = moves.iter().position(|other| other == own);
            index * moves.len() as u64 + place.expect("the move of a history is legal") as u64
        })
    }

    /// The probability of a joint move, given the own move.
    pub(in crate::belief) fn probability(&self, index: u64) -> f64 {
        let Some(policy) = &self.policy else { return 1.0 / self.count as f64 };
        let mut rest = index;
        let mut probability = 1.0;
        for of in policy.values().iter().rev() {
            probability *= of[(rest % of.len() as u64) as usize];
            rest /= of.len() as u64;
        }
        probability
    }

    /// The probability of the branches that are not inconsistent: `|A|/|J|` under uniform opponents.
    pub(in crate::belief) fn consistent_mass(&self) -> f64 {
        if self.is_exhausted() {
            return 0.0;
        }
        if self.policy.is_none() {
            return (self.count - u64::from(self.inconsistent)) as f64 / self.count as f64;
        }
        if self.count <= SUMMED {
            return (0..self.count)
                .filter(|&index| self.branch(index) != Branch::Inconsistent)
                .map(|index| self.probability(index))
                .sum();
        }
        let Known::Table(table) = &self.known else { return 0.0 };
        let mut inconsistent: Vec<u64> = table
            .iter()
            .filter(|&(_, &code)| matches!(code, INCONSISTENT | DEAD))
            .map(|(&index, _)| index)
            .collect();
        inconsistent.sort_unstable();
        let mass: f64 = inconsistent.into_iter().map(|index| self.probability(index)).sum();
        1.0 - mass
    }

    /// Draws any branch, inconsistent or not, by its probability; `None` if there is none.
    pub(in crate::belief) fn draw(&self, rng: &mut impl Rng) -> Option<u64> {
        (self.count > 0).then(|| {
            if self.is_uniform() {
                return rng.random_range(0..self.count);
            }
            let mut left: f64 = rng.random();
            (0..self.count)
                .find(|&index| {
                    left -= self.probability(index);
                    left < 0.0
                })
                .unwrap_or(0)
        })
    }

    /// The probability of the branches that explain their own step, all of which have been tried. It is a function of
    /// the node alone: nothing that was found out below it counts.
    pub(in crate::belief) fn own_mass(&self) -> f64 {
        if self.policy.is_none() {
            let contradicted = self.inconsistent - self.dead;
            return (self.count - u64::from(contradicted)) as f64 / self.count as f64;
        }
        self.own_consistent().map(|index| self.probability(index)).sum()
    }

    /// The branches that are not known to contradict their own step.
    fn own_consistent(&self) -> impl Iterator<Item = u64> {
        (0..self.count).filter(|&index| self.code(index) != INCONSISTENT)
    }

    /// Draws one of the branches that explain their own step by its probability, where all have been tried.
    pub(in crate::belief) fn draw_own_consistent(&self, rng: &mut impl Rng) -> Option<u64> {
        let mut left = if self.is_uniform() {
            rng.random_range(0.0..1.0) * (self.count - u64::from(self.inconsistent - self.dead)) as f64
        } else {
            rng.random::<f64>() * self.own_mass()
        };
        let mut last = None;
        for index in self.own_consistent() {
            last = Some(index);
            left -= if self.is_uniform() { 1.0 } else { self.probability(index) };
            if left < 0.0 {
                break;
            }
        }
        last
    }

    /// Marks a branch as contradicting its own step, or as excluded by the model.
    pub(in crate::belief) fn mark_inconsistent(&mut self, index: u64) {
        if !matches!(self.code(index), INCONSISTENT | DEAD) {
            self.set(index, INCONSISTENT);
            self.inconsistent += 1;
        }
    }

    /// Marks a branch that explains its own step as leading nowhere.
    pub(in crate::belief) fn mark_dead(&mut self, index: u64) {
        if !matches!(self.code(index), INCONSISTENT | DEAD) {
            self.set(index, DEAD);
            self.inconsistent += 1;
            self.dead += 1;
        }
    }

    /// Marks a branch without a successor as open.
    pub(in crate::belief) fn set_open(&mut self, index: u64, child: NodeId) {
        let number = u32::try_from(child.number()).ok().and_then(|number| number.checked_add(NODES));
        self.set(index, number.expect("memory ends long before 2^32 histories"));
    }
}
