//! Tree: the arena in which a tree over a game grows, whatever is learnt in it.
//!
//! [`EvidenceClasses`] number what a role knows, [`Positions`] are the states in the tree with what every role knows
//! there, and [`InformationSets`] are the classes in which a role has a choice. Nothing here is a statistic: a search or
//! a solver keeps its own, by the numbers of sets and moves.

mod classes;
mod leaves;
mod positions;
mod sets;

pub(crate) use classes::{EvidenceClasses, Numbered, PerceptSets};
pub use leaves::{LeafValues, RandomPlayouts};
pub(crate) use positions::{CHANCE, Chooser, Following, Positions, UNEVEN_CHANCE};
pub(crate) use sets::{InformationSets, NAMED, SetMoves};
