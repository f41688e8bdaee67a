//! Relations: every relation that is read should be defined, and every relation that is defined should be read.
//!
//! The findings are `undefined-relation` and `unused-relation`, each once for a relation. A relation that nothing
//! defines is empty; often it is a fluent without `true`, or it is misspelt. The relations that a game master reads
//! (`legal`, `sees`, ...) are used even if no rule reads them. A relation that only its own rules read is not used.
//!
//! If a name has several arities, one of which nothing defines or reads, `arity-mismatch` says so. The name has a
//! finding here only if that is true of all its arities.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{RulesheetView, each_atom_of_clause};
use crate::gdl::suggest::nearest;
use crate::gdl::{Atom, Finding, FindingCode, Span, Syntax};
use hyperplay_machine::terms::Symbol;

pub(super) fn check(view: &RulesheetView<'_>, findings: &mut Vec<Finding>) {
    let mut defined: FxHashMap<Symbol, Span> = FxHashMap::default();
    let mut read: FxHashMap<Symbol, &Atom> = FxHashMap::default();
    for clause in &view.sheet.clauses {
        defined.entry(clause.head.relation).or_insert(clause.head.at.0);
        for formula in &clause.body {
            formula.each_atom(&mut |atom| {
                read.entry(atom.relation).or_insert(atom);
            });
        }
    }
    let used = used(view);
    // The clauses that define or read a relation may be among those that could not be read.
    if !view.is_complete {
        return;
    }
    let kinds = Kinds::of(view);
    let first: FxHashMap<Symbol, Symbol> =
        view.arrangement.split.iter().map(|(&(name, _), &split)| (split, name)).collect();
    let written = |relation: &Symbol| first.get(relation).copied().unwrap_or(*relation);
    let any_defined: FxHashSet<Symbol> = defined.keys().map(written).collect();
    let any_used: FxHashSet<Symbol> = used.iter().map(written).collect();
    let is_defined = |relation: &Symbol| any_defined.contains(relation) || first.contains_key(relation);
    let is_used = |relation: &Symbol| any_used.contains(relation) || first.contains_key(relation);
    // Suggestions compare every name with every other one, so a text with very many names gets none.
    let few = read.len() * defined.len() <= 1_000_000;
    for (&relation, &atom) in &read {
        if relation.keyword_arity().is_none() && !relation.is_logical() && !is_defined(&relation) {
            findings.push(undefined(view, &kinds, few.then_some(&defined), atom));
        }
    }
    let missing = read.keys().filter(|relation| few && !is_defined(relation));
    let missing: Vec<&str> = missing.map(|relation| view.name(*relation)).collect();
    for (&relation, &span) in &defined {
        if relation.keyword_arity().is_none() && !relation.is_logical() && !is_used(&relation) {
            let message = format!("nothing reads the relation `{}`", view.name(relation));
            let finding = Finding::warning(FindingCode::UnusedRelation, view.locate(span, relation), message);
            let unread = |word: &&str| {
                view.sheet.symbols.get(word).is_none_or(|symbol| !defined.contains_key(&symbol))
            };
            let words = Symbol::keywords().map(|word| view.name(word));
            let near = nearest(view.name(relation), words.chain(missing.iter().copied()).filter(unread));
            findings.push(finding.help_if(near.map(|near| format!("did you mean `{near}`?"))));
        }
    }
}

/// The relations that a clause of another relation reads; clauses that were left out count.
pub(super) fn used(view: &RulesheetView<'_>) -> FxHashSet<Symbol> {
    let mut used = FxHashSet::default();
    for clause in view.sheet.clauses.iter().chain(&view.arrangement.ignored) {
        for formula in &clause.body {
            formula.each_atom(&mut |atom| {
                if atom.relation != clause.head.relation {
                    used.insert(atom.relation);
                }
            });
        }
    }
    used
}

/// The functors of fluents and of moves.
struct Kinds {
    fluents: FxHashSet<Symbol>,
    moves: FxHashSet<Symbol>,
}

impl Kinds {
    fn of(view: &RulesheetView<'_>) -> Self {
        let mut kinds = Kinds { fluents: FxHashSet::default(), moves: FxHashSet::default() };
        for clause in &view.sheet.clauses {
            each_atom_of_clause(clause, &mut |atom| {
                let (set, term) = match (atom.relation, &atom.arguments[..]) {
                    (Symbol::TRUE | Symbol::INIT | Symbol::NEXT | Symbol::BASE, [fluent]) => {
                        (&mut kinds.fluents, fluent)
                    }
                    (Symbol::DOES | Symbol::LEGAL | Symbol::INPUT, [_, made]) => (&mut kinds.moves, made),
                    _ => return,
                };
                set.extend(term.functor().map(|(name, _)| name));
            });
        }
        kinds
    }
}

/// Relations that other languages compute.
const ARITHMETIC: [&str; 16] = [
    "+", "-", "*", "/", "=", "<", ">", ">=", "sum", "plus", "add", "minus", "times", "mod", "less", "greater",
];

fn undefined(
    view: &RulesheetView<'_>,
    kinds: &Kinds,
    defined: Option<&FxHashMap<Symbol, Span>>,
    atom: &Atom,
) -> Finding {
    let name = view.name(atom.relation);
    let message = format!("nothing defines the relation `{name}`: it never holds");
    let place = view.locate(atom.at.0, atom.relation);
    let finding = Finding::warning(FindingCode::UndefinedRelation, place, message);
    let inner = match (&atom.arguments[..], view.sheet.syntax) {
        ([], _) => name.to_owned(),
        (_, Syntax::Kif) => format!("({name} ...)"),
        (_, Syntax::Infix) => format!("{name}(...)"),
    };
    let wrapped = |before: &str, prefix: &str| match view.sheet.syntax {
        Syntax::Kif => format!("({before} {prefix}{inner})"),
        Syntax::Infix => format!("{before}({}{inner})", prefix.replace("?r ", "R, ")),
    };
    if kinds.fluents.contains(&atom.relation) {
        return finding.help(format!("`{name}` is a fluent: did you mean `{}`?", wrapped("true", "")));
    }
    if kinds.moves.contains(&atom.relation) {
        return finding.help(format!("`{name}` is a move: did you mean `{}`?", wrapped("does", "?r ")));
    }
    let defined = defined.into_iter().flatten();
    let mut known: Vec<(Span, Symbol)> = defined.map(|(&symbol, &span)| (span, symbol)).collect();
    known.sort_unstable();
    let written = view.arrangement.written.symbols.count();
    let known = known.into_iter().map(|(_, symbol)| symbol).filter(|symbol| symbol.index() < written);
    let near = nearest(name, Symbol::keywords().chain(known).map(|symbol| view.name(symbol)));
    let computes =
        || ARITHMETIC.contains(&name).then(|| "GDL has no arithmetic: list the cases as facts".to_owned());
    finding.help_if(near.map(|near| format!("did you mean `{near}`?")).or_else(computes))
}
