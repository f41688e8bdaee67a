//! Page: an HTML document that needs nothing beside itself.
//!
//! Invariant: every text given is escaped, so no name of a game can become markup; nothing is loaded from anywhere.

use super::figure::Figure;

/// The style of every page: one column, tables that can be scrolled sideways, black on white in print.
const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;color:#1e1e1e;background:#fff;max-width:62rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2.2rem;border-bottom:1px solid #bbb}
figure{margin:1.2rem 0;break-inside:avoid}figure svg{max-width:100%;height:auto}
figcaption,caption{font-size:.9rem;color:#444;text-align:left;padding:.3rem 0}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.82rem;font-variant-numeric:tabular-nums}
th,td{padding:.15rem .55rem;text-align:right;white-space:nowrap;border-bottom:1px solid #ddd}
th{border-bottom:2px solid #888;vertical-align:bottom}th:first-child,td:first-child{text-align:left}
pre{background:#f3f3f3;padding:.6rem;overflow-x:auto}
";

/// A document under construction: parts are added in reading order.
#[derive(Clone, PartialEq, Debug)]
pub struct Page {
    title: String,
    body: String,
}

/// A table: the first column to the left, the others to the right.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    /// A sentence above it; empty for none.
    pub caption: String,
    /// The names of the columns, with units.
    pub head: Vec<String>,
    /// The rows, each as long as the head.
    pub rows: Vec<Vec<String>>,
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

    /// Adds text that is shown as it stands, such as a command.
    pub fn verbatim(&mut self, text: &str) {
        self.body += &format!("<pre>{}</pre>\n", escape(text));
    }

    /// Adds a table.
    pub fn table(&mut self, table: &Table) {
        let row = |cells: &[String], tag: &str| {
            let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
            format!("<tr>{cells}</tr>\n")
        };
        self.body += "<div class=\"wide\"><table>\n";
        if !table.caption.is_empty() {
            self.body += &format!("<caption>{}</caption>\n", escape(&table.caption));
        }
        self.body += &format!("<thead>{}</thead>\n<tbody>\n", row(&table.head, "th"));
        table.rows.iter().for_each(|cells| self.body += &row(cells, "td"));
        self.body += "</tbody></table></div>\n";
    }

    /// Adds a figure with a sentence that says how to read it.
    pub fn figure(&mut self, figure: &Figure, caption: &str) {
        let caption = escape(caption);
        self.body += &format!("<figure>\n{}<figcaption>{caption}</figcaption></figure>\n", figure.to_svg());
    }

    /// The whole document.
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
pub fn escape(text: &str) -> String {
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
    use super::super::{Axis, Point, Series};
    use super::*;

    fn figure() -> Figure {
        let points = |factor: f64| {
            [16.0, 64.0, 256.0]
                .map(|x| Point::between(x, factor / x, factor / x * 0.8, factor / x * 1.3))
                .to_vec()
        };
        Figure {
            title: "bias <of> all".to_owned(),
            x: Axis::logarithmic("particles"),
            y: Axis::logarithmic("bias TV (probability)"),
            series: vec![
                Series::measured("ours", points(1.0)),
                Series::measured("a & b", vec![Point::exact(16.0, 0.0), Point::exact(64.0, f64::NAN)]),
                Series::reference("floor", points(0.9)),
            ],
        }
    }

    #[test]
    fn a_page_holds_all_it_was_given_and_loads_nothing() {
        let mut page = Page::new("Belief <script>");
        page.heading("Figures");
        page.paragraph("a < b");
        page.verbatim("x && y");
        let rows = vec![vec!["ours".to_owned(), "1".to_owned()]];
        page.table(&Table { caption: "c".into(), head: vec!["sampler".into(), "N".into()], rows });
        page.figure(&figure(), "Lower is better.");
        let html = page.finish();
        for part in
            ["<h2>Figures</h2>", "a &lt; b", "x &amp;&amp; y", "<td>ours</td>", "<svg ", "Lower is better."]
        {
            assert!(html.contains(part), "{part}");
        }
        assert!(!html.contains("<script") && !html.contains("href") && !html.contains("src="));
        assert_eq!(html, page.clone().finish());
    }

    #[test]
    fn a_figure_has_title_labels_legend_and_a_note_on_zeros() {
        let svg = figure().to_svg();
        for part in
            ["bias &lt;of&gt; all", "particles", "bias TV (probability)", "ours", "a &amp; b", "floor"]
        {
            assert!(svg.contains(part), "{part}");
        }
        assert!(svg.contains("Values of 0 stand on the edge"));
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>") && !svg.contains("NaN"));
        let empty = Figure::default().to_svg();
        assert!(empty.contains("There is nothing to show."));
    }
}
