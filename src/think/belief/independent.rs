//! Independent: draws from the exact posterior, without weights. Every other sampler is compared with this control.
//!
//! An information set of more than [`LIMIT`] histories counts as depleted.

use std::sync::Arc;

use rand::{Rng, RngExt};
use rustc_hash::FxHashMap;

use super::exact::{self, ExactError, Posterior};
use super::{BoxedBelief, Histories, HistoryBelief, Sampler, SharedModel, TracedHistory, UpdateOutcome};
use hyperplay_machine::{Budget, Bulk, Evidence, Role, Seed};

/// The largest information set that is enumerated.
const LIMIT: usize = 1 << 20;

/// Draws the given number of histories independently; they are given as positions in the list of the posterior.
pub fn draws(posterior: &Posterior, count: usize, rng: &mut impl Rng) -> Vec<usize> {
    let sums: Vec<f64> = posterior
        .histories
        .iter()
        .scan(0.0, |sum, (_, probability)| {
            *sum += probability;
            Some(*sum)
        })
        .collect();
    let all = sums.last().copied().unwrap_or(0.0);
    let one = |_| {
        let place = rng.random::<f64>() * all;
        sums.partition_point(|&sum| sum <= place).min(sums.len() - 1)
    };
    (0..count).map(one).collect()
}

/// Samples by independent draws from the exact posterior, which is enumerated at every update.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_think::belief::{IndependentSampler, OpponentModel, Sampler, Uniform, draws, exact};
///
/// let model: Arc<dyn OpponentModel> = Arc::new(Uniform);
/// let mut belief = IndependentSampler.belief(&machine, candidate, &model, 100);
/// belief.update(&evidence, &Budget::UNLIMITED, &Seed::root(1));
/// let held: Vec<History> = belief.particles().iter().map(|particle| belief.history(particle)).collect();
///
/// // The same by hand.
/// let posterior = exact::posterior(&*machine, &evidence, &Uniform, 1_000)?;
/// let drawn = draws(&posterior, 100, &mut Seed::root(1).rng());
/// assert!(drawn.iter().zip(&held).all(|(&at, history)| posterior.histories[at].0 == *history));
/// let sampler: &dyn Sampler<Interpreter> = &IndependentSampler;
/// assert_eq!(sampler.draw_from(&posterior, 100, &Seed::root(1)), Some(drawn));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct IndependentSampler;

impl<M: Bulk + 'static> Sampler<M> for IndependentSampler {
    fn belief(&self, machine: &Arc<M>, role: Role, model: &SharedModel, particles: usize) -> BoxedBelief<M> {
        Box::new(HistoryBelief::new(machine, role, model, particles, follow))
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn draw_from(&self, posterior: &Posterior, particles: usize, seed: &Seed) -> Option<Vec<usize>> {
        Some(draws(posterior, particles, &mut seed.rng()))
    }
}

fn follow<M: Bulk>(
    histories: &mut Histories<M>,
    evidence: &Evidence,
    _: &Budget,
    seed: &Seed,
) -> UpdateOutcome {
    let posterior = match exact::posterior(&*histories.machine, evidence, &*histories.model, LIMIT) {
        Ok(posterior) => posterior,
        Err(error) => {
            histories.replace(Vec::new());
            return match error {
                ExactError::TooLarge { step, .. } | ExactError::TooManyStates { step, .. } => {
                    UpdateOutcome::Depleted { step }
                }
                ExactError::Failed(failure) => {
                    histories.fail(failure);
                    UpdateOutcome::Depleted { step: evidence.step() }
                }
                ExactError::Inconsistent(step) => UpdateOutcome::Inconsistent { step },
            };
        }
    };
    histories.cost_mut().states += posterior.states;
    let mut traced: FxHashMap<usize, TracedHistory<M::State>> = FxHashMap::default();
    let drawn = draws(&posterior, histories.wanted, &mut seed.rng()).into_iter().map(|at| {
        let history = traced.entry(at).or_insert_with(|| histories.trace(&posterior.histories[at].0));
        (history.clone(), 1.0)
    });
    let drawn = drawn.collect();
    histories.replace(drawn);
    UpdateOutcome::Sampled
}
