//! State: which relations may depend on the state, and which on the moves.
//!
//! - `depends-on-state`: the roles, the initial state and the declarations must be the same in every state.
//! - `depends-on-does`: `legal`, `terminal` and `goal` are decided before a move is made.
//! - `sees-without-move`: `sees` is about a move. Where no move is made, `does` is empty, and so are the percepts.
//! - `sees-reads-next` and `sees-in-body` are accepted with a note.
//!
//! Dependence is followed through helper relations, but not through `legal`, `goal` and `terminal`, which get findings
//! of their own.

use super::super::depend::{Dependency, Routes};
use super::super::finding::{Finding, FindingCode, Severity};
use super::super::normal::ClauseBranch;
use super::{MANY, RulesheetView};
use hyperplay_machine::terms::Symbol;

const ALWAYS: [Symbol; 5] = [Symbol::ROLE, Symbol::INIT, Symbol::BASE, Symbol::INPUT, Symbol::PERCEPT];
const BEFORE_MOVES: [Symbol; 3] = [Symbol::TERMINAL, Symbol::LEGAL, Symbol::GOAL];

pub(super) fn check(view: &RulesheetView<'_>, findings: &mut Vec<Finding>) {
    let helper = |symbol| symbol != Symbol::SEES && !BEFORE_MOVES.contains(&symbol);
    let always = DependencyRule {
        code: FindingCode::DependsOnState,
        severity: Severity::Error,
        what: "must be the same in every state",
        help: None,
        routes: view.graph.routes(&[Symbol::TRUE, Symbol::DOES], &|symbol| !ALWAYS.contains(&symbol)),
    };
    let before_moves = DependencyRule {
        code: FindingCode::DependsOnDoes,
        severity: Severity::Error,
        what: "is decided before the moves are made",
        help: None,
        routes: view.graph.routes(&[Symbol::DOES], &helper),
    };
    let no_percepts = DependencyRule {
        code: FindingCode::SeesWithoutMove,
        severity: Severity::Fault,
        what: "reads percepts where no move is being made",
        help: Some("`does` is taken to be empty there"),
        routes: view.graph.routes(&[Symbol::SEES], &helper),
    };
    let reads_next = DependencyRule {
        code: FindingCode::SeesReadsNext,
        severity: Severity::Note,
        what: "is read from the rules of the next state or of legal moves",
        help: Some(
            "it is evaluated in the state before the moves, with the moves made; some systems refuse it",
        ),
        routes: view.graph.routes(&[Symbol::NEXT, Symbol::LEGAL], &|symbol| symbol != Symbol::SEES),
    };
    for (index, (clause, branches)) in view.clauses().enumerate() {
        let head = clause.head.relation;
        let mut apply = |rule: &DependencyRule| findings.extend(rule.apply(view, index, branches));
        if ALWAYS.contains(&head) {
            apply(&always);
        } else if BEFORE_MOVES.contains(&head) {
            apply(&before_moves);
            apply(&no_percepts);
            continue;
        } else if head == Symbol::SEES {
            apply(&reads_next);
        }
        let mut atoms = branches.iter().flat_map(ClauseBranch::atoms).map(|(atom, _)| atom);
        if !ALWAYS.contains(&head)
            && let Some(atom) = atoms.find(|atom| atom.relation == Symbol::SEES)
        {
            let message = format!("the body of `{}` reads `sees`", view.name(head));
            findings.push(
                Finding::note(FindingCode::SeesInBody, atom.at.0, message)
                    .help("it is evaluated with the moves that are being made; some systems refuse it"),
            );
        }
    }
}

/// A relation that some other relations must not depend on, with the paths that lead to it.
struct DependencyRule {
    code: FindingCode,
    severity: Severity,
    what: &'static str,
    help: Option<&'static str>,
    routes: Routes,
}

impl DependencyRule {
    /// The finding for a clause, at the first atom of its body from which a path begins.
    fn apply(&self, view: &RulesheetView<'_>, index: usize, branches: &[ClauseBranch]) -> Option<Finding> {
        let clause = &view.sheet.clauses[index];
        let mut atoms = branches.iter().flat_map(ClauseBranch::atoms);
        let (atom, negative) = atoms.find(|(atom, _)| self.routes.begin_at(atom.relation))?;
        let head = clause.head.relation;
        let first = Dependency { head, body: atom.relation, negative, clause: index };
        let path: Vec<Dependency> =
            std::iter::once(first).chain(self.routes.path(atom.relation)).take(MANY + 1).collect();
        let message = format!("`{}` {}: {}", view.name(head), self.what, view.chain(&path));
        let mut finding = Finding::new(self.code, self.severity, atom.at.0, message);
        if let [_, .., last] = &path[..]
            && path.len() <= MANY
        {
            let place = view.sheet.clauses[last.clause].at.0;
            finding = finding.related(place, format!("`{}` is read here", view.name(last.body)));
        }
        Some(finding.help_if(self.help))
    }
}
