//! Cuts: a node as a function of at most three others.
//!
//! The function of a cut is a truth table in one byte: bit `a + 2b + 4c` is the value where the first leaf is `a`, the
//! second is `b` and the third is `c`.
//!
//! Invariants: the leaves of a cut are in increasing order and unused places are 0; the function depends on every leaf.

/// The truth tables of the three leaves themselves.
const LEAF: [u8; 3] = [0xaa, 0xcc, 0xf0];

/// A set of leaves and the function of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Cut {
    leaves: [u32; 3],
    /// A bit for each leaf, the same for many: enough to see that two cuts have more than three leaves between them.
    signature: u32,
    size: u8,
    /// The function, as a truth table.
    pub table: u8,
}

impl Cut {
    /// The node itself.
    pub(super) fn trivial(node: u32) -> Cut {
        Cut { leaves: [node, 0, 0], signature: 1 << (node % 32), size: 1, table: LEAF[0] }
    }

    /// The leaves.
    pub(super) fn leaves(&self) -> &[u32] {
        &self.leaves[..usize::from(self.size)]
    }

    /// The leaves and the unused places, which name the constant.
    pub(super) fn padded_leaves(&self) -> [u32; 3] {
        self.leaves
    }

    /// The conjunction of two cuts, each complemented on request, if it has at most three leaves.
    pub(super) fn and(&self, complement: bool, other: &Cut, complement_other: bool) -> Option<Cut> {
        if (self.signature | other.signature).count_ones() > 3 {
            return None;
        }
        let (mine, theirs) = (self.leaves(), other.leaves());
        let (mut leaves, mut size) = ([0; 3], 0);
        // The places of the leaves of both in the union.
        let mut places = [[0; 3]; 2];
        let (mut i, mut j) = (0, 0);
        while i < mine.len() || j < theirs.len() {
            if size == 3 {
                return None;
            }
            let next = |at: usize, leaves: &[u32]| leaves.get(at).copied().unwrap_or(u32::MAX);
            let (a, b) = (next(i, mine), next(j, theirs));
            (leaves[size], places[0][i.min(2)], places[1][j.min(2)]) = (a.min(b), size, size);
            (i, j, size) = (i + usize::from(a <= b), j + usize::from(b <= a), size + 1);
        }
        let flip = |cut: &Cut, places: [usize; 3], complement: bool| {
            cut.widen(places) ^ if complement { 0xff } else { 0 }
        };
        let table = flip(self, places[0], complement) & flip(other, places[1], complement_other);
        let signature = self.signature | other.signature;
        Some(Cut { leaves, signature, size: size as u8, table }.without_idle_leaves())
    }

    /// The truth table in which each leaf stands at its place in a larger set of leaves.
    fn widen(&self, places: [usize; 3]) -> u8 {
        let leaves = (0..usize::from(self.size)).rev();
        // A leaf changes places with those behind it, on which the function does not depend.
        leaves.fold(self.table, |table, at| (at..places[at]).fold(table, swap_with_next))
    }

    fn without_idle_leaves(mut self) -> Cut {
        for at in (0..usize::from(self.size)).rev() {
            if depends_on(self.table, at) {
                continue;
            }
            // The leaves behind the idle leaf move one place forward.
            self.table = (at..2).fold(self.table, swap_with_next);
            self.leaves.copy_within(at + 1.., at);
            self.leaves[2] = 0;
            self.size -= 1;
            self.signature = self.leaves().iter().fold(0, |bits, leaf| bits | 1 << (leaf % 32));
        }
        self
    }

    /// Whether every leaf of this cut is one of the other.
    pub(super) fn is_within(&self, other: &Cut) -> bool {
        self.signature & !other.signature == 0
            && self.leaves().iter().all(|leaf| other.leaves().contains(leaf))
    }
}

/// The truth table in which a leaf and the next one have changed places.
fn swap_with_next(table: u8, at: usize) -> u8 {
    match at {
        0 => table & 0x99 | (table & 0x22) << 1 | (table & 0x44) >> 1,
        _ => table & 0xc3 | (table & 0x0c) << 2 | (table & 0x30) >> 2,
    }
}

/// The truth table in which the leaf at place `i` stands at `places[i]`.
pub(super) fn reorder(table: u8, places: [usize; 3]) -> u8 {
    (0..8).fold(0, |out, case: usize| {
        let source = (0..3).fold(0, |source, at| source | (case >> places[at] & 1) << at);
        out | (table >> source & 1) << case
    })
}

/// The truth table with the leaf at a place complemented.
pub(super) fn complement_leaf(table: u8, at: usize) -> u8 {
    let shift = 1 << at;
    (table & LEAF[at]) >> shift | (table & !LEAF[at]) << shift
}

/// Whether a function depends on the leaf at a place.
pub(super) fn depends_on(table: u8, at: usize) -> bool {
    complement_leaf(table, at) != table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(cut: &Cut, of: impl Fn(u32) -> bool) -> bool {
        let case =
            cut.leaves().iter().enumerate().fold(0, |case, (at, &leaf)| case | usize::from(of(leaf)) << at);
        cut.table >> case & 1 == 1
    }

    #[test]
    fn a_conjunction_is_one_for_all_values_of_its_leaves() {
        let singles = [1, 2, 3].map(Cut::trivial);
        let mut cuts: Vec<Cut> = singles.to_vec();
        for _ in 0..2 {
            for a in cuts.clone() {
                for b in &singles {
                    for signs in 0..4 {
                        let (sign, other) = (signs & 1 == 1, signs & 2 == 2);
                        let both = a.and(sign, b, other).expect("three leaves in all");
                        for values in 0..8 {
                            let of = |leaf: u32| values >> (leaf - 1) & 1 == 1;
                            let expected = (value(&a, of) ^ sign) & (value(b, of) ^ other);
                            assert_eq!(value(&both, of), expected, "{a:?} {b:?} {signs} {values}");
                        }
                        assert!((0..both.leaves().len()).all(|at| depends_on(both.table, at)), "{both:?}");
                        cuts.push(both);
                    }
                }
            }
        }
        let two = Cut::trivial(1).and(false, &singles[1], true).expect("two leaves");
        assert!(singles[1].is_within(&two) && !two.is_within(&singles[1]) && !singles[2].is_within(&two));
    }

    #[test]
    fn a_cut_of_four_leaves_is_none() {
        let pair = |a, b| Cut::trivial(a).and(false, &Cut::trivial(b), false).expect("two leaves");
        assert_eq!(pair(1, 2).and(false, &pair(3, 4), false), None);
        assert!(pair(1, 2).and(false, &pair(2, 4), false).is_some());
    }
}
