//! `unread-fluent` and `unread-move`: what the rules make and do not read.
//!
//! A term that no rule reads may still be intended: a move `noop`, or a fluent that is only there so that there is an
//! initial state. So it is reported if rules read something whose name differs by a typing error only, or if it has
//! arguments and no rule reads its functor, or if it is a fluent that `next` makes. The only move of a role is never
//! reported, and neither is anything when a rule reads all fluents or all moves by a variable.

use rustc_hash::{FxHashMap, FxHashSet};

use super::subject;
use super::words::{differ_in_letters, place};
use crate::gdl::normal::ClauseBranch;
use crate::gdl::validate::RulesheetView;
use crate::gdl::validate::typos::is_typing_error;
use crate::gdl::{Atom, Finding, FindingCode, Severity, Span};
use hyperplay_machine::terms::{Symbol, Term};

/// The number of comparisons of what is made with what is read, which is far more than an author's rulesheet needs.
const COMPARISONS: usize = 1_000_000;

/// Findings that do not touch what a clause makes.
const HARMLESS: [FindingCode; 5] = [
    FindingCode::Capitalisation,
    FindingCode::EmptyOr,
    FindingCode::ImpossibleCondition,
    FindingCode::NestedOr,
    FindingCode::UnusualCharacter,
];

/// The number of conditions about one functor from which on nothing is said about what they may match.
const MANY_READ: usize = 1_000;

/// The kinds of terms that rules make for the next step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    Fluent,
    Move,
}

impl Kind {
    /// Whether heads of a relation make it.
    pub(super) fn is_made_by(self, relation: Symbol) -> bool {
        match self {
            Kind::Fluent => matches!(relation, Symbol::INIT | Symbol::NEXT),
            Kind::Move => relation == Symbol::LEGAL,
        }
    }
}

/// The fluents and moves that rules read and make.
pub(super) struct Reads<'v> {
    /// The terms that conditions name.
    read: FxHashMap<(Kind, (Symbol, usize)), Vec<&'v Term>>,
    /// The kinds that some condition reads by a variable.
    all: FxHashSet<Kind>,
    /// The names of what heads make.
    made: FxHashSet<(Kind, Symbol)>,
}

impl<'v> Reads<'v> {
    pub(super) fn of(view: &'v RulesheetView<'_>) -> Reads<'v> {
        let mut reads =
            Reads { read: FxHashMap::default(), all: FxHashSet::default(), made: FxHashSet::default() };
        for (clause, branches) in view.clauses() {
            if let Some((kind, term)) = subject(&clause.head)
                && let Some((name, _)) = term.functor()
            {
                reads.made.insert((kind, name));
            }
            let mut seen = FxHashSet::default();
            for (atom, _) in branches.iter().flat_map(ClauseBranch::atoms) {
                let Some((kind, term)) = subject(atom).filter(|_| seen.insert(atom.at.0)) else { continue };
                match term.functor() {
                    None => {
                        reads.all.insert(kind);
                    }
                    Some(functor) => reads.read.entry((kind, functor)).or_default().push(term),
                }
            }
        }
        reads
    }

    /// Whether a head makes a fluent or a move with this name.
    pub(super) fn is_made(&self, kind: Kind, name: Symbol) -> bool {
        self.made.contains(&(kind, name))
    }

    /// The largest number of conditions about one functor, as far as they are compared.
    fn largest(&self) -> usize {
        self.read.values().map(Vec::len).filter(|&length| length <= MANY_READ).max().unwrap_or(0)
    }

    /// Whether no condition may be about what a head makes.
    pub(super) fn is_unread(&self, head: &Atom) -> bool {
        let Some((kind, term)) = subject(head) else { return false };
        let Some(functor) = term.functor().filter(|_| !self.all.contains(&kind)) else { return false };
        let read = self.read.get(&(kind, functor)).map_or(&[][..], |terms| &terms[..]);
        read.len() <= MANY_READ && !read.iter().any(|read| read.may_unify(term))
    }
}

pub(super) fn check(
    view: &RulesheetView<'_>,
    reads: &Reads<'_>,
    named: &FxHashSet<Symbol>,
    findings: &mut Vec<Finding>,
) {
    // The comparisons of heads with conditions, which a long list of rules would make too many.
    let heads = view.sheet.clauses.iter().filter(|clause| subject(&clause.head).is_some()).count();
    if heads.saturating_mul(reads.largest()) > 100 * COMPARISONS {
        return;
    }
    // A clause with another finding is to be changed anyway.
    let harmful = |finding: &&Finding| finding.severity > Severity::Note && !HARMLESS.contains(&finding.code);
    let mut elsewhere: Vec<usize> =
        findings.iter().filter(harmful).map(|finding| finding.span.start).collect();
    elsewhere.sort_unstable();
    let mut comparisons = COMPARISONS;
    let mut reported: FxHashSet<(Kind, Symbol, usize)> = FxHashSet::default();
    for clause in &view.sheet.clauses {
        let head = &clause.head;
        let Some((kind, term)) = subject(head).filter(|_| reads.is_unread(head)) else { continue };
        let Some(functor) = term.functor() else { continue };
        let is_read = reads.read.contains_key(&(kind, functor));
        let wrong = if is_read {
            misspelt_part(view, reads, kind, term, &mut comparisons)
        } else {
            misspelt_functor(view, reads, kind, functor, &mut comparisons).map(|read| (term, read))
        };
        let (part, meant) = match wrong {
            Some((part, meant)) => (part, Some(meant)),
            None if is_read || (head.relation != Symbol::NEXT && functor.1 == 0) => continue,
            None => (term, None),
        };
        let Some((name, arity)) = part.functor() else { continue };
        let span = place(view, head, part);
        let next = elsewhere.partition_point(|start| *start < clause.at.0.start);
        let has_other = elsewhere.get(next).is_some_and(|start| *start < clause.at.0.end);
        if has_other || named.contains(&name) || is_only_move(view, kind, head) {
            continue;
        }
        if reported.insert((kind, name, arity)) {
            let finding = unread_as(view, kind, head, span);
            findings
                .push(finding.help_if(meant.map(|meant| format!("did you mean `{}`?", view.name(meant)))));
        }
    }
}

/// The finding that no rule reads what a head makes.
pub(super) fn unread_as(view: &RulesheetView<'_>, kind: Kind, head: &Atom, span: Span) -> Finding {
    let (code, what) = match kind {
        Kind::Fluent => (FindingCode::UnreadFluent, "fluent"),
        Kind::Move => (FindingCode::UnreadMove, "move"),
    };
    let shown = head.arguments.last().map(|term| view.show(term)).unwrap_or_default();
    Finding::warning(code, span, format!("no rule reads the {what} `{shown}`"))
}

/// A functor that rules read and for which an unread one may be a typing error.
fn misspelt_functor(
    view: &RulesheetView<'_>,
    reads: &Reads<'_>,
    kind: Kind,
    (name, arity): (Symbol, usize),
    comparisons: &mut usize,
) -> Option<Symbol> {
    let names = reads.read.keys().filter(|(other, (_, length))| *other == kind && *length == arity);
    let names: Vec<Symbol> = names.map(|(_, (name, _))| *name).collect();
    *comparisons = comparisons.checked_sub(names.len())?;
    names.into_iter().filter(|other| is_misspelt(view, name, *other)).min()
}

/// A constant of a term for which the terms that are read have another constant at the same place, with the constant
/// for which it may be a typing error.
fn misspelt_part<'t>(
    view: &RulesheetView<'_>,
    reads: &Reads<'_>,
    kind: Kind,
    term: &'t Term,
    comparisons: &mut usize,
) -> Option<(&'t Term, Symbol)> {
    let read = reads.read.get(&(kind, term.functor()?))?;
    *comparisons = comparisons.checked_sub(read.len())?;
    read.iter().find_map(|read| {
        only_difference(term, read).filter(|(part, other)| match part {
            Term::Constant(name) => is_misspelt(view, *name, *other),
            _ => false,
        })
    })
}

/// The constant of a term by which alone it differs from another term, and the constant there.
fn only_difference<'t>(term: &'t Term, other: &Term) -> Option<(&'t Term, Symbol)> {
    match (term, other) {
        (Term::Constant(a), Term::Constant(b)) if a != b => Some((term, *b)),
        (Term::Compound(f, xs), Term::Compound(g, ys)) if f == g && xs.len() == ys.len() => {
            let mut differing = xs.iter().zip(ys).filter(|(x, y)| !x.may_unify(y));
            match (differing.next(), differing.next()) {
                (Some((x, y)), None) => only_difference(x, y),
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_misspelt(view: &RulesheetView<'_>, a: Symbol, b: Symbol) -> bool {
    differ_in_letters(view, a, b) && is_typing_error(view.name(a), view.name(b))
}

/// Whether a move is the only one that its role ever has.
fn is_only_move(view: &RulesheetView<'_>, kind: Kind, head: &Atom) -> bool {
    let others = || {
        view.sheet.clauses.iter().map(|clause| &clause.head).filter(|other| other.relation == Symbol::LEGAL)
    };
    kind == Kind::Move
        && head.arguments[1].is_ground()
        && others().filter(|other| other.arguments.len() == 2).all(|other| {
            other.arguments[1] == head.arguments[1] || !other.arguments[0].may_unify(&head.arguments[0])
        })
}
