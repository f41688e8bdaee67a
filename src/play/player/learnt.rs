//! The opponent model `learnt`: it learns from the earlier matches of a series against the same opponents.
//!
//! It knows what its own seat saw of the matches before ([`PlayerSpec::saw`]), and nothing else: the policy of every other role is that
//! of a [`Learner`], by expected counts under the posterior. It is fixed while a match is played. Before the first match, in a match
//! alone, and at an information set that no match may have led to, it is its prior. Whoever plays the series adds its matches one after
//! the other, so the model of a match is a function of the matches before it.

use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::configured::ModelBuild;
use super::learning::{Learner, TREMBLE};
use super::{PlayerSpec, Registry, Spec, SpecResult};
use hyperplay_engine::Engine;
use hyperplay_machine::{Evidence, History, Move, Role, StateMachine as _, StateMachineExt as _};
use hyperplay_think::belief::{OpponentModel, PolicyAndFailure, SharedModel, Trembling};

/// The name of the model.
pub(super) const LEARNT: &str = "learnt";

/// The most histories of a match that are enumerated between two matches, with the information sets of all of them. Of a match that
/// has more, some are drawn.
const MOST: usize = 200;

/// What one seat saw of the matches of a series that are over.
pub(super) type SeenMatches = Mutex<Vec<Evidence>>;

impl PlayerSpec {
    /// The same player for another series of matches, of which it [sees](Self::saw) those that are over.
    pub fn in_series(&self) -> PlayerSpec {
        if !self.spec.learns() {
            return self.clone();
        }
        let seen = Arc::default();
        let again = self.registry.learning_from(&seen).player_of(&self.spec);
        PlayerSpec { seen, ..again.expect("the registry has read it before") }
    }

    /// Adds a match of its series, in which it played this role: if its model is [learnt](Spec::learns), it learns from what it saw.
    pub fn saw(&self, machine: &Engine, role: Role, history: &History) {
        if self.spec.learns() {
            self.seen.lock().push(machine.evidence(history, role, &mut machine.scratch()));
        }
    }
}

/// The policies after the first `known` matches of a series.
#[derive(Default)]
struct Learning {
    known: usize,
    learners: Vec<Learner>,
    model: Option<SharedModel>,
}

impl Learning {
    /// The model after these matches.
    fn model(
        &mut self,
        engine: &Arc<Engine>,
        seen: &[Evidence],
        prior: SharedModel,
        (weight, half_life): (f64, f64),
    ) -> SharedModel {
        let Some(Evidence { role: own, .. }) = seen.first() else { return prior };
        if let Some(model) = self.model.as_ref().filter(|_| self.known == seen.len()) {
            return Arc::clone(model);
        }
        if self.known == 0 {
            let others = engine.each_role().filter(|role| role != own && engine.random() != Some(*role));
            let trembling = || Arc::new(Trembling::new(Arc::clone(&prior), TREMBLE));
            self.learners =
                others.map(|role| Learner::new(Arc::clone(engine), role, trembling(), MOST)).collect();
        }
        for learner in &mut self.learners {
            learner.draws = true;
            for evidence in &seen[self.known..] {
                if half_life > 0.0 {
                    learner.discount(0.5_f64.powf(1.0 / half_life));
                }
                // Nothing is learnt from a match of which no history is found.
                drop(learner.add_seen(evidence, 1.0));
            }
        }
        self.known = seen.len();
        let mut policies = FxHashMap::default();
        for learner in &self.learners {
            let learnt = learner.learn(Some(weight)).policy;
            let sets = learner.sets().map(|(evidence, moves)| (evidence.clone(), moves.to_vec()));
            policies.extend(sets.zip(learnt).map(|((evidence, moves), shares)| (evidence, (moves, shares))));
        }
        Arc::clone(self.model.insert(Arc::new(LearntModel { policies, prior })))
    }
}

/// Policies by information set, with the moves to which they belong.
struct LearntModel {
    policies: FxHashMap<Evidence, (Vec<Move>, Vec<f64>)>,
    prior: SharedModel,
}

impl OpponentModel for LearntModel {
    fn policy(&self, role: Role, evidence: &Evidence, legal: &[Move]) -> Vec<f64> {
        self.policy_and_failure(role, evidence, legal).0
    }

    fn policy_and_failure(&self, role: Role, evidence: &Evidence, legal: &[Move]) -> PolicyAndFailure {
        match self.policies.get(evidence) {
            Some((moves, shares)) if moves == legal => (shares.clone(), None),
            _ => self.prior.policy_and_failure(role, evidence, legal),
        }
    }
}

/// Reads the model, which learns from these matches.
pub(super) fn learnt(spec: &Spec, registry: &Registry, seen: &Arc<SeenMatches>) -> SpecResult<ModelBuild> {
    let (prior, seen) = (registry.model_of(spec.inner("prior"))?, Arc::clone(seen));
    let counted = (spec.real("weight"), spec.real("half_life"));
    let learning = Mutex::<Learning>::default();
    Ok(Arc::new(move |engine: &Arc<Engine>| {
        // The prior may learn from the same matches, so it is made before they are locked.
        let prior = prior.model(engine);
        learning.lock().model(engine, &seen.lock(), prior, counted)
    }))
}
