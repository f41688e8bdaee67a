//! The definitions of the figures of studies, read from `columns.tsv`: a line for each column of each table.
//!
//! The file has the texts (name, heading, unit, format, meaning), so that they can be read and compared side by side; the table's
//! own file says how each figure is read off a row. Invariant: both have the same names in the same order.

use super::harness::BINS;
use crate::report::Format::{Digits, Number, Parts, Text};
use crate::report::{Column, Format, Parts as Names, TableEntry};

const DEFINITIONS: &str = include_str!("columns.tsv");

/// The name of a column, and how its figure is read off a row.
pub(super) type Reader<R> = (&'static str, fn(&R) -> TableEntry);

/// The columns of this table of `columns.tsv`, read off a row by these functions.
///
/// # Panics
/// If the names of the file and of the functions differ, which a test excludes.
pub(super) fn defined<R>(table: &str, readers: &[Reader<R>]) -> Vec<Column<R>> {
    let lines = DEFINITIONS.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let lines: Vec<_> = lines.filter(|line| line[0] == table).collect();
    assert_eq!(lines.len(), readers.len(), "the table {table} of columns.tsv has a line for each function");
    let pairs = lines.into_iter().zip(readers);
    pairs
        .map(|(line, &(expected, read))| {
            let [_, name, head, unit, format, meaning] = line[..] else {
                panic!("a line of columns.tsv has six parts: {line:?}");
            };
            assert_eq!(name, expected, "the order of the table {table} of columns.tsv");
            Column { name, head, unit, meaning, format: format_named(format), read }
        })
        .collect()
}

/// The format of this name: `text`, `number`, a number of digits, `test` or `bins`.
fn format_named(name: &str) -> Format {
    match name {
        "text" => Text,
        "number" => Number,
        "test" => Parts(Names::Object(&["statistic", "freedom", "p", "draws"]), "p", 3),
        "bins" => Parts(Names::Arrays(BINS, &["count", "said", "held"]), "", 1),
        digits => Digits(digits.parse().expect("a format of columns.tsv is a word or a number of digits")),
    }
}
