//! The laboratory: many matches, and measurements of beliefs and engines.
//!
//! [`experiment`] plays the matches that one file describes; [`study`] measures beliefs and engines; `hyperplay-report`
//! has the statistics, tables, figures and pages that both are reported with.

#![warn(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

pub mod experiment;
mod failure;
mod parquet_file;
mod shards;
pub mod study;

pub use failure::{LabError, LabResult};
