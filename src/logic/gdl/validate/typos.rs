//! Typing errors: variables that look mistyped.
//!
//! - `single-use-variable`: a variable that occurs once in its clause, next to a variable whose name differs by one
//!   typing error (one letter more, less or different, or two swapped). Names that authors number or prefix on
//!   purpose (`?x1 ?x2`, `?xold ?yold`, `?row ?nrow`) are not reported.
//! - `missing-question-mark`, in the prefix form only: a constant next to the variable of the same name that occurs
//!   in no other clause; or a capitalised constant that occurs at least twice in every rule that contains it and in
//!   no fact, so that no rule introduces it. If several rules have such constants this is an error, because the
//!   author seems to have used capitals for variables.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{RulesheetView, each_part, each_term_of_clause};
use crate::gdl::{Clause, Finding, FindingCode, Severity, Span, Syntax};
use hyperplay_machine::terms::{Symbol, Term};

/// A clause with more variables than this was not written by hand and is not searched for typing errors.
const MOST: usize = 100;

/// The number of rules with capitals for variables from which on this is an error.
const SEVERAL: usize = 3;

pub(super) fn check(view: &RulesheetView<'_>, findings: &mut Vec<Finding>) {
    let uses: Vec<NameUses> = view.sheet.clauses.iter().map(uses).collect();
    // The number of clauses in which each constant occurs.
    let mut clauses: FxHashMap<Symbol, usize> = FxHashMap::default();
    for constant in uses.iter().flat_map(|uses| uses.constants.keys()) {
        *clauses.entry(*constant).or_default() += 1;
    }
    for (position, (clause, branches)) in view.clauses().enumerate() {
        let uses = &uses[position];
        let bound: Vec<Vec<Symbol>> = branches.iter().map(|branch| branch.bound()).collect();
        let safe = |variable: &Symbol| {
            bound.iter().all(|bound| bound.binary_search(variable).is_ok())
                && branches.iter().all(|branch| branch.ranging.binary_search(variable).is_err())
        };
        // For an unbound variable the safety check makes the finding, with the suggestion.
        for variable in uses.variables.keys().filter(|variable| safe(variable)) {
            let confused = uses.constants.contains_key(variable) && clauses[variable] == 1;
            if confused && view.sheet.syntax == Syntax::Kif {
                findings.push(missing_mark(view, clause, &[*variable], Severity::Warning));
            } else if uses.variables[variable] == 1 {
                let constant = || confused.then(|| view.name(*variable).to_owned());
                if let Some(other) = similar_variable(view, uses, *variable).or_else(constant) {
                    findings.push(used_once(view, clause, *variable, &other));
                }
            }
        }
    }
    if view.sheet.syntax == Syntax::Kif {
        capitalised_constants(view, &uses, findings);
    }
}

/// The number of occurrences of each variable and each constant in a clause.
#[derive(Default)]
pub(super) struct NameUses {
    pub(super) variables: FxHashMap<Symbol, usize>,
    constants: FxHashMap<Symbol, usize>,
}

/// Counts the variables and constants of a clause.
pub(super) fn uses(clause: &Clause) -> NameUses {
    let mut uses = NameUses::default();
    each_term_of_clause(clause, &mut |outer, _| {
        each_part(outer, &mut |term| match term {
            Term::Variable(variable) => *uses.variables.entry(*variable).or_default() += 1,
            Term::Constant(constant) => *uses.constants.entry(*constant).or_default() += 1,
            Term::Compound(..) => {}
        });
    });
    uses
}

/// A suggestion for a variable that nothing binds.
pub(super) fn suggestion(view: &RulesheetView<'_>, uses: &NameUses, variable: Symbol) -> Option<String> {
    let shown = view.as_variable(variable);
    if uses.constants.contains_key(&variable) {
        let constant = view.name(variable);
        return Some(format!(
            "the constant `{constant}` stands elsewhere in the clause; did you mean `{shown}` there?"
        ));
    }
    similar_variable(view, uses, variable).map(|other| format!("did you mean `{other}`?"))
}

/// The variable of the clause for which a variable may be a typing error.
fn similar_variable(view: &RulesheetView<'_>, uses: &NameUses, variable: Symbol) -> Option<String> {
    let others = uses.variables.keys().take(if uses.variables.len() > MOST { 0 } else { MOST });
    let near = others.filter(|other| is_typing_error(view.name(variable), view.name(**other)));
    near.min().map(|other| view.as_variable(*other))
}

/// Whether one name looks like a typing error for the other.
pub(super) fn is_typing_error(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.len() < 3 || long.len() < 4 || short == long {
        return false;
    }
    let before = short.iter().zip(&long).take_while(|(a, b)| a == b).count();
    let room = short.len() - before;
    let after = short.iter().rev().zip(long.iter().rev()).take(room).take_while(|(a, b)| a == b).count();
    let (x, y) = (&short[before..short.len() - after], &long[before..long.len() - after]);
    if x.iter().chain(y).any(|letter| !letter.is_alphabetic()) {
        return false;
    }
    let inside = before > 0 && after > 0;
    match (x, y) {
        ([_], [_]) => inside,
        ([], [_]) => inside || (before >= 5 && y != ['s']),
        ([p, q], [r, s]) => p == s && q == r,
        _ => false,
    }
}

fn used_once(view: &RulesheetView<'_>, clause: &Clause, variable: Symbol, other: &str) -> Finding {
    let span = clause.at.0;
    let shown = view.variable(span, variable);
    let message = format!("the variable `{shown}` occurs once in this clause, beside `{other}`");
    let place = view.locate_variable(span, variable).unwrap_or(span);
    Finding::warning(FindingCode::SingleUseVariable, place, message).help(format!("did you mean `{other}`?"))
}

/// Reports constants that no rule introduces and that are written as if they were variables.
fn capitalised_constants(view: &RulesheetView<'_>, uses: &[NameUses], findings: &mut Vec<Finding>) {
    // A constant that occurs in a fact, or once in a rule, is introduced there.
    let mut brought: FxHashSet<Symbol> = FxHashSet::default();
    for (clause, uses) in view.sheet.clauses.iter().zip(uses) {
        let known =
            |(&name, &count): (&Symbol, &usize)| (clause.body.is_empty() || count == 1).then_some(name);
        brought.extend(uses.constants.iter().filter_map(known));
    }
    let mut found: Vec<(&Clause, Vec<Symbol>)> = Vec::new();
    for (clause, uses) in view.sheet.clauses.iter().zip(uses).filter(|(clause, _)| !clause.body.is_empty()) {
        let mut repeated: Vec<Symbol> = uses
            .constants
            .iter()
            .filter(|(name, count)| **count > 1 && !uses.variables.contains_key(name))
            .map(|(name, _)| *name)
            .filter(|name| !brought.contains(name) || view.name(*name).chars().count() == 1)
            .collect();
        repeated.sort_unstable();
        repeated.truncate(MOST);
        let written = |name: Symbol| view.sheet.source.slice(view.locate(clause.at.0, name));
        repeated.retain(|name| written(*name).starts_with(char::is_uppercase));
        // Next to a constant that is not introduced, other single capitals count as variables too.
        if repeated.iter().any(|name| !brought.contains(name)) {
            found.push((clause, repeated));
        }
    }
    let severity = if found.len() >= SEVERAL { Severity::Error } else { Severity::Warning };
    findings.extend(found.into_iter().map(|(clause, names)| missing_mark(view, clause, &names, severity)));
}

fn missing_mark(view: &RulesheetView<'_>, clause: &Clause, names: &[Symbol], severity: Severity) -> Finding {
    let span = clause.at.0;
    let places: Vec<Span> = names.iter().map(|name| view.locate(span, *name)).collect();
    let quoted = |mark: &str| {
        let shown = places.iter().map(|place| format!("`{mark}{}`", view.sheet.source.slice(*place)));
        shown.collect::<Vec<_>>().join(", ")
    };
    let constants = if names.len() == 1 { "is a constant" } else { "are constants" };
    let message = format!("{} {constants} here, but used like a variable", quoted(""));
    let place = places.iter().min().copied().unwrap_or(span);
    Finding::new(FindingCode::MissingQuestionMark, severity, place, message)
        .help(format!("a variable begins with `?`: did you mean {}?", quoted("?")))
}
