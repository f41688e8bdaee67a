//! The values of leaves where there is a blueprint: the mean goals of playouts in which every role plays, by what it knows, as the
//! blueprint says, and uniformly where it says nothing.
//!
//! The positions of the playouts have an arena of their own, which is dropped after some leaves.
//!
//! Reference: Brown, Sandholm, Amos, *Depth-Limited Solving for Imperfect-Information Games* (2018). There the other roles choose among
//! several policies beyond a leaf ([`continuations`](super::continuations)); with a blueprint there is one here.

use rand::{Rng, RngExt};

use super::super::met::Sampled;
use super::grown::GrownTree;
use super::{Blueprint, range};
use crate::tree::{Chooser, Following, Positions, UNEVEN_CHANCE};
use hyperplay_machine::{Budget, Bulk, Role, StateMachineExt as _, Tally, draw_weighted, share_at};

/// The most leaves that share an arena.
const TOGETHER: usize = 64;

/// An arena with this number of positions does not grow, and playouts that are not at their ends count for nothing.
const MOST: usize = 1 << 18;

impl<M: Bulk> GrownTree<M> {
    /// Values these leaves, as far as the deadline allows.
    pub(super) fn play_out(
        &mut self,
        machine: &M,
        leaves: &[u32],
        blueprint: &Blueprint,
        rng: &mut impl Rng,
    ) -> Sampled {
        for leaves in leaves.chunks(TOGETHER) {
            let tallies = self.tallies(machine, leaves, blueprint, rng);
            self.set_values(leaves, &tallies);
            self.fail(machine)?;
        }
        Ok(())
    }

    fn tallies(
        &mut self,
        machine: &M,
        leaves: &[u32],
        blueprint: &Blueprint,
        rng: &mut impl Rng,
    ) -> Vec<Tally> {
        let (mut arena, mut policy, mut asked) = (Positions::serial(machine), Vec::new(), 0);
        let (mut tallies, mut open) = (vec![Tally::new(self.positions.roles()); leaves.len()], Vec::new());
        for (place, &leaf) in leaves.iter().enumerate() {
            let class = |(role, &class): (Role, &u32)| arena.class(&self.positions.evidence(role, class));
            let known: Vec<u32> = machine.each_role().zip(self.positions.known(leaf)).map(class).collect();
            let added = arena.add(machine, self.positions.state(leaf).clone(), &known, &mut self.scratch);
            let added = added.and_then(Following::position);
            open.extend(
                added.into_iter().flat_map(|at| std::iter::repeat_n((place, at), self.playouts as usize)),
            );
        }
        let budget = Budget { deadline: self.deadline, ..Budget::UNLIMITED };
        while !open.is_empty() && arena.len() < MOST {
            policy.resize(arena.sets.moves().len(), 0.0);
            let has_new = asked < arena.sets.list().len();
            let origins = if has_new { arena.sets.origins() } else { Vec::new() };
            for (number, (role, class)) in origins.into_iter().enumerate().skip(asked) {
                if budget.is_late() {
                    return tallies;
                }
                let (set, legal) = (arena.sets.list()[number], arena.sets.of(number as u32));
                let said = blueprint(role, &arena.evidence(role, class), legal);
                let said = said.unwrap_or_else(|| vec![1.0 / legal.len() as f64; legal.len()]);
                policy[range(set)].copy_from_slice(&said);
            }
            asked = arena.sets.list().len();
            let drawn = |&(_, at): &(usize, u32)| (at, drawn(&arena, at, &policy, rng));
            let wanted: Vec<(u32, u64)> = open.iter().map(drawn).collect();
            let Some(followings) =
                arena.followings(machine, &wanted, &mut self.scratch).filter(|_| !budget.is_late())
            else {
                break;
            };
            let mut next = Vec::new();
            for ((place, _), following) in open.into_iter().zip(followings) {
                match following {
                    Following::Position(at) => next.push((place, at)),
                    Following::End(end) => {
                        tallies[place].count += 1;
                        arena.goals(end).iter().for_each(|(role, &goal)| tallies[place].add(role, goal, 1));
                    }
                }
            }
            open = next;
        }
        tallies
    }
}

/// A choice at a position, as chance and the policies draw it.
fn drawn<M: Bulk>(arena: &Positions<M>, position: u32, policy: &[f64], rng: &mut impl Rng) -> u64 {
    let mut place = |chooser: &Chooser| match chooser.role >= UNEVEN_CHANCE {
        true => draw_weighted(arena.weights(chooser), rng),
        false => {
            let shares = chooser.numbers(&arena.sets).map(|number| policy[number as usize]);
            share_at(shares, rng.random()).unwrap_or(0)
        }
    };
    let choosers = arena.choosers(position).iter();
    choosers.map(|chooser| chooser.stride * place(chooser) as u64).sum()
}
