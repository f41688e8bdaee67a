//! A round of the search: many descents that go down the tree together, step by step.
//!
//! Each step has two passes. In the first every descent selects at its position; one that comes to an information set
//! which is not open opens it and stops there. In the second pass all successors that no descent has met are computed in
//! one call. A descent that selects counts as a try from then on, so those behind it in the same round spread out.
//!
//! Where roles move at once, each descent goes on as far as the tree is known before the next one begins, and an end that
//! it comes to is credited at once, because bandits that learn late run in circles there. Successors are still computed
//! together, until two descents wait for the same one. Only playouts are credited with the round.
//!
//! Where several roles come to sets that are not open at once, one of these is drawn and opened, and a playout begins
//! with the moves of the roles that could select. If all were opened together, the bandits of two roles in equal
//! positions would stay equal and make the same moves for ever, and neither would learn what else its moves are worth.
//! If one role always came first, it would have the better of the other.

use rand::RngExt;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::bandits::Bandits;
use super::roots::Root;
use super::{IsmctsTree, Parts};
use crate::tree::{CHANCE, Following, UNEVEN_CHANCE};
use hyperplay_machine::{Bulk, Role, Start, draw_weighted};

/// The most steps of a descent. It matters only where nobody has a choice for so long.
const DEEPEST: usize = 1_000;

/// A choice that a descent made: whose it was, and the number of the move.
#[derive(Clone, Copy, Debug)]
struct Taken {
    descent: u32,
    role: u32,
    number: u32,
}

/// The descents of a round, and where they came to.
pub(super) struct Round<S> {
    roots: Vec<Root>,
    /// Where each of those that are under way stands, with its number.
    under_way: Vec<(u32, u32)>,
    moved: Vec<(u32, u32)>,
    /// Those that wait for a successor, and the successors asked for, each once.
    waiting: Vec<(u32, u32, u64)>,
    wanted: Vec<(u32, u64)>,
    asked: FxHashSet<(u32, u64)>,
    /// Whether descents should wait no longer: two of them ask for the same successor, or all are under way.
    is_growth_due: bool,
    taken: Vec<Taken>,
    /// Descents that came to an end, and its number.
    pub(super) ends: Vec<(u32, u32)>,
    /// Descents that are played out, and from where.
    pub(super) leaves: Vec<u32>,
    pub(super) starts: Vec<Start<S>>,
}

impl<S: Clone> Round<S> {
    pub(super) fn new() -> Self {
        Round {
            roots: Vec::new(),
            under_way: Vec::new(),
            moved: Vec::new(),
            waiting: Vec::new(),
            wanted: Vec::new(),
            asked: FxHashSet::default(),
            is_growth_due: false,
            taken: Vec::new(),
            ends: Vec::new(),
            leaves: Vec::new(),
            starts: Vec::new(),
        }
    }

    /// Begins a round of descents from these positions or ends.
    pub(super) fn begin(&mut self, roots: &[Root]) {
        self.roots.clear();
        self.roots.extend_from_slice(roots);
        self.taken.clear();
        self.ends.clear();
        self.leaves.clear();
        self.starts.clear();
    }

    /// Lets the descents go down. A tree that is full does not grow: a descent that comes to its edge is played out from
    /// there. False if the deadline passed on the way.
    pub(super) fn descend<M: Bulk<State = S>>(&mut self, parts: &mut Parts<'_, M>) -> bool {
        if parts.tree.positions.is_at_once {
            return self.descend_in_turn(parts);
        }
        for descent in 0..self.roots.len() {
            self.arrive(descent as u32, self.roots[descent].from);
        }
        std::mem::swap(&mut self.under_way, &mut self.moved);
        for step in 0.. {
            if self.under_way.is_empty() {
                return true;
            }
            for place in 0..self.under_way.len() {
                let (descent, position) = self.under_way[place];
                self.choose(descent, position, step, parts);
            }
            if !self.grow(parts) {
                return false;
            }
            for place in 0..self.waiting.len() {
                let (descent, position, choice) = self.waiting[place];
                let following = parts.tree.positions.following(position, choice);
                self.arrive(descent, following.expect("it was just computed"));
            }
            self.waiting.clear();
            self.under_way.clear();
            std::mem::swap(&mut self.under_way, &mut self.moved);
        }
        unreachable!("a descent has a deepest step")
    }

    /// The same, each descent as far as the tree is known before the next one begins.
    fn descend_in_turn<M: Bulk<State = S>>(&mut self, parts: &mut Parts<'_, M>) -> bool {
        let count = self.roots.len();
        for step in 0.. {
            match self.roots.get(step) {
                Some(root) => self.go_on(step as u32, root.from, 0, parts),
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
            for (descent, position, choice) in std::mem::take(&mut self.waiting) {
                let following = parts.tree.positions.following(position, choice);
                let following = following.expect("it was just computed");
                self.go_on(descent, following, 1 + step.saturating_sub(count), parts);
            }
        }
        unreachable!("a descent has a deepest step")
    }

    /// Lets a descent go on as far as the tree is known, and credits the end that it comes to.
    fn go_on<M: Bulk<State = S>>(
        &mut self,
        descent: u32,
        from: Following,
        mut step: usize,
        parts: &mut Parts<'_, M>,
    ) {
        let is_new = step == 0;
        self.arrive(descent, from);
        while let Some((_, position)) = self.moved.pop() {
            self.choose(descent, position, step, parts);
            step = step.max(1);
        }
        let Some((_, end)) = self.ends.pop() else { return };
        let IsmctsTree { positions, bandits, .. } = &mut *parts.tree;
        let mut learn = |taken: Taken| {
            let goal = positions.goals(end)[Role::new(taken.role as usize)];
            bandits.learn(taken.number, 1, u64::from(goal.value()));
        };
        while let Some(taken) = self.taken.pop_if(|taken| taken.descent == descent) {
            learn(taken);
        }
        if !is_new {
            // Others have chosen since its first choices.
            let credited = self.taken.extract_if(.., |taken| taken.descent == descent);
            credited.for_each(learn);
        }
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

    fn arrive(&mut self, descent: u32, following: Following) {
        match following {
            Following::End(end) => self.ends.push((descent, end)),
            Following::Position(position) => self.moved.push((descent, position)),
        }
    }

    #[inline(always)]
    fn choose<M: Bulk<State = S>>(
        &mut self,
        descent: u32,
        position: u32,
        step: usize,
        parts: &mut Parts<'_, M>,
    ) {
        let Parts { own, tree: IsmctsTree { positions, bandits, .. }, is_full, model, rng, .. } = parts;
        let (Root { learners, modelled, .. }, mut choice) = (self.roots[descent as usize], 0);
        let (mut fresh, mut first) = (SmallVec::<[u32; 4]>::new(), SmallVec::<[(Role, u32); 4]>::new());
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
                    let (place, number) = if learners.has(role) {
                        let (place, number) = bandits.select(chooser, &positions.sets, rng);
                        self.taken.push(Taken { descent, role, number });
                        (place, number)
                    } else {
                        bandits.follow(chooser, &positions.sets, rng)
                    };
                    first.push((Role::new(role as usize), number));
                    place
                }
                _ => {
                    fresh.push(chooser.set);
                    0
                }
            };
            choice += u64::from(place) * chooser.stride;
        }
        if !fresh.is_empty() && !*is_full {
            bandits.open(fresh[if fresh.len() > 1 { rng.random_range(0..fresh.len()) } else { 0 }]);
        }
        if fresh.is_empty() && step < DEEPEST {
            if let Some(following) = positions.following(position, choice) {
                return self.arrive(descent, following);
            }
            if !*is_full {
                self.waiting.push((descent, position, choice));
                match self.asked.insert((position, choice)) {
                    true => self.wanted.push((position, choice)),
                    false => self.is_growth_due = true,
                }
                return;
            }
        }
        let moves = positions.sets.moves();
        let first = first.into_iter().map(|(role, number)| (role, moves[number as usize]));
        self.leaves.push(descent);
        let state = positions.state(position).clone();
        self.starts.push(Start { state, first: first.collect(), count: 1 });
    }

    /// Credits what the descents brought to the choices on their way: for each descent how often it counts, 0 for one of
    /// which nothing is known (it is as if it had not been made), and for each descent and role the sum of the goals.
    pub(super) fn learn(&self, roles: usize, counts: &[u32], sums: &[u64], bandits: &mut Bandits) {
        for taken in &self.taken {
            match counts[taken.descent as usize] {
                0 => bandits.withdraw(taken.number),
                count => {
                    let sum = sums[taken.descent as usize * roles + taken.role as usize];
                    bandits.learn(taken.number, count, sum);
                }
            }
        }
    }
}
