//! Cycles: the conditions under which the rules have one meaning and derive finitely many atoms.
//!
//! - `unstratified-negation`: no relation may depend on its own negation.
//! - `unrestricted-recursion`: if a clause calls a relation that is in a cycle with its head, every argument of the
//!   call must be ground, or be an argument of the head, or occur in a positive condition that is not in the cycle
//!   (the recursion restriction of the GDL specification). A compound argument also counts as occurring there if all
//!   its variables do, because then it has finitely many instances.

use rustc_hash::FxHashSet;

use super::super::depend::Dependency;
use super::super::finding::{Finding, FindingCode, Severity};
use super::super::normal::ClauseBranch;
use super::super::rule::{Atom, Clause, Literal};
use super::super::source::Span;
use super::super::symbol::Symbol;
use super::super::term::Term;
use super::{MANY, RulesheetView};

pub(super) fn check(view: &RulesheetView<'_>, findings: &mut Vec<Finding>) {
    findings.extend(view.graph.negative_cycles().iter().map(|cycle| unstratified(view, cycle)));
    for (clause, branches) in view.clauses() {
        let mut seen = FxHashSet::default();
        let arguments: FxHashSet<&Term> = clause.head.arguments.iter().collect();
        for branch in
            branches.iter().filter(|branch| branch.positive().any(|call| recursive(view, clause, call)))
        {
            let outside = bound_outside(view, clause, branch);
            for call in branch.positive().filter(|call| recursive(view, clause, call)) {
                for argument in &call.arguments {
                    let mut listed = true;
                    argument.each_variable(&mut |variable| listed &= outside.contains(&variable));
                    if !listed && !arguments.contains(argument) && seen.insert((call.at.0, argument)) {
                        findings.push(unrestricted(view, clause, call, argument));
                    }
                }
            }
        }
    }
}

/// The variables of the positive conditions that are not in a cycle with the head.
fn bound_outside(view: &RulesheetView<'_>, clause: &Clause, branch: &ClauseBranch) -> FxHashSet<Symbol> {
    let mut variables = FxHashSet::default();
    branch.positive().filter(|atom| !view.graph.in_a_cycle(clause.head.relation, atom.relation)).for_each(
        |atom| {
            atom.each_variable(&mut |variable| {
                variables.insert(variable);
            });
        },
    );
    variables
}

/// Whether a condition is a recursive call. A keyword with a wrong number of arguments has a finding already.
fn recursive(view: &RulesheetView<'_>, clause: &Clause, call: &Atom) -> bool {
    let head = &clause.head;
    view.graph.in_a_cycle(head.relation, call.relation)
        && (head.relation != call.relation || head.arguments.len() == call.arguments.len())
}

/// The cycle in words: `p <- not q <- r <- p`, with the line of each clause.
fn unstratified(view: &RulesheetView<'_>, cycle: &[Dependency]) -> Finding {
    let first = cycle[0];
    let mut words = format!("`{}`", view.name(first.head));
    for arrow in cycle.iter().take(MANY) {
        let not = if arrow.negative { "not " } else { "" };
        words += &format!(" <- {not}`{}`", view.name(arrow.body));
    }
    if cycle.len() > MANY {
        words += &format!(" <- ... <- `{}`", view.name(first.head));
    }
    let span = place(view, &first);
    let message = format!("`{}` depends on its own negation: {words}", view.name(first.head));
    let lines: Vec<String> = cycle
        .iter()
        .take(MANY)
        .map(|arrow| format!("`{}` at line {}", view.name(arrow.head), view.line(place(view, arrow))))
        .collect();
    let finding = Finding::new(FindingCode::UnstratifiedNegation, Severity::Error, span, message)
        .help(format!("the cycle runs through {}; break it at one of them", lines.join(", ")));
    match cycle.last() {
        Some(last) if cycle.len() > 1 => finding.related(place(view, last), "the cycle closes here"),
        _ => finding,
    }
}

/// The place at which the body of the clause reads the relation of a dependency.
fn place(view: &RulesheetView<'_>, arrow: &Dependency) -> Span {
    view.branches[arrow.clause]
        .iter()
        .flat_map(|branch| &branch.body)
        .find(|(literal, _)| match literal {
            Literal::Positive(atom) => !arrow.negative && atom.relation == arrow.body,
            Literal::Negative(atom) => arrow.negative && atom.relation == arrow.body,
            _ => false,
        })
        .map_or(view.sheet.clauses[arrow.clause].at.0, |(_, span)| *span)
}

fn unrestricted(view: &RulesheetView<'_>, clause: &Clause, call: &Atom, argument: &Term) -> Finding {
    let head = view.name(clause.head.relation);
    let argument = view.show(argument);
    let message = format!(
        "unrestricted recursion: in the clause for `{head}`, the argument `{argument}` of `{}` is neither ground, nor \
         an argument of the head, nor in a condition outside the cycle",
        view.name(call.relation)
    );
    Finding::new(FindingCode::UnrestrictedRecursion, Severity::Error, call.at.0, message)
        .related(clause.head.at.0, "the head that it recurs to")
        .help("add a condition that lists the values it may take")
}
