//! Rows of a study: the figures of one sampler at one point, and how every column is read off a row.
//!
//! [`ROW_COLUMNS`] has each figure once, as `columns.tsv` defines it; `turns.jsonl`, `rows.csv`, the tables on the terminal and on the page, and the
//! table in `docs/belief-measures.md` follow from it. It has no times, which the seed does not determine: those are in
//! [`TIME_COLUMNS`](super::TIME_COLUMNS).

use std::sync::LazyLock;

use super::columns::defined;
use super::harness::{Bin, Control, Figures, PosteriorSource};
use hyperplay_report::{Column, Reader, TableEntry};

/// The figures of one sampler at one point.
#[derive(Clone, PartialEq, Debug)]
pub struct StudyRow {
    /// The spec of the sampler.
    pub sampler: String,
    /// Particles in a set.
    pub particles: usize,
    /// The letter of the posterior: `U`, `P`, `E` or `M`.
    pub posterior: &'static str,
    /// The match.
    pub index: usize,
    /// The name of the role.
    pub role: String,
    /// Joint moves made.
    pub step: usize,
    /// How the posterior was made.
    pub source: PosteriorSource,
    /// Histories of the posterior.
    pub information_set: usize,
    /// States that they end in.
    pub states: usize,
    /// Whether this is a decision.
    pub is_decision: bool,
    /// The figures.
    pub figures: Figures,
    /// The distances of as many independent draws.
    pub control: Control,
}

impl StudyRow {
    /// Whether the posterior is exact.
    pub fn is_exact(&self) -> bool {
        self.source == PosteriorSource::Exact
    }

    /// A number of the posterior, which a reference run does not have.
    fn counted(&self, count: usize) -> TableEntry {
        if self.is_exact() { count.into() } else { TableEntry::Missing }
    }

    /// The parts of the test, or nothing where there is one cell.
    fn test(&self) -> TableEntry {
        self.figures.chi_squared.map_or(TableEntry::Missing, |fit| {
            let parts = [fit.statistic.into(), fit.freedom.into(), fit.p.into(), fit.draws.into()];
            TableEntry::Nested(parts.to_vec())
        })
    }

    fn reference(&self) -> Option<usize> {
        match self.source {
            PosteriorSource::Exact => None,
            PosteriorSource::Reference(particles) => Some(particles),
        }
    }
}

/// The bins as an entry.
pub(super) fn bins(bins: &[Bin]) -> TableEntry {
    TableEntry::Nested(
        bins.iter().flat_map(|bin| [bin.count, bin.said, bin.held].map(TableEntry::from)).collect(),
    )
}

/// The columns of `turns.jsonl` and `rows.csv`.
pub static ROW_COLUMNS: LazyLock<Vec<Column<StudyRow>>> = LazyLock::new(|| {
    let readers: &[Reader<StudyRow>] = &[
        ("sampler", |row| row.sampler.as_str().into()),
        ("particles", |row| row.particles.into()),
        ("posterior", |row| row.posterior.into()),
        ("oracle", |row| if row.is_exact() { "exact" } else { "reference" }.into()),
        ("reference_particles", |row| row.reference().map_or(TableEntry::Missing, TableEntry::from)),
        ("match", |row| row.index.into()),
        ("role", |row| row.role.as_str().into()),
        ("step", |row| row.step.into()),
        ("information_set", |row| row.counted(row.information_set)),
        ("distinct_states", |row| row.counted(row.states)),
        ("decision", |row| TableEntry::Flag(row.is_decision)),
        ("bias_tv", |row| row.figures.bias_tv.into()),
        ("bias_tv_low", |row| row.figures.bias_tv_interval.0.into()),
        ("bias_tv_high", |row| row.figures.bias_tv_interval.1.into()),
        ("bias_tv_baseline", |row| row.figures.bias_tv_baseline.into()),
        ("bias_tv_control", |row| row.control.bias_tv.into()),
        ("state_bias_tv", |row| row.figures.state_bias_tv.into()),
        ("state_bias_tv_baseline", |row| row.figures.state_bias_tv_baseline.into()),
        ("state_bias_tv_control", |row| row.control.state_bias_tv.into()),
        ("set_tv", |row| row.figures.set_tv.into()),
        ("set_tv_error", |row| row.figures.set_tv_error.into()),
        ("set_tv_baseline", |row| row.figures.set_tv_baseline.into()),
        ("set_tv_control", |row| row.control.set_tv.into()),
        ("kl", |row| row.figures.kl.into()),
        ("ess", |row| row.figures.ess.into()),
        ("ess_error", |row| row.figures.ess_error.into()),
        ("coverage", |row| row.figures.coverage.into()),
        ("coverage_error", |row| row.figures.coverage_error.into()),
        ("coverage_baseline", |row| row.figures.coverage_baseline.into()),
        ("distinct", |row| row.figures.distinct.into()),
        ("distinct_fraction", |row| (row.figures.distinct / row.particles as f64).into()),
        ("true_history_ratio", |row| row.figures.true_history_ratio.value.into()),
        ("true_history_ratio_error", |row| row.figures.true_history_ratio.error.into()),
        ("true_history_ratio_exact", |row| row.figures.true_history_ratio_exact.into()),
        ("log_loss", |row| row.figures.log_loss.value.into()),
        ("log_loss_error", |row| row.figures.log_loss.error.into()),
        ("log_loss_exact", |row| row.figures.log_loss_exact.into()),
        ("brier", |row| row.figures.brier.value.into()),
        ("brier_error", |row| row.figures.brier.error.into()),
        ("brier_exact", |row| row.figures.brier_exact.into()),
        ("open_fluents", |row| row.figures.open_fluents.into()),
        ("regret", |row| row.figures.regret.value.into()),
        ("regret_error", |row| row.figures.regret.error.into()),
        ("method", |row| row.figures.methods.to_string().as_str().into()),
        ("attempts_per_particle", |row| row.figures.costs.attempts_per_particle.into()),
        ("acceptance", |row| row.figures.costs.acceptance.into()),
        ("states_per_particle", |row| row.figures.costs.states_per_particle.value.into()),
        ("states_per_particle_error", |row| row.figures.costs.states_per_particle.error.into()),
        ("rejuvenation_states_per_particle", |row| row.figures.costs.rejuvenation_per_particle.into()),
        ("rejuvenation_moves_per_particle", |row| row.figures.costs.moves_per_particle.into()),
        ("rejuvenation_accepted", |row| row.figures.costs.moves_accepted.into()),
        ("backtracks_per_particle", |row| row.figures.costs.backtracks_per_particle.into()),
        ("states_median", |row| row.figures.costs.states_median.into()),
        ("states_max", |row| row.figures.costs.states_max.into()),
        ("sets", |row| row.figures.sets.into()),
        ("depletions", |row| row.figures.depletions.into()),
        ("chi_squared", |row| row.test()),
        ("calibration", |row| bins(&row.figures.calibration)),
    ];
    defined("row", readers)
});
