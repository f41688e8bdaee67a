//! The extensive form: a game as a tree with information sets, its judgement and its equilibria.
//!
//! [`GameTree`] holds all histories of a game, in flat arrays. [`SequenceForm`] says the same by sequences of own
//! moves, and is what all mathematics here works on: values, best responses and [`NashConv`](Verdict::nash_conv) of any
//! [`Profile`] of policies, the regret minimisers of [`solve()`], and the linear program. [`MonteCarloMinimiser`]
//! samples the game and needs no tree. [`estimate_size`] says how large a tree would be.
//!
//! A step of a game is a sequence of decisions here: first `random`, then the other roles in role order, none of whom
//! sees what the others choose in that step. An information set is the evidence of its role: own moves and percepts
//! step by step. So every tree has perfect recall.
//!
//! Reference: von Stengel, *Efficient Computation of Behavior Strategies* (1996); Thielscher, *GDL-II* (2011),
//! section 4.
//!
//! Third-party: `hashbrown` (evidence by hash), `rayon` (parts of an iteration side by side), `clarabel` and
//! `amd` (the linear program: an interior point method, and the order of its elimination).

mod estimate;
mod growing;
mod judge;
#[cfg(feature = "lp")]
mod linear_program;
mod met;
mod move_values;
mod profile;
mod regret;
mod sampling;
mod sequences;
mod size_estimate;
mod solver;
mod tree;

pub use estimate::{estimate_size, estimate_size_until};
pub use growing::{
    Alternative, Blueprint, FoundState, GadgetKind, GrowingMinimiser, GrowingOptions, Policy, Subgame,
};
pub use judge::Verdict;
#[cfg(feature = "lp")]
pub use linear_program::{LinearProgramError, linear_program};
pub use met::{Sampled, SampledPolicy, SamplingError};
pub use move_values::{MoveValues, node_values};
pub use profile::Profile;
pub use regret::{CheckpointError, RegretCheckpoint, RegretMinimiser, RegretRule};
pub use sampling::{AimOptions, MonteCarloMinimiser, SamplingScheme};
pub use sequences::SequenceForm;
pub use size_estimate::SizeEstimate;
pub use solver::{SolveLimits, SolvePoint, SolvedProfile, solve};
pub use tree::{
    EvidenceIndex, GameTree, InformationSet, NodeKind, TreeError, TreeFault, TreeFaultKind, TreeLimits,
    TreeSize,
};
