//! Definitions of columns, read from a text: a line for each column of each table, with its table, name, heading, unit, format
//! and meaning between tabs.
//!
//! So the texts can be read and compared side by side; the table's own file says how each figure is read off a row.
//! Invariant: both have the same names in the same order.

use super::table::{Column, Format, TableEntry};

/// The name of a column, and how it is read off a row.
pub type Reader<R> = (&'static str, fn(&R) -> TableEntry);

/// The columns of this table of the text, read off a row by these functions. The formats of figures that are several in one
/// are given by their names; the others are `text`, `number`, a number of digits, or `~` and a number of rounded digits.
///
/// # Panics
/// If the names of the text and of the functions differ, which a test excludes.
pub fn defined<R>(
    definitions: &'static str,
    nested: &[(&str, Format)],
    table: &str,
    readers: &[Reader<R>],
) -> Vec<Column<R>> {
    let lines = definitions.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let lines: Vec<_> = lines.filter(|line| line[0] == table).collect();
    assert_eq!(lines.len(), readers.len(), "the table {table} has a definition for each function");
    let column = |(line, &(expected, read)): (Vec<&'static str>, &Reader<R>)| {
        let [_, name, head, unit, format, meaning] = line[..] else {
            panic!("a definition has six parts: {line:?}");
        };
        assert_eq!(name, expected, "the order of the table {table}");
        let known = nested.iter().find(|(known, _)| *known == format);
        let format = known.map_or_else(|| format_named(format), |&(_, format)| format);
        Column { name, head, unit, meaning, format, read }
    };
    lines.into_iter().zip(readers).map(column).collect()
}

fn format_named(name: &str) -> Format {
    let digits = |text: &str| text.parse().expect("a format is a word or a number of digits");
    match name {
        "text" => Format::Text,
        "number" => Format::Number,
        _ => name
            .strip_prefix('~')
            .map_or_else(|| Format::Digits(digits(name)), |text| Format::Rounded(digits(text))),
    }
}
