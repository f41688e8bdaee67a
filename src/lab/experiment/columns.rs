//! The columns of the tables of experiments, as `columns.tsv` defines them: the names of fields of their rows.

use crate::report::{Column, defined};

/// The columns of these tables of `columns.tsv`, one after the other.
pub(super) fn columns(tables: &[&str]) -> Vec<Column> {
    tables.iter().flat_map(|table| defined(include_str!("columns.tsv"), &[], table)).collect()
}
