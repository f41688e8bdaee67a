//! The columns of a summary: how each figure of `columns.tsv` is read off.

use std::sync::LazyLock;

use super::columns::defined;
use super::row::bins;
use super::summary::StudySummary;
use hyperplay_report::{Column, Reader};

/// The columns of a summary.
pub static SUMMARY_COLUMNS: LazyLock<Vec<Column<StudySummary>>> = LazyLock::new(|| {
    let readers: &[Reader<StudySummary>] = &[
        ("sampler", |all| all.sampler.as_str().into()),
        ("particles", |all| all.particles.into()),
        ("posterior", |all| all.posterior.into()),
        ("decisions", |all| all.decisions.into()),
        ("enumerated", |all| all.enumerated.into()),
        ("bias_over_control", |all| all.bias_over_control.value.into()),
        ("bias_over_control_low", |all| all.bias_over_control.low.into()),
        ("bias_over_control_high", |all| all.bias_over_control.high.into()),
        ("state_bias_over_control", |all| all.state_bias_over_control.value.into()),
        ("state_bias_over_control_low", |all| all.state_bias_over_control.low.into()),
        ("state_bias_over_control_high", |all| all.state_bias_over_control.high.into()),
        ("set_over_control", |all| all.set_over_control.value.into()),
        ("set_over_control_low", |all| all.set_over_control.low.into()),
        ("set_over_control_high", |all| all.set_over_control.high.into()),
        ("states_per_particle", |all| all.states_per_particle.into()),
        ("rejuvenation_states_per_particle", |all| all.rejuvenation_per_particle.into()),
        ("method", |all| all.methods.to_string().as_str().into()),
        ("attempts_per_particle", |all| all.attempts_per_particle.into()),
        ("acceptance", |all| all.acceptance.into()),
        ("chi_squared_tests", |all| all.tests.into()),
        ("chi_squared_rejected", |all| all.rejected.into()),
        ("bias_tv", |all| all.bias_tv.value.into()),
        ("bias_tv_control", |all| all.bias_tv.other.into()),
        ("bias_tv_baseline", |all| all.bias_tv_baseline.into()),
        ("set_tv", |all| all.set_tv.value.into()),
        ("set_tv_control", |all| all.set_tv.other.into()),
        ("set_tv_baseline", |all| all.set_tv_baseline.into()),
        ("distinct_fraction", |all| all.distinct_fraction.into()),
        ("backtracks_per_particle", |all| all.backtracks_per_particle.into()),
        ("coverage", |all| all.coverage.value.into()),
        ("coverage_baseline", |all| all.coverage.other.into()),
        ("ess", |all| all.ess.into()),
        ("kl", |all| all.kl.into()),
        ("true_history_ratio", |all| all.true_history_ratio.value.into()),
        ("true_history_ratio_exact", |all| all.true_history_ratio.other.into()),
        ("log_loss", |all| all.log_loss.value.into()),
        ("log_loss_exact", |all| all.log_loss.other.into()),
        ("log_loss_excess", |all| (all.log_loss.value - all.log_loss.other).into()),
        ("brier", |all| all.brier.value.into()),
        ("brier_exact", |all| all.brier.other.into()),
        ("regret", |all| all.regret.value.into()),
        ("regret_low", |all| all.regret.low.into()),
        ("regret_high", |all| all.regret.high.into()),
        ("calibration", |all| bins(&all.calibration)),
        ("depletions", |all| all.depletions.into()),
        ("states_median", |all| all.update_states[1].into()),
        ("states_max", |all| all.update_states[2].into()),
    ];
    defined("summary", readers)
});
