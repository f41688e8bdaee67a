//! Clauses as they are written, and rules in normal form.
//!
//! A [`Clause`] is one fact or rule of the text; its body is a tree of formulas with their places. A [`Rule`] is what
//! the stages after validation work with: a head and a flat list of literals. The normal form multiplies out every
//! disjunction, so one clause may give several rules.
//!
//! ```
//! use hyperplay_logic::gdl::{Formula, Literal, Rule, Source, load};
//!
//! let text = "(role x) (legal x noop) (goal x 100) (<= terminal (or (true a) (not (true b)))) (<= (next b) (true b))";
//! let loaded = load(Source::new("tiny.kif", text), None);
//! let clause = &loaded.rulesheet.clauses[3];
//! assert!(matches!(clause.body[..], [Formula::Or(..)]));
//!
//! let game = loaded.game.unwrap();
//! let rules: Vec<&Rule> = game.rules().iter().filter(|rule| rule.clause == 3).collect();
//! assert!(matches!(rules[0].body[..], [Literal::Positive(_)]));
//! assert!(matches!(rules[1].body[..], [Literal::Negative(_)]));
//! ```

use super::source::{At, Span};
use hyperplay_machine::terms::{Symbol, Term};

/// A relation applied to terms. Two atoms are equal if they say the same, wherever they stand.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Atom {
    /// The name of the relation.
    pub relation: Symbol,
    /// Its arguments, possibly none.
    pub arguments: Vec<Term>,
    /// The place of the atom in the text.
    pub at: At,
}

impl Atom {
    /// The relation and the number of arguments.
    pub(crate) fn functor(&self) -> (Symbol, usize) {
        (self.relation, self.arguments.len())
    }

    /// Calls `visit` for every occurrence of a variable, from left to right.
    pub fn each_variable(&self, visit: &mut dyn FnMut(Symbol)) {
        self.arguments.iter().for_each(|argument| argument.each_variable(visit));
    }

    /// Every occurrence of a variable, from left to right.
    pub(crate) fn variables(&self) -> impl Iterator<Item = Symbol> {
        self.arguments.iter().flat_map(Term::variables)
    }

    /// Whether no variable occurs in the atom.
    pub(crate) fn is_ground(&self) -> bool {
        self.arguments.iter().all(Term::is_ground)
    }

    /// Whether all variables of the atom are of a kind.
    pub(crate) fn all_variables(&self, are: &dyn Fn(Symbol) -> bool) -> bool {
        self.arguments.iter().all(|argument| argument.all_variables(are))
    }

    /// Whether the variable occurs in the atom.
    pub(crate) fn mentions(&self, variable: Symbol) -> bool {
        !self.all_variables(&|other| other != variable)
    }

    /// The atom with another term in the place of each variable.
    #[must_use]
    pub fn replacing(&self, by: &mut dyn FnMut(Symbol) -> Term) -> Atom {
        Atom { arguments: self.arguments.iter().map(|term| term.replacing(by)).collect(), ..*self }
    }
}

/// A condition in the body of a clause, as it is written. The example is at [`Clause`].
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
    /// The place of the formula in the text.
    pub fn at(&self) -> At {
        match self {
            Self::Atom(atom) => atom.at,
            Self::Distinct(_, _, at) | Self::Not(_, at) | Self::And(_, at) | Self::Or(_, at) => *at,
        }
    }

    /// Calls `visit` for every atom and every `distinct`, from left to right, so that it can change them.
    pub(crate) fn each_leaf_mut(&mut self, visit: &mut dyn FnMut(&mut Formula)) {
        match self {
            Formula::Atom(_) | Formula::Distinct(..) => visit(self),
            Formula::Not(inner, _) => inner.each_leaf_mut(visit),
            Formula::And(parts, _) | Formula::Or(parts, _) => {
                parts.iter_mut().for_each(|part| part.each_leaf_mut(visit))
            }
        }
    }

    /// Calls `visit` for every atom and every `distinct`, from left to right.
    pub(crate) fn each_leaf<'f>(&'f self, visit: &mut dyn FnMut(&'f Self)) {
        match self {
            Self::Atom(_) | Self::Distinct(..) => visit(self),
            Self::Not(inner, _) => inner.each_leaf(visit),
            Self::And(parts, _) | Self::Or(parts, _) => parts.iter().for_each(|part| part.each_leaf(visit)),
        }
    }

    /// Calls `visit` for every atom, from left to right.
    pub fn each_atom<'f>(&'f self, visit: &mut dyn FnMut(&'f Atom)) {
        self.each_leaf(&mut |leaf| {
            if let Formula::Atom(atom) = leaf {
                visit(atom);
            }
        });
    }

    /// Calls `visit` for every outermost term with the place of its atom, from left to right.
    pub(crate) fn each_term<'f>(&'f self, visit: &mut dyn FnMut(&'f Term, Span)) {
        self.each_leaf(&mut |leaf| match leaf {
            Formula::Atom(atom) => atom.arguments.iter().for_each(|term| visit(term, atom.at.0)),
            Formula::Distinct(a, b, at) => [a, b].into_iter().for_each(|term| visit(term, at.0)),
            _ => unreachable!("it is a leaf"),
        });
    }

    /// Calls `visit` for every occurrence of a variable, from left to right.
    pub fn each_variable(&self, visit: &mut dyn FnMut(Symbol)) {
        self.each_term(&mut |term, _| term.each_variable(visit));
    }
}

/// Appends a formula to a conjunction; a conjunction is replaced by its members.
pub(super) fn splice(formula: Formula, body: &mut Vec<Formula>) {
    match formula {
        Formula::And(members, _) => members.into_iter().for_each(|member| splice(member, body)),
        other => body.push(other),
    }
}

/// A fact (with an empty body) or a rule of the text. A conjunction at the top of the body is replaced by its members.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Clause {
    /// The atom that is derived.
    pub head: Atom,
    /// The conditions, all of which must hold.
    pub body: Vec<Formula>,
    /// The place of the clause in the text.
    pub at: At,
}

/// One condition of a [`Rule`]. The example is at [`print_rule`](super::print_rule).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Literal {
    /// The atom holds.
    Positive(Atom),
    /// The atom does not hold. Positive literals bind its variables.
    Negative(Atom),
    /// The terms differ syntactically. Positive literals bind their variables.
    Distinct(Term, Term),
    /// The terms are equal: a negated `distinct`. Positive literals bind their variables.
    Same(Term, Term),
}

impl Literal {
    /// The atom, with whether it is negated.
    pub fn signed(&self) -> Option<(&Atom, bool)> {
        match self {
            Literal::Positive(atom) => Some((atom, false)),
            Literal::Negative(atom) => Some((atom, true)),
            Literal::Distinct(..) | Literal::Same(..) => None,
        }
    }

    /// The atom, negated or not.
    pub fn atom(&self) -> Option<&Atom> {
        self.signed().map(|(atom, _)| atom)
    }

    /// The atom that must hold.
    pub fn positive(&self) -> Option<&Atom> {
        self.signed().filter(|(_, is_negated)| !is_negated).map(|(atom, _)| atom)
    }

    /// Calls `visit` for every occurrence of a variable, from left to right.
    pub fn each_variable(&self, visit: &mut dyn FnMut(Symbol)) {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => atom.each_variable(visit),
            Literal::Distinct(a, b) | Literal::Same(a, b) => {
                [a, b].into_iter().for_each(|term| term.each_variable(visit))
            }
        }
    }

    /// The literal with another term in the place of each variable.
    #[must_use]
    pub fn replacing(&self, by: &mut dyn FnMut(Symbol) -> Term) -> Literal {
        match self {
            Literal::Positive(atom) => Literal::Positive(atom.replacing(by)),
            Literal::Negative(atom) => Literal::Negative(atom.replacing(by)),
            Literal::Distinct(a, b) => Literal::Distinct(a.replacing(by), b.replacing(by)),
            Literal::Same(a, b) => Literal::Same(a.replacing(by), b.replacing(by)),
        }
    }
}

/// A rule of a normal logic program. The example is at [`print_rule`](super::print_rule).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rule {
    /// The atom that is derived.
    pub head: Atom,
    /// The conditions, all of which must hold.
    pub body: Vec<Literal>,
    /// The index of the clause that the rule came from, in its rulesheet.
    pub clause: usize,
}
