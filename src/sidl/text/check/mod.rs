//! The checks: everything that is wrong with a text in SIDL, or worth mentioning, with its place, its cause and a
//! remedy.
//!
//! ```text
//! declared   what the text declares, and what is wrong with the declarations
//! selectors  switches, chances, branchings and first settings
//! bodies     the tests and the effects of operations, `hidden` and `terminal`
//! bindings   variables that nothing binds, and tests behind effects
//! numbers    numbers out of range, and arithmetic without a value
//! possible   operations and ends that can never happen, and what nothing uses
//! ```
//!
//! A check never stops at its first finding. Anything that is only missing because a clause could not be read is not
//! reported, and impossible operations and ends are computed for a text without errors.
//!
//! Invariant: where no finding is an error, the lowering of the text is an [`Interaction`] with all its invariants.

mod bindings;
mod bodies;
mod declared;
mod numbers;
mod possible;
mod selectors;

use rustc_hash::FxHashSet;

use hyperplay_logic::gdl::{
    Atom, Clause, Finding, FindingCode, Rulesheet, Severity, Span, Symbol, Term, did_you_mean,
};
use hyperplay_machine::counted;

use super::interaction::Interaction;
use super::number::Arithmetic;
use super::read::{HEADS, head_arity};
use super::spell::{spell, spell_atom};
use declared::Declared;

/// The words of the language that no fact may have, besides those that begin a clause.
const OTHER_WORDS: [&str; 18] = [
    "account", "does", "ax", "next", "goal", "command", "chronon", "true", "false", "fail", "not", "is",
    "mod", "min", "max", "list", "nil", "random",
];

/// Whether no fact may have this word, because it is one of the language.
pub fn is_reserved(word: &str) -> bool {
    head_arity(word).is_some() || OTHER_WORDS.contains(&word)
}

/// All findings about the clauses of a text. `is_complete` says that all its clauses could be read.
pub(super) fn check(sheet: &Rulesheet, program: &Interaction, is_complete: bool) -> Vec<Finding> {
    let declared = Declared::new(sheet);
    let mut checker = Checker { sheet, program, declared: &declared, is_complete, findings: Vec::new() };
    checker.heads();
    checker.declarations();
    checker.selectors();
    for clause in &sheet.clauses {
        checker.bodies(clause);
        checker.bindings(clause);
    }
    checker.numbers();
    if checker.is_complete {
        checker.agents();
        checker.unused();
    }
    if is_complete && checker.findings.iter().all(|finding| finding.severity != Severity::Error) {
        checker.possible();
    }
    checker.findings
}

/// One check of one text.
struct Checker<'s> {
    sheet: &'s Rulesheet,
    program: &'s Interaction,
    declared: &'s Declared<'s>,
    /// Whether all clauses could be read, and have a head of the language.
    is_complete: bool,
    findings: Vec<Finding>,
}

impl<'s> Checker<'s> {
    /// Adds a finding, of which a second place and a suggestion may then be said.
    fn error(&mut self, code: FindingCode, span: Span, message: impl Into<String>) -> &mut Finding {
        self.findings.push_mut(Finding::error(code, span, message))
    }

    fn warning(&mut self, code: FindingCode, span: Span, message: impl Into<String>) -> &mut Finding {
        self.findings.push_mut(Finding::warning(code, span, message))
    }

    fn name(&self, symbol: Symbol) -> &'s str {
        self.sheet.symbols.name(symbol)
    }

    /// Whether a term is arithmetic.
    fn is_arithmetic(&self, term: &Term) -> bool {
        term.functor().is_some_and(|(name, operands)| Arithmetic::named(self.name(name), operands).is_some())
    }

    fn spell(&self, term: &Term) -> String {
        spell(term, &self.sheet.symbols)
    }

    fn spell_atom(&self, atom: &Atom) -> String {
        spell_atom(atom, &self.sheet.symbols)
    }

    /// The word of a head and its arguments.
    fn head<'c>(&self, clause: &'c Clause) -> (&'s str, &'c [Term]) {
        (self.name(clause.head.relation), &clause.head.arguments)
    }

    /// The first argument of each `init(WORD(..))`: the agents that have an account, or the switches that are set.
    fn set_at_first(&self, word: &str) -> FxHashSet<&'s Term> {
        let first = |clause: &'s Clause| match self.head(clause) {
            ("init", [Term::Compound(name, parts)]) if self.name(*name) == word => parts.first(),
            _ => None,
        };
        self.sheet.clauses.iter().filter_map(first).collect()
    }

    /// The name of an agent, an alias or an identifier that the text knows, for a suggestion.
    fn suggestion<'t>(&self, word: &Term, known: impl IntoIterator<Item = &'t Term>) -> String {
        let known: Vec<String> = known.into_iter().map(|term| self.spell(term)).collect();
        did_you_mean(&self.spell(word), known.iter().map(String::as_str))
    }

    /// Words that begin no clause, and clauses with the wrong number of arguments.
    fn heads(&mut self) {
        for clause in &self.sheet.clauses {
            let (word, arguments) = self.head(clause);
            let at = clause.head.at.0;
            let Some(arity) = head_arity(word) else {
                let count = arguments.len();
                if let Some(fact) = self.declared.facts.get(&clause.head.relation)
                    && fact.arity == Some(count)
                {
                    let message = format!("`{word}` is a fact, and no clause begins with a fact");
                    let help =
                        format!("write `init({}).` if it holds at the start", self.spell_atom(&clause.head));
                    self.error(FindingCode::KeywordMisused, at, message).set_help(help);
                } else if is_reserved(word) {
                    let message =
                        format!("no clause begins with `{word}`, which stands in clauses for operations");
                    self.error(FindingCode::ReservedHead, at, message).set_help(
                        "begin the clause with `operation`, or with `init` for what holds at the start",
                    );
                } else {
                    let heads = HEADS.map(|(head, ..)| head);
                    let message =
                        format!("no clause of SIDL begins with `{word}`{}", did_you_mean(word, heads));
                    self.error(FindingCode::Syntax, at, message)
                        .set_help(format!("a clause begins with one of {}", heads.join(", ")));
                }
                self.is_complete = false;
                continue;
            };
            if arguments.len() != arity {
                self.is_complete = false;
                self.wrong_arity(word, arity, arguments.len(), at);
            }
            if !clause.body.is_empty() && !matches!(word, "operation" | "hidden" | "request" | "terminal") {
                let message =
                    format!("`{word}` declares something for the whole interaction and has no conditions");
                self.error(FindingCode::KeywordMisused, at, message).set_help("end the clause before `:-`");
            }
            if word == "request" {
                let message = "`request` is read as `hidden`, which has the same meaning";
                let help = "the definition of the language says `hidden`; its first example says `request`";
                self.findings.push(Finding::note(FindingCode::Dialect, at, message).help(help));
            }
        }
    }

    fn wrong_arity(&mut self, word: &str, right: usize, wrong: usize, at: Span) {
        let message = format!("`{word}` has {}, not {wrong}", counted(right as u64, "argument"));
        self.error(FindingCode::KeywordArity, at, message).set_help(format!("write `{}`", pattern(word)));
    }
}

/// How a word of the language is used.
fn pattern(word: &str) -> &str {
    match word {
        "ax" => "ax(fact)",
        "next" => "next(fact)",
        "goal" => "goal(agent, payoff)",
        "does" => "does(identifier of a switch, alias)",
        "account" => "account(agent, balance)",
        other => HEADS.iter().find(|(head, ..)| *head == other).map_or(other, |(.., form)| form),
    }
}
