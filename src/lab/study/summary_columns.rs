//! The columns of a summary.

use super::column;
use super::row::{CALIBRATION, bins};
use super::summary::StudySummary;
use crate::report::Column;
use crate::report::Format::{Digits, Number, Parts, Text};

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
        "the same for the states that the histories end in, where there is more than one",
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
