//! A round of the search: many descents down the tree, whose successors and playouts are computed together.
//!
//! Each descent goes on as far as the tree is known before the next one begins. An end that it comes to is credited at
//! once. A descent that comes to an information set which is not open opens it and is played out with the others of the
//! round. One that comes to a successor which was not met waits for it. Successors are computed in one call, when all are
//! under way or, where roles move at once, two descents wait for the same one. A descent that selects counts as a try from
//! then on, so those behind it in the same round spread out.
//!
//! Where all descents of a round select before any of them is credited, the search is weaker: bandits that learn late
//! run in circles where roles move at once, and where they do not, every third answer to the first mark of Phantom
//! Tic-Tac-Toe was a blunder (`docs/measurements.md`).
//!
//! Where several roles come to sets that are not open at once, one of these is drawn and opened, and a playout begins
//! with the moves of the roles that could select. If all were opened together, the bandits of two roles in equal
//! positions would stay equal and make the same moves for ever, and neither would learn what else its moves are worth.
//! If one role always came first, it would have the better of the other.

use rand::RngExt;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::bandits::Selected;
use super::matching::Draw;
use super::roots::Root;
use super::{IsmctsTree, Parts};
use crate::tree::{CHANCE, Following, UNEVEN_CHANCE};
use hyperplay_machine::{Bulk, Role, Start, Tally, draw_weighted};

/// The most steps of a descent. It matters only where nobody has a choice for so long.
const DEEPEST: usize = 1_000;

/// A choice that a descent made: the place of the one before it, whose it was and at which set, the arm, how regret matching drew
/// it if it did, and the number of the move.
#[derive(Clone, Copy, Debug)]
struct Taken {
    before: u32,
    role: u32,
    set: u32,
    arm: u32,
    draw: Option<Draw>,
    number: u32,
}

/// No choice.
const NONE: u32 = u32::MAX;

/// A descent that waits for what follows a choice at a position, which is known then.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    descent: u32,
    step: usize,
    position: u32,
    choice: u64,
}

/// The descents of a round, and where they came to.
#[derive_where::derive_where(Default)]
pub(super) struct Round<S> {
    roots: Vec<Root>,
    waiting: Vec<Waiting>,
    /// The successors asked for, each once.
    wanted: Vec<(u32, u64)>,
    asked: FxHashSet<(u32, u64)>,
    /// Whether descents should wait no longer.
    is_growth_due: bool,
    /// Whether what is learnt goes into the history of moves.
    is_history: bool,
    taken: Vec<Taken>,
    /// For each descent the place of its last choice, until it is credited.
    last: Vec<u32>,
    /// Descents that are played out, and from where.
    leaves: Vec<u32>,
    pub(super) starts: Vec<Start<S>>,
}

impl<S: Clone> Round<S> {
    /// Begins a round of descents from these positions or ends, which goes into the history of moves or not.
    pub(super) fn begin(&mut self, roots: &[Root], is_history: bool) {
        self.is_history = is_history;
        self.roots.clear();
        self.roots.extend_from_slice(roots);
        self.last.clear();
        self.last.resize(roots.len(), NONE);
        self.taken.clear();
        self.leaves.clear();
        self.starts.clear();
    }

    /// Lets the descents go down. A tree that is full does not grow: a descent that comes to its edge is played out from
    /// there. False if the deadline passed on the way.
    pub(super) fn descend<M: Bulk<State = S>>(&mut self, parts: &mut Parts<'_, M>) -> bool {
        for descent in 0.. {
            match self.roots.get(descent) {
                Some(root) => self.go_on(descent as u32, root.from, 0, parts),
                None if self.waiting.is_empty() => return true,
                None => self.is_growth_due = true,
            }
            if !self.is_growth_due {
                continue;
            }
            if !self.grow(parts) {
                return false;
            }
            self.is_growth_due = false;
            for Waiting { descent, step, position, choice } in std::mem::take(&mut self.waiting) {
                let following = parts.tree.positions.following(position, choice);
                self.go_on(descent, following.expect("it was just computed"), step, parts);
            }
        }
        unreachable!("a descent has a deepest step")
    }

    /// Lets a descent go on as far as the tree is known, and credits the end that it comes to.
    fn go_on<M: Bulk<State = S>>(
        &mut self,
        descent: u32,
        mut from: Following,
        mut step: usize,
        parts: &mut Parts<'_, M>,
    ) {
        while let Following::Position(position) = from {
            match self.choose(descent, position, step, parts) {
                Some(following) => from = following,
                None => return,
            }
            step += 1;
        }
        let Following::End(end) = from else { return };
        let goals = parts.tree.positions.goals(end).clone();
        self.learn(descent, 1, |role| u64::from(goals[role].value()), parts.tree);
    }

    /// Computes the successors that are wanted. False if the deadline passed on the way.
    fn grow<M: Bulk<State = S>>(&mut self, parts: &mut Parts<'_, M>) -> bool {
        if self.wanted.is_empty() {
            return true;
        }
        let Parts { machine, tree: IsmctsTree { positions, bandits, .. }, budget, scratch, .. } = parts;
        let is_grown = !budget.is_late() && positions.grow(machine, &self.wanted, scratch);
        bandits.grow(&positions.sets);
        self.wanted.clear();
        self.asked.clear();
        is_grown
    }

    /// Chooses at a position. `None` if the descent waits for what follows, or is played out from here.
    #[inline(always)]
    fn choose<M: Bulk<State = S>>(
        &mut self,
        descent: u32,
        position: u32,
        step: usize,
        parts: &mut Parts<'_, M>,
    ) -> Option<Following> {
        let Parts { own, tree: IsmctsTree { positions, bandits, history, .. }, is_full, model, rng, .. } =
            parts;
        let (Root { learners, modelled, .. }, mut choice) = (self.roots[descent as usize], 0);
        let (mut fresh, mut first) =
            (SmallVec::<[(u32, u32); 4]>::new(), SmallVec::<[(Role, u32); 4]>::new());
        let is_at_once = positions.is_at_once && positions.several_choose(position);
        for chooser in positions.choosers(position) {
            let place = match chooser.role {
                CHANCE => rng.random_range(0..chooser.moves),
                UNEVEN_CHANCE => draw_weighted(positions.weights(chooser), rng) as u32,
                role if step < modelled && role != *own => {
                    let place = model.draw(position, chooser, positions, rng);
                    first.push((Role::new(role as usize), chooser.number(place, &positions.sets)));
                    place
                }
                role if bandits.is_open(chooser.set) => {
                    let place = if learners.has(role) {
                        let Selected { place, arm, draw } =
                            bandits.select(chooser, is_at_once, &positions.sets, rng);
                        let (at, number) = (self.taken.len() as u32, chooser.number(place, &positions.sets));
                        let before = std::mem::replace(&mut self.last[descent as usize], at);
                        self.taken.push(Taken { before, role, set: chooser.set, arm, draw, number });
                        place
                    } else {
                        bandits.follow(chooser, &positions.sets, rng)
                    };
                    first.push((Role::new(role as usize), chooser.number(place, &positions.sets)));
                    place
                }
                _ => {
                    fresh.push((chooser.role, chooser.set));
                    0
                }
            };
            choice += u64::from(place) * chooser.stride;
        }
        if !fresh.is_empty() && !*is_full {
            let (role, set) = fresh[if fresh.len() > 1 { rng.random_range(0..fresh.len()) } else { 0 }];
            bandits.open_widening(set, Role::new(role as usize), &positions.sets, history);
        }
        if fresh.is_empty() && step < DEEPEST {
            if let Some(following) = positions.following(position, choice) {
                return Some(following);
            }
            if !*is_full {
                self.waiting.push(Waiting { descent, step: step + 1, position, choice });
                match self.asked.insert((position, choice)) {
                    true => self.wanted.push((position, choice)),
                    false => self.is_growth_due = positions.is_at_once,
                }
                return None;
            }
        }
        let moves = positions.sets.moves();
        let first = first.into_iter().map(|(role, number)| (role, moves[number as usize]));
        self.leaves.push(descent);
        let state = positions.state(position).clone();
        self.starts.push(Start { state, first: first.collect(), weights: None, count: 1 });
        None
    }

    /// Credits what a descent brought to its choices: how often it counts, and for each role the sum of the goals. One that
    /// counts 0 times is as if it had not been made.
    pub(super) fn learn<M: Bulk>(
        &mut self,
        descent: u32,
        count: u32,
        sum: impl Fn(Role) -> u64,
        tree: &mut IsmctsTree<M>,
    ) {
        let IsmctsTree { positions, bandits, history, .. } = tree;
        let mut place = std::mem::replace(&mut self.last[descent as usize], NONE);
        while let Some(&Taken { before, role, set, arm, draw, number }) = self.taken.get(place as usize) {
            match count {
                0 => bandits.withdraw(arm),
                count => {
                    let role = Role::new(role as usize);
                    let sum = sum(role);
                    bandits.learn(arm, count, sum);
                    if let Some(draw) = draw {
                        let goal = sum as f32 / (100 * count) as f32;
                        bandits.match_regrets(set, (arm, draw), goal, &positions.sets);
                    }
                    if self.is_history {
                        history.learn(role, positions.sets.moves()[number as usize], count, sum);
                    }
                }
            }
            place = before;
        }
    }

    /// Credits the values of the leaves. The mean of the playouts from a leaf counts as one.
    pub(super) fn learn_leaves<M: Bulk>(&mut self, tallies: &[Tally], tree: &mut IsmctsTree<M>) {
        for (place, tally) in tallies.iter().enumerate() {
            let (descent, count) = (self.leaves[place], u64::from(tally.count.max(1)));
            let mean = |role| (tally.sum[role] + count / 2) / count;
            self.learn(descent, tally.count.min(1), mean, tree);
        }
    }

    /// Takes back all descents that were not credited, because the deadline cut them off.
    pub(super) fn withdraw<M: Bulk>(&mut self, tree: &mut IsmctsTree<M>) {
        for descent in 0..self.last.len() as u32 {
            self.learn(descent, 0, |_| 0, tree);
        }
    }
}
