//! Disjunctions: `nested-or` and `empty-or`.
//!
//! Both mean what they say, but some systems read them wrongly, and an author seldom means a disjunction of
//! fewer than two conditions.

use super::super::finding::{Code, Finding, Severity};
use super::super::rule::Formula;
use super::View;

pub(super) fn check(view: &View<'_>, findings: &mut Vec<Finding>) {
    for clause in &view.sheet.clauses {
        clause.body.iter().for_each(|formula| visit(formula, false, findings));
    }
}

/// `inside` another disjunction or an explicit conjunction.
fn visit(formula: &Formula, inside: bool, findings: &mut Vec<Finding>) {
    let (parts, at) = match formula {
        Formula::Atom(_) | Formula::Distinct(..) => return,
        Formula::Not(inner, _) => return visit(inner, inside, findings),
        Formula::And(parts, _) => return parts.iter().for_each(|part| visit(part, true, findings)),
        Formula::Or(parts, at) => (parts, at.0),
    };
    let few = match parts.len() {
        0 => Some("a disjunction of nothing never holds: the rule derives nothing"),
        1 => Some("a disjunction of one condition is that condition"),
        _ => None,
    };
    findings.extend(few.map(|message| Finding::new(Code::EmptyOr, Severity::Warning, at, message)));
    if inside {
        let message = "a disjunction inside another connective";
        findings.push(
            Finding::new(Code::NestedOr, Severity::Warning, at, message)
                .help("some systems misread it; give it a relation of its own"),
        );
    }
    parts.iter().for_each(|part| visit(part, true, findings));
}
