//! Svg: a canvas as SVG, for a page or as a file of its own.
//!
//! Invariant: the same canvas gives the same bytes. A file has the font inside it; in a page the style of the page has
//! it once. The figure is on white, whatever the colours of the page are.

use super::canvas::{Anchor, Canvas, Colour, Label, MILLIMETRE, Part, Shape};
use super::font::{FAMILY, SIZE, css};

/// The canvas as an element of a page.
pub(super) fn inline(canvas: &Canvas, title: &str) -> String {
    let (width, height) = (number(canvas.width), number(canvas.height));
    let [wide, high] = [canvas.width, canvas.height].map(|points| number(points / MILLIMETRE));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{}\" width=\"{wide}mm\" height=\"{high}mm\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FAMILY}, sans-serif\" font-size=\"{}\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
        escape(title),
        number(SIZE),
    );
    for of_part in canvas.shapes.chunk_by(|(part, _), (next, _)| part == next) {
        let shapes: String = of_part.iter().map(|(_, shape)| element(shape)).collect();
        let group = |class: &str, name: &str| {
            format!("<g class=\"{class}\" data-name=\"{}\">\n{shapes}</g>\n", escape(name))
        };
        text += &match &of_part[0].0 {
            Part::Frame => shapes,
            Part::Series(name) => group("series", name),
            Part::Legend(name) => group("legend", name),
        };
    }
    text + "</svg>\n"
}

/// The canvas as a file.
pub(super) fn file(canvas: &Canvas, title: &str) -> String {
    let head = format!("<title>{}</title>\n<style>{}</style>\n<rect ", escape(title), css());
    inline(canvas, title).replacen("<rect ", &head, 1)
}

fn element(shape: &Shape) -> String {
    let (places, is_closed, fill, stroke) = match shape {
        Shape::Path { places, is_closed, fill, stroke } => (places, is_closed, fill, stroke),
        Shape::Text(label) => return words(label),
    };
    let places: Vec<String> = places.iter().map(|&(x, y)| format!("{} {}", number(x), number(y))).collect();
    let end = if *is_closed { "Z" } else { "" };
    let fill = fill.map_or_else(|| "none".to_owned(), Colour::hex);
    let mut text = format!("<path d=\"M{}{end}\" fill=\"{fill}\"", places.join("L"));
    if let Some(stroke) = stroke {
        text += &format!(" stroke=\"{}\" stroke-width=\"{}\"", stroke.colour.hex(), number(stroke.width));
        if let Some((dash, gap)) = stroke.dash {
            text += &format!(" stroke-dasharray=\"{} {}\"", number(dash), number(gap));
        }
    }
    text + "/>\n"
}

fn words(label: &Label) -> String {
    let (x, y) = (number(label.at.0), number(label.at.1));
    let anchor = match label.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let turned = if label.is_upright { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
    let (fill, text) = (label.colour.hex(), escape(&label.text));
    format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"{fill}\"{turned}>{text}</text>\n")
}

/// A number with at most two digits after the point.
fn number(number: f64) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text as it stands in HTML, in elements and in quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let escaped = |character: char| match character {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\'' => "&#39;".to_owned(),
        // XML has no other control characters.
        other if other.is_control() && !"\t\n\r".contains(other) => '\u{FFFD}'.to_string(),
        other => other.to_string(),
    };
    text.chars().map(escaped).collect()
}
