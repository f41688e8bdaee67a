//! The positions of a game as a traversal meets them: states with what every role knows.
//!
//! A *position* is a state in which somebody has a choice. Its choosers are those of the tree: `random`, then the other
//! roles in role order, each with two or more moves. A position has a slot for each joint choice, which says what
//! follows once that is known: an end, or another position. Steps in which nobody chooses are made at once.
//!
//! The first positions that are met are kept, up to a limit. So near the root, and in all of a small game, a traversal
//! asks the machine nothing; in Leduc poker that makes it forty times as fast. Later positions lie on top of the kept
//! ones as on a stack, have no slots, and are given up on the way back. The result of a traversal does not depend on
//! the limit.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::super::sequences::MIDDLE;
use super::super::tree::TreeError;
use super::error::SamplingError;
use super::sets::Sets;
use crate::tree::{EvidenceClasses, PerceptSets};
use hyperplay_machine::{
    Bulk, ByRole, ChanceDistribution, Goal, JointMove, Move, PLAYOUT_STEPS, Role, StateMachineExt, Successor,
};

/// Slots of the positions that are kept; a position has 10 to 100 bytes a slot.
const KEPT: usize = 1 << 21;

/// The position or the end that follows a joint choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Following {
    /// The end of the game: its number.
    End(u32),
    /// A position: its number.
    Position(u32),
}

/// The slot of a joint choice whose successor is not known.
const UNKNOWN: u32 = u32::MAX;

impl Following {
    /// Twice a number, plus 1 for an end.
    fn slot(self) -> u32 {
        match self {
            Following::Position(number) => number << 1,
            Following::End(number) => number << 1 | 1,
        }
    }

    #[inline(always)]
    fn of_slot(slot: u32) -> Following {
        if slot & 1 == 0 { Following::Position(slot >> 1) } else { Following::End(slot >> 1) }
    }
}

/// The role that chooses at a position, and how its moves count in the number of a joint choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chooser {
    /// The place of the role; [`CHANCE`] for `random`.
    pub(super) role: u32,
    /// How many moves there are.
    pub(super) moves: u32,
    /// Where they lie in the pool of the information sets; for `random`, in that of the draws.
    pub(super) first: u32,
    /// The factor by which a move counts.
    pub(super) stride: u64,
}

/// The role of chance whose moves are equally likely.
pub(super) const CHANCE: u32 = u32::MAX;
/// The role of chance whose moves have weights.
pub(super) const UNEVEN_CHANCE: u32 = u32::MAX - 2;

struct Position<S> {
    state: S,
    /// The first move of every role, which is the only one of those who do not choose.
    joint: JointMove,
    known: ByRole<u32>,
    step: u32,
    /// Where its choosers, slots and draws begin.
    begin: Lengths,
}

/// How much of everything there is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lengths {
    positions: u32,
    choosers: u32,
    slots: u32,
    draws: u32,
}

/// A state on the way to a position.
struct Met<S> {
    state: S,
    known: ByRole<u32>,
    step: u32,
}

/// All positions that are held.
pub(super) struct Positions<M: Bulk> {
    scratch: M::Scratch,
    list: Vec<Position<M::State>>,
    choosers: Vec<Chooser>,
    slots: Vec<u32>,
    /// The moves of `random`.
    draws: Vec<Move>,
    /// For each of them its weight.
    weights: Vec<u64>,
    /// How many positions are kept for ever, once that is fixed.
    kept: u32,
    limit: usize,
    pub(super) classes: ByRole<EvidenceClasses>,
    pub(super) percepts: PerceptSets,
    ends: HashMap<ByRole<Goal>, u32, FxBuildHasher>,
    /// Goals less their middle, for each end and role.
    payoffs: Vec<f64>,
    roles: usize,
    /// Reused: legal moves.
    legal: ByRole<Vec<Move>>,
}

impl<M: Bulk> Positions<M> {
    pub(super) fn new(machine: &M) -> Self {
        let roles = machine.roles().len();
        Positions {
            scratch: machine.scratch(),
            list: Vec::new(),
            choosers: Vec::new(),
            slots: Vec::new(),
            draws: Vec::new(),
            weights: Vec::new(),
            kept: u32::MAX,
            limit: KEPT,
            classes: ByRole::from_fn(roles, |_| EvidenceClasses::default()),
            percepts: PerceptSets::default(),
            ends: HashMap::default(),
            payoffs: Vec::new(),
            roles,
            legal: ByRole::from_fn(roles, |_| Vec::new()),
        }
    }

    /// Keeps fewer positions.
    #[cfg(test)]
    pub(super) fn keep(&mut self, slots: usize) {
        self.limit = slots;
    }

    /// The choosers of a position: the place of the first, and of the last plus 1.
    #[inline(always)]
    pub(super) fn choosers(&self, position: u32) -> (u32, u32) {
        let begin = self.list[position as usize].begin.choosers;
        let next = self.list.get(position as usize + 1);
        (begin, next.map_or(self.choosers.len() as u32, |next| next.begin.choosers))
    }

    #[inline(always)]
    pub(super) fn chooser(&self, place: u32) -> Chooser {
        self.choosers[place as usize]
    }

    /// The payoff of a role at an end.
    #[inline(always)]
    pub(super) fn payoff(&self, end: u32, role: u32) -> f64 {
        self.payoffs[end as usize * self.roles + role as usize]
    }

    /// The weights of the moves of a chooser that is `random`.
    pub(super) fn weights(&self, first: u32, moves: u32) -> &[u64] {
        &self.weights[first as usize..(first + moves) as usize]
    }

    /// How much there is now.
    #[inline(always)]
    pub(super) fn lengths(&self) -> Lengths {
        Lengths {
            positions: self.list.len() as u32,
            choosers: self.choosers.len() as u32,
            slots: self.slots.len() as u32,
            draws: self.draws.len() as u32,
        }
    }

    /// Gives up the positions met since there was so much, but not those that are kept.
    #[inline(always)]
    pub(super) fn release(&mut self, before: Lengths) {
        if before.positions >= self.kept {
            self.list.truncate(before.positions as usize);
            self.choosers.truncate(before.choosers as usize);
            self.slots.truncate(before.slots as usize);
            self.draws.truncate(before.draws as usize);
            self.weights.truncate(before.draws as usize);
        }
    }

    /// The first position, or the end, of a game.
    pub(super) fn root(&mut self, machine: &M, sets: &mut Sets) -> Result<Following, SamplingError> {
        let state = machine.initial();
        if machine.terminal(&state, &mut self.scratch) {
            let goals = machine.goals(&state, &mut self.scratch);
            return Ok(self.end(goals));
        }
        let known = ByRole::from_fn(self.roles, |_| 0);
        self.settle(machine, sets, Met { state, known, step: 0 })
    }

    /// The position or the end that follows a joint choice at a position.
    #[inline(always)]
    pub(super) fn follow(
        &mut self,
        machine: &M,
        sets: &mut Sets,
        position: u32,
        choice: u64,
    ) -> Result<Following, SamplingError> {
        if position < self.kept {
            let slot = self.slots[(u64::from(self.list[position as usize].begin.slots) + choice) as usize];
            if slot != UNKNOWN {
                return Ok(Following::of_slot(slot));
            }
        }
        self.discover(machine, sets, position, choice)
    }

    #[inline(never)]
    fn discover(
        &mut self,
        machine: &M,
        sets: &mut Sets,
        position: u32,
        choice: u64,
    ) -> Result<Following, SamplingError> {
        let Position { state, joint, known, step, begin } = &self.list[position as usize];
        let (state, mut joint, known, step) = (state.clone(), joint.clone(), known.clone(), *step);
        let slot = u64::from(begin.slots) + choice;
        let (begin, end) = self.choosers(position);
        for &Chooser { role, moves, first, stride } in &self.choosers[begin as usize..end as usize] {
            let place = first as usize + (choice / stride % u64::from(moves)) as usize;
            joint = match machine.random() {
                Some(random) if role == CHANCE || role == UNEVEN_CHANCE => {
                    joint.with(random, self.draws[place])
                }
                _ => joint.with(Role::new(role as usize), sets.moves[place]),
            };
        }
        let following = match self.step(machine, &Met { state, known, step }, &joint)? {
            Ok(met) => self.settle(machine, sets, met)?,
            Err(end) => end,
        };
        // The successor of a position that is not kept is not kept either.
        let last = if let Following::Position(next) = following { next } else { position };
        if last < self.kept {
            self.slots[slot as usize] = following.slot();
        }
        Ok(following)
    }

    /// The state after a joint move, or the end.
    fn step(
        &mut self,
        machine: &M,
        met: &Met<M::State>,
        joint: &JointMove,
    ) -> Result<Result<Met<M::State>, Following>, SamplingError> {
        let mut successors = machine.expand(&[(&met.state, joint)], &mut self.scratch);
        if let Some(failure) = machine.take_failure(&mut self.scratch) {
            return Err(TreeError::Failed(failure).into());
        }
        let Successor { state, percepts, end, .. } = successors.pop().expect("one for each step");
        if let Some(goals) = end {
            return Ok(Err(self.end(goals)));
        }
        let mut known = met.known.clone();
        for role in machine.each_role().filter(|&role| Some(role) != machine.random()) {
            let seen = self.percepts.number(&percepts[role]);
            known[role] = self.classes[role].after(known[role], joint.of(role), seen);
        }
        Ok(Ok(Met { state, known, step: met.step + 1 }))
    }

    fn end(&mut self, goals: ByRole<Goal>) -> Following {
        let (number, payoffs) = (self.ends.len() as u32, &mut self.payoffs);
        Following::End(*self.ends.entry(goals).or_insert_with_key(|goals| {
            payoffs.extend(goals.values().iter().map(|&goal| f64::from(goal) - MIDDLE));
            number
        }))
    }

    /// Makes steps until somebody has a choice.
    fn settle(
        &mut self,
        machine: &M,
        sets: &mut Sets,
        mut met: Met<M::State>,
    ) -> Result<Following, SamplingError> {
        loop {
            if met.step as usize >= PLAYOUT_STEPS {
                return Err(TreeError::Endless { steps: met.step as usize }.into());
            }
            let joint = self.read_legal(machine, &met)?;
            if self.legal.values().iter().any(|moves| moves.len() > 1) {
                return self.add(machine, sets, met, joint);
            }
            match self.step(machine, &met, &joint)? {
                Ok(next) => met = next,
                Err(end) => return Ok(end),
            }
        }
    }

    /// Reads the legal moves of all roles; returns the first of each.
    fn read_legal(&mut self, machine: &M, met: &Met<M::State>) -> Result<JointMove, SamplingError> {
        for role in machine.each_role() {
            machine.legal(&met.state, role, &mut self.scratch, &mut self.legal[role]);
            if self.legal[role].is_empty() {
                let role = machine.roles()[role].clone();
                let failure = machine.take_failure(&mut self.scratch);
                let nobody = TreeError::NoLegalMove { role, step: met.step as usize };
                return Err(failure.map_or(nobody, TreeError::Failed).into());
            }
        }
        Ok(JointMove::new(self.legal.values().iter().map(|moves| moves[0])))
    }

    /// Adds a position whose legal moves were just read.
    fn add(
        &mut self,
        machine: &M,
        sets: &mut Sets,
        met: Met<M::State>,
        joint: JointMove,
    ) -> Result<Following, SamplingError> {
        let begin = self.lengths();
        let Met { state, known, step } = met;
        let random = machine.random();
        let others = machine.each_role().filter(|&role| Some(role) != random);
        let mut stride = 1_u64;
        for role in random.into_iter().chain(others) {
            let legal = &self.legal[role];
            if legal.len() < 2 {
                continue;
            }
            let moves = legal.len() as u32;
            let (role, first) = if Some(role) == random {
                let first = self.draws.len() as u32;
                self.draws.extend_from_slice(legal);
                let chance = ChanceDistribution::of(machine, &state, &mut self.scratch);
                self.weights.extend((0..legal.len()).map(|place| chance.weight(place)));
                (if chance.is_uniform() { CHANCE } else { UNEVEN_CHANCE }, first)
            } else {
                (role.index() as u32, sets.meet(machine, role, known[role], legal, step)?)
            };
            self.choosers.push(Chooser { role, moves, first, stride });
            stride = stride
                .checked_mul(u64::from(moves))
                .ok_or(SamplingError::TooManyJointMoves { step: step as usize })?;
        }
        let slots = (self.slots.len() as u64).saturating_add(stride);
        if begin.positions < self.kept && slots <= self.limit as u64 {
            self.slots.resize(slots as usize, UNKNOWN);
        } else {
            self.kept = self.kept.min(begin.positions);
        }
        self.list.push(Position { state, joint, known, step, begin });
        Ok(Following::Position(begin.positions))
    }
}
