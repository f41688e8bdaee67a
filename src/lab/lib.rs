//! Layer 8, the laboratory: many matches and what they show.
//!
//! [`experiment`] plays what one file describes; [`report`] draws figures and writes pages.

#![warn(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

pub mod experiment;
pub mod report;
