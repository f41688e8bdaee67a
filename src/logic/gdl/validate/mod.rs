//! Validation: everything that is wrong, or worth saying, about a rulesheet; and the game, unless something
//! is an error.
//!
//! Every check sees the same [`View`] of the rulesheet (its clauses, their branches, the dependency graph)
//! and adds its findings to one list; no check stops another, so that an author gets the whole list at once.
//! Each group of checks is one file:
//!
//! ```text
//! keywords      the words of the language: arity, place        safety      what binds the variables
//! names         one name, one arity, one kind, one spelling    cycles      negation and recursion in cycles
//! relations     defined and read                               state       what may depend on the state or the moves
//! disjunctions  `or` where it reads oddly                      roles       roles, goals and who they are for
//! typos         variables that look mistyped                   declared    base, input and percept
//! ```
//!
//! Invariant: a [`Game`] is made exactly if no finding is an error. All checks are linear in the size of the
//! rulesheet, up to logarithms and up to the number of findings.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::depend::{Dependencies, Dependency};
use super::finding::{Code, Finding, Severity};
use super::game::Game;
use super::normal::{self, Branch};
use super::print::print_term;
use super::rule::{Atom, Clause, Formula, Rule};
use super::rulesheet::Rulesheet;
use super::source::Span;
use super::store::TermStore;
use super::symbol::Symbol;
use super::term::Term;

mod cycles;
mod declared;
mod disjunctions;
mod keywords;
mod locate;
mod names;
mod relations;
mod roles;
mod safety;
mod sizes;
mod state;
#[cfg(test)]
mod tests;
mod typos;

/// Validates a rulesheet: all findings, by place, and the game unless a finding is an error.
pub fn validate(sheet: &Rulesheet) -> (Vec<Finding>, Option<Game>) {
    validate_partly(sheet, true)
}

/// Validates a rulesheet. If it is not `whole`, because parts of the text could not be read, what is missing
/// from it is no finding.
pub(super) fn validate_partly(sheet: &Rulesheet, whole: bool) -> (Vec<Finding>, Option<Game>) {
    let mut findings = Vec::new();
    let view = View::new(sheet, whole, &mut findings);
    let checks = [
        sizes::check,
        keywords::check,
        names::check,
        relations::check,
        disjunctions::check,
        safety::check,
        typos::check,
        cycles::check,
        state::check,
        roles::check,
        declared::check,
    ];
    for check in checks {
        check(&view, &mut findings);
    }
    let findings = super::load::sort(findings);
    let wrong = findings.iter().any(|finding| finding.severity == Severity::Error);
    let game = (!wrong).then(|| game(view, &findings));
    (findings, game)
}

/// The game of a rulesheet without errors.
fn game(view: View<'_>, findings: &[Finding]) -> Game {
    let View { sheet, branches, .. } = view;
    let terms = TermStore::new(sheet.symbols.clone());
    let mut roles = Vec::new();
    for clause in sheet.clauses.iter().filter(|clause| clause.head.relation == Symbol::ROLE) {
        let role = terms.intern_term(&clause.head.arguments[0]).expect("a fact without variables");
        if !roles.contains(&role) {
            roles.push(role);
        }
    }
    let random = terms.intern(Symbol::RANDOM, &[]);
    let sees = sheet.clauses.iter().any(|clause| clause.head.relation == Symbol::SEES);
    let rules: Vec<Rule> = branches
        .into_iter()
        .enumerate()
        .flat_map(|(index, branches)| {
            branches.into_iter().map(move |branch| branch.rule(&sheet.clauses[index], index))
        })
        .collect();
    let faults: Vec<Finding> =
        findings.iter().filter(|finding| finding.severity == Severity::Fault).cloned().collect();
    Game {
        imperfect: sees || roles.contains(&random),
        sheet: Arc::new(sheet.clone()),
        rules: rules.into(),
        roles: roles.into(),
        terms: Arc::new(terms),
        faults: faults.into(),
    }
}

/// A message lists at most this many names.
const MANY: usize = 12;

/// Names in a list, each in backquotes, a long one cut short.
fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut text = String::new();
    for (position, name) in names.enumerate() {
        if position == MANY {
            text += ", ...";
            break;
        }
        let comma = if position > 0 { ", " } else { "" };
        text += &format!("{comma}`{name}`");
    }
    text
}

/// What every check looks at.
struct View<'s> {
    sheet: &'s Rulesheet,
    /// Whether the whole text could be read.
    whole: bool,
    /// The alternatives of each clause, the repair of role variables made.
    branches: Vec<Vec<Branch>>,
    /// Which relation is derived from which.
    graph: Dependencies,
    /// The relations that some clause has for its head.
    defined: FxHashSet<Symbol>,
    /// Where each line begins.
    lines: Vec<usize>,
}

impl<'s> View<'s> {
    fn new(sheet: &'s Rulesheet, whole: bool, findings: &mut Vec<Finding>) -> Self {
        let mut growth = normal::MAX_GROWTH;
        let mut branches = Vec::with_capacity(sheet.clauses.len());
        for clause in &sheet.clauses {
            branches.push(normal::branches(clause, &mut growth).unwrap_or_else(|normal::TooLarge| {
                findings.push(too_large(sheet, clause));
                Vec::new()
            }));
        }
        let heads = sheet.clauses.iter().map(|clause| clause.head.relation);
        let arrows = branches.iter().enumerate().flat_map(|(index, branches)| {
            let head = sheet.clauses[index].head.relation;
            branches.iter().flat_map(Branch::atoms).map(move |(atom, negative)| Dependency {
                head,
                body: atom.relation,
                negative,
                clause: index,
            })
        });
        let graph = Dependencies::new(heads, arrows);
        let defined = sheet.clauses.iter().map(|clause| clause.head.relation).collect();
        let lines = sheet.source.line_starts();
        View { sheet, whole, branches, graph, defined, lines }
    }

    /// The clauses with their alternatives.
    fn clauses(&self) -> impl Iterator<Item = (&'s Clause, &[Branch])> {
        self.sheet.clauses.iter().zip(&self.branches).map(|(clause, branches)| (clause, &branches[..]))
    }

    /// The spelling of a name.
    fn name(&self, symbol: Symbol) -> &'s str {
        self.sheet.symbols.name(symbol)
    }

    /// A term as it would be written.
    fn show(&self, term: &Term) -> String {
        print_term(term, &self.sheet.symbols, self.sheet.syntax)
    }

    /// The line of an offset.
    fn line(&self, span: Span) -> usize {
        self.lines.partition_point(|begin| *begin <= span.start)
    }

    /// Whether some clause has this head.
    fn defines(&self, relation: Symbol) -> bool {
        self.defined.contains(&relation)
    }

    /// The relations of a chain of arrows with their lines, as in ``` `goal` (line 3) reads `won` (line 5)
    /// reads `does` ```.
    fn chain(&self, arrows: &[Dependency]) -> String {
        let mut text = String::new();
        for arrow in arrows.iter().take(MANY) {
            let line = self.line(self.sheet.clauses[arrow.clause].at.0);
            text += &format!("`{}` (line {line}) reads ", self.name(arrow.head));
        }
        match arrows.last() {
            Some(last) if arrows.len() <= MANY => text + &format!("`{}`", self.name(last.body)),
            _ => text + "...",
        }
    }
}

fn too_large(sheet: &Rulesheet, clause: &Clause) -> Finding {
    let name = sheet.symbols.name(clause.head.relation);
    Finding::new(
        Code::TooLarge,
        Severity::Error,
        clause.head.at.0,
        format!(
            "the disjunctions of this clause for `{name}` multiply out to too many rules (more than {} for one \
             clause, or more than {} literals in all)",
            normal::MAX_BRANCHES,
            normal::MAX_GROWTH
        ),
    )
    .help("give each disjunction a relation of its own, with one clause for each alternative")
}

/// Calls `visit` for every atom of a formula, from left to right.
fn each_atom<'f>(formula: &'f Formula, visit: &mut impl FnMut(&'f Atom)) {
    match formula {
        Formula::Atom(atom) => visit(atom),
        Formula::Distinct(..) => {}
        Formula::Not(inner, _) => each_atom(inner, visit),
        Formula::And(parts, _) | Formula::Or(parts, _) => {
            parts.iter().for_each(|part| each_atom(part, visit));
        }
    }
}

/// Calls `visit` for every outermost term of a formula with the place of its atom, from left to right.
fn each_term<'f>(formula: &'f Formula, visit: &mut impl FnMut(&'f Term, Span)) {
    match formula {
        Formula::Atom(atom) => atom.arguments.iter().for_each(|term| visit(term, atom.at.0)),
        Formula::Distinct(a, b, at) => [a, b].into_iter().for_each(|term| visit(term, at.0)),
        Formula::Not(inner, _) => each_term(inner, visit),
        Formula::And(parts, _) | Formula::Or(parts, _) => {
            parts.iter().for_each(|part| each_term(part, visit));
        }
    }
}

/// Calls `visit` for every outermost term of a clause with the place of its atom, the head first.
fn each_term_of_clause<'f>(clause: &'f Clause, visit: &mut impl FnMut(&'f Term, Span)) {
    clause.head.arguments.iter().for_each(|term| visit(term, clause.head.at.0));
    clause.body.iter().for_each(|formula| each_term(formula, visit));
}

/// Calls `visit` for every atom of a clause, the head first.
fn each_atom_of_clause<'f>(clause: &'f Clause, visit: &mut impl FnMut(&'f Atom)) {
    visit(&clause.head);
    clause.body.iter().for_each(|formula| each_atom(formula, visit));
}

/// Calls `visit` for a term and every term inside it, outermost first.
fn each_part<'t>(term: &'t Term, visit: &mut impl FnMut(&'t Term)) {
    visit(term);
    if let Term::Compound(_, arguments) = term {
        arguments.iter().for_each(|argument| each_part(argument, visit));
    }
}
