//! Times: the columns of a study that the seed does not determine.

use super::column;
use super::row::{MATCH, PARTICLES, POSTERIOR, ROLE, SAMPLER, STEP, StudyRow};
use crate::report::Column;
use crate::report::Format::Digits;

/// The columns of `timings.jsonl`: processor times of an update, which the seed does not determine.
pub const TIME_COLUMNS: [Column<StudyRow>; 11] = [
    SAMPLER,
    PARTICLES,
    POSTERIOR,
    MATCH,
    ROLE,
    STEP,
    column(
        ("seconds_mean", "mean", "seconds"),
        "processor time of the update of this step alone, mean over replicates",
        Digits(6),
        |row| row.figures.costs.seconds[0].into(),
    ),
    column(("seconds_median", "median", "seconds"), "the median of the same", Digits(6), |row| {
        row.figures.costs.seconds[1].into()
    }),
    column(("seconds_max", "most", "seconds"), "the greatest of the same", Digits(6), |row| {
        row.figures.costs.seconds[2].into()
    }),
    column(
        ("particles_per_second", "particles/s", "particles a second"),
        "particles asked for over the mean time",
        Digits(0),
        |row| (row.particles as f64 / row.figures.costs.seconds[0]).into(),
    ),
    column(
        ("effective_particles_per_second", "effective/s", "particles a second"),
        "effective particles over the mean time: those asked for where they are independent draws or an enumeration, otherwise the effective sample size",
        Digits(0),
        |row| (row.figures.effective_particles / row.figures.costs.seconds[0]).into(),
    ),
];
