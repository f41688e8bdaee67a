//! Draws in bulk: attempts to extend histories by one step.
//!
//! Work is cut into pieces of a fixed size, each with a random stream of its own, and the pieces are put together in
//! order. So a result does not depend on how many threads make them. Large jobs are shared by the threads of the pool
//! that the caller runs in. Attempts under a model are made by one thread.

use std::sync::Arc;

use indexmap::IndexMap;
use rayon::prelude::*;
use rustc_hash::FxBuildHasher;

use super::population::{ListedJoints, Population};
use crate::belief::joints::LegalJoints;
use crate::belief::opponents::{Opponents, agreeing, policies};
use hyperplay_machine::{
    Budget, Bulk, ConsistentDraws, ConsistentStep, EvaluationFailure, JointMove, ObservedStep, Seed,
    StepAttempts, note_shared_work,
};

/// Attempts of a piece.
pub(super) const PIECE: usize = 1 << 14;

/// From this number of pieces on they are shared by threads.
const SHARED: usize = 4;

/// Attempts under a model between two looks at the clock.
const ATTEMPTS_A_LOOK: usize = 1 << 10;

/// The data with which one thread draws.
pub(super) struct DrawContext<'a, M: Bulk> {
    pub(super) machine: &'a M,
    pub(super) scratch: &'a mut M::Scratch,
    /// Those who do not choose uniformly.
    pub(super) opponents: Option<&'a mut Opponents>,
    pub(super) budget: &'a Budget,
    /// A failure of evaluation that another thread met.
    pub(super) failure: &'a mut Option<EvaluationFailure>,
}

/// Steps from one start that agree with an observation.
#[derive(Debug)]
pub(super) struct DrawnStep<S> {
    /// Which of the starts it is.
    pub(super) start: u32,
    pub(super) joint: JointMove,
    pub(super) state: S,
    /// What the others know after it.
    pub(super) known: u32,
    /// How often it was drawn.
    pub(super) count: u32,
}

/// The steps that agree among some attempts.
#[derive(Debug)]
pub(super) struct DrawnSteps<S> {
    /// The number of attempts made, which are the first ones.
    pub(super) tried: usize,
    pub(super) steps: Vec<DrawnStep<S>>,
}

impl<S> DrawnSteps<S> {
    /// The attempts that agreed.
    pub(super) fn agreed(&self) -> u64 {
        self.steps.iter().map(|step| u64::from(step.count)).sum()
    }
}

/// Attempts of uniform opponents.
pub(super) fn uniform_steps<M: Bulk>(
    machine: &M,
    asked: &StepAttempts<'_, M::State>,
    scratch: &mut M::Scratch,
) -> DrawnSteps<M::State> {
    let ConsistentDraws { tried, steps } = machine.draw_consistent(asked, scratch);
    let drawn = steps.into_iter().map(|ConsistentStep { place, joint, state }| DrawnStep {
        start: asked.attempts[place],
        joint,
        state,
        known: 0,
        count: 1,
    });
    DrawnSteps { tried, steps: drawn.collect() }
}

impl<M: Bulk> DrawContext<'_, M> {
    /// The results of `count` pieces of work, in order; those behind a late one are missing.
    pub(super) fn pieces<T: Send>(
        &mut self,
        count: usize,
        work: impl Fn(usize, &mut M::Scratch) -> Option<T> + Sync,
    ) -> Vec<T> {
        if count < SHARED || rayon::current_num_threads() == 1 {
            return (0..count).map_while(|piece| work(piece, self.scratch)).collect();
        }
        note_shared_work();
        let machine = self.machine;
        let made: Vec<(Option<T>, Option<EvaluationFailure>)> = (0..count)
            .into_par_iter()
            .map_init(
                || machine.scratch(),
                |scratch, piece| (work(piece, scratch), machine.take_failure(scratch)),
            )
            .collect();
        made.into_iter()
            .map_while(|(made, failure)| {
                *self.failure = self.failure.take().or(failure);
                made
            })
            .collect()
    }

    /// The attempts that agree with an observation; see [`Bulk::draw_consistent`].
    pub(super) fn attempts(
        &mut self,
        population: &mut Population<M::State>,
        attempts: &[u32],
        observed: &ObservedStep<'_>,
        seed: &Seed,
    ) -> DrawnSteps<M::State> {
        let (machine, budget) = (self.machine, self.budget);
        let pieces: Vec<&[u32]> = attempts.chunks(PIECE).collect();
        let made = if self.opponents.is_some() {
            let each = pieces.iter().enumerate();
            each.map_while(|(piece, attempts)| {
                let Population { states, known, joints, .. } = population;
                let steps =
                    self.modelled_steps((states, known, joints), attempts, observed, &seed.index(piece))?;
                Some(DrawnSteps { tried: attempts.len(), steps })
            })
            .collect()
        } else {
            let starts = &population.states;
            self.pieces(pieces.len(), |piece, scratch| {
                let (attempts, observed, seed) = (pieces[piece], *observed, &seed.index(piece));
                let asked = StepAttempts { starts, attempts, observed, seed, budget };
                let late = piece > 0 && budget.is_late();
                (!late).then(|| uniform_steps(machine, &asked, scratch))
            })
        };
        let mut all = DrawnSteps { tried: 0, steps: Vec::new() };
        for (mut drawn, piece) in made.into_iter().zip(pieces) {
            all.tried += drawn.tried;
            all.steps.append(&mut drawn.steps);
            if drawn.tried < piece.len() {
                break;
            }
        }
        all
    }

    /// Attempts in which the others choose by their policies; `None` if the deadline cut them off. Steps that are drawn
    /// several times are tried once.
    pub(super) fn modelled_steps(
        &mut self,
        (states, known, listed): (&[M::State], &[u32], &mut ListedJoints),
        attempts: &[u32],
        observed: &ObservedStep<'_>,
        seed: &Seed,
    ) -> Option<Vec<DrawnStep<M::State>>> {
        let (machine, scratch) = (self.machine, &mut *self.scratch);
        let opponents = self.opponents.as_deref_mut()?;
        let mut rng = seed.rng();
        let mut drawn: IndexMap<(u32, JointMove), u32, FxBuildHasher> = IndexMap::default();
        listed.resize(states.len(), None);
        for (number, &start) in attempts.iter().enumerate() {
            if number > 0 && number.is_multiple_of(ATTEMPTS_A_LOOK) && self.budget.is_late() {
                return None;
            }
            let at = start as usize;
            let joints = match &listed[at] {
                Some(joints) => joints,
                None => {
                    let policies = |legal: &_| policies(Some(opponents), known[at], legal, self.budget);
                    let own = (observed.role, &observed.observation.own);
                    let joints = LegalJoints::of(machine, &states[at], own, policies, scratch)?;
                    listed[at].insert(Arc::new(joints))
                }
            };
            if let Some(joint) = joints.draw(&mut rng) {
                *drawn.entry((start, joint)).or_default() += 1;
            }
        }
        if machine.is_interrupted(scratch) {
            listed.clear(); // the deadline may have cut off some
            return None;
        }
        if opponents.failure.is_some() {
            listed.clear(); // a policy that rests on a failure is asked for again
        }
        let steps: Vec<(&M::State, &JointMove)> =
            drawn.keys().map(|(start, joint)| (&states[*start as usize], joint)).collect();
        let known = |place: usize| drawn.get_index(place).map_or(0, |((start, _), _)| known[*start as usize]);
        let agreeing = agreeing(Some(opponents), machine, &steps, known, observed, scratch)?;
        let made = agreeing.into_iter().filter_map(|(place, state, known)| {
            let ((start, joint), &count) = drawn.get_index(place)?;
            Some(DrawnStep { start: *start, joint: joint.clone(), state, known, count })
        });
        Some(made.collect())
    }
}
