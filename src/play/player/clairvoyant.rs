//! The player `clairvoyant`: the search of `hyperplay` on the true state. It is the control of every experiment: the
//! difference between the two players is what the belief costs.
//!
//! It is shown the true *history* and keeps the state that follows from it, because states of one engine mean nothing
//! to another. It is not told what the others will draw or do.

use std::sync::Arc;

use super::deliberation::Deliberation;
use super::judgement::judge;
use super::margin::Margin;
use super::{ClairvoyantPlayer, ClairvoyantView, Decision, Reason};
use hyperplay_engine::{Engine, EngineScratch};
use hyperplay_machine::{Budget, History, Role, Seed, State, StateMachine as _, StateMachineExt};
use hyperplay_think::search::{LeafValues, RandomPlayouts, StateSearch, WeightedState};

/// The player `clairvoyant`.
pub struct Clairvoyant {
    machine: Arc<Engine>,
    role: Role,
    search: Arc<dyn StateSearch<Engine>>,
    leaves: Arc<dyn LeafValues<Engine>>,
    scratch: EngineScratch,
    /// The history replayed so far and the state after it.
    known: History,
    state: State,
    margin: Margin,
}

impl Clairvoyant {
    /// A player for one match.
    pub fn new(machine: Arc<Engine>, role: Role, search: Arc<dyn StateSearch<Engine>>) -> Self {
        let (scratch, state) = (machine.scratch(), machine.initial());
        Clairvoyant {
            machine,
            role,
            search,
            leaves: Arc::new(RandomPlayouts),
            scratch,
            known: History::default(),
            state,
            margin: Margin::default(),
        }
    }

    /// The same player with a search that values its leaves so.
    #[must_use]
    pub fn with_leaves(self, leaves: Arc<dyn LeafValues<Engine>>) -> Self {
        Clairvoyant { leaves, ..self }
    }

    /// Follows the history; false if the deadline passed before its end. Then it goes on from there at the next
    /// decision.
    fn follow(&mut self, history: &History, budget: &Budget) -> bool {
        if !history.0.starts_with(&self.known.0) {
            (self.known, self.state) = (History::default(), self.machine.initial());
        }
        let Clairvoyant { machine, known, state, .. } = self;
        machine.by_deadline(budget.deadline, &mut self.scratch, |scratch| {
            for joint in &history.0[known.step()..] {
                let next = machine.next(state, joint, scratch);
                if machine.is_interrupted(scratch) {
                    return false;
                }
                *state = next;
                known.0.push(joint.clone());
            }
            true
        })
    }
}

impl ClairvoyantPlayer for Clairvoyant {
    fn decide(&mut self, view: &ClairvoyantView<'_>, budget: &Budget, seed: &Seed) -> Decision {
        let (budget, own_time) = self.margin.begin(budget);
        let decision = self.decide_in_time(view, budget, seed);
        self.margin.end(own_time);
        decision
    }
}

impl Clairvoyant {
    fn decide_in_time(&mut self, view: &ClairvoyantView<'_>, budget: Budget, seed: &Seed) -> Decision {
        let legal = view.own.legal;
        if !self.follow(view.history, &budget) {
            let reasons =
                vec![Reason::said("the time was up before the state was known: a legal move at random")];
            return Decision { reasons, ..Decision::uniform(legal, seed) };
        }
        let (machine, leaves, scratch) = (&*self.machine, &*self.leaves, &mut self.scratch);
        let deliberation = Deliberation { machine, role: self.role, budget, seed, legal, leaves, scratch };
        let decision = deliberation.decide(&*self.search, &[WeightedState::single(&self.state)], judge);
        decision.admitting(self.machine.take_failure(&mut self.scratch), legal, seed)
    }
}
