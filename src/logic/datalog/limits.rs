//! Limits: bounds on one evaluation, so that no program runs for ever or fills the memory.
//!
//! Validation guarantees that finitely many atoms are derived, not that they are few: a rule may ask for 2^100 tuples,
//! for terms that double with every step of a match, or for a join without end. Each bound is far beyond what the
//! games of the field need and met within about a minute.

use thiserror::Error;

/// Bounds on one evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Tuples that one relation may hold.
    pub tuples: usize,
    /// Terms that the tuples of one relation may hold together.
    pub cells: usize,
    /// How deep a derived term may be nested.
    pub depth: u32,
    /// How many names a derived term may consist of.
    pub size: u32,
    /// Rows that one run of a rule may look at.
    pub visits: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { tuples: 20_000_000, cells: 100_000_000, depth: 100, size: 100_000, visits: 2_000_000_000 }
    }
}

impl Limits {
    /// Tuples that a relation of this arity may hold.
    pub(super) fn tuples_of(&self, arity: usize) -> usize {
        self.tuples.min(self.cells / arity.max(1))
    }
}

/// Which limit was met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trouble {
    Tuples,
    Depth,
    Size,
    Visits,
}

/// An evaluation met a limit.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LimitError {
    /// Too many tuples.
    #[error("the relation `{relation}` holds more than {limit} tuples (last rule: {rule})")]
    Tuples {
        /// The relation.
        relation: String,
        /// The limit.
        limit: usize,
        /// The rule that derived the last one.
        rule: String,
    },
    /// Too deep a term.
    #[error("the relation `{relation}` holds terms nested deeper than {limit} (last rule: {rule})")]
    Depth {
        /// The relation.
        relation: String,
        /// The limit.
        limit: u32,
        /// The rule that derived the last one.
        rule: String,
    },
    /// Too large a term.
    #[error("the relation `{relation}` holds terms of more than {limit} names (last rule: {rule})")]
    Size {
        /// The relation.
        relation: String,
        /// The limit.
        limit: u32,
        /// The rule that derived the last one.
        rule: String,
    },
    /// Too long a search.
    #[error("more than {limit} tuples were looked at to derive `{relation}` (rule: {rule})")]
    Visits {
        /// The relation.
        relation: String,
        /// The limit.
        limit: u64,
        /// The rule.
        rule: String,
    },
}
