//! Marker: how the series of a figure are told apart.
//!
//! Eight shapes, eight line styles and eight colours, of which no two neighbours are equally dark. The position of a
//! series determines its marker, so the same list of series looks the same in every figure. Shapes vary first,
//! because they can be told apart in a grey print.

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::element::{Circle, PathElement, Polygon};
use plotters::style::{Color, RGBColor, ShapeStyle, WHITE};

/// A place in pixels, to the right and down.
pub(super) type Pixel = (i32, i32);

/// Half the width of a marker, in pixels.
const HALF: i32 = 4;

/// Colours that people who confuse colours can tell apart (Okabe and Ito), the dark ones first.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 0, 0),
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 120, 90),
    RGBColor(204, 121, 167),
    RGBColor(90, 60, 140),
    RGBColor(86, 160, 210),
];

/// Lengths of dash and gap in pixels; none for a line drawn through.
const DASHES: [Option<(i32, i32)>; 8] = [
    None,
    Some((9, 5)),
    Some((2, 3)),
    Some((16, 5)),
    Some((5, 4)),
    Some((2, 7)),
    Some((12, 9)),
    Some((4, 9)),
];

/// What a reference is drawn with.
const REFERENCE: RGBColor = RGBColor(110, 110, 110);

/// How one series is drawn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Look {
    /// The place among the measured series, or among the references.
    at: usize,
    reference: bool,
}

impl Look {
    pub(super) fn new(at: usize, reference: bool) -> Self {
        Look { at, reference }
    }

    fn colour(self) -> RGBColor {
        if self.reference { REFERENCE } else { COLOURS[self.at % COLOURS.len()] }
    }

    /// The style of lines and outlines.
    pub(super) fn line(self) -> ShapeStyle {
        self.colour().stroke_width(2)
    }

    /// The style of error bars.
    pub(super) fn bar(self) -> ShapeStyle {
        self.colour().stroke_width(1)
    }

    /// The lengths of dash and gap; none for a line drawn through.
    pub(super) fn dash(self) -> Option<(i32, i32)> {
        let at = if self.reference { self.at + 1 } else { self.at };
        DASHES[at % DASHES.len()]
    }

    /// Draws the marker at a place of the area, in pixels. References have none.
    pub(super) fn mark<DB: DrawingBackend>(
        self,
        area: &DrawingArea<DB, Shift>,
        (x, y): Pixel,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
        if self.reference {
            return Ok(());
        }
        let around = |list: &[(i32, i32)]| -> Vec<Pixel> {
            list.iter().map(|&(right, down)| (x + right, y + down)).collect()
        };
        let square = [(-HALF, -HALF), (HALF, -HALF), (HALF, HALF), (-HALF, HALF)];
        let up = [(0, -HALF - 1), (HALF + 1, HALF), (-HALF - 1, HALF)];
        let down = [(0, HALF + 1), (HALF + 1, -HALF), (-HALF - 1, -HALF)];
        let diamond = [(0, -HALF - 2), (HALF + 2, 0), (0, HALF + 2), (-HALF - 2, 0)];
        let full = |corners: &[(i32, i32)]| area.draw(&Polygon::new(around(corners), self.colour().filled()));
        let hollow = |corners: &[(i32, i32)]| {
            area.draw(&Polygon::new(around(corners), WHITE.filled()))?;
            let mut outline = around(corners);
            outline.extend_from_within(..1);
            area.draw(&PathElement::new(outline, self.line()))
        };
        let stroke =
            |from: (i32, i32), to: (i32, i32)| area.draw(&PathElement::new(around(&[from, to]), self.line()));
        match self.at % 8 {
            0 => area.draw(&Circle::new((x, y), HALF, self.colour().filled())),
            1 => hollow(&square),
            2 => full(&up),
            3 => hollow(&diamond),
            4 => {
                stroke((-HALF, -HALF), (HALF, HALF))?;
                stroke((-HALF, HALF), (HALF, -HALF))
            }
            5 => {
                area.draw(&Circle::new((x, y), HALF, WHITE.filled()))?;
                area.draw(&Circle::new((x, y), HALF, self.line()))
            }
            6 => full(&square),
            _ => hollow(&down),
        }
    }
}
