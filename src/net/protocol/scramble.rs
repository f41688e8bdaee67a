//! Other names for one match, so that a player cannot know a game by its words.
//!
//! Every name of the rules gets another one, drawn by a seed: relations, functions, objects and variables, but neither
//! the words of the language nor numbers, as the Dresden GameController does. Messages that are sent are scrambled,
//! answers are unscrambled.
//!
//! Invariant: the renaming is one to one, and no new name is a name of the rules. So an answer in the old names is none
//! of the scrambled game, and [`Scrambler::unscramble`] says so.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use hyperplay_logic::gdl::{Symbols, fold};
use hyperplay_machine::Seed;
use rand::seq::SliceRandom;

use super::scan::{pieces, replace_words};

const WORDS: &str = "\
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau \
    upsilon phi chi psi omega apple apricot avocado banana cherry coconut cranberry date elderberry fig \
    grape grapefruit guava kiwi kumquat lemon lime lychee mango melon mulberry nectarine olive orange papaya \
    peach pear persimmon pineapple plum pomegranate quince";

/// A one-to-one renaming of the names of a rulesheet.
///
/// ```
/// use hyperplay_machine::Seed;
/// use hyperplay_net::protocol::Scrambler;
///
/// let scrambler = Scrambler::new("(role white) (<= (legal white (mark ?x 1)) (free ?x))", &Seed::root(1));
/// let answer = scrambler.scramble("(mark 2 1)");
/// assert!(answer.ends_with(" 2 1)") && answer != "(mark 2 1)");
/// assert_eq!(scrambler.unscramble(&answer.to_uppercase()).as_deref(), Some("(mark 2 1)"));
/// // The old names mean nothing in the scrambled game.
/// assert_eq!(scrambler.unscramble("(mark 2 1)"), None);
/// ```
#[derive(Clone, Debug)]
pub struct Scrambler {
    /// From folded names of the rules to new ones. Variables keep their `?` in both.
    there: HashMap<String, String>,
    /// From new names to names of the rules, as they were spelt first.
    back: HashMap<String, String>,
}

impl Scrambler {
    /// A renaming of all names of these rules, in prefix form. The same rules and seed give the same names. O(size).
    pub fn new(rules: &str, seed: &Seed) -> Scrambler {
        let words = || pieces(rules).filter(|piece| !["(", ")"].contains(piece));
        let taken: HashSet<String> = words().map(|word| fold(bare(word)).into_owned()).collect();
        let mut scrambler = Scrambler { there: HashMap::new(), back: HashMap::new() };
        let mut fresh = fresh_names(seed).filter(|name| !taken.contains(name));
        for word in words().filter(|word| !is_fixed(word)) {
            let folded = fold(word).into_owned();
            if scrambler.there.contains_key(&folded) {
                continue;
            }
            let name = fresh.next().expect("the names never end");
            let name = if word.starts_with('?') { format!("?{name}") } else { name };
            scrambler.back.insert(name.clone(), word.to_owned());
            scrambler.there.insert(folded, name);
        }
        scrambler
    }

    /// A term or rules in the new names. A name that the rules do not have stays as it is. O(length).
    pub fn scramble(&self, text: &str) -> String {
        let other =
            |word: &str| Some(self.there.get(fold(word).as_ref()).map_or(word, String::as_str).to_owned());
        replace_words(text, other).unwrap_or_default()
    }

    /// A term or rules in the names of the rules, as these spell them first; `None` if some name is none of the
    /// scrambled game, as in an answer in the old names. O(length).
    pub fn unscramble(&self, text: &str) -> Option<String> {
        replace_words(text, |word| {
            if is_fixed(word) { Some(word.to_owned()) } else { self.back.get(fold(word).as_ref()).cloned() }
        })
    }
}

/// The words in an order drawn by the seed, then again with numbers behind them, without end.
fn fresh_names(seed: &Seed) -> impl Iterator<Item = String> {
    let mut words: Vec<&str> = WORDS.split(' ').collect();
    words.shuffle(&mut seed.rng());
    let numbers = std::iter::once(String::new()).chain((2..).map(|number: u64| number.to_string()));
    numbers.flat_map(move |number| words.iter().map(|word| format!("{word}{number}")).collect::<Vec<_>>())
}

/// A name without the mark of a variable.
fn bare(word: &str) -> &str {
    word.strip_prefix('?').unwrap_or(word)
}

/// Whether a word is never renamed: a word of the language or a number.
fn is_fixed(word: &str) -> bool {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number || word == "<=" || word.eq_ignore_ascii_case("nil") || is_keyword(word)
}

fn is_keyword(word: &str) -> bool {
    static KEYWORDS: LazyLock<Symbols> = LazyLock::new(Symbols::new);
    KEYWORDS.get(word).is_some()
}
