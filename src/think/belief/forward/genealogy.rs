//! Genealogy: how the histories of a belief descend from each other.
//!
//! All histories of one generation have the same length. An entry of a generation names its parent in the generation
//! before and the joint move that leads from there: eight bytes. States are kept for the last generation only
//! ([`Population`](super::population::Population)). Generation 0 has one entry, the empty history.
//!
//! Two entries of one generation may stand for equal histories (their prefixes were drawn at different times); the last
//! generation lists every history once.
//!
//! Invariant: the parent of an entry of generation `g` is an entry of generation `g - 1`.

use crate::tree::Numbered;
use hyperplay_machine::{History, JointMove};

/// The entries of one length.
#[derive(Clone, Debug, Default)]
pub(super) struct Generation {
    parents: Vec<u32>,
    joints: Vec<u32>,
    /// The joint moves of this step, each once.
    list: Numbered<JointMove>,
}

/// A number that memory does not exceed.
fn short(number: usize) -> u32 {
    u32::try_from(number).expect("memory ends long before 2^32 histories")
}

impl Generation {
    fn push(&mut self, parent: usize, joint: &JointMove) -> usize {
        let known = self.list.get_index_of(joint);
        let number = known.unwrap_or_else(|| self.list.insert_full(joint.clone()).0);
        self.parents.push(short(parent));
        self.joints.push(short(number));
        self.parents.len() - 1
    }

    /// Keeps the entries that are flagged, in their order.
    fn retain(&mut self, is_kept: &[bool]) {
        for list in [&mut self.parents, &mut self.joints] {
            let mut flags = is_kept.iter();
            list.retain(|_| flags.next() == Some(&true));
        }
    }
}

/// All entries; generation `g` is at place `g - 1`.
#[derive(Clone, Debug, Default)]
pub(super) struct Genealogy {
    generations: Vec<Generation>,
}

impl Genealogy {
    /// The length of the longest histories.
    pub(super) fn depth(&self) -> usize {
        self.generations.len()
    }

    /// Entries of all generations.
    pub(super) fn len(&self) -> usize {
        self.generations.iter().map(|generation| generation.parents.len()).sum()
    }

    /// The first `generation` generations.
    pub(super) fn until(&self, generation: usize) -> Genealogy {
        Genealogy { generations: self.generations[..generation].to_vec() }
    }

    /// Adds a generation without entries.
    pub(super) fn begin(&mut self) {
        self.generations.push(Generation::default());
    }

    /// Takes the last generation away, if there is one.
    pub(super) fn take_last(&mut self) -> Option<Generation> {
        self.generations.pop()
    }

    /// Puts a generation back that was [taken away](Self::take_last).
    pub(super) fn put_back(&mut self, generation: Option<Generation>) {
        self.generations.extend(generation);
    }

    /// Adds an entry of a generation, 1 or more, and gives its number.
    pub(super) fn push(&mut self, generation: usize, parent: usize, joint: &JointMove) -> usize {
        self.generations[generation - 1].push(parent, joint)
    }

    /// Whether the history of an entry of the last generation is that of an entry of the generation before, continued
    /// by a joint move.
    pub(super) fn is_child(&self, entry: usize, parent: usize, joint: &JointMove) -> bool {
        let Some((last, before)) = self.generations.split_last() else { return false };
        if last.list[last.joints[entry] as usize] != *joint {
            return false;
        }
        let (mut one, mut other) = (last.parents[entry] as usize, parent);
        for generation in before.iter().rev() {
            if one == other {
                return true;
            }
            if generation.joints[one] != generation.joints[other] {
                return false;
            }
            (one, other) = (generation.parents[one] as usize, generation.parents[other] as usize);
        }
        true
    }

    /// The history of an entry of the last generation.
    pub(super) fn history(&self, entry: usize) -> History {
        let mut entry = entry;
        let mut joints = Vec::with_capacity(self.depth());
        for generation in self.generations.iter().rev() {
            joints.push(generation.list[generation.joints[entry] as usize].clone());
            entry = generation.parents[entry] as usize;
        }
        joints.reverse();
        History(joints)
    }

    /// Drops the last generation's entries that are not `kept`, a flag for each.
    pub(super) fn retain_last(&mut self, kept: &[bool]) {
        if let Some(last) = self.generations.last_mut() {
            last.retain(kept);
        }
    }

    /// Drops what neither an entry of the last generation nor one of the generation `whole` descends from. Entries of
    /// these two keep their numbers. Linear in the number of entries.
    pub(super) fn compact(&mut self, whole: usize) {
        for at in (1..self.depth()).rev() {
            let (before, rest) = self.generations.split_at_mut(at);
            let (parents, children) = (&mut before[at - 1], &mut rest[0].parents);
            let mut is_kept = vec![at == whole; parents.parents.len()];
            children.iter().for_each(|&parent| is_kept[parent as usize] = true);
            let mut next = 0;
            let number = |&is_kept: &bool| {
                next += u32::from(is_kept);
                next - u32::from(is_kept)
            };
            let numbers: Vec<u32> = is_kept.iter().map(number).collect();
            children.iter_mut().for_each(|parent| *parent = numbers[*parent as usize]);
            parents.retain(&is_kept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_logic::gdl::{Symbols, TermStore};
    use hyperplay_machine::Move;

    fn joints() -> Vec<JointMove> {
        let mut symbols = Symbols::new();
        let names = ["a", "b", "c"].map(|name| symbols.intern(name));
        let terms = TermStore::new(symbols);
        names.iter().map(|&name| JointMove::new([Move(terms.intern(name, &[]))])).collect()
    }

    #[test]
    fn histories_are_read_off_and_survive_compaction() {
        let joint = joints();
        let mut genealogy = Genealogy::default();
        genealogy.begin();
        let first: Vec<usize> = joint.iter().map(|joint| genealogy.push(1, 0, joint)).collect();
        let again = genealogy.push(1, 0, &joint[1]);
        genealogy.begin();
        let second = genealogy.push(2, first[1], &joint[0]);
        let third = genealogy.push(2, first[2], &joint[0]);
        assert!(genealogy.is_child(second, again, &joint[0]) && !genealogy.is_child(third, again, &joint[0]));
        assert!(!genealogy.is_child(second, first[1], &joint[1]));
        let histories = |genealogy: &Genealogy| [second, third].map(|entry| genealogy.history(entry));
        let before = histories(&genealogy);
        assert_eq!(before[0].0, [joint[1].clone(), joint[0].clone()]);
        let mut whole = genealogy.clone();
        whole.compact(1);
        assert_eq!((whole.len(), histories(&whole)), (6, before.clone()));
        genealogy.compact(0);
        assert_eq!((genealogy.len(), histories(&genealogy)), (4, before));
        genealogy.retain_last(&[false, true]);
        assert_eq!(genealogy.history(0).0, [joint[2].clone(), joint[0].clone()]);
    }
}
