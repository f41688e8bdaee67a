//! The language: from text to a validated game.
//!
//! ```text
//! text --kif | infix--> Rulesheet --validate--> Game
//!                       (places)    (findings)
//! ```
//!
//! There are two types for the two levels of trust. A [`Rulesheet`] has been parsed, but nothing else is known about
//! it. A [`Game`] has passed validation. All later stages work with a `Game`. The faults of a text, and all else worth
//! mentioning, are reported as a list of [`Finding`]s.
//!
//! The definitions are those of Love, Hinrichs, Haley, Schkufza, Genesereth, *General Game Playing: Game Description
//! Language Specification* (2008) and Thielscher, *GDL-II* (2011); see `docs/REFERENCES.md`.
//!
//! ```
//! use hyperplay_logic::gdl::{FindingCode, Severity, Source, load};
//!
//! let loaded = load(Source::new("bad.kif", "(role x) (init s) (legal x ?m) (goal x 100) (<= terminal (true s))"), None);
//! assert!(loaded.game.is_none());
//! assert_eq!(loaded.findings.len(), 1);
//! assert_eq!(loaded.findings[0].code, FindingCode::FactWithVariable);
//! assert_eq!(loaded.findings[0].severity, Severity::Error);
//! ```

mod anonymous;
mod collector;
mod depend;
mod depth;
mod dialect;
mod domains;
mod finding;
mod game;
mod graphviz;
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
mod stratify;
mod suggest;
mod validate;

pub use depend::Dependencies;
pub use domains::PositionDomains;
pub use finding::{Finding, FindingCode, Severity};
pub use game::{Game, Language};
pub use graphviz::DotGraph;
pub use hash::{rules_hash, sha256, text_hash};
pub use hyperplay_machine::terms::{Symbol, Symbols, Term, TermId, TermStore, fold};
pub use load::{Loaded, load};
pub use print::{print, print_rule, print_term};
pub use read::{MAX_TEXT, read};
pub use render::render;
pub use rule::{Atom, Clause, Formula, Literal, Rule};
pub use rulesheet::{Rulesheet, Syntax};
pub use source::{At, Source, Span};
pub use suggest::{did_you_mean, nearest_names};

/// The parts that a reader of another language shares with the readers of GDL.
pub mod reading {
    pub use super::anonymous::{AnonymousVariables, is_anonymous};
    pub use super::collector::FindingCollector;
    pub use super::depth::{is_within_depth, too_deep};
    pub use super::finding::sort;
    pub use super::source::is_blank;
    pub use hyperplay_machine::terms::MAX_DEPTH;
}
