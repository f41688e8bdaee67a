//! Why a game cannot be sampled.

use thiserror::Error;

use super::super::tree::TreeError;

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
    #[error("after {0} steps there are more than 2^64 joint moves")]
    TooManyJointMoves(usize),
}
