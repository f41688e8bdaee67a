//! Figure: a diagram as plain data, and the files that it becomes.
//!
//! Invariant: a figure does not depend on how it is drawn. The drawing leaves out numbers that are not finite. On a
//! logarithmic axis, numbers that are not positive are drawn at the lower edge, and a note says so. A figure is as wide as
//! a column of a paper, or as two, and its texts have 8 points.

use super::canvas::{Canvas, MILLIMETRE};
use super::forest_plot::ForestPlot;
use super::heat_map::HeatMap;
use super::line_plot::LinePlot;
use super::{pdf, svg};

/// The width of a column of a paper.
pub(super) const ONE_COLUMN: f64 = 85.0 * MILLIMETRE;

/// The width of two columns.
pub(super) const TWO_COLUMNS: f64 = 178.0 * MILLIMETRE;

/// The note of a figure with intervals of few measurements.
pub(super) const FEW_NOTE: &str = "dashed bar: too few measurements for a reliable interval";

/// One diagram.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// The name of its files: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// What it shows, in a line.
    pub title: String,
    /// How to read it, in sentences.
    pub caption: String,
    /// What is drawn.
    pub plot: Plot,
}

/// A kind of diagram with its contents.
#[derive(Clone, PartialEq, Debug)]
pub enum Plot {
    /// Series over two axes, in one or more panels.
    Lines(LinePlot),
    /// One row for each estimate, with its interval.
    Forest(ForestPlot),
    /// A value for each pair of two categories.
    Heat(HeatMap),
}

impl Figure {
    /// A figure whose name of files is made of these words.
    pub fn new(words: &[&str], title: impl Into<String>, caption: impl Into<String>, plot: Plot) -> Figure {
        Figure { name: file_name(words), title: title.into(), caption: caption.into(), plot }
    }

    /// The drawing.
    pub(super) fn canvas(&self) -> Canvas {
        match &self.plot {
            Plot::Lines(plot) => plot.canvas(),
            Plot::Forest(plot) => plot.canvas(),
            Plot::Heat(plot) => plot.canvas(),
        }
    }

    /// The figure as an SVG file with its font.
    pub fn to_svg(&self) -> String {
        svg::file(&self.canvas(), &self.title)
    }

    /// The figure as a PDF file with its font.
    pub fn to_pdf(&self) -> Vec<u8> {
        pdf::file(&self.canvas(), &self.title)
    }

    /// The figure as an element of a page, which has the font, and whether it is two columns wide.
    pub(super) fn inline(&self) -> (String, bool) {
        let canvas = self.canvas();
        (svg::inline(&canvas, &self.title), canvas.width > ONE_COLUMN)
    }
}

/// The words as the name of a file.
fn file_name(words: &[&str]) -> String {
    let plain = |one: char| if one.is_ascii_alphanumeric() || "_.".contains(one) { one } else { '-' };
    let words = words.iter().map(|word| {
        let text: String = word.chars().map(plain).collect();
        text.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
    });
    let name = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
    let name = name.trim_start_matches(['.', '-']);
    if name.is_empty() { "figure".to_owned() } else { name.to_owned() }
}

/// An axis.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Axis {
    /// What it measures, with its unit, as in `cost (states a particle)`.
    pub label: String,
    /// What equal distances mean.
    pub scale: AxisScale,
    /// The least and the greatest value shown, where they are not to follow from the points.
    pub range: Option<(f64, f64)>,
    /// The least and the greatest value that there can be: no more is shown, however long an error bar is.
    pub bounds: Option<(f64, f64)>,
}

/// What equal distances of an axis mean.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum AxisScale {
    /// Equal differences.
    #[default]
    Linear,
    /// Equal factors.
    Logarithmic,
    /// Nothing: categories of these names stand side by side, and a value is the place of one, from 0.
    Categories(Vec<String>),
}

impl Axis {
    /// An axis on which equal distances are equal differences.
    pub fn linear(label: impl Into<String>) -> Self {
        Axis { label: label.into(), ..Axis::default() }
    }

    /// An axis on which equal distances are equal factors.
    pub fn logarithmic(label: impl Into<String>) -> Self {
        Axis { scale: AxisScale::Logarithmic, ..Axis::linear(label) }
    }

    /// An axis of categories.
    pub fn categories(label: impl Into<String>, names: Vec<String>) -> Self {
        Axis { scale: AxisScale::Categories(names), ..Axis::linear(label) }
    }

    /// The same, showing just these values.
    #[must_use]
    pub fn from_to(self, least: f64, greatest: f64) -> Self {
        Axis { range: Some((least, greatest)), ..self }
    }

    /// The same, showing nothing outside these values, because there can be nothing.
    #[must_use]
    pub fn within(self, least: f64, greatest: f64) -> Self {
        Axis { bounds: Some((least, greatest)), ..self }
    }
}

/// Points that belong together, joined by a line in the order in which they stand. The line has a gap at a point whose interval is
/// not known, and at one that cannot be drawn.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FigureSeries {
    /// Its name in the legend.
    pub name: String,
    /// Its points.
    pub points: Vec<FigurePoint>,
    /// Whether it is a reference, such as a baseline or a theory, which is drawn as a line without markers and error
    /// bars.
    pub is_reference: bool,
    /// Whether its points are joined by a line.
    pub is_joined: bool,
}

impl FigureSeries {
    /// Measured points: a line with markers and error bars.
    pub fn measured(name: impl Into<String>, points: Vec<FigurePoint>) -> Self {
        FigureSeries { name: name.into(), points, is_reference: false, is_joined: true }
    }

    /// A reference: a line without markers and error bars.
    pub fn reference(name: impl Into<String>, points: Vec<FigurePoint>) -> Self {
        FigureSeries { name: name.into(), points, is_reference: true, is_joined: true }
    }

    /// The same without a line between the points.
    #[must_use]
    pub fn unjoined(self) -> Self {
        FigureSeries { is_joined: false, ..self }
    }

    /// The points that can be drawn.
    pub fn drawn(&self) -> impl Iterator<Item = &FigurePoint> {
        self.points.iter().filter(|point| point.is_finite())
    }
}

/// A point with its error bar.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FigurePoint {
    /// Where on the horizontal axis.
    pub x: f64,
    /// Where on the vertical axis.
    pub y: f64,
    /// The lower end of the error bar; `y` for none.
    pub low: f64,
    /// The upper end of the error bar; `y` for none.
    pub high: f64,
    /// Whether it rests on too few measurements for a reliable error bar.
    pub is_few: bool,
    /// Whether its interval is not known: no line goes through it.
    pub is_alone: bool,
}

impl FigurePoint {
    /// A point without an error bar.
    pub fn exact(x: f64, y: f64) -> Self {
        FigurePoint { x, y, low: y, high: y, is_few: false, is_alone: false }
    }

    /// A point whose error bar goes from `low` to `high`.
    pub fn between(x: f64, y: f64, low: f64, high: f64) -> Self {
        FigurePoint { x, y, low, high, is_few: false, is_alone: false }
    }

    /// A measured point whose interval is not known.
    pub fn alone(x: f64, y: f64) -> Self {
        FigurePoint { is_alone: true, ..FigurePoint::exact(x, y) }
    }

    /// The same, marked if its error bar is not reliable.
    #[must_use]
    pub fn few(self, is_few: bool) -> Self {
        FigurePoint { is_few, ..self }
    }

    /// Whether all its numbers can be drawn.
    pub(super) fn is_finite(&self) -> bool {
        [self.x, self.y, self.low, self.high].iter().all(|number| number.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_has_no_sign_that_a_path_could_read() {
        assert_eq!(file_name(&["../rules/my game.kif", "scores"]), "rules-my-game.kif-scores");
        assert_eq!(
            file_name(&["kuhn_poker", "score against particles"]),
            "kuhn_poker-score-against-particles"
        );
        assert_eq!(file_name(&["\u{6F22}", ""]), "figure");
    }
}
