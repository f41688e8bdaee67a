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
    size: u8,
    /// The function, as a truth table.
    pub table: u8,
}

impl Cut {
    /// The node itself.
    pub(super) fn trivial(node: u32) -> Cut {
        Cut { leaves: [node, 0, 0], size: 1, table: LEAF[0] }
    }

    /// The leaves.
    pub(super) fn leaves(&self) -> &[u32] {
        &self.leaves[..usize::from(self.size)]
    }

    /// A bit for each leaf, the same for many: enough to see that two cuts have more than three leaves between them.
    fn signature(&self) -> u64 {
        self.leaves().iter().fold(0, |bits, leaf| bits | 1 << (leaf % 64))
    }

    /// The conjunction of two cuts, each complemented on request, if it has at most three leaves.
    pub(super) fn and(&self, complement: bool, other: &Cut, complement_other: bool) -> Option<Cut> {
        if (self.signature() | other.signature()).count_ones() > 3 {
            return None;
        }
        let mut leaves = [0; 3];
        let mut size = 0;
        let (mine, theirs) = (self.leaves(), other.leaves());
        let (mut i, mut j) = (0, 0);
        while i < mine.len() || j < theirs.len() {
            let next = match (mine.get(i), theirs.get(j)) {
                (Some(&a), Some(&b)) => a.min(b),
                (Some(&a), None) => a,
                (None, Some(&b)) => b,
                (None, None) => break,
            };
            i += usize::from(mine.get(i) == Some(&next));
            j += usize::from(theirs.get(j) == Some(&next));
            if size == 3 {
                return None;
            }
            leaves[size] = next;
            size += 1;
        }
        let union = Cut { leaves, size: size as u8, table: 0 };
        let flip = |cut: &Cut, complement: bool| union.widen(cut) ^ if complement { 0xff } else { 0 };
        let table = flip(self, complement) & flip(other, complement_other);
        Some(Cut { table, ..union }.without_idle_leaves())
    }

    /// The truth table of a cut as a function of these leaves, which include its own.
    fn widen(&self, cut: &Cut) -> u8 {
        let place =
            |leaf: u32| self.leaves().iter().position(|&own| own == leaf).expect("it is in the union");
        let mut places = [0; 3];
        for (at, &leaf) in cut.leaves().iter().enumerate() {
            places[at] = place(leaf);
        }
        reorder(cut.table, places)
    }

    fn without_idle_leaves(mut self) -> Cut {
        let mut at = 0;
        while at < usize::from(self.size) {
            if depends_on(self.table, at) {
                at += 1;
                continue;
            }
            let mut places = [0_usize, 1, 2];
            for place in &mut places[at..] {
                *place = place.saturating_sub(1).max(at);
            }
            // The leaves behind the idle leaf move one place forward.
            self.table = reorder(self.table, places);
            self.leaves.copy_within(at + 1.., at);
            self.size -= 1;
            self.leaves[usize::from(self.size)] = 0;
        }
        self
    }

    /// Whether every leaf of this cut is one of the other.
    pub(super) fn is_within(&self, other: &Cut) -> bool {
        self.leaves().iter().all(|leaf| other.leaves().contains(leaf))
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
