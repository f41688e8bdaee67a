//! Evaluation: stratified, semi-naive Datalog with function symbols.
//!
//! There are three main types. A [`DatalogProgram`] is a list of rules, ordered and compiled once. A [`Relation`] is a
//! set of tuples. A [`Database`] holds the relations of a program for given inputs and derives them on demand. This
//! module knows nothing about games: the caller decides which relations are inputs, and at which stage.
//!
//! Evaluation terminates. For a rulesheet within GDL's recursion restriction, validation guarantees that finitely many
//! atoms can be derived; typed limits ([`EvaluationLimits`]) stop an evaluation that would take too long or too much
//! memory. The method is described in Ullman 1988, chapter 3 (`docs/REFERENCES.md`).
//!
//! Third-party crates: `petgraph` (strongly connected components); `hashbrown`, `rustc-hash` and `smallvec` (hash
//! tables and small vectors).
//!
//! ```
//! use hyperplay_logic::datalog::{Database, DatalogProgram};
//! use hyperplay_logic::gdl::{Source, load};
//!
//! let text = "(role r) (legal r noop) (goal r 1) terminal (edge a b) (edge b c)
//!     (<= (path ?x ?y) (edge ?x ?y))
//!     (<= (path ?x ?z) (path ?x ?y) (edge ?y ?z))";
//! let game = load(Source::new("example", text), None).game.unwrap();
//! let terms = game.terms();
//!
//! let mut program = DatalogProgram::new(game.rules().to_vec(), &[]);
//! let path = program.relation(terms.symbols().get("path").unwrap()).unwrap();
//! let mut database = Database::new(&program, None);
//! database.plan(&mut program, path, false, terms).unwrap();
//!
//! let [a, c] = ["a", "c"].map(|name| terms.read(name).unwrap());
//! assert_eq!(database.relation(path, &program).len(), 3);
//! assert!(database.relation(path, &program).contains(&[a, c]));
//! ```

mod database;
mod demand;
mod evaluate;
mod functional;
mod limits;
mod order;
mod plan;
mod planning;
mod program;
mod relation;
mod saturate;
mod tabling;
#[cfg(test)]
mod tests;
mod walk;

pub use database::Database;
pub use demand::{DemandRequest, Demanded};
pub use functional::FunctionalDependencies;
pub use limits::{EvaluationLimits, EvaluationWork, LimitError, LimitExceeded, LimitResult, SAMPLED_VISITS};
pub use plan::RelationId;
pub use program::{DatalogProgram, Stage};
pub use relation::Relation;
pub use saturate::{Allowance, Condition};
