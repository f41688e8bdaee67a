//! Rows of a study: the figures of one sampler at one point, and the definition of every column.
//!
//! [`ROW_COLUMNS`] defines each figure once; `turns.jsonl`, `rows.csv`, the tables on the terminal and on the page, and the
//! table in `docs/belief-measures.md` follow from it. It has no times, which the seed does not determine: those are in
//! [`TIME_COLUMNS`](super::TIME_COLUMNS).

use super::column;
use super::harness::{Bin, Control, Figures, PosteriorSource};
use crate::report::Format::{Digits, Number, Parts, Text};
use crate::report::{Column, Parts as Names, TableEntry};

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

    fn reference(&self) -> Option<usize> {
        match self.source {
            PosteriorSource::Exact => None,
            PosteriorSource::Reference(particles) => Some(particles),
        }
    }
}

/// The parts of the test.
const TEST: Names = Names::Object(&["statistic", "freedom", "p", "draws"]);

/// The parts of the calibration.
pub(super) const CALIBRATION: Names = Names::Arrays(super::harness::BINS, &["count", "said", "held"]);

/// The bins as an entry.
pub(super) fn bins(bins: &[Bin]) -> TableEntry {
    TableEntry::Nested(
        bins.iter().flat_map(|bin| [bin.count, bin.said, bin.held].map(TableEntry::from)).collect(),
    )
}

const PROBABILITY: &str = "probability";
const HISTORIES: &str = "histories";
const STATES: &str = "states";

/// Where a row was measured: the columns that rows and times have in common.
pub(super) const SAMPLER: Column<StudyRow> =
    column(("sampler", "sampler", ""), "the spec of the sampler", Text, |row| row.sampler.as_str().into());
pub(super) const PARTICLES: Column<StudyRow> =
    column(("particles", "particles", "particles"), "particles asked for", Number, |row| {
        row.particles.into()
    });
pub(super) const POSTERIOR: Column<StudyRow> = column(
    ("posterior", "against", ""),
    "measured against the posterior under: U uniform opponents, P the policies really played, E an equilibrium, M the sampler's own model",
    Text,
    |row| row.posterior.into(),
);
pub(super) const MATCH: Column<StudyRow> =
    column(("match", "match", ""), "the match, counted from 0", Number, |row| row.index.into());
pub(super) const ROLE: Column<StudyRow> =
    column(("role", "role", ""), "the role whose belief is measured", Text, |row| row.role.as_str().into());
pub(super) const STEP: Column<StudyRow> =
    column(("step", "step", "joint moves"), "joint moves made", Number, |row| row.step.into());

/// The columns of `turns.jsonl` and `rows.csv`.
pub const ROW_COLUMNS: [Column<StudyRow>; 58] = [
    SAMPLER,
    PARTICLES,
    POSTERIOR,
    column(
        ("oracle", "oracle", ""),
        "exact: the posterior is enumerated; reference: a large run replaces it",
        Text,
        |row| if row.is_exact() { "exact" } else { "reference" }.into(),
    ),
    column(
        ("reference_particles", "reference", "particles"),
        "particles of the reference run, or null",
        Number,
        |row| row.reference().map_or(TableEntry::Missing, TableEntry::from),
    ),
    MATCH,
    ROLE,
    STEP,
    column(
        ("information_set", "histories", HISTORIES),
        "histories that are possible, or null where they were not counted",
        Number,
        |row| row.counted(row.information_set),
    ),
    column(
        ("distinct_states", "distinct states", STATES),
        "states that these histories end in, or null",
        Number,
        |row| row.counted(row.states),
    ),
    column(
        ("decision", "decision", ""),
        "whether there is more than one history and more than one legal move",
        Number,
        |row| TableEntry::Flag(row.is_decision),
    ),
    column(
        ("bias_tv", "bias TV", PROBABILITY),
        "total variation distance of the mean of all sets from the posterior: the error that more sets do not average out",
        Digits(4),
        |row| row.figures.bias_tv.into(),
    ),
    column(
        ("bias_tv_low", "from", PROBABILITY),
        "lower end of its 95 % interval (bootstrap over replicates)",
        Digits(4),
        |row| row.figures.bias_tv_interval.0.into(),
    ),
    column(("bias_tv_high", "to", PROBABILITY), "upper end of this interval", Digits(4), |row| {
        row.figures.bias_tv_interval.1.into()
    }),
    column(
        ("bias_tv_baseline", "baseline", PROBABILITY),
        "its expectation under independent draws from the posterior",
        Digits(4),
        |row| row.figures.bias_tv_baseline.into(),
    ),
    column(
        ("bias_tv_control", "draws", PROBABILITY),
        "the same figure of as many independent draws from the posterior, measured in as many replicates",
        Digits(4),
        |row| row.control.bias_tv.into(),
    ),
    column(
        ("state_bias_tv", "state bias TV", PROBABILITY),
        "bias_tv for the states that the histories end in, which is what a search is given",
        Digits(4),
        |row| row.figures.state_bias_tv.into(),
    ),
    column(
        ("state_bias_tv_baseline", "baseline", PROBABILITY),
        "its expectation under independent draws",
        Digits(4),
        |row| row.figures.state_bias_tv_baseline.into(),
    ),
    column(
        ("state_bias_tv_control", "draws", PROBABILITY),
        "the same figure of these independent draws",
        Digits(4),
        |row| row.control.state_bias_tv.into(),
    ),
    column(
        ("set_tv", "set TV", PROBABILITY),
        "mean over the sets of their own total variation distance from the posterior",
        Digits(3),
        |row| row.figures.set_tv.into(),
    ),
    column(("set_tv_error", "error", PROBABILITY), "its standard error over replicates", Digits(3), |row| {
        row.figures.set_tv_error.into()
    }),
    column(
        ("set_tv_baseline", "baseline", PROBABILITY),
        "its expectation under independent draws",
        Digits(3),
        |row| row.figures.set_tv_baseline.into(),
    ),
    column(
        ("set_tv_control", "draws", PROBABILITY),
        "the same figure of these independent draws",
        Digits(3),
        |row| row.control.set_tv.into(),
    ),
    column(
        ("kl", "KL", "nats"),
        "Kullback-Leibler divergence of the posterior from the mean of all sets, smoothed by half a draw a history",
        Digits(4),
        |row| row.figures.kl.into(),
    ),
    column(
        ("ess", "ESS", "particles"),
        "mean effective sample size of the particles as reported: 1 over the sum of squared weights",
        Digits(1),
        |row| row.figures.ess.into(),
    ),
    column(("ess_error", "error", "particles"), "its standard error", Digits(1), |row| {
        row.figures.ess_error.into()
    }),
    column(
        ("coverage", "coverage", PROBABILITY),
        "mean posterior mass (or mass of the reference run) of the histories in a set",
        Digits(3),
        |row| row.figures.coverage.into(),
    ),
    column(("coverage_error", "error", PROBABILITY), "its standard error", Digits(3), |row| {
        row.figures.coverage_error.into()
    }),
    column(
        ("coverage_baseline", "baseline", PROBABILITY),
        "its expectation under independent draws",
        Digits(3),
        |row| row.figures.coverage_baseline.into(),
    ),
    column(
        ("distinct", "distinct", HISTORIES),
        "mean number of different histories in a set",
        Digits(1),
        |row| row.figures.distinct.into(),
    ),
    column(
        ("distinct_fraction", "distinct / N", "ratio"),
        "the same number divided by the particles asked for",
        Digits(2),
        |row| (row.figures.distinct / row.particles as f64).into(),
    ),
    column(
        ("true_history_ratio", "true history", "ratio"),
        "mean weight on the true history, times the number of histories: 1 is no better than chance",
        Digits(2),
        |row| row.figures.true_history_ratio.value.into(),
    ),
    column(("true_history_ratio_error", "error", "ratio"), "its standard error", Digits(2), |row| {
        row.figures.true_history_ratio.error.into()
    }),
    column(
        ("true_history_ratio_exact", "exact", "ratio"),
        "the same figure of the posterior itself",
        Digits(2),
        |row| row.figures.true_history_ratio_exact.into(),
    ),
    column(
        ("log_loss", "log loss", "nats"),
        "mean log loss of the marginals of open fluents",
        Digits(4),
        |row| row.figures.log_loss.value.into(),
    ),
    column(("log_loss_error", "error", "nats"), "its standard error", Digits(4), |row| {
        row.figures.log_loss.error.into()
    }),
    column(
        ("log_loss_exact", "exact", "nats"),
        "the same figure of the posterior itself",
        Digits(4),
        |row| row.figures.log_loss_exact.into(),
    ),
    column(
        ("brier", "Brier", "squared probability"),
        "mean Brier score of the marginals of open fluents",
        Digits(4),
        |row| row.figures.brier.value.into(),
    ),
    column(("brier_error", "error", "squared probability"), "its standard error", Digits(4), |row| {
        row.figures.brier.error.into()
    }),
    column(
        ("brier_exact", "exact", "squared probability"),
        "the same figure of the posterior itself",
        Digits(4),
        |row| row.figures.brier_exact.into(),
    ),
    column(
        ("open_fluents", "open fluents", "fluents"),
        "fluents that hold in some possible state and not in all",
        Number,
        |row| row.figures.open_fluents.into(),
    ),
    column(
        ("regret", "regret", "goal points"),
        "goal points lost by choosing by the set instead of by the posterior; null without a choice, or where there is too much to value",
        Digits(2),
        |row| row.figures.regret.value.into(),
    ),
    column(("regret_error", "error", "goal points"), "its standard error", Digits(2), |row| {
        row.figures.regret.error.into()
    }),
    column(
        ("method", "method", ""),
        "how the particles were found: by enumeration, rejection, a particle filter, backtracking or otherwise; with counts of replicates where these differ",
        Text,
        |row| row.figures.methods.to_string().as_str().into(),
    ),
    column(
        ("attempts_per_particle", "attempts", "steps a particle"),
        "steps drawn at random and compared with the observation, for one particle",
        Digits(1),
        |row| row.figures.costs.attempts_per_particle.into(),
    ),
    column(
        ("acceptance", "acceptance", "share"),
        "the share of these steps that agreed, over all replicates, or null",
        Digits(3),
        |row| row.figures.costs.acceptance.into(),
    ),
    column(
        ("states_per_particle", "states", "states a particle"),
        "states visited at this step for one particle, rejuvenation included",
        Digits(1),
        |row| row.figures.costs.states_per_particle.value.into(),
    ),
    column(
        ("states_per_particle_error", "error", "states a particle"),
        "its standard error",
        Digits(1),
        |row| row.figures.costs.states_per_particle.error.into(),
    ),
    column(
        ("rejuvenation_states_per_particle", "in rejuvenation", "states a particle"),
        "the part of these states that was visited in rejuvenation",
        Digits(1),
        |row| row.figures.costs.rejuvenation_per_particle.into(),
    ),
    column(
        ("rejuvenation_moves_per_particle", "moves", "moves a particle"),
        "Metropolis-Hastings moves for one particle",
        Digits(1),
        |row| row.figures.costs.moves_per_particle.into(),
    ),
    column(
        ("rejuvenation_accepted", "accepted", "share"),
        "the share of these moves that led to another history, or null",
        Digits(2),
        |row| row.figures.costs.moves_accepted.into(),
    ),
    column(
        ("backtracks_per_particle", "backtracks", "moves a particle"),
        "moves taken back, or fresh starts, for one particle",
        Digits(2),
        |row| row.figures.costs.backtracks_per_particle.into(),
    ),
    column(
        ("states_median", "median", STATES),
        "states of an update of all particles, median over replicates",
        Digits(0),
        |row| row.figures.costs.states_median.into(),
    ),
    column(
        ("states_max", "most", STATES),
        "the greatest number of these states over replicates",
        Digits(0),
        |row| row.figures.costs.states_max.into(),
    ),
    column(("sets", "sets", "sets"), "sets with particles", Number, |row| row.figures.sets.into()),
    column(
        ("depletions", "depleted", "sets"),
        "sets without a particle, which are in no other figure but the costs",
        Number,
        |row| row.figures.depletions.into(),
    ),
    column(
        ("chi_squared", "chi2 p", ""),
        "test that the draws come from the posterior: statistic, freedom, p, draws; null with one cell",
        Parts(TEST, "p", 3),
        |row| {
            row.figures.chi_squared.map_or(TableEntry::Missing, |fit| {
                TableEntry::Nested(vec![
                    fit.statistic.into(),
                    fit.freedom.into(),
                    fit.p.into(),
                    fit.draws.into(),
                ])
            })
        },
    ),
    column(
        ("calibration", "calibration", "fluents"),
        "ten bins of the marginals: fluents, sum of their marginals, how many are true; a point counts each fluent once",
        Parts(CALIBRATION, "", 1),
        |row| bins(&row.figures.calibration),
    ),
];
