//! Page: an HTML document in one file.
//!
//! Invariant: every text given is escaped, so no name of a game can become markup, and the page loads no other file.

use super::figure::Figure;
use super::shown::ShownTable;

/// The style of every page: one column, tables that can be scrolled sideways, black on white in print.
const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;color:#1e1e1e;background:#fff;max-width:62rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2.2rem;border-bottom:1px solid #bbb}
figure{margin:1.2rem 0;break-inside:avoid}figure svg{max-width:100%;height:auto}
figcaption,caption{font-size:.9rem;color:#444;text-align:left;padding:.3rem 0}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.82rem;font-variant-numeric:tabular-nums}
th,td{padding:.15rem .55rem;text-align:right;white-space:nowrap;border-bottom:1px solid #ddd}
th{border-bottom:2px solid #888;vertical-align:bottom}th:first-child,td:first-child{text-align:left}
";

/// A document under construction: parts are added in reading order.
#[derive(Clone, PartialEq, Debug)]
pub struct Page {
    title: String,
    body: String,
}

impl Page {
    /// A page with this title, otherwise empty.
    pub fn new(title: &str) -> Self {
        Page { title: title.to_owned(), body: format!("<h1>{}</h1>\n", escape(title)) }
    }

    /// Begins a section.
    pub fn heading(&mut self, text: &str) {
        self.body += &format!("<h2>{}</h2>\n", escape(text));
    }

    /// Adds sentences.
    pub fn paragraph(&mut self, text: &str) {
        self.body += &format!("<p>{}</p>\n", escape(text));
    }

    /// Adds a table, with a sentence above it if there is one: the first column to the left, the others to the right.
    pub fn table(&mut self, caption: &str, table: &ShownTable) {
        let row = |cells: &[String], tag: &str| {
            let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
            format!("<tr>{cells}</tr>\n")
        };
        self.body += "<div class=\"wide\"><table>\n";
        if !caption.is_empty() {
            self.body += &format!("<caption>{}</caption>\n", escape(caption));
        }
        self.body += &format!("<thead>{}</thead>\n<tbody>\n", row(&table.heads, "th"));
        table.rows.iter().for_each(|cells| self.body += &row(cells, "td"));
        self.body += "</tbody></table></div>\n";
    }

    /// Adds a figure with a sentence that says how to read it.
    pub fn figure(&mut self, figure: &Figure, caption: &str) {
        let caption = escape(caption);
        self.body += &format!("<figure>\n{}<figcaption>{caption}</figcaption></figure>\n", figure.to_svg());
    }

    /// The complete document.
    pub fn finish(&self) -> String {
        let title = escape(&self.title);
        let head = format!(
            "<meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>"
        );
        format!(
            "<!doctype html>\n<html lang=\"en\"><head>{head}</head>\n<body>\n{}</body></html>\n",
            self.body
        )
    }
}

/// Text as it stands in HTML, in elements and in quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, FigurePoint, FigureSeries};
    use super::*;

    fn figure() -> Figure {
        let points = |factor: f64| {
            [16.0, 64.0, 256.0]
                .map(|x| FigurePoint::between(x, factor / x, factor / x * 0.8, factor / x * 1.3))
                .to_vec()
        };
        Figure {
            title: "bias <of> all".to_owned(),
            x: Axis::logarithmic("particles"),
            y: Axis::logarithmic("bias TV (probability)"),
            series: vec![
                FigureSeries::measured("hyperplay", points(1.0)),
                FigureSeries::measured(
                    "a & b",
                    vec![FigurePoint::exact(16.0, 0.0), FigurePoint::exact(64.0, f64::NAN)],
                ),
                FigureSeries::reference("baseline", points(0.9)),
            ],
        }
    }

    #[test]
    fn a_page_holds_all_it_was_given_and_loads_nothing() {
        let mut page = Page::new("Belief <script>");
        page.heading("Figures");
        page.paragraph("a < b");
        let heads = vec!["sampler".to_owned(), "N".to_owned()];
        let rows = vec![vec!["hyperplay".to_owned(), "1".to_owned()]];
        page.table("c", &ShownTable { heads, is_text: vec![true, false], rows });
        page.figure(&figure(), "Lower is better.");
        let html = page.finish();
        for part in ["<h2>Figures</h2>", "a &lt; b", "<td>hyperplay</td>", "<svg ", "Lower is better."] {
            assert!(html.contains(part), "{part}");
        }
        assert!(!html.contains("<script") && !html.contains("href") && !html.contains("src="));
        assert_eq!(html, page.clone().finish());
    }

    #[test]
    fn a_figure_has_title_labels_legend_and_a_note_on_zeros() {
        let svg = figure().to_svg();
        for part in [
            "bias &lt;of&gt; all",
            "particles",
            "bias TV (probability)",
            "hyperplay",
            "a &amp; b",
            "baseline",
        ] {
            assert!(svg.contains(part), "{part}");
        }
        assert!(svg.contains("Values of 0 stand on the edge"));
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>") && !svg.contains("NaN"));
        let empty = Figure::default().to_svg();
        assert!(empty.contains("There is nothing to show."));
    }
}
