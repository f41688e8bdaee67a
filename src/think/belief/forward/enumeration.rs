//! Enumeration: complete sets of weighted histories, step by step.
//!
//! All joint moves of all histories are tried, and those that agree with the observation are kept, each with the share
//! of its parent's probability that falls to it. So the weights stay the posterior when they are normalised.
//!
//! **The exact belief-state update.** What follows a history depends on its state alone, and under a model also on what
//! the other roles know. So histories that are equal in this may become one, with the sum of their probabilities. The history that stands for the
//! others is drawn in proportion to its probability; hence it is a draw from the posterior given the state. That is
//! done where there are more histories than may be reported, and where the histories of a step have too many
//! continuations but their states do not: a hand of cards that nobody holds any more is in no state.

use rand::RngExt;
use rustc_hash::{FxHashMap, FxHashSet};

use super::draw::DrawContext;
use super::genealogy::{Genealogy, Generation};
use super::population::{Population, PopulationBuilder};
use super::{Forward, Kind, StepTask};
use crate::belief::joints::LegalJoints;
use crate::belief::opponents::{agreeing, policies};
use crate::belief::resample::thinned;
use hyperplay_machine::{Bulk, JointMove, JointMoves, ObservedStep, Seed};

/// An enumerated step may cost this number of states for each history that is reported.
const ENUMERATED_STATES: u64 = 8;

/// One joint move that is enumerated costs as much as this number of attempts.
pub(super) const ENUMERATION_COST: f64 = 4.0;

/// The share of the attempts of every update, as one part in this number, that is saved for a search for the complete
/// information set.
const SAVED: u64 = 8;

/// Steps asked about in one call, and between two looks at the clock.
const BLOCK: usize = 1024;

/// The steps that the first call asks about before a deadline.
const FIRST_BLOCK: usize = 16;

/// Where the time does not suffice for all, draws are better if they are expected to find this number of histories in
/// it.
const FEW: f64 = 16.0;

/// The most states that an enumerated step may cost, in multiples of what all particles may visit.
const MOST_STATES: u64 = 4;

/// In this number of steps every role of most games has had its turn.
const TURNS: usize = 4;

/// States whose moves are listed between two looks at the clock.
const LOOK: usize = 64;

/// The joint moves that each history of a population may be continued by, if there are at most `most` in all
/// and the clock allows it.
pub(super) fn all_legal_joints<M: Bulk>(
    context: &mut DrawContext<'_, M>,
    population: &Population<M::State>,
    observed: &ObservedStep<'_>,
    most: u64,
) -> Option<(Vec<LegalJoints>, u64)> {
    let DrawContext { machine, scratch, opponents, budget, .. } = context;
    let mut all = Vec::with_capacity(population.len());
    let mut count = 0_u64;
    let own = (observed.role, &observed.observation.own);
    for (state, &known) in population.states.iter().zip(&population.known) {
        let policies = |legal: &_| policies(opponents.as_deref_mut(), known, legal, budget);
        let options = LegalJoints::of(*machine, state, own, policies, scratch)?;
        count = count.saturating_add(options.count());
        if count > most || machine.is_interrupted(scratch) || all.len() % LOOK == 0 && budget.is_late() {
            return None;
        }
        all.push(options);
    }
    Some((all, count))
}

/// The histories that continue a population and agree with an observation, as far as they were looked for.
#[derive(Clone)]
pub(super) struct Extension<S> {
    /// The hashes of the population.
    parents: Vec<u64>,
    /// Joint moves tried.
    done: usize,
    builder: PopulationBuilder<S>,
    generation: Option<Generation>,
}

impl<S> Extension<S> {
    /// Nothing was looked for yet.
    fn new(population: &Population<S>) -> Self {
        Extension {
            parents: population.hashes.clone(),
            done: 0,
            builder: PopulationBuilder::new(population.len()),
            generation: Some(Generation::default()),
        }
    }
}

/// How the search for the continuations of a population ended.
enum Extended<S> {
    /// With all of them, as a new generation, with weights that sum to 1. Empty if there is none.
    Complete(Population<S>),
    /// The clock ran out. The next update can go on.
    Unfinished(Box<Extension<S>>),
    /// The clock will run out before the end, going by what was done, and another method needs the time that is left.
    Hopeless,
}

/// Looks for the histories that continue a population and agree with an observation, which a random one does with
/// the probability `rate`.
fn extended<M: Bulk>(
    context: &mut DrawContext<'_, M>,
    population: &Population<M::State>,
    options: &[LegalJoints],
    observed: &ObservedStep<'_>,
    begun: Option<Box<Extension<M::State>>>,
    rate: f64,
    genealogy: &mut Genealogy,
) -> Extended<M::State> {
    let DrawContext { machine, scratch, opponents, budget, .. } = context;
    let begun = begun.filter(|begun| begun.parents == population.hashes);
    let mut extension = begun.unwrap_or_else(|| Box::new(Extension::new(population)));
    let is_new = extension.done == 0;
    let count: u64 = options.iter().map(LegalJoints::count).sum();
    let each = options.iter().enumerate();
    let mut open = each
        .flat_map(|(entry, joints)| JointMoves::new(joints.legal()).map(move |joint| (entry, joint)))
        .skip(extension.done);
    genealogy.put_back(extension.generation.take());
    let (from, start) = (extension.done, budget.left());
    loop {
        let done = extension.done - from;
        let size = if start.is_some() { BLOCK.min(FIRST_BLOCK + done) } else { BLOCK };
        let block: Vec<(usize, JointMove)> = open.by_ref().take(size).collect();
        if block.is_empty() {
            break;
        }
        if let Some((start, left)) = start.zip(budget.left()) {
            if left.is_zero() {
                extension.generation = genealogy.take_last();
                return Extended::Unfinished(extension);
            }
            let fitting = left.as_secs_f64() / (start - left).as_secs_f64().max(1e-9) * done as f64;
            let rest = count as f64 - extension.done as f64;
            if is_new && done >= FIRST_BLOCK && fitting < rest && fitting * rate >= FEW {
                genealogy.take_last();
                return Extended::Hopeless;
            }
        }
        let steps: Vec<(&M::State, &JointMove)> =
            block.iter().map(|(entry, joint)| (&population.states[*entry], joint)).collect();
        let known = |place: usize| population.known[block[place].0];
        let opponents = opponents.as_deref_mut();
        let Some(agreeing) = agreeing(opponents, *machine, &steps, known, observed, scratch) else {
            extension.generation = genealogy.take_last();
            return Extended::Unfinished(extension);
        };
        extension.done += block.len();
        for (place, state, known) in agreeing {
            let (entry, joint) = &block[place];
            let weight = options[*entry].part(population.weights[*entry], joint);
            let from = (*entry, population.hashes[*entry]);
            extension.builder.add(genealogy, from, joint, (state, known), weight);
        }
    }
    let mut next = extension.builder.population;
    next.normalise();
    Extended::Complete(next)
}

/// The distinct states of a population, if some are equal; what others know in them tells them apart.
fn distinct_states<S: Clone + Eq + std::hash::Hash>(population: &Population<S>) -> Option<Population<S>> {
    let mut met: FxHashSet<(&S, u32)> = FxHashSet::default();
    let each = population.states.iter().zip(population.known.iter().copied());
    let (states, known): (Vec<S>, Vec<u32>) =
        each.filter(|&one| met.insert(one)).map(|(state, known)| (state.clone(), known)).unzip();
    (states.len() < population.len()).then(|| Population { states, known, ..Population::default() })
}

/// Keeps one history for each state and knowledge of the others.
pub(super) fn merge_states<M: Bulk>(
    population: Population<M::State>,
    genealogy: &mut Genealogy,
    seed: &Seed,
) -> Population<M::State> {
    let mut rng = seed.rng();
    let mut places: FxHashMap<(&M::State, u32), usize> = FxHashMap::default();
    let mut kept: Vec<(usize, f64)> = Vec::new();
    for (entry, (state, &weight)) in population.states.iter().zip(&population.weights).enumerate() {
        let at = *places.entry((state, population.known[entry])).or_insert(kept.len());
        let Some((representative, sum)) = kept.get_mut(at) else {
            kept.push((entry, weight));
            continue;
        };
        *sum += weight;
        if rng.random::<f64>() * *sum < weight {
            *representative = entry;
        }
    }
    let mut weights = vec![0.0; population.len()];
    kept.into_iter().for_each(|(entry, sum)| weights[entry] = sum);
    population.reweighted(&weights, genealogy)
}

impl<M: Bulk> Forward<M> {
    /// The states that one enumerated step may cost: what a sample costs, and not less than a few for each history
    /// that may be reported.
    pub(super) fn affordable_states(&self, step: usize) -> u64 {
        let sampled = self.options.particles as f64 / self.expected_rate(step) / ENUMERATION_COST;
        let most = self.options.all_states().saturating_mul(MOST_STATES);
        (sampled as u64).min(most).max(ENUMERATED_STATES * self.options.limit() as u64)
    }

    /// The share of attempts at a step that may be expected to agree, before any was made: where roles take turns, a
    /// step is like one of the last steps and unlike the others.
    fn expected_rate(&self, step: usize) -> f64 {
        let rates = (step.saturating_sub(TURNS)..step).map(|last| self.acceptance_rate(last));
        rates.fold(1.0, f64::min)
    }

    /// One enumerated step of a population, if it visits at most `most` states. `by_state` says whether its histories
    /// stand for all with their state, before the step and after it. Where that makes few enough of too many histories,
    /// `population` is changed so. The next call for the same histories goes on with the work that the clock cuts off.
    pub(super) fn enumerated(
        &mut self,
        population: &mut Population<M::State>,
        task: StepTask<'_>,
        by_state: &mut bool,
        most: u64,
    ) -> Option<Population<M::State>> {
        let (StepTask { budget, seed, .. }, observed) = (task, &task.observed());
        let rate = self.expected_rate(self.depth());
        let Forward { machine, scratch, opponents, failure, genealogy, unfinished, .. } = self;
        let opponents = opponents.as_mut();
        let mut context = DrawContext { machine: &**machine, scratch, opponents, budget, failure };
        let mut options = all_legal_joints(&mut context, population, observed, most);
        if options.is_none() && self.options.exact_update && !*by_state && !budget.is_late() {
            let distinct = distinct_states(population)?;
            all_legal_joints(&mut context, &distinct, observed, most)?;
            let all = std::mem::take(population);
            *population = merge_states::<M>(all, genealogy, &seed.child("states before"));
            *by_state = true;
            options = all_legal_joints(&mut context, population, observed, most);
        }
        let (options, states) = options?;
        let begun = unfinished.take();
        let before = begun.as_ref().map_or(0, |begun| begun.done as u64);
        let extended = extended(&mut context, population, &options, observed, begun, rate, genealogy);
        let mut next = match extended {
            Extended::Complete(next) => next,
            Extended::Unfinished(extension) => {
                self.cost.states += (extension.done as u64).saturating_sub(before);
                *unfinished = Some(extension);
                return None;
            }
            Extended::Hopeless => return None,
        };
        self.cost.states += states.saturating_sub(before);
        let agreed = next.len();
        self.trials[self.genealogy.depth() - 1] = [states, agreed as u64];
        if self.options.exact_update && (*by_state || agreed > self.options.limit()) {
            next = merge_states::<M>(next, &mut self.genealogy, &seed.child("states"));
            *by_state = true;
        }
        Some(next)
    }

    /// A population in the last generation of a filter: all continuations of the old one, as far as they agree, and of
    /// these as many draws as there should be. `None` if they are more than `most`, or the clock does not allow it.
    pub(super) fn continued(&mut self, task: StepTask<'_>, most: u64) -> Option<Population<M::State>> {
        let (StepTask { budget, seed, .. }, observed) = (task, &task.observed());
        let wanted = self.wanted_population() as usize;
        let Forward { machine, scratch, opponents, failure, genealogy, population, .. } = self;
        let opponents = opponents.as_mut();
        let mut context = DrawContext { machine: &**machine, scratch, opponents, budget, failure };
        let (options, states) = all_legal_joints(&mut context, population, observed, most)?;
        let attempted = genealogy.take_last();
        let extended = extended(&mut context, population, &options, observed, None, 0.0, genealogy);
        let Extended::Complete(next) = extended else {
            genealogy.put_back(attempted);
            return None;
        };
        self.cost.states += states;
        let mut weights = vec![0.0; next.len()];
        if self.is_rare() {
            weights = thinned(&next.weights, wanted, &mut seed.rng());
        } else {
            let drawn = next.systematic(wanted, &mut seed.rng());
            drawn.into_iter().for_each(|entry| weights[entry as usize] += 1.0);
        }
        Some(next.reweighted(&weights, &mut self.genealogy))
    }

    /// Enumerates the information set where `attempts` attempts would cost as much as the search for it, or earlier
    /// ones have saved as much. Which histories were drawn does not matter: otherwise those that are reported would not
    /// be draws from the posterior.
    pub(super) fn enumerates_instead(&mut self, attempts: f64, task: StepTask<'_>) -> bool {
        let (saved, wanted) = self.saved;
        let most = saved.max((attempts / ENUMERATION_COST) as u64);
        if !self.options.enumerate || most < wanted {
            self.saved.0 += attempts as u64 / SAVED;
            return false;
        }
        self.saved = (0, most.saturating_mul(2));
        self.in_share(task, |forward, task| forward.enumerate_again(most, task))
    }

    /// Enumerates from the last enumerated set to the last generation, visiting at most `most` states; false if they
    /// are too few.
    pub(super) fn enumerate_again(&mut self, most: u64, task: StepTask<'_>) -> bool {
        let Some(last) = &self.last_enumerated else { return false };
        let (generation, depth, mut by_state) = (last.generation, self.depth(), last.by_state);
        let mut population = last.population.clone();
        let until = self.genealogy.until(generation);
        let held = std::mem::replace(&mut self.genealogy, until);
        let trials = self.trials.clone();
        let most = most.min(self.left() / 2);
        let before = self.cost.states;
        for step in generation..depth {
            let left = most.saturating_sub(self.cost.states - before);
            let at_step = StepTask { step, seed: &task.seed.index(step), ..task };
            let next = self.enumerated(&mut population, at_step, &mut by_state, left);
            match next {
                Some(next) if next.len() > 0 && !task.budget.is_late() => population = next,
                _ => {
                    (self.genealogy, self.trials) = (held, trials);
                    return false;
                }
            }
        }
        (self.kind, self.population) = (Kind::Enumerated { by_state }, population);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::belief::observed_step;
    use crate::toy::{Rules, State, Toy};
    use hyperplay_machine::{Budget, StateMachine};

    /// The continuations of a population, searched for so long at a time until all are found; and how many times.
    fn searched(
        toy: &Toy,
        population: &Population<State>,
        observed: &ObservedStep<'_>,
        genealogy: &mut Genealogy,
        time: Option<Duration>,
    ) -> (Population<State>, usize) {
        let unlimited = Budget::UNLIMITED;
        let (scratch, failure) = (&mut (), &mut None);
        let mut context = DrawContext { machine: toy, scratch, opponents: None, budget: &unlimited, failure };
        let (options, _) = all_legal_joints(&mut context, population, observed, u64::MAX).unwrap();
        let (mut begun, mut times) = (None, 0);
        loop {
            times += 1;
            // More each time, so that a busy machine comes to an end too.
            let budget = time.map_or(unlimited, |time| Budget::time(time * times as u32));
            let mut context = DrawContext {
                machine: toy,
                scratch: &mut (),
                opponents: None,
                budget: &budget,
                failure: &mut None,
            };
            match extended(&mut context, population, &options, observed, begun, 0.0, genealogy) {
                Extended::Complete(next) => return (next, times),
                Extended::Unfinished(extension) => begun = Some(extension),
                Extended::Hopeless => panic!("draws are expected to find nothing"),
            }
        }
    }

    #[test]
    fn what_the_clock_cuts_off_is_gone_on_with() {
        let toy = Toy::new(Rules::Planted { seed: 2, steps: 7, width: 6, percepts: 2, every: 3 });
        let (evidence, _) = toy.random_evidence(6, 2);
        let (mut population, mut most) = (Population::initial(toy.initial()), 0);
        let mut genealogies = [Genealogy::default(), Genealogy::default()];
        for step in 0..6 {
            let observed = observed_step(&evidence, step);
            let [whole, parts] = &mut genealogies;
            let (next, once) = searched(&toy, &population, &observed, whole, None);
            let (again, times) =
                searched(&toy, &population, &observed, parts, Some(Duration::from_micros(50)));
            assert_eq!((once, &next.hashes, &next.weights), (1, &again.hashes, &again.weights));
            assert_eq!(next.states, again.states);
            let entries = 0..next.len();
            assert!(entries.clone().all(|entry| whole.history(entry) == parts.history(entry)));
            (population, most) = (next, most.max(times));
        }
        assert!(population.len() > 100 && most > 1, "{} histories, {most} times", population.len());
    }
}
