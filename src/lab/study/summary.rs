//! Summary: one sampler with one number of particles, over all its decisions.
//!
//! A decision is a point where the role has more than one legal move and more than one history is possible. A ratio is
//! the sum of a distance over the decisions, divided by the sum of the same distance of the [control](super::harness::Control)
//! at the same decisions: independent draws from the posterior, of as many particles in as many replicates. It is a
//! ratio of arithmetic means. A mean of ratios would not do: where a decision has few histories its distance is one
//! absolute error, and the geometric mean of such errors over their expectation is 0.6 to 1 for perfect sampling, by
//! Jensen's inequality. Intervals are a bootstrap over the decisions. Decisions at which the information set was
//! enumerated in every replicate are counted separately and are in no ratio.

use super::harness::{BINS, Bin, Control, Figures, MethodCounts};
use super::row::{CALIBRATION, StudyRow, bins, column};
use crate::report::Format::{Digits, Number, Parts, Text};
use crate::report::{Column, Mean, MeanInterval};
use hyperplay_engine::machine::Seed;

/// A chi-squared test rejects where its p is below this.
pub const LEVEL: f64 = 0.05;

/// A mean of a figure, and the mean of what it is compared with: the same figure of independent draws or of the posterior.
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
    /// Bias TV over that of the control, over the other decisions.
    pub bias_over_control: MeanInterval,
    /// The same for states.
    pub state_bias_over_control: MeanInterval,
    /// Set TV over that of the control.
    pub set_over_control: MeanInterval,
    /// How the particles were found, over all replicates of all decisions.
    pub methods: MethodCounts,
    /// Steps drawn and compared with the observation, for one particle.
    pub attempts_per_particle: f64,
    /// The share of them that agreed; NaN without any.
    pub acceptance: f64,
    /// States for one particle, over all decisions.
    pub states_per_particle: f64,
    /// The part of them in rejuvenation.
    pub rejuvenation_per_particle: f64,
    /// Chi-squared tests, and those with p below 0.05.
    pub tests: usize,
    /// See `tests`.
    pub rejected: usize,
    /// Bias TV and that of the control, over all decisions, the enumerated ones included. So for what follows.
    pub bias_tv: Compared,
    /// Its expectation under independent draws.
    pub bias_tv_baseline: f64,
    /// Set TV and that of the control.
    pub set_tv: Compared,
    /// Its expectation under independent draws.
    pub set_tv_baseline: f64,
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
    /// Effective particles over the seconds, over all rows.
    pub effective_per_second: f64,
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
    let rows: Vec<&StudyRow> = all.iter().copied().filter(|row| row.is_decision && row.is_exact()).collect();
    let decisions: Vec<&Figures> = rows.iter().map(|row| &row.figures).collect();
    let sampled: Vec<&StudyRow> = rows.iter().copied().filter(|row| !row.figures.is_enumerated()).collect();
    let seed = Seed::root(seed).child("summary");
    let ratio = |name: &str, pair: &dyn Fn(&StudyRow) -> (f64, f64)| {
        let pairs = sampled.iter().map(|row| pair(row));
        MeanInterval::ratio_of_sums(pairs, &mut seed.child(name).rng())
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
    let beside = |value: &dyn Fn(&Figures) -> f64, control: &dyn Fn(&Control) -> f64| Compared {
        value: of_all(value),
        other: Mean::of(rows.iter().map(|row| control(&row.control)).filter(|value| value.is_finite())).value,
    };
    let mut methods = MethodCounts::default();
    decisions.iter().for_each(|figures| methods.add(&figures.methods));
    let attempts = of_all(&|figures| figures.costs.attempts_per_particle);
    let accepted = of_all(&|figures| {
        let costs = &figures.costs;
        if costs.attempts_per_particle > 0.0 { costs.attempts_per_particle * costs.acceptance } else { 0.0 }
    });
    let every: Vec<&Figures> = all.iter().map(|row| &row.figures).collect();
    let seconds = mean(&every, &|figures| figures.costs.seconds[0]);
    let regrets = decisions.iter().map(|figures| figures.regret.value);
    StudySummary {
        sampler: sampler.to_owned(),
        particles,
        posterior,
        decisions: decisions.len(),
        enumerated: decisions.len() - sampled.len(),
        bias_over_control: ratio("bias", &|row| (row.figures.bias_tv, row.control.bias_tv)),
        state_bias_over_control: ratio("state", &|row| {
            (row.figures.state_bias_tv, row.control.state_bias_tv)
        }),
        set_over_control: ratio("set", &|row| (row.figures.set_tv, row.control.set_tv)),
        methods,
        attempts_per_particle: attempts,
        acceptance: accepted / attempts,
        states_per_particle: of_all(&|figures| figures.costs.states_per_particle.value),
        rejuvenation_per_particle: of_all(&|figures| figures.costs.rejuvenation_per_particle),
        tests: fits().count(),
        rejected: fits().filter(|fit| fit.p < LEVEL).count(),
        bias_tv: beside(&|figures| figures.bias_tv, &|control| control.bias_tv),
        bias_tv_baseline: of_all(&|figures| figures.bias_tv_baseline),
        set_tv: beside(&|figures| figures.set_tv, &|control| control.set_tv),
        set_tv_baseline: of_all(&|figures| figures.set_tv_baseline),
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
        seconds,
        effective_per_second: mean(&every, &|figures| figures.effective_particles) / seconds,
    }
}

const TIMES: &str = "times that of the draws";
const PROBABILITY: &str = "probability";

/// The columns of a summary.
pub const SUMMARY_COLUMNS: [Column<StudySummary>; 47] = [
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
        "decisions at which the particles are the complete posterior, enumerated in every replicate; these are in no ratio",
        Number,
        |all| all.enumerated.into(),
    ),
    column(
        ("bias_over_control", "bias TV/draws", TIMES),
        "sum of bias TV over the other decisions, divided by that of as many independent draws at the same decisions",
        Digits(2),
        |all| all.bias_over_control.value.into(),
    ),
    column(
        ("bias_over_control_low", "from", TIMES),
        "lower end of its 95 % interval (bootstrap over decisions)",
        Digits(2),
        |all| all.bias_over_control.low.into(),
    ),
    column(("bias_over_control_high", "to", TIMES), "upper end of this interval", Digits(2), |all| {
        all.bias_over_control.high.into()
    }),
    column(
        ("state_bias_over_control", "on states", TIMES),
        "the same for the states that the histories end in",
        Digits(2),
        |all| all.state_bias_over_control.value.into(),
    ),
    column(("state_bias_over_control_low", "from", TIMES), "lower end of its interval", Digits(2), |all| {
        all.state_bias_over_control.low.into()
    }),
    column(("state_bias_over_control_high", "to", TIMES), "upper end of its interval", Digits(2), |all| {
        all.state_bias_over_control.high.into()
    }),
    column(("set_over_control", "set TV/draws", TIMES), "the same for set TV", Digits(2), |all| {
        all.set_over_control.value.into()
    }),
    column(("set_over_control_low", "from", TIMES), "lower end of its interval", Digits(2), |all| {
        all.set_over_control.low.into()
    }),
    column(("set_over_control_high", "to", TIMES), "upper end of its interval", Digits(2), |all| {
        all.set_over_control.high.into()
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
    column(("method", "method", ""), "as in the rows, over all replicates of all decisions", Text, |all| {
        all.methods.to_string().as_str().into()
    }),
    column(("attempts_per_particle", "attempts", "steps a particle"), "as in the rows", Digits(1), |all| {
        all.attempts_per_particle.into()
    }),
    column(("acceptance", "acceptance", "share"), "as in the rows", Digits(3), |all| all.acceptance.into()),
    column(("chi_squared_tests", "tests", "tests"), "chi-squared tests", Number, |all| all.tests.into()),
    column(
        ("chi_squared_rejected", "rejected", "tests"),
        "the part of them with p below 0.05",
        Number,
        |all| all.rejected.into(),
    ),
    column(("bias_tv", "bias TV", PROBABILITY), "as in the rows", Digits(4), |all| all.bias_tv.value.into()),
    column(("bias_tv_control", "draws", PROBABILITY), "as in the rows", Digits(4), |all| {
        all.bias_tv.other.into()
    }),
    column(("bias_tv_baseline", "baseline", PROBABILITY), "as in the rows", Digits(4), |all| {
        all.bias_tv_baseline.into()
    }),
    column(("set_tv", "set TV", PROBABILITY), "as in the rows", Digits(3), |all| all.set_tv.value.into()),
    column(("set_tv_control", "draws", PROBABILITY), "as in the rows", Digits(3), |all| {
        all.set_tv.other.into()
    }),
    column(("set_tv_baseline", "baseline", PROBABILITY), "as in the rows", Digits(3), |all| {
        all.set_tv_baseline.into()
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
