//! The columns of studies, as `columns.tsv` defines them: the names of fields of [`StudyRow`](super::StudyRow),
//! [`StudySummary`](super::StudySummary) and [`FrontierRow`](super::FrontierRow).

use std::sync::LazyLock;

use super::harness::BINS;
use hyperplay_report::{
    Column, Format, Parts as Names, Reading, Table, defined as defined_by, readings as readings_of,
};

/// The formats that are several figures in one.
const NESTED: [(&str, Format); 2] = [
    ("test", Format::Parts(Names::Object(&["statistic", "freedom", "p", "draws"]), "p", 3)),
    ("bins", Format::Parts(Names::Arrays(BINS, &["count", "said", "held"]), "", 1)),
];

/// The columns that say which row of a study it is.
const PLACE: [&str; 7] = ["game", "sampler", "particles", "posterior", "match", "role", "step"];

/// The definitions of all columns.
pub(super) const COLUMNS: &str = include_str!("columns.tsv");

/// The columns of this table of `columns.tsv`.
pub(super) fn defined(table: &str) -> Vec<Column> {
    defined_by(COLUMNS, &NESTED, table)
}

/// The columns that readers are shown in this view of `views.tsv`.
pub(super) fn readings(view: &str) -> Vec<Reading> {
    readings_of(include_str!("views.tsv"), view)
}

/// The title and the text of this name in `titles.tsv`, for readers.
pub(super) fn titled(name: &'static str) -> (&'static str, String) {
    let Table { title, note, .. } = Table::default().named(include_str!("titles.tsv"), name);
    (title, note)
}

/// The columns of `turns.jsonl` and `rows.csv`.
pub static ROW_COLUMNS: LazyLock<Vec<Column>> = LazyLock::new(|| defined("row"));

/// The columns of `timings.jsonl`: where a row was measured, and processor times of an update, which the seed does not
/// determine.
pub static TIME_COLUMNS: LazyLock<Vec<Column>> = LazyLock::new(|| {
    ROW_COLUMNS.iter().filter(|column| PLACE.contains(&column.name)).copied().chain(defined("time")).collect()
});

/// The columns of a summary.
pub static SUMMARY_COLUMNS: LazyLock<Vec<Column>> = LazyLock::new(|| defined("summary"));

/// The columns of what is measured by the truth alone.
pub static TRUTH_COLUMNS: LazyLock<Vec<Column>> = LazyLock::new(|| defined("truth"));

/// The columns of accuracy against cost.
pub static FRONTIER_COLUMNS: LazyLock<Vec<Column>> = LazyLock::new(|| defined("frontier"));

/// The columns of a summary, and processor times, which the seed does not determine.
pub(super) fn with_times() -> Vec<Column> {
    [&SUMMARY_COLUMNS[..], &defined("benchmark")].concat()
}
