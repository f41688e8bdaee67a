//! Layer 0, reports: statistics, tables, figures and pages that a browser shows without anything beside the file.
//!
//! A [`Table`] is made of [`Column`]s, each of which defines one figure once; it is written as text, Markdown, CSV,
//! JSON or HTML. A [`Figure`] is what is drawn: axes with units, and series of points with the ends of their error
//! bars; [`Figure::to_svg`] draws it. A [`Page`] is an HTML document of headings, sentences, tables and figures, with
//! its style sheet inside; it loads nothing. The output depends only on the input: there is no date, no random id,
//! and no order of a hash table in it.
//!
//! Series differ in marker and in line style before they differ in colour, so a grey print can be read.
//!
//! This module does not know games and imports no other module of the workspace; the commands that write reports are
//! above it.
//!
//! Third-party: `plotters` (its SVG backend only, which needs no fonts of the system), `serde_json`, `rand` (the bootstrap),
//! `statrs` (Student's t and the beta distribution).

mod draw;
mod figure;
mod marker;
mod page;
mod shown;
mod statistics;
mod table;
mod ticks;

pub use figure::{Axis, Figure, FigurePoint, FigureSeries};
pub use page::Page;
pub use shown::{Reading, ShownTable};
pub use statistics::{Mean, MeanInterval, Sample, bootstrap, centred, elo, rounded, share};
pub use table::{Column, Format, Parts, Table, TableColumn, TableEntry, legend};
