//! Rows of costs: one sampler at one step, and how every column is read off a row.

use std::sync::LazyLock;

use super::super::columns::defined;
use super::super::harness::MethodCounts;
use super::{CostPlan, CostSample};
use hyperplay_report::{Column, Mean, Reader, TableEntry};
use hyperplay_think::belief::UpdateCost;

/// The updates of one sampler at one step.
#[derive(Clone, PartialEq, Debug)]
pub struct CostRow {
    /// Joint moves made.
    pub step: usize,
    /// The spec of the sampler.
    pub sampler: String,
    /// Whether its particles are independent draws from the posterior.
    pub is_unbiased: bool,
    /// Updates that ended within the limit and left particles. All that follows is over these.
    pub updates: usize,
    /// Updates that did not; their beliefs are not followed further.
    pub unfinished: usize,
    /// How the particles were found.
    pub methods: MethodCounts,
    /// Processor time of an update in seconds: mean, median and greatest.
    pub seconds: [f64; 3],
    /// The time over that of the cheapest other unbiased sampler that finished all its updates; NaN if there is none.
    pub over_unbiased: f64,
    /// The same with all other samplers, whatever their bias.
    pub over_cheapest: f64,
    /// The mean number of independent draws that the particles count as.
    pub effective: f64,
    /// States visited for one particle.
    pub states_per_particle: f64,
    /// Steps drawn at random and compared with the observation, for one particle.
    pub attempts_per_particle: f64,
    /// The share of them that agreed; NaN without any.
    pub acceptance: f64,
}

/// The updates of every sampler at one step, by the number of the sampler.
type AtStep<'a> = Vec<Vec<&'a CostSample>>;

impl CostPlan {
    /// The rows of these updates.
    pub(super) fn rows(&self, samples: &[CostSample]) -> Vec<CostRow> {
        let last = samples.iter().map(|sample| sample.step).max().unwrap_or(0);
        (1..=last).flat_map(|step| self.rows_at(step, samples)).collect()
    }

    fn rows_at(&self, step: usize, samples: &[CostSample]) -> Vec<CostRow> {
        let mut at_step: AtStep<'_> = vec![Vec::new(); self.samplers.len()];
        samples.iter().filter(|sample| sample.step == step).for_each(|one| at_step[one.sampler].push(one));
        let measured = (0..self.samplers.len()).filter(|&sampler| !at_step[sampler].is_empty());
        measured.map(|sampler| self.row(step, sampler, &at_step)).collect()
    }

    fn row(&self, step: usize, sampler: usize, at_step: &AtStep<'_>) -> CostRow {
        let spec = &self.samplers[sampler];
        let made: Vec<&CostSample> = at_step[sampler].iter().copied().filter(|one| one.is_finished).collect();
        let mut seconds: Vec<f64> = made.iter().map(|one| one.update.seconds).collect();
        seconds.sort_unstable_by(f64::total_cmp);
        let at =
            |place: Option<usize>| place.and_then(|place| seconds.get(place)).copied().unwrap_or(f64::NAN);
        let sum = |figure: &dyn Fn(&UpdateCost) -> u64| {
            made.iter().map(|one| figure(&one.update.cost) as f64).sum::<f64>()
        };
        let particles = (made.len() * self.particles) as f64;
        let attempts = sum(&|cost| cost.attempts);
        let others = || (0..self.samplers.len()).filter(move |&other| other != sampler);
        CostRow {
            step,
            sampler: spec.spec().to_string(),
            is_unbiased: self.is_unbiased(sampler),
            updates: made.len(),
            unfinished: at_step[sampler].len() - made.len(),
            methods: made.iter().map(|one| one.update.method).collect(),
            seconds: [
                Mean::of(seconds.iter().copied()).value,
                at(Some(seconds.len() / 2)),
                at(seconds.len().checked_sub(1)),
            ],
            over_unbiased: over(&made, at_step, others().filter(|&other| self.is_unbiased(other))),
            over_cheapest: over(&made, at_step, others()),
            effective: Mean::of(made.iter().map(|one| one.effective)).value,
            states_per_particle: sum(&|cost| cost.states) / particles,
            attempts_per_particle: attempts / particles,
            acceptance: sum(&|cost| cost.accepted) / attempts,
        }
    }

    fn is_unbiased(&self, sampler: usize) -> bool {
        self.samplers[sampler].sampler().is_independent()
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

/// The columns of a table of costs.
pub static COST_COLUMNS: LazyLock<Vec<Column<CostRow>>> = LazyLock::new(|| {
    let readers: &[Reader<CostRow>] = &[
        ("step", |row| row.step.into()),
        ("sampler", |row| row.sampler.as_str().into()),
        ("unbiased", |row| TableEntry::Flag(row.is_unbiased)),
        ("updates", |row| row.updates.into()),
        ("unfinished", |row| row.unfinished.into()),
        ("method", |row| row.methods.to_string().as_str().into()),
        ("seconds_mean", |row| row.seconds[0].into()),
        ("seconds_median", |row| row.seconds[1].into()),
        ("seconds_max", |row| row.seconds[2].into()),
        ("over_unbiased", |row| row.over_unbiased.into()),
        ("over_cheapest", |row| row.over_cheapest.into()),
        ("effective_particles", |row| row.effective.into()),
        ("effective_particles_per_second", |row| (row.effective / row.seconds[0]).into()),
        ("states_per_particle", |row| row.states_per_particle.into()),
        ("attempts_per_particle", |row| row.attempts_per_particle.into()),
        ("acceptance", |row| row.acceptance.into()),
    ];
    defined("cost", readers)
});
