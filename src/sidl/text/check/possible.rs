//! Impossible and unused parts of a text.
//!
//! A fact is *available* if it holds at the start or if an operation that can run creates one like it. An operation can
//! run if a branching names it and each of its tests has an available fact. Both are computed together, as a least
//! fixed point. Arithmetic may have any value, so whatever is reported can really never happen.
//!
//! One mistake gives one finding: first come the operations that could not run even if all others did. An operation
//! that cannot run only because of these is not reported; the operations that are left wait for themselves.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::text::interaction::{Effect, Operation, Test};
use crate::text::lower::{items, number};
use hyperplay_logic::gdl::{Atom, Finding, FindingCode, Rulesheet, Span, Symbol, Term, did_you_mean};

use super::Checker;
use super::declared::DeclaredSelector;

/// Comparisons of a test with a fact before everything counts as possible.
const MOST_COMPARISONS: u32 = 20_000_000;

/// The facts that may hold.
#[derive(Clone, Default)]
struct Available<'p> {
    by_predicate: FxHashMap<Symbol, Vec<&'p [Term]>>,
}

impl<'p> Available<'p> {
    fn add(&mut self, name: Symbol, arguments: &'p [Term]) {
        self.by_predicate.entry(name).or_default().push(arguments);
    }

    fn add_effects(&mut self, operation: &'p Operation) {
        for effect in &operation.effects {
            if let Effect::Create(atom) = effect {
                self.add(atom.relation, &atom.arguments);
            }
        }
    }
}

impl<'s> Checker<'s> {
    pub(super) fn agents(&mut self) {
        let (accounts, declared, program) = (self.set_at_first("account"), self.declared, self.program);
        for (agent, _) in program.agents.iter().filter(|(agent, _)| !accounts.contains(agent)) {
            let switch = declared.switches().find(|switch| switch.owner == Some(agent));
            let barred = program.hidden.iter().find(|rule| rule.agents.contains(agent));
            let (at, what) = match (switch, barred) {
                (Some(switch), _) => (switch.span, "owns a switch"),
                (None, Some(rule)) => (rule.span, "is barred from a fact"),
                (None, None) => continue,
            };
            let known = self.suggestion(agent, accounts.iter().copied());
            let spelled = self.spell(agent);
            let message = format!("`{spelled}` {what} and has no account{known}");
            let help =
                format!("repaired by an account with a balance of 0; write `init(account({spelled}, 0)).`");
            self.findings.push(Finding::fault(FindingCode::NoAccount, at, message).help(help));
        }
        let roles = program.agents.len() + usize::from(!program.chances.is_empty());
        if program.agents.is_empty() {
            self.error(FindingCode::NoRole, Span::new(0, 0), "nobody has an account, so nobody takes part")
                .set_help("write `init(account(agent, 0)).` for each agent");
        } else if roles > 255 {
            let message = format!("{roles} agents take part, nature included; at most 255 can");
            self.error(FindingCode::TooLarge, Span::new(0, 0), message).set_help("describe fewer agents");
        }
    }

    /// The operations that branchings name, by their names.
    fn named(&self) -> FxHashMap<Symbol, Vec<&'s Term>> {
        let mut named: FxHashMap<Symbol, Vec<&Term>> = FxHashMap::default();
        for operation in branchings(self.sheet).flat_map(|(operations, _)| operations) {
            named.entry(name_of(operation).unwrap_or(Symbol::NOT)).or_default().push(operation);
        }
        named
    }

    /// Whether one of these operations that branchings name may be this one.
    fn is_named(&self, operation: &Operation, named: &FxHashMap<Symbol, Vec<&'s Term>>) -> bool {
        let names = name_of(&operation.head).and_then(|name| named.get(&name));
        names.is_some_and(|names| names.iter().any(|name| may_be_same(&operation.head, name, self)))
    }

    /// Facts, operations, switches and chances that nothing uses; operations that nothing defines.
    pub(super) fn unused(&mut self) {
        let program = self.program;
        let mut by_name: FxHashMap<Symbol, Vec<&Term>> = FxHashMap::default();
        for operation in &program.operations {
            if let Some(name) = name_of(&operation.head) {
                by_name.entry(name).or_default().push(&operation.head);
            }
        }
        let named = self.named();
        let mut reported = FxHashSet::default();
        for (operations, at) in branchings(self.sheet) {
            for operation in operations {
                let Some(name) = name_of(operation) else { continue };
                let heads = by_name.get(&name).map_or(&[][..], |heads| heads);
                if !reported.insert(operation) || heads.iter().any(|head| may_be_same(head, operation, self))
                {
                    continue;
                }
                let word = self.name(name);
                let known = if heads.is_empty() {
                    did_you_mean(word, by_name.keys().map(|name| self.name(*name)))
                } else {
                    String::new()
                };
                let spelled = self.spell(operation);
                let message = format!("no clause defines the operation `{spelled}`{known}");
                self.error(FindingCode::UndefinedRelation, at, message).set_help(format!("write `operation({spelled}) :- ..`; an operation that does nothing is `operation({spelled}) :- false.`"));
            }
        }
        for operation in &program.operations {
            if !self.is_named(operation, &named) {
                let message = format!(
                    "no branching names the operation `{}`, so it never runs",
                    self.spell(&operation.head)
                );
                self.warning(FindingCode::UnusedRelation, operation.span, message)
                    .set_help("name it in a branching, or remove it");
            }
        }
        self.unused_selectors();
        self.unused_facts();
    }

    fn unused_selectors(&mut self) {
        let used: FxHashSet<&Term> = (self.sheet.clauses.iter())
            .filter_map(|clause| if let ("branching", [_, id]) = self.head(clause) { Some(id) } else { None })
            .collect();
        let mut tested = FxHashSet::default();
        for clause in &self.sheet.clauses {
            for formula in &clause.body {
                formula.each_atom(&mut |atom| {
                    if let ("does", [id, _]) = (self.name(atom.relation), &atom.arguments[..]) {
                        tested.insert(id);
                    }
                });
            }
        }
        let any_is_tested = tested.iter().any(|id| !id.is_ground());
        for &DeclaredSelector { id, owner, span, .. } in self.declared.selectors.values() {
            let is_tested = owner.is_some() && (any_is_tested || tested.contains(id));
            if !used.contains(id) && !is_tested {
                let kind = if owner.is_some() { "switch" } else { "chance" };
                let message = format!("no branching uses the {kind} `{}`", self.spell(id));
                self.warning(FindingCode::UnusedRelation, span, message)
                    .set_help("write a branching that it selects from, or remove it");
            }
        }
    }

    fn unused_facts(&mut self) {
        let mut used: FxHashSet<Symbol> = FxHashSet::default();
        for clause in &self.sheet.clauses {
            if self.name(clause.head.relation) != "fact" {
                used.extend(clause.head.arguments.iter().filter_map(name_of));
            }
            for formula in &clause.body {
                formula.each_atom(&mut |atom| {
                    used.insert(atom.relation);
                    used.extend(atom.arguments.iter().filter_map(name_of));
                });
            }
        }
        for (&name, fact) in self.declared.facts.iter().filter(|(name, _)| !used.contains(*name)) {
            let message = format!("the fact `{}` is declared, and nothing uses it", self.name(name));
            self.warning(FindingCode::UnusedRelation, fact.span, message)
                .set_help("use it, or remove its declaration");
        }
    }

    /// Operations that can never run, and ends that never come.
    pub(super) fn possible(&mut self) {
        let program = self.program;
        let mut steps = 0;
        let mut start = Available::default();
        for fact in &program.facts {
            if let Some(name) = name_of(fact) {
                start.add(name, fact.arguments());
            }
        }
        let named = self.named();
        let is_named = |operation| self.is_named(operation, &named);
        let is_named: Vec<bool> = program.operations.iter().map(is_named).collect();
        // Everything that any operation creates.
        let mut all = start.clone();
        program.operations.iter().for_each(|operation| all.add_effects(operation));
        let mut is_cause = Vec::new();
        for (number, operation) in program.operations.iter().enumerate() {
            let failing = self.impossible(&operation.tests, &all, &mut steps);
            // An operation that no branching names is reported as that.
            is_cause.push(failing.is_some() || !is_named[number]);
            let does_nothing = operation.tests == [Test::Never] && operation.effects.is_empty();
            if let Some(failing) = failing.filter(|_| is_named[number] && !does_nothing) {
                self.never_runs(operation, failing);
            }
        }
        // The least fixed point in which the causes run.
        let mut available = start;
        let mut runs = vec![false; program.operations.len()];
        loop {
            let mut is_new = false;
            for (number, operation) in program.operations.iter().enumerate() {
                if !runs[number]
                    && (is_cause[number]
                        || self.impossible(&operation.tests, &available, &mut steps).is_none())
                {
                    (runs[number], is_new) = (true, true);
                    available.add_effects(operation);
                }
            }
            if !is_new {
                break;
            }
        }
        for (operation, _) in program.operations.iter().zip(&runs).filter(|(_, runs)| !**runs) {
            if let Some(failing) = self.impossible(&operation.tests, &available, &mut steps) {
                self.never_runs(operation, failing);
            }
        }
        self.ends(&available, &mut steps);
        for rule in &program.hidden {
            if let Some(Some(atom)) = self.impossible(&rule.tests, &available, &mut steps) {
                let message =
                    format!("nothing makes `{}` hold, so this never hides anything", self.spell_atom(atom));
                self.warning(FindingCode::ImpossibleCondition, atom.at.0, message)
                    .set_help("spell it as it is spelled where it is created, or write an `init` for it");
            }
        }
    }

    fn never_runs(&mut self, operation: &Operation, failing: Option<&Atom>) {
        let spelled = self.spell(&operation.head);
        match failing {
            Some(atom) => {
                let message = format!(
                    "`{}` holds neither at the start nor after an operation that can run, so `{spelled}` never runs",
                    self.spell_atom(atom)
                );
                self.warning(FindingCode::ImpossibleCondition, atom.at.0, message)
                    .set_help("write an `init` for it, or spell it as it is spelled where it is created");
            }
            None => {
                let message =
                    format!("`false` is among the tests of `{spelled}`, so the operation never runs");
                self.warning(FindingCode::ImpossibleCondition, operation.span, message)
                    .set_help("remove `false`, or all that stands beside it");
            }
        }
    }

    fn ends(&mut self, available: &Available<'_>, steps: &mut u32) {
        let spans: Vec<Span> = (self.sheet.clauses.iter())
            .filter(|clause| matches!(self.head(clause), ("terminal", [])))
            .map(|clause| clause.at.0)
            .collect();
        let program = self.program;
        let failing: Vec<Option<Option<&Atom>>> =
            program.terminal.iter().map(|tests| self.impossible(tests, available, steps)).collect();
        let help =
            "say when the interaction ends, as in `terminal :- over.`; or limit the chronons by --horizon";
        if program.terminal.is_empty() {
            let message = "no clause says when the interaction ends, so it goes on for ever";
            self.warning(FindingCode::NoTerminal, Span::new(0, 0), message).set_help(help);
            return;
        }
        let is_endless = failing.iter().all(Option::is_some);
        for (failing, span) in failing.into_iter().zip(spans) {
            let Some(failing) = failing else { continue };
            let at = failing.map_or(span, |atom| atom.at.0);
            let why = failing.map_or("`false` is among its conditions".to_owned(), |atom| {
                format!(
                    "`{}` holds neither at the start nor after an operation that can run",
                    self.spell_atom(atom)
                )
            });
            if is_endless {
                self.warning(FindingCode::NoTerminal, at, format!("the interaction cannot end: {why}"))
                    .set_help(help);
            } else {
                self.warning(
                    FindingCode::ImpossibleCondition,
                    at,
                    format!("the interaction cannot end in this way: {why}"),
                )
                .set_help("spell the fact as it is spelled where it is created, or remove the clause");
            }
        }
    }

    /// Whether tests can never have a solution; if so, the test of a fact that is the reason, if it is one.
    fn impossible<'p>(
        &self,
        tests: &'p [Test],
        available: &Available<'_>,
        steps: &mut u32,
    ) -> Option<Option<&'p Atom>> {
        tests.iter().find_map(|test| match test {
            Test::Never => Some(None),
            Test::Either(parts) => {
                let mut reasons = parts.iter().map(|part| self.impossible(part, available, steps));
                let first = reasons.next().unwrap_or(Some(None));
                first.filter(|_| reasons.all(|reason| reason.is_some()))
            }
            Test::Holds(atom) if !matches!(self.name(atom.relation), "does" | "account") => {
                let facts = available.by_predicate.get(&atom.relation).map_or(&[][..], |facts| facts);
                let is_possible = facts.iter().any(|fact| {
                    *steps = steps.saturating_add(1);
                    *steps > MOST_COMPARISONS
                        || (fact.len() == atom.arguments.len()
                            && fact.iter().zip(&atom.arguments).all(|(a, b)| may_be_same(a, b, self)))
                });
                (!is_possible).then_some(Some(atom))
            }
            _ => None,
        })
    }
}

/// The lists of operations of the branchings, with their places.
fn branchings(sheet: &Rulesheet) -> impl Iterator<Item = (&[Term], Span)> {
    let symbols = &sheet.symbols;
    sheet.clauses.iter().filter_map(move |clause| match &clause.head.arguments[..] {
        [operations, _] if symbols.name(clause.head.relation) == "branching" => {
            Some((items(operations, symbols)?, clause.head.at.0))
        }
        _ => None,
    })
}

/// The name of a fact or an operation.
fn name_of(term: &Term) -> Option<Symbol> {
    term.functor().map(|(name, _)| name)
}

/// Whether two terms may have the same value; arithmetic may have any.
fn may_be_same(a: &Term, b: &Term, checker: &Checker<'_>) -> bool {
    let is_open =
        |term: &Term| matches!(term, Term::Variable(_)) || !term.is_ground() && checker.is_arithmetic(term);
    match (a, b) {
        _ if is_open(a) || is_open(b) => true,
        (Term::Compound(f, xs), Term::Compound(g, ys))
            if !checker.is_arithmetic(a) && !checker.is_arithmetic(b) =>
        {
            f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| may_be_same(x, y, checker))
        }
        (Term::Constant(a), Term::Constant(b)) => a == b,
        // Fractions, which may be written in several ways.
        _ => {
            let value = |term| number(term, &checker.sheet.symbols);
            match (value(a), value(b)) {
                (Some(a), Some(b)) => a == b,
                (None, None) => a == b,
                _ => false,
            }
        }
    }
}
