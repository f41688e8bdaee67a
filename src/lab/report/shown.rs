//! Shown: a table as a reader sees it, as aligned text or Markdown.
//!
//! A [`Reading`] chooses the columns that a reader is shown, and puts two of them into one where that is easier to read: the
//! ends of an interval, or a figure and what it is compared with.

use super::table::{Format, Table, TableEntry};

/// What a reader sees in place of a figure that is missing.
pub(super) const MISSING: &str = "-";

/// One column of what a reader is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// The column of this name.
    One(&'static str),
    /// The columns of these names as the ends of an interval, below this heading.
    Interval(&'static str, &'static str, &'static str),
    /// The first column, and the second one in brackets, below this heading.
    Beside(&'static str, &'static str, &'static str),
    /// The first column, and the other two as the ends of its interval, below this heading.
    WithInterval([&'static str; 3], &'static str),
    /// The first column of the second one, as in `3/20`, below this heading.
    Of(&'static str, &'static str, &'static str),
}

/// A table as a reader sees it: headings, and cells of text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ShownTable {
    /// The headings.
    pub heads: Vec<String>,
    /// For each column, whether it has words.
    pub is_text: Vec<bool>,
    /// The rows, each as long as the headings.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// All columns for reading.
    pub fn shown(&self) -> ShownTable {
        let readings: Vec<Reading> = self.columns.iter().map(|column| Reading::One(column.name)).collect();
        self.read(&readings)
    }

    /// These columns for reading. A name that no column has gives a column without figures.
    pub fn read(&self, readings: &[Reading]) -> ShownTable {
        let place = |name: &str| self.columns.iter().position(|column| column.name == name);
        let cell = |row: &[TableEntry], name: &str| {
            let shown = |at: usize| self.columns[at].format.shown(&row[at]);
            place(name).map_or_else(|| MISSING.to_owned(), shown)
        };
        let is_there = |row: &[TableEntry], name: &str| cell(row, name) != MISSING;
        let shown = |row: &Vec<TableEntry>| {
            let one = |reading: &Reading| match *reading {
                Reading::One(name) => cell(row, name),
                Reading::Interval(low, ..) if !is_there(row, low) => MISSING.to_owned(),
                Reading::Interval(low, high, _) => format!("{}..{}", cell(row, low), cell(row, high)),
                Reading::Beside(one, other, _) => format!("{} ({})", cell(row, one), cell(row, other)),
                Reading::WithInterval([one, ..], _) if !is_there(row, one) => MISSING.to_owned(),
                Reading::WithInterval([one, low, high], _) => {
                    format!("{} [{}, {}]", cell(row, one), cell(row, low), cell(row, high))
                }
                Reading::Of(part, all, _) => format!("{}/{}", cell(row, part), cell(row, all)),
            };
            readings.iter().map(one).collect()
        };
        let head = |reading: &Reading| match *reading {
            Reading::One(name) => place(name).map_or(name, |at| self.columns[at].head),
            Reading::Interval(_, _, head)
            | Reading::Beside(_, _, head)
            | Reading::WithInterval(_, head)
            | Reading::Of(_, _, head) => head,
        };
        let is_text = |reading: &Reading| match *reading {
            Reading::One(name) => place(name).is_some_and(|at| self.columns[at].format == Format::Text),
            _ => false,
        };
        ShownTable {
            heads: readings.iter().map(|reading| head(reading).to_owned()).collect(),
            is_text: readings.iter().map(is_text).collect(),
            rows: self.rows.iter().map(shown).collect(),
        }
    }
}

impl ShownTable {
    /// Aligned lines: the first column to the left, the others to the right.
    pub fn as_text(&self) -> String {
        let lines = || std::iter::once(&self.heads).chain(&self.rows);
        let width = |column: usize| lines().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.heads.len()).map(width).collect();
        let mut text = String::new();
        for cells in lines() {
            let mut line = String::new();
            for (column, cell) in cells.iter().enumerate() {
                let space = " ".repeat(widths[column] - cell.chars().count());
                line += &if column == 0 { format!("{cell}{space}") } else { format!("  {space}{cell}") };
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
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
        text
    }
}
