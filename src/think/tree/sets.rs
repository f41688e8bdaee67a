//! The information sets of a tree: the classes of evidence in which a role has a choice, and the moves it has there.
//!
//! The moves of all sets lie in one pool, and the number of a move is its place there. So whoever learns something of
//! each move keeps it in a list by these numbers. The rules of GDL-II intend that a role has the same moves in all
//! positions between which it cannot tell. Where it has not, the set has the moves of all its positions, those that
//! were met later at the end of the pool, and a position names its moves one by one.

use rustc_hash::FxHashMap;

use hyperplay_machine::{ByRole, Move, Role};

/// Added to the place where the moves of a position are named that are not those of its set, in order.
pub(crate) const NAMED: u32 = 1 << 31;

/// Where the moves lie that were first met at an information set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetMoves {
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// All information sets met.
#[derive(Clone, Debug, Default)]
pub(crate) struct InformationSets {
    list: Vec<SetMoves>,
    moves: Vec<Move>,
    /// The numbers of the moves that a set has only in later positions.
    later: FxHashMap<u32, Vec<u32>>,
    /// The numbers of the moves of the positions that name them.
    named: Vec<u32>,
    /// By role and class: 1 plus the number of the set, 0 where there is none.
    of_class: ByRole<Vec<u32>>,
}

impl InformationSets {
    pub(crate) fn new(roles: usize) -> Self {
        InformationSets { of_class: ByRole::from_fn(roles, |_| Vec::new()), ..InformationSets::default() }
    }

    /// Forgets all sets, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.moves.clear();
        self.later.clear();
        self.named.clear();
        self.of_class.values_mut().iter_mut().for_each(Vec::clear);
    }

    /// All sets, by number.
    pub(crate) fn list(&self) -> &[SetMoves] {
        &self.list
    }

    /// The moves of a set, without those that it has only in later positions.
    pub(crate) fn of(&self, set: u32) -> &[Move] {
        let SetMoves { first, count } = self.list[set as usize];
        &self.moves[first as usize..(first + count) as usize]
    }

    /// A class in which nobody has a choice yet, where classes are made by this function alone.
    pub(crate) fn fresh_class(&self) -> u32 {
        self.list.len() as u32
    }

    /// All moves, by number.
    pub(crate) fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The numbers of `count` moves that are named from a place on.
    pub(crate) fn named(&self, first: u32, count: u32) -> &[u32] {
        &self.named[first as usize..(first + count) as usize]
    }

    /// The set of a class, if it was met.
    pub(crate) fn of_class(&self, role: Role, class: u32) -> Option<u32> {
        self.of_class[role].get(class as usize)?.checked_sub(1)
    }

    /// The role and the class of each set.
    pub(crate) fn origins(&self) -> Vec<(Role, u32)> {
        let mut origins = vec![(Role::new(0), 0); self.list.len()];
        for (role, numbers) in self.of_class.iter() {
            for (class, &number) in (0..).zip(numbers).filter(|(_, number)| **number > 0) {
                origins[number as usize - 1] = (role, class);
            }
        }
        origins
    }

    /// The set of a class in which a role has these moves at some position, and the number of the first. If the position
    /// does not have the moves of the set in order, this is [`NAMED`] plus the place where their numbers stand.
    pub(crate) fn meet(&mut self, role: Role, class: u32, legal: &[Move]) -> (u32, u32) {
        let Some(set) = self.of_class(role, class) else {
            let set = self.list.len() as u32;
            self.list.push(SetMoves { first: self.moves.len() as u32, count: legal.len() as u32 });
            self.moves.extend_from_slice(legal);
            let numbers = &mut self.of_class[role];
            if numbers.len() <= class as usize {
                numbers.resize(class as usize + 1, 0);
            }
            numbers[class as usize] = set + 1;
            return (set, self.list[set as usize].first);
        };
        let SetMoves { first, count } = self.list[set as usize];
        if self.of(set) == legal {
            return (set, first);
        }
        let (named, later) = (self.named.len() as u32, self.later.entry(set).or_default());
        for own in legal {
            let known = (first..first + count).chain(later.iter().copied());
            let number = known.into_iter().find(|&number| self.moves[number as usize] == *own);
            self.named.push(number.unwrap_or_else(|| {
                let number = self.moves.len() as u32;
                self.moves.push(*own);
                later.push(number);
                number
            }));
        }
        (set, NAMED + named)
    }

    /// Whether some position of a set does not have the moves of the set in order.
    pub(crate) fn is_uneven(&self, set: u32) -> bool {
        !self.later.is_empty() && self.later.contains_key(&set)
    }

    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        let classes: usize = self.of_class.values().iter().map(Vec::len).sum();
        8 * self.list.len() + 4 * (self.moves.len() + self.named.len() + classes)
    }
}
