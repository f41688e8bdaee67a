//! Draws where the own move may be another one than was sent.
//!
//! Most attempts make the move that was sent, and they run in lanes. In the others another move was made: where the
//! answer was lost, which is drawn first, and where the move is not legal, which the lanes tell. These are made again one
//! by one with any legal move.

use super::super::{Lanes, LanesScratch};
use crate::propagator::{Propagator, PropagatorScratch};
use hyperplay_machine::{
    Bulk as _, ConsistentDraws, ConsistentStep, Observation, ObservedStep, OwnMove, State, StepAttempts,
};

impl Lanes {
    /// The draws of [`Bulk::draw_consistent`](hyperplay_machine::Bulk::draw_consistent); `None` if these lanes cannot
    /// make them.
    pub(crate) fn draw_consistent(
        &self,
        propagator: &Propagator,
        asked: &StepAttempts<'_, State>,
        vectors: &mut LanesScratch,
        single: &mut PropagatorScratch,
    ) -> Option<ConsistentDraws<State>> {
        let &StepAttempts { attempts, observed, seed, .. } = asked;
        let OwnMove::Untold(Some(sent)) = observed.observation.own else {
            return self.draw_known(propagator, asked, vectors).map(|(draws, _)| draws);
        };
        let with = |own| Observation { own, ..observed.observation.clone() };
        let (made, replaced) = (with(OwnMove::Known(sent)), with(OwnMove::Untold(None)));
        let of = |places: &[usize]| places.iter().map(|&place| attempts[place]).collect::<Vec<u32>>();
        let mut rng = seed.child("lost").rng();
        let (lost, kept): (Vec<usize>, Vec<usize>) =
            (0..attempts.len()).partition(|_| OwnMove::is_lost(&mut rng));
        let told = ObservedStep { observation: &made, ..observed };
        let of_kept = StepAttempts { attempts: &of(&kept), observed: told, ..*asked };
        let (draws, unfit) = self.draw_known(propagator, &of_kept, vectors)?;
        // The attempts before this one were made.
        let end = kept.get(draws.tried).copied().unwrap_or(attempts.len());
        let mut again: Vec<usize> = unfit.iter().map(|&number| kept[number as usize]).chain(lost).collect();
        again.retain(|&place| place < end);
        again.sort_unstable();
        let (observed, seed) = (ObservedStep { observation: &replaced, ..observed }, seed.child("replaced"));
        let of_again = StepAttempts { attempts: &of(&again), observed, seed: &seed, ..*asked };
        let others = propagator.draw_consistent(&of_again, single);
        let end = again.get(others.tried).copied().unwrap_or(end);
        let placed = |places: Vec<usize>| {
            move |step: ConsistentStep<State>| ConsistentStep { place: places[step.place], ..step }
        };
        let mut steps: Vec<ConsistentStep<State>> = draws.steps.into_iter().map(placed(kept)).collect();
        steps.extend(others.steps.into_iter().map(placed(again)));
        steps.retain(|step| step.place < end);
        steps.sort_by_key(|step| step.place);
        Some(ConsistentDraws { tried: end, steps })
    }
}
