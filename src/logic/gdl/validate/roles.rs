//! Roles: there are roles, every role has moves and goals, and the rules mention no other players.
//!
//! The findings are `no-role`, `no-terminal`, `no-legal`, `no-goal`, `no-init`, `duplicate-role`, `not-a-role`,
//! `goal-out-of-range` and `goal-not-a-number`. If a relation is missing and another one has a similar name, that one
//! is suggested.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{MANY, RulesheetView, each_atom_of_clause, list};
use crate::gdl::suggest::nearest;
use crate::gdl::{Atom, Clause, Finding, FindingCode, Span};
use hyperplay_machine::Goal;
use hyperplay_machine::terms::{Symbol, Term};

pub(super) fn check(view: &RulesheetView<'_>, findings: &mut Vec<Finding>) {
    let roles = roles(view, findings);
    if view.is_complete {
        missing(view, findings);
        roles_without_rules(view, &roles, findings);
    }
    if view.is_complete && !roles.is_empty() && roles.iter().all(|(role, _)| role.is_ground()) {
        unknown_roles(view, &roles, findings);
    }
    for clause in &view.sheet.clauses {
        goal(view, &clause.head, findings);
    }
}

/// The roles in the order of the text with their places. Reports a role that is named a second time.
fn roles<'s>(view: &RulesheetView<'s>, findings: &mut Vec<Finding>) -> Vec<(&'s Term, Span)> {
    let mut first: FxHashMap<&Term, Span> = FxHashMap::default();
    let mut roles = Vec::new();
    for Clause { head, .. } in &view.sheet.clauses {
        let (Symbol::ROLE, [role]) = (head.relation, &head.arguments[..]) else { continue };
        match first.get(role) {
            None => {
                first.insert(role, head.at.0);
                roles.push((role, head.at.0));
            }
            Some(place) if role.is_ground() => findings.push(
                Finding::fault(FindingCode::DuplicateRole, head.at.0, "this role is named a second time")
                    .related(*place, "first named here")
                    .help("the second time is ignored"),
            ),
            Some(_) => {}
        }
    }
    roles
}

fn missing(view: &RulesheetView<'_>, findings: &mut Vec<Finding>) {
    let needed = [
        (Symbol::ROLE, FindingCode::NoRole, "the game has no role"),
        (
            Symbol::TERMINAL,
            FindingCode::NoTerminal,
            "nothing says when the game is over: there is no clause for `terminal`",
        ),
        (Symbol::LEGAL, FindingCode::NoLegal, "no move is ever legal: there is no clause for `legal`"),
        (Symbol::GOAL, FindingCode::NoGoal, "nobody wins anything: there is no clause for `goal`"),
        (Symbol::INIT, FindingCode::NoInit, "some game masters fail without a clause for `init`"),
    ];
    for (relation, code, message) in needed {
        if view.defines(relation) {
            continue;
        }
        // Such rules are a game; it is programs of others that fail.
        let make = if code == FindingCode::NoInit { Finding::note } else { Finding::error };
        let finding = make(code, Span::default(), message);
        let word = view.name(relation);
        let near = view.sheet.clauses.iter().map(|clause| &clause.head).find(|head| {
            head.relation.keyword_arity().is_none() && nearest(view.name(head.relation), [word]).is_some()
        });
        findings.push(match near {
            Some(head) => {
                let wrong = view.name(head.relation);
                finding
                    .related(view.locate(head.at.0, head.relation), format!("is `{wrong}` a misspelling?"))
                    .help(format!("did you mean `{word}` for `{wrong}`?"))
            }
            None => finding,
        });
    }
}

/// Reports the roles that match no head of `legal` or of `goal`.
fn roles_without_rules(view: &RulesheetView<'_>, roles: &[(&Term, Span)], findings: &mut Vec<Finding>) {
    let (legal, goal) = (About::of(view, Symbol::LEGAL), About::of(view, Symbol::GOAL));
    for &(role, span) in roles.iter().filter(|(role, _)| role.is_ground()) {
        let name = view.show(role);
        if view.defines(Symbol::LEGAL) && !legal.admits(role) {
            let message = format!("no clause for `legal` can be about the role `{name}`: it can never move");
            findings.push(
                Finding::error(FindingCode::NoLegal, span, message)
                    .help("give it a move that does nothing, such as `noop`, where it has no choice"),
            );
        }
        if view.defines(Symbol::GOAL) && !goal.admits(role) && *role != Term::Constant(Symbol::RANDOM) {
            let message = format!("no clause for `goal` can be about the role `{name}`");
            let finding = Finding::fault(FindingCode::NoGoal, span, message);
            findings.push(finding.help("its goal is taken to be 0"));
        }
    }
}

/// The first arguments of the heads of a relation: the roles that the heads are about.
#[derive(Default)]
struct About<'s> {
    /// Whether some head is about every role.
    anybody: bool,
    ground: FxHashSet<&'s Term>,
    /// Compound terms with variables, by functor.
    open: FxHashMap<Symbol, Vec<&'s Term>>,
}

impl<'s> About<'s> {
    fn of(view: &RulesheetView<'s>, relation: Symbol) -> Self {
        let mut about = About::default();
        let heads = view.sheet.clauses.iter().map(|clause| &clause.head);
        for first in heads.filter(|head| head.relation == relation).filter_map(|head| head.arguments.first())
        {
            match first {
                Term::Variable(_) => about.anybody = true,
                Term::Compound(functor, _) if !first.is_ground() => {
                    about.open.entry(*functor).or_default().push(first);
                }
                _ => {
                    about.ground.insert(first);
                }
            }
        }
        about
    }

    fn admits(&self, role: &Term) -> bool {
        let open = if let Term::Compound(functor, _) = role { self.open.get(functor) } else { None };
        self.anybody
            || self.ground.contains(role)
            || open.is_some_and(|terms| terms.iter().any(|term| term.may_unify(role)))
    }
}

/// The help for an atom about somebody who is no role.
const NOBODY: &str = "it has no part in play, because nobody plays that role";

/// Reports ground terms that stand for a role but are not the name of one.
fn unknown_roles(view: &RulesheetView<'_>, roles: &[(&Term, Span)], findings: &mut Vec<Finding>) {
    let known: FxHashSet<&Term> = roles.iter().map(|(role, _)| *role).collect();
    let about_a_role = |atom: &Atom| {
        matches!(
            atom.relation,
            Symbol::LEGAL | Symbol::GOAL | Symbol::SEES | Symbol::DOES | Symbol::INPUT | Symbol::PERCEPT
        )
    };
    for clause in &view.sheet.clauses {
        each_atom_of_clause(clause, &mut |atom| {
            let Some(first) = atom.arguments.first().filter(|_| about_a_role(atom)) else { return };
            if !first.is_ground()
                || known.contains(first)
                || atom.relation.keyword_arity() != Some(atom.arguments.len())
            {
                return;
            }
            let shown = view.show(first);
            let message = format!("`{shown}` is no role, but `{}` is about one", view.name(atom.relation));
            let place = match first {
                Term::Constant(name) => view.locate(atom.at.0, *name),
                _ => atom.at.0,
            };
            let names = roles.iter().take(MANY + 1).filter_map(|(role, _)| match role {
                Term::Constant(name) => Some(view.name(*name)),
                _ => None,
            });
            let help = match nearest(&shown, names.clone()) {
                Some(near) => format!("{NOBODY}; did you mean `{near}`?"),
                None => format!("{NOBODY}; the roles are {}", list(names)),
            };
            findings.push(Finding::fault(FindingCode::NotARole, place, message).help(help));
        });
    }
}

fn goal(view: &RulesheetView<'_>, head: &Atom, findings: &mut Vec<Finding>) {
    let (Symbol::GOAL, [_, value]) = (head.relation, &head.arguments[..]) else { return };
    let (name, place) = match value {
        Term::Variable(_) => return,
        Term::Constant(name) => (view.name(*name), view.locate(head.at.0, *name)),
        Term::Compound(..) => ("", head.at.0),
    };
    match Goal::nearest(name) {
        Some(_) if name.parse().is_ok_and(|number| (0..=100).contains(&number)) => {}
        Some(goal) => {
            let message = format!("the goal value {name} is outside 0..=100");
            let help = format!("it is taken to be {}", goal.value());
            findings.push(Finding::fault(FindingCode::GoalOutOfRange, place, message).help(help));
        }
        None => {
            let shown = view.show(value);
            let message = format!("the goal value `{shown}` is not a whole number");
            findings.push(
                Finding::error(FindingCode::GoalNotANumber, place, message)
                    .help("goals are whole numbers from 0 to 100"),
            );
        }
    }
}
