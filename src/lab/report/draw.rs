//! Draw: a figure as SVG.
//!
//! Axes, grid and lines are drawn by `plotters` in linear coordinates (see `ticks`); markers and error bars are drawn in
//! pixels at the places that it computes. The legend stands below the axes, in as many columns as fit, so that long names
//! take nothing from the plot. Points of several series at one place are moved apart by some pixels at most.

use plotters::backend::SVGBackend;
use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{DashedPathElement, PathElement, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, RGBColor, TextStyle, WHITE};

use super::figure::{Figure, FigurePoint};
use super::marker::Look;
use super::page::escape;
use super::ticks::Span;

/// The width of a figure and the height of its axes, in pixels.
const SIZE: (u32, u32) = (760, 420);

/// The height of a line of the legend.
const LINE: i32 = 22;

/// The width of a sample of a line in the legend.
const SAMPLE: i32 = 44;

/// How far apart, in pixels, points of two series at one place are drawn.
const APART: i32 = 4;

/// The family of all text.
const FONT: &str = "sans-serif";

/// Text and axes.
const INK: RGBColor = RGBColor(30, 30, 30);

/// The lines of the grid.
const GRID: RGBColor = RGBColor(222, 222, 222);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

impl Figure {
    /// The figure as an SVG element, 760 pixels wide, to stand in a page or in a file of its own.
    ///
    /// # Panics
    /// Never, because drawing into a text cannot fail.
    pub fn to_svg(&self) -> String {
        let looks = looks(self);
        let columns = columns(self);
        let rows = self.series.len().div_ceil(columns) as i32;
        let notes = notes(self);
        let height = SIZE.1 as i32 + rows * LINE + notes.len() as i32 * LINE + 10;
        let mut svg = String::new();
        {
            let backend = SVGBackend::with_string(&mut svg, (SIZE.0, height as u32));
            let area = backend.into_drawing_area();
            let drawn =
                draw(self, &looks, columns, &notes, &area).and_then(|()| area.present().map_err(Into::into));
            drawn.expect("a text takes all that is drawn into it");
        }
        let label = format!("<svg role=\"img\" aria-label=\"{}\" ", escape(&self.title));
        svg.replacen("<svg ", &label, 1)
    }
}

/// How every series is drawn: measured ones and references are counted apart.
fn looks(figure: &Figure) -> Vec<Look> {
    let (mut measured, mut references) = (0, 0);
    figure
        .series
        .iter()
        .map(|series| {
            let count = if series.reference { &mut references } else { &mut measured };
            *count += 1;
            Look::new(*count - 1, series.reference)
        })
        .collect()
}

/// Columns of the legend.
fn columns(figure: &Figure) -> usize {
    let longest = figure.series.iter().map(|series| series.name.chars().count()).max().unwrap_or(0);
    let width = SAMPLE as usize + 30 + longest * 8;
    (SIZE.0 as usize / width).clamp(1, 4)
}

/// What must be said below the legend.
fn notes(figure: &Figure) -> Vec<String> {
    let points = || figure.series.iter().flat_map(|series| &series.points);
    let mut notes = Vec::new();
    let below =
        |log: bool, value: &dyn Fn(&FigurePoint) -> f64| log && points().any(|point| value(point) <= 0.0);
    if below(figure.y.log, &|point| point.y) || below(figure.x.log, &|point| point.x) {
        notes.push("Values of 0 stand on the edge of the logarithmic axis.".to_owned());
    }
    if !points().any(FigurePoint::is_finite) {
        notes.push("There is nothing to show.".to_owned());
    }
    notes
}

fn text(size: i32) -> TextStyle<'static> {
    (FONT, size).into_font().color(&INK)
}

fn draw(figure: &Figure, looks: &[Look], columns: usize, notes: &[String], area: &Area<'_>) -> Drawn {
    area.fill(&WHITE)?;
    let (upper, lower) = area.split_vertically(SIZE.1);
    let all = || figure.series.iter().flat_map(|series| &series.points).filter(|point| point.is_finite());
    let x = Span::new(&figure.x, all().map(|point| point.x), true);
    let y = Span::new(&figure.y, all().flat_map(|point| [point.low, point.y, point.high]), false);
    let title = text(19).pos(Pos::new(HPos::Center, VPos::Center));
    upper.draw(&Text::new(figure.title.clone(), (SIZE.0 as i32 / 2, 18), title))?;
    let mut axes = ChartBuilder::on(&upper)
        .margin_top(40)
        .margin_right(24)
        .margin_bottom(4)
        .margin_left(4)
        .x_label_area_size(54)
        .y_label_area_size(78)
        .build_cartesian_2d(x.clone(), y.clone())?;
    axes.configure_mesh()
        .light_line_style(WHITE.mix(0.0))
        .bold_line_style(GRID)
        .axis_style(INK)
        .label_style(text(14))
        .axis_desc_style(text(16))
        .x_desc(figure.x.label.clone())
        .y_desc(figure.y.label.clone())
        .x_label_formatter(&|&tick| x.label(tick))
        .y_label_formatter(&|&tick| y.label(tick))
        .draw()?;
    for (at, (series, &look)) in figure.series.iter().zip(looks).enumerate() {
        let aside = if series.reference { 0 } else { aside(figure, at) };
        let points: Vec<&FigurePoint> = series.points.iter().filter(|point| point.is_finite()).collect();
        let pixel = |x_value: f64, y_value: f64| {
            let (right, down) = axes.backend_coord(&(x_value, y_value));
            (right + aside, down)
        };
        let path: Vec<(i32, i32)> = points.iter().map(|point| pixel(point.x, point.y)).collect();
        line(&upper, path.clone(), look)?;
        if series.reference {
            continue;
        }
        for point in &points {
            let (at, low) = pixel(point.x, point.low);
            let (_, high) = pixel(point.x, point.high);
            if low != high {
                upper.draw(&PathElement::new(vec![(at, low), (at, high)], look.bar()))?;
                for end in [low, high] {
                    upper.draw(&PathElement::new(vec![(at - 4, end), (at + 4, end)], look.bar()))?;
                }
            }
        }
        for place in path {
            look.mark(&upper, place)?;
        }
    }
    legend(figure, looks, columns, notes, &lower)
}

/// How far to the right a series is drawn, so that its error bars stand beside those of the others.
fn aside(figure: &Figure, at: usize) -> i32 {
    let measured =
        |upto: usize| figure.series[..upto].iter().filter(|series| !series.reference).count() as i32;
    let (before, all) = (measured(at), measured(figure.series.len()));
    let apart = APART.min(24 / all.max(1));
    (2 * before - (all - 1)) * apart / 2
}

fn line(area: &Area<'_>, path: Vec<(i32, i32)>, look: Look) -> Drawn {
    match look.dash() {
        _ if path.len() < 2 => {}
        None => area.draw(&PathElement::new(path, look.line()))?,
        Some((dash, gap)) => {
            area.draw(&DashedPathElement::new(path, dash, gap, look.line()))?;
        }
    }
    Ok(())
}

fn legend(figure: &Figure, looks: &[Look], columns: usize, notes: &[String], area: &Area<'_>) -> Drawn {
    let width = (SIZE.0 as i32 - 90) / columns as i32;
    let style = text(15).pos(Pos::new(HPos::Left, VPos::Center));
    for (at, (series, &look)) in figure.series.iter().zip(looks).enumerate() {
        let (row, column) = ((at / columns) as i32, (at % columns) as i32);
        let (left, middle) = (82 + column * width, row * LINE + LINE / 2);
        line(area, vec![(left, middle), (left + SAMPLE, middle)], look)?;
        look.mark(area, (left + SAMPLE / 2, middle))?;
        area.draw(&Text::new(series.name.clone(), (left + SAMPLE + 8, middle), style.clone()))?;
    }
    let rows = figure.series.len().div_ceil(columns);
    for (at, note) in notes.iter().enumerate() {
        let middle = (rows + at) as i32 * LINE + LINE / 2;
        area.draw(&Text::new(note.clone(), (82, middle), style.clone()))?;
    }
    Ok(())
}
