//! The definitions of the figures of studies, read from `columns.tsv`.

use super::harness::BINS;
use hyperplay_report::{Column, Format, Parts as Names, Reader, defined as defined_by};

/// The formats that are several figures in one.
const NESTED: [(&str, Format); 2] = [
    ("test", Format::Parts(Names::Object(&["statistic", "freedom", "p", "draws"]), "p", 3)),
    ("bins", Format::Parts(Names::Arrays(BINS, &["count", "said", "held"]), "", 1)),
];

/// The columns of this table of `columns.tsv`, read off a row by these functions.
pub(super) fn defined<R>(table: &str, readers: &[Reader<R>]) -> Vec<Column<R>> {
    defined_by(include_str!("columns.tsv"), &NESTED, table, readers)
}
