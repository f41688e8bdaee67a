//! The store of ground terms: fluents, moves and percepts as small ids.
//!
//! Equal terms have equal [`TermId`]s, so a state is a set of numbers, and comparing two terms takes one instruction.
//! The store only grows, and all threads and all engines of a game share it, so an id means the same everywhere.
//! Interning a term takes a lock on one of several shards; reading a term whose id is known takes no lock.
//!
//! The numbers depend on the order in which terms were interned, and no result depends on them: everything that is
//! shown, sorted or drawn at random is ordered by [`TermStore::compare`], the natural order of terms.

use std::cmp::Ordering;
use std::hash::BuildHasher;
use std::sync::{PoisonError, RwLock};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::{Symbol, Symbols, Term};

/// The id of a ground term in one [`TermStore`], where the example is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct TermId(u32);

impl TermId {
    /// The position in the store: 0, 1, 2, ... in the order in which terms were interned.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug)]
struct TermNode {
    functor: Symbol,
    /// In place up to four, so that to compare a term reads no other memory.
    arguments: SmallVec<[TermId; 4]>,
    depth: u32,
    size: u32,
}

const SHARDS: usize = 16;

/// All ground terms of a game that have been interned so far.
///
/// ```
/// use hyperplay_logic::gdl::{Symbols, Term, TermId, TermStore};
///
/// let mut symbols = Symbols::new();
/// let [cell, one, ten] = ["cell", "1", "10"].map(|name| symbols.intern(name));
/// let store = TermStore::new(symbols);
///
/// let [one, ten] = [one, ten].map(|number| store.intern(number, &[]));
/// let term: TermId = store.intern(cell, &[one, ten]);
/// assert_eq!([one, ten, term].map(TermId::index), [0, 1, 2]);
/// assert_eq!(store.show(term), "(cell 1 10)");
/// assert!(matches!(store.term(term), Term::Compound(name, _) if store.symbols().name(name) == "cell"));
/// assert_eq!(store.read("(CELL 1 10)"), Some(term));
/// assert_eq!((store.functor(term), store.arguments(term)), (cell, &[one, ten][..]));
/// assert!(store.compare(one, ten).is_lt() && store.compare(ten, term).is_lt());
/// ```
#[derive(Debug)]
pub struct TermStore {
    symbols: Symbols,
    /// The position of each symbol in the natural order of names.
    rank: Vec<u32>,
    nodes: boxcar::Vec<TermNode>,
    shards: [RwLock<HashTable<TermId>>; SHARDS],
}

impl TermStore {
    /// An empty store over the names of a rulesheet.
    pub fn new(symbols: Symbols) -> Self {
        let mut order: Vec<Symbol> = symbols.iter().collect();
        order.sort_by(|&a, &b| symbols.compare(a, b));
        let mut rank = vec![0; symbols.count()];
        for (position, symbol) in order.into_iter().enumerate() {
            rank[symbol.index()] = position as u32;
        }
        TermStore { symbols, rank, nodes: boxcar::Vec::new(), shards: Default::default() }
    }

    /// The symbol table.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The id of `functor(arguments)`, which is added if it is new. A constant has no arguments. O(arity) on average.
    pub fn intern(&self, functor: Symbol, arguments: &[TermId]) -> TermId {
        let hash = FxBuildHasher.hash_one((functor, arguments));
        let same = |id: &TermId| {
            let node = &self.nodes[id.index()];
            node.functor == functor && *node.arguments == *arguments
        };
        // The upper bits choose the shard, because the table itself uses the others.
        let shard = &self.shards[(hash >> 50) as usize % SHARDS];
        // A thread that panics while it holds the lock leaves the table as before or after a complete insertion.
        if let Some(&id) = shard.read().unwrap_or_else(PoisonError::into_inner).find(hash, same) {
            return id;
        }
        let mut table = shard.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(&id) = table.find(hash, same) {
            return id;
        }
        let depth =
            arguments.iter().map(|&argument| self.depth(argument)).max().map_or(0, |deepest| deepest + 1);
        let size = arguments.iter().fold(1, |size: u32, &argument| size.saturating_add(self.size(argument)));
        let arguments = SmallVec::from_slice(arguments);
        let index = self.nodes.push(TermNode { functor, arguments, depth, size });
        let id = TermId(u32::try_from(index).expect("memory ends long before 2^32 terms"));
        table.insert_unique(hash, id, |id| {
            let node = &self.nodes[id.index()];
            FxBuildHasher.hash_one((node.functor, &*node.arguments))
        });
        id
    }

    /// The id of a ground term of the rulesheet; `None` if a variable occurs in it.
    pub fn intern_term(&self, term: &Term) -> Option<TermId> {
        match term {
            Term::Variable(_) => None,
            Term::Constant(symbol) => Some(self.intern(*symbol, &[])),
            Term::Compound(functor, arguments) => {
                let arguments: Option<Vec<TermId>> =
                    arguments.iter().map(|argument| self.intern_term(argument)).collect();
                Some(self.intern(*functor, &arguments?))
            }
        }
    }

    /// The functor of a term, or the constant itself.
    #[inline]
    pub fn functor(&self, id: TermId) -> Symbol {
        self.nodes[id.index()].functor
    }

    /// The arguments of a term; none for a constant.
    #[inline]
    pub fn arguments(&self, id: TermId) -> &[TermId] {
        &self.nodes[id.index()].arguments
    }

    /// The depth to which a term is nested: 0 for a constant.
    #[inline]
    pub fn depth(&self, id: TermId) -> u32 {
        self.nodes[id.index()].depth
    }

    /// The number of names that a term consists of, as it would be printed; at most `u32::MAX`.
    #[inline]
    pub fn size(&self, id: TermId) -> u32 {
        self.nodes[id.index()].size
    }

    /// The term as a tree.
    pub fn term(&self, id: TermId) -> Term {
        let node = &self.nodes[id.index()];
        Term::new(node.functor, node.arguments.iter().map(|&argument| self.term(argument)).collect())
    }

    /// The term in prefix form, for example `(cell 1 1 b)`.
    pub fn show(&self, id: TermId) -> String {
        let name = self.symbols.name(self.functor(id));
        if self.arguments(id).is_empty() {
            return name.to_owned();
        }
        let arguments: Vec<String> = self.arguments(id).iter().map(|&argument| self.show(argument)).collect();
        format!("({name} {})", arguments.join(" "))
    }

    /// The id of the term that a text in prefix form spells, ignoring case. `None` if the text is not a ground term or
    /// contains a name that does not occur in the rulesheet.
    pub fn read(&self, text: &str) -> Option<TermId> {
        let text = text.replace('(', " ( ").replace(')', " ) ");
        let mut words = text.split_whitespace();
        let term = self.read_from(words.next()?, &mut words, super::term::MAX_DEPTH)?;
        words.next().is_none().then_some(term)
    }

    /// The term that begins with `word` and goes on with `words`, nested `depth` times at most.
    fn read_from<'t>(
        &self,
        word: &str,
        words: &mut impl Iterator<Item = &'t str>,
        depth: usize,
    ) -> Option<TermId> {
        if word != "(" {
            return Some(self.intern(self.symbols.get(word)?, &[]));
        }
        let (functor, depth) = (self.symbols.get(words.next()?)?, depth.checked_sub(1)?);
        let mut arguments = Vec::new();
        loop {
            match words.next()? {
                ")" => return Some(self.intern(functor, &arguments)),
                word => arguments.push(self.read_from(word, words, depth)?),
            }
        }
    }

    /// These terms in their natural order, each once.
    pub fn sorted(&self, terms: impl IntoIterator<Item = TermId>) -> Vec<TermId> {
        let mut terms: Vec<TermId> = terms.into_iter().collect();
        terms.sort_unstable_by(|&a, &b| self.compare(a, b));
        terms.dedup();
        terms
    }

    /// The natural order of terms, which is the same in every run. Constants come before compound terms. Constants are
    /// ordered by name, numbers by value before words; compound terms by functor, then arity, then arguments from the
    /// left.
    pub fn compare(&self, a: TermId, b: TermId) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let (x, y) = (&self.nodes[a.index()], &self.nodes[b.index()]);
        (!x.arguments.is_empty())
            .cmp(&!y.arguments.is_empty())
            .then_with(|| self.rank[x.functor.index()].cmp(&self.rank[y.functor.index()]))
            .then_with(|| x.arguments.len().cmp(&y.arguments.len()))
            .then_with(|| {
                x.arguments
                    .iter()
                    .zip(&y.arguments)
                    .map(|(&x, &y)| self.compare(x, y))
                    .find(|order| order.is_ne())
                    .unwrap_or(Ordering::Equal)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_have_equal_ids_and_order_is_natural() {
        let mut symbols = Symbols::new();
        let [a, f, two, ten] = ["a", "f", "2", "10"].map(|name| symbols.intern(name));
        let store = TermStore::new(symbols);
        let ten = store.intern(ten, &[]);
        let two = store.intern(two, &[]);
        let a = store.intern(a, &[]);
        let fa = store.intern(f, &[a]);
        assert_eq!(store.intern(f, &[a]), fa);
        assert_eq!(store.nodes.count(), 4);
        assert_eq!(store.depth(fa), 1);
        let mut all = [fa, a, ten, two];
        all.sort_by(|&x, &y| store.compare(x, y));
        assert_eq!(all, [two, ten, a, fa]);
    }

    #[test]
    fn printing_and_reading_a_term_is_the_identity() {
        let mut symbols = Symbols::new();
        for name in ["f", "a", "Bb"] {
            symbols.intern(name);
        }
        let store = TermStore::new(symbols);
        let term = store.read("(F a (f bb) )").unwrap();
        assert_eq!(store.show(term), "(f a (f Bb))");
        assert_eq!(store.read(&store.show(term)), Some(term));
        assert_eq!(store.read("(a)"), store.read("a"));
        for bad in ["", "(f a", "f a", "f)", "()", "(f c)", "((f a) a)"] {
            assert_eq!(store.read(bad), None, "{bad}");
        }
    }

    #[test]
    fn many_threads_agree_on_every_id() {
        let mut symbols = Symbols::new();
        let names: Vec<Symbol> = (0..500).map(|number| symbols.intern(&number.to_string())).collect();
        let store = TermStore::new(symbols);
        let ids = |_| -> Vec<TermId> { names.iter().map(|&name| store.intern(name, &[])).collect() };
        let (left, right) = rayon::join(|| ids(0), || ids(1));
        assert_eq!(left, right);
        assert_eq!(store.nodes.count(), 500);
    }
}
