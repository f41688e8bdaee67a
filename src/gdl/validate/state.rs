//! State: what may depend on the state, and what on the moves.
//!
//! `depends-on-state`: the roles, the initial state and the declarations are the same in every state.
//! `depends-on-does`: what is legal, terminal and a goal is decided before a move. `sees-without-move`: `sees` is about
//! a move; where none is made `does` is empty, and so are the percepts. `sees-reads-next` and `sees-in-body` are
//! accepted with a note. Dependence is followed through helper relations, and not through `legal`, `goal` and
//! `terminal`, which get their own findings.

use super::super::depend::Dependency;
use super::super::finding::{Code, Finding, Severity};
use super::super::normal::Branch;
use super::super::rule::{Atom, Clause};
use super::super::source::Span;
use super::super::symbol::Symbol;
use super::View;

const ALWAYS: [Symbol; 5] = [Symbol::ROLE, Symbol::INIT, Symbol::BASE, Symbol::INPUT, Symbol::PERCEPT];
const BEFORE_MOVES: [Symbol; 3] = [Symbol::TERMINAL, Symbol::LEGAL, Symbol::GOAL];

pub(super) fn check(view: &View<'_>, findings: &mut Vec<Finding>) {
    for (index, (clause, branches)) in view.clauses().enumerate() {
        let head = clause.head.relation;
        let reach = Reach { view, clause: index, branches };
        if ALWAYS.contains(&head) {
            let given = |symbol| matches!(symbol, Symbol::TRUE | Symbol::DOES);
            findings.extend(reach.first(given, |symbol| !ALWAYS.contains(&symbol)).map(|path| {
                let what = format!("`{}` must be the same in every state", view.name(head));
                reach.finding(Code::DependsOnState, Severity::Error, &what, &path)
            }));
        }
        if BEFORE_MOVES.contains(&head) {
            let helper = |symbol| symbol != Symbol::SEES && !BEFORE_MOVES.contains(&symbol);
            findings.extend(reach.first(|symbol| symbol == Symbol::DOES, helper).map(|path| {
                let what = format!("`{}` is decided before the moves are made", view.name(head));
                reach.finding(Code::DependsOnDoes, Severity::Error, &what, &path)
            }));
            findings.extend(reach.first(|symbol| symbol == Symbol::SEES, helper).map(|path| {
                let what = format!("`{}` reads `sees` where no move is being made", view.name(head));
                reach
                    .finding(Code::SeesWithoutMove, Severity::Fault, &what, &path)
                    .help("`does` is taken to be empty there")
            }));
        }
        if head == Symbol::SEES {
            let late = |symbol| matches!(symbol, Symbol::NEXT | Symbol::LEGAL);
            findings.extend(reach.first(late, |symbol| symbol != Symbol::SEES).map(|path| {
                let read = path.last().expect("a path that leaves `sees`").body;
                let what = format!("`sees` reads `{}`", view.name(read));
                reach.finding(Code::SeesReadsNext, Severity::Note, &what, &path).help(
                    "it is evaluated in the state before the moves, with the moves made; some systems refuse it",
                )
            }));
        }
        if !BEFORE_MOVES.contains(&head) && !ALWAYS.contains(&head) {
            findings.extend(reach.atom(|atom| atom.relation == Symbol::SEES).map(|atom| {
                let message = format!("the body of `{}` reads `sees`", view.name(head));
                Finding::new(Code::SeesInBody, Severity::Note, atom.at.0, message)
                    .help("it is evaluated with the moves that are being made; some systems refuse it")
            }));
        }
    }
}

/// What one clause reads, directly or through helpers.
struct Reach<'v, 's> {
    view: &'v View<'s>,
    clause: usize,
    branches: &'v [Branch],
}

impl<'v> Reach<'v, '_> {
    fn clause(&self) -> &'v Clause {
        &self.view.sheet.clauses[self.clause]
    }

    fn atom(&self, wanted: impl Fn(&Atom) -> bool) -> Option<&'v Atom> {
        self.branches.iter().flat_map(Branch::atoms).map(|(atom, _)| atom).find(|atom| wanted(atom))
    }

    /// The chain of arrows from the head of the clause, by the first atom of the body that is a wanted relation or
    /// depends on one through helpers.
    fn first(
        &self,
        wanted: impl Fn(Symbol) -> bool,
        helper: impl Fn(Symbol) -> bool,
    ) -> Option<Vec<Dependency>> {
        let atoms = self.branches.iter().flat_map(Branch::atoms);
        for (atom, negative) in atoms {
            let arrow = Dependency {
                head: self.clause().head.relation,
                body: atom.relation,
                negative,
                clause: self.clause,
            };
            if wanted(atom.relation) {
                return Some(vec![arrow]);
            }
            if helper(atom.relation)
                && let Some(rest) = self.view.graph.path(atom.relation, &wanted, &helper)
            {
                return Some([vec![arrow], rest].concat());
            }
        }
        None
    }

    fn finding(&self, code: Code, severity: Severity, what: &str, path: &[Dependency]) -> Finding {
        let first = path[0];
        let span = self.atom(|atom| atom.relation == first.body).map_or(self.clause().at.0, |atom| atom.at.0);
        let message = match path {
            [_] => format!("{what}; here it reads `{}`", self.view.name(first.body)),
            _ => format!("{what}: {}", self.view.chain(path)),
        };
        let finding = Finding::new(code, severity, span, message);
        match path {
            [_, .., last] => {
                let place: Span = self.view.sheet.clauses[last.clause].at.0;
                finding.related(place, format!("`{}` is read here", self.view.name(last.body)))
            }
            _ => finding,
        }
    }
}
