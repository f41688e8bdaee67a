//! Relations: growing sets of tuples, with indexes.
//!
//! A tuple is inserted once (a duplicate is refused), gets the next row number, and keeps that row until the relation
//! is cleared. A range of rows from 0 is therefore the set as it was at some moment. This is all that semi-naive
//! evaluation needs: the *old* tuples, the *delta* and *all* tuples are ranges of rows.
//!
//! An index serves one [`IndexShape`]. It holds the rows whose terms have the functors of the shape, grouped by the
//! terms at the shape's key paths. The rows of a key are chained from the newest to the oldest, so an index grows
//! without moving anything.

use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHasher};
use smallvec::SmallVec;

use crate::gdl::{Symbol, TermId, TermStore};

/// A tuple under construction.
pub(super) type Tuple = SmallVec<[TermId; INLINE_TERMS]>;
/// A tuple under construction with at most this many terms needs no allocation.
pub(super) const INLINE_TERMS: usize = 6;

/// The place of a term in a tuple: its column, then the argument positions from the outermost term inwards.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct TermPath(SmallVec<[u8; 4]>);

impl TermPath {
    /// The path of a whole column.
    ///
    /// # Panics
    /// If `column` exceeds 255; validation admits no atom with more arguments.
    pub(super) fn column(column: usize) -> TermPath {
        TermPath(SmallVec::from_slice(&[u8::try_from(column).expect("an atom has at most 256 arguments")]))
    }

    /// The path of an argument of the term at this path.
    ///
    /// # Panics
    /// If `argument` exceeds 255; validation admits no term with more arguments.
    pub(super) fn argument(&self, argument: usize) -> TermPath {
        let mut path = self.0.clone();
        path.push(u8::try_from(argument).expect("a term has at most 256 arguments"));
        TermPath(path)
    }

    /// The term at this path. The caller has checked that it exists, with [`IndexShape::admits`].
    pub(super) fn of(&self, tuple: &[TermId], terms: &TermStore) -> TermId {
        let mut term = tuple[self.0[0] as usize];
        for &argument in &self.0[1..] {
            term = terms.arguments(term)[argument as usize];
        }
        term
    }
}

/// The condition and the key of an index.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct IndexShape {
    /// The paths at which a compound term with this functor and arity must stand; outer paths come first.
    pub(super) compounds: Vec<(TermPath, Symbol, usize)>,
    /// The paths of the terms that form the key.
    pub(super) key: Vec<TermPath>,
}

impl IndexShape {
    /// Whether the tuple has the functors of the shape.
    pub(super) fn admits(&self, tuple: &[TermId], terms: &TermStore) -> bool {
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

/// The half of a tuple's hash that is stored with its row.
fn kept(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// A hash made of the half that is stored.
fn spread(kept: u32) -> u64 {
    u64::from(kept).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

const NONE: u32 = u32::MAX;

#[derive(Clone, Debug, Default)]
struct TupleIndex {
    shape: IndexShape,
    /// The newest row of each chain, with the hash of its key.
    heads: HashTable<(u64, u32)>,
    /// For each row that the index covers, the next older row of its chain.
    older: Vec<u32>,
}

/// A guess where the next look-up will find its tuple: the distance between the last two hits is repeated.
///
/// Rules often ask for tuples in the order in which others were derived. In a relation that is too large for the
/// caches, comparing the row at the guess costs a fraction of a look-up by hash.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StrideCursor {
    last: u32,
    next: u32,
}

impl StrideCursor {
    fn move_to(&mut self, row: usize) {
        let row = row as u32;
        self.next = row.wrapping_add(row.wrapping_sub(self.last));
        self.last = row;
    }
}

/// A set of tuples of one arity, in the order in which they were derived.
///
/// Relations are made by a [`Database`](super::Database) and read through it.
#[derive(Clone, Debug, Default)]
pub struct Relation {
    arity: usize,
    count: usize,
    terms: Vec<TermId>,
    /// The rows, each with half of the hash of its tuple, so that the table grows without reading the tuples.
    members: HashTable<(u32, u32)>,
    indexes: Vec<TupleIndex>,
}

impl Relation {
    /// An empty relation with an index for each of these shapes.
    pub(super) fn new(arity: usize, shapes: Vec<IndexShape>) -> Self {
        let indexes = shapes.into_iter().map(|shape| TupleIndex { shape, ..TupleIndex::default() }).collect();
        Relation { arity, indexes, ..Relation::default() }
    }

    /// Adds the missing indexes. `shapes` lists all shapes, those of the indexes that exist first.
    pub(super) fn add_indexes(&mut self, shapes: &[IndexShape]) {
        for shape in &shapes[self.indexes.len().min(shapes.len())..] {
            self.indexes.push(TupleIndex { shape: shape.clone(), ..TupleIndex::default() });
        }
    }

    /// The number of tuples.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the relation has no tuple.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The tuple at a row, in `0..len()`.
    pub fn row(&self, row: usize) -> &[TermId] {
        &self.terms[row * self.arity..(row + 1) * self.arity]
    }

    /// All tuples, oldest first.
    pub fn rows(&self) -> impl Iterator<Item = &[TermId]> {
        (0..self.count).map(|row| self.row(row))
    }

    /// Adds a tuple after looking for it at a cursor; returns false if it was there already.
    pub(super) fn insert_by(&mut self, cursor: &mut StrideCursor, tuple: &[TermId]) -> bool {
        !self.is_at(cursor, tuple) && self.insert(tuple)
    }

    /// Adds a tuple; returns false if it was there already.
    pub(super) fn insert(&mut self, tuple: &[TermId]) -> bool {
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

    /// Adds the tuples of another relation without indexes; none of them may be there already.
    pub(super) fn append(&mut self, new: Relation) {
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

    /// Whether a tuple is in the relation. O(arity) on average.
    pub fn contains(&self, tuple: &[TermId]) -> bool {
        self.position(tuple).is_some()
    }

    /// The row of a tuple, if it is in the relation. O(arity) on average.
    pub fn position(&self, tuple: &[TermId]) -> Option<usize> {
        if self.count == 0 {
            return None;
        }
        self.find(kept(hash_all(tuple.iter().copied())), tuple)
    }

    /// The row of a tuple, looked for at a cursor first.
    pub(super) fn position_by(&self, cursor: &mut StrideCursor, tuple: &[TermId]) -> Option<usize> {
        if self.is_at(cursor, tuple) {
            return Some(cursor.last as usize);
        }
        let row = self.position(tuple)?;
        cursor.move_to(row);
        Some(row)
    }

    /// Whether a cursor points at a tuple; it then moves on.
    fn is_at(&self, cursor: &mut StrideCursor, tuple: &[TermId]) -> bool {
        let next = cursor.next as usize;
        let found = next < self.count && self.row(next) == tuple;
        if found {
            cursor.move_to(next);
        }
        found
    }

    fn find(&self, kept: u32, tuple: &[TermId]) -> Option<usize> {
        let is_it = |&(other, row): &(u32, u32)| other == kept && self.row(row as usize) == tuple;
        self.members.find(spread(kept), is_it).map(|&(_, row)| row as usize)
    }

    /// Removes all tuples and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.terms.clear();
        self.members.clear();
        for index in &mut self.indexes {
            index.heads.clear();
            index.older.clear();
        }
    }

    /// Whether an index exists and covers all tuples.
    pub(super) fn is_fresh(&self, index: usize) -> bool {
        self.indexes.get(index).is_some_and(|index| index.older.len() == self.count)
    }

    /// Adds the tuples to an index that it does not cover yet. O(new tuples).
    pub(super) fn refresh(&mut self, index: usize, terms: &TermStore) {
        let TupleIndex { shape, heads, older } = &mut self.indexes[index];
        for row in older.len()..self.count {
            let tuple = &self.terms[row * self.arity..(row + 1) * self.arity];
            if !shape.admits(tuple, terms) {
                older.push(NONE);
                continue;
            }
            let hash = shape.hash(tuple, terms);
            // A chain holds the rows of one hash, so the caller of `probe` compares the keys.
            match heads.find_mut(hash, |&(other, _)| other == hash) {
                Some(head) => older.push(std::mem::replace(&mut head.1, row as u32)),
                None => {
                    older.push(NONE);
                    heads.insert_unique(hash, (hash, row as u32), |&(hash, _)| hash);
                }
            }
        }
    }

    /// The rows of a range whose keys have the hash of `key`, newest first. They include all matching rows, and the
    /// caller compares the keys. The index must be fresh.
    pub(super) fn probe(
        &self,
        index: usize,
        key: &[TermId],
        range: Range<usize>,
    ) -> impl Iterator<Item = usize> {
        let TupleIndex { heads, older, .. } = &self.indexes[index];
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

    /// The number of rows that a shape admits and the number of different keys among them, as a measure of selectivity.
    /// At most the first `limit` rows are examined, and the first number is scaled up to all rows.
    pub(super) fn selectivity(&self, shape: &IndexShape, terms: &TermStore, limit: usize) -> (f64, f64) {
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
        let inner = TermPath::column(0).argument(1);
        let shape = IndexShape { compounds: vec![(TermPath::column(0), names[0], 2)], key: vec![inner] };
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
    fn a_stride_cursor_finds_what_looking_up_finds() {
        let mut symbols = Symbols::new();
        let names: Vec<_> = (0..11).map(|number| symbols.intern(&number.to_string())).collect();
        let store = TermStore::new(symbols);
        let terms: Vec<TermId> = names.iter().map(|&name| store.intern(name, &[])).collect();
        let (mut relation, mut by_cursor) = (Relation::new(2, Vec::new()), Relation::new(2, Vec::new()));
        let mut cursor = StrideCursor::default();
        // Every second pair, then all pairs backwards, then all pairs.
        let pairs = || (0..100).map(|number| [terms[number / 10], terms[number % 10]]);
        for tuple in pairs().step_by(2).chain(pairs().rev()).chain(pairs()) {
            assert_eq!(relation.insert(&tuple), by_cursor.insert_by(&mut cursor, &tuple));
        }
        assert_eq!(relation.len(), 100);
        assert!(relation.rows().eq(by_cursor.rows()));
        let mut cursor = StrideCursor::default();
        for tuple in pairs().chain(pairs().step_by(3)).chain(pairs().rev()) {
            assert_eq!(relation.position(&tuple), relation.position_by(&mut cursor, &tuple));
            assert_eq!(relation.position_by(&mut cursor, &[terms[10], tuple[1]]), None);
        }
        relation.clear();
        assert_eq!(relation.position_by(&mut cursor, &[terms[0], terms[0]]), None);
    }
}
