//! Figure: a diagram as plain data.
//!
//! Invariant: a figure does not depend on how it is drawn. The drawing leaves out numbers that are not finite. On a
//! logarithmic axis, numbers that are not positive are drawn at the lower edge, and a note says so.

/// One diagram: any number of series over two axes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Figure {
    /// What it shows, in a line.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, in the order of the legend. More than eight can hardly be told apart.
    pub series: Vec<FigureSeries>,
}

/// An axis.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Axis {
    /// What it measures, with its unit, as in `cost (states a particle)`.
    pub label: String,
    /// Whether equal distances are equal factors.
    pub log: bool,
    /// The least and the greatest value shown, where they are not to follow from the points.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    /// An axis on which equal distances are equal differences.
    pub fn linear(label: impl Into<String>) -> Self {
        Axis { label: label.into(), log: false, range: None }
    }

    /// An axis on which equal distances are equal factors.
    pub fn logarithmic(label: impl Into<String>) -> Self {
        Axis { label: label.into(), log: true, range: None }
    }

    /// The same, showing just these values.
    #[must_use]
    pub fn from_to(self, least: f64, greatest: f64) -> Self {
        Axis { range: Some((least, greatest)), ..self }
    }
}

/// Points that belong together, joined by a line in the order in which they stand.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FigureSeries {
    /// Its name in the legend.
    pub name: String,
    /// Its points.
    pub points: Vec<FigurePoint>,
    /// Whether it is a reference, such as a baseline or a theory, which is drawn as a line without markers and error
    /// bars.
    pub reference: bool,
}

impl FigureSeries {
    /// Measured points: a line with markers and error bars.
    pub fn measured(name: impl Into<String>, points: Vec<FigurePoint>) -> Self {
        FigureSeries { name: name.into(), points, reference: false }
    }

    /// A reference: a line without markers and error bars.
    pub fn reference(name: impl Into<String>, points: Vec<FigurePoint>) -> Self {
        FigureSeries { name: name.into(), points, reference: true }
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
}

impl FigurePoint {
    /// A point without an error bar.
    pub fn exact(x: f64, y: f64) -> Self {
        FigurePoint { x, y, low: y, high: y }
    }

    /// A point whose error bar goes from `low` to `high`.
    pub fn between(x: f64, y: f64, low: f64, high: f64) -> Self {
        FigurePoint { x, y, low, high }
    }

    /// Whether all its numbers can be drawn.
    pub(super) fn is_finite(&self) -> bool {
        [self.x, self.y, self.low, self.high].iter().all(|number| number.is_finite())
    }
}
