//! Figures: the measures of one sampler at one point, over all replicates.
//!
//! A figure that cannot be computed is NaN, such as the error and the interval of a single set.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::accuracy::{GoodnessOfFit, Placed, baseline, expected_coverage, state_baseline};
use super::batch::{ReplicateBatch, calibration, filled, mixture};
use super::fluents::{BINS, Bin, Scores};
use super::methods::MethodCounts;
use super::point::{EvaluationPoint, PosteriorSource};
use super::set::{MeasuredUpdate, SetNumbers};
use hyperplay_machine::Seed;
use hyperplay_report::{Mean, centred};
use hyperplay_think::belief::exact::Posterior;
use hyperplay_think::belief::{UpdateCost, UpdateMethod};

/// A set TV below this counts as none.
pub(in super::super) const NONE: f64 = 1e-9;

/// The part of the posterior that the particles of every replicate are exactly, found by enumeration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exactly {
    /// All of it: every history with its probability.
    Histories,
    /// The distribution of the states: one history of each state has the probability of the state. A distance between
    /// histories says nothing of such a set, however many particles are asked for.
    States,
}

/// The mean, the median and the greatest of some numbers, without those that are not finite; NaN where there is none.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Spread {
    /// The mean.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub mean: f64,
    /// The median.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub median: f64,
    /// The greatest.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub max: f64,
}

impl FromIterator<f64> for Spread {
    fn from_iter<I: IntoIterator<Item = f64>>(numbers: I) -> Self {
        let mut sorted: Vec<f64> = numbers.into_iter().filter(|number| number.is_finite()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        Spread {
            mean: Mean::of(sorted.iter().copied()).value,
            median: sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN),
            max: sorted.last().copied().unwrap_or(f64::NAN),
        }
    }
}

/// The cost of an update, over the replicates.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Costs {
    /// States visited at this step for one particle.
    pub states_per_particle: Mean,
    /// How often a particle took a move back, for one particle.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub backtracks_per_particle: f64,
    /// Steps drawn at random and compared with the observation, for one particle.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub attempts_per_particle: f64,
    /// The share of them that agreed; NaN without any.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub acceptance: f64,
    /// Processor time of the update of this step alone, in seconds. Not fixed by the seed; so for what follows.
    pub seconds: Spread,
    /// The mean of the processor time of all updates up to this step; NaN if a replicate did not end one of them.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub seconds_total: f64,
    /// Independent draws that a set is worth over the mean time.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub independent_draws_per_second: f64,
}

/// The figures of one sampler at one point, over all replicates.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Figures {
    /// Sets that are not empty.
    pub sets: usize,
    /// Sets that are empty.
    pub depletions: usize,
    /// How the particles were found.
    #[serde(rename = "method")]
    pub methods: MethodCounts,
    /// What the particles are exactly, if anything.
    pub exactly: Option<Exactly>,
    /// The mean number of particles in a set.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub held: f64,
    /// The total variation of the mean of all sets from the posterior.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub bias_tv: f64,
    /// The lower end of the 95 % interval of the same, by the bootstrap over replicates.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub bias_tv_low: f64,
    /// The upper end of this interval.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub bias_tv_high: f64,
    /// The expectation of the same under independent draws from the posterior.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub bias_tv_baseline: f64,
    /// As `bias_tv`, for the states that the histories end in.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub state_bias_tv: f64,
    /// The expectation of the same under independent draws from the posterior.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub state_bias_tv_baseline: f64,
    /// The mean over sets of their total variation from the posterior.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub set_tv: f64,
    /// The standard error of the same.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub set_tv_error: f64,
    /// The expectation of the same under independent draws from the posterior.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub set_tv_baseline: f64,
    /// As `set_tv`, for the states that the histories end in.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub state_set_tv: f64,
    /// The number of independent draws from the posterior with this expected set TV; infinite where the particles are
    /// exactly the posterior, or the distribution of its states.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub independent_draws: f64,
    /// The mean effective sample size of the particles as reported (merged, if the sampler merges).
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub ess: f64,
    /// The mean posterior mass of the histories held.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub coverage: f64,
    /// The standard error of the same.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub coverage_error: f64,
    /// The expectation of the same under independent draws from the posterior.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub coverage_baseline: f64,
    /// The mean number of different histories held.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub distinct: f64,
    /// The same number divided by the particles asked for.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub distinct_fraction: f64,
    /// The mean weight on the true history, times the size of the information set: 1 is no better than chance.
    pub true_history_ratio: Mean,
    /// The weight that the posterior itself gives the true history, times the size of the information set.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub true_history_ratio_exact: f64,
    /// The mean log loss of the marginals of open fluents, in nats.
    pub log_loss: Mean,
    /// The log loss of the posterior's own marginals.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub log_loss_exact: f64,
    /// The mean Brier score of the marginals of open fluents.
    pub brier: Mean,
    /// The Brier score of the posterior's own marginals.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub brier_exact: f64,
    /// The number of open fluents.
    pub open_fluents: usize,
    /// The marginals of the open fluents, compared with the true state.
    pub calibration: [Bin; BINS],
    /// The loss by choosing by the set instead of by the posterior, in goal points.
    pub regret: Mean,
    /// The Kullback-Leibler divergence of the posterior from the smoothed mean of all sets.
    #[serde(deserialize_with = "hyperplay_report::or_nan")]
    pub kl: f64,
    /// Whether the sampler draws from the posterior: a test of all particles where they are independent draws without
    /// weights, otherwise of one particle of each replicate, drawn by weight.
    pub chi_squared: Option<GoodnessOfFit>,
    /// The cost of the update.
    #[serde(flatten)]
    pub costs: Costs,
}

/// The figures at a point. `independent` says whether all particles are independent draws without weights.
fn figures(
    point: &EvaluationPoint,
    batches: &[ReplicateBatch],
    particles: usize,
    independent: bool,
    seed: &Seed,
) -> Figures {
    let sets: Vec<&SetNumbers> = batches.iter().flat_map(|batch| &batch.sets).collect();
    let updates: Vec<&MeasuredUpdate> = batches.iter().flat_map(|batch| &batch.updates).collect();
    let (posterior, known) = (&point.posterior, point.known());
    let not_empty = sets.iter().filter(|set| set.held > 0).count();
    let size = known * posterior.histories.len() as f64;
    let over = |figure: &dyn Fn(&SetNumbers) -> f64| Mean::of(sets.iter().map(|set| figure(set)));
    let own = point.fluents.scores(&point.fluents.marginals(posterior), particles);
    let of_scores =
        |figure: &dyn Fn(Scores) -> f64| Mean::of(sets.iter().filter_map(|set| set.scores).map(figure));
    let distinct = over(&|set| set.distinct as f64).value;
    let (coverage, set_tv) = (over(&|set| set.coverage), over(&|set| set.total_variation));
    let state_set_tv = over(&|set| set.state_variation).value;
    let methods: MethodCounts = updates.iter().map(|update| update.method).collect();
    let exactly = match methods.only() {
        Some(UpdateMethod::Enumeration) if set_tv.value < NONE && point.source == PosteriorSource::Exact => {
            Some(Exactly::Histories)
        }
        Some(UpdateMethod::Enumeration) if state_set_tv < NONE => Some(Exactly::States),
        _ => None,
    };
    let independent_draws = if exactly.is_some() { f64::INFINITY } else { point.curve.inverse(set_tv.value) };
    let all = mixture(batches.iter(), posterior.histories.len());
    let bias_tv = known * all.total_variation(posterior);
    let (bias_tv_low, bias_tv_high) = centred(bias_tv, batches.len(), &mut seed.rng(), |sample| {
        let drawn = sample.iter().map(|&at| &batches[at]);
        known * mixture(drawn, posterior.histories.len()).total_variation(posterior)
    });
    let filled = filled(batches.iter(), posterior.histories.len());
    Figures {
        sets: not_empty,
        depletions: sets.len() - not_empty,
        methods,
        exactly,
        held: over(&|set| set.held as f64).value,
        bias_tv,
        bias_tv_low,
        // No distance is above 1; not known stays so.
        bias_tv_high: bias_tv_high.clamp(0.0, 1.0),
        bias_tv_baseline: known * baseline(posterior, particles * sets.len()),
        state_bias_tv: known * all.state_variation(posterior),
        state_bias_tv_baseline: known * state_baseline(posterior, particles * sets.len()),
        set_tv: set_tv.value,
        set_tv_error: set_tv.error,
        set_tv_baseline: known * baseline(posterior, particles),
        state_set_tv,
        independent_draws,
        ess: over(&|set| set.effective).value,
        coverage: coverage.value,
        coverage_error: coverage.error,
        coverage_baseline: known * expected_coverage(posterior, particles),
        distinct,
        distinct_fraction: distinct / particles as f64,
        true_history_ratio: over(&|set| set.truth * size),
        true_history_ratio_exact: point.true_place.map_or(0.0, |place| posterior.histories[place].1) * size,
        log_loss: of_scores(&|scores| scores.log_loss),
        log_loss_exact: own.map_or(f64::NAN, |(scores, _)| scores.log_loss),
        brier: of_scores(&|scores| scores.brier),
        brier_exact: own.map_or(f64::NAN, |(scores, _)| scores.brier),
        open_fluents: point.fluents.truth.len(),
        calibration: calibration(batches),
        regret: if point.values.is_some() { over(&|set| set.regret) } else { Mean::NONE },
        kl: known * filled.divergence(posterior, particles * not_empty),
        chi_squared: chi_squared(posterior, &filled, &sets, (particles * not_empty, independent)),
        costs: costs(&updates, particles, independent_draws),
    }
}

/// The test of all these draws if they are independent; otherwise of one of each set.
fn chi_squared(
    posterior: &Posterior,
    filled: &Placed,
    sets: &[&SetNumbers],
    (draws, is_independent): (usize, bool),
) -> Option<GoodnessOfFit> {
    if is_independent {
        return filled.chi_squared(posterior, draws).filter(|_| draws > 0);
    }
    let drawn: Vec<Option<usize>> = sets.iter().filter(|set| set.held > 0).map(|set| set.drawn).collect();
    let mut counts = Placed::nothing(posterior.histories.len());
    for place in &drawn {
        *place.map_or(&mut counts.outside, |place| &mut counts.weights[place]) += 1.0 / drawn.len() as f64;
    }
    counts.chi_squared(posterior, drawn.len()).filter(|_| !drawn.is_empty())
}

fn costs(updates: &[&MeasuredUpdate], particles: usize, independent_draws: f64) -> Costs {
    let each =
        |figure: &dyn Fn(&UpdateCost) -> u64| updates.iter().map(|one| figure(&one.cost) as f64).sum::<f64>();
    let all = updates.len() as f64 * particles as f64;
    let attempts = each(&|cost| cost.attempts);
    let seconds: Spread = updates.iter().map(|update| update.seconds).collect();
    Costs {
        states_per_particle: Mean::of(
            updates.iter().map(|update| update.cost.states as f64 / particles as f64),
        ),
        backtracks_per_particle: each(&|cost| cost.backtracks) / all,
        attempts_per_particle: attempts / all,
        acceptance: each(&|cost| cost.accepted) / attempts,
        seconds,
        independent_draws_per_second: independent_draws / seconds.mean,
        seconds_total: updates.iter().map(|update| update.seconds_total).sum::<f64>() / updates.len() as f64,
    }
}

/// The figures at every point, in the order of the points; each uses a stream of its own.
pub(super) fn all_figures(
    points: &[&EvaluationPoint],
    batches: &[Vec<ReplicateBatch>],
    particles: usize,
    independent: bool,
    seed: &Seed,
) -> Vec<Figures> {
    let one = |(&point, batches): (&&EvaluationPoint, &Vec<ReplicateBatch>)| {
        figures(point, batches, particles, independent, &seed.child("interval").index(point.evidence.step()))
    };
    points.par_iter().zip(batches).map(one).collect()
}
