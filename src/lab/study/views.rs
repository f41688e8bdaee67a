//! Views of a study: the columns of its tables on the terminal, on the page and in the benchmark.

use super::columns::{FRONTIER_COLUMNS, ROW_COLUMNS, SUMMARY_COLUMNS, TRUTH_COLUMNS, readings, with_times};
use super::frontier::{FrontierRow, frontier};
use super::harness::PosteriorSource;
use super::plan::Study;
use super::row::StudyRow;
use super::summary::{StudySummary, step_summaries, summaries};
use super::truth::truth_rows;
use hyperplay_report::{FEW, Reading, ShownTable, Table};

/// The columns on states in the place of histories, which are left out where it is histories everywhere.
const OF_STATES: [Reading; 2] = [Reading::One("oracle"), Reading::One("distinct_states")];

/// A table of summaries with the intervals marked that are over few matches.
pub(super) fn marked(table: Table) -> Table {
    table.with_few("matches", FEW, "matches with a compared decision")
}

impl Study {
    /// All columns of all rows.
    pub fn table(&self) -> Table {
        Table::of(&ROW_COLUMNS, &self.rows)
    }

    /// All columns of the summaries. The bootstrap of their intervals is seeded with the seed of the study.
    pub fn summary_table(&self, seed: u64) -> Table {
        marked(Table::of(&SUMMARY_COLUMNS, &self.summaries(seed)))
    }

    /// The summaries.
    pub fn summaries(&self, seed: u64) -> Vec<StudySummary> {
        summaries(&self.rows, seed)
    }

    /// The rows as the terminal shows them; without a posterior they are summed up by step.
    pub fn shown_rows(&self, seed: u64) -> ShownTable {
        if self.has_posterior() {
            self.table().read(&self.read_as("terminal"))
        } else {
            self.steps_table(seed).shown()
        }
    }

    /// Whether a row has a posterior.
    pub fn has_posterior(&self) -> bool {
        self.rows.is_empty() || self.rows.iter().any(|row| row.source != PosteriorSource::None)
    }

    /// The summaries of each step, with processor times.
    pub fn steps_table(&self, seed: u64) -> Table {
        Table::of(&with_times(), &step_summaries(&self.rows, seed)).viewed(readings("times"))
    }

    /// Accuracy against cost.
    pub fn frontier(&self, seed: u64) -> Vec<FrontierRow> {
        frontier(&self.rows, seed)
    }

    /// The same as a table.
    pub fn frontier_table(&self, seed: u64) -> Table {
        marked(Table::of(&FRONTIER_COLUMNS, &self.frontier(seed))).viewed(readings("frontier"))
    }

    /// The first rows as the page shows them.
    pub fn shown_in_full(&self, most: usize) -> ShownTable {
        let rows: &[StudyRow] = &self.rows[..self.rows.len().min(most)];
        Table::of(&ROW_COLUMNS, rows).read(&self.read_as("page"))
    }

    /// The summaries as the page shows them (`summary`), or with processor times (`timed`).
    pub fn shown_summaries(&self, seed: u64, view: &str) -> ShownTable {
        marked(Table::of(&with_times(), &self.summaries(seed))).read(&self.read_as(view))
    }

    /// All columns of what is measured by the truth, over all steps and at each.
    pub fn truth_table(&self, seed: u64) -> Table {
        Table::of(&TRUTH_COLUMNS, &truth_rows(&self.truths, seed))
    }

    /// The same for readers, over all steps, or at each if `by_step`.
    pub fn shown_truth(&self, seed: u64, by_step: bool) -> ShownTable {
        let mut rows = truth_rows(&self.truths, seed);
        rows.retain(|row| row.step.is_some() == by_step);
        let table = Table::of(&TRUTH_COLUMNS, &rows).with_few("matches", FEW, "matches");
        table.read(&readings(if by_step { "steps" } else { "truth" })).without_unknown()
    }

    fn read_as(&self, view: &str) -> Vec<Reading> {
        let mut readings = readings(view);
        let is_of_histories = self.rows.iter().all(StudyRow::is_of_histories);
        readings.retain(|reading| !is_of_histories || !OF_STATES.contains(reading));
        readings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_report::Column;

    /// The names that a reading asks for.
    fn names(reading: Reading) -> Vec<&'static str> {
        match reading {
            Reading::One(name) => vec![name],
            Reading::Interval(one, other, _)
            | Reading::Of(one, other, _)
            | Reading::Beside(one, other, _)
            | Reading::PlusMinus(one, other, _) => vec![one, other],
            Reading::WithInterval(names, _) => names.to_vec(),
        }
    }

    fn assert_known(view: &str, columns: &[Column]) {
        assert!(!readings(view).is_empty(), "{view}");
        for name in readings(view).into_iter().flat_map(names) {
            assert!(columns.iter().any(|column| column.name == name), "{name}");
        }
    }

    #[test]
    fn every_view_shows_columns_that_exist() {
        assert_known("page", &ROW_COLUMNS);
        assert_known("summary", &SUMMARY_COLUMNS);
        assert_known("truth", &TRUTH_COLUMNS);
        assert_known("steps", &TRUTH_COLUMNS);
        assert_known("frontier", &FRONTIER_COLUMNS);
        for view in [&super::super::sections::VIEWS[..], &["timed", "times"]].concat() {
            assert_known(view, &with_times());
        }
    }

    #[test]
    fn every_column_has_a_name_of_its_own_and_a_meaning() {
        fn assert_defined(columns: &[Column]) {
            for (at, column) in columns.iter().enumerate() {
                assert!(!column.meaning.is_empty() && !column.head.is_empty(), "{}", column.name);
                assert!(columns[..at].iter().all(|other| other.name != column.name), "{}", column.name);
            }
        }
        assert_defined(&ROW_COLUMNS);
        assert_defined(&SUMMARY_COLUMNS);
        assert_defined(&TRUTH_COLUMNS);
        assert_defined(&super::super::TIME_COLUMNS);
        assert_defined(&FRONTIER_COLUMNS);
    }

    /// The tables of columns in the guide are the definitions, line by line.
    #[test]
    fn the_guide_has_the_table_of_every_column() {
        let guide = include_str!("../../../docs/belief-measures.md");
        let of_frontier = hyperplay_report::legend(&FRONTIER_COLUMNS);
        let of_rows = hyperplay_report::legend(&ROW_COLUMNS);
        let of_truth = hyperplay_report::legend(&TRUTH_COLUMNS);
        for legend in [of_rows, hyperplay_report::legend(&SUMMARY_COLUMNS), of_frontier, of_truth] {
            let text = legend.shown().as_markdown();
            assert!(guide.contains(&text), "docs/belief-measures.md should contain:\n{text}");
        }
    }
}
