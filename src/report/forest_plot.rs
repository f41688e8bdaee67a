//! Forest plot: one row for each estimate, with its interval, its number in words, and how many measurements it has.
//!
//! Invariant: a row that has no estimate is shown with `?` and without a mark, and a row with few measurements has a
//! dashed interval and a note. The rows stand in the order given.

use super::axes::{BELOW_MIDDLE, BottomAxis, paragraph};
use super::axis::Axis;
use super::canvas::{Anchor, Canvas, Colour, LEADING, ONE_COLUMN, Part, Stroke, TWO_COLUMNS};
use super::font::{widest, wrap};
use super::look::{FEW_NOTE, Look};
use super::ticks::Span;

/// The widest labels of a plot of one column, in points.
const NARROW: f64 = 88.0;

/// The space that is left free beside the plot.
const MARGIN: f64 = 6.0;

/// Estimates in rows.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ForestPlot {
    /// The axis of the estimates.
    pub axis: Axis,
    /// A value that is drawn through all rows, such as that of two equal players.
    pub reference: Option<f64>,
    /// The things that the numbers of measurements count, as in `deals`.
    pub counted: &'static str,
    /// From the upper to the lower one.
    pub rows: Vec<ForestRow>,
}

/// One estimate.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ForestRow {
    /// The name of the estimated quantity.
    pub label: String,
    /// The estimate; none if it is not known.
    pub value: Option<f64>,
    /// Its interval; none if it is not known.
    pub interval: Option<(f64, f64)>,
    /// The estimate in words, as in `54.7 ± 1.2`.
    pub words: String,
    /// How many measurements there are.
    pub count: u64,
    /// Whether these are too few for a reliable interval.
    pub is_few: bool,
}

impl ForestRow {
    /// The estimate in words, if it is known.
    fn words(&self) -> &str {
        if self.value.is_some_and(f64::is_finite) { &self.words } else { "?" }
    }
}

impl ForestPlot {
    pub(super) fn canvas(&self) -> Canvas {
        let labels = widest(self.rows.iter().map(|row| &row.label));
        let mut canvas = Canvas::new(if labels > NARROW { TWO_COLUMNS } else { ONE_COLUMN });
        let width = canvas.width;
        let labels = labels.min(width * 0.48) + 1.0;
        let counts: Vec<String> = self.rows.iter().map(|row| row.count.to_string()).collect();
        let counts_width = widest(counts.iter().map(String::as_str).chain([self.counted]));
        let words_width = widest(self.rows.iter().map(ForestRow::words));
        let count_at = width - 2.0;
        let words_at = count_at - counts_width - 8.0;
        let (left, right) = (labels + MARGIN + 2.0, words_at - words_width - MARGIN);
        let values = self.rows.iter().flat_map(|row| {
            row.value.into_iter().chain(row.interval.into_iter().flat_map(|(low, high)| [low, high]))
        });
        let values = values.chain(self.reference).filter(|value| value.is_finite());
        let span = Span::new(&self.axis, values, false);
        let x = |value: f64| left + span.share(value) * (right - left);
        canvas.text(self.counted, (count_at, LEADING), Anchor::End);
        let top = LEADING + 4.0;
        let labels: Vec<Vec<String>> = self.rows.iter().map(|row| wrap(&row.label, labels)).collect();
        let height = |lines: &Vec<String>| lines.len().max(1) as f64 * LEADING + 2.0;
        let bottom = top + labels.iter().map(height).sum::<f64>() + 2.0;
        let sides = (left, right);
        let axis = BottomAxis::new(&span, sides, (left - 12.0, width));
        axis.draw(&mut canvas, sides, (top, bottom));
        if let Some(reference) = self.reference.filter(|value| value.is_finite()) {
            canvas.line(vec![(x(reference), top), (x(reference), bottom)], Look::new(0, true).line());
        }
        let mut upper = top;
        for ((row, lines), count) in self.rows.iter().zip(&labels).zip(counts) {
            let middle = upper + height(lines) / 2.0;
            let first = middle - (lines.len() as f64 - 1.0) / 2.0 * LEADING + BELOW_MIDDLE;
            canvas.lines(lines, (2.0, first), Anchor::Start);
            canvas.text(row.words(), (words_at, middle + BELOW_MIDDLE), Anchor::End);
            canvas.text(count, (count_at, middle + BELOW_MIDDLE), Anchor::End);
            canvas.part = Part::Series(row.label.clone());
            if let Some((low, high)) = row.interval.filter(|(low, high)| low.is_finite() && high.is_finite())
            {
                let dash = row.is_few.then_some((1.2, 1.2));
                let stroke = Stroke { colour: Colour::INK, width: 0.8, dash };
                canvas.interval([low, high].map(|end| (x(end), middle)), (0.0, 1.8), stroke);
            }
            if let Some(value) = row.value.filter(|value| value.is_finite()) {
                Look::new(1, false).mark(&mut canvas, (x(value), middle));
            }
            canvas.part = Part::Frame;
            upper += height(lines);
        }
        let below = bottom + axis.height + 1.0;
        let mut end = paragraph(&mut canvas, &self.axis.label, sides, below, Anchor::Middle);
        if self.rows.iter().any(|row| row.is_few && row.interval.is_some()) {
            end = paragraph(&mut canvas, FEW_NOTE, (2.0, width - 2.0), end + 2.0, Anchor::Start);
        }
        canvas.height = end + 3.0;
        canvas
    }
}
