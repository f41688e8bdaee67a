//! Symbols: the interned names of a rulesheet.
//!
//! GDL compares names without regard to case, so a symbol stands for one *folded* (lower-case) name. The spelling that
//! occurred first in the text is kept for printing. Every table interns the keywords of the language first, so that
//! their symbols are constants (`Symbol::ROLE`, ...).
//!
//! Invariant: two symbols of one table are equal if and only if their names are equal when case is ignored.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

/// An interned name. A symbol has a meaning only together with the [`Symbols`] that made it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(u32);

/// The keywords of GDL and GDL-II, in the order of their symbols.
const WORDS: [&str; 18] = [
    "role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "sees", "percept",
    "distinct", "not", "and", "or", "random", "did",
];

#[allow(missing_docs, reason = "each constant is the word of the language that it spells")]
impl Symbol {
    pub const ROLE: Symbol = Symbol(0);
    pub const INIT: Symbol = Symbol(1);
    pub const TRUE: Symbol = Symbol(2);
    pub const DOES: Symbol = Symbol(3);
    pub const NEXT: Symbol = Symbol(4);
    pub const LEGAL: Symbol = Symbol(5);
    pub const GOAL: Symbol = Symbol(6);
    pub const TERMINAL: Symbol = Symbol(7);
    pub const BASE: Symbol = Symbol(8);
    pub const INPUT: Symbol = Symbol(9);
    pub const SEES: Symbol = Symbol(10);
    pub const PERCEPT: Symbol = Symbol(11);
    pub const DISTINCT: Symbol = Symbol(12);
    pub const NOT: Symbol = Symbol(13);
    pub const AND: Symbol = Symbol(14);
    pub const OR: Symbol = Symbol(15);
    pub const RANDOM: Symbol = Symbol(16);
    pub const DID: Symbol = Symbol(17);

    /// A symbol that is in no table, for a relation that an engine introduces. Different numbers give different
    /// symbols.
    pub fn auxiliary(number: u32) -> Symbol {
        Symbol(u32::MAX - number)
    }

    /// The number of an auxiliary symbol; `None` for the symbol of a name.
    pub fn auxiliary_number(self) -> Option<u32> {
        // No table holds half of all numbers.
        (self.0 > u32::MAX / 2).then(|| u32::MAX - self.0)
    }

    /// The position of the symbol in its table: 0, 1, 2, ...
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The arity of a relation that GDL defines (`role/1`, ..., `percept/2`, `distinct/2`); `None` for other names.
    pub fn keyword_arity(self) -> Option<usize> {
        match self {
            Symbol::TERMINAL => Some(0),
            Symbol::ROLE | Symbol::INIT | Symbol::TRUE | Symbol::NEXT | Symbol::BASE => Some(1),
            Symbol::DOES
            | Symbol::LEGAL
            | Symbol::GOAL
            | Symbol::INPUT
            | Symbol::SEES
            | Symbol::PERCEPT
            | Symbol::DISTINCT => Some(2),
            _ => None,
        }
    }

    /// The relations of the language: the words with an arity.
    pub fn keywords() -> impl Iterator<Item = Symbol> {
        (0..WORDS.len() as u32).map(Symbol).filter(|word| word.keyword_arity().is_some())
    }

    /// Whether this is `base`, `input` or `percept`: a relation that declares what may occur and has no part in play.
    pub fn is_declaration(self) -> bool {
        matches!(self, Symbol::BASE | Symbol::INPUT | Symbol::PERCEPT)
    }

    /// Whether this is one of the logical words `not`, `and`, `or`, `distinct`.
    pub fn is_logical(self) -> bool {
        matches!(self, Symbol::NOT | Symbol::AND | Symbol::OR | Symbol::DISTINCT)
    }
}

/// The symbol table of a rulesheet.
///
/// ```
/// use hyperplay_logic::gdl::Symbols;
///
/// let mut symbols = Symbols::new();
/// let card = symbols.intern("cardA");
/// assert_eq!(symbols.intern("CARDa"), card);
/// assert_eq!(symbols.name(card), "cardA");
/// assert_eq!(symbols.get("cardB"), None);
/// ```
#[derive(Clone, Debug)]
pub struct Symbols {
    by_name: FxHashMap<Box<str>, Symbol>,
    spelling: Vec<Box<str>>,
}

impl Default for Symbols {
    fn default() -> Self {
        Self::new()
    }
}

impl Symbols {
    /// A table that contains only the keywords of the language.
    pub fn new() -> Self {
        let mut symbols = Symbols { by_name: FxHashMap::default(), spelling: Vec::new() };
        for word in WORDS {
            symbols.intern(word);
        }
        symbols
    }

    /// The symbol of `name`, which is added if it is new. The first spelling is kept. O(length) on average.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(symbol) = self.get(name) {
            return symbol;
        }
        let symbol = Symbol(u32::try_from(self.spelling.len()).expect("a text holds fewer than 2^32 names"));
        self.by_name.insert(fold(name).into(), symbol);
        self.spelling.push(name.into());
        symbol
    }

    /// The symbol of a name that the table did not contain: the one wanted, with as many apostrophes as it takes.
    pub fn fresh(&mut self, mut name: String) -> Symbol {
        while self.get(&name).is_some() {
            name.push('\'');
        }
        self.intern(&name)
    }

    /// The symbol of `name`, if the table contains it. O(length) on average.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.by_name.get(fold(name).as_ref()).copied()
    }

    /// The spelling of a symbol that occurred first in the text; `(auxiliary)` for a symbol that is not in the table.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.spelling.get(symbol.index()).map_or("(auxiliary)", |name| name)
    }

    /// The number of symbols, the keywords of the language included.
    pub fn count(&self) -> usize {
        self.spelling.len()
    }

    /// All symbols, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = Symbol> + use<> {
        (0..self.spelling.len() as u32).map(Symbol)
    }

    /// The natural order of names: numbers by value, then words by folded spelling.
    pub fn compare(&self, a: Symbol, b: Symbol) -> Ordering {
        let key = |symbol: Symbol| {
            let name = self.name(symbol);
            let number = name.parse::<i64>().ok();
            (number.is_none(), number, fold(name).into_owned())
        };
        if a == b { Ordering::Equal } else { key(a).cmp(&key(b)) }
    }
}

/// The folded (lower-case) form of a name. Two names are the same in GDL if their folded forms are equal.
///
/// ```
/// assert_eq!(hyperplay_logic::gdl::fold("CardA"), "carda");
/// ```
pub fn fold(name: &str) -> std::borrow::Cow<'_, str> {
    // Some letters outside ASCII have a lower case although they are no upper case.
    let is_folded = name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if is_folded { name.into() } else { name.to_lowercase().into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_language_are_constants() {
        let mut symbols = Symbols::new();
        assert_eq!(symbols.intern("ROLE"), Symbol::ROLE);
        assert_eq!(symbols.get("percept"), Some(Symbol::PERCEPT));
        assert_eq!(symbols.intern("did"), Symbol::DID);
        assert_eq!(symbols.count(), WORDS.len());
    }

    #[test]
    fn names_are_compared_ignoring_case_and_printed_as_first_spelt() {
        let mut symbols = Symbols::new();
        let first = symbols.intern("cardA");
        assert_eq!(symbols.intern("CARDa"), first);
        assert_eq!(symbols.name(first), "cardA");
        // A letter that is neither upper nor lower case, but has a lower case.
        assert_eq!(fold("a\u{1f88}"), fold("A\u{1f88}"));
    }

    #[test]
    fn numbers_come_by_value_before_words() {
        let mut symbols = Symbols::new();
        let mut all: Vec<_> = ["b", "10", "a", "9"].iter().map(|name| symbols.intern(name)).collect();
        all.sort_by(|&a, &b| symbols.compare(a, b));
        let names: Vec<_> = all.iter().map(|&symbol| symbols.name(symbol)).collect();
        assert_eq!(names, ["9", "10", "a", "b"]);
    }
}
