//! Layer 0, the language: from text to a validated game.
//!
//! ```text
//! text --kif | infix--> Rulesheet --validate--> Game
//!                       (places)    (findings)
//! ```
//!
//! Trust has a type: a [`Rulesheet`] is parsed and nothing more; a [`Game`] has passed validation. The stages below
//! see only `Game`s. Definitions: Love, Hinrichs, Haley, Schkufza, Genesereth, *General Game Playing: Game
//! Description Language Specification* (2008); Thielscher, *GDL-II* (2011); see `docs/REFERENCES.md`.

mod depend;
mod finding;
mod game;
mod hash;
mod infix;
mod kif;
mod load;
mod normal;
mod print;
mod read;
mod render;
mod rule;
mod rulesheet;
mod source;
mod store;
mod suggest;
mod symbol;
mod term;
mod validate;

pub use depend::{Dependencies, Dependency};
pub use finding::{Code, Finding, Severity};
pub use game::Game;
pub use hash::{rules_hash, text_hash};
pub use load::{Loaded, load};
pub use print::{print, print_rule, print_term};
pub use read::{MAX_TEXT, read};
pub use render::render;
pub use rule::{Atom, Clause, Formula, Literal, Rule};
pub use rulesheet::{Rulesheet, Syntax};
pub use source::{At, Source, Span};
pub use store::{TermId, TermStore};
pub use symbol::{Symbol, Symbols, fold};
pub use term::{MAX_DEPTH, Term};
pub use validate::validate;
