//! The columns of the tables of experiments, as `columns.tsv` defines them: the names of fields of their rows.

use serde::Serialize;

use hyperplay_report::{Column, FEW, Reading, Table, defined, readings as readings_of};

/// The definitions of all columns.
pub(super) const COLUMNS: &str = include_str!("columns.tsv");

/// The title and the note of each table.
pub(super) const TITLES: &str = include_str!("titles.tsv");

/// The columns of these tables of `columns.tsv`, one after the other.
pub(super) fn columns(tables: &[&str]) -> Vec<Column> {
    tables.iter().flat_map(|table| defined(COLUMNS, &[], table)).collect()
}

/// The columns that readers are shown in this view of `views.tsv`.
pub(super) fn readings(view: &str) -> Vec<Reading> {
    readings_of(include_str!("views.tsv"), view)
}

/// The same table for the section of a game: readers are shown all columns but the first, which is the game.
pub(super) fn in_section(table: Table) -> Table {
    let view = table.columns[1..].iter().map(|column| Reading::One(column.name)).collect();
    table.viewed(view)
}

/// The table of this name over deals: the columns of these tables of `columns.tsv`, in its own view of `views.tsv`.
pub(super) fn over_deals<R: Serialize>(name: &'static str, parts: &[&str], rows: &[R]) -> Table {
    let table = Table::of(&columns(parts), rows).named(TITLES, name).viewed(readings(name));
    table.with_few("deals", FEW, "deals")
}
