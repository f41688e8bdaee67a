//! Impossible and unused parts: conditions that no state fulfils, and fluents and moves that no rule reads.
//!
//! - `impossible-condition`: a condition that nothing can match, or conditions of one rule that never hold together, as
//!   the [position domains](super::super::domains) show. Its consequences elsewhere are not reported.
//! - `unread-fluent`: a fluent that `init` or `next` makes and no rule reads.
//! - `unread-move`: a move that no rule reads although rules read others of its kind, or one of a similar name.
//!
//! Invariant: one cause gives one finding. Where another check has reported a clause or a condition, it is taken to be
//! fulfilled here. If the name that is read and the name that is made look like one name misspelt, the rarer of the two
//! is reported, and the other one is suggested.

use rustc_hash::{FxHashMap, FxHashSet};

use super::RulesheetView;
use crate::gdl::domains::RuleParts;
use crate::gdl::normal::ClauseBranch;
use crate::gdl::{Atom, Finding, FindingCode, Literal, PositionDomains, Span};
use hyperplay_machine::terms::{Symbol, Term};
use unread::Reads;

mod conditions;
#[cfg(test)]
mod tests;
mod unread;
mod words;

pub(super) fn check(view: &RulesheetView<'_>, findings: &mut Vec<Finding>) {
    // Text that could not be read, or not be multiplied out, may contain what seems to be missing.
    if !view.is_complete || findings.iter().any(|finding| finding.code == FindingCode::TooLarge) {
        return;
    }
    let reads = Reads::of(view);
    let mut explained = Explained::of(view, findings);
    let mut named = FxHashSet::default();
    conditions::check(view, &reads, &mut explained, &mut named, findings);
    unread::check(view, &reads, &named, findings);
}

/// The conditions and clauses that are taken to be fulfilled, because something has been reported about them.
#[derive(Clone, Default)]
struct Explained {
    atoms: FxHashSet<Span>,
    clauses: FxHashSet<usize>,
    /// Clauses with constants that may be variables.
    unmarked: FxHashSet<usize>,
}

impl Explained {
    /// The conditions and clauses that the other checks have reported.
    fn of(view: &RulesheetView<'_>, findings: &[Finding]) -> Explained {
        let about = |codes: &[FindingCode]| {
            let spans = findings.iter().filter(|finding| codes.contains(&finding.code));
            let mut starts: Vec<usize> = spans.map(|finding| finding.span.start).collect();
            starts.sort_unstable();
            starts
        };
        let in_clause = about(&[FindingCode::MissingQuestionMark]);
        let in_atom = about(&[
            FindingCode::ArityMismatch,
            FindingCode::NotARole,
            FindingCode::FunctionAndRelation,
            FindingCode::KeywordArity,
            FindingCode::KeywordMisused,
            FindingCode::UnsafeVariable,
        ]);
        let inside = |starts: &[usize], span: Span| {
            let next = starts.partition_point(|start| *start < span.start);
            starts.get(next).is_some_and(|start| *start < span.end)
        };
        let heads = view.sheet.clauses.iter().map(|clause| &clause.head);
        let defined: FxHashSet<(Symbol, usize)> = heads.map(Atom::functor).collect();
        let mut explained = Explained::default();
        for (index, (clause, branches)) in view.clauses().enumerate() {
            if inside(&in_clause, clause.at.0) {
                explained.clauses.insert(index);
                explained.unmarked.insert(index);
            }
            for (atom, _) in branches.iter().flat_map(ClauseBranch::atoms) {
                let relation = match atom.relation {
                    Symbol::TRUE => None,
                    Symbol::DOES => Some(Symbol::LEGAL),
                    other => Some(other),
                };
                let undefined =
                    relation.is_some_and(|relation| !defined.contains(&(relation, atom.arguments.len())));
                if undefined || inside(&in_atom, atom.at.0) {
                    explained.atoms.insert(atom.at.0);
                }
            }
        }
        explained
    }

    /// The literals of a branch that are not taken to be fulfilled.
    fn rest<'b>(&self, clause: usize, branch: &'b ClauseBranch) -> Vec<&'b Literal> {
        let remains = |literal: &&Literal| match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => !self.atoms.contains(&atom.at.0),
            Literal::Distinct(..) | Literal::Same(..) => true,
        };
        let literals = branch.body.iter().map(|(literal, _)| literal);
        if self.clauses.contains(&clause) { Vec::new() } else { literals.filter(remains).collect() }
    }

    /// The domains if what is explained holds, with any values of its variables.
    fn domains(&self, view: &RulesheetView<'_>) -> PositionDomains {
        let opened: FxHashMap<usize, Atom> =
            self.unmarked.iter().map(|&index| (index, opened(&view.sheet.clauses[index].head))).collect();
        let mut rules = Vec::new();
        for (index, (clause, branches)) in view.clauses().enumerate() {
            let head = opened.get(&index).unwrap_or(&clause.head);
            for branch in branches {
                let free = head.variables().collect();
                rules.push(RuleParts { head, body: self.rest(index, branch), free });
            }
        }
        PositionDomains::of_parts(&rules)
    }
}

/// A head with its constants replaced by variables, except for a constant that is a fluent.
fn opened(head: &Atom) -> Atom {
    fn open(term: &Term) -> Term {
        match term {
            Term::Constant(name) | Term::Variable(name) => Term::Variable(*name),
            Term::Compound(functor, arguments) => Term::new(*functor, arguments.iter().map(open).collect()),
        }
    }
    let mut head = head.clone();
    if !matches!(head.arguments[..], [Term::Constant(_)]) {
        head.arguments.iter_mut().for_each(|argument| *argument = open(argument));
    }
    head
}

/// The number of times that each name stands in a term of the rulesheet.
fn occurrences(view: &RulesheetView<'_>) -> FxHashMap<Symbol, usize> {
    let mut count = FxHashMap::default();
    for clause in &view.sheet.clauses {
        super::each_term_of_clause(clause, &mut |outer, _| {
            super::each_part(outer, &mut |term| {
                if let Term::Constant(name) | Term::Compound(name, _) = term {
                    *count.entry(*name).or_default() += 1;
                }
            });
        });
    }
    count
}

/// The fluent or the move that an atom is about, if it is an atom for `true`, `init` or `next`, or for `does` or
/// `legal`.
fn subject(atom: &Atom) -> Option<(unread::Kind, &Term)> {
    match (atom.relation, &atom.arguments[..]) {
        (Symbol::TRUE | Symbol::INIT | Symbol::NEXT, [fluent]) => Some((unread::Kind::Fluent, fluent)),
        (Symbol::DOES | Symbol::LEGAL, [_, made]) => Some((unread::Kind::Move, made)),
        _ => None,
    }
}
