//! Look: how the series of a figure are told apart.
//!
//! Eight shapes, eight line styles and eight colours, of which no two neighbours are equally dark. The position of a
//! series determines its marker, so the same list of series looks the same in every panel. Shapes vary first,
//! because they can be told apart in a grey print.

use super::canvas::{Canvas, Colour, Place, Stroke};

/// Half the width of a marker, in points.
pub(super) const HALF: f64 = 2.2;

/// Colours that people who confuse colours can tell apart (Okabe and Ito), the dark ones first.
const COLOURS: [Colour; 8] = [
    Colour(0, 0, 0),
    Colour(213, 94, 0),
    Colour(0, 114, 178),
    Colour(230, 159, 0),
    Colour(0, 120, 90),
    Colour(204, 121, 167),
    Colour(90, 60, 140),
    Colour(86, 160, 210),
];

/// Lengths of dash and gap in points; none for a line drawn through.
const DASHES: [Option<(f64, f64)>; 8] = [
    None,
    Some((5.0, 2.5)),
    Some((1.0, 1.6)),
    Some((9.0, 2.5)),
    Some((3.0, 2.0)),
    Some((1.0, 3.5)),
    Some((7.0, 4.5)),
    Some((2.5, 4.5)),
];

/// The colour in which a reference is drawn.
const REFERENCE: Colour = Colour(110, 110, 110);

/// The note of a figure with intervals of few measurements.
pub(super) const FEW_NOTE: &str = "dashed bar: too few measurements for a reliable interval";

/// How one series is drawn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Look {
    /// The place among the measured series, or among the references.
    at: usize,
    is_reference: bool,
}

impl Look {
    pub(super) fn new(at: usize, is_reference: bool) -> Self {
        Look { at, is_reference }
    }

    fn colour(self) -> Colour {
        if self.is_reference { REFERENCE } else { COLOURS[self.at % COLOURS.len()] }
    }

    /// The style of lines.
    pub(super) fn line(self) -> Stroke {
        let at = if self.is_reference { self.at + 1 } else { self.at };
        Stroke { colour: self.colour(), width: 1.0, dash: DASHES[at % DASHES.len()] }
    }

    /// The style of error bars; dashed where an interval is not reliable.
    pub(super) fn bar(self, is_few: bool) -> Stroke {
        Stroke { colour: self.colour(), width: 0.6, dash: is_few.then_some((1.2, 1.2)) }
    }

    /// Draws the marker at a place. References have none.
    pub(super) fn mark(self, canvas: &mut Canvas, (x, y): Place) {
        if self.is_reference {
            return;
        }
        let colour = self.colour();
        let around = |corners: &[Place]| -> Vec<Place> {
            corners.iter().map(|&(right, down)| (x + HALF * right, y + HALF * down)).collect()
        };
        let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let up = [(0.0, -1.25), (1.25, 1.0), (-1.25, 1.0)];
        let down = [(0.0, 1.25), (1.25, -1.0), (-1.25, -1.0)];
        let diamond = [(0.0, -1.45), (1.45, 0.0), (0.0, 1.45), (-1.45, 0.0)];
        let circle: Vec<Place> = (0..20)
            .map(|at| (f64::from(at) * std::f64::consts::TAU / 20.0).sin_cos())
            .map(|(right, down)| (1.1 * right, 1.1 * down))
            .collect();
        let outline = Stroke::plain(colour, 0.9);
        let mut full = |corners: &[Place]| canvas.area(around(corners), Some(colour), None);
        match self.at % 8 {
            0 => full(&circle),
            1 => full(&square),
            2 => full(&up),
            3 => full(&diamond),
            4 => canvas.area(around(&circle), Some(Colour::WHITE), Some(outline)),
            5 => canvas.area(around(&down), Some(Colour::WHITE), Some(outline)),
            at => {
                let (one, two) = match at {
                    6 => ([(-1.0, -1.0), (1.0, 1.0)], [(-1.0, 1.0), (1.0, -1.0)]),
                    _ => ([(-1.25, 0.0), (1.25, 0.0)], [(0.0, -1.25), (0.0, 1.25)]),
                };
                for ends in [one, two] {
                    canvas.line(around(&ends), Stroke::plain(colour, 1.1));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_differ_in_shape_line_and_darkness() {
        for at in 0..7 {
            let (one, next) = (Look::new(at, false), Look::new(at + 1, false));
            let drawn = |look: Look| {
                let mut canvas = Canvas::new(10.0);
                look.mark(&mut canvas, (5.0, 5.0));
                canvas.shapes
            };
            assert_ne!(
                drawn(one).len() * 100 + places(&drawn(one)),
                drawn(next).len() * 100 + places(&drawn(next))
            );
            assert_ne!(one.line().dash, next.line().dash);
            assert!(one.colour().contrast(next.colour()) > 1.2, "{at}");
        }
        assert_ne!(Look::new(0, true).line().dash, None);
    }

    /// A number that differs where shapes differ.
    fn places(shapes: &[(super::super::canvas::Part, super::super::canvas::Shape)]) -> usize {
        use super::super::canvas::Shape;
        let one = |shape: &Shape| match shape {
            Shape::Path { places, fill, .. } => {
                places.len() * 3
                    + usize::from(fill.is_some())
                    + (places[0].0 * 7.0) as usize
                    + (places[0].1 * 11.0) as usize
            }
            Shape::Text(_) => 0,
        };
        shapes.iter().map(|(_, shape)| one(shape)).sum()
    }
}
