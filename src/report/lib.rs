//! Reports: statistics, tables, figures and pages that a browser shows without anything beside the file.
//!
//! A [`Table`] is made of [`Column`]s, each of which defines one figure once; it is written as text, Markdown, CSV,
//! JSON or HTML. A [`Figure`] is what is drawn: a [`LinePlot`], a [`ForestPlot`] or a [`HeatMap`], which are plain
//! data. Each kind lays itself out on a canvas of lines, areas and texts, and the canvas is written as SVG, as PDF and
//! into a page, with the font inside. A [`Page`] is an HTML document of headings, sentences, tables and figures, with
//! its style sheet inside; it loads nothing. The output depends only on the input: there is no date, no random id, and
//! no order of a hash table in it.
//!
//! Series differ in marker and in line style before they differ in colour, so a grey print can be read. A figure that
//! rests on few measurements is marked ([`FEW`]), and an unknown figure is shown as `?`.
//!
//! This module does not know games and imports no other module of the workspace; the commands that write reports are
//! above it.
//!
//! Third-party: `ttf-parser` (widths of texts), `pdf-writer` and `subsetter` (PDF files with their font), `serde_json`,
//! `rand` (the bootstrap), `statrs` (Student's t and the beta distribution).

#![warn(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod axes;
mod axis;
mod bradley_terry;
mod canvas;
mod clusters;
mod comparisons;
mod defined;
mod figure;
#[cfg(test)]
mod figures_checked;
mod font;
mod forest_plot;
mod heat_map;
mod joint_sample;
mod line_plot;
mod look;
mod page;
mod pdf;
mod rank_correlation;
mod row;
mod series;
mod shown;
mod statistics;
mod svg;
mod table;
mod ticks;

pub use axis::{Axis, AxisScale};
pub use bradley_terry::ratings;
pub use clusters::Clusters;
pub use comparisons::holm;
pub use defined::{defined, readings};
pub use figure::{Figure, Plot};
pub use forest_plot::{ForestPlot, ForestRow};
pub use heat_map::{HeatCell, HeatMap, HeatPanel};
pub use joint_sample::JointSample;
pub use line_plot::{LinePlot, PlotPanel, TOGETHER};
pub use page::{Page, figure_files};
pub use rank_correlation::rank_correlation;
pub use row::{fields, or_nan};
pub use series::{FigurePoint, FigureSeries};
pub use shown::ShownTable;
pub use statistics::{
    FEW, Mean, MeanInterval, Sample, centred, elo, rounded, sampled_intervals, skewed_interval,
};
pub use table::{Column, Format, Parts, Reading, RowMark, Table, legend};
