//! Heat map: a value for each pair of two categories, as a colour and written in the cell.
//!
//! Invariant: the text in a cell has a contrast of 4.5 at least with its colour. A cell without a value has `?` and
//! no colour. All panels have the same categories and the same colours.

use super::axes::{BELOW_MIDDLE, BottomAxis, paragraph, side_label};
use super::axis::Axis;
use super::canvas::{Anchor, Canvas, Colour, LEADING, ONE_COLUMN, Part, Stroke, TWO_COLUMNS, TextBox};
use super::font::{widest, width, wrap};
use super::ticks::{Span, short};

/// The widest labels of rows.
const LABELS: f64 = 90.0;

/// The longest line of the label of the rows.
const SIDE: f64 = 60.0;

/// The least width of a cell.
const CELL: f64 = 22.0;

/// The distance of two panels, and the margin.
const BETWEEN: f64 = 12.0;

/// The colours of the least and of the greatest value, and those between them at equal distances.
const COLOURS: [Colour; 5] = [
    Colour(247, 251, 255),
    Colour(198, 219, 239),
    Colour(107, 174, 214),
    Colour(33, 113, 181),
    Colour(8, 48, 107),
];

/// The outline of a cell, and of the colours.
const OUTLINE: Stroke = Stroke::plain(Colour::INK, 0.4);

/// Black, because on any colour black or white has a contrast of 4.5.
const BLACK: Colour = Colour(0, 0, 0);

/// Values for pairs of categories.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HeatMap {
    /// The heading of the columns, and their names.
    pub columns: (String, Vec<String>),
    /// The heading of the rows, and their names, from the lower to the upper one.
    pub rows: (String, Vec<String>),
    /// The name of the quantity that the values measure.
    pub value: String,
    /// The panels.
    pub panels: Vec<HeatPanel>,
}

/// One panel of a heat map.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HeatPanel {
    /// The title that distinguishes it from the others; empty for a single one.
    pub title: String,
    /// By row and column.
    pub cells: Vec<Vec<HeatCell>>,
}

/// One cell.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HeatCell {
    /// The value; none if it is not known.
    pub value: Option<f64>,
    /// The text of the cell, in one or two lines, as in `54.7` and `± 1.2`; the first is the value.
    pub words: Vec<String>,
}

impl HeatMap {
    pub(super) fn canvas(&self) -> Canvas {
        let cells = || self.panels.iter().flat_map(|panel| panel.cells.iter().flatten());
        let words = widest(cells().flat_map(|cell| &cell.words)).max(CELL - 4.0);
        let labels = widest(&self.rows.1).min(LABELS) + 1.0;
        let lines = cells().map(|cell| cell.words.len()).max().unwrap_or(1).max(1);
        let row_lines = self.rows.1.iter().map(|name| wrap(name, labels).len()).max().unwrap_or(1);
        let (count, rows) = (self.columns.1.len().max(1) as f64, self.rows.1.len().max(1));
        // Rows are so high that the label beside them has room.
        let label = width(&self.rows.0).min(SIDE) + 1.0;
        let height = (lines.max(row_lines) as f64 * LEADING + 4.0).max(label / rows as f64);
        let side = side_label(None, &self.rows.0, (0.0, height * rows as f64));
        let left = side + labels + 3.0;
        let wanted = count * (words + 6.0);
        let is_wide = left + wanted + BETWEEN > ONE_COLUMN || self.panels.len() > 2;
        let mut canvas = Canvas::new(if is_wide { TWO_COLUMNS } else { ONE_COLUMN });
        let free = canvas.width - left - BETWEEN;
        let across = (((free + BETWEEN) / (wanted + BETWEEN)) as usize).clamp(1, self.panels.len().max(1));
        let wide = ((free - (across - 1) as f64 * BETWEEN) / across as f64).min(count * (words + 30.0));
        // A line that does not fit in one cell is left out in all, from the end: the interval before the value.
        let fits = |line: usize| {
            let mut words = cells().filter_map(|cell| cell.words.get(line));
            words.all(|word| width(word) <= wide / count - 2.0)
        };
        let written = (0..lines).take_while(|&line| fits(line)).count();
        let values = || cells().filter_map(|cell| cell.value.filter(|value| value.is_finite()));
        let least = values().fold(f64::INFINITY, f64::min);
        let greatest = values().fold(f64::NEG_INFINITY, f64::max);
        let categories = Axis::categories("", self.columns.1.clone());
        let span = Span::new(&categories, std::iter::empty(), false);
        let mut top = 4.0;
        for row in self.panels.chunks(across) {
            let titles = row.iter().map(|panel| wrap(&panel.title, wide).len()).max().unwrap_or(0);
            let upper = top + titles as f64 * LEADING + if titles > 0 { 2.0 } else { 0.0 };
            let lower = upper + height * rows as f64;
            side_label(Some(&mut canvas), &self.rows.0, (upper, lower));
            for (at, name) in self.rows.1.iter().enumerate() {
                let lines = wrap(name, labels);
                let middle = lower - (at as f64 + 0.5) * height - (lines.len() as f64 - 1.0) / 2.0 * LEADING;
                canvas.lines(&lines, (left - 3.0, middle + BELOW_MIDDLE), Anchor::End);
            }
            let mut end = lower;
            for (column, panel) in row.iter().enumerate() {
                let from = left + column as f64 * (wide + BETWEEN);
                let sides = (from, from + wide);
                paragraph(&mut canvas, &panel.title, sides, top, Anchor::Middle);
                let limits = (from - BETWEEN / 2.0 + 2.0, from + wide + BETWEEN / 2.0 - 2.0);
                let axis = BottomAxis::new(&span, sides, limits);
                axis.draw(&mut canvas, sides, (lower, lower));
                let x = |column: usize| from + column as f64 * (wide / count);
                let y = |row: usize| lower - row as f64 * height;
                for (at, cells) in panel.cells.iter().enumerate() {
                    for (number, cell) in cells.iter().enumerate() {
                        let area = TextBox(x(number), y(at + 1), x(number + 1), y(at));
                        draw_cell(&mut canvas, cell, written, area, (least, greatest));
                    }
                }
                end = f64::max(end, lower + axis.height);
            }
            top = end + 6.0;
        }
        let sides = (left, canvas.width - BETWEEN);
        let sides = if across == 1 { (left, left + wide) } else { sides };
        let end = paragraph(&mut canvas, &self.columns.0, sides, top - 5.0, Anchor::Middle);
        canvas.height = self.scale(&mut canvas, end + 4.0, (least, greatest)) + 3.0;
        canvas
    }

    /// The colours and what they mean; gives the height where they end.
    fn scale(&self, canvas: &mut Canvas, top: f64, (least, greatest): (f64, f64)) -> f64 {
        if least > greatest {
            return paragraph(canvas, "There is nothing to show.", (4.0, canvas.width), top, Anchor::Start);
        }
        let (low, high) = (short(least), short(greatest));
        let name = format!("{}:", self.value);
        let [name_width, low_width] = [&name, &low].map(|text| width(text));
        let bar = 60.0;
        let mut base = top + LEADING / 2.0 + BELOW_MIDDLE;
        canvas.text(&name, (4.0, base), Anchor::Start);
        // A long name has a line of its own.
        let mut from = 4.0 + name_width + 5.0;
        if from + low_width + bar + 12.0 + width(&high) > canvas.width {
            (from, base) = (4.0, base + LEADING);
        }
        canvas.text(&low, (from, base), Anchor::Start);
        let left = from + low_width + 4.0;
        let steps = 30;
        for step in 0..steps {
            let at = |step: i32| left + bar * f64::from(step) / f64::from(steps);
            let colour = colour(f64::from(step) / f64::from(steps - 1));
            canvas.rectangle(TextBox(at(step), base - 6.0, at(step + 1) + 0.1, base), Some(colour), None);
        }
        canvas.rectangle(TextBox(left, base - 6.0, left + bar, base), None, Some(OUTLINE));
        canvas.text(&high, (left + bar + 4.0, base), Anchor::Start);
        base + LEADING / 2.0
    }
}

fn draw_cell(
    canvas: &mut Canvas,
    cell: &HeatCell,
    lines: usize,
    area: TextBox,
    (least, greatest): (f64, f64),
) {
    let TextBox(left, top, right, bottom) = area;
    let value = cell.value.filter(|value| value.is_finite());
    let share = |value: f64| if greatest > least { (value - least) / (greatest - least) } else { 0.5 };
    let fill = value.map_or(Colour::WHITE, |value| colour(share(value)));
    canvas.part = Part::Frame;
    canvas.rectangle(area, Some(fill), Some(OUTLINE));
    let ink = if fill.contrast(BLACK) >= fill.contrast(Colour::WHITE) { BLACK } else { Colour::WHITE };
    let unknown = ["?".to_owned()];
    let words: &[String] = if value.is_some() { &cell.words } else { &unknown };
    let words: Vec<&String> = words.iter().take(lines).collect();
    let first = f64::midpoint(top, bottom) - (words.len() as f64 - 1.0) / 2.0 * LEADING + BELOW_MIDDLE;
    for (number, word) in words.iter().enumerate() {
        let at = (f64::midpoint(left, right), first + number as f64 * LEADING);
        canvas.coloured(*word, at, Anchor::Middle, ink);
    }
}

/// The colour of a share from 0 to 1.
fn colour(share: f64) -> Colour {
    let at = share.clamp(0.0, 1.0) * (COLOURS.len() - 1) as f64;
    let before = (at as usize).min(COLOURS.len() - 2);
    let (one, two, part) = (COLOURS[before], COLOURS[before + 1], at - before as f64);
    let mix = |one: u8, two: u8| (f64::from(one) + (f64::from(two) - f64::from(one)) * part).round() as u8;
    Colour(mix(one.0, two.0), mix(one.1, two.1), mix(one.2, two.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_on_any_colour_can_be_read() {
        for step in 0..=1000 {
            let colour = colour(f64::from(step) / 1000.0);
            assert!(colour.contrast(BLACK).max(colour.contrast(Colour::WHITE)) >= 4.5, "{colour:?}");
        }
        assert_eq!((colour(0.0), colour(1.0)), (COLOURS[0], COLOURS[4]));
    }
}
