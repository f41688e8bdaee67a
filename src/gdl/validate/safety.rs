//! Safety: every variable is bound by a positive atom of the body.
//!
//! `unsafe-variable`, `fact-with-variable` and `role-variable-unbound`. The check is made for each branch, for an
//! alternative of a disjunction may leave a variable unbound that another binds. A role variable of `legal`, `goal`
//! or `sees` that nothing binds has been repaired by the normal form; that is a fault of its own.

use super::super::finding::{Code, Finding, Severity};
use super::super::normal::Branch;
use super::super::rule::{Clause, Literal};
use super::super::rulesheet::Syntax;
use super::super::source::Span;
use super::super::symbol::Symbol;
use super::View;
use super::{keywords, typos};

/// Where a variable stands that must be bound elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Head,
    Negation,
    Distinct,
}

/// An unbound variable at its first place.
struct Unbound {
    variable: Symbol,
    place: Place,
    span: Span,
}

pub(super) fn check(view: &View<'_>, findings: &mut Vec<Finding>) {
    // A head with a wrong number of arguments has a finding already; the rest would only echo it.
    for (clause, branches) in view.clauses().filter(|(clause, _)| keywords::right(&clause.head)) {
        let mut unbound: Vec<Unbound> = Vec::new();
        let mut repaired = None;
        for branch in branches {
            repaired = repaired.or(branch.repaired);
            collect(clause, branch, &mut unbound);
        }
        if let Some(role) = repaired {
            findings.push(role_variable(view, clause, role));
        }
        // One finding for each place, naming all its variables.
        while let Some(Unbound { place, span, .. }) = unbound.first() {
            let (place, span) = (*place, *span);
            let (here, others) =
                unbound.into_iter().partition(|other| (other.place, other.span) == (place, span));
            unbound = others;
            let variables: Vec<Symbol> =
                Vec::from_iter::<Vec<Unbound>>(here).into_iter().map(|unbound| unbound.variable).collect();
            findings.push(report(view, clause, place, span, &variables));
        }
    }
}

/// Adds the variables that `branch` leaves unbound, unless they are there already.
fn collect(clause: &Clause, branch: &Branch, unbound: &mut Vec<Unbound>) {
    let bound = branch.bound();
    let mut add = |variable: Symbol, place: Place, span: Span| {
        if bound.binary_search(&variable).is_err() && !unbound.iter().any(|other| other.variable == variable)
        {
            unbound.push(Unbound { variable, place, span });
        }
    };
    clause.head.each_variable(&mut |variable| add(variable, Place::Head, clause.head.at.0));
    for (literal, span) in &branch.body {
        match literal {
            Literal::Positive(_) => {}
            Literal::Negative(atom) => {
                atom.each_variable(&mut |variable| add(variable, Place::Negation, *span));
            }
            Literal::Distinct(a, b) | Literal::Same(a, b) => {
                for term in [a, b] {
                    term.each_variable(&mut |variable| add(variable, Place::Distinct, *span));
                }
            }
        }
    }
}

fn role_variable(view: &View<'_>, clause: &Clause, role: Symbol) -> Finding {
    let span = clause.head.at.0;
    let variable = view.variable(span, role);
    let relation = view.name(clause.head.relation);
    let message = format!("nothing binds the role variable `{variable}` of `{relation}`");
    let atom = match view.sheet.syntax {
        Syntax::Kif => format!("(role {variable})"),
        Syntax::Infix => format!("role({variable})"),
    };
    Finding::new(
        Code::RoleVariableUnbound,
        Severity::Fault,
        view.locate_variable(span, role).unwrap_or(span),
        message,
    )
    .help(format!("it is taken to range over the roles; write `{atom}` in the body"))
}

fn report(view: &View<'_>, clause: &Clause, place: Place, span: Span, variables: &[Symbol]) -> Finding {
    let names: Vec<String> =
        variables.iter().map(|&variable| format!("`{}`", view.variable(span, variable))).collect();
    let names = names.join(", ");
    let at = match variables {
        [only] => view.locate_variable(span, *only).unwrap_or(span),
        _ => span,
    };
    if clause.body.is_empty() {
        let message = format!("a fact with variables: {names}");
        let finding = Finding::new(Code::FactWithVariable, Severity::Error, at, message);
        return finding.help(match view.sheet.syntax {
            Syntax::Kif => "a fact holds for named things only: write a rule whose body binds them",
            Syntax::Infix => {
                "a name that begins with a capital is a variable: write constants with a small letter, or a rule \
                 whose body binds the variable"
            }
        });
    }
    let where_ = match place {
        Place::Head => format!("the head of `{}`", view.name(clause.head.relation)),
        Place::Negation => "a negation".to_owned(),
        Place::Distinct => "`distinct`".to_owned(),
    };
    let message = format!("unsafe: no positive condition of the body binds {names}, used in {where_}");
    let finding = Finding::new(Code::UnsafeVariable, Severity::Error, at, message);
    match variables.iter().find_map(|&variable| typos::better(view, clause, variable)) {
        Some(help) => finding.help(help),
        None if place == Place::Negation && once(clause, variables) => {
            finding.help("to say that there is none, define a relation for \"there is one\" and negate that")
        }
        None => finding.help("add a condition that says which values it may take"),
    }
}

/// Whether none of the variables occurs a second time in the clause.
fn once(clause: &Clause, variables: &[Symbol]) -> bool {
    let uses = typos::uses(clause);
    variables.iter().all(|variable| uses.variables.get(variable).is_none_or(|count| *count <= 1))
}
