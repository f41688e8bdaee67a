//! From what a role knows to its information set: for players that look up a policy.

use hashbrown::HashTable;

use super::GameTree;
use hyperplay_machine::{Evidence, Role};

/// The information sets of one role by evidence.
#[derive(Clone, Debug)]
pub struct EvidenceIndex {
    role: Role,
    table: HashTable<u32>,
    /// The information set of each class, from class 0 on.
    sets: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl EvidenceIndex {
    /// The index of a role. Takes time and memory in proportion to what it may ever know.
    pub fn new(tree: &GameTree, role: Role) -> EvidenceIndex {
        let table = tree.classes[role].table();
        let mut sets = vec![NONE; table.len() + 1];
        for (number, set) in tree.sets.iter().enumerate().filter(|(_, set)| set.role == role) {
            sets[set.class as usize] = number as u32;
        }
        EvidenceIndex { role, table, sets }
    }

    /// The information set where the role knows this. None if it has nothing to decide there, if no history leads
    /// there, or if one of its own moves is uncertain.
    pub fn find(&self, tree: &GameTree, evidence: &Evidence) -> Option<usize> {
        let class = tree.classes[self.role].class_of(evidence, &tree.percepts, &self.table)?;
        let set = self.sets[class as usize];
        (set != NONE).then_some(set as usize)
    }
}
