//! The trees over the states that are judged, with what each role has learnt at each position.
//!
//! All trees lie in one arena of [`Positions`], in which every role knows the state. A descent follows the bandits from
//! the root of its tree to a choice that has not been followed yet, or to the end of the game. Choices of many descents
//! are followed in one call, so a tree grows by one position a descent at most. When the arena is full, descents are
//! played out from its edge.
//!
//! A descent counts as many times as its leaf has playouts, also where it comes to an end. An arm counts playouts, and
//! their mean is that of its descents.
//!
//! Invariant: `tried >= known` for every arm, with equality when no descent is under way and no deadline has passed.

use rand::{Rng, RngExt};
use rustc_hash::FxHashSet;

use super::super::bandit::{Arm, select};
use super::super::playout::OpenState;
use crate::tree::{CHANCE, Following, Positions, SetMoves, UNEVEN_CHANCE};
use hyperplay_machine::{Bulk, Role, Start, StateMachineExt, Tally, draw_weighted};

/// The weight of exploration, for goals scaled to 0..=1 (that of Finnsson, Björnsson 2008).
const EXPLORATION: f64 = 0.4;

/// Positions for each tree on average, so that they fit the memory.
const MOST_POSITIONS: usize = 1 << 20;

/// A way down a tree.
struct Descent {
    /// Where its choices begin among those of all descents.
    first: usize,
    /// The end or the position that it came to.
    leaf: Option<Following>,
    /// The last choice and its position.
    last: (u32, u64),
}

/// All trees.
pub(super) struct Forest<M: Bulk> {
    positions: Positions<M>,
    arms: Vec<Arm>,
    /// The root of each tree, and the information set of the role that judges there.
    roots: Vec<(Following, u32)>,
    /// The descents of a round, and their choices: whose each was, and the number of the move.
    descents: Vec<Descent>,
    taken: Vec<(u32, u32)>,
    /// The choices that have not been followed yet, each once.
    wanted: Vec<(u32, u64)>,
    asked: FxHashSet<(u32, u64)>,
}

impl<M: Bulk> Forest<M> {
    /// The trees that have only their roots, in which a role judges its moves. `None` if the deadline passed meanwhile.
    pub(super) fn new(
        machine: &M,
        role: Role,
        states: &[OpenState<'_, M::State>],
        scratch: &mut M::Scratch,
    ) -> Option<Self> {
        let mut positions = Positions::in_sight(machine);
        let roots = states.iter().map(|open| {
            // What a role with one move gets is learnt too.
            let class = positions.sets.fresh_class();
            let (own, _) = positions.sets.meet(role, class, &open.moves);
            let known = vec![class; machine.roles().len()];
            Some((positions.add(machine, open.state.clone(), &known, scratch)?, own))
        });
        let roots = roots.collect::<Option<_>>()?;
        let arms = vec![Arm::default(); positions.sets.moves().len()];
        let (descents, taken, wanted, asked) = Default::default();
        Some(Forest { positions, arms, roots, descents, taken, wanted, asked })
    }

    /// What is known of the moves of the role that judges.
    pub(super) fn arms(&self, tree: usize) -> &[Arm] {
        let SetMoves { first, count } = self.positions.sets.list()[self.roots[tree].1 as usize];
        &self.arms[first as usize..(first + count) as usize]
    }

    /// Goes down a tree until something is new or the game is over; `random` draws, every other role selects.
    pub(super) fn descend(&mut self, tree: usize, weight: u32, rng: &mut impl Rng) {
        let (first, mut leaf, mut last) = (self.taken.len(), Some(self.roots[tree].0), (0, 0));
        while let Some(Following::Position(position)) = leaf {
            let mut choice = 0;
            for chooser in self.positions.choosers(position) {
                let place = match chooser.role {
                    CHANCE => rng.random_range(0..chooser.moves as usize),
                    UNEVEN_CHANCE => draw_weighted(self.positions.weights(chooser), rng),
                    role => {
                        let arms = &mut self.arms[chooser.first as usize..][..chooser.moves as usize];
                        let tried = arms.iter().map(|arm| arm.tried).sum();
                        let place = select(arms.iter().map(|arm| (arm, tried)), EXPLORATION, rng);
                        arms[place].tried += weight;
                        self.taken.push((role, chooser.first + place as u32));
                        place
                    }
                };
                choice += place as u64 * chooser.stride;
            }
            last = (position, choice);
            leaf = self.positions.following(position, choice);
        }
        if leaf.is_none() && self.asked.insert(last) {
            self.wanted.push(last);
        }
        self.descents.push(Descent { first, leaf, last });
    }

    /// Follows the choices to which the descents came, in one call. Where playouts begin, `weight` for each descent that
    /// does not end the game; `None` if the deadline passed meanwhile.
    pub(super) fn grow(
        &mut self,
        machine: &M,
        weight: u32,
        scratch: &mut M::Scratch,
    ) -> Option<Vec<Start<M::State>>> {
        let Forest { positions, wanted, descents, .. } = self;
        if positions.len() < MOST_POSITIONS * self.roots.len() && !positions.grow(machine, wanted, scratch) {
            return None;
        }
        self.arms.resize(positions.sets.moves().len(), Arm::default());
        wanted.clear();
        self.asked.clear();
        let starts = descents.iter_mut().filter_map(|Descent { leaf, last: (position, choice), .. }| {
            *leaf = leaf.or_else(|| positions.following(*position, *choice));
            let (at, first) = match *leaf {
                Some(Following::End(_)) => return None,
                Some(Following::Position(next)) => (next, Vec::new()),
                None => {
                    let joint = positions.joint(machine, *position, *choice);
                    (*position, machine.each_role().map(|role| (role, joint.of(role))).collect())
                }
            };
            Some(Start { state: positions.state(at).clone(), first, weights: None, count: weight })
        });
        Some(starts.collect())
    }

    /// Credits the ends of the descents, and the tallies of the playouts of the others, to the choices on their way.
    /// Forgets the descents.
    pub(super) fn learn(&mut self, weight: u32, tallies: &[Tally]) {
        let Forest { positions, arms, descents, taken, .. } = self;
        let mut tallies = tallies.iter().rev();
        while let Some(Descent { first, leaf, .. }) = descents.pop() {
            let taken = taken.drain(first..);
            if let Some(Following::End(end)) = leaf {
                let goals = positions.goals(end);
                credit(arms, taken, weight, |role| u64::from(weight) * u64::from(goals[role].value()));
            } else {
                let tally = tallies.next().expect("one for each start");
                credit(arms, taken, tally.count, |role| tally.sum[role]);
            }
        }
    }
}

/// Credits the sums of the goals of `count` playouts to the arms of a descent.
fn credit(arms: &mut [Arm], taken: impl Iterator<Item = (u32, u32)>, count: u32, sum: impl Fn(Role) -> u64) {
    for (role, number) in taken {
        arms[number as usize].learn(count, sum(Role::new(role as usize)));
    }
}
