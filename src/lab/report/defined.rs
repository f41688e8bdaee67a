//! Definitions of columns, read from a text: a line for each column of each table, with its table, name, heading, unit, format
//! and meaning between tabs.
//!
//! So the texts can be read and compared side by side. A row has a field of the name of each column
//! ([`fields`](super::row::fields)).

use super::table::{Column, Format};

/// The columns of this table of the text. The formats of figures that are several in one are given by their names; the others
/// are `text`, `number`, a number of digits, or `~` and a number of rounded digits.
///
/// # Panics
/// If a line has not six parts, which a test excludes.
pub(crate) fn defined(definitions: &'static str, nested: &[(&str, Format)], table: &str) -> Vec<Column> {
    let lines = definitions.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let column = |line: Vec<&'static str>| {
        let [_, name, head, unit, format, meaning] = line[..] else {
            panic!("a definition has six parts: {line:?}");
        };
        let known = nested.iter().find(|(known, _)| *known == format);
        let format = known.map_or_else(|| format_named(format), |&(_, format)| format);
        Column { name, head, unit, meaning, format }
    };
    lines.filter(|line| line[0] == table).map(column).collect()
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
