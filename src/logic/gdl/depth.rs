//! The depth of clauses, which the readers limit.

use super::collector::FindingCollector;
use super::{Atom, Clause, Finding, FindingCode, Formula, Span};
use hyperplay_machine::terms::{MAX_DEPTH, Term};

/// The depth to which parentheses may be nested in the text, redundant ones included.
pub(super) const MAX_NESTING: usize = MAX_DEPTH + 16;

/// A finding for a clause that begins at `start` and is nested too deeply at `place`.
pub fn too_deep(start: Span, place: Span) -> Finding {
    let message = format!("nested more than {MAX_DEPTH} levels deep");
    Finding::error(FindingCode::TooDeep, start, message).related(place, "too deep here")
}

/// Whether a clause is at most [`MAX_DEPTH`] deep; reports it if not.
pub fn is_within_depth(clause: &Clause, report: &mut FindingCollector) -> bool {
    let deep = std::iter::once((atom_depth(&clause.head), clause.head.at))
        .chain(clause.body.iter().map(|formula| (formula_depth(formula), formula.at())))
        .find(|(depth, _)| *depth > MAX_DEPTH);
    if let Some((_, at)) = deep {
        let start = clause.at.0.start;
        report.add(too_deep(Span::new(start, start + 1), at.0));
    }
    deep.is_none()
}

fn formula_depth(formula: &Formula) -> usize {
    match formula {
        Formula::Atom(atom) => atom_depth(atom),
        Formula::Distinct(left, right, _) => 1 + term_depth(left).max(term_depth(right)),
        Formula::Not(inner, _) => 1 + formula_depth(inner),
        Formula::And(members, _) | Formula::Or(members, _) => {
            1 + members.iter().map(formula_depth).max().unwrap_or(0)
        }
    }
}

fn atom_depth(atom: &Atom) -> usize {
    1 + atom.arguments.iter().map(term_depth).max().unwrap_or(0)
}

fn term_depth(term: &Term) -> usize {
    term.arguments().iter().map(|argument| 1 + term_depth(argument)).max().unwrap_or(0)
}
