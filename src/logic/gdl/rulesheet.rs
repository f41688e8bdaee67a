//! Rulesheets: GDL text that has been parsed, but not validated.
//!
//! A rulesheet is the result of a reader; only its syntax has been checked. Validation, as part of
//! [`load`](super::load()), turns it into a [`Game`](super::Game). Engines never work with a rulesheet.

use super::{Clause, Source, Span};
use hyperplay_machine::terms::{Symbol, Symbols};

/// The two syntaxes of GDL. The example is at [`print`](super::print()).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Syntax {
    /// Prefix KIF: `(<= (head ?x) (body ?x))`.
    Kif,
    /// The infix form: `head(X) :- body(X)`.
    Infix,
}

/// GDL text that has been parsed, with its names. The example is at [`read`](super::read()).
#[derive(Clone, Debug)]
pub struct Rulesheet {
    /// The text that the rulesheet came from.
    pub source: Source,
    /// The syntax of the text.
    pub syntax: Syntax,
    /// The names of the text.
    pub symbols: Symbols,
    /// The clauses, in the order of the text.
    pub clauses: Vec<Clause>,
    /// The clauses of `base`, `input` and `percept` that could not be read. If no rule of play reads a declaration,
    /// they are ignored, and the other clauses are a game.
    pub unread: Vec<(Symbol, Span)>,
}
