//! Sizes: `too-large`.
//!
//! Later stages store numbers of roles and arguments in a byte and process a body recursively. No known rulesheet comes
//! near these bounds; only hostile text exceeds them.

use super::{RulesheetView, each_atom_of_clause, each_part, each_term_of_clause};
use crate::gdl::{Finding, FindingCode, Span};
use hyperplay_machine::terms::{Symbol, Term};

/// The largest number of arguments of an atom or term.
const ARGUMENTS: usize = 255;
/// The largest number of roles.
const ROLES: usize = 255;
/// The largest number of conditions in one alternative of a clause.
const CONDITIONS: usize = 1000;

pub(super) fn check(view: &RulesheetView<'_>, findings: &mut Vec<Finding>) {
    let mut report = |span: Span, what: String| {
        findings.push(Finding::error(FindingCode::TooLarge, span, what));
    };
    let mut roles = 0;
    for (clause, branches) in view.clauses() {
        let place = clause.head.at.0;
        if clause.head.relation == Symbol::ROLE {
            roles += 1;
            if roles == ROLES + 1 {
                report(place, format!("more than {ROLES} roles"));
            }
        }
        if branches.iter().any(|branch| branch.body.len() > CONDITIONS) {
            report(place, format!("more than {CONDITIONS} conditions in one clause"));
        }
        each_atom_of_clause(clause, &mut |atom| {
            if atom.arguments.len() > ARGUMENTS {
                report(atom.at.0, format!("more than {ARGUMENTS} arguments"));
            }
        });
        each_term_of_clause(clause, &mut |term, span| {
            each_part(term, &mut |part| {
                if matches!(part, Term::Compound(_, arguments) if arguments.len() > ARGUMENTS) {
                    report(span, format!("more than {ARGUMENTS} arguments"));
                }
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Source, Syntax, load};
    use super::*;

    #[test]
    fn what_the_stages_below_could_not_hold_is_refused() {
        let arguments = "a ".repeat(256);
        let conditions = "(p) ".repeat(1001);
        let roles: String = (0..256).map(|number| format!("(role r{number})")).collect();
        for text in [
            format!("(wide {arguments})"),
            format!("(init (wide {arguments}))"),
            format!("(<= (long) {conditions})"),
            roles,
        ] {
            let loaded = load(Source::new("test", &text), Some(Syntax::Kif));
            let found =
                loaded.findings.iter().filter(|finding| finding.code == FindingCode::TooLarge).count();
            assert_eq!(found, 1, "{}", &text[..60]);
            assert!(loaded.game.is_none());
        }
    }
}
