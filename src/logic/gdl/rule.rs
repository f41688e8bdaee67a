//! Clauses as they are written, and rules as they are meant.
//!
//! A [`Clause`] is one fact or rule of the text, its body a tree of formulas with their places. A [`Rule`] is what
//! the stages below validation see: a head and a flat list of literals, every disjunction multiplied out.

use super::source::At;
use super::symbol::Symbol;
use super::term::Term;

/// A relation applied to terms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Atom {
    /// The relation.
    pub relation: Symbol,
    /// Its arguments, possibly none.
    pub arguments: Vec<Term>,
    /// Where it stands.
    pub at: At,
}

impl Atom {
    /// Calls `visit` for every variable occurrence, from left to right.
    pub fn each_variable(&self, visit: &mut impl FnMut(Symbol)) {
        self.arguments.iter().for_each(|argument| argument.each_variable(visit));
    }

    /// Whether no variable occurs in the atom.
    pub fn is_ground(&self) -> bool {
        self.arguments.iter().all(Term::is_ground)
    }
}

/// A condition in the body of a clause, as written.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Formula {
    /// `(p a ?x)`
    Atom(Atom),
    /// `(distinct ?x ?y)`
    Distinct(Term, Term, At),
    /// `(not f)`
    Not(Box<Formula>, At),
    /// `(and f g ...)`; true when empty.
    And(Vec<Formula>, At),
    /// `(or f g ...)`; false when empty.
    Or(Vec<Formula>, At),
}

impl Formula {
    /// Where the formula stands.
    pub fn at(&self) -> At {
        match self {
            Formula::Atom(atom) => atom.at,
            Formula::Distinct(_, _, at) | Formula::Not(_, at) | Formula::And(_, at) | Formula::Or(_, at) => {
                *at
            }
        }
    }
}

/// A fact (empty body) or a rule of the text. Conjunctions at the top of the body are spliced into it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Clause {
    /// What is derived.
    pub head: Atom,
    /// The conjunction from which it is derived.
    pub body: Vec<Formula>,
    /// Where the clause stands.
    pub at: At,
}

/// One condition of a [`Rule`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Literal {
    /// The atom holds.
    Positive(Atom),
    /// The atom does not hold; its variables are bound by positive literals.
    Negative(Atom),
    /// The terms differ syntactically; their variables are bound by positive literals.
    Distinct(Term, Term),
    /// The terms are equal: a negated `distinct`. Binds nothing.
    Same(Term, Term),
}

/// A rule in the sense of a normal logic program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rule {
    /// What is derived.
    pub head: Atom,
    /// The conditions, all of which must hold.
    pub body: Vec<Literal>,
    /// Index of the clause that the rule came from, in its rulesheet.
    pub clause: usize,
}
