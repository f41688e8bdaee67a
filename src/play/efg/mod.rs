//! Layer 4, the extensive form: information sets counted from the rules of a game, and games written down as trees.
//!
//! [`extent`] counts the histories and information sets of a machine. [`GambitFile`] is a game as a tree, in the file
//! format of Gambit; it knows no machine.

mod extent;
mod gambit;

pub use extent::{CountError, Extent, extent, extent_until};
pub use gambit::{
    Fraction, GambitBuilder, GambitCause, GambitChance, GambitChanceId, GambitError, GambitFile, GambitKif,
    GambitNode, GambitOutcomeId, GambitPlace, GambitSet, GambitSetId, GoalScale, KifError, KifOptions,
    to_kif,
};
