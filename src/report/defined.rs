//! Definitions of columns and views, read from texts. Of columns: a line for each column of each table, with its table,
//! name, heading, unit, format and meaning between tabs.
//!
//! So the texts can be read and compared side by side. A row has a field of the name of each column
//! ([`fields`](super::row::fields)). A view has a line for each column that readers are shown: the views that it is in,
//! its heading, and how its cells are made of columns, as in `low..high`.

use super::table::{Column, Format, Reading};

/// The columns of this table of the text. The formats of figures that are several in one are given by their names; the
/// others are `text`, `number`, a number of digits, or `~` and a number of rounded digits.
///
/// # Panics
/// If a line has not six parts, which a test excludes.
pub fn defined(definitions: &'static str, nested: &[(&str, Format)], table: &str) -> Vec<Column> {
    let lines = definitions.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let column = |line: Vec<&'static str>| {
        let [_, name, head, unit, format, meaning] = line[..] else {
            panic!("a definition has six parts: {line:?}");
        };
        let known = nested.iter().find(|(known, _)| *known == format);
        let format = known.map_or_else(|| Format::named(format), |&(_, format)| format);
        Column { name, head, unit, meaning, format }
    };
    lines.filter(|line| line[0] == table).map(column).collect()
}

/// The readings that this view of the text shows to readers.
pub fn readings(views: &'static str, view: &str) -> Vec<Reading> {
    let lines = views.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let shown = |line: Vec<&'static str>| {
        let [of, head, cells] = line[..] else { panic!("a line of a view has three parts: {line:?}") };
        of.split(' ').any(|of| of == view).then(|| reading(head, cells))
    };
    lines.filter_map(shown).collect()
}

/// The column of this heading whose cells look like this.
pub(super) fn reading(head: &'static str, cells: &'static str) -> Reading {
    let joined = |form: &'static str| {
        let (mut names, mut left) = ([""; 3], cells);
        for (name, behind) in names.iter_mut().zip(form.split("{}").skip(1)) {
            (*name, left) = if behind.is_empty() { (left, "") } else { left.split_once(behind)? };
        }
        Some(Reading::Joined(head, form, names))
    };
    Reading::FORMS.into_iter().find_map(joined).unwrap_or(Reading::One(cells))
}
