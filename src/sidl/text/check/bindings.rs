//! Variables: each is bound, from left to right, before an effect, a comparison or arithmetic needs its value.
//!
//! A test of a fact binds its variables. So does `X is ..` or `X = ..`. A disjunction binds what each of its
//! alternatives binds. A negation binds nothing: its own variables mean that there is no such fact. If a variable of a
//! negation also stands outside negations and is bound only later, the two would not mean the same, and that is an
//! error.
//!
//! Tests come before effects, whatever their order in the text; a test behind an effect gets a note.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::text::lower::items;
use crate::text::spell::spell_variable;
use hyperplay_logic::gdl::{Atom, Clause, Finding, FindingCode, Formula, Span, Symbol, Term};

use super::Checker;
use super::bodies::is_comparison;

/// The variables that are bound so far, in the order in which they were.
type Bound = IndexSet<Symbol, FxBuildHasher>;

impl<'s> Checker<'s> {
    pub(super) fn bindings(&mut self, clause: &'s Clause) {
        let mut bound = Bound::default();
        let agents = match self.head(clause) {
            ("operation", [_]) | ("terminal", []) => {
                clause.head.each_variable(&mut |variable| bound.extend([variable]));
                None
            }
            ("hidden" | "request", [fact, agents]) => {
                fact.each_variable(&mut |variable| bound.extend([variable]));
                Some(agents)
            }
            _ => return,
        };
        let (effects, tests): (Vec<&Formula>, Vec<&Formula>) =
            clause.body.iter().partition(|formula| self.is_effect(formula));
        let outside = effects.iter().copied().flat_map(outside_negations).collect();
        self.conjunction(&tests, &outside, &mut bound);
        for effect in &effects {
            let Formula::Atom(atom) = effect else { continue };
            self.effect_is_bound(atom, &bound);
        }
        if let Some(agents) = agents {
            let agents = items(agents, &self.sheet.symbols).unwrap_or(std::slice::from_ref(agents));
            for agent in agents {
                self.is_bound(agent, &bound, clause.head.at.0);
            }
        }
        if let Some(first) = effects.first()
            && let Some(test) = tests.iter().find(|test| test.at().0.start > first.at().0.start)
        {
            let message = "this test stands behind an effect, and is evaluated before it";
            let finding = Finding::note(FindingCode::TestAfterEffect, test.at().0, message);
            let finding = finding.related(first.at().0, "the first effect");
            self.findings.push(finding.help("all tests are evaluated first; write them first"));
        }
    }

    fn is_effect(&self, formula: &Formula) -> bool {
        matches!(formula, Formula::Atom(atom) if matches!(self.name(atom.relation), "ax" | "next" | "goal"))
    }

    /// Tests from left to right. `outside` has the variables that also stand outside this conjunction and its
    /// negations.
    fn conjunction(&mut self, tests: &[&Formula], outside: &FxHashSet<Symbol>, bound: &mut Bound) {
        let mut uses: FxHashMap<Symbol, usize> = FxHashMap::default();
        for variable in tests.iter().copied().flat_map(outside_negations) {
            *uses.entry(variable).or_default() += 1;
        }
        for test in tests {
            match test {
                Formula::Atom(atom) => self.test(atom, bound),
                Formula::Distinct(a, b, at) => {
                    self.is_bound(a, bound, at.0);
                    self.is_bound(b, bound, at.0);
                }
                Formula::Not(inner, at) => {
                    let is_used = |variable| outside.contains(&variable) || uses.contains_key(&variable);
                    let inherited = variables_that(inner, &is_used);
                    let mut late: Vec<Symbol> =
                        inherited.iter().copied().filter(|variable| !bound.contains(variable)).collect();
                    late.sort_unstable();
                    for variable in late {
                        let name = spell_variable(self.name(variable));
                        let message = format!("`{name}` is not bound where the negation is tested");
                        self.error(FindingCode::UnsafeVariable, at.0, message).set_help(format!("write the test that binds `{name}` before the negation, or use another variable inside it"));
                        // Said once.
                        bound.insert(variable);
                    }
                    let length = bound.len();
                    self.conjunction(&parts(inner), &inherited, bound);
                    bound.truncate(length);
                }
                Formula::And(members, _) => {
                    let members: Vec<&Formula> = members.iter().collect();
                    self.conjunction(&members, outside, bound);
                }
                Formula::Or(members, _) => {
                    let own = outside_negations(test);
                    let is_used = |variable| {
                        let others =
                            uses.get(&variable).copied().unwrap_or(0) - usize::from(own.contains(&variable));
                        outside.contains(&variable) || others > 0
                    };
                    let inherited = variables_that(test, &is_used);
                    let length = bound.len();
                    let mut common: Option<Bound> = None;
                    for member in members {
                        self.conjunction(&parts(member), &inherited, bound);
                        let later = bound.split_off(length);
                        match &mut common {
                            None => common = Some(later),
                            Some(common) => common.retain(|variable| later.contains(variable)),
                        }
                    }
                    bound.extend(common.into_iter().flatten());
                }
            }
        }
    }

    fn test(&mut self, atom: &Atom, bound: &mut Bound) {
        let at = atom.at.0;
        match (self.name(atom.relation), &atom.arguments[..]) {
            (word @ ("is" | "="), [left, right]) => {
                let is_bound = |term: &Term| term.all_variables(&|variable| bound.contains(&variable));
                if word == "=" && !is_bound(right) && is_bound(left) {
                    let message =
                        format!("`{}` is not bound, and stands on the right of `=`", self.spell(right));
                    self.error(FindingCode::UnsafeVariable, at, message)
                        .set_help("write it on the left: what is bound stands on the right");
                    right.each_variable(&mut |variable| bound.extend([variable]));
                } else {
                    self.is_bound(right, bound, at);
                }
                self.bind(left, bound, at);
            }
            (word, [left, right]) if is_comparison(word) => {
                self.is_bound(left, bound, at);
                self.is_bound(right, bound, at);
            }
            _ => atom.arguments.iter().for_each(|argument| self.bind(argument, bound, at)),
        }
    }

    /// Binds the variables of an argument; those of arithmetic must be bound before.
    fn bind(&mut self, term: &Term, bound: &mut Bound, at: Span) {
        match term {
            Term::Variable(variable) => bound.extend([*variable]),
            Term::Constant(_) => {}
            _ if self.is_arithmetic(term) => self.is_bound(term, bound, at),
            Term::Compound(_, parts) => parts.iter().for_each(|part| self.bind(part, bound, at)),
        }
    }

    fn effect_is_bound(&mut self, atom: &Atom, bound: &Bound) {
        let at = atom.at.0;
        if self.name(atom.relation) != "ax" {
            atom.arguments.iter().for_each(|argument| self.is_bound(argument, bound, at));
            return;
        }
        let unbound = unbound(&atom.arguments, bound).into_iter();
        let names = unbound.map(|variable| spell_variable(self.name(variable)));
        for name in names.filter(|name| name != "_").collect::<Vec<_>>() {
            let message = format!("`{name}` is not bound: no test gives it a value before the removal");
            self.error(FindingCode::UnsafeVariable, at, message)
                .set_help("bind it by a test, or write `_` if every fact that matches is to be removed");
        }
    }

    /// Reports the variables of a term that are not bound.
    fn is_bound(&mut self, term: &Term, bound: &Bound, at: Span) {
        for variable in unbound(std::slice::from_ref(term), bound) {
            let name = spell_variable(self.name(variable));
            let message = format!("`{name}` is not bound: no test before this place gives it a value");
            self.error(FindingCode::UnsafeVariable, at, message).set_help(format!(
                "write a test with `{name}` before it, such as the fact that has its value"
            ));
        }
    }
}

/// The members of a conjunction.
fn parts(formula: &Formula) -> Vec<&Formula> {
    match formula {
        Formula::And(members, _) => members.iter().collect(),
        other => vec![other],
    }
}

/// The variables that stand outside negations.
fn outside_negations(formula: &Formula) -> FxHashSet<Symbol> {
    match formula {
        Formula::Not(..) => FxHashSet::default(),
        Formula::And(parts, _) | Formula::Or(parts, _) => parts.iter().flat_map(outside_negations).collect(),
        other => variables_that(other, &|_| true),
    }
}

/// The variables of a kind.
fn variables_that(formula: &Formula, are: &dyn Fn(Symbol) -> bool) -> FxHashSet<Symbol> {
    let mut variables = FxHashSet::default();
    formula.each_variable(&mut |variable| variables.extend(are(variable).then_some(variable)));
    variables
}

/// The variables that are not bound, in their order, each once.
fn unbound(terms: &[Term], bound: &Bound) -> Bound {
    terms.iter().flat_map(Term::variables).filter(|variable| !bound.contains(variable)).collect()
}
