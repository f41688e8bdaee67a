//! Canvas: what a figure is drawn on, lines, areas and texts in points (1/72 inch), to the right and down.
//!
//! Invariant: a canvas does not know where it is written to. `svg` and `pdf` write the same shapes and the same texts
//! at the same places. Every shape says which part of the figure it belongs to, so a test can ask whether a series of
//! the legend is drawn. The box of a text is measured with the font that it is written with.

use super::font::{LINE, SIZE, width};

/// The distance of two base lines, in points.
pub(super) const LEADING: f64 = SIZE * LINE;

/// Points in a millimetre.
pub(super) const MILLIMETRE: f64 = 72.0 / 25.4;

/// The width of a column of a paper.
pub(super) const ONE_COLUMN: f64 = 85.0 * MILLIMETRE;

/// The width of two columns.
pub(super) const TWO_COLUMNS: f64 = 178.0 * MILLIMETRE;

/// A place in points.
pub(super) type Place = (f64, f64);

/// A colour: red, green and blue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// Text and axes.
    pub(super) const INK: Colour = Colour(30, 30, 30);
    /// The paper.
    pub(super) const WHITE: Colour = Colour(255, 255, 255);
    /// The lines of the grid.
    pub(super) const GRID: Colour = Colour(222, 222, 222);

    /// As SVG has it.
    pub(super) fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// The relative luminance, 0 to 1 (WCAG 2).
    pub(super) fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let share = f64::from(part) / 255.0;
            if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// The contrast of two colours, 1 to 21 (WCAG 2).
    pub(super) fn contrast(self, other: Colour) -> f64 {
        let (one, two) = (self.luminance() + 0.05, other.luminance() + 0.05);
        one.max(two) / one.min(two)
    }
}

/// How a line is drawn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Stroke {
    pub colour: Colour,
    pub width: f64,
    /// The lengths of dash and gap; none for a line drawn through.
    pub dash: Option<(f64, f64)>,
}

impl Stroke {
    pub(super) const fn plain(colour: Colour, width: f64) -> Stroke {
        Stroke { colour, width, dash: None }
    }
}

/// Which end of a text stands at its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A text in one line.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Label {
    pub text: String,
    /// On the base line.
    pub at: Place,
    pub anchor: Anchor,
    /// Whether it is written from below to above.
    pub is_upright: bool,
    pub colour: Colour,
}

/// A rectangle: left, top, right, bottom.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct TextBox(pub f64, pub f64, pub f64, pub f64);

impl Label {
    /// Where the text begins.
    pub(super) fn start(&self) -> Place {
        let width = width(&self.text);
        let back = match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::End => width,
        };
        if self.is_upright { (self.at.0, self.at.1 + back) } else { (self.at.0 - back, self.at.1) }
    }
}

/// One thing that is drawn.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Shape {
    Path { places: Vec<Place>, is_closed: bool, fill: Option<Colour>, stroke: Option<Stroke> },
    Text(Label),
}

/// Which part of a figure a shape belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// Axes, grid, notes.
    Frame,
    /// The part of the series of this name between the axes.
    Series(String),
    /// The entry of the series of this name in the legend.
    Legend(String),
}

/// A drawing.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Canvas {
    /// In points.
    pub width: f64,
    /// In points.
    pub height: f64,
    /// In the order in which they are drawn.
    pub shapes: Vec<(Part, Shape)>,
    /// The part that the next shapes belong to.
    pub part: Part,
}

impl Canvas {
    pub(super) fn new(width: f64) -> Canvas {
        Canvas { width, height: 0.0, shapes: Vec::new(), part: Part::Frame }
    }

    fn draw(&mut self, shape: Shape) {
        self.shapes.push((self.part.clone(), shape));
    }

    /// A line through these places; nothing if there are fewer than two.
    pub(super) fn line(&mut self, places: Vec<Place>, stroke: Stroke) {
        if places.len() > 1 {
            self.draw(Shape::Path { places, is_closed: false, fill: None, stroke: Some(stroke) });
        }
    }

    /// An interval, with a line across each end that is not dashed and reaches this far to both sides.
    pub(super) fn interval(&mut self, ends: [Place; 2], (right, down): Place, stroke: Stroke) {
        self.line(ends.to_vec(), stroke);
        for (x, y) in ends {
            let across = vec![(x - right, y - down), (x + right, y + down)];
            self.line(across, Stroke { dash: None, ..stroke });
        }
    }

    /// An area with these corners.
    pub(super) fn area(&mut self, places: Vec<Place>, fill: Option<Colour>, stroke: Option<Stroke>) {
        self.draw(Shape::Path { places, is_closed: true, fill, stroke });
    }

    /// A rectangle.
    pub(super) fn rectangle(&mut self, of: TextBox, fill: Option<Colour>, stroke: Option<Stroke>) {
        let TextBox(left, top, right, bottom) = of;
        self.area(vec![(left, top), (right, top), (right, bottom), (left, bottom)], fill, stroke);
    }

    /// A text with its base line at a place.
    pub(super) fn text(&mut self, text: impl Into<String>, at: Place, anchor: Anchor) {
        self.coloured(text, at, anchor, Colour::INK);
    }

    /// Lines of text, the first of them with its base line at a place.
    pub(super) fn lines(&mut self, lines: &[String], (x, first): Place, anchor: Anchor) {
        for (number, line) in lines.iter().enumerate() {
            self.text(line, (x, first + number as f64 * LEADING), anchor);
        }
    }

    /// A text in a colour.
    pub(super) fn coloured(&mut self, text: impl Into<String>, at: Place, anchor: Anchor, colour: Colour) {
        self.draw(Shape::Text(Label { text: text.into(), at, anchor, is_upright: false, colour }));
    }

    /// A text that is written from below to above.
    pub(super) fn upright(&mut self, text: impl Into<String>, at: Place, anchor: Anchor) {
        self.draw(Shape::Text(Label {
            text: text.into(),
            at,
            anchor,
            is_upright: true,
            colour: Colour::INK,
        }));
    }
}

/// The conditions that tests check on every drawing.
#[cfg(test)]
pub(super) mod asked {
    use super::super::font::{ASCENT, DESCENT};
    use super::*;

    /// How much two boxes may share without being said to overlap.
    const EDGE: f64 = 0.01;

    /// The box that a text covers.
    fn text_box(label: &Label) -> TextBox {
        let ((x, y), width) = (label.start(), width(&label.text));
        if label.is_upright {
            TextBox(x - ASCENT * SIZE, y - width, x + DESCENT * SIZE, y)
        } else {
            TextBox(x, y - ASCENT * SIZE, x + width, y + DESCENT * SIZE)
        }
    }

    fn overlap(one: TextBox, other: TextBox) -> bool {
        let beside = one.0 + EDGE < other.2 && other.0 + EDGE < one.2;
        beside && one.1 + EDGE < other.3 && other.1 + EDGE < one.3
    }

    /// The texts.
    pub(in super::super) fn texts(canvas: &Canvas) -> Vec<&Label> {
        let mut texts = Vec::new();
        for (_, shape) in &canvas.shapes {
            if let Shape::Text(label) = shape {
                texts.push(label);
            }
        }
        texts
    }

    /// Two texts that overlap, or a text that leaves the paper.
    pub(in super::super) fn clash(canvas: &Canvas) -> Option<String> {
        let (width, height) = (canvas.width + EDGE, canvas.height + EDGE);
        let boxes: Vec<(&Label, TextBox)> =
            texts(canvas).into_iter().map(|label| (label, text_box(label))).collect();
        for (at, (one, area)) in boxes.iter().enumerate() {
            let TextBox(left, top, right, bottom) = *area;
            if left < -EDGE || top < -EDGE || right > width || bottom > height {
                return Some(format!("'{}' leaves the paper: {area:?} of {width} x {height}", one.text));
            }
            if let Some((other, _)) = boxes[..at].iter().find(|(_, other)| overlap(*area, *other)) {
                return Some(format!("'{}' and '{}' overlap: {area:?}", one.text, other.text));
            }
        }
        None
    }

    /// How many paths the series are drawn with.
    pub(in super::super) fn paths_of_series(canvas: &Canvas) -> usize {
        let is_path =
            |part: &Part, shape: &Shape| matches!((part, shape), (Part::Series(_), Shape::Path { .. }));
        canvas.shapes.iter().filter(|(part, shape)| is_path(part, shape)).count()
    }

    /// A series that is drawn and not in the legend, or in the legend and not drawn.
    pub(in super::super) fn legend_fault(canvas: &Canvas) -> Option<String> {
        let (mut drawn, mut listed) = (Vec::new(), Vec::new());
        for (part, shape) in &canvas.shapes {
            match (part, shape) {
                (Part::Series(name), Shape::Path { .. }) => drawn.push(name),
                (Part::Legend(name), Shape::Path { .. }) => listed.push(name),
                _ => {}
            }
        }
        let unlisted = drawn.iter().find(|name| !listed.contains(name));
        let undrawn = listed.iter().find(|name| !drawn.contains(name));
        let said = |name: &&&String, what: &str| format!("'{name}' is not {what}");
        unlisted.map(|name| said(&name, "listed")).or(undrawn.map(|name| said(&name, "drawn")))
    }
}
