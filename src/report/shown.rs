//! Shown: a table as a reader sees it, as aligned text or Markdown.
//!
//! A [`Reading`] chooses the columns that a reader is shown, and puts two of them into one where that is easier to
//! read: the ends of an interval, or a figure and what it is compared with. An unknown figure is shown as `?`. An
//! interval that rests on few measurements has a mark, which a footnote explains.

use serde_json::Value;

use super::table::{Format, MISSING, Reading, Table};

/// A table as a reader sees it: headings, and cells of text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ShownTable {
    /// The headings.
    pub heads: Vec<String>,
    /// For each column, whether it has words.
    pub is_text: Vec<bool>,
    /// The rows, each as long as the headings.
    pub rows: Vec<Vec<String>>,
    /// The meaning of the marks, if there are any.
    pub footnote: Option<String>,
}

impl Table {
    /// The table as readers are shown it: its view, or all columns.
    pub fn shown(&self) -> ShownTable {
        if !self.view.is_empty() {
            return self.read(&self.view);
        }
        let readings: Vec<Reading> = self.columns.iter().map(|column| Reading::One(column.name)).collect();
        self.read(&readings)
    }

    /// These columns for reading. A name that no column has gives a column without figures.
    pub fn read(&self, readings: &[Reading]) -> ShownTable {
        let place = |name: &str| self.columns.iter().position(|column| column.name == name);
        let cell = |row: &[Value], name: &str| {
            let shown = |at: usize| self.columns[at].format.shown(&row[at]);
            place(name).map_or_else(|| MISSING.to_owned(), shown)
        };
        let shown = |row: &Vec<Value>| {
            let of_row = self.marks.iter().filter(|mark| self.has_mark(row, mark));
            let mut signs: Vec<&str> = of_row.map(|mark| mark.sign).collect();
            signs.dedup();
            let mark: String = signs.iter().map(|sign| format!(" {sign}")).collect();
            let is_missing = |name: &&str| cell(row, name) == MISSING;
            let is_word = |name: &str| place(name).is_some_and(|at| row[at].is_string());
            let one = |reading: &Reading| match *reading {
                Reading::One(name) => cell(row, name),
                Reading::Joined(_, Reading::INTERVAL, names) if names[..2].iter().all(is_missing) => {
                    MISSING.to_owned()
                }
                Reading::Joined(_, Reading::PLUS_MINUS | Reading::WITH_INTERVAL, [name, ..])
                    if is_missing(&name) || is_word(name) =>
                {
                    cell(row, name)
                }
                Reading::Joined(_, form, names) => {
                    let cells = form.split("{}").skip(1).zip(names);
                    let text: String = cells.map(|(behind, name)| cell(row, name) + behind).collect();
                    let is_interval = ["..", "+-", "["].iter().any(|sign| form.contains(sign));
                    if is_interval { text + &mark } else { text }
                }
            };
            readings.iter().map(one).collect()
        };
        let head = |reading: &Reading| match *reading {
            Reading::One(name) => place(name).map_or(name, |at| self.columns[at].head),
            Reading::Joined(head, ..) => head,
        };
        let is_text = |reading: &Reading| match *reading {
            Reading::One(name) => place(name).is_some_and(|at| self.columns[at].format == Format::Text),
            _ => false,
        };
        let rows: Vec<Vec<String>> = self.rows.iter().map(shown).collect();
        let mut notes: Vec<String> =
            self.marks.iter().map(|mark| format!("{} {}", mark.sign, mark.note)).collect();
        notes.dedup();
        ShownTable {
            heads: readings.iter().map(|reading| head(reading).to_owned()).collect(),
            is_text: readings.iter().map(is_text).collect(),
            footnote: Some(notes.join("; ")),
            rows,
        }
        .with_used_notes()
    }
}

impl ShownTable {
    /// The same without the notes on marks that are in no cell, or in none any more.
    fn with_used_notes(mut self) -> ShownTable {
        let has = |sign: &str| self.rows.iter().flatten().any(|cell| cell.contains(&format!(" {sign}")));
        let is_used = |note: &&str| note.split_once(' ').is_some_and(|(sign, _)| has(sign));
        let notes = self.footnote.iter().flat_map(|notes| notes.split("; ")).filter(is_used);
        self.footnote = Some(notes.collect::<Vec<_>>().join("; ")).filter(|notes| !notes.is_empty());
        self
    }

    /// The same without the columns in which nothing is known.
    #[must_use]
    pub fn without_unknown(mut self) -> ShownTable {
        let known = |cell: &String| !cell.is_empty() && cell != MISSING;
        let is_kept = |at: &usize| self.rows.is_empty() || self.rows.iter().any(|row| known(&row[*at]));
        let kept: Vec<usize> = (0..self.heads.len()).filter(is_kept).collect();
        let keep = |cells: &[String]| kept.iter().map(|&at| cells[at].clone()).collect();
        self.heads = keep(&self.heads);
        self.is_text = kept.iter().map(|&at| self.is_text[at]).collect();
        self.rows.iter_mut().for_each(|row| *row = keep(row));
        self.with_used_notes()
    }

    /// Aligned lines: words to the left, numbers to the right.
    pub fn as_text(&self) -> String {
        let widths: Vec<usize> = (0..self.heads.len()).map(|column| self.width(column)).collect();
        let mut text = String::new();
        for cells in [&self.heads].into_iter().chain(&self.rows) {
            let padded = cells.iter().zip(&widths).zip(&self.is_text).map(|((cell, &width), is_text)| {
                // The width of a format is at most 65,535.
                let space = " ".repeat(width - cell.chars().count());
                if *is_text { format!("{cell}{space}") } else { format!("{space}{cell}") }
            });
            text += padded.collect::<Vec<_>>().join("  ").trim_end();
            text.push('\n');
        }
        self.footnote.iter().for_each(|footnote| text += &format!("{footnote}\n"));
        text
    }

    /// The same without the last columns, if it does not fit into lines of this width. Before a column is left out, what stands in the
    /// first one is broken behind commas and spaces, so that it takes two fifths of the width.
    #[must_use]
    pub fn within(mut self, width: usize) -> ShownTable {
        let columns = self.heads.len();
        if self.fitting(width) < columns {
            let broken = |row: Vec<String>| {
                let lines = lines_of(&row[0], width * 2 / 5);
                let rest = lines[1..].iter().map(|line| {
                    let mut cells = vec![String::new(); columns];
                    cells[0] = format!("  {line}");
                    cells
                });
                let first = std::iter::once(lines[0].clone()).chain(row.into_iter().skip(1)).collect();
                std::iter::once(first).chain(rest).collect::<Vec<Vec<String>>>()
            };
            self.rows = std::mem::take(&mut self.rows).into_iter().flat_map(broken).collect();
        }
        let fits = self.fitting(width);
        let left_out = self.heads.split_off(fits).len();
        self.is_text.truncate(fits);
        self.rows.iter_mut().for_each(|row| row.truncate(fits));
        self = self.with_used_notes();
        if left_out > 0 {
            let notes = self.footnote.into_iter().chain([format!("not shown: {left_out} more columns")]);
            self.footnote = Some(notes.collect::<Vec<_>>().join("\n"));
        }
        self
    }

    /// The length of the longest entry of a column.
    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().chain([&self.heads]).map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    }

    /// How many of the first columns fit into lines of this width; one at least.
    fn fitting(&self, width: usize) -> usize {
        let ends = (0..self.heads.len()).scan(0, |end, column| {
            *end += self.width(column) + 2;
            Some(*end - 2)
        });
        ends.take_while(|&end| end <= width).count().max(1)
    }

    /// The table as a float of LaTeX with this caption, for its package booktabs: words to the left, numbers to the right.
    pub fn as_tex(&self, caption: &str) -> String {
        let line = |cells: &[String]| {
            format!("{} \\\\\n", cells.iter().map(|cell| tex(cell)).collect::<Vec<_>>().join(" & "))
        };
        let sides: String = self.is_text.iter().map(|&is_text| if is_text { 'l' } else { 'r' }).collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        let notes: String = self.footnote.iter().map(|footnote| format!("\n{}", tex(footnote))).collect();
        format!(
            "\\begin{{table}}\n\\caption{{{}.}}\n\\begin{{tabular}}{{{sides}}}\n\\toprule\n{}\\midrule\n{rows}\\bottomrule\n\\end{{tabular}}{notes}\n\\end{{table}}\n",
            tex(caption),
            line(&self.heads)
        )
    }

    /// The table alone, as Markdown: words to the left, numbers to the right.
    pub fn as_markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: String = cells.iter().map(|cell| format!(" {} |", cell.replace('|', "\\|"))).collect();
            format!("|{cells}\n")
        };
        let rule = self.is_text.iter().map(|&is_text| if is_text { " --- |" } else { " ---: |" });
        let mut text = line(&self.heads);
        text += &format!("|{}\n", rule.collect::<String>());
        self.rows.iter().for_each(|cells| text += &line(cells));
        self.footnote
            .iter()
            .for_each(|footnote| text += &format!("\n{}\n", footnote.replacen('*', "\\*", 1)));
        text
    }
}

/// A text in lines of at most this width, broken behind commas and spaces where it has some.
fn lines_of(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for part in text.split_inclusive([',', ' ']) {
        let line = lines.last_mut().expect("there is a line");
        if line.is_empty() || line.chars().count() + part.chars().count() <= width {
            line.push_str(part);
        } else {
            lines.push(part.to_owned());
        }
    }
    lines
}

/// A text with the signs escaped that LaTeX takes for its own.
fn tex(text: &str) -> String {
    let escaped = |character: char| match character {
        '\\' => "\\textbackslash{}".to_owned(),
        '~' => "\\textasciitilde{}".to_owned(),
        '^' => "\\textasciicircum{}".to_owned(),
        '<' => "\\textless{}".to_owned(),
        '>' => "\\textgreater{}".to_owned(),
        character if "&%$#_{}".contains(character) => format!("\\{character}"),
        character => character.to_string(),
    };
    text.chars().map(escaped).collect()
}
