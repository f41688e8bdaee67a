//! The evaluation of conditions: from left to right, facts in the natural order of terms.
//!
//! This is the search of Prolog on conditions without side effects. An operation takes the first solution; the
//! conditions for hiding and for the end of an interaction are asked for any. The order of the facts is that of their
//! terms, because a state is a set and has no order of insertion.
//!
//! A *possible* evaluation answers another question: may the conditions have a solution, for all that someone knows who
//! sees only some predicates, and whatever the others do in this chronon? It may say yes where the answer is no, and
//! never the reverse.

use crate::Comparison;
use hyperplay_logic::gdl::{Symbol, TermId, TermStore};
use rustc_hash::FxHashMap;

use super::pattern::{Bindings, BoundSlots, Pattern};
use super::program::{Condition, Program};

/// Facts that one evaluation may look at; some seconds.
const MOST_VISITS: u64 = 5_000_000;

/// The facts of a state, by predicate, in the natural order of terms.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    by_predicate: FxHashMap<Symbol, Vec<TermId>>,
}

impl Facts {
    pub(super) fn new(fluents: impl IntoIterator<Item = TermId>, terms: &TermStore) -> Facts {
        let mut facts = Facts::default();
        for fluent in fluents {
            facts.by_predicate.entry(terms.functor(fluent)).or_default().push(fluent);
        }
        facts.by_predicate.values_mut().for_each(|list| list.sort_unstable_by(|&a, &b| terms.compare(a, b)));
        facts
    }

    pub(super) fn of(&self, predicate: Symbol) -> &[TermId] {
        self.by_predicate.get(&predicate).map_or(&[], |list| list)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.by_predicate.values().map(Vec::len).sum()
    }

    /// All facts, in no particular order.
    pub(super) fn all(&self) -> impl Iterator<Item = TermId> + '_ {
        self.by_predicate.values().flatten().copied()
    }

    pub(super) fn insert(&mut self, fact: TermId, terms: &TermStore) {
        let list = self.by_predicate.entry(terms.functor(fact)).or_default();
        if let Err(place) = list.binary_search_by(|&other| terms.compare(other, fact)) {
            list.insert(place, fact);
        }
    }

    pub(super) fn retain(&mut self, predicate: Symbol, keep: impl FnMut(&TermId) -> bool) {
        if let Some(list) = self.by_predicate.get_mut(&predicate) {
            list.retain(keep);
        }
    }
}

/// Conditions on facts, and what follows them where they stand in a disjunction.
#[derive(Clone, Copy)]
struct Rest<'a> {
    conditions: &'a [Condition],
    facts: &'a Facts,
    then: Option<&'a Rest<'a>>,
}

/// Whoever is told each solution; false if it is enough.
type Visit<'a> = &'a mut dyn FnMut(&Bindings) -> bool;

/// The facts that a possible evaluation may rely on: whether all facts that a pattern may match are known, and only the
/// chronon itself may remove some.
pub(super) type Known<'a> = &'a dyn Fn(Symbol, &Pattern, &Bindings) -> bool;

/// One evaluation.
pub(super) struct Evaluation<'a> {
    pub(super) program: &'a Program,
    pub(super) terms: &'a TermStore,
    /// `None` for what is so; else for what is possible.
    pub(super) known: Option<Known<'a>>,
    /// Facts looked at.
    pub(super) visits: u64,
    /// Why it did not come to its end.
    pub(super) failure: Option<String>,
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(program: &'a Program) -> Evaluation<'a> {
        Evaluation { program, terms: &program.terms, known: None, visits: 0, failure: None }
    }

    /// The bindings of the first solution.
    pub(super) fn first(
        &mut self,
        conditions: &[Condition],
        bindings: &Bindings,
        facts: &Facts,
    ) -> Option<Bindings> {
        let mut found = None;
        self.each(conditions, bindings, facts, &mut |bindings| {
            found = Some(bindings.clone());
            false
        });
        found
    }

    /// Calls `visit` with the bindings of each solution, in order, while it returns true.
    pub(super) fn each(
        &mut self,
        conditions: &[Condition],
        bindings: &Bindings,
        facts: &Facts,
        visit: Visit<'_>,
    ) {
        self.solve(Rest { conditions, facts, then: None }, &mut bindings.clone(), visit);
    }

    /// False if `visit` has said that it is enough.
    fn solve(&mut self, rest: Rest<'_>, bindings: &mut Bindings, visit: Visit<'_>) -> bool {
        let Some((condition, conditions)) = rest.conditions.split_first() else {
            return match rest.then {
                Some(&then) => self.solve(then, bindings, visit),
                None => visit(bindings),
            };
        };
        let after = Rest { conditions, ..rest };
        match condition {
            Condition::Holds(predicate, pattern) => match self.known {
                Some(known) if !known(*predicate, pattern, bindings) => self.solve(after, bindings, visit),
                _ => self.matching(pattern, rest.facts.of(*predicate), after, bindings, visit),
            },
            Condition::Either(parts) => parts.iter().all(|part| {
                self.solve(Rest { conditions: part, then: Some(&after), ..rest }, bindings, visit)
            }),
            Condition::Equals(pattern, value) => match self.value(value, bindings) {
                Some(value) => self.matching(pattern, &[value], after, bindings, visit),
                None if self.known.is_some() => self.solve(after, bindings, visit),
                None => true,
            },
            Condition::Never => true,
            _ if self.is_true(condition, bindings, rest.facts) => self.solve(after, bindings, visit),
            _ => true,
        }
    }

    fn matching(
        &mut self,
        pattern: &Pattern,
        candidates: &[TermId],
        after: Rest<'_>,
        bindings: &mut Bindings,
        visit: Visit<'_>,
    ) -> bool {
        for &candidate in candidates {
            self.visits += 1;
            if self.visits > MOST_VISITS {
                self.failure.get_or_insert_with(|| format!("more than {MOST_VISITS} facts were looked at"));
                return false;
            }
            let mut bound = BoundSlots::new();
            let agrees = pattern.matches(candidate, bindings, &mut bound, &self.program.numbers);
            let goes_on = !agrees || self.solve(after, bindings, visit);
            bound.into_iter().for_each(|slot| bindings[slot] = None);
            if !goes_on {
                return false;
            }
        }
        true
    }

    /// Whether a condition that binds nothing is true.
    fn is_true(&mut self, condition: &Condition, bindings: &Bindings, facts: &Facts) -> bool {
        match condition {
            Condition::Not(inner) => {
                (self.known.is_some() && !self.is_decided(inner, bindings))
                    || self.first(inner, bindings, facts).is_none()
            }
            Condition::Compare(how, a, b) => match (self.value(a, bindings), self.value(b, bindings)) {
                (Some(a), Some(b)) => self.compares(*how, a, b),
                _ => self.known.is_some(),
            },
            Condition::Differ(a, b) => match (self.value(a, bindings), self.value(b, bindings)) {
                (Some(a), Some(b)) => a != b,
                _ => self.known.is_some(),
            },
            _ => unreachable!("the other conditions are solved"),
        }
    }

    /// Whether a conjunction is decided by what is known, also after operations of this chronon have removed facts.
    fn is_decided(&self, conditions: &[Condition], bindings: &Bindings) -> bool {
        let Some(known) = self.known else { return true };
        conditions.iter().all(|condition| match condition {
            Condition::Holds(predicate, pattern) => {
                known(*predicate, pattern, bindings) && !self.program.removable.contains(predicate)
            }
            Condition::Not(inner) => self.is_decided(inner, bindings),
            Condition::Either(parts) => parts.iter().all(|part| self.is_decided(part, bindings)),
            // A comparison of what is unknown counts as true; under a negation that is no decision.
            Condition::Compare(_, a, b) | Condition::Differ(a, b) | Condition::Equals(a, b) => {
                a.is_bound(bindings) && b.is_bound(bindings)
            }
            Condition::Never => true,
        })
    }

    fn value(&mut self, pattern: &Pattern, bindings: &Bindings) -> Option<TermId> {
        let value = pattern.value(bindings, &self.program.numbers);
        if value.is_none() && self.known.is_none() && pattern.is_bound(bindings) {
            self.failure.get_or_insert_with(|| {
                "a number leaves the range -10000 to 10000, or arithmetic has an operand that is no number".into()
            });
        }
        value
    }

    fn compares(&self, how: Comparison, a: TermId, b: TermId) -> bool {
        let number = |term| self.program.numbers.number(term);
        let (Some(x), Some(y)) = (number(a), number(b)) else {
            return match how {
                Comparison::Equal => a == b,
                Comparison::NotEqual => a != b,
                _ => false,
            };
        };
        match how {
            Comparison::Less => x < y,
            Comparison::AtMost => x <= y,
            Comparison::Greater => x > y,
            Comparison::AtLeast => x >= y,
            Comparison::Equal => x == y,
            Comparison::NotEqual => x != y,
        }
    }
}
