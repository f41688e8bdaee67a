//! The evidence classes of roles, and the statistics of their moves there.
//!
//! A *class* is the evidence of one role: its own moves and percepts, step by step. Two states of the search are in one
//! class of a role if and only if the role cannot tell them apart. The class after a step is found from the class
//! before it, the role's move and its percepts, so nothing but numbers and one step's percepts is compared. Classes of
//! all roles are numbered together; a class belongs to one role.
//!
//! A class in which the role had a choice when a descent came there is an *information set* of the tree and has a
//! bandit. The bandit lists the moves that were legal in some state of the class, in the order in which they were met.
//! In most games those are the same in all of them, as the rules of GDL-II intend it. Where they are not, a move is
//! tried only where it is legal, and how often that was is counted ([`bandit`](super::super::bandit)).

use rand::Rng;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::super::bandit::{Arm, select};
use hyperplay_machine::{Evidence, Move, Percepts};

/// A class by its number.
pub(super) type Class = u32;

/// The bandit of a class, without a move until it is opened.
#[derive(Debug, Default)]
struct Bandit {
    moves: Vec<Move>,
    tried: Vec<Tried>,
}

/// The statistics of a move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tried {
    pub arm: Arm,
    /// Descents in which it was legal.
    available: u32,
}

/// All classes that were met.
#[derive(Debug, Default)]
pub(super) struct Information {
    first: FxHashMap<Evidence, Class>,
    later: FxHashMap<(Class, Move, Percepts), Class>,
    bandits: Vec<Bandit>,
    /// Classes that have been opened.
    pub open: usize,
}

impl Information {
    fn fresh(bandits: &mut Vec<Bandit>) -> Class {
        bandits.push(Bandit::default());
        Class::try_from(bandits.len() - 1).expect("memory ends long before 2^32 classes")
    }

    /// A class that no evidence leads to but that of which the caller knows.
    pub fn add(&mut self) -> Class {
        Information::fresh(&mut self.bandits)
    }

    /// The class of some evidence from the first step of the match on.
    pub fn class(&mut self, evidence: Evidence) -> Class {
        *self.first.entry(evidence).or_insert_with(|| Information::fresh(&mut self.bandits))
    }

    /// The class after one more step.
    pub fn after(&mut self, class: Class, own: Move, percepts: Percepts) -> Class {
        *self.later.entry((class, own, percepts)).or_insert_with(|| Information::fresh(&mut self.bandits))
    }

    pub fn is_open(&self, class: Class) -> bool {
        !self.bandits[class as usize].moves.is_empty()
    }

    /// Makes a class an information set of the tree, in which these moves are legal.
    pub fn open(&mut self, class: Class, legal: &[Move]) {
        debug_assert!(!self.is_open(class) && !legal.is_empty());
        self.bandits[class as usize] =
            Bandit { moves: legal.to_vec(), tried: vec![Tried::default(); legal.len()] };
        self.open += 1;
    }

    /// The moves of an information set with what is known of them.
    pub fn moves(&self, class: Class) -> impl Iterator<Item = (Move, &Arm)> {
        let Bandit { moves, tried } = &self.bandits[class as usize];
        moves.iter().copied().zip(tried.iter().map(|tried| &tried.arm))
    }

    /// Selects one of the legal moves at an information set: its place among `legal` and its place in the bandit.
    pub fn select(
        &mut self,
        class: Class,
        legal: &[Move],
        exploration: f64,
        rng: &mut impl Rng,
    ) -> (usize, u32) {
        let Bandit { moves, tried } = &mut self.bandits[class as usize];
        if moves.get(..legal.len()) == Some(legal) {
            let tried = &mut tried[..legal.len()];
            let place = select(tried.iter().map(|tried| (&tried.arm, tried.available)), exploration, rng);
            tried.iter_mut().for_each(|tried| tried.available += 1);
            tried[place].arm.tried += 1;
            return (place, place as u32);
        }
        let places: SmallVec<[usize; 32]> = legal
            .iter()
            .map(|own| {
                moves.iter().position(|listed| listed == own).unwrap_or_else(|| {
                    moves.push(*own);
                    tried.push(Tried::default());
                    moves.len() - 1
                })
            })
            .collect();
        let among = places.iter().map(|&place| (&tried[place].arm, tried[place].available));
        let chosen = select(among, exploration, rng);
        places.iter().for_each(|&place| tried[place].available += 1);
        tried[places[chosen]].arm.tried += 1;
        (chosen, places[chosen] as u32)
    }

    /// Credits the sum of the goals of `count` playouts to the move at a place.
    pub fn learn(&mut self, class: Class, place: u32, count: u32, sum: u64) {
        let arm = &mut self.bandits[class as usize].tried[place as usize].arm;
        arm.known += count;
        arm.sum += sum;
    }
}
