//! Figure: a diagram as plain data, and the files that it becomes.
//!
//! Invariant: a figure does not depend on how it is drawn. The drawing leaves out numbers that are not finite. On a
//! logarithmic axis, numbers that are not positive are drawn at the lower edge, and a note says so. A figure is as wide
//! as a column of a paper, or as two, and its texts have 8 points.

use super::canvas::{Canvas, ONE_COLUMN};
use super::forest_plot::ForestPlot;
use super::heat_map::HeatMap;
use super::line_plot::LinePlot;
use super::{pdf, svg};

/// One diagram.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// The name of its files: letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// The content of the figure, in a line.
    pub title: String,
    /// How to read it, in sentences.
    pub caption: String,
    /// The plot that is drawn.
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
    let text: String = words.join("-").chars().map(plain).collect();
    let name = text.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    let name = name.trim_start_matches(['.', '-']);
    if name.is_empty() { "figure".to_owned() } else { name.to_owned() }
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
