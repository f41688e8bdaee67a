//! Terms with variables, compiled: what a condition asks for and what an effect makes.
//!
//! Invariant: the slots of a clause are numbered from 0; a [`Bindings`] has a place for each of them.

use crate::{Arithmetic, Number, checked};
use hyperplay_logic::gdl::{Symbol, Term, TermId, TermStore};

use super::numbers::Numbers;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

/// A term with variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Pattern {
    /// A variable, by its number in the clause.
    Slot(usize),
    /// A term without variables or arithmetic.
    Ground(TermId),
    /// A compound term.
    Compound(Symbol, Box<[Pattern]>),
    /// Arithmetic, whose operands are bound when it is evaluated.
    Compute(Arithmetic, Box<[Pattern]>),
}

/// The values of the variables of a clause; `None` where one is not bound.
pub(super) type Bindings = Vec<Option<TermId>>;

/// The slots that a match has bound, to be undone.
pub(super) type BoundSlots = SmallVec<[usize; 8]>;

/// The variables of a clause, by their slots.
#[derive(Default)]
pub(super) struct Slots(IndexSet<Symbol, FxBuildHasher>);

impl Slots {
    /// Bindings in which nothing is bound.
    pub(super) fn unbound(&self) -> Bindings {
        vec![None; self.0.len()]
    }
}

/// Compiles a term.
pub(super) fn compile(term: &Term, slots: &mut Slots, terms: &TermStore) -> Pattern {
    match term {
        Term::Variable(variable) => Pattern::Slot(slots.0.insert_full(*variable).0),
        Term::Constant(name) => Pattern::Ground(terms.intern(*name, &[])),
        Term::Compound(functor, arguments) => {
            let arguments: Box<[Pattern]> =
                arguments.iter().map(|argument| compile(argument, slots, terms)).collect();
            match Arithmetic::named(terms.symbols().name(*functor), arguments.len()) {
                Some(operation) => Pattern::Compute(operation, arguments),
                None => compound(*functor, arguments, terms),
            }
        }
    }
}

/// A compound pattern, or the term itself where nothing in it is open.
pub(super) fn compound(functor: Symbol, arguments: Box<[Pattern]>, terms: &TermStore) -> Pattern {
    let ground: Option<Vec<TermId>> = arguments.iter().map(Pattern::ground).collect();
    match ground {
        Some(ground) => Pattern::Ground(terms.intern(functor, &ground)),
        None => Pattern::Compound(functor, arguments),
    }
}

impl Pattern {
    fn ground(&self) -> Option<TermId> {
        match self {
            Pattern::Ground(term) => Some(*term),
            _ => None,
        }
    }

    /// The term under some bindings; `None` where a variable is not bound or arithmetic has no result.
    pub(super) fn value(&self, bindings: &Bindings, numbers: &Numbers) -> Option<TermId> {
        match self {
            Pattern::Slot(slot) => bindings[*slot],
            Pattern::Ground(term) => Some(*term),
            Pattern::Compound(functor, arguments) => {
                let arguments: Option<Vec<TermId>> =
                    arguments.iter().map(|argument| argument.value(bindings, numbers)).collect();
                Some(numbers.terms.intern(*functor, &arguments?))
            }
            Pattern::Compute(operation, operands) => {
                let operand = |place: usize| numbers.number(operands[place].value(bindings, numbers)?);
                let first = operand(0)?; // the only operand is subtracted from 0
                let (a, b) =
                    if operands.len() == 1 { (Number::from(0), first) } else { (first, operand(1)?) };
                numbers.term(checked(*operation, a, b)?)
            }
        }
    }

    /// Whether every variable of the pattern is bound.
    pub(super) fn is_bound(&self, bindings: &Bindings) -> bool {
        match self {
            Pattern::Slot(slot) => bindings[*slot].is_some(),
            Pattern::Ground(_) => true,
            Pattern::Compound(_, parts) | Pattern::Compute(_, parts) => {
                parts.iter().all(|part| part.is_bound(bindings))
            }
        }
    }

    /// Whether a term is an instance of the pattern. Binds variables, of which it notes the slots in `bound`; after a
    /// mismatch some may be bound, and the caller undoes them.
    pub(super) fn matches(
        &self,
        term: TermId,
        bindings: &mut Bindings,
        bound: &mut BoundSlots,
        numbers: &Numbers,
    ) -> bool {
        let terms = &numbers.terms;
        match self {
            Pattern::Slot(slot) => match bindings[*slot] {
                Some(value) => value == term,
                None => {
                    bindings[*slot] = Some(term);
                    bound.push(*slot);
                    true
                }
            },
            Pattern::Ground(ground) => *ground == term,
            Pattern::Compound(functor, arguments) => {
                let values = terms.arguments(term);
                terms.functor(term) == *functor
                    && values.len() == arguments.len()
                    && arguments
                        .iter()
                        .zip(values)
                        .all(|(argument, &value)| argument.matches(value, bindings, bound, numbers))
            }
            Pattern::Compute(..) if !self.is_bound(bindings) => true,
            Pattern::Compute(..) => self.value(bindings, numbers) == Some(term),
        }
    }

    /// Whether a term may be an instance of both patterns, each with variables of its own.
    pub(super) fn may_unify(
        &self,
        bindings: &Bindings,
        other: &Pattern,
        others: &Bindings,
        terms: &TermStore,
    ) -> bool {
        let ground = |pattern: &Pattern, bindings: &Bindings| match pattern {
            Pattern::Slot(slot) => bindings[*slot],
            pattern => pattern.ground(),
        };
        match (ground(self, bindings), ground(other, others)) {
            (Some(a), Some(b)) => a == b,
            (Some(a), None) => other.may_be(a, others, terms),
            (None, Some(b)) => self.may_be(b, bindings, terms),
            (None, None) => match (self, other) {
                (Pattern::Compound(f, xs), Pattern::Compound(g, ys)) => {
                    let mut pairs = xs.iter().zip(ys);
                    f == g
                        && xs.len() == ys.len()
                        && pairs.all(|(x, y)| x.may_unify(bindings, y, others, terms))
                }
                _ => true,
            },
        }
    }

    /// Whether a term may be an instance of the pattern.
    fn may_be(&self, term: TermId, bindings: &Bindings, terms: &TermStore) -> bool {
        match self {
            Pattern::Slot(slot) => bindings[*slot].is_none_or(|value| value == term),
            Pattern::Ground(ground) => *ground == term,
            Pattern::Compute(..) => true,
            Pattern::Compound(functor, arguments) => {
                let values = terms.arguments(term);
                terms.functor(term) == *functor
                    && values.len() == arguments.len()
                    && arguments.iter().zip(values).all(|(part, &value)| part.may_be(value, bindings, terms))
            }
        }
    }
}
