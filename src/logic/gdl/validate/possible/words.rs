//! Words of the messages: names with their places, and positions.

use crate::gdl::suggest::nearest;
use crate::gdl::validate::locate::{is_variable, words};
use crate::gdl::validate::{RulesheetView, each_atom_of_clause, each_part};
use crate::gdl::{Atom, Span};
use hyperplay_machine::terms::{Symbol, Term, fold};

/// The place of a constant or of the functor of a term that is a part of an atom; the whole atom if it is not found.
pub(super) fn place(view: &RulesheetView<'_>, atom: &Atom, part: &Term) -> Span {
    let (Term::Constant(name) | Term::Compound(name, _)) = part else { return atom.at.0 };
    let mut before = usize::from(atom.relation == *name);
    let mut is_found = false;
    for argument in &atom.arguments {
        each_part(argument, &mut |term| {
            is_found |= std::ptr::eq(term, part);
            if let Term::Constant(other) | Term::Compound(other, _) = term {
                before += usize::from(other == name && !is_found);
            }
        });
    }
    let folded = fold(view.name(*name));
    words(view.sheet, atom.at.0)
        .take(FAR)
        .filter(|(word, _)| !is_variable(view.sheet.syntax, word) && fold(word.trim_matches('\'')) == folded)
        .nth(before)
        .map_or(atom.at.0, |(_, span)| span)
}

/// The place at which a name first stands in a term.
pub(super) fn first_place(view: &RulesheetView<'_>, name: Symbol) -> Option<Span> {
    view.sheet.clauses.iter().find_map(|clause| {
        let mut found = None;
        each_atom_of_clause(clause, &mut |atom| {
            for argument in &atom.arguments {
                each_part(argument, &mut |term| {
                    if found.is_none()
                        && matches!(term, Term::Constant(own) | Term::Compound(own, _) if *own == name)
                    {
                        found = Some(place(view, atom, term));
                    }
                });
            }
        });
        found
    })
}

/// The number of words of an atom among which a name is searched.
const FAR: usize = 1000;

/// An atom in the syntax of the rulesheet.
pub(super) fn show(view: &RulesheetView<'_>, atom: &Atom) -> String {
    view.show(&Term::new(atom.relation, atom.arguments.clone()))
}

/// `first`, `second`, ..., `11th`, counted from 0.
pub(super) fn ordinal(position: usize) -> String {
    const WORDS: [&str; 10] =
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    WORDS.get(position).map_or_else(|| format!("{}th", position + 1), |word| (*word).to_owned())
}

/// The name among `known` for which a name may be a typing error. Numbers and single characters are not corrected.
pub(super) fn similar(
    view: &RulesheetView<'_>,
    name: Symbol,
    known: impl Iterator<Item = Symbol>,
) -> Option<Symbol> {
    let plain = |name: &str| name.chars().count() > 1 && name.parse::<f64>().is_err();
    let names = known.filter(|&known| differ_in_letters(view, name, known)).map(|known| view.name(known));
    let names = names.filter(|name| plain(name));
    let word = view.name(name);
    if plain(word) { nearest(word, names).and_then(|near| view.sheet.symbols.get(near)) } else { None }
}

/// Whether two names differ in letters only, so that one is not the other with another number.
pub(super) fn differ_in_letters(view: &RulesheetView<'_>, a: Symbol, b: Symbol) -> bool {
    let digits =
        |name: Symbol| view.name(name).chars().filter(|letter| !letter.is_alphabetic()).collect::<String>();
    digits(a) == digits(b)
}
