//! Axes: where ticks and their labels stand beside a plot.
//!
//! Invariant: no two labels of an axis overlap, and none leaves the space that it was given. Labels that have no room
//! are not written (`ticks`). Names of categories are broken into lines, and written upwards where these are too wide.

use super::canvas::{Anchor, Canvas, Colour, LEADING, Stroke};
use super::font::{ASCENT, DESCENT, SIZE, widest, width, wrap};
use super::ticks::{Span, Tick};

/// The length of a tick, in points.
const TICK: f64 = 2.5;

/// The least distance of two labels, in points.
const GAP: f64 = 4.0;

/// The longest label that is written upwards, in points.
const UPRIGHT: f64 = 90.0;

/// The most lines of a label.
const LINES: usize = 3;

/// How far a base line is below the middle of its line of text.
pub(super) const BELOW_MIDDLE: f64 = SIZE * (ASCENT - DESCENT) / 2.0;

/// The thickness of axes and grid.
const THIN: f64 = 0.5;

/// A label below an axis.
#[derive(Clone, PartialEq, Debug)]
struct Below {
    /// Where the tick is.
    at: f64,
    /// The middle of the label.
    middle: f64,
    lines: Vec<String>,
}

/// The axis below a plot.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct BottomAxis {
    labels: Vec<Below>,
    is_upright: bool,
    /// How much room ticks and labels take.
    pub height: f64,
}

impl BottomAxis {
    /// The axis of a plot from `left` to `right`; labels stay within `limits`.
    pub(super) fn new(span: &Span, (left, right): (f64, f64), limits: (f64, f64)) -> BottomAxis {
        let at = |tick: &Tick| left + span.share(tick.value) * (right - left);
        let all = span.ticks(&|_, _| true);
        let slot = if all.len() < 2 { right - left } else { (right - left) / all.len() as f64 - GAP };
        let is_split = span.is_categories();
        let lines = |tick: &Tick| {
            if is_split { wrap(&tick.label, slot.max(SIZE)) } else { vec![tick.label.clone()] }
        };
        let is_upright = is_split
            && all.iter().any(|tick| {
                let lines = lines(tick);
                lines.len() > LINES || broken(&tick.label, &lines) || widest(&lines) > slot
            });
        if is_upright {
            let has_room = |one: &Tick, other: &Tick| at(other) - at(one) >= SIZE * (ASCENT + DESCENT) + 0.5;
            let label = |tick: &Tick| Below { at: at(tick), middle: at(tick), lines: vec![cut(&tick.label)] };
            let labels: Vec<Below> = span.ticks(&has_room).iter().map(label).collect();
            let longest = widest(labels.iter().flat_map(|label| &label.lines));
            return BottomAxis { labels, is_upright, height: TICK + 3.0 + longest };
        }
        let middle = |tick: &Tick, lines: &[String]| {
            let half = widest(lines) / 2.0;
            at(tick).max(limits.0 + half).min(limits.1 - half)
        };
        let has_room = |one: &Tick, other: &Tick| {
            let (first, second) = (lines(one), lines(other));
            middle(other, &second) - middle(one, &first) >= (widest(&first) + widest(&second)) / 2.0 + GAP
        };
        let label = |tick: &Tick| {
            let lines = lines(tick);
            Below { at: at(tick), middle: middle(tick, &lines), lines }
        };
        let labels: Vec<Below> = span.ticks(&has_room).iter().map(label).collect();
        let most = labels.iter().map(|label| label.lines.len()).max().unwrap_or(0);
        BottomAxis { labels, is_upright, height: TICK + 3.0 + most as f64 * LEADING }
    }

    /// Draws grid, line, ticks and labels of a plot between these heights.
    pub(super) fn draw(&self, canvas: &mut Canvas, (left, right): (f64, f64), (top, bottom): (f64, f64)) {
        for Below { at, .. } in &self.labels {
            canvas.line(vec![(*at, top), (*at, bottom)], Stroke::plain(Colour::GRID, THIN));
        }
        canvas.line(vec![(left, bottom), (right, bottom)], Stroke::plain(Colour::INK, THIN));
        for Below { at, middle, lines } in &self.labels {
            canvas.line(vec![(*at, bottom), (*at, bottom + TICK)], Stroke::plain(Colour::INK, THIN));
            let first = bottom + TICK + 3.0;
            if self.is_upright {
                lines
                    .iter()
                    .for_each(|line| canvas.upright(line, (middle + BELOW_MIDDLE, first), Anchor::End));
            } else {
                canvas.lines(lines, (*middle, first + ASCENT * SIZE), Anchor::Middle);
            }
        }
    }
}

/// Whether a word was broken where it has no sign to be broken at.
fn broken(label: &str, lines: &[String]) -> bool {
    let joined: String = lines.concat();
    let ends = lines.iter().take(lines.len().saturating_sub(1)).map(|line| line.chars().last());
    let breaks = ends.filter(|end| end.is_some_and(char::is_alphanumeric)).count();
    let blanks = label.chars().filter(|one| *one == ' ').count();
    let kept = joined.chars().filter(|one| *one == ' ').count();
    breaks > blanks - kept.min(blanks)
}

/// The text, cut so that it may be written upwards.
fn cut(text: &str) -> String {
    if width(text) <= UPRIGHT {
        return text.to_owned();
    }
    let mut cut = String::new();
    for character in text.chars() {
        if width(&format!("{cut}{character}…")) > UPRIGHT {
            break;
        }
        cut.push(character);
    }
    format!("{cut}…")
}

/// The axis to the left of a plot.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct LeftAxis {
    ticks: Vec<Tick>,
    /// How much room ticks and labels take.
    pub width: f64,
}

impl LeftAxis {
    /// The axis of a plot of this height.
    pub(super) fn new(span: &Span, height: f64) -> LeftAxis {
        let has_room = |one: &Tick, other: &Tick| {
            (span.share(other.value) - span.share(one.value)) * height >= SIZE * (ASCENT + DESCENT) + 1.0
        };
        let ticks = span.ticks(&has_room);
        let longest = widest(ticks.iter().map(|tick| &tick.label));
        LeftAxis { ticks, width: TICK + 2.0 + longest }
    }

    /// Draws grid, line, ticks and, if asked for, labels.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas,
        span: &Span,
        (left, right): (f64, f64),
        (top, bottom): (f64, f64),
        has_labels: bool,
    ) {
        for tick in &self.ticks {
            let y = bottom - span.share(tick.value) * (bottom - top);
            canvas.line(vec![(left, y), (right, y)], Stroke::plain(Colour::GRID, THIN));
            canvas.line(vec![(left - TICK, y), (left, y)], Stroke::plain(Colour::INK, THIN));
            if has_labels {
                canvas.text(&tick.label, (left - TICK - 2.0, y + BELOW_MIDDLE), Anchor::End);
            }
        }
        canvas.line(vec![(left, top), (left, bottom)], Stroke::plain(Colour::INK, THIN));
    }
}

/// Writes a text in lines that are at most so wide, the first of them below `top`, and gives the height where they end.
pub(super) fn paragraph(
    canvas: &mut Canvas,
    text: &str,
    (left, right): (f64, f64),
    top: f64,
    anchor: Anchor,
) -> f64 {
    let lines = wrap(text, right - left);
    let x = match anchor {
        Anchor::Start => left,
        Anchor::Middle => {
            // A line in the middle of a narrow plot may be wider than the plot, but not than the paper.
            let half = widest(&lines) / 2.0;
            f64::midpoint(left, right).max(half).min(canvas.width - half)
        }
        Anchor::End => right,
    };
    canvas.lines(&lines, (x, top + ASCENT * SIZE), anchor);
    top + lines.len() as f64 * LEADING
}

/// Writes the label of a vertical axis upwards, in lines that are as long as the axis at most, and gives the room that
/// they take; `None` for a canvas only measures it.
pub(super) fn side_label(canvas: Option<&mut Canvas>, text: &str, (top, bottom): (f64, f64)) -> f64 {
    let lines = wrap(text, bottom - top);
    if let Some(canvas) = canvas {
        for (number, line) in lines.iter().enumerate() {
            let x = ASCENT * SIZE + number as f64 * LEADING;
            canvas.upright(line, (x, f64::midpoint(top, bottom)), Anchor::Middle);
        }
    }
    if lines.is_empty() { 0.0 } else { lines.len() as f64 * LEADING + 2.0 }
}
