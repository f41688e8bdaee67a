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
//! References: Robert04, LeGland05, DelMoral15, DelMoral04 (`docs/REFERENCES.md`).

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

/// So many times what is expected to be needed is drawn, so that a second round is seldom needed.
const SURPLUS: f64 = 1.05;

/// One joint move that is enumerated costs as much as so many attempts.
const ENUMERATION_COST: f64 = 4.0;

/// An engine that makes many attempts at once makes so many in the time in which another visits a state.
const ATTEMPTS_A_STATE: u64 = 16;

/// A population that was too small is made so many times larger.
const GROWTH: usize = 4;

/// How many times its usual size the population of a filter may have.
const MOST_GROWTH: usize = 16;

/// A population that lacks at most this share is full.
const NEARLY: f64 = 0.05;

/// One part in so many of the attempts of every update is saved for a search for the complete information set.
const SAVED: u64 = 8;

/// A genealogy with fewer entries is never compacted.
const LARGE: usize = 1 << 18;

/// What draws are expected to take.
struct Expected {
    /// The share of whole histories that get through.
    whole: f64,
    /// The attempts that each of them takes.
    each: f64,
    /// The attempts of a filter from the first of the steps on.
    filter: f64,
}

/// How drawing whole histories ended.
enum Drawn {
    /// There are as many as are wanted.
    Complete,
    /// There are fewer.
    Incomplete,
    /// The information set was enumerated instead.
    Enumerated,
}

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
    /// States saved for a search for the complete information set, and how many the next one is to have.
    saved: (u64, u64),
    cost: UpdateCost,
    /// The states that may have been visited at the end of this update.
    most: u64,
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
            saved: (0, 0),
            cost: UpdateCost::default(),
            most: u64::MAX,
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
        self.most = budget.nodes.map_or(u64::MAX, |nodes| self.cost.states.saturating_add(nodes));
        let is_plain = self.is_plain();
        if is_plain && self.anchor.is_none() {
            self.drop_anchor();
        }
        while self.depth() < evidence.step() {
            let step = self.depth();
            self.passed.resize(self.passed.len().max(step + 1), [0; 2]);
            if is_plain && step + 1 < evidence.step() {
                // Only the last step matters to histories that are drawn as a whole.
                self.genealogy.begin();
                continue;
            }
            let followed = self.step(step, budget, &seed.index(step));
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
        if let (Kind::Enumerated { by_state }, false) = (self.kind, self.is_plain()) {
            let most = self.affordable_states(step).min(self.left() / 2);
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

    /// Whether every update draws whole histories, from the empty one on.
    fn is_plain(&self) -> bool {
        self.options.method == SamplingMethod::Rejection && !self.options.enumerate
    }

    /// Makes the enumerated population the one that whole histories are drawn from.
    fn drop_anchor(&mut self) {
        let population = self.population.clone();
        let picks = Picks::new(&population.weights);
        self.anchor = Some(Anchor { generation: self.depth(), population, picks });
        self.saved = (0, self.options.limit() as u64);
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
            match self.draw_independently(step, evidence, &mut growing, None, budget, seed) {
                Drawn::Enumerated => return Followed::Done,
                Drawn::Incomplete if self.options.method == SamplingMethod::Auto => {
                    self.genealogy.drop_last();
                    return self.filter_anew(step, evidence, budget, seed);
                }
                Drawn::Complete | Drawn::Incomplete => self.kind = Kind::Independent,
            }
        } else {
            self.kind = Kind::Filtered;
            self.refill(&observed_step(evidence, step), &mut growing, budget, &seed.child("refill"));
        }
        if growing.population.len() == 0 {
            self.genealogy.drop_last();
            return self.none(budget);
        }
        self.population = growing.population;
        match self.kind {
            Kind::Filtered => self.look_closer(step, evidence, budget, seed),
            Kind::Enumerated { .. } | Kind::Independent => Followed::Done,
        }
    }

    /// No history was found that explains the next step.
    fn none(&self, budget: &Budget) -> Followed {
        let is_over = self.is_spent(budget) || self.options.method != SamplingMethod::Auto;
        let depleted = UpdateOutcome::Depleted { step: self.evidence.step() };
        if is_over { Followed::Ended(depleted) } else { Followed::Stuck }
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
                return self.none(budget);
            }
            self.population = growing.population;
        }
        self.look_closer(step, evidence, budget, &seed)
    }

    /// States that may still be visited in this update.
    fn left(&self) -> u64 {
        self.most.saturating_sub(self.cost.states)
    }

    /// Whether nothing more may be done in this update.
    fn is_spent(&self, budget: &Budget) -> bool {
        budget.is_late() || self.left() == 0
    }

    /// Attempts that may be made where so many have been: what all particles may visit, and more on an engine that makes
    /// many at once.
    fn allowance(&self, made: u64) -> u64 {
        let each = if self.machine.at_once() > 1 { ATTEMPTS_A_STATE } else { 1 };
        self.options.all_states().saturating_mul(each).saturating_sub(made)
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

    /// Draws of the last update that explain the new step, and whole histories in place of those that do not. Whatever
    /// is decided here is decided by counts. Ends where more than `most` attempts are expected; without it, where a filter
    /// takes fewer.
    fn draw_independently(
        &mut self,
        step: usize,
        evidence: &Evidence,
        growing: &mut Growing<M::State>,
        most: Option<f64>,
        budget: &Budget,
        seed: &Seed,
    ) -> Drawn {
        let Some(anchor) = &self.anchor else { return Drawn::Incomplete };
        let (from, wanted) = (anchor.generation, self.options.particles);
        let reuses = self.options.method != SamplingMethod::Rejection;
        let before = self.cost.states;
        if reuses && self.kind == Kind::Independent {
            let mut draws = self.population.draws();
            draws.truncate(usize::try_from(self.left()).unwrap_or(usize::MAX));
            let observed = observed_step(evidence, step);
            self.attempt(&draws, &observed, growing, budget, &seed.child("survive"));
        }
        let observed: Vec<ObservedStep<'_>> =
            (from..=step).map(|step| observed_step(evidence, step)).collect();
        for round in 0.. {
            let drawn = growing.population.total() as usize;
            if drawn >= wanted {
                return Drawn::Complete;
            }
            let missing = (wanted - drawn) as f64;
            let Expected { whole, each, filter } = self.expected(from, step);
            let attempts = missing / whole * each;
            if round == 0 && reuses && self.enumerates_instead(attempts, evidence, budget, seed) {
                return Drawn::Enumerated;
            }
            if reuses && step > from && attempts > most.unwrap_or(filter) {
                return Drawn::Incomplete;
            }
            let is_known = self.passed[step][0] > 0;
            let count = if is_known { SURPLUS * missing / whole + 4.0 } else { missing };
            let own = self.allowance(self.cost.states - before) as f64 / each;
            // A budget in nodes is kept even if every history gets as far as the last step.
            let given = self.left() / observed.len() as u64;
            let count = count.min(own).min(given as f64) as usize;
            if count == 0 || budget.is_late() {
                return Drawn::Incomplete;
            }
            self.draw_whole(&observed, count, growing, budget, &seed.index(round));
        }
        Drawn::Incomplete
    }

    /// What the shares of the steps from one to another say about draws.
    fn expected(&self, from: usize, step: usize) -> Expected {
        let mut expected = Expected { whole: 1.0, each: 0.0, filter: 0.0 };
        for step in from..=step {
            expected.each += expected.whole;
            expected.whole *= self.share(step);
            expected.filter += self.wanted_population() / self.share(step);
        }
        expected
    }

    /// Enumerates the information set where so many attempts would cost as much as the search for it, or earlier ones
    /// have saved as much. Which histories were drawn does not matter: otherwise those that are reported would not be
    /// draws from the posterior.
    fn enumerates_instead(
        &mut self,
        attempts: f64,
        evidence: &Evidence,
        budget: &Budget,
        seed: &Seed,
    ) -> bool {
        let (saved, wanted) = self.saved;
        let most = saved.max((attempts / ENUMERATION_COST) as u64);
        if !self.options.enumerate || most < wanted {
            self.saved.0 += attempts as u64 / SAVED;
            return false;
        }
        self.saved = (0, most.saturating_mul(2));
        self.enumerate_again(most, evidence, budget, seed)
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
            let left = self.allowance(self.cost.states - spent_before).min(self.left());
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

    /// Where a filter has few different histories, the information set may be small: looks for all of it. If it is not
    /// small, the filter was too small, and a larger one begins anew.
    fn look_closer(&mut self, step: usize, evidence: &Evidence, budget: &Budget, seed: &Seed) -> Followed {
        let draws = (self.population.total() as usize).min(self.options.particles);
        if 2 * self.population.len() > draws {
            return Followed::Done;
        }
        let attempts = self.options.all_states() as f64;
        if self.enumerates_instead(attempts, evidence, budget, seed) {
            return Followed::Done;
        }
        let is_covered = self.population.len() <= self.covered;
        if is_covered || self.options.method != SamplingMethod::Auto || self.is_spent(budget) {
            return Followed::Done;
        }
        let from = self.anchor.as_ref().map_or(0, |anchor| anchor.generation);
        let Expected { whole, each, filter } = self.expected(from, step);
        let larger = GROWTH as f64 * filter;
        if self.options.particles as f64 / whole * each > larger {
            let is_last = self.growth >= MOST_GROWTH || step + 1 < evidence.step();
            return if is_last { Followed::Stuck } else { self.grow(step, evidence, budget, seed) };
        }
        let mut growing = Growing::new();
        self.genealogy.drop_last();
        self.genealogy.begin();
        let seed = seed.child("closer");
        let drawn = self.draw_independently(step, evidence, &mut growing, Some(larger), budget, &seed);
        match drawn {
            Drawn::Enumerated => {}
            _ if growing.population.len() == 0 => return self.grow(step, evidence, budget, &seed),
            _ => (self.kind, self.population) = (Kind::Independent, growing.population),
        }
        Followed::Done
    }

    /// Filters anew with a larger population.
    fn grow(&mut self, step: usize, evidence: &Evidence, budget: &Budget, seed: &Seed) -> Followed {
        // Where several times the draws find few more histories, there are no more.
        self.covered = self.population.len() + self.population.len() / 4;
        self.growth *= GROWTH;
        let followed = self.filter_anew(step, evidence, budget, seed);
        if self.population.len() <= self.covered {
            self.growth /= GROWTH;
        }
        followed
    }

    /// Enumerates from the anchor to the last generation, visiting at most so many states; false if they are too few.
    fn enumerate_again(&mut self, most: u64, evidence: &Evidence, budget: &Budget, seed: &Seed) -> bool {
        let Some(anchor) = &self.anchor else { return false };
        let (generation, depth) = (anchor.generation, self.depth());
        let mut population = anchor.population.clone();
        let until = self.genealogy.until(generation);
        let held = std::mem::replace(&mut self.genealogy, until);
        let passed = self.passed.clone();
        let most = most.min(self.left() / 2);
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
