//! Particle belief: the histories of one role, found by whichever method gets them at the least cost.
//!
//! Histories are carried [forward](super::forward): enumerated, drawn independently, or filtered. Where that does not
//! get through they are found by [backtracking](super::backtracking), for the rest of the match. But where backtracking finds nothing in several
//! updates, each of which goes on from the one before, forward sampling goes on from where it was, and so on in turn.

use std::sync::Arc;
use std::time::Instant;

use super::backtracking::Backtracking;
use super::forward::{Followed, Forward};
use super::model::OpponentModel;
use super::options::{BeliefOptions, SamplingMethod};
use super::{Belief, Particle, ParticleId, UpdateCost, UpdateMethod, UpdateOutcome};
use hyperplay_machine::{Budget, Bulk, EvaluationFailure, Evidence, History, Role, Seed, StateMachineExt};

/// After this number of updates in a row in which backtracking found nothing, forward sampling has its turn.
const PATIENCE: usize = 6;

enum Held<M: Bulk> {
    Forward(Box<Forward<M>>),
    Backtracking(Box<Backtracking<M>>),
}

/// The belief of one role as weighted particles; HyperPlay's sampling layer.
pub struct ParticleBelief<M: Bulk> {
    machine: Arc<M>,
    model: Arc<dyn OpponentModel>,
    options: BeliefOptions,
    /// The evidence that was explained last.
    evidence: Evidence,
    held: Held<M>,
    /// Forward sampling that did not get through, while backtracking goes on in its place, and how many updates in a
    /// row have found nothing since.
    aside: Option<(Box<Forward<M>>, usize)>,
    /// Of the forward histories.
    particles: Vec<Particle>,
    cost: UpdateCost,
}

impl<M: Bulk> ParticleBelief<M> {
    /// The belief of `role` before the first step.
    pub fn new(machine: Arc<M>, role: Role, model: Arc<dyn OpponentModel>, options: BeliefOptions) -> Self {
        let options = BeliefOptions { particles: options.particles.max(1), ..options };
        ParticleBelief {
            evidence: Evidence::new(role),
            held: Held::new(&machine, role, &model, &options),
            aside: None,
            particles: vec![Particle { id: ParticleId(0), weight: 1.0 }],
            cost: UpdateCost::default(),
            machine,
            model,
            options,
        }
    }

    /// Lets forward sampling try again where backtracking has found nothing for long.
    fn take_turns(&mut self, outcome: UpdateOutcome) {
        let Some((mut forward, failures)) = self.aside.take() else { return };
        if !matches!(outcome, UpdateOutcome::Depleted { .. }) {
            self.aside = Some((forward, 0));
        } else if failures + 1 < PATIENCE {
            self.aside = Some((forward, failures + 1));
        } else {
            forward.begin_again(self.take_failure());
            self.held = Held::Forward(forward);
        }
    }
}

impl<M: Bulk> Held<M> {
    fn new(machine: &Arc<M>, role: Role, model: &Arc<dyn OpponentModel>, options: &BeliefOptions) -> Held<M> {
        let (machine, model, options) = (Arc::clone(machine), Arc::clone(model), options.clone());
        if options.method != SamplingMethod::Backtracking {
            Held::Forward(Box::new(Forward::new(machine, role, &model, options)))
        } else {
            Held::Backtracking(Box::new(Backtracking::new(machine, role, model, options)))
        }
    }
}

impl<M: Bulk> Belief<M> for ParticleBelief<M> {
    fn update(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> UpdateOutcome {
        if !self.evidence.follow(evidence) {
            self.held = Held::new(&self.machine, evidence.role, &self.model, &self.options);
            self.aside = None;
        }
        self.particles.clear();
        let forward = match &mut self.held {
            Held::Forward(forward) => forward,
            Held::Backtracking(belief) => {
                let outcome = belief.update(evidence, budget, seed);
                self.cost = belief.cost();
                self.take_turns(outcome);
                return outcome;
            }
        };
        let before = forward.cost();
        let followed = forward.follow(evidence, budget, seed);
        self.cost = forward.cost().since(before);
        match followed {
            Followed::Done => {
                let (particles, outcome) = forward.report(seed);
                self.particles = particles;
                outcome
            }
            Followed::Ended(outcome) => outcome,
            Followed::Degenerate => {
                let explained = evidence.until(forward.depth());
                let histories = forward.histories(seed);
                let (machine, model) = (Arc::clone(&self.machine), Arc::clone(&self.model));
                let belief = Backtracking::new(machine, evidence.role, model, self.options.clone());
                let left = budget.less(self.cost.states);
                let Some(mut belief) = belief.resume(&explained, &histories, &left) else {
                    return UpdateOutcome::Depleted { step: evidence.step() };
                };
                let outcome = belief.update(evidence, &left, &seed.child("backtracking"));
                self.cost = self.cost.and(belief.cost());
                let before = std::mem::replace(&mut self.held, Held::Backtracking(Box::new(belief)));
                if let Held::Forward(forward) = before {
                    self.aside = Some((forward, 0));
                }
                self.take_turns(outcome);
                outcome
            }
        }
    }

    fn particles(&self) -> &[Particle] {
        match &self.held {
            Held::Forward(_) => &self.particles,
            Held::Backtracking(belief) => belief.particles(),
        }
    }

    fn state(&self, particle: &Particle) -> &M::State {
        match &self.held {
            Held::Forward(forward) => forward.state(particle.id.0),
            Held::Backtracking(belief) => belief.state(particle),
        }
    }

    fn history(&self, particle: &Particle) -> History {
        match &self.held {
            Held::Forward(forward) => forward.history(particle.id.0),
            Held::Backtracking(belief) => belief.history(particle),
        }
    }

    fn evidence(&self, particle: &Particle, role: Role) -> Evidence {
        self.evidence_until(particle, role, None)
    }

    fn evidence_until(&self, particle: &Particle, role: Role, deadline: Option<Instant>) -> Evidence {
        match &self.held {
            Held::Forward(forward) => {
                let history = forward.history(particle.id.0);
                let scratch = &mut self.machine.scratch();
                self.machine
                    .by_deadline(deadline, scratch, |scratch| self.machine.evidence(&history, role, scratch))
            }
            Held::Backtracking(belief) => belief.evidence(particle, role),
        }
    }

    fn cost(&self) -> UpdateCost {
        self.cost
    }

    fn method(&self) -> UpdateMethod {
        match &self.held {
            Held::Forward(forward) => forward.method(),
            Held::Backtracking(belief) => belief.method(),
        }
    }

    fn take_failure(&mut self) -> Option<EvaluationFailure> {
        match &mut self.held {
            Held::Forward(forward) => forward.take_failure(),
            Held::Backtracking(belief) => belief.take_failure(),
        }
    }
}
