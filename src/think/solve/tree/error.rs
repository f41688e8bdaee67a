//! Why a game has no tree here.

use thiserror::Error;

use super::super::size_estimate::SizeEstimate;
use super::fault::TreeFault;
use hyperplay_machine::{EvaluationFailure, Move, Role, StateMachine, StateMachineExt};

/// Why a tree could not be built.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum TreeError {
    /// It has more nodes.
    #[error("the game tree has more than {limit} nodes: {estimate}")]
    TooLarge {
        /// The limit on nodes.
        limit: usize,
        /// How large it probably is.
        estimate: SizeEstimate,
    },
    /// A match may go on for ever, or for longer than any playout.
    #[error("a history of {0} steps is not over; the game may never end, and its tree is not finite")]
    Endless(usize),
    /// The legal moves of a role differ between histories that it cannot tell apart.
    #[error(
        "after {step} steps the legal moves of the role '{role}' depend on what it does not know: ({one}) in one \
         history, ({other}) in another with the same evidence; let it see what decides them"
    )]
    MovesDiffer {
        /// The role.
        role: String,
        /// Steps made.
        step: usize,
        /// The moves in one history.
        one: String,
        /// The moves in the other.
        other: String,
    },
    /// The rules have a fault, and none is allowed.
    #[error("the rules have a fault: {0}")]
    Faulty(TreeFault),
    /// The caller asked it to stop.
    #[error("the game tree was not finished: the time is over or it was interrupted")]
    Stopped,
    /// The rules could not be evaluated.
    #[error(transparent)]
    Failed(#[from] EvaluationFailure),
}

impl TreeError {
    /// The error that a role has these legal moves in one history, and others in one that it cannot tell apart.
    pub(in crate::solve) fn moves_differ<M: StateMachine>(
        machine: &M,
        role: Role,
        step: u32,
        moves: [&[Move]; 2],
    ) -> TreeError {
        let show = |moves: &[Move]| {
            moves.iter().map(|&own| machine.show_move(own)).collect::<Vec<String>>().join(" ")
        };
        let [one, other] = moves.map(show);
        TreeError::MovesDiffer { role: machine.roles()[role].clone(), step: step as usize, one, other }
    }
}
