//! Particle belief: the histories of one role, found by whichever method gets them at the least cost.
//!
//! Histories are carried [forward](super::forward), or found by [backtracking](super::backtracking) alone if the options
//! say so.

use std::sync::Arc;
use std::time::Instant;

use super::backtracking::Backtracking;
use super::forward::Forward;
use super::model::SharedModel;
use super::options::{BeliefOptions, SamplingMethod};
use super::{Belief, BoxedBelief, Particle, ParticleId, UpdateCost, UpdateMethod, UpdateOutcome};
use hyperplay_machine::{
    Budget, Bulk, EvaluationFailure, Evidence, History, Role, Seed, StateMachineExt as _,
};

#[derive_where::derive_where(Clone)]
enum Held<M: Bulk> {
    Forward(Box<Forward<M>>),
    Backtracking(Box<Backtracking<M>>),
}

/// The belief of one role as weighted particles; HyperPlay's sampling layer.
#[derive_where::derive_where(Clone)]
pub struct ParticleBelief<M: Bulk> {
    machine: Arc<M>,
    model: SharedModel,
    options: BeliefOptions,
    /// The evidence that was explained last.
    evidence: Evidence,
    held: Held<M>,
    particles: Vec<Particle>,
}

impl<M: Bulk> ParticleBelief<M> {
    /// The belief of `role` before the first step.
    pub fn new(machine: Arc<M>, role: Role, model: SharedModel, options: BeliefOptions) -> Self {
        let options = BeliefOptions { particles: options.particles.max(1), ..options };
        ParticleBelief {
            evidence: Evidence::new(role),
            held: Held::new(&machine, role, &model, &options),
            particles: vec![Particle { id: ParticleId(0), weight: 1.0 }],
            machine,
            model,
            options,
        }
    }
}

impl<M: Bulk> Held<M> {
    fn new(machine: &Arc<M>, role: Role, model: &SharedModel, options: &BeliefOptions) -> Held<M> {
        let (machine, options) = (Arc::clone(machine), options.clone());
        match options.method {
            SamplingMethod::Backtracking => {
                Held::Backtracking(Box::new(Backtracking::new(machine, role, model, options)))
            }
            _ => Held::Forward(Box::new(Forward::new(machine, role, model, options))),
        }
    }
}

impl<M: Bulk + 'static> Belief<M> for ParticleBelief<M> {
    fn update(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> UpdateOutcome {
        if !self.evidence.follow(evidence) {
            self.held = Held::new(&self.machine, evidence.role, &self.model, &self.options);
        }
        let followed = match &mut self.held {
            Held::Forward(forward) => forward.follow(evidence, budget, seed).map(|()| forward.report(seed)),
            Held::Backtracking(belief) => {
                belief.follow(evidence, budget, seed).map(|particles| (particles, UpdateOutcome::Sampled))
            }
        };
        let outcome;
        (self.particles, outcome) = followed.unwrap_or_else(|outcome| (Vec::new(), outcome));
        outcome
    }

    fn fork(&self) -> Option<BoxedBelief<M>> {
        Some(Box::new(self.clone()))
    }

    fn particles(&self) -> &[Particle] {
        &self.particles
    }

    fn state(&self, particle: &Particle) -> &M::State {
        match &self.held {
            Held::Forward(forward) => forward.state(particle.id.0),
            Held::Backtracking(belief) => belief.tree.state(particle.id.into()),
        }
    }

    fn history(&self, particle: &Particle) -> History {
        match &self.held {
            Held::Forward(forward) => forward.history(particle.id.0),
            Held::Backtracking(belief) => belief.tree.history(particle.id.into()),
        }
    }

    fn evidence(&self, particle: &Particle, role: Role) -> Evidence {
        self.evidence_until(particle, role, None)
    }

    fn evidence_until(&self, particle: &Particle, role: Role, deadline: Option<Instant>) -> Evidence {
        let (history, mut scratch) = (self.history(particle), self.machine.scratch());
        self.machine
            .by_deadline(deadline, &mut scratch, |scratch| self.machine.evidence(&history, role, scratch))
    }

    fn cost(&self) -> UpdateCost {
        match &self.held {
            Held::Forward(forward) => forward.cost,
            Held::Backtracking(belief) => belief.tree.spent,
        }
    }

    fn method(&self) -> UpdateMethod {
        match &self.held {
            Held::Forward(forward) => forward.method(),
            Held::Backtracking(_) => UpdateMethod::Backtracking,
        }
    }

    fn take_failure(&mut self) -> Option<EvaluationFailure> {
        match &mut self.held {
            Held::Forward(forward) => forward.take_failure(),
            Held::Backtracking(belief) => belief.tree.take_failure(),
        }
    }
}
