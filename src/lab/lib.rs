//! The laboratory: measurements of beliefs and engines.
//!
//! [`study`] measures beliefs and engines. [`shards`] and [`parquet_file`] are the files that studies share with the experiments of
//! `hyperplay-experiment`, which stands above this crate; `hyperplay-report` has the statistics, tables, figures and pages that both
//! are reported with.

#![warn(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod failure;
pub mod parquet_file;
pub mod records;
pub mod shards;
pub mod study;

pub use failure::{LabError, LabResult};
