//! Keywords: their arity, and the places where they may stand.
//!
//! The findings are `keyword-arity`, `keyword-misused`, `reserved-head` and `keyword-in-term`. A keyword as a
//! function or constant is accepted with a note, because it may be intended, as in `(sees alice (does bob fold))`. A
//! connective as a function and a keyword as the name of a role are errors. The readers report what the grammar
//! itself excludes, such as `not` with two formulas.

use rustc_hash::FxHashSet;

use super::{MANY, RulesheetView, arguments, each_part};
use crate::gdl::{Atom, Clause, Finding, FindingCode, Span, Syntax};
use hyperplay_machine::terms::{Symbol, Term};

pub(super) fn check(view: &RulesheetView<'_>, findings: &mut Vec<Finding>) {
    let mut noted = FxHashSet::default();
    for clause in &view.sheet.clauses {
        head(view, clause, findings);
        arity(view, &clause.head, findings);
        clause.body.iter().for_each(|formula| {
            formula.each_atom(&mut |atom| {
                if is_connective(view, atom.relation) {
                    let name = view.name(atom.relation);
                    let message = format!("`{name}` stands for a relation here");
                    findings.push(Finding::error(
                        FindingCode::KeywordMisused,
                        view.locate(atom.at.0, atom.relation),
                        message,
                    ));
                } else {
                    arity(view, atom, findings);
                }
            });
        });
        terms(clause, &mut |outer, span| {
            each_part(outer, &mut |term| part(view, term, span, &mut noted, findings));
        });
        if let (Symbol::ROLE, [Term::Constant(role)]) = (clause.head.relation, &clause.head.arguments[..])
            && is_keyword(view, *role)
        {
            let message = format!("a role cannot be named `{}`", view.name(*role));
            let place = view.locate(clause.head.at.0, *role);
            findings.push(Finding::error(FindingCode::KeywordMisused, place, message));
        }
    }
}

/// Calls `visit` for the terms of a clause with their places. Atoms with a wrong number of arguments are left out,
/// because their arguments may be at wrong positions.
pub(super) fn terms<'c>(clause: &'c Clause, visit: &mut dyn FnMut(&'c Term, Span)) {
    if has_right_arity(&clause.head) {
        clause.head.arguments.iter().for_each(|term| visit(term, clause.head.at.0));
    }
    for formula in &clause.body {
        let mut wrong = false;
        formula.each_atom(&mut |atom| wrong |= !has_right_arity(atom));
        if !wrong {
            formula.each_term(visit);
        }
    }
}

/// Whether an atom has as many arguments as its relation takes.
pub(super) fn has_right_arity(atom: &Atom) -> bool {
    atom.relation.keyword_arity().is_none_or(|arity| arity == atom.arguments.len())
}

/// Whether a name is `not`, `and`, `or`, `distinct` or the arrow.
fn is_connective(view: &RulesheetView<'_>, symbol: Symbol) -> bool {
    symbol.is_logical() || matches!(view.name(symbol), "<=" | ":-" | "=>" | "<==" | "<-")
}

/// Whether a name is a relation of the language or a connective.
fn is_keyword(view: &RulesheetView<'_>, symbol: Symbol) -> bool {
    symbol.keyword_arity().is_some() || is_connective(view, symbol)
}

fn head(view: &RulesheetView<'_>, clause: &Clause, findings: &mut Vec<Finding>) {
    let head = &clause.head;
    let name = view.name(head.relation);
    let place = view.locate(head.at.0, head.relation);
    if is_connective(view, head.relation) {
        let message = format!("`{name}` stands where a clause is defined");
        let help = match view.sheet.syntax {
            Syntax::Kif => "a clause is a fact `(p a)` or a rule `(<= (p ?x) (q ?x))`",
            Syntax::Infix => "a clause is a fact `p(a)` or a rule `p(X) :- q(X)`",
        };
        findings.push(Finding::error(FindingCode::KeywordMisused, place, message).help(help));
        return;
    }
    let help = match head.relation {
        Symbol::TRUE => "what holds at the start is `init`, what holds after a step is `next`",
        Symbol::DOES => "what a role may do is `legal`; what it does is its own choice",
        Symbol::ROLE if !clause.body.is_empty() => "name each role by a fact",
        _ => return,
    };
    let message = match head.relation {
        Symbol::ROLE => "the roles cannot be derived by a rule".to_owned(),
        _ => format!("`{name}` is given by the match; no clause may define it"),
    };
    findings.push(Finding::error(FindingCode::ReservedHead, place, message).help(help));
}

fn arity(view: &RulesheetView<'_>, atom: &Atom, findings: &mut Vec<Finding>) {
    let Some(arity) = atom.relation.keyword_arity() else { return };
    if is_connective(view, atom.relation) || has_right_arity(atom) {
        return;
    }
    let name = view.name(atom.relation);
    let message = format!("`{name}` takes {}, here it has {}", arguments(arity), atom.arguments.len());
    let finding = Finding::error(FindingCode::KeywordArity, view.locate(atom.at.0, atom.relation), message);
    findings.push(finding.help_if(arity_help(view, atom, arity)));
}

/// A suggestion for `(base cell (1 2))`, `(init cell 1 1)`, `(legal move)` and the like.
fn arity_help(view: &RulesheetView<'_>, atom: &Atom, arity: usize) -> Option<String> {
    // `(<= (base (p ?x) (role ?x)))`: the conditions stand inside the head by mistake.
    let condition = |term: &Term| match term {
        Term::Compound(functor, _) => is_keyword(view, *functor) || view.defines(*functor),
        _ => false,
    };
    if atom.arguments.len() > arity && atom.arguments[arity..].iter().all(condition) {
        return Some("the parenthesis that closes the head stands behind the conditions of the body".into());
    }
    let name = view.name(atom.relation);
    match (arity, &atom.arguments[..]) {
        (1, [Term::Constant(first), rest @ ..]) if atom.relation != Symbol::ROLE && !rest.is_empty() => {
            let meant = Term::Compound(atom.relation, [joined(*first, rest)].into());
            Some(format!("one term is meant: did you mean `{}`?", view.show(&meant)))
        }
        (1, [_, _, ..]) => Some(format!("write one `{name}` for each")),
        (2, [_]) => Some(format!("the first argument of `{name}` is a role")),
        (2, [role, Term::Constant(second), rest @ ..]) if !rest.is_empty() => {
            let meant = Term::Compound(atom.relation, [role.clone(), joined(*second, rest)].into());
            Some(format!("one term is meant: did you mean `{}`?", view.show(&meant)))
        }
        _ => None,
    }
}

/// The term that a name and the arguments after it seem to mean, with long arguments shortened.
fn joined(functor: Symbol, arguments: &[Term]) -> Term {
    let short = |term: &Term| match term {
        Term::Compound(functor, _) => Term::Constant(*functor),
        other => other.clone(),
    };
    Term::new(functor, arguments.iter().take(MANY).map(short).collect())
}

/// Reports a keyword that is used as a functor or constant.
fn part(
    view: &RulesheetView<'_>,
    term: &Term,
    span: Span,
    noted: &mut FxHashSet<Symbol>,
    findings: &mut Vec<Finding>,
) {
    let Some((symbol, arity)) = term.functor() else { return };
    let compound = arity > 0;
    if !is_keyword(view, symbol) {
        return;
    }
    let name = view.name(symbol);
    if compound && is_connective(view, symbol) {
        let message = format!("`{name}` stands inside a term");
        let help = match symbol {
            Symbol::NOT => "negate the whole condition, not the term inside it",
            Symbol::DISTINCT => "`distinct` is a condition of a rule, not a term",
            _ => "connectives join conditions, not terms",
        };
        let place = view.locate(span, symbol);
        findings.push(Finding::error(FindingCode::KeywordMisused, place, message).help(help));
    } else if noted.insert(symbol) {
        let kind = if compound { "function" } else { "constant" };
        let message = format!("`{name}` is used as a {kind} inside a term");
        let help = "it is taken as a plain name there, without its meaning in the language";
        let place = view.locate(span, symbol);
        findings.push(Finding::note(FindingCode::KeywordInTerm, place, message).help(help));
    }
}
