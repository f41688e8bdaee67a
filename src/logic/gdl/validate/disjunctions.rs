//! Disjunctions: `nested-or` and `empty-or`.
//!
//! Both have a clear meaning, but some systems read them wrongly, and an author rarely intends a disjunction of fewer
//! than two conditions.

use super::RulesheetView;
use crate::gdl::{Finding, FindingCode, Formula};

pub(super) fn check(view: &RulesheetView<'_>, findings: &mut Vec<Finding>) {
    for clause in &view.sheet.clauses {
        clause.body.iter().for_each(|formula| visit(formula, false, findings));
    }
}

/// Checks a formula; `inside` is true within another disjunction or an explicit conjunction.
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
    findings.extend(few.map(|message| Finding::warning(FindingCode::EmptyOr, at, message)));
    if inside {
        let message = "a disjunction inside another connective";
        findings.push(
            Finding::warning(FindingCode::NestedOr, at, message)
                .help("some systems misread it; give it a relation of its own"),
        );
    }
    parts.iter().for_each(|part| visit(part, true, findings));
}
