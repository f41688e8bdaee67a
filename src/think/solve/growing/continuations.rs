//! Continuations: the policies among which the other roles choose at the leaves of a sub-game.
//!
//! A leaf is worth what playouts bring. If they hold the other roles to one policy, a re-solve finds responses to it, and an
//! opponent that adapts exploits these. With several continuations each other role chooses one of them at each class of its evidence,
//! and a leaf has a value for each choice. The choice is an information set of its own, whose regrets are kept like those of moves, and it
//! ends where a leaf is grown.
//!
//! The first continuation is uniform play. By the second a role makes a move the more often the more it brought in the tree over the
//! other moves of its information sets, by the third the less; both are fixed when a sub-game begins. In the solve from the initial
//! state, and for the searching role, there is the first alone.
//!
//! Invariant: the sets of choices belong to roles that are numbered behind those of the game, so no evidence leads to them.
//!
//! Reference: Brown, Sandholm, Amos, *Depth-Limited Solving for Imperfect-Information Games* (2018).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{GrowingMinimiser, range};
use crate::tree::{Chooser, Positions};
use hyperplay_machine::{Bulk, ByRole, Move, MoveWeights, Role};

/// By how much better one move is than another, for goals scaled to 0..=1, if it is made e times as often.
const TEMPERATURE: f64 = 0.1;

/// Whether a continuation makes moves the more often the more or the less they brought.
const SIGNS: [f64; 3] = [0.0, 1.0, -1.0];

/// A leaf has at most this number of values. In a sub-game with more, no role chooses a continuation.
const MOST: usize = 64;

/// The choice at leaves.
#[derive(Clone)]
pub(super) struct Continuations {
    /// Those who choose, and among how many.
    pub(super) roles: Vec<u32>,
    pub(super) count: usize,
    /// By position, in the order of these roles.
    pub(super) choosers: Vec<Chooser>,
    /// By choice of all of them: the weights by which playouts draw moves.
    pub(super) weights: Vec<Option<Arc<MoveWeights>>>,
}

impl Continuations {
    /// Takes in the next position.
    pub(super) fn add<M: Bulk>(&mut self, machine: &M, positions: &mut Positions<M>, position: u32) {
        for (place, &role) in (0..).zip(&self.roles) {
            let (class, apart) =
                (positions.known(position)[role as usize], positions.roles() + role as usize);
            // It is no move that is chosen; any one that is always the same stands for it.
            let moves = vec![positions.joint(machine, 0, 0).of(Role::new(0)); self.count];
            let chooser = Chooser::apart(&mut positions.sets, Role::new(apart), class, &moves);
            self.choosers.push(Chooser { role, stride: self.count.pow(place) as u64, ..chooser });
        }
    }
}

impl<M: Bulk> GrowingMinimiser<M> {
    /// The continuations in a sub-game of a role, by what is known now; none where nobody chooses.
    pub(super) fn continuations(&self, own: usize) -> Option<Continuations> {
        let is_free = self.model.is_none() && self.tree.blueprint.is_none();
        let others = self.players.iter().copied().filter(|&role| role as usize != own);
        let (roles, count): (Vec<u32>, usize) =
            (others.collect(), (self.options.continuations as usize).min(SIGNS.len()));
        let ways =
            count.checked_pow(roles.len() as u32).filter(|ways| (2..=MOST).contains(ways) && is_free)?;
        let advantages = self.advantages();
        let weights = |way: usize| {
            let even = ByRole::from_fn(self.tree.positions.roles(), |_| MoveWeights::MOST);
            let mut weights = MoveWeights::new(even);
            for (place, &role) in (0..).zip(&roles) {
                let sign = SIGNS[way / count.pow(place) % count];
                let of_role = advantages.iter().filter(|((of, _), _)| of.index() == role as usize);
                let each = of_role.map(|(&(of, own), (sum, sets))| (of, own, sign * sum / sets));
                let most = each.clone().map(|(.., advantage)| advantage).fold(0.0, f64::max);
                for (of, own, advantage) in each {
                    let share = ((advantage - most) / TEMPERATURE).exp();
                    weights.set(of, own, (share * f64::from(MoveWeights::MOST)).round() as u8);
                }
            }
            Some(Arc::new(weights)).filter(|_| way > 0)
        };
        Some(Continuations { weights: (0..ways).map(weights).collect(), roles, count, choosers: Vec::new() })
    }

    /// By move: how much more it has brought than the mean move of its set, for goals scaled to 0..=1, as a sum over the sets to which
    /// the others came, and the number of these.
    fn advantages(&self) -> FxHashMap<(Role, Move), (f64, f64)> {
        let sets = &self.tree.positions.sets;
        let mut found: FxHashMap<(Role, Move), (f64, f64)> = FxHashMap::default();
        for ((role, _), &set) in sets.origins().into_iter().zip(sets.list()) {
            let values = &self.guide.values[range(set)];
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let each = sets.moves()[range(set)].iter().zip(values);
            for (&own, value) in each.filter(|_| values.iter().any(|value| *value != 0.0)) {
                let (sum, sets) = found.entry((role, own)).or_default();
                (*sum, *sets) = (*sum + (value - mean) / 100.0, *sets + 1.0);
            }
        }
        found
    }
}
