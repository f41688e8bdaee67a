//! Rulesheet: parsed GDL text, untrusted.
//!
//! A rulesheet is what a reader made of a text; nothing has been checked beyond the syntax. Only
//! [`validate`](super::validate()) turns it into a [`Game`](super::Game), and nothing below `gdl` ever sees one.

use super::rule::Clause;
use super::source::Source;
use super::symbol::Symbols;

/// The two ways to write GDL.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Syntax {
    /// Prefix KIF: `(<= (head ?x) (body ?x))`.
    Kif,
    /// The infix form of the lectures: `head(X) :- body(X)`.
    Infix,
}

/// Parsed GDL text with its names.
#[derive(Clone, Debug)]
pub struct Rulesheet {
    /// The text it came from.
    pub source: Source,
    /// How the text is written.
    pub syntax: Syntax,
    /// The names of the text.
    pub symbols: Symbols,
    /// The clauses, in the order of the text.
    pub clauses: Vec<Clause>,
}
