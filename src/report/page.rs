//! Page: an HTML document in one file, the same as Markdown, and its figures as files beside it.
//!
//! Invariant: every text given is escaped, so no name of a game can become markup, and the page loads no other file:
//! its style (`page.css`) and its font are inside. It has no part wider than the window but tables and figures of two
//! columns, which scroll by themselves. It is light or dark, as the reader's system is; figures are on white.

use super::figure::Figure;
use super::font;
use super::shown::ShownTable;
use super::svg::escape;

/// The style of every page.
const STYLE: &str = include_str!("page.css");

/// A document under construction: parts are added in reading order.
#[derive(Clone, PartialEq, Debug)]
pub struct Page {
    title: String,
    body: String,
    markdown: String,
    figures: Vec<Figure>,
}

impl Page {
    /// A page with this title, otherwise empty.
    pub fn new(title: &str) -> Self {
        let (body, markdown) = (format!("<h1>{}</h1>\n", escape(title)), format!("# {title}\n"));
        Page { title: title.to_owned(), body, markdown, figures: Vec::new() }
    }

    fn add(&mut self, open: &str, text: &str, close: &str, markdown: &str) {
        self.body += &format!("{open}{}{close}\n", escape(text));
        self.markdown += &format!("\n{markdown}{text}\n");
    }

    /// Begins a section.
    pub fn heading(&mut self, text: &str) {
        self.add("<h2>", text, "</h2>", "## ");
    }

    /// Begins a part of a section.
    pub fn subheading(&mut self, text: &str) {
        self.add("<h3>", text, "</h3>", "### ");
    }

    /// Adds sentences.
    pub fn paragraph(&mut self, text: &str) {
        self.add("<p>", text, "</p>", "");
    }

    /// Adds sentences that explain what stands above them.
    pub fn note(&mut self, text: &str) {
        if !text.is_empty() {
            self.add("<p class=\"note\">", text, "</p>", "");
        }
    }

    /// Adds a table, with a sentence above it if there is one: words to the left, numbers to the right.
    pub fn table(&mut self, caption: &str, table: &ShownTable) {
        let row = |cells: &[String], tag: &str| {
            let cells = cells.iter().zip(&table.is_text).map(|(cell, &is_text)| {
                let text = escape(&typeset(cell));
                let (class, text) = if is_text { (" class=\"w\"", breakable(&text)) } else { ("", text) };
                format!("<{tag}{class}>{text}</{tag}>")
            });
            format!("<tr>{}</tr>\n", cells.collect::<String>())
        };
        self.note(caption);
        self.body +=
            &format!("<div class=\"wide\"><table>\n<thead>{}</thead>\n<tbody>\n", row(&table.heads, "th"));
        table.rows.iter().for_each(|cells| self.body += &row(cells, "td"));
        self.body += "</tbody></table></div>\n";
        if let Some(footnote) = &table.footnote {
            self.body += &format!("<p class=\"note\">{}</p>\n", escape(footnote));
        }
        self.markdown += &format!("\n{}", table.as_markdown());
    }

    /// Adds a figure with its title and its caption. A second figure of the same name gets another one for its files.
    pub fn figure(&mut self, figure: Figure) {
        let (svg, is_wide) = figure.inline();
        let (class, open, close) =
            if is_wide { ("two", "<div class=\"wide\">", "</div>") } else { ("one", "", "") };
        let (title, caption) = (escape(&figure.title), escape(&figure.caption));
        self.body += &format!(
            "<figure class=\"{class}\">\n{open}{svg}{close}<figcaption><b>{title}.</b> {caption}</figcaption></figure>\n"
        );
        let is_known = |name: &str| self.figures.iter().any(|other| other.name == name);
        let name = (1..)
            .map(|at| if at == 1 { figure.name.clone() } else { format!("{}-{at}", figure.name) })
            .find(|name| !is_known(name))
            .expect("there are more numbers than figures");
        self.markdown += &format!("\n![{}](figures/{name}.svg)\n", figure.title);
        self.figures.push(Figure { name, ..figure });
    }

    /// The document as Markdown, which names the files of its figures.
    pub fn as_markdown(&self) -> &str {
        &self.markdown
    }

    /// The complete document.
    pub fn finish(&self) -> String {
        let title = escape(&self.title);
        let font = if self.figures.is_empty() { String::new() } else { font::css() };
        let head = format!(
            "<meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{STYLE}{font}</style>"
        );
        format!(
            "<!doctype html>\n<html lang=\"en\"><head>{head}</head>\n<body>\n{}</body></html>\n",
            self.body
        )
    }

    /// The figures as files: the path in the folder of the page, and the contents.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        figure_files(&self.figures)
    }
}

/// Figures as files: the path below `figures`, and the contents.
pub fn figure_files(figures: &[Figure]) -> Vec<(String, Vec<u8>)> {
    let both = |figure: &Figure| {
        let path = |ending: &str| format!("figures/{}.{ending}", figure.name);
        [(path("svg"), figure.to_svg().into_bytes()), (path("pdf"), figure.to_pdf())]
    };
    figures.iter().flat_map(both).collect()
}

/// A cell with the sign that a terminal may lack.
fn typeset(cell: &str) -> String {
    if cell == "+-" { "±".to_owned() } else { cell.replace(" +- ", " ± ") }
}

/// Escaped words that a browser may also break behind the signs of a spec.
fn breakable(escaped: &str) -> String {
    escaped.split_inclusive([',', ':', '=', '/']).collect::<Vec<_>>().join("<wbr>")
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, FigurePoint, FigureSeries, LinePlot, Plot};
    use super::*;

    fn figure() -> Figure {
        let points = vec![FigurePoint::between(16.0, 0.5, 0.4, 0.6), FigurePoint::exact(64.0, 0.25)];
        let series = vec![FigureSeries::measured("a & b", points)];
        let plot = LinePlot::single(Axis::logarithmic("particles"), Axis::linear("bias TV"), series);
        Figure::new(&["game", "bias"], "Bias <of> all", "Lower is better.", Plot::Lines(plot))
    }

    #[test]
    fn a_page_holds_all_it_was_given_and_loads_nothing() {
        let mut page = Page::new("Belief <script>");
        page.heading("Figures");
        page.paragraph("a < b");
        let heads = vec!["sampler".to_owned(), "score".to_owned(), "method".to_owned()];
        let rows = vec![vec!["hyperplay".to_owned(), "1.0 +- 0.5".to_owned(), "exact".to_owned()]];
        page.table("c", &ShownTable { heads, is_text: vec![true, false, true], rows, footnote: None });
        page.figure(figure());
        page.figure(figure());
        let html = page.finish();
        for part in [
            "<h2>Figures</h2>",
            "a &lt; b",
            "<td class=\"w\">hyperplay</td><td>1.0 ± 0.5</td><td class=\"w\">exact</td>",
            "<svg ",
            "Lower is better.",
            "prefers-color-scheme:dark",
        ] {
            assert!(html.contains(part), "{part}");
        }
        assert!(!html.contains("<script") && !html.contains("href") && !html.contains("src="));
        assert_eq!(html.matches("url(").count(), html.matches("url(data:font/ttf;base64,").count());
        assert_eq!(html, page.clone().finish());
        let names: Vec<String> = page.files().into_iter().map(|(name, _)| name).collect();
        let expected = ["game-bias.svg", "game-bias.pdf", "game-bias-2.svg", "game-bias-2.pdf"];
        assert_eq!(names, expected.map(|name| format!("figures/{name}")));
    }
}
