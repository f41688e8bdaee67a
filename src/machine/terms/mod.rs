//! Ground terms: the names of moves, percepts and fluents.
//!
//! A [`Symbol`] is an interned name, a [`Term`] a tree of names and variables as it stands in a rulesheet, and a
//! [`TermId`] a ground term that occurs in play. All engines of a game share one [`TermStore`], so an id means the same
//! to each of them.

mod store;
mod symbol;
mod term;

pub use store::{TermId, TermStore};
pub use symbol::{Symbol, Symbols, fold};
pub use term::{MAX_DEPTH, Term};
