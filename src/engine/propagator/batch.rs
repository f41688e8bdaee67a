//! Steps in batches: 64 or 512 states in one pass.
//!
//! The states are transposed into planes. One pass makes the step, and its planes are the inputs of a second pass that
//! finds ends and goals. Transposing back gives the states that were reached. A few steps go 64 at a time, many go 512
//! at a time.

use smallvec::SmallVec;

use super::super::packed::{bits_on, gather, spread};
use super::code::{EndProgram, StepProgram};
use super::{Propagator, PropagatorScratch};
use crate::program::Planes;
use hyperplay_machine::{
    Bulk, ByRole, Goal, JointMove, ObservedStep, Percept, Percepts, Reached, Role, State, Successor,
    advance_each, expand_each,
};

/// Up to this many steps are faster one by one, where a single state is.
pub(super) const FEW: usize = 2;
/// The wide passes are faster from this many steps on.
pub(super) const MANY: usize = 192;

/// A state with a joint move in it.
pub(super) type StepRequest<'a> = (&'a State, &'a JointMove);

/// The planes of passes of both widths; made when they are first needed.
#[derive(Clone, Debug, Default)]
pub(super) struct BatchPlanes {
    narrow: Memory<1>,
    wide: Memory<8>,
}

/// The planes of each program.
#[derive(Clone, Debug, Default)]
struct Memory<const W: usize> {
    step: Planes<W>,
    next: Planes<W>,
    end: Planes<W>,
}

impl Bulk for Propagator {
    fn expand(&self, steps: &[StepRequest<'_>], scratch: &mut PropagatorScratch) -> Vec<Successor<State>> {
        if steps.len() <= FEW && self.is_quick() {
            expand_each(self, steps, scratch)
        } else if steps.len() < MANY {
            self.expand_in(steps, &mut scratch.batch.narrow)
        } else {
            self.expand_in(steps, &mut scratch.batch.wide)
        }
    }

    fn advance(&self, steps: &[StepRequest<'_>], scratch: &mut PropagatorScratch) -> Vec<Reached<State>> {
        if steps.len() <= FEW && self.is_quick() {
            advance_each(self, steps, scratch)
        } else if steps.len() < MANY {
            self.advance_in(steps, &mut scratch.batch.narrow)
        } else {
            self.advance_in(steps, &mut scratch.batch.wide)
        }
    }

    fn select_consistent(
        &self,
        steps: &[StepRequest<'_>],
        observed: &ObservedStep<'_>,
        scratch: &mut PropagatorScratch,
    ) -> Vec<(usize, State)> {
        self.selected(steps, observed, scratch)
    }
}

impl Propagator {
    pub(super) fn is_quick(&self) -> bool {
        self.single().single.is_quick() && self.view().single.is_quick()
    }

    fn expand_in<const W: usize>(
        &self,
        steps: &[StepRequest<'_>],
        memory: &mut Memory<W>,
    ) -> Vec<Successor<State>> {
        let mut successors = Vec::with_capacity(steps.len());
        for steps in steps.chunks(64 * W) {
            let (reached, faults) = self.pass(self.step(), steps, &mut memory.step, &mut memory.end);
            let percepts = self.seen(steps, &memory.step);
            let both = reached.into_iter().zip(percepts).enumerate();
            successors.extend(both.map(|(lane, ((state, end), percepts))| {
                let is_faulty = faults[lane / 64] >> (lane % 64) & 1 == 1;
                Successor { state, percepts, end, is_faulty }
            }));
        }
        successors
    }

    fn advance_in<const W: usize>(
        &self,
        steps: &[StepRequest<'_>],
        memory: &mut Memory<W>,
    ) -> Vec<Reached<State>> {
        let mut reached = Vec::with_capacity(steps.len());
        for steps in steps.chunks(64 * W) {
            reached.append(&mut self.pass(self.next_only(), steps, &mut memory.next, &mut memory.end).0);
        }
        reached
    }

    /// Makes at most `64 * W` steps; in which lanes the goals have a fault.
    fn pass<const W: usize>(
        &self,
        step: &StepProgram,
        steps: &[StepRequest<'_>],
        planes: &mut Planes<W>,
        ends: &mut Planes<W>,
    ) -> (Vec<Reached<State>>, [u64; W]) {
        planes.resize(step.program.planes);
        let end = self.end();
        ends.resize(end.program.planes);
        let bits = self.bits();
        self.set_steps(steps, &mut planes[..step.program.inputs]);
        step.program.run(planes);
        for (bit, &plane) in ends[..bits].iter_mut().zip(&step.next) {
            *bit = planes[plane as usize];
        }
        end.program.run(ends);
        let (goals, faults) = goals(end, ends, steps.len(), self.setup.random);
        let mut goals = goals.into_iter();
        let mut reached = Vec::with_capacity(steps.len());
        for (word, steps) in steps.chunks(64).enumerate() {
            reached.extend(gather(steps.len(), &ends[..bits], word).zip(&mut goals));
        }
        (reached, faults)
    }

    /// Puts states and joint moves into the planes of the inputs.
    pub(super) fn set_steps<const W: usize>(&self, steps: &[StepRequest<'_>], inputs: &mut [[u64; W]]) {
        let (states, moves) = inputs.split_at_mut(self.bits());
        for (word, steps) in steps.chunks(64).enumerate() {
            spread(steps.iter().map(|(state, _)| *state), states, word);
        }
        moves.fill([0; W]);
        for (lane, (_, joint)) in steps.iter().enumerate() {
            for input in self.inputs_of(joint) {
                moves[input - self.bits()][lane / 64] |= 1 << (lane % 64);
            }
        }
    }

    /// The percepts of each role at each step, after a pass of the long form.
    fn seen<const W: usize>(&self, steps: &[StepRequest<'_>], planes: &[[u64; W]]) -> Vec<ByRole<Percepts>> {
        let roles = self.setup.roles.len();
        if let Some(order) = &self.perceived {
            let same = |joint| ByRole::new(vec![self.did(order, joint); roles]);
            return steps.iter().map(|(_, joint)| same(joint)).collect();
        }
        let mut seen: Vec<SmallVec<[Percept; 4]>> = vec![SmallVec::new(); steps.len() * roles];
        for (role, percepts) in self.step().percepts.iter() {
            for &(percept, plane) in percepts {
                for lane in bits_on(&planes[plane as usize], 0..steps.len()) {
                    seen[lane * roles + role.index()].push(percept);
                }
            }
        }
        let of_step = |lists: &[SmallVec<[Percept; 4]>]| {
            ByRole::new(lists.iter().map(|list| Percepts::in_order(&list[..])).collect())
        };
        seen.chunks(roles).map(of_step).collect()
    }
}

/// The goals of the first `count` lanes that are at an end, and the lanes in which a role other than `random` has none
/// or several.
fn goals<const W: usize>(
    end: &EndProgram,
    planes: &[[u64; W]],
    count: usize,
    random: Option<Role>,
) -> (Vec<Option<ByRole<Goal>>>, [u64; W]) {
    let roles = end.goals.len();
    let over = planes[end.terminal as usize];
    let mut goals: Vec<Option<ByRole<Goal>>> = vec![None; count];
    let mut faults = [0; W];
    for lane in bits_on(&over, 0..count) {
        goals[lane] = Some(ByRole::from_fn(roles, |_| Goal::default()));
    }
    for (role, values) in end.goals.iter() {
        let mut open = over;
        for &(goal, plane) in values {
            let on: [u64; W] = std::array::from_fn(|word| over[word] & planes[plane as usize][word]);
            let holds: [u64; W] = std::array::from_fn(|word| open[word] & on[word]);
            let again: [u64; W] = std::array::from_fn(|word| on[word] & !open[word]);
            open.iter_mut().zip(holds).for_each(|(open, holds)| *open &= !holds);
            for lane in bits_on(&holds, 0..count) {
                if let Some(goals) = &mut goals[lane] {
                    goals[role] = goal;
                }
            }
            // The same value by another rule is no fault.
            let is_other = |lane: &usize| goals[*lane].as_ref().is_some_and(|goals| goals[role] != goal);
            for lane in bits_on(&again, 0..count).filter(is_other) {
                faults[lane / 64] |= u64::from(Some(role) != random) << (lane % 64);
            }
        }
        if Some(role) != random {
            faults.iter_mut().zip(open).for_each(|(faults, open)| *faults |= open);
        }
    }
    (goals, faults)
}
