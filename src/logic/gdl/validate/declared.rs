//! Declarations: `base`, `input` and `percept`, if a rulesheet has them.
//!
//! `not-declared`: the head of a clause for `init`, `next`, `legal` or `sees` has no instance among the declared terms.
//! This check finds only heads that cannot match at all. Simulation checks whether every term that occurs in play is
//! declared.

use rustc_hash::{FxHashMap, FxHashSet};

use super::RulesheetView;
use crate::gdl::{Atom, Finding, FindingCode};
use hyperplay_machine::terms::{Symbol, Term};

/// The number of comparisons of heads with declarations, which is far more than an author's rulesheet needs.
const COMPARISONS: usize = 10_000_000;

pub(super) fn check(view: &RulesheetView<'_>, findings: &mut Vec<Finding>) {
    for (declaration, made) in [
        (Symbol::BASE, &[Symbol::INIT, Symbol::NEXT][..]),
        (Symbol::INPUT, &[Symbol::LEGAL][..]),
        (Symbol::PERCEPT, &[Symbol::SEES][..]),
    ] {
        let declared = Declared::of(view, declaration);
        if declared.is_empty() {
            continue;
        }
        let mut reported = FxHashSet::default();
        let mut comparisons = COMPARISONS;
        for head in view.sheet.clauses.iter().map(|clause| &clause.head) {
            if !made.contains(&head.relation) || head.relation.keyword_arity() != Some(head.arguments.len()) {
                continue;
            }
            let term = head.arguments.last().expect("a keyword with arguments");
            // A function that is not declared at all is reported only at its first use.
            let key = match (term, declared.functor(term)) {
                (Term::Compound(functor, arguments), false) => Err((*functor, arguments.len())),
                _ => Ok(&head.arguments),
            };
            if !declared.admits(head, &mut comparisons) && reported.insert(key) {
                let message = format!(
                    "`{}` is not declared: no clause for `{}` matches it",
                    view.show(term),
                    view.name(declaration)
                );
                findings.push(Finding::warning(FindingCode::NotDeclared, head.at.0, message));
            }
        }
    }
}

/// The argument lists of the heads of one declaration, sorted by the functor of the term declared.
#[derive(Default)]
struct Declared<'s> {
    ground: FxHashSet<&'s [Term]>,
    open: FxHashMap<Option<(Symbol, usize)>, Vec<&'s [Term]>>,
    functors: FxHashSet<Option<(Symbol, usize)>>,
}

impl<'s> Declared<'s> {
    fn of(view: &RulesheetView<'s>, declaration: Symbol) -> Self {
        let mut declared = Declared::default();
        for head in view.sheet.clauses.iter().map(|clause| &clause.head) {
            if head.relation != declaration || declaration.keyword_arity() != Some(head.arguments.len()) {
                continue;
            }
            let key = head.arguments.last().and_then(Term::functor);
            declared.functors.insert(key);
            if head.is_ground() {
                declared.ground.insert(&head.arguments);
            }
            declared.open.entry(key).or_default().push(&head.arguments);
        }
        declared
    }

    fn is_empty(&self) -> bool {
        self.functors.is_empty()
    }

    /// Whether a term with the functor of `term` is declared, or every term by a variable.
    fn functor(&self, term: &Term) -> bool {
        self.functors.contains(&None) || term.functor().is_none_or(|key| self.functors.contains(&Some(key)))
    }

    /// Whether some declaration may have an instance in common with a head. The answer is true when the comparisons are
    /// used up.
    fn admits(&self, head: &Atom, comparisons: &mut usize) -> bool {
        if self.ground.contains(&head.arguments[..]) {
            return true;
        }
        let mut matches = |declared: &&[Term]| {
            *comparisons = comparisons.saturating_sub(1);
            *comparisons == 0 || declared.iter().zip(&head.arguments).all(|(a, b)| a.may_unify(b))
        };
        match head.arguments.last().and_then(Term::functor) {
            None => self.open.values().flatten().any(matches),
            key => [key, None].iter().filter_map(|key| self.open.get(key)).flatten().any(&mut matches),
        }
    }
}
