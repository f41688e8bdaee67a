//! Terms: variables, constants and compound terms, as they stand in a rulesheet.
//!
//! The symbols of a term belong to the [`Symbols`](super::Symbols) of its rulesheet. A compound term has at least one
//! argument: `(f)` is read as the constant `f`. Ground terms that occur in play are kept in a
//! [`TermStore`](super::TermStore).
//!
//! Invariant: terms are at most `MAX_DEPTH` (200) levels deep, so recursion over a term is safe.

use super::symbol::Symbol;

/// The readers refuse text that is nested more deeply than this.
pub const MAX_DEPTH: usize = 200;

/// A term of the language.
///
/// ```
/// use hyperplay_logic::gdl::{Source, Term, read};
///
/// let (sheet, _) = read(Source::new("t.kif", "(cell (at 1 ?y) b)"), None);
/// let [position, mark] = &sheet.clauses[0].head.arguments[..] else { panic!("two arguments") };
/// assert!(matches!(position, Term::Compound(_, arguments) if arguments.len() == 2));
/// assert_eq!(*mark, Term::Constant(sheet.symbols.get("b").unwrap()));
/// assert!(!position.may_unify(mark));
/// ```
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
        self.all_variables(&|_| false)
    }

    /// The arguments; a variable or a constant has none.
    pub fn arguments(&self) -> &[Term] {
        match self {
            Term::Variable(_) | Term::Constant(_) => &[],
            Term::Compound(_, arguments) => arguments,
        }
    }

    /// The name and the number of arguments; a variable has none.
    pub fn functor(&self) -> Option<(Symbol, usize)> {
        match self {
            Term::Variable(_) => None,
            Term::Constant(name) | Term::Compound(name, _) => Some((*name, self.arguments().len())),
        }
    }

    /// The term with another term in the place of each variable.
    #[must_use]
    pub fn replacing(&self, by: &mut dyn FnMut(Symbol) -> Term) -> Term {
        match self {
            Term::Variable(variable) => by(*variable),
            Term::Constant(_) => self.clone(),
            Term::Compound(functor, arguments) => {
                Term::Compound(*functor, arguments.iter().map(|argument| argument.replacing(by)).collect())
            }
        }
    }

    /// Whether all variables of the term are of a kind.
    pub fn all_variables(&self, are: &dyn Fn(Symbol) -> bool) -> bool {
        let mut all = true;
        self.each_variable(&mut |variable| all &= are(variable));
        all
    }

    /// Calls `visit` for every occurrence of a variable, from left to right.
    pub fn each_variable(&self, visit: &mut dyn FnMut(Symbol)) {
        match self {
            Term::Variable(variable) => visit(*variable),
            term => term.arguments().iter().for_each(|argument| argument.each_variable(visit)),
        }
    }

    /// Every occurrence of a variable, from left to right.
    pub fn variables(&self) -> Vec<Symbol> {
        let mut variables = Vec::new();
        self.each_variable(&mut |variable| variables.push(variable));
        variables
    }

    /// Whether two terms may have a common instance. The variables of the two terms are taken to be different, and each
    /// occurrence is treated on its own, so the answer may be true although a repeated variable rules it out.
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
