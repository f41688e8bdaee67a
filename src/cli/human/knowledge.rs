//! Knowledge: the belief beside a person, and how it is drawn.
//!
//! The belief is that of the player `hyperplay`: histories that explain the evidence of the role, with weights. What holds in
//! the states of all of them is drawn as known, and so is a state that is the only one; what holds in some of them is drawn
//! as open, and `belief` says with which probability it holds. Where the histories are a sample and not the whole
//! information set, that is said.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use hyperplay_engine::machine::{Budget, Evidence, Role, Seed, StateMachine};
use hyperplay_engine::{Engine, State};
use hyperplay_logic::gdl::TermId;
use hyperplay_play::belief::{Belief, UpdateOutcome};
use hyperplay_play::board::BoardLayout;
use hyperplay_play::player::SamplerSpec;

/// States that are listed with their probabilities.
const STATES: usize = 6;

/// What a role can know and believe in one match.
pub struct Knowledge {
    engine: Arc<Engine>,
    layout: BoardLayout,
    belief: Box<dyn Belief<Engine>>,
    /// How the last update ended; none before the first.
    outcome: Option<UpdateOutcome>,
}

impl Knowledge {
    /// Before the first step of a match.
    pub fn new(engine: &Arc<Engine>, role: Role, sampler: &SamplerSpec, particles: usize) -> Self {
        let model = sampler.assumed().model(engine);
        let belief = sampler.sampler().belief(engine, role, &model, particles);
        let layout = BoardLayout::of(engine.game());
        Knowledge { engine: Arc::clone(engine), layout, belief, outcome: None }
    }

    /// Follows the evidence.
    pub fn follow(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) {
        self.outcome = Some(self.belief.update(evidence, budget, seed));
        if self.belief.take_failure().is_some() {
            // What was found may be wrong, and is not shown.
            self.outcome = Some(UpdateOutcome::Depleted { step: evidence.step() });
        }
    }

    /// What the role knows of the state, drawn: certain facts, and marks where more than one thing is possible.
    pub fn board(&self) -> String {
        let Some(facts) = self.facts() else { return self.nothing() };
        let certain: Vec<TermId> =
            facts.iter().filter(|(_, share)| is_certain(*share)).map(|&(fact, _)| fact).collect();
        let drawn = if certain.len() == facts.len() {
            self.layout.draw(&certain)
        } else {
            self.layout.draw_known(&facts)
        };
        match self.outcome {
            Some(UpdateOutcome::Enumerated) => drawn,
            // What a sample agrees on may still be otherwise.
            _ => format!("{drawn}this is what {} have in common; others may be possible\n", self.histories()),
        }
    }

    /// What may be true, with its probability: a sentence on the histories, the facts that are open, the likeliest states.
    pub fn belief(&self) -> String {
        let Some(facts) = self.facts() else { return self.nothing() };
        let states = self.states();
        let mut text = format!("{}, in {}\n", self.histories(), counted(states.len(), "state"));
        text += &self.layout.draw_belief(&facts);
        text += &self.likeliest(&states, &facts);
        text
    }

    /// The likeliest states by what is open in them; nothing where a state is told by one fact, whose probability is shown.
    fn likeliest(&self, states: &[(State, f64)], facts: &[(TermId, f64)]) -> String {
        let open: Vec<TermId> =
            facts.iter().filter(|(_, share)| !is_certain(*share)).map(|&(fact, _)| fact).collect();
        let of_state = |state: &State| -> Vec<TermId> {
            let holds = self.engine.holds(state);
            open.iter().filter(|fact| holds.contains(fact)).copied().collect()
        };
        let listed: Vec<(Vec<TermId>, f64)> =
            states.iter().take(STATES).map(|(state, share)| (of_state(state), *share)).collect();
        if listed.iter().all(|(own, _)| own.len() == 1) {
            return String::new();
        }
        let mut text = String::new();
        for (own, share) in listed.iter().filter(|_| states.len() > 1) {
            let own: Vec<String> = own.iter().map(|&fact| shown(&self.engine, fact)).collect();
            let _ = writeln!(text, "{:6.1} %  {}", 100.0 * share, own.join(" "));
        }
        match states.len() {
            0 | 1 => text,
            few if few <= STATES => format!("the states, by what is open:\n{text}"),
            many => {
                format!("the likeliest states, by what is open:\n{text}  ... and {} more\n", many - STATES)
            }
        }
    }

    /// The facts of the states that may be true, each with the probability that it holds, in the natural order of terms;
    /// none without a particle.
    fn facts(&self) -> Option<Vec<(TermId, f64)>> {
        if self.belief.particles().is_empty()
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

    /// The distinct states, the likeliest first.
    fn states(&self) -> Vec<(State, f64)> {
        let mut places: HashMap<&State, usize> = HashMap::new();
        let mut states: Vec<(State, f64)> = Vec::new();
        for particle in self.belief.particles() {
            let state = self.belief.state(particle);
            let place = *places.entry(state).or_insert(states.len());
            match states.get_mut(place) {
                Some((_, share)) => *share += particle.weight,
                None => states.push((state.clone(), particle.weight)),
            }
        }
        states.sort_by(|a, b| b.1.total_cmp(&a.1));
        states
    }

    /// How many histories there are, and whether they are all.
    fn histories(&self) -> String {
        let histories = counted(self.belief.particles().len(), "history");
        match self.outcome {
            Some(UpdateOutcome::Enumerated) => format!("{histories} possible, no other"),
            _ => format!("{histories} drawn at random among those that are possible"),
        }
    }

    fn nothing(&self) -> String {
        match self.outcome {
            Some(UpdateOutcome::Inconsistent { .. }) => {
                "no history of these rules, with these opponents, explains what you have seen\n".to_owned()
            }
            _ => {
                "no history was found that explains what you have seen; there is nothing to draw\n".to_owned()
            }
        }
    }
}

/// Weights are sums of shares, which rounding moves.
fn is_certain(share: f64) -> bool {
    share > 1.0 - 1e-9
}

fn counted(number: usize, noun: &str) -> String {
    hyperplay_logic::gdl::counted(number as u64, noun)
}

/// A term in the syntax of the rulesheet.
pub fn shown(engine: &Engine, term: TermId) -> String {
    engine.game().show(term)
}
