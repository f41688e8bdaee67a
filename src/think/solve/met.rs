//! What solvers without a complete tree have in common: which positions they can work on, and their policies by evidence.

use thiserror::Error;

use super::profile::Profile;
use super::tree::{GameTree, TreeError};
use crate::tree::{Chooser, Positions, SetMoves};
use hyperplay_machine::{Bulk, Evidence, Move, PLAYOUT_STEPS, Role};

/// What an iteration gives if it is finished.
pub type Sampled<T = ()> = Result<T, SamplingError>;

/// Why an iteration was not finished.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum SamplingError {
    /// The iteration met something that has no place in a tree either.
    #[error(transparent)]
    Rules(#[from] TreeError),
    /// A traversal that tries all own moves does not end within this number of nodes.
    #[error(
        "one iteration of external sampling, which tries every own move, visits more than {0} nodes; use outcome \
         sampling"
    )]
    TooWide(u64),
    /// There are too many joint moves in the step after this number of steps.
    #[error("after {0} steps there are 2^64 joint moves or more")]
    TooManyJointMoves(usize),
}

/// The average policy of a role at an information set that was met.
#[derive(Clone, PartialEq, Debug)]
pub struct SampledPolicy<'a> {
    /// Whose.
    pub role: Role,
    /// Its evidence there.
    pub evidence: Evidence,
    /// Its legal moves, in natural order.
    pub moves: &'a [Move],
    /// Their probabilities.
    pub probabilities: Vec<f64>,
}

/// Whether there can be a solver on a position that was met after this number of steps.
///
/// # Errors
/// If the game has no extensive form here, or the choices of the position cannot be counted.
pub(super) fn check<M: Bulk>(machine: &M, tree: &Positions<M>, position: u32, step: u32) -> Sampled {
    if step as usize >= PLAYOUT_STEPS {
        return Err(TreeError::Endless(step as usize).into());
    }
    if tree.is_too_wide {
        return Err(SamplingError::TooManyJointMoves(step as usize));
    }
    let sets = &tree.sets;
    let Some(chooser) = tree.choosers(position).iter().find(|chooser| chooser.is_named()) else {
        return Ok(());
    };
    let &Chooser { role, set, .. } = chooser;
    let other: Vec<Move> = chooser.numbers(sets).map(|number| sets.moves()[number as usize]).collect();
    Err(TreeError::moves_differ(machine, Role::new(role as usize), step, [sets.of(set), &other]).into())
}

/// The average policies of a solver: `average` gives the shares of the moves of a set, which sum to 1.
pub(super) struct Averages<'a, M: Bulk, F: Fn(SetMoves) -> Vec<f64>> {
    pub(super) tree: &'a Positions<M>,
    pub(super) average: F,
}

impl<'a, M: Bulk, F: Fn(SetMoves) -> Vec<f64>> Averages<'a, M, F> {
    /// After some evidence: the moves there, and their probabilities; `None` where it was not met.
    pub(super) fn policy(&self, evidence: &Evidence) -> Option<(&'a [Move], Vec<f64>)> {
        let set = self.tree.set(evidence)?;
        Some((self.tree.sets.of(set), (self.average)(self.tree.sets.list()[set as usize])))
    }

    /// At all information sets that were met, in the order in which they were.
    pub(super) fn policies(self) -> impl Iterator<Item = SampledPolicy<'a>> {
        let Averages { tree, average } = self;
        let origins = (0..).zip(tree.sets.origins()).filter(|(_, (role, _))| role.index() < tree.roles());
        origins.map(move |(set, (role, class))| SampledPolicy {
            role,
            evidence: tree.evidence(role, class),
            moves: tree.sets.of(set),
            probabilities: average(tree.sets.list()[set as usize]),
        })
    }

    /// As a profile of the tree of the same game, for judgement; even where none was met.
    pub(super) fn to_profile(&self, tree: &GameTree) -> Profile {
        Profile::from_fn(tree, |set, moves| {
            let met = self.policy(&tree.evidence(&tree.sets()[set]));
            met.map_or_else(|| vec![1.0; moves.len()], |(_, shares)| shares)
        })
    }
}
