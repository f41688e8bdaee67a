//! Terms: variables, constants and compound terms, as they stand in a rulesheet.
//!
//! A term names its symbols in the [`Symbols`](super::Symbols) of its rulesheet. A compound term has at least one
//! argument: `(f)` is read as the constant `f`. Ground terms met at play live in a [`TermStore`](super::TermStore).
//!
//! Invariant: terms are at most [`MAX_DEPTH`] deep, so recursion over a term is safe.

use super::symbol::Symbol;

/// The readers refuse text nested deeper than this.
pub const MAX_DEPTH: usize = 200;

/// A term of the language.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// `?x` in KIF, `X` in the infix form; the symbol is the name without the mark.
    Variable(Symbol),
    /// A name or a number.
    Constant(Symbol),
    /// A functor with one or more arguments.
    Compound(Symbol, Box<[Term]>),
}

impl Term {
    /// A compound term, or the constant when there is no argument.
    pub fn new(functor: Symbol, arguments: Vec<Term>) -> Term {
        if arguments.is_empty() { Term::Constant(functor) } else { Term::Compound(functor, arguments.into()) }
    }

    /// Whether no variable occurs in the term.
    pub fn is_ground(&self) -> bool {
        match self {
            Term::Variable(_) => false,
            Term::Constant(_) => true,
            Term::Compound(_, arguments) => arguments.iter().all(Term::is_ground),
        }
    }

    /// Calls `visit` for every variable occurrence, from left to right.
    pub fn each_variable(&self, visit: &mut impl FnMut(Symbol)) {
        match self {
            Term::Variable(variable) => visit(*variable),
            Term::Constant(_) => {}
            Term::Compound(_, arguments) => {
                arguments.iter().for_each(|argument| argument.each_variable(visit))
            }
        }
    }

    /// Whether two terms have a common instance, reading their variables apart (and each occurrence on its own, so
    /// the answer may be `true` where a repeated variable forbids it).
    pub fn may_unify(&self, other: &Term) -> bool {
        match (self, other) {
            (Term::Variable(_), _) | (_, Term::Variable(_)) => true,
            (Term::Constant(a), Term::Constant(b)) => a == b,
            (Term::Compound(f, xs), Term::Compound(g, ys)) => {
                f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| x.may_unify(y))
            }
            _ => false,
        }
    }
}
