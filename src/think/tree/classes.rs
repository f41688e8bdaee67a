//! The evidence of one role, as classes: what a history tells it is one number.
//!
//! A class is the class before it, the own move, and the percepts of the step; class 0 is the evidence before the first
//! step. Equal evidence has equal numbers, so comparing two histories by what a role knows compares two numbers. The
//! table keeps only numbers and compares through the arrays, which costs about 20 bytes a class.

use std::hash::{BuildHasher, BuildHasherDefault};

use hashbrown::HashTable;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHasher};

use hyperplay_machine::{Evidence, Move, Observation, OwnMove, Percepts, Role};

/// Values in the order in which they were met, each once: its place is its number.
pub(crate) type Numbered<T> = IndexSet<T, FxBuildHasher>;

/// A class of evidence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Class {
    /// The class before the step.
    former: u32,
    own: Move,
    /// The number of the set of percepts.
    percepts: u32,
}

impl Class {
    fn hash(&self) -> u64 {
        BuildHasherDefault::<FxHasher>::default().hash_one((self.former, self.own, self.percepts))
    }
}

/// All sets of percepts met, numbered; the empty set is 0.
#[derive(Clone, Debug)]
pub(crate) struct PerceptSets(Numbered<Percepts>);

impl Default for PerceptSets {
    fn default() -> Self {
        PerceptSets(Numbered::from_iter([Percepts::default()]))
    }
}

impl PerceptSets {
    /// Forgets all but the empty set, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.0.truncate(1);
    }

    pub(crate) fn number(&mut self, percepts: &Percepts) -> u32 {
        self.number_of(percepts).unwrap_or_else(|| self.0.insert_full(percepts.clone()).0 as u32)
    }

    /// The number of a set of percepts, if it was met.
    fn number_of(&self, percepts: &Percepts) -> Option<u32> {
        if percepts.is_empty() { Some(0) } else { Some(self.0.get_index_of(percepts)? as u32) }
    }
}

/// The classes of one role.
#[derive(Clone, Debug, Default)]
pub(crate) struct EvidenceClasses {
    classes: Vec<Class>,
    /// The table of what was met.
    pub(crate) met: HashTable<u32>,
}

impl EvidenceClasses {
    /// Forgets all classes, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.classes.clear();
        self.met.clear();
    }

    /// The class of what is known after one more step.
    pub(crate) fn after(&mut self, former: u32, own: Move, percepts: u32) -> u32 {
        let class = Class { former, own, percepts };
        let hash = class.hash();
        if let Some(number) = self.find_in(class, hash, &self.met) {
            return number;
        }
        let classes = &mut self.classes;
        classes.push(class);
        let number = classes.len() as u32;
        self.met.insert_unique(hash, number, |&number| classes[number as usize - 1].hash());
        number
    }

    fn find_in(&self, class: Class, hash: u64, table: &HashTable<u32>) -> Option<u32> {
        table.find(hash, |&number| self.classes[number as usize - 1] == class).copied()
    }

    /// Gives up the table: no class is looked up from now on.
    pub(crate) fn freeze(&mut self) {
        self.met = HashTable::new();
        self.classes.shrink_to_fit();
    }

    /// The class before the last step, and the own move in that step; none before the first step.
    pub(crate) fn step_before(&self, class: u32) -> Option<(u32, Move)> {
        let Class { former, own, .. } = self.classes.get(class.checked_sub(1)? as usize)?;
        Some((*former, *own))
    }

    /// The evidence of a class.
    pub(crate) fn evidence(&self, role: Role, class: u32, percepts: &PerceptSets) -> Evidence {
        let mut evidence = Evidence::new(role);
        let mut number = class;
        while number != 0 {
            let Class { former, own, percepts: seen } = self.classes[number as usize - 1];
            let percepts = percepts.0[seen as usize].clone();
            evidence.steps.push(Observation { own: OwnMove::Known(own), percepts });
            number = former;
        }
        evidence.steps.reverse();
        evidence
    }

    /// The table again, after [`freeze`](EvidenceClasses::freeze).
    pub(crate) fn table(&self) -> HashTable<u32> {
        let mut table = HashTable::with_capacity(self.classes.len());
        for (place, class) in self.classes.iter().enumerate() {
            table.insert_unique(class.hash(), place as u32 + 1, |&number| {
                self.classes[number as usize - 1].hash()
            });
        }
        table
    }

    /// The class of evidence, if it was met, by a table of the classes.
    pub(crate) fn class_of(
        &self,
        evidence: &Evidence,
        percepts: &PerceptSets,
        table: &HashTable<u32>,
    ) -> Option<u32> {
        evidence.steps.iter().try_fold(0, |former, step| {
            let own = step.own.presumed()?;
            let class = Class { former, own, percepts: percepts.number_of(&step.percepts)? };
            self.find_in(class, class.hash(), table)
        })
    }
}
