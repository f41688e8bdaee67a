//! Policies: how a role draws its moves in a playout.

use hyperplay_machine::Move;

/// How a role draws its move among the legal ones.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// Each with the same probability.
    #[default]
    Uniform,
    /// Each in proportion to its weight, a move that is not listed with weight 1; a move of weight 0 is never made.
    /// Where all legal moves have weight 0 the role is stuck. The circuit grows with the sum of the weights.
    Weighted(Vec<(Move, u8)>),
    /// Epsilon-greedy: uniformly among the preferred moves that are legal, if there are any; but with probability
    /// `sixteenths / 16` uniformly among all.
    Greedy {
        /// The moves preferred.
        preferred: Vec<Move>,
        /// In how many of sixteen draws all legal moves are possible, 0 to 16.
        sixteenths: u8,
    },
}

/// Random bits that decide whether an epsilon-greedy role is greedy.
pub(super) const GREEDY_BITS: usize = 4;

impl Policy {
    /// For each leaf of the tree of choice, the number of its move.
    pub(super) fn leaves(&self, moves: &[Move]) -> Vec<usize> {
        let copies = |own: &Move| match self {
            Policy::Weighted(weights) => {
                weights.iter().find(|(listed, _)| listed == own).map_or(1, |&(_, weight)| usize::from(weight))
            }
            Policy::Uniform | Policy::Greedy { .. } => 1,
        };
        moves.iter().enumerate().flat_map(|(number, own)| std::iter::repeat_n(number, copies(own))).collect()
    }

    /// Random bits beside those of the index.
    pub(super) fn extra_bits(&self) -> usize {
        match self {
            Policy::Greedy { .. } => GREEDY_BITS,
            Policy::Uniform | Policy::Weighted(_) => 0,
        }
    }
}
