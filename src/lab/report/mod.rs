//! Layer 0, reports: figures and pages that a browser shows without anything beside the file.
//!
//! A [`Figure`] is what is drawn: axes with units, series of points with the ends of their error bars.
//! [`Figure::to_svg`] draws it. A [`Page`] is an HTML document of headings, sentences, tables and figures, with its style
//! sheet inside; it loads nothing. Both are fixed by what they are given: no date, no random id, no hash order.
//!
//! Series differ in marker and in line style before they differ in colour, so a grey print can be read.
//!
//! This room knows nothing of games and imports no other room; commands that write reports stand above it.
//!
//! Third-party: `plotters` (its SVG backend only, which needs no fonts of the system).

mod draw;
mod figure;
mod marker;
mod page;
mod ticks;

pub use figure::{Axis, Figure, Point, Series};
pub use page::{Page, Table, escape};
pub use ticks::short;
