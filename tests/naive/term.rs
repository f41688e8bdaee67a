//! Terms and patterns of the naive evaluator: boxed trees over names.

use std::fmt;
use std::rc::Rc;

/// A ground term.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Term {
    Name(Rc<str>),
    Tree(Rc<str>, Rc<[Term]>),
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Name(name) => write!(f, "{name}"),
            Term::Tree(functor, arguments) => {
                write!(f, "({functor}")?;
                arguments.iter().try_for_each(|argument| write!(f, " {argument}"))?;
                write!(f, ")")
            }
        }
    }
}

/// A term with variables, numbered within their clause.
#[derive(Clone, Debug)]
pub enum Pattern {
    Variable(usize),
    Name(Rc<str>),
    Tree(Rc<str>, Vec<Pattern>),
}

/// What the variables of a clause stand for so far.
pub type Bindings<'a> = Vec<Option<&'a Term>>;

impl Pattern {
    /// Whether the pattern is `term` under the bindings; binds what was unbound and notes it in `trail`.
    pub fn matches<'a>(&self, term: &'a Term, bindings: &mut Bindings<'a>, trail: &mut Vec<usize>) -> bool {
        match (self, term) {
            (Pattern::Variable(variable), _) => match bindings[*variable] {
                Some(value) => value == term,
                None => {
                    bindings[*variable] = Some(term);
                    trail.push(*variable);
                    true
                }
            },
            (Pattern::Name(name), Term::Name(other)) => name == other,
            (Pattern::Tree(functor, patterns), Term::Tree(other, terms)) => {
                functor == other
                    && patterns.len() == terms.len()
                    && patterns
                        .iter()
                        .zip(terms.iter())
                        .all(|(pattern, term)| pattern.matches(term, bindings, trail))
            }
            _ => false,
        }
    }

    /// The term that the pattern is when all its variables are bound.
    pub fn instance(&self, bindings: &Bindings<'_>) -> Term {
        match self {
            Pattern::Variable(variable) => bindings[*variable].expect("the variable is bound").clone(),
            Pattern::Name(name) => Term::Name(Rc::clone(name)),
            Pattern::Tree(functor, patterns) => Term::Tree(
                Rc::clone(functor),
                patterns.iter().map(|pattern| pattern.instance(bindings)).collect(),
            ),
        }
    }

    /// The instance, if the pattern is a constant or a variable that is bound.
    pub fn value(&self, bindings: &Bindings<'_>) -> Option<Term> {
        match self {
            Pattern::Variable(variable) => bindings[*variable].cloned(),
            Pattern::Name(name) => Some(Term::Name(Rc::clone(name))),
            Pattern::Tree(..) => None,
        }
    }
}
