//! The definitions of the columns of experiments, read from `columns.tsv`.

use hyperplay_report::{Column, Reader, defined};

/// The table of this name in `columns.tsv`.
pub(super) struct Columns(pub &'static str);

impl Columns {
    /// Its columns, read off a row by these functions.
    pub fn read_by<R>(self, readers: &[Reader<R>]) -> Vec<Column<R>> {
        defined(include_str!("columns.tsv"), &[], self.0, readers)
    }
}
