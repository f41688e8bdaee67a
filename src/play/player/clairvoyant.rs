//! Clairvoyant: the search of HyperPlay on the true state, which the referee shows it. The control of every experiment:
//! what belief costs is the difference between the two.
//!
//! It is shown the true *history* and keeps the state that follows from it, because states of one engine mean nothing
//! to another. It is not told what the others will draw or do.

use std::sync::Arc;

use super::decision::{Decision, Player, SAFE_SHARE, View, uniform};
use super::deliberation::deliberate;
use crate::search::SearchOptions;
use hyperplay_engine::machine::{Budget, Bulk, History, Role, Seed, StateMachineExt};

/// The player `clairvoyant`.
pub struct Clairvoyant<M: Bulk> {
    machine: Arc<M>,
    role: Role,
    options: SearchOptions,
    scratch: M::Scratch,
    /// The history replayed so far and the state after it.
    known: History,
    state: M::State,
}

impl<M: Bulk> Clairvoyant<M> {
    /// A player for one match.
    pub fn new(machine: Arc<M>, role: Role, options: SearchOptions) -> Self {
        let (scratch, state) = (machine.scratch(), machine.initial());
        Clairvoyant { machine, role, options, scratch, known: History::default(), state }
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

impl<M: Bulk> Player for Clairvoyant<M> {
    fn decide(&mut self, view: &View<'_>, budget: &Budget, seed: &Seed) -> Decision {
        let budget = budget.share(SAFE_SHARE);
        let Some(history) = view.history else {
            let explanation = vec!["the true history was not shown".to_owned()];
            return Decision { depleted: true, explanation, ..Decision::draw(uniform(view.legal), seed) };
        };
        self.follow(history);
        let states = [(&self.state, 1.0)];
        deliberate(&*self.machine, &states, self.role, &self.options, &budget, seed, &mut self.scratch)
    }

    fn is_clairvoyant(&self) -> bool {
        true
    }
}
