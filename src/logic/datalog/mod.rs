//! Layer 1a, evaluation: stratified, semi-naive Datalog with function symbols.
//!
//! Three nouns: a [`Program`] is rules, ordered and compiled once; a [`Relation`] is a set of tuples; a [`Database`]
//! is the relations of a program for given inputs, derived on demand. There is no game word here: what is an input
//! and at which stage is the caller's business.
//!
//! Termination: validation guarantees finitely many derivable atoms for a rulesheet within GDL's recursion
//! restriction; typed limits guard the rest.
//!
//! Third-party: `petgraph` (strongly connected components), `hashbrown`, `rustc-hash`, `smallvec` (hot tables).

mod database;
mod functions;
mod limits;
mod order;
mod plan;
mod program;
mod proofs;
mod relation;
mod saturate;
#[cfg(test)]
mod tests;
mod walk;

pub use database::Database;
pub use functions::Functions;
pub use limits::{LimitError, Limits};
pub use plan::RelationId;
pub use program::{Program, Stage};
pub use relation::Relation;
pub use saturate::{Allowance, Condition};
