//! A player that carries a plan, asked along the evidence: one seat is shown what its role knows step by step, as in a match,
//! and every answer may rest on those before it.
//!
//! The own moves are those of the evidence, whatever the player would have drawn.

use std::sync::Arc;

use parking_lot::Mutex;
use rayon::prelude::*;

use super::question::{Answer, AskedSeat};
use super::{Asking, DecisionBudget};
use crate::player::{PlayerSpec, View};
use hyperplay_engine::Engine;
use hyperplay_machine::{Budget, Evidence, Role, Seed};

/// An information set, and what its role knows there.
type Known = (usize, Evidence);

/// A player that is asked in one role along the match of a seed, wherever it leads.
pub(super) struct Along<'a> {
    pub(super) player: &'a PlayerSpec,
    pub(super) machine: &'a Arc<Engine>,
    pub(super) role: Role,
    pub(super) asking: &'a Asking<'a>,
    /// The seed of its decisions; each step has its own.
    pub(super) seed: Seed,
}

impl Along<'_> {
    /// The answers at information sets of the role; nothing if the caller asked to stop.
    pub(super) fn answers(&self, sets: Vec<usize>) -> Option<Vec<(usize, Answer)>> {
        let tree = self.asking.tree;
        let known: Vec<Known> = sets.into_iter().map(|set| (set, tree.evidence(&tree.sets()[set]))).collect();
        let seat = AskedSeat::new(self.player, self.machine, self.role);
        self.follow(seat, &known.iter().collect::<Vec<_>>(), 0)
    }

    /// The answers from a step on, where the evidence until then is the same, of a seat that was asked at all steps before. The match
    /// goes on in several ways, each with a copy of the seat.
    fn follow(&self, mut seat: AskedSeat, known: &[&Known], step: usize) -> Option<Vec<(usize, Answer)>> {
        let Asking { budget, stop, tick, .. } = self.asking;
        if stop() {
            return None;
        }
        let Some((_, evidence)) = known.first() else { return Some(Vec::new()) };
        let set = known.iter().find_map(|(set, evidence)| (evidence.step() == step).then_some(*set));
        let answer = self.answer(&mut seat, evidence, set, step);
        let asked = set.map(|set| (set, answer));
        asked.iter().for_each(|_| tick());
        let mut groups: Vec<Vec<&Known>> = Vec::new();
        for &of in known.iter().filter(|(_, evidence)| evidence.step() > step) {
            match groups.iter_mut().find(|group| group[0].1.steps[step] == of.1.steps[step]) {
                Some(group) => group.push(of),
                None => groups.push(vec![of]),
            }
        }
        let later: Option<Vec<_>> = if let [only] = &groups[..] {
            self.follow(seat, only, step + 1).map(|later| vec![later])
        } else {
            let seat = Mutex::new(seat);
            // Copied when it is needed, because a plan may be large.
            let next = |group: &Vec<&Known>| {
                let copy = seat.lock().fork();
                self.follow(copy.unwrap_or_else(|| self.asked_until(step, group[0])), group, step + 1)
            };
            match budget.reproduces() {
                true => groups.par_iter().map(next).collect(),
                false => groups.iter().map(next).collect(),
            }
        };
        (!stop()).then_some(asked.into_iter().chain(later?.into_iter().flatten()).collect())
    }

    /// A new seat that was asked at all steps until this one.
    fn asked_until(&self, step: usize, (last, evidence): &Known) -> AskedSeat {
        let (mut seat, tree) = (AskedSeat::new(self.player, self.machine, self.role), self.asking.tree);
        let former = |set: &usize| tree.sets()[*set].former.map(|(former, _)| former as usize);
        let sets = std::iter::successors(Some(*last), former);
        let sets: Vec<_> = sets.map(|set| (tree.evidence(&tree.sets()[set]).step(), set)).collect();
        for former in (0..=step).take_while(|_| !(self.asking.stop)()) {
            let set = sets.iter().find_map(|&(at, set)| (at == former).then_some(set));
            self.answer(&mut seat, evidence, set, former);
        }
        seat
    }

    /// The answer at a step of some evidence, where the role is at this information set or has one move.
    fn answer(&self, seat: &mut AskedSeat, evidence: &Evidence, set: Option<usize>, step: usize) -> Answer {
        let Asking { tree, budget, .. } = self.asking;
        let legal = set.map_or_else(|| evidence.steps[step].own.named(), |set| tree.moves(set));
        seat.answer(&View { evidence: &evidence.until(step), legal }, budget, &self.seed.index(step))
    }
}

impl AskedSeat {
    /// Its answer after it was shown the evidence step by step. Its moves before are known, and those that it could have made
    /// instead are the ones that it says to be legal.
    pub(super) fn answer_along(
        &mut self,
        view: &View<'_>,
        budget: &DecisionBudget,
        seed: &dyn Fn(&Evidence) -> Seed,
    ) -> Answer {
        for (step, observation) in view.evidence.steps.iter().enumerate() {
            let (known, own) = (view.evidence.until(step), observation.own.named());
            let seed = seed(&known);
            let legal = self.guarded(|player| player.legal_after(&known, &Budget::UNLIMITED, &seed));
            let legal = legal.ok().flatten().filter(|legal| own.iter().all(|own| legal.contains(own)));
            let legal = legal.as_deref().unwrap_or(own);
            self.answer(&View { evidence: &known, legal }, budget, &seed);
        }
        self.answer(view, budget, &seed(view.evidence))
    }
}
