//! The player `clairvoyant`: the search of `hyperplay` on the true state. It is the control of every experiment: the
//! difference between the two players is what the belief costs.
//!
//! It is shown the true *history* and keeps the state that follows from it, because states of one engine mean nothing
//! to another. It is not told what the others will draw or do.

use std::sync::Arc;

use super::decision::{ClairvoyantPlayer, ClairvoyantView, Decision, SAFE_SHARE};
use super::deliberation::Deliberation;
use super::judgement::judge;
use crate::search::StateSearch;
use hyperplay_engine::machine::{Budget, History, Role, Seed, StateMachine as _, StateMachineExt};
use hyperplay_engine::{Engine, EngineScratch, State};

/// The player `clairvoyant`.
pub struct Clairvoyant {
    machine: Arc<Engine>,
    role: Role,
    search: Arc<dyn StateSearch<Engine>>,
    scratch: EngineScratch,
    /// The history replayed so far and the state after it.
    known: History,
    state: State,
}

impl Clairvoyant {
    /// A player for one match.
    pub fn new(machine: Arc<Engine>, role: Role, search: Arc<dyn StateSearch<Engine>>) -> Self {
        let (scratch, state) = (machine.scratch(), machine.initial());
        Clairvoyant { machine, role, search, scratch, known: History::default(), state }
    }

    fn follow(&mut self, history: &History) {
        match history.0.strip_prefix(&self.known.0[..]) {
            Some(new) => {
                for joint in new {
                    self.state = self.machine.next(&self.state, joint, &mut self.scratch);
                }
            }
            None => self.state = self.machine.replay(history, &mut self.scratch),
        }
        self.known = history.clone();
    }
}

impl ClairvoyantPlayer for Clairvoyant {
    fn decide(&mut self, view: &ClairvoyantView<'_>, budget: &Budget, seed: &Seed) -> Decision {
        let (budget, legal) = (budget.share(SAFE_SHARE), view.own.legal);
        self.follow(view.history);
        let (machine, scratch) = (&*self.machine, &mut self.scratch);
        let deliberation = Deliberation { machine, role: self.role, budget, seed, legal, scratch };
        let decision = deliberation.decide(&*self.search, &[(&self.state, 1.0)], judge);
        decision.admitting(self.machine.take_failure(&mut self.scratch), legal, seed)
    }
}
