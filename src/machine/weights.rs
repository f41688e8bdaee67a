//! Weights of moves: how a playout chooses that is not uniform.

use rustc_hash::FxHashMap;

use super::{ByRole, Move, Role};

/// The weights by which roles choose in playouts ([`Start`](super::Start)): each makes one of its legal moves, with a
/// probability in proportion to the weight of the move. Weights are whole numbers from 1 to [`MOST`](MoveWeights::MOST),
/// because an engine may compute with their bits.
///
/// ```
/// use hyperplay_machine::{ByRole, Move, MoveWeights, Role, terms::{Symbols, TermStore}};
///
/// let mut symbols = Symbols::new();
/// let names = ["fold", "call"].map(|name| symbols.intern(name));
/// let terms = TermStore::new(symbols);
/// let [fold, call] = names.map(|name| Move(terms.intern(name, &[])));
/// let (alice, bob) = (Role::new(0), Role::new(1));
/// let mut weights = MoveWeights::new(ByRole::new(vec![5, MoveWeights::MOST]));
/// weights.set(alice, fold, 3);
/// assert_eq!([weights.of(alice, fold), weights.of(alice, call), weights.of(bob, fold)], [3, 5, 15]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveWeights {
    given: FxHashMap<(Role, Move), u8>,
    others: ByRole<u8>,
}

impl MoveWeights {
    /// The bits of a weight.
    pub const BITS: usize = 4;

    /// The greatest weight.
    pub const MOST: u8 = (1 << MoveWeights::BITS) - 1;

    /// Weights by role, which all moves have that are given no other.
    pub fn new(others: ByRole<u8>) -> MoveWeights {
        MoveWeights { given: FxHashMap::default(), others: others.map(|&weight| in_range(weight)) }
    }

    /// Gives a move of a role a weight, which is brought into the range.
    pub fn set(&mut self, role: Role, own: Move, weight: u8) {
        self.given.insert((role, own), in_range(weight));
    }

    /// The weight of a move.
    pub fn of(&self, role: Role, own: Move) -> u8 {
        self.given.get(&(role, own)).copied().unwrap_or(self.others[role])
    }
}

fn in_range(weight: u8) -> u8 {
    weight.clamp(1, MoveWeights::MOST)
}
