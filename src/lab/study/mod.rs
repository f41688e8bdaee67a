//! Studies: everything that measures beliefs and engines.
//!
//! ```text
//! matches --harness--> points (evidence, posterior) + replicates of each sampler --accuracy--> figures
//!     --plan, measuring--> blocks of rows --summary, frontier--> summaries --views, page, sections, files--> tables and figures
//! ```
//!
//! [`StudyPlan`] describes a study of beliefs in one game and makes it; [`Blocks`] are what is kept of it; [`harness`] measures one
//! sampler on one match; [`accuracy`] has the distances from a posterior, [`truth_rows`] what needs none. [`frontier()`] sets accuracy
//! against cost.
//! [`speed`] measures how much an engine does in a second. [`response`] measures what a response gains in matches, [`policies`]
//! what it gains against players that are asked everywhere. This
//! module does not print: the caller passes in progress and interrupts.
//!
//! Third-party: `rayon` (replicates side by side), `parking_lot` (locks), `cpu-time` (processor time), `statrs` (the chi-squared
//! distribution), `rustc-hash`, `serde_json` (files), `thiserror`.

pub mod accuracy;
mod blocks;
mod columns;
pub mod conformance;
mod draws;
#[cfg(test)]
mod failing;
pub mod files;
mod frontier;
mod game;
pub mod harness;
mod match_source;
mod measuring;
mod page;
mod page_figures;
mod particle_sets;
mod plan;
pub mod policies;
pub mod response;
mod row;
mod sections;
pub mod speed;
mod summary;
mod tally;
mod truth;
#[cfg(test)]
mod under_equilibrium;
mod views;

pub use blocks::Blocks;
pub use columns::{FRONTIER_COLUMNS, ROW_COLUMNS, SUMMARY_COLUMNS, TIME_COLUMNS, TRUTH_COLUMNS};
pub use frontier::{FrontierRow, answers, frontier};
pub use game::StudyGame;
pub use match_source::MatchSource;
pub use measuring::{Labels, LeftOut, Study, StudyProgress};
pub use plan::{StudyError, StudyPlan, WORK};
pub use row::{Measured, Place, PosteriorLetter, StudyRow};
pub use summary::{StudySummary, summaries};
pub use tally::{DecisionTally, Latest, PlayedMatch};
pub use truth::{TruthPoint, TruthRow, truth_rows};
pub use views::StudyTables;
