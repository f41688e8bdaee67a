//! Histories: the list that a custom sampler keeps, and the belief that is made of it.
//!
//! A [`HistoryBelief`] keeps a weighted list of [`TracedHistory`]s and answers every question of a [`Belief`] from
//! it. A sampler supplies one function, which updates the [`Histories`] so that they explain the new evidence.
//! [`Histories::extend`] draws one more step of a history by the opponent model, among the joint moves that agree
//! with the own move, and keeps it if it explains what was perceived; plain rejection and a bootstrap particle filter
//! need no more than that (see the example of [`Sampler`](super::Sampler)).
//!
//! Histories share nothing, and contradictions are not remembered, so this is simple and slow.
//! [`ParticleBelief`](super::ParticleBelief) keeps only what its histories do not share.

use std::sync::Arc;

use rand::Rng;

use super::joints::LegalJoints;
use super::model::SharedModel;
use super::opponents::Policy;
use super::resample::systematic;
use super::{Belief, Particle, ParticleId, UpdateCost, UpdateOutcome};
use hyperplay_machine::{
    Budget, Bulk, ByRole, EvaluationFailure, Evidence, History, JointMove, Move, Observation, OwnMove,
    Percepts, Role, Seed, StateMachineExt,
};

/// A history with the state that it leads to and what every role perceived on the way.
#[derive(Clone, PartialEq, Debug)]
pub struct TracedHistory<S> {
    /// The joint moves.
    pub history: History,
    /// The state after them.
    pub state: S,
    percepts: Vec<ByRole<Percepts>>,
    over: bool,
}

impl<S> TracedHistory<S> {
    /// The number of joint moves.
    pub fn step(&self) -> usize {
        self.history.step()
    }

    /// Whether that state is terminal.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// The evidence of `role` after the history.
    pub fn evidence(&self, role: Role) -> Evidence {
        let steps = self.history.0.iter().zip(&self.percepts).map(|(joint, percepts)| Observation {
            own: OwnMove::Known(joint.of(role)),
            percepts: percepts[role].clone(),
        });
        Evidence { role, steps: steps.collect(), over: self.over }
    }
}

/// The weighted histories of a [`HistoryBelief`], and the means to find others.
pub struct Histories<M: Bulk> {
    /// The machine that plays the game.
    pub machine: Arc<M>,
    /// Whose belief it is.
    pub role: Role,
    /// How the other roles are taken to choose.
    pub model: SharedModel,
    scratch: M::Scratch,
    /// How many histories are wanted, at least 1.
    pub wanted: usize,
    held: Vec<TracedHistory<M::State>>,
    particles: Vec<Particle>,
    cost: UpdateCost,
    failure: Option<EvaluationFailure>,
}

impl<M: Bulk> Histories<M> {
    fn new(machine: Arc<M>, role: Role, model: SharedModel, wanted: usize) -> Self {
        let scratch = machine.scratch();
        let mut histories = Histories {
            machine,
            role,
            model,
            scratch,
            wanted: wanted.max(1),
            held: Vec::new(),
            particles: Vec::new(),
            cost: UpdateCost::default(),
            failure: None,
        };
        histories.forget();
        histories
    }

    /// Works with evaluations that stop at the deadline of a budget.
    fn by_deadline<T>(&mut self, budget: &Budget, work: impl FnOnce(&mut Self) -> T) -> T {
        let machine = Arc::clone(&self.machine);
        machine.set_deadline(&mut self.scratch, budget.deadline);
        let made = work(self);
        machine.set_deadline(&mut self.scratch, None);
        made
    }

    fn forget(&mut self) {
        let initial = self.initial();
        self.replace(vec![(initial, 1.0)]);
    }

    /// The number of steps that the histories held explain; `None` if there are none.
    pub fn step(&self) -> Option<usize> {
        self.held.first().map(TracedHistory::step)
    }

    /// The cost of this update so far. States are counted by [`extend`](Self::extend); whatever else is spent, a
    /// sampler adds by itself.
    pub fn cost_mut(&mut self) -> &mut UpdateCost {
        &mut self.cost
    }

    /// Records that the rules could not be evaluated with another scratch than that of these histories.
    pub fn fail(&mut self, failure: EvaluationFailure) {
        self.failure.get_or_insert(failure);
    }

    /// The empty history.
    pub fn initial(&mut self) -> TracedHistory<M::State> {
        let state = self.machine.initial();
        let over = self.machine.terminal(&state, &mut self.scratch);
        TracedHistory { history: History::default(), state, percepts: Vec::new(), over }
    }

    /// A history of legal joint moves, replayed from the initial state. It is not checked against any evidence and
    /// costs nothing.
    pub fn trace(&mut self, history: &History) -> TracedHistory<M::State> {
        history.0.iter().fold(self.initial(), |traced, joint| self.after(&traced, joint))
    }

    /// Extends a history by one step: a joint move drawn by the opponent model (`random` uniformly) among those in
    /// which the own move is that of the evidence. `None` if there is no such joint move, or if what follows from it
    /// does not agree with what the evidence says of the step. Visits one state.
    ///
    /// # Panics
    /// If the history is as long as the evidence.
    pub fn extend(
        &mut self,
        history: &TracedHistory<M::State>,
        evidence: &Evidence,
        rng: &mut impl Rng,
    ) -> Option<TracedHistory<M::State>> {
        self.cost.states += 1;
        let joint = self.joints(history, evidence)?.draw(rng)?;
        self.agreeing(history, evidence, &joint)
    }

    /// Every continuation of a history by one step that agrees with the evidence, with the probability that the opponent
    /// model gives to its joint move; the own move is that of the evidence. So a proposal of one's own can be made: draw one
    /// with some probability, and multiply the weight of the history by the probability given here over that. Their sum is
    /// the factor of a draw in proportion to them. Visits a state for each joint move.
    ///
    /// ```
    #[doc = include_str!("../monty_hall.example")]
    /// use hyperplay_machine::Bulk;
    /// use hyperplay_think::belief::{
    ///     Belief, HistoryBelief, OpponentModel, Sampler, TracedHistory, Uniform, UpdateOutcome,
    /// };
    /// use rand::RngExt;
    ///
    /// /// Each history draws one of its continuations in proportion, and its weight is multiplied by their sum.
    /// struct Proportional;
    ///
    /// impl<M: Bulk + 'static> Sampler<M> for Proportional {
    ///     fn belief(
    ///         &self,
    ///         machine: &Arc<M>,
    ///         role: Role,
    ///         model: &Arc<dyn OpponentModel>,
    ///         particles: usize,
    ///     ) -> Box<dyn Belief<M>> {
    ///         Box::new(HistoryBelief::new(machine, role, model, particles, |histories, evidence, _, seed| {
    ///             let (mut rng, mut held) = (seed.rng(), histories.take());
    ///             if held.iter().all(|(history, _)| history.step() == 0) {
    ///                 held = vec![(histories.initial(), 1.0); histories.wanted];
    ///             }
    ///             while held.first().is_some_and(|(history, _)| history.step() < evidence.step()) {
    ///                 let mut extend = |(history, weight): (TracedHistory<M::State>, f64)| {
    ///                     let all = histories.continuations(&history, evidence);
    ///                     let sum: f64 = all.iter().map(|(_, share)| share).sum();
    ///                     let mut left = rng.random::<f64>() * sum;
    ///                     let drawn = all.into_iter().find(|(_, share)| {
    ///                         left -= share;
    ///                         left < 0.0
    ///                     });
    ///                     Some((drawn?.0, weight * sum))
    ///                 };
    ///                 held = held.into_iter().filter_map(&mut extend).collect();
    ///             }
    ///             let is_empty = held.is_empty();
    ///             histories.replace(held);
    ///             if is_empty { UpdateOutcome::Depleted { step: evidence.step() } } else { UpdateOutcome::Sampled }
    ///         }))
    ///     }
    /// }
    ///
    /// let model: Arc<dyn OpponentModel> = Arc::new(Uniform);
    /// let mut belief = Proportional.belief(&machine, candidate, &model, 3_000);
    /// belief.update(&evidence, &Budget::UNLIMITED, &Seed::root(1));
    /// let right = belief.particles().iter().filter(|particle| belief.history(particle) == truth);
    /// let weight: f64 = right.map(|particle| particle.weight).sum();
    /// assert!((weight - 2.0 / 3.0).abs() < 0.04, "{weight}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the history is as long as the evidence.
    pub fn continuations(
        &mut self,
        history: &TracedHistory<M::State>,
        evidence: &Evidence,
    ) -> Vec<(TracedHistory<M::State>, f64)> {
        let Some(joints) = self.joints(history, evidence) else { return Vec::new() };
        self.cost.states += joints.count();
        let all = (0..joints.count()).map(|number| (joints.joint(number), joints.probability(number)));
        all.filter_map(|(joint, share)| Some((self.agreeing(history, evidence, &joint)?, share))).collect()
    }

    /// The joint moves that may continue a history; `None` at its end, and if the deadline passed.
    fn joints(&mut self, history: &TracedHistory<M::State>, evidence: &Evidence) -> Option<LegalJoints> {
        if history.over {
            return None;
        }
        let Histories { machine, role, model, scratch, failure, .. } = self;
        let policies = |legal: &ByRole<Vec<Move>>| {
            let is_modelled = |&of: &Role| of != *role && Some(of) != machine.random() && legal[of].len() > 1;
            let mut policy = |of: Role| -> (Role, Policy) {
                let (policy, met) = model.policy_and_failure(of, &history.evidence(of), &legal[of]);
                *failure = failure.take().or(met);
                (of, policy.into())
            };
            let roles = machine.each_role().filter(|_| !model.is_uniform()).filter(is_modelled);
            Some(roles.map(&mut policy).collect())
        };
        let own = (*role, &evidence.steps[history.step()].own);
        let joints = LegalJoints::of(&**machine, &history.state, own, policies, scratch)?;
        (!machine.is_interrupted(scratch)).then_some(joints)
    }

    /// A history with one joint move more, if it agrees with what the evidence says of the step.
    fn agreeing(
        &mut self,
        history: &TracedHistory<M::State>,
        evidence: &Evidence,
        joint: &JointMove,
    ) -> Option<TracedHistory<M::State>> {
        let next = self.after(history, joint);
        if self.machine.is_interrupted(&self.scratch) {
            return None; // the deadline passed, and nothing is known of the step
        }
        let over = evidence.over && next.step() == evidence.step();
        let seen = next.percepts.last().map(|percepts| &percepts[self.role]);
        (seen == Some(&evidence.steps[history.step()].percepts) && next.over == over).then_some(next)
    }

    fn after(&mut self, history: &TracedHistory<M::State>, joint: &JointMove) -> TracedHistory<M::State> {
        let successors = self.machine.expand(&[(&history.state, joint)], &mut self.scratch);
        let successor = successors.into_iter().next().expect("one successor for each step");
        let mut joints = history.history.clone();
        joints.0.push(joint.clone());
        let percepts = history.percepts.iter().cloned().chain([successor.percepts]).collect();
        TracedHistory { history: joints, state: successor.state, percepts, over: successor.end.is_some() }
    }

    /// Removes all histories and returns them with their weights.
    pub fn take(&mut self) -> Vec<(TracedHistory<M::State>, f64)> {
        let weights = self.particles.drain(..).map(|particle| particle.weight);
        std::mem::take(&mut self.held).into_iter().zip(weights).collect()
    }

    /// Replaces the histories by these. The weights are divided by their sum, which must be positive unless the list
    /// is empty.
    pub fn replace(&mut self, weighted: Vec<(TracedHistory<M::State>, f64)>) {
        let sum: f64 = weighted.iter().map(|&(_, weight)| weight).sum();
        let particle =
            |(at, (_, weight)): (usize, &(_, f64))| Particle { id: ParticleId(at), weight: weight / sum };
        self.particles = weighted.iter().enumerate().map(particle).collect();
        self.held = weighted.into_iter().map(|(history, _)| history).collect();
    }

    /// Draws as many histories as were `wanted` from those held, systematically: each is drawn as often
    /// as its weight says, rounded up or down. All then weigh the same.
    pub fn resample(&mut self, rng: &mut impl Rng) {
        let (held, weights): (Vec<_>, Vec<f64>) = self.take().into_iter().unzip();
        let drawn = systematic(&weights, self.wanted, rng);
        self.replace(drawn.into_iter().map(|place| (held[place].clone(), 1.0)).collect());
    }
}

/// A belief that keeps its histories in a list, and follows the evidence by a function.
///
/// The function is called once an update, with the histories as the last update left them (the empty history alone
/// before the first update and in a new match), the evidence, the budget and the seed of the update. The belief
/// reports the histories that the function leaves.
pub struct HistoryBelief<M: Bulk, F> {
    histories: Histories<M>,
    evidence: Evidence,
    follow: F,
}

impl<M: Bulk, F> HistoryBelief<M, F>
where
    F: FnMut(&mut Histories<M>, &Evidence, &Budget, &Seed) -> UpdateOutcome + Send + Sync,
{
    /// The belief of `role` before the first step. `particles` is how many histories are wanted.
    pub fn new(machine: &Arc<M>, role: Role, model: &SharedModel, particles: usize, follow: F) -> Self {
        let histories = Histories::new(Arc::clone(machine), role, Arc::clone(model), particles);
        HistoryBelief { histories, evidence: Evidence::new(role), follow }
    }
}

impl<M: Bulk, F> Belief<M> for HistoryBelief<M, F>
where
    F: FnMut(&mut Histories<M>, &Evidence, &Budget, &Seed) -> UpdateOutcome + Send + Sync,
{
    fn update(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> UpdateOutcome {
        if !self.evidence.follow(evidence) {
            self.histories.forget();
        }
        self.histories.cost = UpdateCost::default();
        if evidence.steps.is_empty() && self.histories.initial().over != evidence.over {
            self.histories.replace(Vec::new());
            return UpdateOutcome::Inconsistent { step: 0 };
        }
        self.histories.by_deadline(budget, |histories| (self.follow)(histories, evidence, budget, seed))
    }

    fn particles(&self) -> &[Particle] {
        &self.histories.particles
    }

    fn state(&self, particle: &Particle) -> &M::State {
        &self.histories.held[particle.id.0].state
    }

    fn history(&self, particle: &Particle) -> History {
        self.histories.held[particle.id.0].history.clone()
    }

    fn evidence(&self, particle: &Particle, role: Role) -> Evidence {
        self.histories.held[particle.id.0].evidence(role)
    }

    fn cost(&self) -> UpdateCost {
        self.histories.cost
    }

    fn take_failure(&mut self) -> Option<EvaluationFailure> {
        let Histories { machine, scratch, failure, .. } = &mut self.histories;
        failure.take().or(machine.take_failure(scratch))
    }
}
