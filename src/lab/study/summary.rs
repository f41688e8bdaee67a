//! Summary: one sampler with one number of particles, over all its decisions.
//!
//! A decision is a point where the role has more than one legal move and more than one history is possible. Ratios to
//! the baseline are averaged geometrically, with a bootstrap interval over the decisions. If the information set is
//! enumerated, as histories or as states, there is no bias on states and no ratio, so such decisions are counted
//! separately.

use super::harness::{BINS, Bin, Figures};
use super::row::{CALIBRATION, StudyRow, bins, column};
use crate::report::Format::{Digits, Number, Parts, Text};
use crate::report::{Column, Mean, MeanInterval};
use hyperplay_engine::machine::Seed;

/// A bias below this counts as none.
const EXACT: f64 = 1e-9;

/// A chi-squared test rejects where its p is below this.
pub const LEVEL: f64 = 0.05;

/// A mean of a figure, and the mean of what it is compared with: its baseline, or the same figure of the posterior.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Compared {
    /// The mean of the figure.
    pub value: f64,
    /// The mean of what it is compared with.
    pub other: f64,
}

/// One sampler with one number of particles against one posterior.
#[derive(Clone, PartialEq, Debug)]
pub struct StudySummary {
    /// The spec of the sampler.
    pub sampler: String,
    /// Particles in a set.
    pub particles: usize,
    /// The letter of the posterior.
    pub posterior: &'static str,
    /// Decisions with an exact posterior.
    pub decisions: usize,
    /// The part of them at which the information set was enumerated.
    pub enumerated: usize,
    /// Bias TV over its baseline, over the other decisions.
    pub bias_over_baseline: MeanInterval,
    /// The same for states.
    pub state_bias_over_baseline: MeanInterval,
    /// Set TV over its baseline.
    pub set_over_baseline: MeanInterval,
    /// States for one particle, over all decisions.
    pub states_per_particle: f64,
    /// The part of them in rejuvenation.
    pub rejuvenation_per_particle: f64,
    /// Chi-squared tests, and those with p below 0.05.
    pub tests: usize,
    /// See `tests`.
    pub rejected: usize,
    /// Bias TV and its baseline, over all decisions, the enumerated ones included. So for what follows.
    pub bias_tv: Compared,
    /// Set TV and its baseline.
    pub set_tv: Compared,
    /// Different histories over particles.
    pub distinct_fraction: f64,
    /// Moves taken back, or fresh starts, for one particle.
    pub backtracks_per_particle: f64,
    /// States of an update of all particles: the mean, the mean of the medians, the greatest.
    pub update_states: [f64; 3],
    /// Posterior mass of the histories in a set, and that of independent draws.
    pub coverage: Compared,
    /// The effective sample size.
    pub ess: f64,
    /// The weight on the true history times the size of the information set, and that of the posterior.
    pub true_history_ratio: Compared,
    /// The log loss of marginals, and that of the posterior.
    pub log_loss: Compared,
    /// The Brier score of marginals, and that of the posterior.
    pub brier: Compared,
    /// Goal points lost.
    pub regret: MeanInterval,
    /// KL.
    pub kl: f64,
    /// Over all decisions.
    pub calibration: [Bin; BINS],
    /// Over all rows.
    pub depletions: usize,
    /// Seconds of processor time for one update, on average over all rows. The seed does not determine them.
    pub seconds: f64,
}

/// The summaries of these rows, in the order in which the samplers come first.
pub fn summaries(rows: &[StudyRow], seed: u64) -> Vec<StudySummary> {
    let mut keys: Vec<(&str, usize, &'static str)> = Vec::new();
    for row in rows {
        let key = (row.sampler.as_str(), row.particles, row.posterior);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.into_iter().map(|key| summary(rows, key, seed)).collect()
}

fn summary(rows: &[StudyRow], key: (&str, usize, &'static str), seed: u64) -> StudySummary {
    let (sampler, particles, posterior) = key;
    let all: Vec<&StudyRow> =
        rows.iter().filter(|row| (row.sampler.as_str(), row.particles, row.posterior) == key).collect();
    let decisions: Vec<&Figures> =
        all.iter().filter(|row| row.is_decision && row.is_exact()).map(|row| &row.figures).collect();
    let sampled: Vec<&Figures> =
        decisions.iter().copied().filter(|figures| !is_enumerated(figures)).collect();
    let seed = Seed::root(seed).child("summary");
    let ratio = |name: &str, ratio: &dyn Fn(&Figures) -> f64| {
        let ratios = sampled.iter().map(|figures| ratio(figures)).filter(|&ratio| ratio > 0.0);
        MeanInterval::geometric(ratios, &mut seed.child(name).rng())
    };
    let mean = |over: &[&Figures], figure: &dyn Fn(&Figures) -> f64| {
        Mean::of(over.iter().map(|figures| figure(figures)).filter(|value| value.is_finite())).value
    };
    let mut calibration = [Bin::default(); BINS];
    for figures in &decisions {
        calibration.iter_mut().zip(&figures.calibration).for_each(|(sum, bin)| sum.add(bin, 1.0));
    }
    let fits = || decisions.iter().filter_map(|figures| figures.chi_squared);
    let of_all = |figure: &dyn Fn(&Figures) -> f64| mean(&decisions, figure);
    let compared = |value: &dyn Fn(&Figures) -> f64, other: &dyn Fn(&Figures) -> f64| Compared {
        value: of_all(value),
        other: of_all(other),
    };
    let every: Vec<&Figures> = all.iter().map(|row| &row.figures).collect();
    let regrets = decisions.iter().map(|figures| figures.regret.value);
    StudySummary {
        sampler: sampler.to_owned(),
        particles,
        posterior,
        decisions: decisions.len(),
        enumerated: decisions.len() - sampled.len(),
        bias_over_baseline: ratio("bias", &|figures| figures.bias_tv / figures.bias_tv_baseline),
        state_bias_over_baseline: ratio("state", &|figures| {
            figures.state_bias_tv / figures.state_bias_tv_baseline
        }),
        set_over_baseline: ratio("set", &|figures| figures.set_tv / figures.set_tv_baseline),
        states_per_particle: of_all(&|figures| figures.costs.states_per_particle.value),
        rejuvenation_per_particle: of_all(&|figures| figures.costs.rejuvenation_per_particle),
        tests: fits().count(),
        rejected: fits().filter(|fit| fit.p < LEVEL).count(),
        bias_tv: compared(&|figures| figures.bias_tv, &|figures| figures.bias_tv_baseline),
        set_tv: compared(&|figures| figures.set_tv, &|figures| figures.set_tv_baseline),
        distinct_fraction: of_all(&|figures| figures.distinct) / particles as f64,
        backtracks_per_particle: of_all(&|figures| figures.costs.backtracks_per_particle),
        update_states: [
            of_all(&|figures| figures.costs.states_per_particle.value) * particles as f64,
            of_all(&|figures| figures.costs.states_median),
            decisions.iter().map(|figures| figures.costs.states_max).fold(f64::NAN, f64::max),
        ],
        coverage: compared(&|figures| figures.coverage, &|figures| figures.coverage_baseline),
        ess: of_all(&|figures| figures.ess),
        true_history_ratio: compared(&|figures| figures.true_history_ratio.value, &|figures| {
            figures.true_history_ratio_exact
        }),
        log_loss: compared(&|figures| figures.log_loss.value, &|figures| figures.log_loss_exact),
        brier: compared(&|figures| figures.brier.value, &|figures| figures.brier_exact),
        regret: MeanInterval::of(regrets, &mut seed.child("regret").rng()),
        kl: of_all(&|figures| figures.kl),
        calibration,
        depletions: every.iter().map(|figures| figures.depletions).sum(),
        seconds: mean(&every, &|figures| figures.costs.seconds[0]),
    }
}

/// Whether the information set was enumerated in every replicate.
fn is_enumerated(figures: &Figures) -> bool {
    figures.state_bias_tv < EXACT
}

const TIMES: &str = "times the baseline";
const PROBABILITY: &str = "probability";

/// The columns of a summary.
pub const SUMMARY_COLUMNS: [Column<StudySummary>; 42] = [
    column(("sampler", "sampler", ""), "the spec of the sampler", Text, |all| all.sampler.as_str().into()),
    column(("particles", "particles", "particles"), "particles asked for", Number, |all| {
        all.particles.into()
    }),
    column(("posterior", "against", ""), "as in the rows", Text, |all| all.posterior.into()),
    column(("decisions", "decisions", "decisions"), "decisions with an exact posterior", Number, |all| {
        all.decisions.into()
    }),
    column(
        ("enumerated", "enumerated", "decisions"),
        "decisions at which the information set was enumerated, as histories or as states; these are in no ratio",
        Number,
        |all| all.enumerated.into(),
    ),
    column(
        ("bias_over_baseline", "bias TV/baseline", TIMES),
        "geometric mean over the other decisions of bias TV over its baseline",
        Digits(2),
        |all| all.bias_over_baseline.value.into(),
    ),
    column(
        ("bias_over_baseline_low", "from", TIMES),
        "lower end of its 95 % interval (bootstrap over decisions)",
        Digits(2),
        |all| all.bias_over_baseline.low.into(),
    ),
    column(("bias_over_baseline_high", "to", TIMES), "upper end of this interval", Digits(2), |all| {
        all.bias_over_baseline.high.into()
    }),
    column(
        ("state_bias_over_baseline", "on states", TIMES),
        "the same for the states that the histories end in",
        Digits(2),
        |all| all.state_bias_over_baseline.value.into(),
    ),
    column(("state_bias_over_baseline_low", "from", TIMES), "lower end of its interval", Digits(2), |all| {
        all.state_bias_over_baseline.low.into()
    }),
    column(("state_bias_over_baseline_high", "to", TIMES), "upper end of its interval", Digits(2), |all| {
        all.state_bias_over_baseline.high.into()
    }),
    column(("set_over_baseline", "set TV/baseline", TIMES), "the same for set TV", Digits(2), |all| {
        all.set_over_baseline.value.into()
    }),
    column(("set_over_baseline_low", "from", TIMES), "lower end of its interval", Digits(2), |all| {
        all.set_over_baseline.low.into()
    }),
    column(("set_over_baseline_high", "to", TIMES), "upper end of its interval", Digits(2), |all| {
        all.set_over_baseline.high.into()
    }),
    column(
        ("states_per_particle", "states a particle", "states a particle"),
        "mean over all decisions; so for what follows",
        Digits(2),
        |all| all.states_per_particle.into(),
    ),
    column(
        ("rejuvenation_states_per_particle", "in rejuvenation", "states a particle"),
        "the part of them in rejuvenation",
        Digits(2),
        |all| all.rejuvenation_per_particle.into(),
    ),
    column(("chi_squared_tests", "tests", "tests"), "chi-squared tests", Number, |all| all.tests.into()),
    column(
        ("chi_squared_rejected", "rejected", "tests"),
        "the part of them with p below 0.05",
        Number,
        |all| all.rejected.into(),
    ),
    column(("bias_tv", "bias TV", PROBABILITY), "as in the rows", Digits(4), |all| all.bias_tv.value.into()),
    column(("bias_tv_baseline", "baseline", PROBABILITY), "as in the rows", Digits(4), |all| {
        all.bias_tv.other.into()
    }),
    column(("set_tv", "set TV", PROBABILITY), "as in the rows", Digits(3), |all| all.set_tv.value.into()),
    column(("set_tv_baseline", "baseline", PROBABILITY), "as in the rows", Digits(3), |all| {
        all.set_tv.other.into()
    }),
    column(("distinct_fraction", "distinct / N", "ratio"), "as in the rows", Digits(2), |all| {
        all.distinct_fraction.into()
    }),
    column(
        ("backtracks_per_particle", "backtracks a particle", "moves a particle"),
        "as in the rows",
        Digits(2),
        |all| all.backtracks_per_particle.into(),
    ),
    column(("coverage", "coverage", PROBABILITY), "as in the rows", Digits(3), |all| {
        all.coverage.value.into()
    }),
    column(("coverage_baseline", "baseline", PROBABILITY), "as in the rows", Digits(3), |all| {
        all.coverage.other.into()
    }),
    column(("ess", "ESS", "particles"), "as in the rows", Digits(1), |all| all.ess.into()),
    column(("kl", "KL", "nats"), "as in the rows", Digits(4), |all| all.kl.into()),
    column(("true_history_ratio", "true history", "ratio"), "as in the rows", Digits(2), |all| {
        all.true_history_ratio.value.into()
    }),
    column(("true_history_ratio_exact", "exact", "ratio"), "as in the rows", Digits(2), |all| {
        all.true_history_ratio.other.into()
    }),
    column(("log_loss", "log loss", "nats"), "as in the rows", Digits(4), |all| all.log_loss.value.into()),
    column(("log_loss_exact", "exact", "nats"), "as in the rows", Digits(4), |all| all.log_loss.other.into()),
    column(("log_loss_excess", "log loss - exact", "nats"), "the difference of the two", Digits(4), |all| {
        (all.log_loss.value - all.log_loss.other).into()
    }),
    column(("brier", "Brier", "squared probability"), "as in the rows", Digits(4), |all| {
        all.brier.value.into()
    }),
    column(("brier_exact", "exact", "squared probability"), "as in the rows", Digits(4), |all| {
        all.brier.other.into()
    }),
    column(("regret", "regret", "goal points"), "as in the rows", Digits(3), |all| all.regret.value.into()),
    column(
        ("regret_low", "from", "goal points"),
        "lower end of its 95 % interval (bootstrap over decisions)",
        Digits(3),
        |all| all.regret.low.into(),
    ),
    column(("regret_high", "to", "goal points"), "upper end of this interval", Digits(3), |all| {
        all.regret.high.into()
    }),
    column(
        ("calibration", "calibration", "fluents"),
        "the sum of the bins of the rows",
        Parts(CALIBRATION, "", 1),
        |all| bins(&all.calibration),
    ),
    column(("depletions", "depleted", "sets"), "the sum over all rows", Number, |all| all.depletions.into()),
    column(
        ("states_median", "median", "states"),
        "states of an update of all particles, mean of the medians",
        Digits(0),
        |all| all.update_states[1].into(),
    ),
    column(("states_max", "most", "states"), "the greatest number of these states", Digits(0), |all| {
        all.update_states[2].into()
    }),
];
