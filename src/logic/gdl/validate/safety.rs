//! Safety: every variable is bound by a positive atom of the body.
//!
//! The findings are `unsafe-variable`, `fact-with-variable` and `role-variable-unbound`. Each branch is checked,
//! because one alternative of a disjunction may leave a variable unbound that another alternative binds. If nothing
//! binds the role variable of `legal`, `goal` or `sees`, the normal form has repaired it, and the finding is a fault.
//! It is a fault too if a variable occurs in negated atoms only: each of them then says that there is none.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::typos::{NameUses, suggestion, uses};
use super::{MANY, RulesheetView, keywords, list};
use crate::gdl::normal::ClauseBranch;
use crate::gdl::{Clause, Finding, FindingCode, Literal, Span, Syntax};
use hyperplay_machine::terms::Symbol;

/// The place of a variable that must be bound elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum VariablePlace {
    Head,
    Negation,
    Distinct,
    /// A negation that is repaired: it says that there is none.
    FreeInNegation,
    /// A head variable that is repaired: it ranges over what the relation is asked.
    Ranging,
}

pub(super) fn check(view: &RulesheetView<'_>, findings: &mut Vec<Finding>) {
    // A head with a wrong number of arguments has a finding already, and further findings would only repeat it.
    for (clause, branches) in view.clauses().filter(|(clause, _)| keywords::has_right_arity(&clause.head)) {
        if let Some(role) = branches.iter().find_map(|branch| branch.repaired) {
            findings.push(role_variable(view, clause, role));
        }
        let mut unbound = Unbound::default();
        branches.iter().for_each(|branch| unbound.collect(clause, branch));
        if !unbound.places.is_empty() {
            let uses = uses(clause);
            let reports = unbound
                .places
                .iter()
                .map(|(place, variables)| report(view, clause, *place, variables, &uses));
            findings.extend(reports);
        }
    }
}

/// The unbound variables of a clause, each at its first place.
#[derive(Default)]
struct Unbound {
    /// Each variable that was added, with whether it is repaired there.
    seen: FxHashSet<(Symbol, bool)>,
    places: BTreeMap<(VariablePlace, Span), Vec<Symbol>>,
}

impl Unbound {
    /// Adds the variables that `branch` leaves unbound and that have not been added before.
    fn collect(&mut self, clause: &Clause, branch: &ClauseBranch) {
        let bound = branch.bound();
        let free = branch.free_in_negations(clause);
        let mut add = |variable: Symbol, place: VariablePlace, span: Span| {
            let place = match place {
                _ if branch.ranging.binary_search(&variable).is_ok() => VariablePlace::Ranging,
                _ if free.binary_search(&variable).is_ok() => VariablePlace::FreeInNegation,
                place => place,
            };
            let is_unbound = place == VariablePlace::Ranging || bound.binary_search(&variable).is_err();
            let is_repaired = matches!(place, VariablePlace::Ranging | VariablePlace::FreeInNegation);
            if is_unbound && self.seen.insert((variable, is_repaired)) {
                self.places.entry((place, span)).or_default().push(variable);
            }
        };
        clause.head.each_variable(&mut |variable| add(variable, VariablePlace::Head, clause.head.at.0));
        for (literal, span) in &branch.body {
            let place = match literal {
                Literal::Positive(_) => continue,
                Literal::Negative(_) => VariablePlace::Negation,
                Literal::Distinct(..) | Literal::Same(..) => VariablePlace::Distinct,
            };
            literal.each_variable(&mut |variable| add(variable, place, *span));
        }
    }
}

fn role_variable(view: &RulesheetView<'_>, clause: &Clause, role: Symbol) -> Finding {
    let span = clause.head.at.0;
    let variable = view.variable(span, role);
    let relation = view.name(clause.head.relation);
    let message = format!("nothing binds the role variable `{variable}` of `{relation}`");
    let named = match &variable[..] {
        "?_" => "?r",
        "_" => "R",
        named => named,
    };
    let atom = match view.sheet.syntax {
        Syntax::Kif => format!("(role {named})"),
        Syntax::Infix => format!("role({named})"),
    };
    let name_it = if named == variable { String::new() } else { format!("name it `{named}` and ") };
    Finding::fault(
        FindingCode::RoleVariableUnbound,
        view.locate_variable(span, role).unwrap_or(span),
        message,
    )
    .help(format!("it is taken to range over the roles; {name_it}write `{atom}` in the body"))
}

fn report(
    view: &RulesheetView<'_>,
    clause: &Clause,
    (place, span): (VariablePlace, Span),
    variables: &[Symbol],
    uses: &NameUses,
) -> Finding {
    let mut shown: Vec<String> =
        variables.iter().take(MANY + 1).map(|&variable| view.variable(span, variable)).collect();
    // Anonymous variables look the same.
    shown.dedup();
    let names = list(shown.iter().map(|name| &name[..]));
    let at = if let [only] = variables { view.locate_variable(span, *only).unwrap_or(span) } else { span };
    let relation = view.name(clause.head.relation);
    let similar = || variables.iter().take(MANY).find_map(|&variable| suggestion(view, uses, variable));
    let (code, message, help) = if clause.body.is_empty() {
        let help = match view.sheet.syntax {
            Syntax::Kif => "a fact holds for named things only: write a rule whose body binds them",
            Syntax::Infix => {
                "a name that begins with a capital is a variable: write constants with a small letter, or a rule \
                 whose body binds the variable"
            }
        };
        (FindingCode::FactWithVariable, format!("a fact with variables: {names}"), help.to_owned())
    } else {
        let place_name = match place {
            VariablePlace::Head | VariablePlace::Ranging => format!("the head of `{relation}`"),
            VariablePlace::Negation | VariablePlace::FreeInNegation => "a negation".to_owned(),
            VariablePlace::Distinct => "`distinct`".to_owned(),
        };
        let message =
            format!("unsafe: no positive condition of the body binds {names}, used in {place_name}");
        let help = match place {
            VariablePlace::FreeInNegation => {
                "to say in GDL that there is none, define a relation for \"there is one\" and negate that"
            }
            _ => "add a condition that says which values it may take",
        };
        (FindingCode::UnsafeVariable, message, similar().unwrap_or_else(|| help.to_owned()))
    };
    let repair = match place {
        VariablePlace::FreeInNegation => "the negation is taken to say that there is none".to_owned(),
        VariablePlace::Ranging => {
            let are = if shown.len() == 1 { "is" } else { "are" };
            format!("{names} {are} taken to range over the values with which `{relation}` is asked")
        }
        _ => return Finding::error(code, at, message).help(help),
    };
    Finding::fault(code, at, message).help(format!("{repair}; {help}"))
}
