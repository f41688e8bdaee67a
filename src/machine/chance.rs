//! The distribution of `random` over its moves.
//!
//! In GDL-II all legal moves of `random` are equally likely. A machine of another language may give them weights
//! ([`chance_weights`](super::StateMachine::chance_weights)). Everything that draws for `random`, or multiplies with
//! the probability of its move, asks for the distribution here, so that a uniform one costs nothing but the question.

use rand::{Rng, RngExt};

/// How likely each legal move of `random` is in a state, in the order in which the moves are listed.
///
/// ```
/// use hyperplay_machine::{ChanceDistribution, Seed};
///
/// let uneven = ChanceDistribution::weighted(vec![1, 3]);
/// assert_eq!((uneven.probability(1, 2), uneven.weight(1), uneven.total(2)), (0.75, 3, 4));
/// assert_eq!((uneven.part(0.5, 0, 2), uneven.probabilities(2)), (0.125, vec![0.25, 0.75]));
/// let even = ChanceDistribution::default();
/// assert!(even.is_uniform() && even.probability(1, 2) == 0.5);
/// let mut rng = Seed::root(1).rng();
/// let drawn = (0..1000).filter(|_| uneven.draw(2, &mut rng) == 1).count();
/// assert!((700..800).contains(&drawn));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ChanceDistribution {
    /// Empty if all moves are equally likely.
    pub(super) weights: Vec<u64>,
}

impl ChanceDistribution {
    /// The distribution with these weights, all above 0, whose sum fits into 64 bits.
    pub fn weighted(weights: Vec<u64>) -> ChanceDistribution {
        ChanceDistribution { weights }
    }

    /// Whether all moves are equally likely.
    pub fn is_uniform(&self) -> bool {
        self.weights.is_empty()
    }

    /// The weight of the move at a place; 1 for each where all are alike.
    pub fn weight(&self, place: usize) -> u64 {
        self.weights.get(place).copied().unwrap_or(1)
    }

    /// The sum of the weights of `moves` moves, which are all.
    pub fn total(&self, moves: usize) -> u64 {
        if self.is_uniform() { moves as u64 } else { self.weights.iter().sum() }
    }

    /// The probability of the move at a place among `moves` moves.
    pub fn probability(&self, place: usize, moves: usize) -> f64 {
        if self.is_uniform() {
            return 1.0 / moves as f64;
        }
        self.weight(place) as f64 / self.total(moves) as f64
    }

    /// The part of a probability that falls to the move at a place among `moves` moves.
    #[inline]
    pub fn part(&self, whole: f64, place: usize, moves: usize) -> f64 {
        if self.is_uniform() { whole / moves as f64 } else { whole * self.probability(place, moves) }
    }

    /// The probabilities of `moves` moves.
    pub fn probabilities(&self, moves: usize) -> Vec<f64> {
        (0..moves).map(|place| self.probability(place, moves)).collect()
    }

    /// The place of a move, drawn among `moves` moves, at least one. The draw is exact.
    #[inline]
    pub fn draw(&self, moves: usize, rng: &mut impl Rng) -> usize {
        if self.is_uniform() { rng.random_range(0..moves) } else { draw_weighted(&self.weights, rng) }
    }
}

/// The place of the share that a number from 0 to the sum of the shares falls on; the last share above 0, should rounding leave
/// something over. `None` if there is no such share.
#[inline]
pub fn share_at(shares: impl IntoIterator<Item = f64>, number: f64) -> Option<usize> {
    let (mut left, mut found) = (number, None);
    for (place, share) in shares.into_iter().enumerate().filter(|(_, share)| *share > 0.0) {
        found = Some(place);
        left -= share;
        if left < 0.0 {
            break;
        }
    }
    found
}

/// A place drawn in proportion to its weight, exactly. The sum of the weights is above 0 and fits into 64 bits.
pub fn draw_weighted(weights: &[u64], rng: &mut impl Rng) -> usize {
    let mut left = rng.random_range(0..weights.iter().sum::<u64>());
    for (place, &weight) in weights.iter().enumerate() {
        match left.checked_sub(weight) {
            Some(rest) => left = rest,
            None => return place,
        }
    }
    unreachable!("what is drawn is less than the sum")
}
