//! The tree as far as it is grown, and the values of its leaves.
//!
//! A position is *grown* when all its choices were followed, and a *leaf* before. Where nobody chooses, what follows is
//! grown at once. The value of a leaf is what [`LeafValues`] say, by default the mean goal of random playouts.
//!
//! Two ways on which chance alone chose otherwise, and nobody saw it, lead to one position (two dice that were rolled one after the other, two cards of a
//! hand). It stands below both, and is as probable as both together.
//!
//! Invariant: positions are listed by the number of steps that lead to them, so every position stands before those that
//! follow it, and the positions of an information set stand together in one list.

use std::hash::BuildHasher as _;
use std::sync::Arc;
use std::time::Instant;

use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::super::met::{Sampled, check};
use super::super::sequences::MIDDLE;
use super::super::tree::TreeError;
use super::Blueprint;
use super::continuations::Continuations;
use super::roots::Roots;
use crate::tree::{Chooser, Following, LeafValues, Positions, RandomPlayouts, SetMoves, UNEVEN_CHANCE};
use hyperplay_machine::{Budget, Bulk, MoveWeights, Seed, Start, Tally};

/// A position with more choices than this is never grown.
const WIDEST: u64 = 1 << 20;

/// How many choices are followed between two looks at the clock.
const AT_ONCE: usize = 1 << 12;

/// Not grown.
const LEAF: u32 = u32::MAX;

/// The positions of a tree that grows.
#[derive_where::derive_where(Clone)]
pub(super) struct GrownTree<M: Bulk> {
    pub(super) scratch: M::Scratch,
    /// The playouts that value a leaf, and what else does.
    pub(super) playouts: u32,
    pub(super) valued_by: Arc<dyn LeafValues<M>>,
    pub(super) blueprint: Option<Blueprint>,
    /// When playouts stop.
    pub(super) deadline: Option<Instant>,
    pub(super) positions: Positions<M>,
    /// By number of steps.
    pub(super) by_step: Vec<Vec<u32>>,
    /// The information sets below the roots, each once, and by set whether it is among them.
    pub(super) sets: Vec<u32>,
    has_set: Vec<bool>,
    /// By position: where what follows its choices begins; [`LEAF`] for a leaf.
    first: Vec<u32>,
    /// By position: the number of steps.
    steps: Vec<u32>,
    followings: Vec<Following>,
    /// Positions that follow a choice of chance, by a hash of the number of steps, the state and what all know.
    by_chance: FxHashMap<u64, u32>,
    /// The probabilities of the moves of `random`, where they lie in the positions.
    draws: Vec<f64>,
    /// By position, choice among continuations and role: the value of a leaf, in goals less 50; that of the leaf before it, until it
    /// has its own.
    values: Vec<f64>,
    pub(super) continuations: Continuations,
    /// The number of leaves, and of those among them that have too many choices.
    pub(super) leaves: usize,
    pub(super) wide: usize,
    /// The choices that were followed below the roots.
    pub(super) followed: usize,
    /// Where the tree begins; nowhere before it has begun, and where the game has no choice at all.
    pub(super) roots: Roots,
    pub(super) has_begun: bool,
}

impl<M: Bulk> GrownTree<M> {
    pub(super) fn new(machine: &M, playouts: u32) -> Self {
        GrownTree {
            scratch: machine.scratch(),
            playouts,
            valued_by: Arc::new(RandomPlayouts),
            blueprint: None,
            deadline: None,
            positions: Positions::serial(machine),
            by_step: Vec::new(),
            sets: Vec::new(),
            has_set: Vec::new(),
            first: Vec::new(),
            steps: Vec::new(),
            followings: Vec::new(),
            by_chance: FxHashMap::default(),
            draws: Vec::new(),
            values: Vec::new(),
            continuations: Continuations { roles: vec![], count: 1, choosers: vec![], weights: vec![None] },
            leaves: 0,
            wide: 0,
            followed: 0,
            roots: Roots::default(),
            has_begun: false,
        }
    }

    /// Nodes: choices that were followed, and the initial state.
    pub(super) fn nodes(&self) -> usize {
        self.followings.len() + 1
    }

    /// From now on work stops soon after the deadline.
    pub(super) fn set_deadline(&mut self, machine: &M, deadline: Option<Instant>) {
        machine.set_deadline(&mut self.scratch, deadline);
        self.deadline = deadline;
    }

    /// What follows the choices of a position; nothing if it is a leaf.
    #[inline(always)]
    pub(super) fn followings(&self, position: u32) -> &[Following] {
        match self.first[position as usize] {
            LEAF => &[],
            first => &self.followings[first as usize..][..self.positions.choices(position) as usize],
        }
    }

    /// The value of a leaf to a role, after this choice among continuations.
    #[inline(always)]
    pub(super) fn value(&self, leaf: u32, choice: usize, role: usize) -> f64 {
        let place = leaf as usize * self.continuations.weights.len() + choice;
        self.values[place * self.positions.roles() + role]
    }

    /// Who chooses at a position: a move, or at a leaf a continuation.
    #[inline(always)]
    pub(super) fn choosers(&self, position: u32) -> &[Chooser] {
        let Continuations { roles, choosers, .. } = &self.continuations;
        match self.first[position as usize] {
            LEAF => &choosers[position as usize * roles.len()..][..roles.len()],
            _ => self.positions.choosers(position),
        }
    }

    /// From now on roles choose among these at the leaves, whose values are to be found again.
    pub(super) fn continue_by(&mut self, machine: &M, continuations: Continuations) {
        let (roles, ways) = (self.positions.roles(), continuations.weights.len());
        let values = self.values.chunks_exact(roles * self.continuations.weights.len());
        let values = values.flat_map(|values| values[..roles].repeat(ways));
        (self.values, self.continuations) = (values.collect(), continuations);
        let positions = 0..self.first.len() as u32;
        positions.for_each(|position| self.continuations.add(machine, &mut self.positions, position));
        self.list_all_sets();
    }

    /// What an end is worth to a role.
    #[inline(always)]
    pub(super) fn payoff(&self, end: u32, role: usize) -> f64 {
        f64::from(self.positions.goals(end).values()[role]) - MIDDLE
    }

    /// The probabilities of the moves of a chooser, where `policy` has those of the roles that decide.
    #[inline(always)]
    pub(super) fn shares<'s>(&'s self, chooser: &Chooser, policy: &'s [f64]) -> &'s [f64] {
        let of = if chooser.role >= UNEVEN_CHANCE { &self.draws[..] } else { policy };
        &of[chooser.first as usize..(chooser.first + chooser.moves) as usize]
    }

    /// Begins the tree, unless it was begun.
    pub(super) fn begin(&mut self, machine: &M, seed: &Seed) -> Sampled {
        if self.has_begun {
            return Ok(());
        }
        let root = self.positions.root(machine, &mut self.scratch);
        self.fail(machine)?;
        let root = root.ok_or(TreeError::Stopped)?;
        self.has_begun = true;
        let Some(root) = root.position() else { return Ok(()) };
        self.roots = Roots::initial(root, self.positions.roles());
        self.arrive(machine, 0, None, true)?;
        self.grow_or_value(machine, &[root], seed)
    }

    /// Adds a state after this number of steps in which the roles know this; none if it is an end.
    pub(super) fn add(
        &mut self,
        machine: &M,
        state: M::State,
        known: &[u32],
        step: u32,
    ) -> Sampled<Option<u32>> {
        let added = self.positions.add(machine, state, known, &mut self.scratch);
        self.fail(machine)?;
        let Some(position) = added.ok_or(TreeError::Stopped)?.position() else { return Ok(None) };
        self.arrive(machine, step, None, true)?;
        Ok(Some(position))
    }

    /// Lets the tree begin at these roots, after this number of steps; all that is not below them is left out.
    pub(super) fn begin_at(&mut self, roots: Roots, step: usize) {
        let below = self.below(roots.list.iter().map(|root| root.position).collect());
        self.by_step = vec![Vec::new(); step];
        self.by_step.extend(below);
        self.by_chance.clear();
        self.list_all_sets();
        let all = || self.by_step.iter().flatten().copied();
        self.leaves = all().filter(|&position| self.followings(position).is_empty()).count();
        self.wide = all().filter(|&position| !self.may_grow(position)).count();
        self.followed = all().map(|position| self.followings(position).len()).sum();
        self.has_begun = true;
        self.roots = roots;
    }

    /// The information sets below the roots.
    pub(super) fn sets_below(&self) -> impl Iterator<Item = SetMoves> {
        self.sets.iter().map(|&set| self.positions.sets.list()[set as usize])
    }

    /// Lists the information sets below the roots anew.
    fn list_all_sets(&mut self) {
        self.sets.clear();
        self.has_set.clear();
        let all: Vec<u32> = self.by_step.iter().flatten().copied().collect();
        all.into_iter().for_each(|position| self.list_sets(position));
    }

    /// Lists the information sets of a position.
    fn list_sets(&mut self, position: u32) {
        let Continuations { roles, choosers, .. } = &self.continuations;
        let beyond = &choosers[position as usize * roles.len()..][..roles.len()];
        self.has_set.resize(self.positions.sets.list().len(), false);
        for chooser in
            self.positions.choosers(position).iter().chain(beyond).filter(|of| of.role < UNEVEN_CHANCE)
        {
            if !std::mem::replace(&mut self.has_set[chooser.set as usize], true) {
                self.sets.push(chooser.set);
            }
        }
    }

    /// These positions, and those below them, each once, by the number of steps from these.
    fn below(&self, mut wave: Vec<u32>) -> Vec<Vec<u32>> {
        let (mut all, mut seen) = (Vec::new(), vec![false; self.first.len()]);
        while !wave.is_empty() {
            let followings = wave.iter().flat_map(|&position| self.followings(position));
            let next = followings.filter_map(|following| following.position());
            let next = next.filter(|&next| !std::mem::replace(&mut seen[next as usize], true)).collect();
            all.push(std::mem::replace(&mut wave, next));
        }
        all
    }

    /// Whether there is no leaf at these positions and below them.
    pub(super) fn is_grown_below(&self, positions: Vec<u32>) -> bool {
        self.below(positions).iter().flatten().all(|&position| !self.followings(position).is_empty())
    }

    pub(super) fn fail(&mut self, machine: &M) -> Sampled {
        let failure = machine.take_failure(&mut self.scratch);
        failure.map_or(Ok(()), |failure| Err(TreeError::Failed(failure).into()))
    }

    /// The position that was met before where chance alone chose otherwise on the way to `next`, which follows `former`.
    fn met(&mut self, former: u32, next: u32) -> Option<u32> {
        let positions = &self.positions;
        if !positions.choosers(former).iter().any(|of| of.role >= UNEVEN_CHANCE) {
            return None;
        }
        let reached = |at: u32| (positions.known(at), positions.state(at));
        let hash = FxBuildHasher.hash_one((self.steps[former as usize], reached(next)));
        let first = *self.by_chance.entry(hash).or_insert(next);
        (first != next && reached(first) == reached(next)).then_some(first)
    }

    /// Takes in the position that was added after this number of steps, and lists it if it is the first of its kind.
    fn arrive(&mut self, machine: &M, step: u32, former: Option<u32>, is_first: bool) -> Sampled {
        let position = self.first.len() as u32;
        check(machine, &self.positions, position, step)?;
        self.first.push(LEAF);
        self.steps.push(step);
        self.continuations.add(machine, &mut self.positions, position);
        let each = self.positions.roles() * self.continuations.weights.len();
        match former {
            Some(former) => {
                self.values.extend_from_within(former as usize * each..(former as usize + 1) * each);
            }
            None => self.values.resize(self.first.len() * each, 0.0),
        }
        if is_first {
            if self.by_step.len() <= step as usize {
                self.by_step.resize(step as usize + 1, Vec::new());
            }
            self.by_step[step as usize].push(position);
            self.leaves += 1;
            self.wide += usize::from(!self.may_grow(position));
            self.list_sets(position);
        }
        for chooser in self.positions.choosers(position).iter().filter(|of| of.role >= UNEVEN_CHANCE) {
            let weights = self.positions.weights(chooser);
            let sum = weights.iter().sum::<u64>() as f64;
            self.draws.extend(weights.iter().map(|&weight| weight as f64 / sum));
        }
        Ok(())
    }

    /// Whether a leaf may be grown.
    pub(super) fn may_grow(&self, leaf: u32) -> bool {
        self.positions.choices(leaf) <= WIDEST
    }

    /// The first leaves below the roots by number of steps, with about this number of choices together.
    pub(super) fn first_leaves(&self, mut room: u64) -> Vec<u32> {
        let all = self.by_step.iter().flatten().copied();
        let leaves = all.filter(|&at| self.followings(at).is_empty() && self.may_grow(at));
        let has_room = |leaf: &u32| {
            let has_room = room > 0;
            room = room.saturating_sub(self.positions.choices(*leaf));
            has_room
        };
        leaves.take_while(has_room).collect()
    }

    /// Whether all positions before this number of steps are grown.
    pub(super) fn is_grown_until(&self, step: usize) -> bool {
        self.has_begun && self.by_step.iter().take(step).flatten().all(|&at| !self.followings(at).is_empty())
    }

    /// The time until the deadline.
    fn time(&self) -> Budget {
        Budget { deadline: self.deadline, ..Budget::UNLIMITED }
    }

    /// Grows these leaves, each once, and values those that follow.
    pub(super) fn grow(&mut self, machine: &M, leaves: &[u32], seed: &Seed) -> Sampled {
        let time = self.time();
        let (mut wave, mut fresh) = (leaves.to_vec(), Vec::new());
        while !wave.is_empty() {
            let choices = |&leaf: &u32| (0..self.positions.choices(leaf)).map(move |choice| (leaf, choice));
            let wanted: Vec<(u32, u64)> = wave.iter().flat_map(choices).collect();
            let mut followings = Vec::with_capacity(wanted.len());
            for (number, wanted) in wanted.chunks(AT_ONCE).enumerate() {
                let may_go_on = number == 0 || !time.is_late();
                let made = may_go_on.then(|| self.positions.followings(machine, wanted, &mut self.scratch));
                let Some(made) = made.flatten() else {
                    self.positions.truncate(self.first.len());
                    self.fail(machine)?;
                    return Err(TreeError::Stopped.into());
                };
                followings.extend(made);
            }
            self.fail(machine)?;
            self.followed += followings.len();
            let mut next = Vec::new();
            for (&(leaf, choice), mut following) in wanted.iter().zip(followings) {
                if choice == 0 {
                    self.first[leaf as usize] = self.followings.len() as u32;
                }
                if let Following::Position(position) = following {
                    let met = self.met(leaf, position);
                    self.arrive(machine, self.steps[leaf as usize] + 1, Some(leaf), met.is_none())?;
                    following = Following::Position(met.unwrap_or(position));
                    next.extend(met.is_none().then_some(position));
                }
                self.followings.push(following);
            }
            self.leaves -= wave.len();
            let (alone, chosen): (Vec<u32>, Vec<u32>) =
                next.into_iter().partition(|&next| self.positions.choosers(next).is_empty());
            fresh.extend(chosen);
            wave = alone;
        }
        self.value_leaves(machine, &fresh, seed)
    }

    /// Values these leaves, or grows them where nobody chooses.
    pub(super) fn grow_or_value(&mut self, machine: &M, leaves: &[u32], seed: &Seed) -> Sampled {
        let is_alone = |leaf: &u32| self.positions.choosers(*leaf).is_empty();
        let (alone, chosen): (Vec<u32>, Vec<u32>) = leaves.iter().partition(|leaf| is_alone(leaf));
        self.value_leaves(machine, &chosen, seed)?;
        self.grow(machine, &alone, seed)
    }

    /// Values these leaves.
    fn value_leaves(&mut self, machine: &M, leaves: &[u32], seed: &Seed) -> Sampled {
        let ways = self.continuations.weights.iter();
        let each = leaves.iter().flat_map(|&leaf| ways.clone().map(move |weights| (leaf, weights)));
        let start = |(leaf, weights): (u32, &Option<Arc<MoveWeights>>)| {
            let (state, weights) = (self.positions.state(leaf).clone(), weights.clone());
            Start { state, first: Vec::new(), weights, count: self.playouts }
        };
        let starts: Vec<Start<M::State>> = each.map(start).collect();
        let budget = self.time();
        let tallies = self.valued_by.tallies(machine, &starts, seed, &budget, &mut self.scratch);
        self.fail(machine)?;
        self.set_values(leaves, &tallies);
        Ok(())
    }

    /// Leaves are worth what these tallies say, one for each choice among continuations. A value stays where a tally says nothing.
    fn set_values(&mut self, leaves: &[u32], tallies: &[Tally]) {
        let ways = self.continuations.weights.len();
        for (number, tally) in tallies.iter().enumerate().filter(|(_, tally)| tally.count > 0) {
            let place = leaves[number / ways] as usize * ways + number % ways;
            let values = self.values[place * self.positions.roles()..].iter_mut().zip(tally.sum.values());
            values.for_each(|(value, &sum)| *value = sum as f64 / f64::from(tally.count) - MIDDLE);
        }
    }
}

/// Calls `each` with each of `count` choices, and the places of the moves of the choosers that make it. The stride of the first chooser
/// is 1.
#[inline(always)]
pub(super) fn each_choice(choosers: &[Chooser], count: usize, mut each: impl FnMut(usize, &[u32])) {
    if choosers.len() == 1 {
        return (0..count).for_each(|choice| each(choice, &[choice as u32]));
    }
    let mut places: SmallVec<[u32; 4]> = SmallVec::from_elem(0, choosers.len());
    let mut choice = 0;
    for _ in 0..count {
        each(choice as usize, &places);
        for (place, chooser) in places.iter_mut().zip(choosers) {
            (*place, choice) = (*place + 1, choice + chooser.stride);
            if *place < chooser.moves {
                break;
            }
            (*place, choice) = (0, choice - chooser.stride * u64::from(chooser.moves));
        }
    }
}
