//! Studies: everything that measures beliefs and engines.
//!
//! ```text
//! matches --harness--> points (evidence, posterior) + replicates of each sampler --accuracy--> figures
//!     --plan--> rows --summary--> summaries --views, page, files, benchmark--> tables and figures
//! ```
//!
//! [`StudyPlan`] describes a study of beliefs and makes it; [`harness`] measures one sampler on one match;
//! [`accuracy`] has the distances from a posterior, [`truth_rows`] what needs none. [`cost`] compares the times of samplers step by step.
//! [`speed`] measures how much an engine does in a second. [`response`] measures what a response gains in matches. This
//! module does not print: the caller passes in progress and interrupts.
//!
//! Third-party: `rayon` (replicates side by side), `cpu-time` (processor time), `statrs` (the chi-squared
//! distribution), `rustc-hash`, `serde_json` (files), `thiserror`.

pub mod accuracy;
pub mod benchmark;
mod columns;
pub mod conformance;
pub mod cost;
mod draws;
#[cfg(test)]
mod failing;
pub mod files;
pub mod harness;
mod match_source;
mod page;
mod page_figures;
mod plan;
pub mod response;
mod row;
pub mod speed;
mod summary;
mod tally;
mod truth;
#[cfg(test)]
mod under_equilibrium;
mod views;

pub use columns::{ROW_COLUMNS, SUMMARY_COLUMNS, TIME_COLUMNS, TRUTH_COLUMNS};
pub use match_source::{MatchSource, MatchSourceError};
pub use plan::{LeftOut, Study, StudyError, StudyPlan, StudyProgress};
pub use row::StudyRow;
pub use summary::{StudySummary, summaries};
pub use tally::{DecisionTally, Latest, PlayedMatch};
pub use truth::{TruthPoint, TruthRow, truth_rows};
