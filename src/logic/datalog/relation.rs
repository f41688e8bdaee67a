//! Relations: growing sets of tuples, with indexes.
//!
//! A tuple's life: it is inserted once (duplicates are refused), gets the next row number, and stays at that row until
//! the relation is cleared. So a range of rows is a set that was there at a moment, which is all that semi-naive
//! evaluation needs: *old*, *delta* and *all* are ranges.
//!
//! An index serves one [`Shape`]: it holds the rows whose terms have the functors that the shape asks for, by the
//! terms at the shape's key paths. Rows are chained newest first, so an index grows without moving anything and is
//! cleared in one stroke.

use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHasher};
use smallvec::SmallVec;

use crate::gdl::{Symbol, TermId, TermStore};

/// A tuple under construction.
pub type Tuple = SmallVec<[TermId; INLINE_TERMS]>;
/// A tuple under construction of no more terms takes no memory of its own.
pub const INLINE_TERMS: usize = 6;

/// Where a term stands in a tuple: the column, then argument positions inwards.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Path(SmallVec<[u8; 4]>);

impl Path {
    /// A whole column.
    ///
    /// # Panics
    /// If `column` exceeds 255; validation admits no atom with more arguments.
    pub fn column(column: usize) -> Path {
        Path(SmallVec::from_slice(&[u8::try_from(column).expect("an atom has at most 256 arguments")]))
    }

    /// An argument of the term at this path.
    ///
    /// # Panics
    /// If `argument` exceeds 255; validation admits no term with more arguments.
    pub fn argument(&self, argument: usize) -> Path {
        let mut path = self.0.clone();
        path.push(u8::try_from(argument).expect("a term has at most 256 arguments"));
        Path(path)
    }

    /// The term at this path. The shape's checks guarantee that it exists.
    pub fn of(&self, tuple: &[TermId], terms: &TermStore) -> TermId {
        let mut term = tuple[self.0[0] as usize];
        for &argument in &self.0[1..] {
            term = terms.arguments(term)[argument as usize];
        }
        term
    }
}

/// What an index asks of a tuple.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shape {
    /// The term at the path is compound with this functor and arity; outer paths come first.
    pub compounds: Vec<(Path, Symbol, usize)>,
    /// The paths whose terms are the key.
    pub key: Vec<Path>,
}

impl Shape {
    /// Whether the tuple has the functors asked for.
    pub fn admits(&self, tuple: &[TermId], terms: &TermStore) -> bool {
        self.compounds.iter().all(|(path, functor, arity)| {
            let term = path.of(tuple, terms);
            terms.functor(term) == *functor && terms.arguments(term).len() == *arity
        })
    }

    fn hash(&self, tuple: &[TermId], terms: &TermStore) -> u64 {
        hash_all(self.key.iter().map(|path| path.of(tuple, terms)))
    }
}

fn hash_all(ids: impl Iterator<Item = TermId>) -> u64 {
    let mut hasher: FxHasher = FxBuildHasher.build_hasher();
    for id in ids {
        hasher.write_u32(id.index() as u32);
    }
    hasher.finish()
}

/// The half of a tuple's hash that is kept, and a hash again made of it.
fn kept(hash: u64) -> u32 {
    (hash >> 32) as u32
}

fn spread(kept: u32) -> u64 {
    u64::from(kept).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

const NONE: u32 = u32::MAX;

#[derive(Clone, Debug, Default)]
struct Index {
    shape: Shape,
    /// Newest row of each chain, with the hash of its key.
    heads: HashTable<(u64, u32)>,
    /// For each row covered, the next older row of its chain.
    older: Vec<u32>,
}

/// Where a lookup will probably find its tuple: as far behind the last one as that was behind the one before.
///
/// Rules often ask for tuples in the order in which others were derived. In a relation that no cache holds, a row in
/// sight costs a fraction of looking its hash up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Finger {
    last: u32,
    next: u32,
}

impl Finger {
    fn move_to(&mut self, row: usize) {
        let row = row as u32;
        self.next = row.wrapping_add(row.wrapping_sub(self.last));
        self.last = row;
    }
}

/// A set of tuples of one arity.
#[derive(Clone, Debug, Default)]
pub struct Relation {
    arity: usize,
    count: usize,
    terms: Vec<TermId>,
    /// The rows, each with the half of its hash that is kept, so that a table grows without looking at them.
    members: HashTable<(u32, u32)>,
    indexes: Vec<Index>,
}

impl Relation {
    /// An empty relation with an index for each of these shapes.
    pub fn new(arity: usize, shapes: Vec<Shape>) -> Self {
        let indexes = shapes.into_iter().map(|shape| Index { shape, ..Index::default() }).collect();
        Relation { arity, indexes, ..Relation::default() }
    }

    /// Adds the indexes for shapes that come after those it has: `shapes` lists all, in order.
    pub fn add_indexes(&mut self, shapes: &[Shape]) {
        for shape in &shapes[self.indexes.len().min(shapes.len())..] {
            self.indexes.push(Index { shape: shape.clone(), ..Index::default() });
        }
    }

    /// The number of tuples.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether no tuple holds.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The tuple at a row.
    pub fn row(&self, row: usize) -> &[TermId] {
        &self.terms[row * self.arity..(row + 1) * self.arity]
    }

    /// All tuples, oldest first.
    pub fn rows(&self) -> impl Iterator<Item = &[TermId]> {
        (0..self.count).map(|row| self.row(row))
    }

    /// Adds a tuple, looked for at a finger first; false if it was there already.
    pub fn insert_by(&mut self, finger: &mut Finger, tuple: &[TermId]) -> bool {
        !self.is_at(finger, tuple) && self.insert(tuple)
    }

    /// Adds a tuple; false if it was there already.
    pub fn insert(&mut self, tuple: &[TermId]) -> bool {
        debug_assert_eq!(tuple.len(), self.arity);
        let kept = kept(hash_all(tuple.iter().copied()));
        if self.find(kept, tuple).is_some() {
            return false;
        }
        let row = self.count as u32;
        self.terms.extend_from_slice(tuple);
        self.count += 1;
        self.members.insert_unique(spread(kept), (kept, row), |&(kept, _)| spread(kept));
        true
    }

    /// Adds the tuples of a relation without indexes, none of which it holds.
    pub fn append(&mut self, new: Relation) {
        if self.count == 0 {
            self.clear();
            (self.count, self.terms, self.members) = (new.count, new.terms, new.members);
            return;
        }
        self.members.reserve(new.count, |&(kept, _)| spread(kept));
        new.rows().for_each(|tuple| {
            self.insert(tuple);
        });
    }

    /// Whether a tuple holds.
    pub fn contains(&self, tuple: &[TermId]) -> bool {
        self.position(tuple).is_some()
    }

    /// The row of a tuple.
    pub fn position(&self, tuple: &[TermId]) -> Option<usize> {
        if self.count == 0 {
            return None;
        }
        self.find(kept(hash_all(tuple.iter().copied())), tuple)
    }

    /// The row of a tuple, looked for at a finger first.
    pub fn position_by(&self, finger: &mut Finger, tuple: &[TermId]) -> Option<usize> {
        if self.is_at(finger, tuple) {
            return Some(finger.last as usize);
        }
        let row = self.position(tuple)?;
        finger.move_to(row);
        Some(row)
    }

    /// Whether a finger points at a tuple; it then moves on.
    fn is_at(&self, finger: &mut Finger, tuple: &[TermId]) -> bool {
        let next = finger.next as usize;
        let found = next < self.count && self.row(next) == tuple;
        if found {
            finger.move_to(next);
        }
        found
    }

    fn find(&self, kept: u32, tuple: &[TermId]) -> Option<usize> {
        let is_it = |&(other, row): &(u32, u32)| other == kept && self.row(row as usize) == tuple;
        self.members.find(spread(kept), is_it).map(|&(_, row)| row as usize)
    }

    /// Takes all tuples out; keeps the memory.
    pub fn clear(&mut self) {
        self.count = 0;
        self.terms.clear();
        self.members.clear();
        for index in &mut self.indexes {
            index.heads.clear();
            index.older.clear();
        }
    }

    /// Whether an index exists and covers all tuples.
    pub fn is_fresh(&self, index: usize) -> bool {
        self.indexes.get(index).is_some_and(|index| index.older.len() == self.count)
    }

    /// Brings an index up to date with the tuples. O(new tuples).
    pub fn refresh(&mut self, index: usize, terms: &TermStore) {
        let Index { shape, heads, older } = &mut self.indexes[index];
        for row in older.len()..self.count {
            let tuple = &self.terms[row * self.arity..(row + 1) * self.arity];
            if !shape.admits(tuple, terms) {
                older.push(NONE);
                continue;
            }
            let hash = shape.hash(tuple, terms);
            // Chains are by hash: whoever walks one compares the keys.
            match heads.find_mut(hash, |&(other, _)| other == hash) {
                Some(head) => older.push(std::mem::replace(&mut head.1, row as u32)),
                None => {
                    older.push(NONE);
                    heads.insert_unique(hash, (hash, row as u32), |&(hash, _)| hash);
                }
            }
        }
    }

    /// The rows of a range that an index chains under a key, newest first: a superset of the matching rows, so the
    /// caller compares. The index must be fresh.
    pub fn probe(&self, index: usize, key: &[TermId], range: Range<usize>) -> impl Iterator<Item = usize> {
        let Index { heads, older, .. } = &self.indexes[index];
        debug_assert_eq!(older.len(), self.count);
        let hash = hash_all(key.iter().copied());
        let mut row = heads.find(hash, |&(other, _)| other == hash).map_or(NONE, |&(_, row)| row);
        std::iter::from_fn(move || {
            while row != NONE && row as usize >= range.end {
                row = older[row as usize];
            }
            if row == NONE || (row as usize) < range.start {
                return None;
            }
            let found = row as usize;
            row = older[found];
            Some(found)
        })
    }

    /// Rows that a shape admits, and the number of different keys among them, from at most the first `limit` rows
    /// (scaled up to all). The planner's measure of selectivity.
    pub fn selectivity(&self, shape: &Shape, terms: &TermStore, limit: usize) -> (f64, f64) {
        let looked_at = self.count.min(limit);
        let mut keys = rustc_hash::FxHashSet::default();
        let mut admitted = 0_usize;
        for row in 0..looked_at {
            let tuple = self.row(row);
            if shape.admits(tuple, terms) {
                admitted += 1;
                keys.insert(shape.hash(tuple, terms));
            }
        }
        let scale = if looked_at == 0 { 1.0 } else { self.count as f64 / looked_at as f64 };
        (admitted as f64 * scale, keys.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gdl::Symbols;

    #[test]
    fn an_index_finds_exactly_the_rows_of_its_key_in_a_range() {
        let mut symbols = Symbols::new();
        let names = ["f", "a", "b", "c"].map(|name| symbols.intern(name));
        let store = TermStore::new(symbols);
        let [a, b, c] = [1, 2, 3].map(|name| store.intern(names[name], &[]));
        let f = |x, y| store.intern(names[0], &[x, y]);
        let inner = Path::column(0).argument(1);
        let shape = Shape { compounds: vec![(Path::column(0), names[0], 2)], key: vec![inner] };
        let mut relation = Relation::new(1, vec![shape.clone()]);
        for term in [f(a, b), a, f(b, c), f(c, b), f(a, b)] {
            relation.insert(&[term]);
        }
        assert_eq!(relation.len(), 4);
        relation.refresh(0, &store);
        assert_eq!(relation.probe(0, &[b], 0..4).collect::<Vec<_>>(), [3, 0]);
        assert_eq!(relation.probe(0, &[b], 1..4).collect::<Vec<_>>(), [3]);
        assert_eq!(relation.probe(0, &[b], 0..3).collect::<Vec<_>>(), [0]);
        assert_eq!(relation.probe(0, &[a], 0..4).count(), 0);
        assert_eq!(relation.selectivity(&shape, &store, 100), (3.0, 2.0));
        relation.clear();
        relation.insert(&[f(b, b)]);
        relation.refresh(0, &store);
        assert_eq!(relation.probe(0, &[b], 0..1).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn a_finger_finds_what_looking_up_finds() {
        let mut symbols = Symbols::new();
        let names: Vec<_> = (0..11).map(|number| symbols.intern(&number.to_string())).collect();
        let store = TermStore::new(symbols);
        let terms: Vec<TermId> = names.iter().map(|&name| store.intern(name, &[])).collect();
        let (mut relation, mut by_finger) = (Relation::new(2, Vec::new()), Relation::new(2, Vec::new()));
        let mut finger = Finger::default();
        // Every second one, all again in another order, and those that are missing.
        let pairs = || (0..100).map(|number| [terms[number / 10], terms[number % 10]]);
        for tuple in pairs().step_by(2).chain(pairs().rev()).chain(pairs()) {
            assert_eq!(relation.insert(&tuple), by_finger.insert_by(&mut finger, &tuple));
        }
        assert_eq!(relation.len(), 100);
        assert!(relation.rows().eq(by_finger.rows()));
        let mut finger = Finger::default();
        for tuple in pairs().chain(pairs().step_by(3)).chain(pairs().rev()) {
            assert_eq!(relation.position(&tuple), relation.position_by(&mut finger, &tuple));
            assert_eq!(relation.position_by(&mut finger, &[terms[10], tuple[1]]), None);
        }
        relation.clear();
        assert_eq!(relation.position_by(&mut finger, &[terms[0], terms[0]]), None);
    }
}
