//! Svg: a canvas as SVG, for a page or as a file of its own.
//!
//! Invariant: the same canvas gives the same bytes. A file has the font inside it; in a page the style of the page has
//! it once. The figure is on white, whatever the colours of the page are.

use super::canvas::{Anchor, Canvas, Label, MILLIMETRE, Part, Shape};
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
    let mut part = &Part::Frame;
    for (of, shape) in &canvas.shapes {
        if of != part {
            text += if *part == Part::Frame { "" } else { "</g>\n" };
            part = of;
            text += &match part {
                Part::Frame => String::new(),
                Part::Series(name) => format!("<g class=\"series\" data-name=\"{}\">\n", escape(name)),
                Part::Legend(name) => format!("<g class=\"legend\" data-name=\"{}\">\n", escape(name)),
            };
        }
        text += &match shape {
            Shape::Path { .. } => path(shape),
            Shape::Text(label) => words(label),
        };
    }
    text += if *part == Part::Frame { "" } else { "</g>\n" };
    text + "</svg>\n"
}

/// The canvas as a file.
pub(super) fn file(canvas: &Canvas, title: &str) -> String {
    let head = format!("<title>{}</title>\n<style>{}</style>\n<rect ", escape(title), css());
    inline(canvas, title).replacen("<rect ", &head, 1)
}

fn path(shape: &Shape) -> String {
    let Shape::Path { places, is_closed, fill, stroke } = shape else { return String::new() };
    let places: Vec<String> = places.iter().map(|&(x, y)| format!("{} {}", number(x), number(y))).collect();
    let end = if *is_closed { "Z" } else { "" };
    let hex = |colour: &super::canvas::Colour| format!("#{:02x}{:02x}{:02x}", colour.0, colour.1, colour.2);
    let fill = fill.as_ref().map_or_else(|| "none".to_owned(), hex);
    let mut text = format!("<path d=\"M{}{end}\" fill=\"{fill}\"", places.join("L"));
    if let Some(stroke) = stroke {
        text += &format!(" stroke=\"{}\" stroke-width=\"{}\"", hex(&stroke.colour), number(stroke.width));
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
    let super::canvas::Colour(red, green, blue) = label.colour;
    format!(
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"#{red:02x}{green:02x}{blue:02x}\"{turned}>{}</text>\n",
        escape(&label.text)
    )
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
