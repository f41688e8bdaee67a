//! Names: every name should have one arity, one kind and one spelling.
//!
//! The findings are `arity-mismatch`, `function-and-relation`, `capitalisation` and `unusual-character`. A second
//! arity is a fault, because games in use have it: relations, and functions, of different arity are different ones. A
//! constant does not count as a function. The keywords are checked in a file of their own.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::locate::{code, is_variable, words};
use super::{RulesheetView, arguments, each_atom_of_clause, each_part, keywords, relations};
use crate::gdl::{Finding, FindingCode, Span, Syntax};
use hyperplay_machine::terms::{Symbol, Term, fold};

pub(super) fn check(view: &RulesheetView<'_>, findings: &mut Vec<Finding>) {
    let lacking = Lacking { view, used: relations::used(view) };
    let mut relations = ArityUses::new("relation", Some(&lacking));
    let mut functions = ArityUses::new("function", None);
    for clause in &view.arrangement.written.clauses {
        each_atom_of_clause(clause, &mut |atom| {
            if atom.relation.keyword_arity().is_none() {
                relations.add(view, atom.relation, atom.arguments.len(), atom.at.0, findings);
            }
        });
    }
    for clause in &view.sheet.clauses {
        keywords::terms(clause, &mut |outer, span| {
            each_part(outer, &mut |term| {
                if let Term::Compound(functor, arguments) = term {
                    functions.add(view, *functor, arguments.len(), span, findings);
                }
            });
        });
    }
    kinds(view, &relations, &functions, findings);
    spelling(view, findings);
    characters(view, findings);
}

/// The first use of every name of one kind.
struct ArityUses<'l> {
    kind: &'static str,
    lacking: Option<&'l Lacking<'l>>,
    first: FxHashMap<Symbol, (usize, Span)>,
    reported: FxHashSet<(Symbol, usize)>,
}

impl<'l> ArityUses<'l> {
    fn new(kind: &'static str, lacking: Option<&'l Lacking<'l>>) -> Self {
        ArityUses { kind, lacking, first: FxHashMap::default(), reported: FxHashSet::default() }
    }

    /// Records a use. Reports the first use with each arity that differs from the first arity.
    fn add(
        &mut self,
        view: &RulesheetView<'_>,
        name: Symbol,
        arity: usize,
        span: Span,
        findings: &mut Vec<Finding>,
    ) {
        let (usual, first) = *self.first.entry(name).or_insert((arity, span));
        if usual == arity || !self.reported.insert((name, arity)) {
            return;
        }
        let is_new = self.reported.insert((name, usual));
        let message = format!(
            "the {} `{}` has {} here, but {} where it is used first",
            self.kind,
            view.name(name),
            arguments(arity),
            arguments(usual)
        );
        let finding = Finding::fault(FindingCode::ArityMismatch, view.locate(span, name), message)
            .related(view.locate(first, name), "used first here");
        let mut help = format!("they are taken to be two {}s of one name", self.kind);
        if let Some(lacking) = self.lacking {
            let arities = [is_new.then_some(usual), Some(arity)];
            for lack in arities.into_iter().flatten().filter_map(|arity| lacking.of(name, arity)) {
                help += "; ";
                help += &lack;
            }
        }
        findings.push(finding.help(help));
    }
}

/// The rules or uses that the relations of one name lack, if the name has several arities.
struct Lacking<'v> {
    view: &'v RulesheetView<'v>,
    used: FxHashSet<Symbol>,
}

impl Lacking<'_> {
    fn of(&self, name: Symbol, arity: usize) -> Option<String> {
        let relation = self.view.arrangement.split.get(&(name, arity)).copied().unwrap_or(name);
        let lacks = match (self.view.defines(relation), self.used.contains(&relation)) {
            _ if !self.view.is_complete => return None,
            (false, _) => "defines",
            (true, false) => "reads",
            (true, true) => return None,
        };
        Some(format!("nothing {lacks} the one with {}", arguments(arity)))
    }
}

fn kinds(
    view: &RulesheetView<'_>,
    relations: &ArityUses<'_>,
    functions: &ArityUses<'_>,
    findings: &mut Vec<Finding>,
) {
    for (&name, &(_, relation)) in &relations.first {
        let Some(&(_, function)) = functions.first.get(&name) else { continue };
        let (earlier, later) = if relation < function { (relation, function) } else { (function, relation) };
        let (kind, other) =
            if relation < function { ("function", "relation") } else { ("relation", "function") };
        let shown = view.name(name);
        let message = format!("`{shown}` is a {kind} here and a {other} elsewhere");
        findings.push(
            Finding::warning(FindingCode::FunctionAndRelation, view.locate(later, name), message)
                .related(view.locate(earlier, name), format!("a {other} here"))
                .help(format!(
                    "if the fluent is meant, write it with `true`; if not, `{shown}` needs another name"
                )),
        );
    }
}

/// Reports names in two spellings. A variable is compared only within its clause.
fn spelling(view: &RulesheetView<'_>, findings: &mut Vec<Finding>) {
    let mut names: FxHashMap<Cow<'_, str>, (&str, Span)> = FxHashMap::default();
    let mut reported = FxHashSet::default();
    for clause in &view.sheet.clauses {
        let mut variables: FxHashMap<Cow<'_, str>, (&str, Span)> = FxHashMap::default();
        for (word, span) in words(view.sheet, clause.at.0) {
            let variable = is_variable(view.sheet.syntax, word);
            let known = if variable { &mut variables } else { &mut names };
            let (first, place) = *known.entry(fold(word)).or_insert((word, span));
            if first == word || (!variable && !reported.insert(fold(word))) {
                continue;
            }
            let message = format!("`{word}` is `{first}` in another spelling");
            findings.push(
                Finding::warning(FindingCode::Capitalisation, span, message)
                    .related(place, "spelt so first")
                    .help("capitals do not count in GDL: the two are one name"),
            );
        }
    }
}

/// The signs that occur in names of the games in use and in the grammars.
const SIGNS: &str = "()?;_-+*/.<>=";
const INFIX_SIGNS: &str = "()?;_-+*/.<>=,:|&~!%'\u{2227}\u{2228}\u{00ac}\u{21d0}\u{2190}";

/// Reports each character of a name that is neither an ASCII letter or digit nor a usual sign, once. The operators and
/// comments of a dialect have a note of their own.
fn characters(view: &RulesheetView<'_>, findings: &mut Vec<Finding>) {
    let signs = if view.sheet.syntax == Syntax::Kif { SIGNS } else { INFIX_SIGNS };
    let usual = |character: char| {
        character.is_ascii_alphanumeric()
            || character.is_ascii_whitespace()
            || character.is_control()
            || signs.contains(character)
    };
    let symbols = &view.sheet.symbols;
    let characters = symbols.iter().flat_map(|symbol| symbols.name(symbol).chars());
    let mut unusual: FxHashSet<char> = characters.filter(|&character| !usual(character)).collect();
    for (stretch, start) in code(view.sheet) {
        for (offset, character) in stretch.char_indices() {
            if unusual.remove(&character) {
                let at = start + offset;
                let quoted = ['"', '\'', '\\'].contains(&character);
                let shown = if quoted { character.to_string() } else { character.escape_debug().to_string() };
                let number = u32::from(character);
                let message =
                    format!("the character `{shown}` (U+{number:04X}) is not one that every system reads");
                let span = Span::new(at, at + character.len_utf8());
                findings.push(Finding::warning(FindingCode::UnusualCharacter, span, message));
            }
        }
    }
}
