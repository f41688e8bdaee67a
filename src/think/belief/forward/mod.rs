//! Forward sampling: histories are carried from step to step of the evidence, and no move is taken back while that gets
//! through.
//!
//! | method | when | particles |
//! | --- | --- | --- |
//! | [enumeration] | one step of all histories (or states) is affordable | all, or draws from all |
//! | rejection | whole histories drawn from the last enumerated set get through | independent draws |
//! | particle filter | they do not, but one step does | draws of a large population, bias O(1/population) |
//! | [search] | neither does | weighted and moved histories; a bias remains while dead ends are not known |
//!
//! **[Rejection](rejection).** A history drawn from the last enumerated set (at worst the empty history) by its
//! probability, continued at random, and kept if it explains everything, is a draw from the posterior. Draws of the
//! last update that explain the new step as well, one attempt each, are draws from the new posterior. So only what was
//! lost is drawn anew. How many whole histories are drawn depends on counts alone, never on what was found; therefore
//! the particles are independent draws from the posterior, without weights and without bias. (Where the last set was
//! enumerated by states, all draws through a state share the history that stands for it. Then the states are
//! independent draws, and each history is a draw from the posterior, but two histories are not independent.)
//!
//! **The [particle filter](filter).** Where that is too expensive, every history of a population is continued by as
//! many random attempts as it takes until the population is full again. The population is several times larger than the
//! particles asked for, which are drawn from it, because for a fixed number of steps its bias is inversely proportional
//! to its size.
//!
//! **The choice** goes by expected cost in attempts, estimated from the share of attempts that got through each step so
//! far. It is made before the draws that it governs. Where nothing gets through, or too few different histories are
//! left, histories are found by a [search].
//!
//! **Opponents.** Under a model that is not uniform, each attempt draws the moves of the other roles by their
//! [policies](super::opponents). So an attempt that agrees is a draw from the posterior under the model, and nothing is
//! weighted. What the other roles know is kept for each history of the last generation.
//!
//! References: Robert04, LeGland05, DelMoral15, DelMoral04 (`docs/REFERENCES.md`).

mod alias;
mod draw;
mod enumeration;
mod filter;
mod genealogy;
mod population;
mod rejection;
mod search;
#[cfg(test)]
mod tests;
mod trajectory;

use std::sync::Arc;

use super::backtracking::tree::Tree;
use super::model::OpponentModel;
use super::opponents::Opponents;
use super::options::{BeliefOptions, SamplingMethod};
use super::{
    Followed, Particle, ParticleId, UpdateCost, UpdateMethod, UpdateOutcome, merged, observed_step, refuse,
};

use alias::AliasTable;
use enumeration::Extension;
use genealogy::Genealogy;
use hyperplay_machine::{
    Budget, Bulk, EvaluationFailure, Evidence, History, JointMoves, Observation, ObservedStep, OwnMove,
    Percepts, Role, Seed, StateMachineExt, StepAttempts,
};
use population::{Population, PopulationBuilder};
use rejection::Drawn;

/// An engine that makes many attempts at once makes this number of them in the time in which another visits a state.
const ATTEMPTS_A_STATE: u64 = 16;

/// An engine makes this number of steps in bulk and not one by one.
const SEVERAL: usize = 8;

/// Of the time that is left, the share of a method after which another one may be tried.
const METHOD_SHARE: f64 = 0.5;

/// A genealogy with fewer entries is never compacted.
const LARGE: usize = 1 << 18;

/// Which histories the population has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// All; or, for each state, one that stands for the others.
    Enumerated { by_state: bool },
    /// Independent draws from the posterior.
    Independent,
    /// Draws of a particle filter.
    Filtered,
    /// Histories that were found by a [search], for the filter to go on with.
    Searched,
}

/// The last population that was enumerated before sampling began.
#[derive(Clone)]
struct LastEnumerated<S> {
    generation: usize,
    /// Whether each of its histories stands for all with its state.
    by_state: bool,
    population: Population<S>,
    table: AliasTable,
}

/// One step of the evidence that is followed, with what there is for it.
#[derive(Clone, Copy)]
pub(super) struct StepTask<'a> {
    step: usize,
    evidence: &'a Evidence,
    budget: &'a Budget,
    seed: &'a Seed,
}

impl<'a> StepTask<'a> {
    /// What was observed of the step.
    fn observed(&self) -> ObservedStep<'a> {
        observed_step(self.evidence, self.step)
    }
}

/// The histories of one role.
#[derive_where::derive_where(Clone)]
pub(super) struct Forward<M: Bulk> {
    machine: Arc<M>,
    /// The other roles, unless they choose uniformly.
    opponents: Option<Opponents>,
    options: BeliefOptions,
    scratch: M::Scratch,
    failure: Option<EvaluationFailure>,
    evidence: Evidence,
    genealogy: Genealogy,
    population: Population<M::State>,
    kind: Kind,
    last_enumerated: Option<LastEnumerated<M::State>>,
    /// An enumerated step that the clock cut off.
    unfinished: Option<Box<Extension<M::State>>>,
    /// How many times larger the population of the filter is than usual.
    growth: usize,
    /// Whether the filter still lists all continuations, once the evidence was rare under the model.
    lists_all: Option<bool>,
    /// What a [search] that found nothing knows.
    tree: Option<Box<Tree<M>>>,
    /// The number of different histories that are nearly all, and the step until which they are.
    covered: (usize, usize),
    /// For each step, the attempts at it and those that agreed; where it was enumerated, joint moves. They say what is
    /// to be expected, and the report does not depend on them.
    trials: Vec<[u64; 2]>,
    /// Entries of the genealogy from which on it is large.
    large: usize,
    /// States saved for a search for the complete information set, and how many the next one is to have.
    saved: (u64, u64),
    /// The cost of this update.
    pub(super) cost: UpdateCost,
    /// The states that may have been visited at the end of this update.
    most: u64,
}

impl<M: Bulk> Forward<M> {
    /// The empty history of a match.
    pub(super) fn new(
        machine: Arc<M>,
        role: Role,
        model: &Arc<dyn OpponentModel>,
        options: BeliefOptions,
    ) -> Self {
        let (scratch, initial) = (machine.scratch(), machine.initial());
        let mut forward = Forward {
            opponents: Opponents::new(&*machine, role, model),
            options,
            scratch,
            failure: None,
            evidence: Evidence::new(role),
            genealogy: Genealogy::default(),
            population: Population::initial(initial),
            kind: Kind::Enumerated { by_state: false },
            last_enumerated: None,
            unfinished: None,
            growth: 1,
            lists_all: None,
            tree: None,
            covered: (0, 0),
            trials: Vec::new(),
            large: LARGE,
            saved: (0, 0),
            cost: UpdateCost::default(),
            most: u64::MAX,
            machine,
        };
        forward.prepare();
        forward
    }

    /// Asks the machine both questions of a belief once. An engine compiles what it needs for a role when it is first
    /// asked, and the clock of the first update need not pay for that.
    fn prepare(&mut self) {
        let Forward { machine, scratch, evidence, population, .. } = self;
        let legal = machine.legal_by_role(&population.states[0], scratch);
        let Some(joint) = JointMoves::new(&legal).next() else { return };
        let own = OwnMove::Known(joint.of(evidence.role));
        let observation = Observation { own, percepts: Percepts::default() };
        let observed = ObservedStep { role: evidence.role, observation: &observation, is_end: false };
        let (seed, budget) = (Seed::root(0), Budget::UNLIMITED);
        let starts = &population.states[..];
        let asked = StepAttempts { starts, attempts: &[0], observed, seed: &seed, budget: &budget };
        machine.draw_consistent(&asked, scratch);
        machine.select_consistent(&[(&population.states[0], &joint); SEVERAL], &observed, scratch);
    }

    /// Why an evaluation of the rules met a limit, if one did since the last call.
    pub(super) fn take_failure(&mut self) -> Option<EvaluationFailure> {
        let own = self.machine.take_failure(&mut self.scratch);
        let of_model = self.opponents.as_mut().and_then(|opponents| opponents.failure.take());
        self.failure.take().or(own).or(of_model)
    }

    /// How the histories were found.
    pub(super) fn method(&self) -> UpdateMethod {
        match self.kind {
            Kind::Enumerated { .. } => UpdateMethod::Enumeration,
            Kind::Independent => UpdateMethod::Rejection,
            Kind::Filtered => UpdateMethod::ParticleFilter,
            Kind::Searched => UpdateMethod::Backtracking,
        }
    }

    /// The number of steps that the histories explain.
    pub(super) fn depth(&self) -> usize {
        self.genealogy.depth()
    }

    pub(super) fn state(&self, entry: usize) -> &M::State {
        &self.population.states[entry]
    }

    pub(super) fn history(&self, entry: usize) -> History {
        self.genealogy.history(entry)
    }

    /// Follows the evidence, which continues what was followed before, to its last step. Work that the deadline of the
    /// budget cuts off has no part in the result.
    pub(super) fn follow(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> Followed {
        self.machine.set_deadline(&mut self.scratch, budget.deadline);
        let followed = self.follow_in_time(evidence, budget, seed);
        self.machine.set_deadline(&mut self.scratch, None);
        followed
    }

    fn follow_in_time(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> Followed {
        self.evidence.follow(evidence);
        self.cost = UpdateCost::default();
        refuse(&*self.machine, evidence, &mut self.scratch)?;
        self.most = budget.nodes.unwrap_or(u64::MAX);
        let is_plain = self.is_plain();
        if is_plain && self.last_enumerated.is_none() {
            self.begin_sampling();
        }
        while self.depth() < evidence.step() {
            let step = self.depth();
            self.trials.resize(self.trials.len().max(step + 1), [0; 2]);
            if is_plain && step + 1 < evidence.step() {
                // Only the last step matters to histories that are drawn as a whole.
                self.genealogy.begin();
                continue;
            }
            self.step(StepTask { step, evidence, budget, seed: &seed.index(step) })?;
            if self.genealogy.len() >= self.large {
                let whole = self.last_enumerated.as_ref().map_or(0, |last| last.generation);
                self.genealogy.compact(whole);
                self.large = LARGE.max(4 * self.genealogy.len());
            }
        }
        Ok(())
    }

    fn step(&mut self, task: StepTask<'_>) -> Followed {
        let StepTask { step, evidence, budget, .. } = task;
        if let (Kind::Enumerated { mut by_state }, false) = (self.kind, self.is_plain()) {
            let most = self.affordable_states(step).min(self.left() / 2);
            let mut population = std::mem::take(&mut self.population);
            let next = if self.options.enumerate {
                self.enumerated(&mut population, task, &mut by_state, most)
            } else {
                None
            };
            (self.kind, self.population) = (Kind::Enumerated { by_state }, population);
            match next {
                Some(next) if next.len() == 0 => {
                    self.genealogy.take_last();
                    return Err(UpdateOutcome::Inconsistent { step: step + 1 });
                }
                Some(next) => {
                    self.population = next;
                    return Ok(());
                }
                None if budget.is_late() => {
                    return Err(UpdateOutcome::Depleted { step: evidence.step() });
                }
                None => self.begin_sampling(),
            }
        }
        self.sampled(task)
    }

    /// Tries a method in a share of the time that is left, so that another one can follow it. Without a deadline it has
    /// the whole budget.
    fn in_share<T>(&mut self, task: StepTask<'_>, work: impl FnOnce(&mut Self, StepTask<'_>) -> T) -> T {
        let share = task.budget.share(METHOD_SHARE);
        self.machine.set_deadline(&mut self.scratch, share.deadline);
        let made = work(self, StepTask { budget: &share, ..task });
        self.machine.set_deadline(&mut self.scratch, task.budget.deadline);
        made
    }

    /// Whether every update draws whole histories, from the empty one on.
    fn is_plain(&self) -> bool {
        self.options.method == SamplingMethod::Rejection && !self.options.enumerate
    }

    /// Makes the enumerated population the one that whole histories are drawn from.
    fn begin_sampling(&mut self) {
        let population = self.population.clone();
        let table = AliasTable::new(&population.weights);
        let by_state = matches!(self.kind, Kind::Enumerated { by_state: true });
        let generation = self.depth();
        self.last_enumerated = Some(LastEnumerated { generation, by_state, population, table });
        self.saved = (0, self.options.limit() as u64);
    }

    /// The share of attempts at a step that agreed with what was observed.
    fn acceptance_rate(&self, step: usize) -> f64 {
        let [tried, agreed] = self.trials[step];
        (agreed as f64 + 0.5) / (tried as f64 + 1.0)
    }

    /// One step of a sample.
    fn sampled(&mut self, task: StepTask<'_>) -> Followed {
        let StepTask { step, evidence, budget, seed } = task;
        let method = self.options.method;
        let depleted = Err(UpdateOutcome::Depleted { step: evidence.step() });
        self.genealogy.begin();
        if method == SamplingMethod::ParticleFilter || matches!(self.kind, Kind::Filtered | Kind::Searched) {
            // If the population cannot be continued, another one begins with the rest of the time.
            let share = budget.share(METHOD_SHARE / (evidence.step() - step) as f64);
            let again = StepTask { budget: &share, seed: &seed.child("refill"), ..task };
            let population = self.refilled(again);
            if population.len() > 0 {
                (self.kind, self.population) = (Kind::Filtered, population);
                return self.check_degeneracy(task);
            }
            self.genealogy.take_last();
            if self.is_spent(budget) || method != SamplingMethod::Auto {
                return depleted;
            }
            return self.begin_filter(task, true);
        }
        let mut builder = PopulationBuilder::new(self.options.particles);
        let drawn = if method == SamplingMethod::Auto {
            self.in_share(task, |forward, task| forward.draw_independently(task, &mut builder, None))
        } else {
            self.draw_independently(task, &mut builder, None)
        };
        let is_over = self.is_spent(budget) || method != SamplingMethod::Auto;
        let is_alone = builder.population.len() == 0;
        match drawn {
            Drawn::Enumerated => return Ok(()),
            Drawn::Incomplete if !is_over || is_alone => {
                let last = self.genealogy.take_last();
                let followed = match is_over {
                    true => depleted,
                    false => self.begin_filter(task, is_alone),
                };
                if followed != depleted || is_alone {
                    return followed;
                }
                // The filter was too late: the draws made before it are at hand.
                self.genealogy.put_back(last);
            }
            // Draws are independent however few there are.
            Drawn::Complete | Drawn::Incomplete => {}
        }
        (self.kind, self.population) = (Kind::Independent, builder.population);
        Ok(())
    }

    /// States that may still be visited in this update.
    fn left(&self) -> u64 {
        self.most.saturating_sub(self.cost.states)
    }

    /// Whether nothing more may be done in this update.
    fn is_spent(&self, budget: &Budget) -> bool {
        budget.is_late() || self.left() == 0
    }

    /// Whether attempts are made many at once: where there is no likeliest own move they are not.
    fn is_in_lanes(&self) -> bool {
        let from = self.last_enumerated.as_ref().map_or(0, |last| last.generation);
        let is_known = |step: &Observation| step.own.presumed().is_some();
        self.opponents.is_none()
            && self.machine.at_once() > 1
            && self.evidence.steps[from..].iter().all(is_known)
    }

    /// Attempts that may still be made after `made` attempts: what all particles may visit, and more on an engine that
    /// makes many at once.
    fn allowance(&self, made: u64) -> u64 {
        let each = if self.is_in_lanes() { ATTEMPTS_A_STATE } else { 1 };
        self.options.all_states().saturating_mul(each).saturating_sub(made)
    }

    /// The histories to be reported, by entry, and how the update ended.
    pub(super) fn report(&self, seed: &Seed) -> (Vec<Particle>, UpdateOutcome) {
        let Forward { population, options, .. } = self;
        let wanted = options.particles;
        let mut rng = seed.child("report").rng();
        let drawn = match self.kind {
            Kind::Enumerated { .. } if population.len() <= options.limit() => {
                let all = population.weights.iter().enumerate();
                let all = all.map(|(entry, &weight)| Particle { id: ParticleId(entry), weight });
                return (all.collect(), UpdateOutcome::Enumerated);
            }
            Kind::Independent => population.without_replacement(wanted, &mut rng),
            Kind::Filtered | Kind::Searched if !self.is_rare() && population.total() as usize <= wanted => {
                population.draws()
            }
            Kind::Enumerated { .. } | Kind::Filtered | Kind::Searched => {
                population.systematic(wanted, &mut rng)
            }
        };
        let count = drawn.len() as f64;
        let drawn = drawn.into_iter().map(|entry| Particle { id: ParticleId(entry as usize), weight: 1.0 });
        let mut reported = merged(drawn, options.merge);
        reported.iter_mut().for_each(|particle| particle.weight /= count);
        (reported, UpdateOutcome::Sampled)
    }
}
