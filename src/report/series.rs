//! Series: points with error bars that belong together.

/// Points that belong together, joined by a line in the order in which they stand. The line has a gap at a point whose
/// interval is not known, and at one that cannot be drawn.
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
