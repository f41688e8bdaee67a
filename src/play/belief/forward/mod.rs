//! Forward sampling: histories are carried from step to step of the evidence, and no move is taken back.
//!
//! | method | when | particles |
//! | --- | --- | --- |
//! | [enumeration] | one step of all histories (or states) is affordable | all, or draws from all |
//! | rejection | whole histories drawn from the last enumerated set get through | independent draws |
//! | particle filter | they do not, but one step does | draws of a large population, bias O(1/population) |
//!
//! **Rejection.** A history drawn from the last enumerated set (the *anchor*; at worst the empty history) by its
//! probability, continued at random, and kept if it explains everything, is a draw from the posterior. Draws of the
//! last update that explain the new step as well, one attempt each, are draws from the new posterior. So only what was
//! lost is drawn anew. How many whole histories are drawn depends on counts alone, never on what was found; therefore
//! the particles are independent draws from the posterior, without weights and without bias.
//!
//! **The particle filter.** Where that is too expensive, every history of a population is continued by as many random
//! attempts as it takes until the population is full again: the *alive* particle filter. The population is several times
//! larger than the particles asked for, which are drawn from it, because its bias is inversely proportional to its
//! size.
//!
//! **The choice** goes by expected cost in attempts, estimated from the share of attempts that got through each step so
//! far. It is made before the draws that it governs. Where nothing gets through, or too few different histories are left,
//! the caller goes on by [backtracking](super::backtracking).
//!
//! References: Le Gland, Oudjane, *A Sequential Particle Algorithm that Keeps the Particle System Alive*, 2005; Gordon93
//! and Doucet, Godsill, Andrieu 2000 (`docs/REFERENCES.md`).

mod draw;
mod enumeration;
mod genealogy;
mod population;

use std::sync::Arc;

use super::options::{BeliefOptions, SamplingMethod};
use super::{UpdateCost, UpdateMethod, UpdateOutcome};
use rustc_hash::FxHashMap;

use draw::{Drawing, Picks};
use genealogy::Genealogy;
use hyperplay_engine::machine::{
    Budget, Bulk, EvaluationFailure, Evidence, History, ObservedStep, Role, Seed,
};
use population::{Growing, Population};

/// An enumerated step may cost so many states for each history that is reported.
const ENUMERATED_STATES: u64 = 8;

/// One joint move that is enumerated costs as much as so many attempts.
const ENUMERATION_COST: f64 = 4.0;

/// An engine that makes many attempts at once makes so many in the time in which another visits a state.
const ATTEMPTS_A_STATE: u64 = 16;

/// How many times its usual size the population of a filter may have.
const MOST_GROWTH: usize = 16;

/// A population that lacks at most this share is full.
const NEARLY: f64 = 0.05;

/// After a search for the complete information set failed, the next one waits twice as many updates, up to this.
const PATIENCE: usize = 16;

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
}

/// The last population that was enumerated before sampling began.
struct Anchor<S> {
    generation: usize,
    population: Population<S>,
    picks: Picks,
}

/// How following the evidence went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Followed {
    /// To its last step.
    Done,
    /// It ended.
    Ended(UpdateOutcome),
    /// The histories explain the first steps, and too few of them can be continued.
    Stuck,
}

/// The histories of one role under uniform opponents.
pub(super) struct Forward<M: Bulk> {
    machine: Arc<M>,
    options: BeliefOptions,
    scratch: M::Scratch,
    failure: Option<EvaluationFailure>,
    evidence: Evidence,
    genealogy: Genealogy,
    population: Population<M::State>,
    kind: Kind,
    anchor: Option<Anchor<M::State>>,
    /// How many times larger the population of the filter is than usual.
    growth: usize,
    /// So many different histories are known to be nearly all.
    covered: usize,
    /// For each step, the attempts at it and those that agreed.
    passed: Vec<[u64; 2]>,
    /// Entries of the genealogy from which on it is large.
    large: usize,
    /// Updates to wait before the next search for the complete set, and how long the last wait was.
    patience: (usize, usize),
    cost: UpdateCost,
}

impl<M: Bulk> Forward<M> {
    /// The empty history of a match.
    pub(super) fn new(machine: Arc<M>, role: Role, options: BeliefOptions) -> Self {
        let (scratch, initial) = (machine.scratch(), machine.initial());
        let mut forward = Forward {
            options,
            scratch,
            failure: None,
            evidence: Evidence::new(role),
            genealogy: Genealogy::default(),
            population: Population::initial(initial),
            kind: Kind::Independent,
            anchor: None,
            growth: 1,
            covered: 0,
            passed: Vec::new(),
            large: LARGE,
            patience: (1, 1),
            cost: UpdateCost::default(),
            machine,
        };
        forward.forget();
        forward
    }

    fn forget(&mut self) {
        self.genealogy = Genealogy::default();
        self.population = Population::initial(self.machine.initial());
        self.kind = Kind::Enumerated { by_state: false };
        self.anchor = None;
        (self.growth, self.covered) = (1, 0);
        self.passed.clear();
        self.patience = (1, 1);
        self.large = LARGE;
    }

    /// What was spent since the beginning.
    pub(super) fn cost(&self) -> UpdateCost {
        self.cost
    }

    /// Why an evaluation of the rules met a limit, if one did since the last call.
    pub(super) fn take_failure(&mut self) -> Option<EvaluationFailure> {
        let own = self.machine.take_failure(&mut self.scratch);
        self.failure.take().or(own)
    }

    /// How the histories were found.
    pub(super) fn method(&self) -> UpdateMethod {
        match self.kind {
            Kind::Enumerated { .. } => UpdateMethod::Enumeration,
            Kind::Independent => UpdateMethod::Rejection,
            Kind::Filtered => UpdateMethod::ParticleFilter,
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

    /// Follows the evidence to its last step.
    pub(super) fn follow(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> Followed {
        if !evidence.continues(&self.evidence) {
            self.forget();
        }
        self.evidence = evidence.clone();
        let initial = self.machine.initial();
        let is_over = self.machine.terminal(&initial, &mut self.scratch);
        if is_over != (evidence.over && evidence.step() == 0) {
            let step = evidence.step().min(1);
            return Followed::Ended(UpdateOutcome::Inconsistent { step });
        }
        let before = self.cost.states;
        while self.depth() < evidence.step() {
            let left = budget.less(self.cost.states - before);
            let step = self.depth();
            let followed = self.step(step, &left, &seed.index(step));
            if followed != Followed::Done {
                return followed;
            }
            if self.genealogy.len() >= self.large {
                let whole = self.anchor.as_ref().map_or(0, |anchor| anchor.generation);
                self.genealogy.compact(whole);
                self.large = LARGE.max(4 * self.genealogy.len());
            }
        }
        Followed::Done
    }

    fn step(&mut self, step: usize, budget: &Budget, seed: &Seed) -> Followed {
        let evidence = self.evidence.clone();
        let observed = observed_step(&evidence, step);
        self.passed.resize(self.passed.len().max(step + 1), [0; 2]);
        if let Kind::Enumerated { by_state } = self.kind {
            let most = self.affordable_states(step).min(budget.nodes.unwrap_or(u64::MAX) / 2);
            let next = if self.options.enumerate {
                self.enumerated(&self.population.clone(), &observed, by_state, most, seed)
            } else {
                None
            };
            match next {
                Some((_, next)) if next.len() == 0 => {
                    self.genealogy.drop_last();
                    return Followed::Ended(UpdateOutcome::Inconsistent { step: step + 1 });
                }
                Some((by_state, next)) => {
                    (self.kind, self.population) = (Kind::Enumerated { by_state }, next);
                    return Followed::Done;
                }
                None => self.drop_anchor(),
            }
        }
        self.sampled(step, &evidence, budget, seed)
    }

    /// Makes the enumerated population the one that whole histories are drawn from.
    fn drop_anchor(&mut self) {
        let population = self.population.clone();
        let picks = Picks::new(&population.weights);
        self.anchor = Some(Anchor { generation: self.depth(), population, picks });
        self.patience = (1, 1);
    }

    /// The states that one enumerated step may cost: what a sample costs, and not less than a few for each history
    /// that may be reported.
    fn affordable_states(&self, step: usize) -> u64 {
        let share = step.checked_sub(1).map_or(1.0, |last| self.share(last));
        let sampled = self.options.particles as f64 / share / ENUMERATION_COST;
        (sampled as u64).max(ENUMERATED_STATES * self.options.limit() as u64)
    }

    /// One enumerated step of a population, if it visits at most so many states; and whether its histories stand for all
    /// with their state.
    fn enumerated(
        &mut self,
        population: &Population<M::State>,
        observed: &ObservedStep<'_>,
        by_state: bool,
        most: u64,
        seed: &Seed,
    ) -> Option<(bool, Population<M::State>)> {
        let Forward { machine, scratch, genealogy, .. } = self;
        let (options, states) = enumeration::all_options(&**machine, population, observed, most, scratch)?;
        let mut next = enumeration::extended(&**machine, population, &options, observed, genealogy, scratch);
        self.cost.states += states;
        let agreed = next.len();
        self.passed[self.genealogy.depth() - 1] = [states, agreed as u64];
        let merges = self.options.exact_update && (by_state || agreed > self.options.limit());
        if merges {
            next = enumeration::merge_states::<M>(next, &mut self.genealogy, &seed.child("states"));
        }
        Some((merges, next))
    }

    /// The share of attempts at a step that agreed with what was observed.
    fn share(&self, step: usize) -> f64 {
        let [tried, agreed] = self.passed[step];
        (agreed as f64 + 0.5) / (tried as f64 + 1.0)
    }

    /// One step of a sample.
    fn sampled(&mut self, step: usize, evidence: &Evidence, budget: &Budget, seed: &Seed) -> Followed {
        let mut growing = Growing::new();
        self.genealogy.begin();
        let is_filter = self.options.method == SamplingMethod::ParticleFilter || self.kind == Kind::Filtered;
        if !is_filter {
            let is_complete = self.draw_independently(step, evidence, &mut growing, budget, seed);
            if !is_complete && self.options.method == SamplingMethod::Auto {
                self.genealogy.drop_last();
                return self.filter_anew(step, evidence, budget, seed);
            }
            self.kind = Kind::Independent;
        } else {
            self.kind = Kind::Filtered;
            self.refill(&observed_step(evidence, step), &mut growing, budget, &seed.child("refill"));
        }
        if growing.population.len() == 0 {
            self.genealogy.drop_last();
            return self.none(step, budget);
        }
        self.population = growing.population;
        self.look_closer(step, evidence, budget, seed)
    }

    /// No history was found that explains a step.
    fn none(&self, step: usize, budget: &Budget) -> Followed {
        let is_over = budget.is_late() || self.options.method != SamplingMethod::Auto;
        if is_over { Followed::Ended(UpdateOutcome::Depleted { step: step + 1 }) } else { Followed::Stuck }
    }

    /// Filters from the anchor to a step.
    fn filter_anew(&mut self, step: usize, evidence: &Evidence, budget: &Budget, seed: &Seed) -> Followed {
        let Some(anchor) = &self.anchor else { return Followed::Stuck };
        self.genealogy = self.genealogy.until(anchor.generation);
        self.population = anchor.population.clone();
        self.kind = Kind::Filtered;
        let seed = seed.child("anew").index(self.growth);
        for step in anchor.generation..=step {
            let mut growing = Growing::new();
            self.genealogy.begin();
            self.refill(&observed_step(evidence, step), &mut growing, budget, &seed.index(step));
            if growing.population.len() == 0 {
                self.genealogy.drop_last();
                return self.none(step, budget);
            }
            self.population = growing.population;
        }
        self.look_closer(step, evidence, budget, &seed)
    }

    /// Attempts that an update may make: what all particles may visit, and more on an engine that makes many at once.
    fn allowance(&self, budget: &Budget, spent: u64) -> u64 {
        let each = if self.machine.at_once() > 1 { ATTEMPTS_A_STATE } else { 1 };
        let own = self.options.all_states().saturating_mul(each);
        own.min(budget.nodes.unwrap_or(u64::MAX)).saturating_sub(spent)
    }

    /// The histories that the population of the filter should have.
    fn wanted_population(&self) -> f64 {
        (self.options.population() * self.growth) as f64
    }

    /// One attempt for each of these entries of the population.
    fn attempt(
        &mut self,
        entries: &[u32],
        observed: &ObservedStep<'_>,
        growing: &mut Growing<M::State>,
        budget: &Budget,
        seed: &Seed,
    ) {
        let Forward { machine, scratch, failure, population, genealogy, .. } = self;
        let mut drawing = Drawing { machine: &**machine, scratch, budget, failure };
        let draws = drawing.attempts(&population.states, entries, observed, seed);
        self.cost.spend(draws.tried as u64, draws.steps.len() as u64);
        let passed = &mut self.passed[genealogy.depth() - 1];
        passed[0] += draws.tried as u64;
        passed[1] += draws.steps.len() as u64;
        for step in draws.steps {
            let parent = entries[step.place] as usize;
            growing.add(genealogy, (parent, population.hashes[parent]), &step.joint, step.state, 1.0);
        }
    }

    /// Draws of the last update that explain the new step, and whole histories in place of those that do not; true if
    /// they are as many as are wanted.
    fn draw_independently(
        &mut self,
        step: usize,
        evidence: &Evidence,
        growing: &mut Growing<M::State>,
        budget: &Budget,
        seed: &Seed,
    ) -> bool {
        let Some(anchor) = &self.anchor else { return false };
        let (from, wanted) = (anchor.generation, self.options.particles);
        let reuses = self.options.method != SamplingMethod::Rejection;
        if reuses && self.kind == Kind::Independent {
            let draws = self.population.draws();
            let observed = observed_step(evidence, step);
            self.attempt(&draws, &observed, growing, budget, &seed.child("survive"));
        }
        let observed: Vec<ObservedStep<'_>> =
            (from..=step).map(|step| observed_step(evidence, step)).collect();
        let spent_before = self.cost.states;
        for round in 0.. {
            let drawn = growing.population.total() as usize;
            if drawn >= wanted {
                return true;
            }
            let missing = (wanted - drawn) as f64;
            // The share of whole histories that get through, the attempts that each takes, and those of a filter.
            let (mut whole, mut each, mut filter) = (1.0, 0.0, 0.0);
            for step in from..=step {
                each += whole;
                whole *= self.share(step);
                filter += self.wanted_population() / self.share(step);
            }
            if reuses && step > from && missing / whole * each > filter {
                return false;
            }
            let is_known = self.passed[step][0] > 0;
            let count = if is_known { 1.1 * missing / whole + 8.0 } else { 2.0 * wanted as f64 };
            let left = self.allowance(budget, self.cost.states - spent_before) as f64 / each;
            let count = count.min(left) as usize;
            if count == 0 || budget.is_late() {
                return false;
            }
            self.draw_whole(&observed, count, growing, budget, &seed.index(round));
        }
        false
    }

    /// Draws so many whole histories from the anchor.
    fn draw_whole(
        &mut self,
        observed: &[ObservedStep<'_>],
        count: usize,
        growing: &mut Growing<M::State>,
        budget: &Budget,
        seed: &Seed,
    ) {
        let Forward { machine, scratch, failure, anchor, genealogy, .. } = self;
        let Some(Anchor { generation, population, picks }) = anchor else { return };
        let mut drawing = Drawing { machine: &**machine, scratch, budget, failure };
        let chains = drawing.chains(population, picks, observed, count, seed);
        for (passed, [tried, agreed]) in self.passed[*generation..].iter_mut().zip(chains.passed) {
            passed[0] += tried;
            passed[1] += agreed;
            self.cost.spend(tried, agreed);
        }
        for chain in chains.found {
            let from = (chain.from, population.hashes[chain.from]);
            growing.add_chain(genealogy, *generation, from, &chain.joints, chain.state);
        }
    }

    /// Continues the population by attempts until there are as many draws as it should have.
    fn refill(
        &mut self,
        observed: &ObservedStep<'_>,
        growing: &mut Growing<M::State>,
        budget: &Budget,
        seed: &Seed,
    ) {
        let wanted = self.wanted_population();
        let step = self.depth() - 1;
        let spent_before = self.cost.states;
        for round in 0.. {
            let missing = wanted - growing.population.total();
            let left = self.allowance(budget, self.cost.states - spent_before);
            if missing <= wanted * NEARLY || left == 0 || budget.is_late() {
                return;
            }
            let is_known = self.passed[step][0] > 0;
            let count = if is_known { missing / self.share(step) } else { missing };
            let seed = seed.index(round);
            let entries = self
                .population
                .systematic((count.ceil() as u64).min(left) as usize, &mut seed.child("parents").rng());
            self.attempt(&entries, observed, growing, budget, &seed);
        }
    }

    /// Where few different histories were drawn, the information set may be small: looks for all of it. If it is not
    /// small, a filter was too small, and a larger one begins anew.
    fn look_closer(&mut self, step: usize, evidence: &Evidence, budget: &Budget, seed: &Seed) -> Followed {
        let draws = (self.population.total() as usize).min(self.options.particles);
        if 2 * self.population.len() > draws {
            return Followed::Done;
        }
        if self.options.enumerate {
            let (wait, last) = self.patience;
            if wait > 1 {
                self.patience = (wait - 1, last);
            } else if self.enumerate_again(evidence, budget, seed) {
                self.patience = (1, 1);
                return Followed::Done;
            } else {
                let next = (last * 2).min(PATIENCE);
                self.patience = (next, next);
            }
        }
        if self.kind != Kind::Filtered || self.options.method != SamplingMethod::Auto {
            return Followed::Done;
        }
        if self.population.len() <= self.covered {
            return Followed::Done;
        }
        if self.growth >= MOST_GROWTH || step + 1 < evidence.step() {
            return Followed::Stuck;
        }
        // Where four times the draws find few more histories, there are no more.
        self.covered = self.population.len() + self.population.len() / 4;
        self.growth *= 4;
        let followed = self.filter_anew(step, evidence, budget, seed);
        self.growth = if self.population.len() <= self.covered { self.growth / 4 } else { self.growth };
        followed
    }

    /// Enumerates from the anchor to the last generation; false if that costs too much.
    fn enumerate_again(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> bool {
        let Some(anchor) = &self.anchor else { return false };
        let (generation, depth) = (anchor.generation, self.depth());
        let mut population = anchor.population.clone();
        let until = self.genealogy.until(generation);
        let held = std::mem::replace(&mut self.genealogy, until);
        let passed = self.passed.clone();
        let most = self.options.all_states() / 4;
        let most = budget.nodes.map_or(most, |nodes| most.min(nodes / 2));
        let before = self.cost.states;
        let mut by_state = false;
        for step in generation..depth {
            let left = most.saturating_sub(self.cost.states - before);
            let observed = observed_step(evidence, step);
            let next = self.enumerated(&population, &observed, by_state, left, &seed.index(step));
            match next {
                Some((merged, next)) if next.len() > 0 && !budget.is_late() => {
                    (by_state, population) = (merged, next);
                }
                _ => {
                    (self.genealogy, self.passed) = (held, passed);
                    return false;
                }
            }
        }
        (self.kind, self.population) = (Kind::Enumerated { by_state }, population);
        true
    }

    /// The histories to be reported, each with its weight, and how the update ended.
    pub(super) fn report(&self, seed: &Seed) -> (Vec<(usize, f64)>, UpdateOutcome) {
        let Forward { population, options, .. } = self;
        let wanted = options.particles;
        let mut rng = seed.child("report").rng();
        let drawn = match self.kind {
            Kind::Enumerated { .. } if population.len() <= options.limit() => {
                let all = population.weights.iter().copied().enumerate().collect();
                return (all, UpdateOutcome::Enumerated);
            }
            Kind::Independent => population.subset(wanted, &mut rng),
            Kind::Filtered if population.total() as usize <= wanted => population.draws(),
            Kind::Enumerated { .. } | Kind::Filtered => population.systematic(wanted, &mut rng),
        };
        let weight = 1.0 / drawn.len() as f64;
        let mut reported: Vec<(usize, f64)> = Vec::new();
        let mut places: FxHashMap<u32, usize> = FxHashMap::default();
        for entry in drawn {
            match places.get(&entry) {
                Some(&place) if options.merge => reported[place].1 += weight,
                _ => {
                    places.insert(entry, reported.len());
                    reported.push((entry as usize, weight));
                }
            }
        }
        (reported, UpdateOutcome::Sampled)
    }

    /// As many histories as particles are wanted, for another method to go on with.
    pub(super) fn histories(&self, seed: &Seed) -> Vec<History> {
        let drawn = self.population.systematic(self.options.particles, &mut seed.child("hand over").rng());
        drawn.into_iter().map(|entry| self.history(entry as usize)).collect()
    }
}

/// What was observed of a step, counted from 0.
fn observed_step(evidence: &Evidence, step: usize) -> ObservedStep<'_> {
    let is_end = evidence.over && step + 1 == evidence.step();
    ObservedStep { role: evidence.role, observation: &evidence.steps[step], is_end }
}
