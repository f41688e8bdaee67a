//! One set of particles that follows the evidence of a match, compared with the true history after every step.
//!
//! An update may visit [`STATES`] states, so that a sampler that does not get through a large set ends and is not waited for. A
//! belief without particles is not followed further: its later sets are empty. After [`ALL_STATES`] states of all updates together
//! the truth is not compared any more, nor after its share of half of the [work](Replicates::work).

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;
use rand::RngExt;

use super::super::harness::{BINS, Bin, EvaluationPoint, Following, PosteriorSource, Replicates, evaluated};
use super::SETS;
use super::point::MEANS;
use hyperplay_engine::Engine;
use hyperplay_machine::{Budget, Evaluated, Evidence, History, Seed, State, StateMachine, StateMachineExt};
use hyperplay_think::belief::UpdateOutcome;
use hyperplay_think::belief::exact::Posterior;

/// The states that one update may visit.
const STATES: u64 = 1_000_000;

/// The states that all updates of a set may visit, but for the last one.
const ALL_STATES: u64 = 100_000;

/// A believed probability this close to 0 or 1 is certainty.
const CERTAIN: f64 = 1e-9;

/// One set at one step, beside the truth.
#[derive(Clone, Debug, Default)]
pub(super) struct TruthSet {
    /// The linear function of the true state, and of a particle drawn by weight; NaN without a particle.
    pub(super) truth: f64,
    pub(super) drawn: f64,
    /// By relation, what the true state has of it and what the drawn particle has.
    pub(super) facts: BTreeMap<String, [f64; 2]>,
    pub(super) calibration: [Bin; BINS],
    pub(super) means: [f64; MEANS.len()],
}

/// A particle: its weight, its state, and whether it is the true history.
type Held = (f64, State, bool);

/// The facts that were met, each with a number that is drawn for it, -1 to 1, and its coefficient in the linear function: a quarter of
/// this and a number that is drawn for its relation. So the function depends on how many facts of which relation there are, and on which.
#[derive(Default)]
struct Facts(IndexMap<String, [f64; 2], rustc_hash::FxBuildHasher>);

impl Facts {
    /// The facts of a state by their places, and its value.
    fn of(&mut self, machine: &Engine, state: &State) -> (Vec<usize>, f64) {
        let drawn = |name: &str| Seed::root(0).child(name).rng().random_range(-1.0..1.0);
        let numbers = |own: f64, fact: &str| [own, drawn(relation(fact)) + own / 4.0];
        let mut value = 0.0;
        let place = |fact| {
            let entry = self.0.entry(fact);
            let at = entry.index();
            value += entry.or_insert_with_key(|fact| numbers(drawn(fact), fact))[1];
            at
        };
        let places = machine.fluents(state).into_iter().map(place).collect();
        (places, value)
    }
}

/// The relation of a fact.
fn relation(fact: &str) -> &str {
    fact.trim_start_matches('(').split([' ', ')']).next().unwrap_or_default()
}

/// One belief along the evidence, until `stop` returns true. A sampler that draws from the posterior of the points ends with them.
pub(super) fn follow(
    machine: &Arc<Engine>,
    replicates: &Replicates<'_>,
    (history, all, points): (&History, &[Evidence], &[EvaluationPoint]),
    seed: &Seed,
    stop: &(dyn Fn() -> bool + Sync),
) -> Evaluated<Vec<TruthSet>> {
    let Replicates { sampler, particles, .. } = *replicates;
    let Some(first) = all.first() else { return Ok(Vec::new()) };
    let draws = sampler.draw_from(&Posterior::default(), 0, seed).is_some();
    let mut following = Following::new(machine, replicates, first.role);
    let (mut scratch, mut facts, mut sets) = (machine.scratch(), Facts::default(), Vec::new());
    let (mut is_depleted, most) = (false, replicates.work / (2 * SETS as u64));
    for evidence in all {
        let point = points.iter().find(|point| point.evidence.step() == evidence.step());
        if stop() || (draws && point.is_none()) || following.states >= ALL_STATES {
            break;
        }
        let seed = seed.index(evidence.step());
        let truth = History(history.0[..evidence.step()].to_vec());
        let state = machine.replay(&truth, &mut scratch);
        let (mut set, mut is_whole): (Vec<Held>, bool) = (Vec::new(), false);
        if let Some(point) = point.filter(|_| draws) {
            let drawn = sampler.draw_from(&point.posterior, particles, &seed).into_iter().flatten();
            set.extend(drawn.map(|at| {
                let state = machine.replay(&point.posterior.histories[at].0, &mut scratch);
                (1.0 / particles as f64, state, point.true_place == Some(at))
            }));
        } else if !is_depleted {
            let budget = Budget::nodes(following.within(most).nodes.map_or(STATES, |left| left.min(STATES)));
            let (_, outcome) = following.update(evidence, budget, &seed)?;
            if following.work >= most {
                break;
            }
            if let Some(belief) = following.belief() {
                set.extend(belief.particles().iter().map(|particle| {
                    let own = belief.state(particle);
                    (particle.weight, own.clone(), *own == state && belief.history(particle) == truth)
                }));
            }
            (is_depleted, is_whole) = (set.is_empty(), outcome == Some(UpdateOutcome::Enumerated));
        }
        let mut compared = compared(machine, &state, &set, &mut facts, &seed);
        let mut legal = Vec::new();
        machine.legal(&state, evidence.role, &mut scratch, &mut legal);
        let weight = |is: &dyn Fn(&Held) -> bool| set.iter().filter(|one| is(one)).map(|one| one.0).sum();
        let weights: [f64; 2] = [weight(&|one| one.2), weight(&|one| one.1 == state)];
        let mut held = weights.map(|weight| if legal.len() > 1 { f64::from(weight > 0.0) } else { f64::NAN });
        // A draw from a posterior of the states is one of the histories that end in its state.
        if draws && point.is_some_and(|point| point.source == PosteriorSource::States) {
            held[0] = f64::NAN;
        }
        let count = if is_whole { set.len() } else { 0 };
        let losses = point.map_or([f64::NAN; 5], |point| {
            losses(point, weights, if set.is_empty() { 0 } else { particles }, particles, count)
        });
        compared.means[..2].copy_from_slice(&held);
        compared.means[2..].copy_from_slice(&losses);
        sets.push(compared);
    }
    evaluated(machine, &mut scratch, sets)
}

/// The set beside the true state, without means.
fn compared(machine: &Engine, truth: &State, set: &[Held], facts: &mut Facts, seed: &Seed) -> TruthSet {
    let (true_facts, value) = facts.of(machine, truth);
    let mut compared = TruthSet { truth: value, drawn: f64::NAN, ..TruthSet::default() };
    let mut left: f64 = seed.child("drawn").rng().random();
    let (mut believed, mut drawn): (Vec<f64>, Vec<usize>) = Default::default();
    for (weight, state, _) in set {
        let (places, value) = facts.of(machine, state);
        believed.resize(facts.0.len(), 0.0);
        places.iter().for_each(|&at| believed[at] += weight);
        // Rounding may leave a remainder behind the last particle.
        (compared.drawn, drawn) = if left >= 0.0 { (value, places) } else { (compared.drawn, drawn) };
        left -= weight;
    }
    for (of, places) in [&true_facts, &drawn].into_iter().enumerate() {
        for (fact, [number, _]) in places.iter().filter_map(|&at| facts.0.get_index(at)) {
            let relation = relation(fact);
            compared.facts.entry(relation.to_owned()).or_default()[of] += 1.0;
            compared.facts.entry(format!("{relation} (drawn)")).or_default()[of] += number;
        }
    }
    let mut is_true = vec![false; facts.0.len()];
    true_facts.into_iter().for_each(|at| is_true[at] = true);
    for (said, is_true) in believed.into_iter().zip(is_true) {
        if (CERTAIN..=1.0 - CERTAIN).contains(&said) {
            Bin::count(&mut compared.calibration, said, is_true);
        }
    }
    compared
}

/// The logarithm of the number of histories, and the log losses of the true history and of the true state, each with that of the
/// posterior. A sample is smoothed by half a draw for each history or state, so an empty one is a belief that knows nothing. What was
/// enumerated, of which there are `whole` particles, is not smoothed, nor is the posterior; but what gives the truth no probability at
/// all has the loss of a sample that misses it, for an infinite one would be in no mean.
fn losses(point: &EvaluationPoint, held: [f64; 2], draws: usize, particles: usize, whole: usize) -> [f64; 5] {
    let (histories, states) = (point.posterior.histories.len(), point.states());
    let loss = |weight: f64, of: usize, draws: usize, is_exact: bool| {
        let smoothed = (weight * draws as f64 + 0.5) / (draws as f64 + of as f64 / 2.0);
        -if is_exact && weight > 0.0 { weight } else { smoothed }.ln()
    };
    let exact = point.of_truth().unwrap_or_default();
    let state = loss(held[1], states, draws, whole > 0);
    let state_exact = loss(exact[1], states, particles, true);
    match point.source {
        PosteriorSource::None => [f64::NAN; 5],
        PosteriorSource::States => [f64::NAN, f64::NAN, f64::NAN, state, state_exact],
        PosteriorSource::Exact => {
            let history = loss(held[0], histories, draws, whole >= histories);
            let history_exact = loss(exact[0], histories, particles, true);
            [(histories as f64).ln(), history, history_exact, state, state_exact]
        }
    }
}
