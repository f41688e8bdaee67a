//! Times: the columns of a study that the seed does not determine.

use std::sync::LazyLock;

use super::columns::defined;
use super::row::{ROW_COLUMNS, StudyRow};
use hyperplay_report::{Column, Reader};

/// The columns of `timings.jsonl`: where a row was measured, and processor times of an update, which the seed does not determine.
pub static TIME_COLUMNS: LazyLock<Vec<Column<StudyRow>>> = LazyLock::new(|| {
    const PLACE: [&str; 6] = ["sampler", "particles", "posterior", "match", "role", "step"];
    let readers: &[Reader<StudyRow>] = &[
        ("seconds_mean", |row| row.figures.costs.seconds[0].into()),
        ("seconds_median", |row| row.figures.costs.seconds[1].into()),
        ("seconds_max", |row| row.figures.costs.seconds[2].into()),
        ("particles_per_second", |row| (row.particles as f64 / row.figures.costs.seconds[0]).into()),
        ("effective_particles_per_second", |row| {
            (row.figures.effective_particles / row.figures.costs.seconds[0]).into()
        }),
    ];
    let place = ROW_COLUMNS.iter().filter(|column| PLACE.contains(&column.name)).copied();
    place.chain(defined("time", readers)).collect()
});
