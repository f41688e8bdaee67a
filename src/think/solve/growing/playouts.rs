//! The values of leaves. Where there is a blueprint, they are the mean goals of playouts in which every role plays, by what it
//! knows, what it would play now: the blueprint, where nothing else was learnt yet.
//!
//! Reference: Brown, Sandholm, Amos, *Depth-Limited Solving for Imperfect-Information Games* (2018). There the other roles choose among
//! several policies beyond a leaf; here there is one.

use rand::{Rng, RngExt};

use super::super::met::{SamplingError, check};
use super::GrowingMinimiser;
use crate::tree::{Following, UNEVEN_CHANCE};
use hyperplay_machine::{Bulk, Seed, draw_weighted, share_at};

/// The most leaves that are valued together, which bounds the memory of their playouts.
const TOGETHER: usize = 256;

impl<M: Bulk> GrowingMinimiser<M> {
    /// Values these leaves, or grows them where nobody chooses.
    pub(super) fn grow_or_value(
        &mut self,
        machine: &M,
        leaves: &[u32],
        seed: &Seed,
    ) -> Result<(), SamplingError> {
        let is_alone = |leaf: &u32| self.tree.positions.choosers(*leaf).is_empty();
        let (alone, chosen): (Vec<u32>, Vec<u32>) = leaves.iter().partition(|leaf| is_alone(leaf));
        self.value(machine, &chosen, seed)?;
        self.grow(machine, &alone, seed)
    }

    /// Grows these leaves, and values those that follow.
    pub(super) fn grow(&mut self, machine: &M, leaves: &[u32], seed: &Seed) -> Result<(), SamplingError> {
        let fresh = self.tree.grow(machine, leaves)?;
        self.value(machine, &fresh, seed)
    }

    fn value(&mut self, machine: &M, leaves: &[u32], seed: &Seed) -> Result<(), SamplingError> {
        if self.blueprint.is_none() {
            return self.tree.value_leaves(machine, leaves, seed);
        }
        let mut rng = seed.rng();
        leaves.chunks(TOGETHER).try_for_each(|leaves| {
            let done = self.play_out(machine, leaves, &mut rng);
            self.tree.positions.truncate(self.tree.len());
            done
        })
    }

    /// Values these leaves by playouts. Their positions are behind those of the tree.
    fn play_out(&mut self, machine: &M, leaves: &[u32], rng: &mut impl Rng) -> Result<(), SamplingError> {
        let (count, roles) = (self.options.playouts, self.tree.positions.roles());
        let playouts = |(place, &leaf): (usize, &u32)| std::iter::repeat_n((place, leaf), count as usize);
        let mut open: Vec<(usize, u32)> = leaves.iter().enumerate().flat_map(playouts).collect();
        let mut sums = vec![0.0; leaves.len() * roles];
        for step in 0.. {
            if open.is_empty() {
                break;
            }
            self.make_room();
            let wanted: Vec<(u32, u64)> = open.iter().map(|&(_, at)| (at, self.drawn(at, rng))).collect();
            let places = open.into_iter().map(|(place, _)| place);
            open = Vec::new();
            for (place, following) in places.zip(self.tree.follow(machine, &wanted)?) {
                match following {
                    Following::Position(next) => {
                        check(machine, &self.tree.positions, next, step)?;
                        open.push((place, next));
                    }
                    Following::End(end) => {
                        let goals = self.tree.positions.goals(end).values().iter();
                        let sums = sums[place * roles..].iter_mut().zip(goals);
                        sums.for_each(|(sum, goal)| *sum += f64::from(goal.value()));
                    }
                }
            }
        }
        for (&leaf, sums) in leaves.iter().zip(sums.chunks(roles)) {
            self.tree.set_value(leaf, sums.iter().map(|sum| sum / f64::from(count)));
        }
        Ok(())
    }

    /// A choice at a position, as chance and the current policies draw it.
    fn drawn(&self, position: u32, rng: &mut impl Rng) -> u64 {
        let mut choice = 0;
        for chooser in self.tree.positions.choosers(position) {
            let place = if chooser.role >= UNEVEN_CHANCE {
                draw_weighted(self.tree.positions.weights(chooser), rng)
            } else {
                let shares = self.tree.shares(chooser, &self.policy).iter().copied();
                share_at(shares, rng.random()).unwrap_or(0)
            };
            choice += place as u64 * chooser.stride;
        }
        choice
    }
}
