//! Validation: all findings on a rulesheet, and the game if none of them is an error.
//!
//! Every check gets the same [`RulesheetView`] (the clauses, their branches, the dependency graph) and adds its
//! findings to one list. No check stops another, so an author gets the complete list at once. Each group of checks is
//! one file:
//!
//! ```text
//! keywords      arity and place of the keywords                safety      the binding of variables
//! names         arity, kind and spelling of names              cycles      recursion
//! negation      negation in cycles, and the rules of play      arrangement repairs of whole clauses
//! projection    free variables of negations                    ranges      head variables that nothing binds
//! relations     relations are defined and read                 state       dependence on the state and the moves
//! disjunctions  unusual disjunctions                           roles       roles, moves and goals
//! typos         variables that look mistyped                   declared    base, input and percept
//! sizes         sizes that later stages cannot represent    possible    what can never be
//! ```
//!
//! Invariant: a [`Game`] is made if and only if no finding is an error. All checks are linear in the size of the
//! rulesheet, up to logarithms and up to the number of findings.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::depend::Dependency;
use super::normal::{self, ClauseBranch};
use super::{
    Atom, Clause, Dependencies, Finding, FindingCode, Game, Language, Rule, Rulesheet, Severity, Span,
    print_term,
};
use arrangement::Arrangement;
pub(super) use arrangement::ignore_unread;
use hyperplay_machine::counted;
use hyperplay_machine::terms::{Symbol, Symbols, Term, TermStore};

mod arrangement;
mod cycles;
mod declared;
mod disjunctions;
mod keywords;
mod locate;
mod names;
mod negation;
mod possible;
mod projection;
mod ranges;
mod relations;
mod roles;
mod safety;
mod sizes;
mod state;
#[cfg(test)]
mod tests;
mod typos;

/// Validates a rulesheet. Returns all findings, ordered by place, and the game unless a finding is an error. If the
/// rulesheet is not complete, because parts of the text could not be read, what is missing from it is not reported.
pub(super) fn validate(sheet: &Rulesheet, is_complete: bool) -> (Vec<Finding>, Option<Game>) {
    let mut arrangement = Arrangement::of(sheet);
    let (mut findings, mut rules) = examine(&arrangement, is_complete);
    let faults = arrangement.leave_out_malformed(&findings);
    if !arrangement.ignored.is_empty() {
        (findings, rules) = examine(&arrangement, is_complete);
        findings.extend(faults);
    }
    let findings = super::finding::sort(findings);
    let wrong = findings.iter().any(|finding| finding.severity == Severity::Error);
    let game = (!wrong).then(|| game(&arrangement, rules, &findings));
    (findings, game)
}

/// All findings of the checks, and the rules of play with their symbols.
fn examine(arrangement: &Arrangement<'_>, is_complete: bool) -> (Vec<Finding>, (Vec<Rule>, Symbols)) {
    let mut findings = Vec::new();
    let view = RulesheetView::new(arrangement, is_complete, &mut findings);
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
        possible::check,
    ];
    for check in checks {
        check(&view, &mut findings);
    }
    let rules = negation::rules(&view, &mut findings);
    (findings, rules)
}

/// The game of a rulesheet without errors.
fn game(
    arrangement: &Arrangement<'_>,
    (mut rules, symbols): (Vec<Rule>, Symbols),
    findings: &[Finding],
) -> Game {
    let sheet = &arrangement.sheet;
    rules.iter_mut().for_each(|rule| rule.clause = arrangement.origin(rule.clause));
    let terms = TermStore::new(symbols);
    let mut roles = Vec::new();
    for clause in sheet.clauses.iter().filter(|clause| clause.head.relation == Symbol::ROLE) {
        let role = terms.intern_term(&clause.head.arguments[0]).expect("a fact without variables");
        if !roles.contains(&role) {
            roles.push(role);
        }
    }
    let random = terms.intern(Symbol::RANDOM, &[]);
    let sees = sheet.clauses.iter().any(|clause| clause.head.relation == Symbol::SEES);
    let faults: Vec<Finding> =
        findings.iter().filter(|finding| finding.severity == Severity::Fault).cloned().collect();
    Game {
        imperfect: sees || roles.contains(&random),
        sheet: Arc::new(arrangement.written.clone()),
        rules: rules.into(),
        roles: roles.into(),
        terms: Arc::new(terms),
        faults: faults.into(),
        language: Language::Gdl,
        horizon: None,
    }
}

/// The number of names that a message lists at most.
const MANY: usize = 12;

/// The number of arguments in words.
fn arguments(count: usize) -> String {
    if count == 0 { "no argument".to_owned() } else { counted(count as u64, "argument") }
}

/// The names as a list, each in backquotes. A long list is cut off.
fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut shown: Vec<String> = names.take(MANY + 1).map(|name| format!("`{name}`")).collect();
    if let Some(further) = shown.get_mut(MANY) {
        *further = "...".to_owned();
    }
    shown.join(", ")
}

/// The data that every check reads.
struct RulesheetView<'s> {
    sheet: &'s Rulesheet,
    /// What was done to the rulesheet as written.
    arrangement: &'s Arrangement<'s>,
    /// Whether the whole text could be read.
    is_complete: bool,
    /// The alternatives of each clause, with role variables repaired.
    branches: Vec<Vec<ClauseBranch>>,
    /// The facts that list the values of head variables that nothing binds.
    asked: Vec<Rule>,
    /// The names, those of the relations that repairs introduced included.
    symbols: Symbols,
    /// The dependency graph.
    graph: Dependencies,
    /// The relations that are the head of some clause.
    defined: FxHashSet<Symbol>,
    /// The offsets at which the lines begin.
    lines: Vec<usize>,
}

impl<'s> RulesheetView<'s> {
    fn new(arrangement: &'s Arrangement<'_>, is_complete: bool, findings: &mut Vec<Finding>) -> Self {
        let sheet: &Rulesheet = &arrangement.sheet;
        let mut growth = normal::MAX_GROWTH;
        let mut branches = Vec::with_capacity(sheet.clauses.len());
        for clause in &sheet.clauses {
            branches.push(normal::branches(clause, &mut growth).unwrap_or_else(
                |normal::TooManyAlternatives| {
                    findings.push(too_large(sheet, clause));
                    Vec::new()
                },
            ));
        }
        let mut symbols = sheet.symbols.clone();
        let asked = ranges::repair(&sheet.clauses, &mut branches, &mut symbols);
        let defined: FxHashSet<Symbol> = sheet.clauses.iter().map(|clause| clause.head.relation).collect();
        let graph = Dependencies::new(
            &mut defined.iter().copied(),
            &mut branches.iter().enumerate().flat_map(|(index, branches)| {
                let head = sheet.clauses[index].head.relation;
                branches.iter().flat_map(ClauseBranch::atoms).map(move |(atom, negative)| Dependency {
                    head,
                    body: atom.relation,
                    negative,
                    clause: index,
                })
            }),
        );
        let lines = sheet.source.line_starts();
        RulesheetView { sheet, arrangement, is_complete, branches, asked, symbols, graph, defined, lines }
    }

    /// The clauses with their alternatives.
    fn clauses(&self) -> impl Iterator<Item = (&'s Clause, &[ClauseBranch])> {
        self.sheet.clauses.iter().zip(&self.branches).map(|(clause, branches)| (clause, &branches[..]))
    }

    /// The spelling of a name.
    fn name(&self, symbol: Symbol) -> &'s str {
        self.sheet.symbols.name(symbol)
    }

    /// A term in the syntax of the rulesheet.
    fn show(&self, term: &Term) -> String {
        print_term(term, &self.sheet.symbols, self.sheet.syntax)
    }

    /// The line on which a span begins.
    fn line(&self, span: Span) -> usize {
        self.lines.partition_point(|begin| *begin <= span.start)
    }

    /// Whether some clause has this head.
    fn defines(&self, relation: Symbol) -> bool {
        self.defined.contains(&relation)
    }

    /// The relations of a chain of dependencies with their lines, for example ``` `goal` (line 3) reads `won` (line 5)
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
    Finding::error(FindingCode::TooLarge, clause.head.at.0,
        format!(
            "the disjunctions of this clause for `{name}` multiply out to too many rules (more than {} for one \
             clause, or more than {} literals in all)",
            normal::MAX_BRANCHES,
            normal::MAX_GROWTH
        ),
    )
    .help("give each disjunction a relation of its own, with one clause for each alternative")
}

/// Calls `visit` for every outermost term of a clause with the place of its atom, the head first.
fn each_term_of_clause<'f>(clause: &'f Clause, visit: &mut dyn FnMut(&'f Term, Span)) {
    clause.head.arguments.iter().for_each(|term| visit(term, clause.head.at.0));
    clause.body.iter().for_each(|formula| formula.each_term(visit));
}

/// Calls `visit` for every atom of a clause, the head first.
fn each_atom_of_clause<'f>(clause: &'f Clause, visit: &mut dyn FnMut(&'f Atom)) {
    visit(&clause.head);
    clause.body.iter().for_each(|formula| formula.each_atom(visit));
}

/// Calls `visit` for a term and every term inside it, outermost first.
fn each_part<'t>(term: &'t Term, visit: &mut dyn FnMut(&'t Term)) {
    visit(term);
    term.arguments().iter().for_each(|argument| each_part(argument, visit));
}
