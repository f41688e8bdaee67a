//! Line plot: series of points with error bars over two axes, in one panel or in small multiples.
//!
//! Invariant: the legend lists each series that is drawn once, and nothing else but the series without points, which it
//! lists as having no data. All panels share their axes, and a series looks the same in each of them. Where the panels
//! have more series together than can be told apart, every panel has a legend of its own.
//!
//! Points of several series at one place are moved apart by some points at most.

use super::axes::{BELOW_MIDDLE, BottomAxis, LeftAxis, paragraph, side_label};
use super::axis::{Axis, AxisScale};
use super::canvas::{Anchor, Canvas, LEADING, ONE_COLUMN, Part, Stroke, TWO_COLUMNS};
use super::font::{widest, width, wrap};
use super::look::{FEW_NOTE, Look};
use super::series::{FigurePoint, FigureSeries};
use super::ticks::Span;

/// The number of series that can be told apart in one panel.
pub const TOGETHER: usize = 8;

/// The height of the axes of a single panel, and of one of several, in points.
const HEIGHT: (f64, f64) = (150.0, 105.0);

/// The width of a sample of a line in the legend.
const SAMPLE: f64 = 20.0;

/// The distance of two panels.
const BETWEEN: f64 = 12.0;

/// The space that is left free above and to the right.
const MARGIN: f64 = 7.0;

/// Half the length of a reference that has one point only.
const HALF_LINE: f64 = 5.0;

/// Half the length of the ends of an error bar.
const END: f64 = 1.6;

/// Series over two axes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LinePlot {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// One panel, or several side by side.
    pub panels: Vec<PlotPanel>,
}

/// Series that are drawn between the same axes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PlotPanel {
    /// The title that distinguishes it from the other panels; empty for a single one.
    pub title: String,
    /// In the order of the legend.
    pub series: Vec<FigureSeries>,
}

/// An entry of a legend: a name with its look, or without one if there is no data.
type Entry<'a> = (&'a str, Option<(Look, Joined)>);

/// Whether the points of a series are joined.
type Joined = bool;

impl LinePlot {
    /// A plot with a single panel.
    pub fn single(x: Axis, y: Axis, series: Vec<FigureSeries>) -> LinePlot {
        LinePlot { x, y, panels: vec![PlotPanel { title: String::new(), series }] }
    }

    fn all(&self) -> impl Iterator<Item = &FigureSeries> {
        self.panels.iter().flat_map(|panel| &panel.series)
    }

    /// Whether no point can be drawn.
    pub fn is_empty(&self) -> bool {
        self.all().all(|series| series.drawn().next().is_none())
    }

    pub(super) fn canvas(&self) -> Canvas {
        let shared = entries(self.all());
        let is_shared =
            self.panels.len() < 2 || shared.iter().filter(|(_, look)| look.is_some()).count() <= TOGETHER;
        let is_wide =
            self.panels.len() > 1 || shared.iter().any(|(name, _)| width(name) + SAMPLE + 8.0 > ONE_COLUMN);
        let mut canvas = Canvas::new(if is_wide { TWO_COLUMNS } else { ONE_COLUMN });
        let width = canvas.width;
        let across = match self.panels.len() {
            0 | 1 => 1,
            2 | 4 => 2,
            _ => 3,
        };
        let height = if self.panels.len() > 1 { HEIGHT.1 } else { HEIGHT.0 };
        let points = || self.all().flat_map(FigureSeries::drawn);
        let x = Span::new(&self.x, points().map(|point| point.x), true);
        let y = Span::new(&self.y, points().flat_map(|point| [point.low, point.y, point.high]), false);
        let left_axis = LeftAxis::new(&y, height);
        let left = side_label(None, &self.y.label, (0.0, height)) + left_axis.width;
        let wide = (width - left - MARGIN - BETWEEN * (across - 1) as f64) / across as f64;
        let mut top = MARGIN;
        for row in self.panels.chunks(across) {
            let title_lines = row.iter().map(|panel| wrap(&panel.title, wide).len()).max().unwrap_or(0);
            let upper = top + title_lines as f64 * LEADING + if title_lines > 0 { 2.0 } else { 0.0 };
            let lower = upper + height;
            side_label(Some(&mut canvas), &self.y.label, (upper, lower));
            let mut end: f64 = lower;
            for (column, panel) in row.iter().enumerate() {
                let from = left + column as f64 * (wide + BETWEEN);
                let sides = (from, from + wide);
                paragraph(&mut canvas, &panel.title, sides, top, Anchor::Middle);
                let half = BETWEEN / 2.0 - 2.0;
                let limits =
                    (if column == 0 { from - 12.0 } else { from - half }, (from + wide + half).min(width));
                let bottom_axis = BottomAxis::new(&x, sides, limits);
                bottom_axis.draw(&mut canvas, sides, (upper, lower));
                left_axis.draw(&mut canvas, &y, sides, (upper, lower), column == 0);
                let frame = Frame { x: &x, y: &y, sides, heights: (upper, lower) };
                let known = if is_shared { shared.clone() } else { entries(panel.series.iter()) };
                panel_series(&mut canvas, panel, &known, &frame);
                let mut below = lower + bottom_axis.height;
                if !is_shared {
                    below = legend(&mut canvas, &known, sides, below + 3.0);
                }
                end = end.max(below);
            }
            top = end + 6.0;
        }
        let sides = (left, width - MARGIN);
        let mut end = paragraph(&mut canvas, &self.x.label, sides, top - 5.0, Anchor::Middle);
        if is_shared && (shared.len() > 1 || self.all().any(|series| series.is_reference)) {
            end = legend(&mut canvas, &shared, (4.0, width - MARGIN), end + 3.0);
        }
        for note in self.notes() {
            end = paragraph(&mut canvas, note, (4.0, width - MARGIN), end + 2.0, Anchor::Start);
        }
        canvas.height = end + 3.0;
        canvas
    }

    /// The notes below the legend.
    fn notes(&self) -> impl Iterator<Item = &'static str> {
        let points = || self.all().flat_map(FigureSeries::drawn);
        let below = |axis: &Axis, value: fn(&FigurePoint) -> f64| {
            axis.scale == AxisScale::Logarithmic && points().any(|point| value(point) <= 0.0)
        };
        let is_below = below(&self.y, |point| point.y) || below(&self.x, |point| point.x);
        let notes = [
            (is_below, "Values of 0 stand on the edge of the logarithmic axis."),
            (points().any(|point| point.is_few && point.low < point.high), FEW_NOTE),
            (self.is_empty(), "There is nothing to show."),
        ];
        notes.into_iter().filter_map(|(is_noted, note)| is_noted.then_some(note))
    }
}

/// Each name once, with the look of its series: measured ones and references are counted apart, and a series without a
/// point is listed last.
fn entries<'a>(series: impl Iterator<Item = &'a FigureSeries>) -> Vec<Entry<'a>> {
    let mut named: Vec<(&FigureSeries, bool)> = Vec::new();
    for series in series {
        let has_points = series.drawn().next().is_some();
        match named.iter_mut().find(|(known, _)| known.name == series.name) {
            Some(known) => known.1 |= has_points,
            None => named.push((series, has_points)),
        }
    }
    let (mut measured, mut references, mut entries) = (0, 0, Vec::new());
    for (FigureSeries { name, is_reference, is_joined, .. }, has_points) in named {
        let count = if *is_reference { &mut references } else { &mut measured };
        *count += 1;
        let look = has_points.then(|| (Look::new(*count - 1, *is_reference), *is_joined));
        entries.push((name.as_str(), look));
    }
    entries.sort_by_key(|(_, look)| look.is_none());
    entries
}

/// Where a panel lies and what it shows.
struct Frame<'a> {
    x: &'a Span,
    y: &'a Span,
    sides: (f64, f64),
    heights: (f64, f64),
}

impl Frame<'_> {
    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let ((left, right), (top, bottom)) = (self.sides, self.heights);
        (left + self.x.share(x) * (right - left), bottom - self.y.share(y) * (bottom - top))
    }
}

fn panel_series(canvas: &mut Canvas, panel: &PlotPanel, known: &[Entry<'_>], frame: &Frame<'_>) {
    let is_measured = |series: &&FigureSeries| !series.is_reference && series.drawn().next().is_some();
    let measured: Vec<&FigureSeries> = panel.series.iter().filter(is_measured).collect();
    // Beside each other and not upon each other: error bars of several series at one place. Neighbouring places stay
    // apart.
    let mut places: Vec<f64> =
        measured.iter().flat_map(|series| series.drawn()).map(|point| frame.place(point.x, 0.0).0).collect();
    places.sort_unstable_by(f64::total_cmp);
    let distances = places.windows(2).map(|two| two[1] - two[0]).filter(|distance| *distance > 0.01);
    let all = 0.5 * distances.fold(28.0, f64::min);
    let apart = (all / measured.len().max(1) as f64).min(2.4);
    if panel.series.iter().all(|series| series.drawn().next().is_none()) {
        let middle =
            (f64::midpoint(frame.sides.0, frame.sides.1), f64::midpoint(frame.heights.0, frame.heights.1));
        canvas.text("no data", middle, Anchor::Middle);
    }
    for series in &panel.series {
        let look = known.iter().find(|(name, _)| *name == series.name).and_then(|(_, look)| *look);
        let Some((look, _)) = look else { continue };
        let at = measured.iter().position(|other| other.name == series.name).unwrap_or(0) as f64;
        let aside =
            if series.is_reference { 0.0 } else { (at - (measured.len() as f64 - 1.0) / 2.0) * apart };
        let place = |x: f64, y: f64| {
            let (right, down) = frame.place(x, y);
            ((right + aside).clamp(frame.sides.0, frame.sides.1), down)
        };
        canvas.part = Part::Series(series.name.clone());
        let path: Vec<(f64, f64)> = series.drawn().map(|point| place(point.x, point.y)).collect();
        if let ([(x, y)], true) = (&path[..], series.is_reference) {
            // A reference at one place has no marker, so it is a short line.
            canvas.line(vec![(x - HALF_LINE, *y), (x + HALF_LINE, *y)], Stroke { dash: None, ..look.line() });
        }
        if series.is_joined {
            let is_gap = |point: &FigurePoint| !series.is_reference && (point.is_alone || !point.is_finite());
            for run in series.points.split(is_gap) {
                let run: Vec<&FigurePoint> = run.iter().filter(|point| point.is_finite()).collect();
                if run.len() > 1 {
                    canvas.line(run.iter().map(|point| place(point.x, point.y)).collect(), look.line());
                }
            }
        }
        if !series.is_reference {
            series.drawn().for_each(|point| bar(canvas, point, look.bar(point.is_few), &place));
            path.iter().for_each(|&at| look.mark(canvas, at));
        }
        canvas.part = Part::Frame;
    }
}

fn bar(canvas: &mut Canvas, point: &FigurePoint, stroke: Stroke, place: &dyn Fn(f64, f64) -> (f64, f64)) {
    if point.low != point.high {
        let ends = [point.low, point.high].map(|end| place(point.x, end));
        canvas.interval(ends, (END, 0.0), stroke);
    }
}

/// The legend, in as many columns as fit; gives the height where it ends.
fn legend(canvas: &mut Canvas, entries: &[Entry<'_>], (left, right): (f64, f64), top: f64) -> f64 {
    let text = |(name, look): &Entry<'_>| match look {
        Some(_) => (*name).to_owned(),
        None => format!("{name}: no data"),
    };
    let longest = widest(entries.iter().map(text));
    let column = (SAMPLE + 5.0 + longest + 8.0).min(right - left);
    let across = (((right - left) / column) as usize).clamp(1, entries.len().max(1));
    let mut end = top;
    for row in entries.chunks(across) {
        let mut lower = end;
        for (at, entry) in row.iter().enumerate() {
            let from = left + at as f64 * column;
            let middle = end + LEADING / 2.0;
            if let (name, Some((look, is_joined))) = entry {
                canvas.part = Part::Legend((*name).to_owned());
                if *is_joined {
                    canvas.line(vec![(from, middle), (from + SAMPLE, middle)], look.line());
                }
                look.mark(canvas, (from + SAMPLE / 2.0, middle));
            }
            let lines = wrap(&text(entry), column - SAMPLE - 5.0 - 2.0);
            canvas.lines(&lines, (from + SAMPLE + 5.0, middle + BELOW_MIDDLE), Anchor::Start);
            lower = f64::max(lower, end + lines.len() as f64 * LEADING);
            canvas.part = Part::Frame;
        }
        end = lower;
    }
    end
}
