//! One set of particles that follows the evidence of a match, compared with the true history after every step.
//!
//! An update may visit [`STATES`] states, so that a sampler that does not get through a large set ends and is not waited for. A
//! belief without particles is not followed further: its later sets are empty.

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;
use rand::RngExt;

use super::super::harness::{BINS, Bin, EvaluationPoint, PosteriorSource, Replicates, evaluated};
use super::point::MEANS;
use hyperplay_engine::Engine;
use hyperplay_machine::{
    Budget, EvaluationFailure, Evidence, History, Seed, State, StateMachine, StateMachineExt,
};
use hyperplay_think::belief::UpdateOutcome;
use hyperplay_think::belief::exact::Posterior;

/// The states that one update may visit.
const STATES: u64 = 1_000_000;

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
struct Facts(IndexMap<String, [f64; 2]>);

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
) -> Result<Vec<TruthSet>, EvaluationFailure> {
    let Replicates { sampler, model, particles, .. } = *replicates;
    let Some(first) = all.first() else { return Ok(Vec::new()) };
    let nothing = Posterior::default();
    let draws = sampler.draw_from(&nothing, 0, seed).is_some();
    let mut belief = sampler.belief(machine, first.role, model, particles);
    let (mut scratch, mut facts, mut sets) = (machine.scratch(), Facts::default(), Vec::new());
    let mut is_depleted = false;
    for evidence in all {
        let point = points.iter().find(|point| point.evidence.step() == evidence.step());
        if stop() || (draws && point.is_none()) {
            break;
        }
        let seed = seed.index(evidence.step());
        let truth = History(history.0[..evidence.step()].to_vec());
        let state = machine.replay(&truth, &mut scratch);
        let (mut set, mut whole): (Vec<Held>, usize) = (Vec::new(), 0);
        if let Some(point) = point.filter(|_| draws) {
            let drawn = sampler.draw_from(&point.posterior, particles, &seed).into_iter().flatten();
            set.extend(drawn.map(|at| {
                let state = machine.replay(&point.posterior.histories[at].0, &mut scratch);
                (1.0 / particles as f64, state, point.true_place == Some(at))
            }));
        } else if !is_depleted {
            let outcome = belief.update(evidence, &Budget::nodes(STATES), &seed);
            if let Some(failure) = belief.take_failure() {
                return Err(failure);
            }
            set.extend(belief.particles().iter().map(|particle| {
                let own = belief.state(particle);
                (particle.weight, own.clone(), *own == state && belief.history(particle) == truth)
            }));
            is_depleted = set.is_empty();
            whole = if outcome == UpdateOutcome::Enumerated { set.len() } else { 0 };
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
        let draws = if set.is_empty() { 0 } else { particles };
        let losses = point.map_or([f64::NAN; 5], |point| losses(point, weights, (draws, whole)));
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
/// posterior. A sample is smoothed by half a draw for each history or state, so an empty one is a belief that knows nothing; what was
/// enumerated is not.
fn losses(point: &EvaluationPoint, weights: [f64; 2], (draws, whole): (usize, usize)) -> [f64; 5] {
    let (histories, states, draws) = (point.posterior.histories.len(), point.states(), draws as f64);
    let smoothed = |weight: f64, of: usize| -((weight * draws + 0.5) / (draws + of as f64 / 2.0)).ln();
    let exact =
        point.of_truth().map_or([f64::NAN; 2], |of_truth| of_truth.map(|probability| -probability.ln()));
    let [size, history, history_exact] = match point.source {
        PosteriorSource::States | PosteriorSource::None => [f64::NAN; 3],
        PosteriorSource::Exact if whole >= histories => [(histories as f64).ln(), -weights[0].ln(), exact[0]],
        PosteriorSource::Exact => [(histories as f64).ln(), smoothed(weights[0], histories), exact[0]],
    };
    let state = if whole > 0 { -weights[1].ln() } else { smoothed(weights[1], states) };
    [size, history, history_exact, state, exact[1]]
}
