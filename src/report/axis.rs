//! Axis: what an axis of a figure measures, and which of its values are shown.

/// An axis.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Axis {
    /// The quantity that it measures, with its unit, as in `cost (states a particle)`.
    pub label: String,
    /// The meaning of equal distances.
    pub scale: AxisScale,
    /// The least and the greatest value shown, where they are not to follow from the points.
    pub range: Option<(f64, f64)>,
    /// The least and the greatest value that there can be: no more is shown, however long an error bar is.
    pub bounds: Option<(f64, f64)>,
}

/// The meaning of equal distances of an axis.
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
