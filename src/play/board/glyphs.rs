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
        let rest: Vec<&(TermId, String)> =
            terms.iter().filter(|(term, _)| !glyphs.contains_key(term)).collect();
        let initials: Vec<Option<String>> = rest.iter().map(|(_, name)| initials(name)).collect();
        let is_clear = {
            let mut seen = taken.clone();
            initials.iter().all(|glyph| glyph.as_ref().is_some_and(|glyph| seen.insert(glyph.clone())))
        };
        for ((term, name), initials) in rest.into_iter().zip(initials) {
            let clear = initials.filter(|_| is_clear);
            let mut candidates = clear.into_iter().chain(candidates(name));
            let glyph = candidates.find(|glyph| !taken.contains(glyph)).unwrap_or_else(|| name.clone());
            taken.insert(glyph.clone());
            glyphs.insert(*term, glyph);
        }
        Glyphs(glyphs)
    }

    /// The glyph of a term; what it is written as, if it has none.
    pub(super) fn get(&self, term: TermId, game: &Game) -> String {
        self.0.get(&term).cloned().unwrap_or_else(|| game.show(term))
    }

    /// Whether every glyph is one character.
    pub(super) fn are_single<'t>(&self, terms: impl IntoIterator<Item = &'t TermId>) -> bool {
        let is_single = |glyph: &String| glyph.chars().count() == 1;
        terms.into_iter().all(|term| self.0.get(term).is_some_and(is_single))
    }
}

/// The first letters of the parts of a name, with its numbers: `whiteRook` is `wr`, `disc_12` is `d12`. `None` if that is
/// longer than three letters.
fn initials(name: &str) -> Option<String> {
    let mut out = String::new();
    let mut before = '_';
    for letter in name.chars() {
        let begins = letter.is_alphabetic()
            && (!before.is_alphabetic() || (letter.is_uppercase() && before.is_lowercase()));
        if begins || letter.is_ascii_digit() {
            out.extend(letter.to_lowercase());
        }
        before = letter;
    }
    (1..=3).contains(&out.chars().count()).then_some(out)
}

/// What may stand for a name, the best first: a letter of it, then two.
fn candidates(name: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = name.chars().filter(|letter| letter.is_alphanumeric()).collect();
    let small: Vec<String> = letters.iter().map(|letter| letter.to_lowercase().to_string()).collect();
    let large = letters.first().map(|letter| letter.to_uppercase().to_string());
    let first = small.first().cloned().unwrap_or_default();
    let pairs: Vec<String> = small.iter().skip(1).map(|second| format!("{first}{second}")).collect();
    let is_word = |glyph: &String| !glyph.is_empty() && !glyph.chars().all(|letter| letter.is_ascii_digit());
    small.into_iter().chain(large).chain(pairs).filter(is_word)
}
