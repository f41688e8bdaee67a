//! The belief of a player that decides from what it holds possible, and the frame of its decisions.
//!
//! A decision has two parts: the belief follows the evidence, and the player chooses from the particles. This file does
//! the first and leaves the second to the player ([`OwnBelief::decide`]). The belief may use four tenths of the time of
//! a decision, and half of a node budget.
//!
//! **A depleted belief** found no history in its part of the budget. Then there is nothing to search, so it gets most
//! of what is left, and goes on from where it was. A history that it finds explains all the evidence, so the weights
//! are right as ever. If it finds nothing, the decision says that the belief is depleted; the next decision tries
//! again. When a later one succeeds, it says that the belief has recovered. Where a player has time between its
//! decisions, the search goes on in that time ([`Player::think_ahead`]).
//!
//! Without a particle (the budget ran out, or the match contradicts the rules) a legal move is drawn uniformly among
//! those that the player was shown.
//!
//! Where its opponent model gives probability 0 to all that explains the evidence, the belief begins anew under uniform
//! opponents, and stays so for the rest of the match.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::deliberation::{Deliberation, distinct};
use super::margin::{Margin, SAFE_SHARE};
use super::{BelievedState, Decision, HeldBelief, Player, Reason, View, certain_moves};
use hyperplay_engine::{Engine, EngineScratch};
use hyperplay_machine::{
    Budget, EvaluationFailure, Evidence, Move, Role, Seed, State, StateMachine as _, StateMachineExt as _,
    Stopwatch,
};
use hyperplay_think::belief::{
    Belief, BoxedBelief, Particle, Sampler, SharedModel, Uniform, UpdateCost, UpdateOutcome, effective_size,
};
use hyperplay_think::search::{
    HeldState, LeafValues, PossibleStates, RandomPlayouts, SearchContext, WeightedState,
};

/// The share of the time that the belief may use.
const BELIEF_SHARE: f64 = 0.4;

/// The share of what is left that a belief which found nothing may use.
const RECOVERY_SHARE: f64 = 0.75;

/// The share of the time that the belief may use where it is asked what is legal.
const LEGAL_SHARE: f64 = 0.6;

/// The belief of one player in one match.
pub struct OwnBelief {
    pub(super) machine: Arc<Engine>,
    pub(super) role: Role,
    pub(super) model: SharedModel,
    sampler: Arc<dyn Sampler<Engine>>,
    particles: usize,
    belief: BoxedBelief<Engine>,
    /// Whether the belief is the whole information set.
    is_whole: bool,
    /// The last evidence, once the model has excluded some of this match: the belief is that under uniform opponents.
    excluded: Option<Evidence>,
    /// The step from which on the belief has been depleted, if it is.
    lost_since: Option<usize>,
    pub(super) leaves: Arc<dyn LeafValues<Engine>>,
    /// How far the model is followed in the search; where nothing is said, as far as it is one.
    modelled: Option<f64>,
    scratch: EngineScratch,
    update_time: Option<Duration>,
    margin: Margin,
}

/// The possible states from which a player chooses.
pub(super) struct Possible<'a> {
    /// The belief, with one particle at least.
    pub(super) belief: &'a dyn Belief<Engine>,
    /// The distinct states that the particles end in, each with the sum of their weights and with their number; empty
    /// where a player thinks ahead.
    pub(super) states: &'a [WeightedState<'a, State>],
    /// How the beliefs of the other roles are made.
    pub(super) machine: &'a Arc<Engine>,
    pub(super) model: &'a SharedModel,
    /// How probably the other roles follow the model in the search.
    pub(super) modelled: f64,
    sampler: &'a dyn Sampler<Engine>,
}

impl<'a> Possible<'a> {
    /// The state of each particle with its weight, and what another role knows there. An answer after the deadline may be
    /// cut off.
    pub(super) fn knowing(
        &self,
        deadline: Option<Instant>,
    ) -> (Vec<(&'a State, f64)>, impl Fn(usize, Role) -> Evidence + use<'a>) {
        let (belief, particles) = (self.belief, self.belief.particles());
        let states = particles.iter().map(|particle| (belief.state(particle), particle.weight));
        let known = move |place: usize, role: Role| belief.evidence_until(&particles[place], role, deadline);
        (states.collect(), known)
    }

    /// Searches what is held possible, with what the other roles know and hold possible there, `count` particles of each.
    pub(super) fn searching<T>(
        &self,
        context: &mut SearchContext<'_, Engine>,
        count: usize,
        search: impl FnOnce(&mut SearchContext<'_, Engine>, &PossibleStates<'_, State>) -> T,
    ) -> T {
        let (states, known) = self.knowing(context.budget.deadline);
        let held = self.held(count, context.seed.child("others"));
        let model =
            |role: Role, evidence: &Evidence, legal: &[Move]| self.model.policy(role, evidence, legal);
        let possible =
            PossibleStates { states: &states, known: &known, held: Some(&held), model: Some(&model) };
        search(context, &possible)
    }

    /// What another role holds possible in the state of a particle, `count` particles under the same model, and how many
    /// states were visited in looking it up.
    pub(super) fn held(
        &self,
        count: usize,
        seed: Seed,
    ) -> impl Fn(usize, Role, &Budget) -> (Vec<HeldState<State>>, u64) + use<'a> {
        let Possible { belief, machine, model, sampler, .. } = *self;
        move |place, role, budget| {
            let particle = &belief.particles()[place];
            let evidence = belief.evidence_until(particle, role, budget.deadline);
            if budget.is_late() {
                return (Vec::new(), 0); // the evidence may have been cut off
            }
            let mut held = sampler.belief(machine, role, model, count);
            held.update(&evidence, budget, &seed.index(place).index(role.index()));
            if held.take_failure().is_some() {
                return (Vec::new(), held.cost().states); // the particles may be wrong
            }
            let of = |particle: &Particle| {
                let known = machine.each_role().map(|role| held.evidence(particle, role));
                let (state, known) = (held.state(particle).clone(), known.collect());
                HeldState { state, weight: particle.weight, known }
            };
            (held.particles().iter().map(of).collect(), held.cost().states)
        }
    }
}

impl OwnBelief {
    /// Before the first step of a match: `particles` particles will be sampled under an opponent model.
    pub fn new(
        machine: Arc<Engine>,
        role: Role,
        model: SharedModel,
        sampler: Arc<dyn Sampler<Engine>>,
        particles: usize,
    ) -> Self {
        let scratch = machine.scratch();
        let belief = sampler.belief(&machine, role, &model, particles);
        OwnBelief {
            machine,
            role,
            model,
            sampler,
            particles,
            belief,
            is_whole: false,
            excluded: None,
            lost_since: None,
            leaves: Arc::new(RandomPlayouts),
            modelled: None,
            scratch,
            update_time: None,
            margin: Margin::default(),
        }
    }

    /// The same belief of a player whose search values its leaves so.
    #[must_use]
    pub fn with_leaves(self, leaves: Arc<dyn LeafValues<Engine>>) -> Self {
        OwnBelief { leaves, ..self }
    }

    /// The same belief of a player in whose search the other roles follow the model with this probability, by default 0 if it is
    /// uniform and 1 if not.
    #[must_use]
    pub fn with_modelled(self, modelled: Option<f64>) -> Self {
        OwnBelief { modelled, ..self }
    }

    /// How probably the other roles follow the model in the search: not at all once it has excluded what was seen.
    pub(super) fn modelled(&self) -> f64 {
        match self.excluded {
            Some(_) => 0.0,
            None => self.modelled.unwrap_or(if self.model.is_uniform() { 0.0 } else { 1.0 }),
        }
    }

    /// The player that chooses in this way from what it holds possible.
    pub(super) fn player(
        self,
        choose: impl FnMut(Deliberation<'_>, &Possible<'_>) -> Decision + Clone + Send + 'static,
    ) -> impl Player {
        self.player_with(choose, false)
    }

    /// The same for a choice that may keep something; whether it keeps what later decisions depend on.
    pub(super) fn player_with(self, choice: impl Choice, carries_plan: bool) -> impl Player {
        Believing { belief: self, choice, carries_plan, legal: Vec::new() }
    }

    /// A copy, if its sampler can copy what it holds possible.
    fn fork(&self) -> Option<OwnBelief> {
        let belief = self.belief.fork()?;
        Some(OwnBelief {
            belief,
            machine: Arc::clone(&self.machine),
            model: Arc::clone(&self.model),
            sampler: Arc::clone(&self.sampler),
            excluded: self.excluded.clone(),
            leaves: Arc::clone(&self.leaves),
            scratch: self.scratch.clone(),
            ..*self
        })
    }

    /// The states held possible at the last decision, the likeliest first; equally likely ones by what holds in them.
    fn believed(&self) -> Vec<BelievedState> {
        let mut believed: Vec<BelievedState> = distinct(&*self.belief)
            .into_iter()
            .map(|WeightedState { state, weight, histories }| BelievedState {
                weight,
                histories,
                facts: self.machine.fluents(state),
            })
            .collect();
        believed.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.facts.cmp(&b.facts)));
        believed
    }

    /// Follows the evidence and lets `choose` decide from what is then held possible; its reasons come after those
    /// of the belief.
    fn decide(
        &mut self,
        view: &View<'_>,
        budget: &Budget,
        seed: &Seed,
        choose: impl FnOnce(Deliberation<'_>, &Possible<'_>) -> Decision,
    ) -> Decision {
        let (budget, own_time) = self.margin.begin(budget);
        let decision = self.decide_in_time(view, budget, seed, choose);
        self.margin.end(own_time);
        decision
    }

    /// Goes on searching for a history that explains this evidence. Returns whether one was found, or there is none.
    pub fn search(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> bool {
        let (outcome, _) = self.follow(evidence, budget, &seed.child("belief"));
        // An evaluation that failed here fails again when somebody asks, and is said then.
        let failed = self.belief.take_failure().is_some();
        failed || !matches!(outcome, UpdateOutcome::Depleted { .. })
    }

    /// The moves that are most probably legal after this evidence.
    ///
    /// # Errors
    /// How the search for histories ended, if no history explains the evidence, none was found, or none tells a move.
    pub fn legal_after(
        &mut self,
        evidence: &Evidence,
        budget: &Budget,
        seed: &Seed,
    ) -> Result<Vec<Move>, UpdateOutcome> {
        let (outcome, _) = self.follow(evidence, &budget.share(LEGAL_SHARE), &seed.child("belief"));
        if !matches!(outcome, UpdateOutcome::Enumerated | UpdateOutcome::Sampled) {
            self.lost_since.get_or_insert(evidence.step());
            return Err(outcome);
        }
        let mut likeliest = distinct(&*self.belief);
        likeliest.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let states = likeliest.iter().map(|possible| (possible.state, possible.weight));
        let legal = certain_moves(&*self.machine, self.role, states, budget, &mut self.scratch);
        if legal.is_empty() { Err(outcome) } else { Ok(legal) }
    }

    fn decide_in_time(
        &mut self,
        view: &View<'_>,
        budget: Budget,
        seed: &Seed,
        choose: impl FnOnce(Deliberation<'_>, &Possible<'_>) -> Decision,
    ) -> Decision {
        let for_belief = Budget { nodes: budget.nodes.map(|nodes| nodes / 2), ..budget.share(BELIEF_SHARE) };
        let watch = Stopwatch::start();
        let (mut outcome, mut spent) = self.follow(view.evidence, &for_belief, &seed.child("belief"));
        if matches!(outcome, UpdateOutcome::Depleted { .. }) {
            let left = budget.less(spent);
            let again = Budget {
                nodes: left.nodes.map(|nodes| (nodes as f64 * RECOVERY_SHARE) as u64),
                ..left.share(RECOVERY_SHARE)
            };
            if !again.is_late() && again.nodes != Some(0) {
                let (found, more) = self.follow(view.evidence, &again, &seed.child("recovery"));
                (outcome, spent) = (found, spent + more);
            }
        }
        self.update_time = Some(watch.elapsed());
        let is_refuted = matches!(outcome, UpdateOutcome::Inconsistent { .. });
        let excluded = self.excluded.as_ref().filter(|_| !is_refuted).map(|_| Reason::ModelExcluded);
        let depleted = match outcome {
            UpdateOutcome::Enumerated | UpdateOutcome::Sampled => None,
            UpdateOutcome::Depleted { step } => Some(Reason::Depleted { step }),
            UpdateOutcome::Inconsistent { step } => Some(Reason::Inconsistent { step }),
        };
        let lost_since = self.lost_since.take().filter(|&step| step <= view.evidence.step());
        if let Some(reason) = depleted {
            self.lost_since = lost_since.or(Some(view.evidence.step()));
            let mut decision = Decision::uniform(view.legal, seed);
            decision.depleted = true;
            decision.cost.states = spent;
            decision.reasons = excluded.into_iter().chain([reason, Reason::Random]).collect();
            return decision.admitting(self.belief.take_failure(), view.legal, seed);
        }
        let recovered = lost_since.map(|since| Reason::Recovered { since });
        let (mut decision, failure) =
            self.ask((budget.less(spent), seed, view.legal), distinct, |asked, possible| {
                let mut decision = choose(asked, possible);
                let Possible { belief, states, .. } = *possible;
                let UpdateCost { attempts, accepted, .. } = belief.cost();
                decision.held = Some(HeldBelief {
                    particles: belief.particles().len(),
                    states: states.len(),
                    effective: effective_size(belief.particles().iter().map(|particle| particle.weight)),
                    is_enumerated: outcome == UpdateOutcome::Enumerated,
                    method: belief.method(),
                    attempts,
                    accepted,
                });
                let of_belief = excluded.into_iter().chain(recovered).chain([Reason::held(spent, states)]);
                decision.reasons.splice(0..0, of_belief);
                decision
            });
        decision.cost.states += spent;
        decision.recovered = lost_since.is_some();
        decision.admitting(failure, view.legal, seed)
    }

    /// Asks with what is held possible, and with the states that `listed` makes of the belief. The answer, and why an
    /// evaluation of the rules met a limit, if one did.
    fn ask<T>(
        &mut self,
        (budget, seed, legal): (Budget, &Seed, &[Move]),
        listed: fn(&dyn Belief<Engine>) -> Vec<WeightedState<'_, State>>,
        ask: impl FnOnce(Deliberation<'_>, &Possible<'_>) -> T,
    ) -> (T, Option<EvaluationFailure>) {
        let (modelled, role) = (self.modelled(), self.role);
        let OwnBelief { machine, model, sampler, belief, leaves, scratch, .. } = self;
        let deliberation = Deliberation { machine, role, budget, seed, legal, leaves: &**leaves, scratch };
        let (states, sampler) = (listed(&**belief), &**sampler);
        let possible = Possible { belief: &**belief, states: &states, machine, model, modelled, sampler };
        let answer = ask(deliberation, &possible);
        (answer, self.belief.take_failure().or(self.machine.take_failure(&mut self.scratch)))
    }

    fn begin_anew(&mut self, model: &SharedModel) {
        self.belief = self.sampler.belief(&self.machine, self.role, model, self.particles);
    }

    /// Lets the belief follow the evidence, under uniform opponents where the model excludes it. How that ended, and
    /// how many states it visited.
    fn follow(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> (UpdateOutcome, u64) {
        if self.excluded.as_ref().is_some_and(|former| !evidence.continues(former)) {
            self.excluded = None;
            self.begin_anew(&Arc::clone(&self.model));
        }
        let mut outcome = self.belief.update(evidence, budget, seed);
        let mut spent = self.belief.cost().states;
        let mut is_excluded = self.excluded.is_some();
        if !is_excluded && !self.model.is_uniform() && matches!(outcome, UpdateOutcome::Inconsistent { .. }) {
            is_excluded = true;
            let uniform: SharedModel = Arc::new(Uniform);
            self.begin_anew(&uniform);
            outcome = self.belief.update(evidence, &budget.less(spent), seed);
            spent += self.belief.cost().states;
        }
        match (&mut self.excluded, is_excluded) {
            (Some(former), true) => {
                former.follow(evidence);
            }
            (excluded, _) => *excluded = is_excluded.then(|| evidence.clone()),
        }
        self.is_whole = outcome == UpdateOutcome::Enumerated;
        (outcome, spent)
    }

    /// The states held possible, if no other history explains what was last followed.
    pub fn whole(&self) -> Option<impl Iterator<Item = &State>> {
        let states = self.belief.particles().iter().map(|particle| self.belief.state(particle));
        self.is_whole.then_some(states)
    }
}

/// How a player chooses from what it holds possible. A function is one that keeps nothing.
pub(super) trait Choice: Clone + Send + 'static {
    /// Uses the time before the first step.
    fn prepare(&mut self, machine: &Engine, budget: &Budget, seed: &Seed) {
        let _ = (machine, budget, seed);
    }

    /// The decision.
    fn choose(&mut self, deliberation: Deliberation<'_>, possible: &Possible<'_>) -> Decision;

    /// Goes on after a decision with what it keeps for the next one, from the same belief; whether more is of use.
    fn think_ahead(&mut self, deliberation: Deliberation<'_>, possible: &Possible<'_>) -> bool {
        let _ = (deliberation, possible);
        false
    }
}

impl<C: FnMut(Deliberation<'_>, &Possible<'_>) -> Decision + Clone + Send + 'static> Choice for C {
    fn choose(&mut self, deliberation: Deliberation<'_>, possible: &Possible<'_>) -> Decision {
        self(deliberation, possible)
    }
}

/// A player that decides from its belief, and what it chooses from that.
struct Believing<C> {
    belief: OwnBelief,
    choice: C,
    /// As [`Player::carries_plan`].
    carries_plan: bool,
    /// The legal moves at the last decision.
    legal: Vec<Move>,
}

impl<C: Choice> Player for Believing<C> {
    fn prepare(&mut self, budget: &Budget, seed: &Seed) {
        self.choice.prepare(&self.belief.machine, &budget.share(SAFE_SHARE), seed);
    }

    fn decide(&mut self, view: &View<'_>, budget: &Budget, seed: &Seed) -> Decision {
        self.legal = view.legal.to_vec();
        self.belief
            .decide(view, budget, seed, |deliberation, possible| self.choice.choose(deliberation, possible))
    }

    fn legal_after(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> Option<Vec<Move>> {
        self.belief.legal_after(evidence, budget, seed).ok()
    }

    /// If no history was found that explains this evidence, which is that of the last decision, the search for one goes
    /// on; so the next decision begins with a belief. Else the choice goes on.
    fn think_ahead(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> bool {
        let own = &mut self.belief;
        if own.lost_since.is_some() {
            return !own.search(evidence, budget, seed);
        }
        if self.legal.is_empty() || own.belief.particles().is_empty() {
            return false;
        }
        let think =
            |asked: Deliberation<'_>, possible: &Possible<'_>| self.choice.think_ahead(asked, possible);
        let (is_of_use, failure) = own.ask((*budget, seed, &self.legal), |_| Vec::new(), think);
        // As in `search`.
        is_of_use && failure.is_none()
    }

    fn carries_plan(&self) -> bool {
        self.carries_plan
    }

    fn fork(&self) -> Option<Box<dyn Player>> {
        let Believing { choice, carries_plan, legal, .. } = self;
        let belief = self.belief.fork()?;
        let (choice, carries_plan, legal) = (choice.clone(), *carries_plan, legal.clone());
        Some(Box::new(Believing { belief, choice, carries_plan, legal }))
    }

    fn update_time(&self) -> Option<Duration> {
        self.belief.update_time
    }

    fn believed(&self) -> Vec<BelievedState> {
        self.belief.believed()
    }
}
