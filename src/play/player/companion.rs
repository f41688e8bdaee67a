//! The belief beside a person: the facts that a role that sits at a table may hold possible, and their probabilities.
//!
//! It is the belief of a sampler, followed step by step. A fact that holds in the states of all its histories is known;
//! one that holds in some of them is open, with the weight of these histories as its probability. The caller that shows
//! it says whether the histories are all that are possible or a sample.
//!
//! Invariant: with a budget that is not one of time, all answers are a function of the rules, the evidence and the
//! seeds.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::configured::SamplerSpec;
use super::deliberation::distinct;
use hyperplay_engine::Engine;
use hyperplay_logic::gdl::TermId;
use hyperplay_machine::{Budget, Evidence, Role, Seed, State, StateMachine, counted};
use hyperplay_think::belief::{BoxedBelief, UpdateMethod, UpdateOutcome, effective_size};

/// The belief beside a person.
pub struct Companion {
    /// The engine on which it evaluates the rules.
    pub engine: Arc<Engine>,
    belief: BoxedBelief<Engine>,
    /// How the last update ended; none before the first.
    outcome: Option<UpdateOutcome>,
}

impl Companion {
    /// Before the first step of a match.
    pub fn new(engine: &Arc<Engine>, role: Role, sampler: &SamplerSpec, particles: usize) -> Companion {
        let model = sampler.assumed().model(engine);
        let belief = sampler.sampler().belief(engine, role, &model, particles);
        Companion { engine: Arc::clone(engine), belief, outcome: None }
    }

    /// Follows the evidence.
    pub fn follow(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) {
        self.outcome = Some(self.belief.update(evidence, budget, seed));
        if self.belief.take_failure().is_some() {
            // The histories that were found may be wrong, and are not shown.
            self.outcome = Some(UpdateOutcome::Depleted { step: evidence.step() });
        }
    }

    /// Whether the histories are all that are possible.
    pub fn is_enumerated(&self) -> bool {
        self.outcome == Some(UpdateOutcome::Enumerated)
    }

    /// Whether it is proven that no history of the rules, with the opponents that are assumed, explains the evidence.
    pub fn is_contradicted(&self) -> bool {
        matches!(self.outcome, Some(UpdateOutcome::Inconsistent { .. }))
    }

    /// How the histories were found.
    pub fn method(&self) -> UpdateMethod {
        self.belief.method()
    }

    /// The number of histories.
    pub fn particles(&self) -> usize {
        self.belief.particles().len()
    }

    /// The effective sample size of the histories, from 1 to their number; 0 if there is none.
    pub fn effective(&self) -> f64 {
        effective_size(self.belief.particles().iter().map(|particle| particle.weight))
    }

    /// The facts of the states that may be true, each with the probability that it holds, in the natural order of
    /// terms; none without a history.
    pub fn facts(&self) -> Option<Vec<(TermId, f64)>> {
        if self.particles() == 0
            || !matches!(self.outcome, Some(UpdateOutcome::Enumerated | UpdateOutcome::Sampled))
        {
            return None;
        }
        let mut shares: HashMap<TermId, f64> = HashMap::new();
        for (state, share) in self.states() {
            self.engine
                .holds(&state)
                .into_iter()
                .for_each(|fact| *shares.entry(fact).or_insert(0.0) += share);
        }
        let mut facts: Vec<(TermId, f64)> = shares.into_iter().collect();
        facts.sort_by(|a, b| self.engine.terms().compare(a.0, b.0));
        Some(facts)
    }

    /// The distinct states with their probabilities, the likeliest first; among equals the one that was found first.
    pub fn states(&self) -> Vec<(State, f64)> {
        let states = distinct(&*self.belief).into_iter();
        let mut states: Vec<(State, f64)> = states.map(|of| (of.state.clone(), of.weight)).collect();
        states.sort_by(|a, b| b.1.total_cmp(&a.1));
        states
    }

    /// The likeliest of these states, each by those of the facts that are open and hold in it.
    pub fn likeliest(
        &self,
        states: &[(State, f64)],
        facts: &[(TermId, f64)],
        most: usize,
    ) -> Vec<(Vec<TermId>, f64)> {
        let of_state = |(state, share): &(State, f64)| {
            let holds: HashSet<TermId> = self.engine.holds(state).into_iter().collect();
            let open = facts.iter().filter(|(fact, share)| !is_certain(*share) && holds.contains(fact));
            (open.map(|&(fact, _)| fact).collect(), *share)
        };
        states.iter().take(most).map(of_state).collect()
    }

    /// How many histories there are and whether they are all, as a clause.
    pub fn histories(&self) -> String {
        let histories = counted(self.particles() as u64, "history");
        match self.is_enumerated() {
            true => format!("{histories} possible, no other"),
            false => format!("{histories} drawn at random among those that are possible"),
        }
    }
}

/// Whether a sum of shares amounts to all of them: rounding moves it.
pub fn is_certain(share: f64) -> bool {
    share > 1.0 - 1e-9
}
