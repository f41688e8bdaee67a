//! Rows of costs: one sampler at one step. The fields are the columns of the table `cost` in `columns.tsv`.

use serde::Serialize;

use super::super::harness::{MethodCounts, Spread};
use super::{CostPlan, CostSample};
use hyperplay_think::belief::UpdateCost;

/// The updates of one sampler at one step.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CostRow {
    /// Joint moves made.
    pub step: usize,
    /// The spec of the sampler.
    pub sampler: String,
    /// Whether its particles are independent draws from the posterior.
    #[serde(rename = "unbiased")]
    pub is_unbiased: bool,
    /// Updates that ended within the limit and left particles. All that follows is over these.
    pub updates: usize,
    /// Updates that did not; their beliefs are not followed further.
    pub unfinished: usize,
    /// How the particles were found.
    #[serde(rename = "method")]
    pub methods: MethodCounts,
    /// Processor time of an update in seconds.
    pub seconds: Spread,
    /// The time over that of the cheapest other unbiased sampler that finished all its updates; NaN if there is none.
    pub over_unbiased: f64,
    /// The same with all other samplers, whatever their bias.
    pub over_cheapest: f64,
    /// Steps drawn at random and compared with the observation, for one particle.
    pub attempts_per_particle: f64,
    /// The share of them that agreed; NaN without any.
    pub acceptance: f64,
}

/// The updates of every sampler at one step, by the number of the sampler.
type AtStep<'a> = Vec<Vec<&'a CostSample>>;

impl CostPlan<'_> {
    /// The rows of these updates.
    pub(super) fn rows(&self, samples: &[CostSample]) -> Vec<CostRow> {
        let last = samples.iter().map(|sample| sample.step).max().unwrap_or(0);
        (1..=last).flat_map(|step| self.rows_at(step, samples)).collect()
    }

    fn rows_at(&self, step: usize, samples: &[CostSample]) -> Vec<CostRow> {
        let mut at_step: AtStep<'_> = vec![Vec::new(); self.study.samplers.len()];
        samples.iter().filter(|sample| sample.step == step).for_each(|one| at_step[one.sampler].push(one));
        let measured = (0..self.study.samplers.len()).filter(|&sampler| !at_step[sampler].is_empty());
        measured.map(|sampler| self.row(step, sampler, &at_step)).collect()
    }

    fn row(&self, step: usize, sampler: usize, at_step: &AtStep<'_>) -> CostRow {
        let spec = &self.study.samplers[sampler];
        let made: Vec<&CostSample> = at_step[sampler].iter().copied().filter(|one| one.is_finished).collect();
        let seconds: Spread = made.iter().map(|one| one.update.seconds).collect();
        let sum = |figure: &dyn Fn(&UpdateCost) -> u64| {
            made.iter().map(|one| figure(&one.update.cost) as f64).sum::<f64>()
        };
        let particles = (made.len() * self.particles) as f64;
        let attempts = sum(&|cost| cost.attempts);
        let others = || (0..self.study.samplers.len()).filter(move |&other| other != sampler);
        CostRow {
            step,
            sampler: spec.spec().to_string(),
            is_unbiased: self.is_unbiased(sampler),
            updates: made.len(),
            unfinished: at_step[sampler].len() - made.len(),
            methods: made.iter().map(|one| one.update.method).collect(),
            seconds,
            over_unbiased: over(&made, at_step, others().filter(|&other| self.is_unbiased(other))),
            over_cheapest: over(&made, at_step, others()),
            attempts_per_particle: attempts / particles,
            acceptance: sum(&|cost| cost.accepted) / attempts,
        }
    }

    fn is_unbiased(&self, sampler: usize) -> bool {
        self.study.samplers[sampler].sampler().is_independent()
    }
}

/// The greatest ratio of the time of these updates to that of another sampler, which is the ratio to the cheapest. Only
/// samplers that finished every update that any sampler finished at this step are compared with; NaN if there is none.
fn over(made: &[&CostSample], at_step: &AtStep<'_>, others: impl Iterator<Item = usize>) -> f64 {
    let finished = |sampler: usize| at_step[sampler].iter().filter(|one| one.is_finished);
    let most = (0..at_step.len()).map(|sampler| finished(sampler).count()).max().unwrap_or(0);
    let own: f64 = made.iter().map(|one| one.update.seconds).sum();
    let ratio = |other: usize| {
        let is_paired = |one: &&&CostSample| made.iter().any(|own| own.case == one.case);
        own / finished(other).filter(is_paired).map(|one| one.update.seconds).sum::<f64>()
    };
    let complete = others.filter(|&other| finished(other).count() == most && !made.is_empty());
    complete.map(ratio).fold(f64::NAN, f64::max)
}
