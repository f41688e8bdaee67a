//! Glyphs: one or two letters for a term, so that a cell of a board stays narrow.
//!
//! Invariant: the glyphs of one table are all different, none is empty, and none contains a sign that a drawing uses
//! itself (`.`, `+`, `?`, `[`, `]`, `-`, a blank or a mark of a layer). A term whose name is short stands for itself.

use std::collections::BTreeSet;

use hyperplay_logic::gdl::{Game, TermId};
use rustc_hash::FxHashMap;

/// Names up to this length are drawn as they are.
const SHORT: usize = 2;

/// The glyph of each term that may stand in a cell.
#[derive(Clone, Default, Debug)]
pub(super) struct Glyphs(FxHashMap<TermId, String>);

impl Glyphs {
    /// Gives each term a glyph. The terms are in natural order, and how they are written is given with them.
    pub(super) fn of(terms: &[(TermId, String)]) -> Glyphs {
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let mut glyphs = FxHashMap::default();
        let is_plain = |name: &str| name.chars().all(char::is_alphanumeric);
        for (term, name) in terms {
            let is_number = name.parse::<i64>().is_ok_and(|number| number >= 0);
            if is_plain(name) && (name.chars().count() <= SHORT || is_number) && taken.insert(name.clone()) {
                glyphs.insert(*term, name.clone());
            }
        }
        for (term, name) in terms {
            if !glyphs.contains_key(term) {
                let glyph = candidates(name).find(|glyph| !taken.contains(glyph));
                let glyph = glyph.unwrap_or_else(|| name.clone());
                taken.insert(glyph.clone());
                glyphs.insert(*term, glyph);
            }
        }
        Glyphs(glyphs)
    }

    /// The glyph of a term; what it is written as, if it has none.
    pub(super) fn get(&self, term: TermId, game: &Game) -> String {
        self.0.get(&term).cloned().unwrap_or_else(|| game.show(term))
    }

    /// Whether every glyph is one character, and there are some.
    pub(super) fn are_single(&self) -> bool {
        !self.0.is_empty() && self.0.values().all(|glyph| glyph.chars().count() == 1)
    }
}

/// The parts of a name: `whiteRook` and `white_rook` have two, `disc12` has one.
fn parts(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut before = '_';
    for letter in name.chars() {
        let is_word = letter.is_alphanumeric();
        if is_word && (!before.is_alphanumeric() || (letter.is_uppercase() && before.is_lowercase())) {
            out.push(String::new());
        }
        if let Some(part) = out.last_mut().filter(|_| is_word) {
            part.extend(letter.to_lowercase());
        }
        before = letter;
    }
    out
}

/// The signs that may stand for a name, the best first. A name of several parts has the first letter of the first part
/// and one of the last part, as in `wr` for `whiteRook`; another one a letter of it, then its first letter and another
/// one. A number at the end is kept.
fn candidates(name: &str) -> impl Iterator<Item = String> {
    let parts = parts(name);
    let is_digit = |letter: char| letter.is_ascii_digit();
    let number = parts.last().map_or("", |part| &part[part.trim_end_matches(is_digit).len()..]).to_owned();
    let letters = |part: &String| {
        part.chars().filter(|&letter| !is_digit(letter)).map(String::from).collect::<Vec<_>>()
    };
    let first: Vec<String> = parts.first().map_or_else(Vec::new, letters);
    let last: Vec<String> = parts.last().filter(|_| parts.len() > 1).map_or_else(Vec::new, letters);
    let initial = first.first().cloned().unwrap_or_default();
    let of_two: Vec<String> = last.iter().map(|letter| format!("{initial}{letter}")).collect();
    let pairs: Vec<String> = first.iter().skip(1).map(|second| format!("{initial}{second}")).collect();
    let singles = first.into_iter().chain([initial.to_uppercase()]).filter(|letter| !letter.is_empty());
    of_two.into_iter().chain(singles).chain(pairs).map(move |letters| letters + &number)
}
