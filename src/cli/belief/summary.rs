//! Summary: one sampler with one number of particles, over all its decisions.
//!
//! A decision is a point where the role has more than one legal move and more than one history is possible. Ratios to the
//! floor are averaged geometrically, with a bootstrap interval over the decisions. Where the whole information set is
//! kept, as histories or as states, there is no bias on states and no ratio: such decisions are counted apart.

use serde_json::{Value, json};

use super::row::Row;
use hyperplay_engine::machine::Seed;
use hyperplay_play::belief::meter::{BINS, Bin, Figures, bootstrap};

/// Below this a bias is none.
const EXACT: f64 = 1e-9;

/// Below this a chi-squared test rejects.
pub const LEVEL: f64 = 0.05;

/// A mean with its 95 % interval; NaN where there is none.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The mean.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// The mean of these values; those that are not finite are left out.
    pub fn mean(values: impl Iterator<Item = f64>, seed: &Seed) -> Self {
        let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        let of = |sum: f64, count: usize| if count == 0 { f64::NAN } else { sum / count as f64 };
        let mean = |sample: &[usize]| of(sample.iter().map(|&at| values[at]).sum(), sample.len());
        let (low, high) = bootstrap(values.len(), seed, mean);
        Interval { value: of(values.iter().sum(), values.len()), low, high }
    }

    /// The geometric mean of these ratios.
    pub fn geometric(ratios: impl Iterator<Item = f64>, seed: &Seed) -> Self {
        let Interval { value, low, high } = Interval::mean(ratios.map(f64::ln), seed);
        Interval { value: value.exp(), low: low.exp(), high: high.exp() }
    }
}

/// One sampler with one number of particles against one posterior.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary<'a> {
    /// The spec of the sampler.
    pub sampler: &'a str,
    /// Particles in a set.
    pub particles: usize,
    /// Which posterior.
    pub posterior: &'static str,
    /// Decisions with an exact posterior.
    pub decisions: usize,
    /// Those at which the information set was kept whole.
    pub whole: usize,
    /// Bias TV over its floor, over the other decisions.
    pub bias_over_floor: Interval,
    /// The same for states.
    pub state_bias_over_floor: Interval,
    /// Set TV over its floor.
    pub set_over_floor: Interval,
    /// States for one particle, over all decisions.
    pub states_per_particle: f64,
    /// Those of them in rejuvenation.
    pub rejuvenation_per_particle: f64,
    /// Chi-squared tests, and those with p below [`LEVEL`].
    pub tests: usize,
    /// See `tests`.
    pub rejected: usize,
    /// Mean bias TV and mean floor, over all decisions, whole ones included. So for what follows.
    pub bias_tv: (f64, f64),
    /// Set TV and its floor.
    pub set_tv: (f64, f64),
    /// Different histories over particles.
    pub distinct_fraction: f64,
    /// Moves taken back, or fresh starts, for one particle.
    pub backtracks_per_particle: f64,
    /// States of an update of all particles: the mean, the mean of the medians, the greatest.
    pub update_states: [f64; 3],
    /// Posterior mass of the histories held; the second is what independent draws would hold.
    pub coverage: (f64, f64),
    /// The effective sample size.
    pub ess: f64,
    /// The weight on the truth times the size of the information set; the second is the posterior's.
    pub truth: (f64, f64),
    /// The log loss of marginals; the second is the posterior's.
    pub log_loss: (f64, f64),
    /// The Brier score of marginals; the second is the posterior's.
    pub brier: (f64, f64),
    /// Goal points lost.
    pub regret: Interval,
    /// KL.
    pub kl: f64,
    /// Over all decisions.
    pub calibration: [Bin; BINS],
    /// Over all rows.
    pub depletions: usize,
    /// Seconds of processor time for one update, on average over all rows. Not fixed by the seed.
    pub seconds: f64,
}

/// The summaries of these rows, in the order in which samplers come first.
pub fn summaries<'a>(rows: &'a [Row], seed: u64) -> Vec<Summary<'a>> {
    let mut keys: Vec<(&str, usize, &'static str)> = Vec::new();
    for row in rows {
        let key = (row.sampler.as_str(), row.particles, row.posterior);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.into_iter().map(|key| summary(rows, key, seed)).collect()
}

fn summary<'a>(
    rows: &'a [Row],
    (sampler, particles, posterior): (&'a str, usize, &'static str),
    seed: u64,
) -> Summary<'a> {
    let key = (sampler, particles, posterior);
    let all: Vec<&Row> =
        rows.iter().filter(|row| (row.sampler.as_str(), row.particles, row.posterior) == key).collect();
    let decisions: Vec<&Figures> =
        all.iter().filter(|row| row.is_decision && row.is_exact()).map(|row| &row.figures).collect();
    let sampled: Vec<&Figures> = decisions.iter().copied().filter(|figures| !is_whole(figures)).collect();
    let seed = Seed::root(seed).child("summary");
    let ratio = |name: &str, ratio: &dyn Fn(&Figures) -> f64| {
        let ratios = sampled.iter().map(|figures| ratio(figures)).filter(|&ratio| ratio > 0.0);
        Interval::geometric(ratios, &seed.child(name))
    };
    let mean = |over: &[&Figures], figure: &dyn Fn(&Figures) -> f64| {
        let values: Vec<f64> = over.iter().map(|figures| figure(figures)).filter(|v| v.is_finite()).collect();
        if values.is_empty() { f64::NAN } else { values.iter().sum::<f64>() / values.len() as f64 }
    };
    let mut calibration = [Bin::default(); BINS];
    for figures in &decisions {
        calibration.iter_mut().zip(&figures.calibration).for_each(|(sum, bin)| sum.add(bin, 1.0));
    }
    let fits = || decisions.iter().filter_map(|figures| figures.chi_squared);
    let of_all = |figure: &dyn Fn(&Figures) -> f64| mean(&decisions, figure);
    let every: Vec<&Figures> = all.iter().map(|row| &row.figures).collect();
    Summary {
        sampler,
        particles,
        posterior,
        decisions: decisions.len(),
        whole: decisions.len() - sampled.len(),
        bias_over_floor: ratio("bias", &|figures| figures.bias_tv / figures.bias_tv_floor),
        state_bias_over_floor: ratio("state", &|figures| figures.state_bias_tv / figures.state_bias_tv_floor),
        set_over_floor: ratio("set", &|figures| figures.set_tv / figures.set_tv_floor),
        states_per_particle: of_all(&|figures| figures.costs.states_per_particle.value),
        rejuvenation_per_particle: of_all(&|figures| figures.costs.rejuvenation_per_particle),
        tests: fits().count(),
        rejected: fits().filter(|fit| fit.p < LEVEL).count(),
        bias_tv: (of_all(&|figures| figures.bias_tv), of_all(&|figures| figures.bias_tv_floor)),
        set_tv: (of_all(&|figures| figures.set_tv), of_all(&|figures| figures.set_tv_floor)),
        distinct_fraction: of_all(&|figures| figures.distinct) / particles as f64,
        backtracks_per_particle: of_all(&|figures| figures.costs.backtracks_per_particle),
        update_states: [
            of_all(&|figures| figures.costs.states_per_particle.value) * particles as f64,
            of_all(&|figures| figures.costs.states_median),
            decisions.iter().map(|figures| figures.costs.states_max).fold(f64::NAN, f64::max),
        ],
        coverage: (of_all(&|figures| figures.coverage), of_all(&|figures| figures.coverage_floor)),
        ess: of_all(&|figures| figures.ess),
        truth: (of_all(&|figures| figures.truth.value), of_all(&|figures| figures.truth_exact)),
        log_loss: (of_all(&|figures| figures.log_loss.value), of_all(&|figures| figures.log_loss_exact)),
        brier: (of_all(&|figures| figures.brier.value), of_all(&|figures| figures.brier_exact)),
        regret: Interval::mean(decisions.iter().map(|figures| figures.regret.value), &seed.child("regret")),
        kl: of_all(&|figures| figures.kl),
        calibration,
        depletions: every.iter().map(|figures| figures.depletions).sum(),
        seconds: mean(&every, &|figures| figures.costs.seconds[0]),
    }
}

/// Whether the information set was kept whole in every run.
fn is_whole(figures: &Figures) -> bool {
    figures.state_bias_tv < EXACT
}

impl Summary<'_> {
    /// The summary with the keys of `docs/json.md`; no time.
    pub fn as_json(&self) -> Value {
        json!({
            "sampler": self.sampler,
            "particles": self.particles,
            "posterior": self.posterior,
            "decisions": self.decisions,
            "whole": self.whole,
            "bias_over_floor": self.bias_over_floor.value,
            "bias_over_floor_low": self.bias_over_floor.low,
            "bias_over_floor_high": self.bias_over_floor.high,
            "state_bias_over_floor": self.state_bias_over_floor.value,
            "state_bias_over_floor_low": self.state_bias_over_floor.low,
            "state_bias_over_floor_high": self.state_bias_over_floor.high,
            "set_over_floor": self.set_over_floor.value,
            "set_over_floor_low": self.set_over_floor.low,
            "set_over_floor_high": self.set_over_floor.high,
            "states_per_particle": self.states_per_particle,
            "rejuvenation_states_per_particle": self.rejuvenation_per_particle,
            "chi_squared_tests": self.tests,
            "chi_squared_rejected": self.rejected,
            "bias_tv": self.bias_tv.0,
            "bias_tv_floor": self.bias_tv.1,
            "set_tv": self.set_tv.0,
            "set_tv_floor": self.set_tv.1,
            "distinct_fraction": self.distinct_fraction,
            "backtracks_per_particle": self.backtracks_per_particle,
            "coverage": self.coverage.0,
            "coverage_floor": self.coverage.1,
            "ess": self.ess,
            "kl": self.kl,
            "truth": self.truth.0,
            "truth_exact": self.truth.1,
            "log_loss": self.log_loss.0,
            "log_loss_exact": self.log_loss.1,
            "brier": self.brier.0,
            "brier_exact": self.brier.1,
            "regret": self.regret.value,
            "regret_low": self.regret.low,
            "regret_high": self.regret.high,
            "calibration": self.calibration.iter().map(|bin| json!([bin.count, bin.said, bin.held])).collect::<Value>(),
            "depletions": self.depletions,
        })
    }
}
