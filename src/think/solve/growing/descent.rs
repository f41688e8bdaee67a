//! Which leaves are grown: those to which descents come.
//!
//! One role *explores*, and all others follow their policies. At every second choice, drawn at random, the role that
//! explores takes the move with the best sum of its mean value and a bonus that shrinks with the number of descents
//! through it; else it follows its policy too. So the tree grows where the policies lead, and where a role could
//! deviate from them. The roles explore in turns. In a sub-game every second descent of each begins at a root that the searching
//! role holds possible.
//!
//! Reference: Zhang, Sandholm, *General Search Techniques without Common Knowledge for Imperfect-Information Games, and
//! Application to Superhuman Fog of War Chess* (2025), one-sided growing-tree CFR.

use rand::{Rng, RngExt};

use super::grown::GrownTree;
use crate::tree::{Chooser, Following};
use hyperplay_machine::{Bulk, share_at};

/// The weight of the bonus, for values scaled to 1.
const BONUS: f64 = 1.0;

/// The range of the goals.
const RANGE: f64 = 100.0;

/// What descents are guided by, by number of a move.
#[derive(Clone, Default)]
pub(super) struct Guide {
    /// The mean value of a move where the others lead to its set, in goals less 50.
    pub(super) values: Vec<f64>,
    /// Descents through it.
    pub(super) visits: Vec<u32>,
}

impl Guide {
    /// The leaf to which a descent from a position comes; none at an end.
    pub(super) fn descend<M: Bulk>(
        &mut self,
        tree: &GrownTree<M>,
        policy: &[f64],
        mut position: u32,
        explorer: u32,
        rng: &mut impl Rng,
    ) -> Option<u32> {
        loop {
            let followings = tree.followings(position);
            if followings.is_empty() {
                return Some(position);
            }
            let mut choice = 0;
            for chooser in tree.positions.choosers(position) {
                let place = if chooser.role == explorer && rng.random::<bool>() {
                    self.best(chooser)
                } else {
                    let shares = tree.shares(chooser, policy).iter().copied();
                    share_at(shares, rng.random()).unwrap_or(0)
                };
                if chooser.role == explorer {
                    self.visits[chooser.first as usize + place] += 1;
                }
                choice += place as u64 * chooser.stride;
            }
            match followings[choice as usize] {
                Following::End(_) => return None,
                Following::Position(next) => position = next,
            }
        }
    }

    /// The place of the move of a chooser with the best sum of value and bonus.
    fn best(&self, chooser: &Chooser) -> usize {
        let moves = chooser.first as usize..(chooser.first + chooser.moves) as usize;
        let visits = &self.visits[moves.clone()];
        let all = visits.iter().map(|&visits| f64::from(visits)).sum::<f64>();
        let bonus = BONUS * all.sqrt() / visits.len() as f64;
        let score = |place: usize| {
            self.values[moves.start + place] / RANGE + bonus / (1.0 + f64::from(visits[place]))
        };
        let better = |best: usize, place: usize| if score(place) > score(best) { place } else { best };
        (1..visits.len()).fold(0, better)
    }
}
