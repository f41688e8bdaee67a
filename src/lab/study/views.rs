//! Views of a study: its tables, and the columns of them that are shown on the terminal, on the page and in the benchmark.

use super::columns::{
    FRONTIER_COLUMNS, ROW_COLUMNS, SUMMARY_COLUMNS, TIME_COLUMNS, TRUTH_COLUMNS, readings, with_times,
};
use super::frontier::{FrontierRow, frontier};
use super::harness::PosteriorSource;
use super::measuring::Study;
use super::row::StudyRow;
use super::summary::{StudySummary, step_summaries, summaries};
use super::truth::truth_rows;
use hyperplay_report::{FEW, Reading, ShownTable, Table};

/// The columns on states in the place of histories.
const OF_STATES: [Reading; 2] = [Reading::One("oracle"), Reading::One("distinct_states")];

/// The tables of a study of one game. Each has the name of its key and of its file, and all columns but times unless it says so.
#[derive(Clone, Debug)]
pub struct StudyTables {
    /// A row for each sampler, number of particles and point.
    pub rows: Table,
    /// The times of the same.
    pub times: Table,
    /// The summaries.
    pub summary: Table,
    /// The same with times.
    pub timed: Table,
    /// The summaries of each step, with times.
    pub steps: Table,
    /// What is measured by the truth, over all steps and at each.
    pub truth: Table,
    /// Accuracy against cost, with times.
    pub frontier: Table,
    /// The same as rows.
    pub frontier_rows: Vec<FrontierRow>,
    /// Columns that say the same in all rows.
    hidden: Vec<Reading>,
}

/// A table of summaries with the intervals marked that are over few matches.
pub(super) fn summary_table(summaries: &[StudySummary]) -> Table {
    marked(Table::of(&with_times(), summaries))
}

fn marked(table: Table) -> Table {
    table.with_few("matches", FEW, "matches with a compared decision")
}

impl Study {
    /// The tables; the seed is that of the study.
    pub fn tables(&self, seed: u64) -> StudyTables {
        let (all, frontier_rows) = (summaries(&self.rows), frontier(&self.rows));
        let named = |name, table: Table| Table { name, ..table };
        let frontier = marked(Table::of(&FRONTIER_COLUMNS, &frontier_rows)).viewed(readings("frontier"));
        let truth = Table::of(&TRUTH_COLUMNS, &truth_rows(&self.truths, seed));
        let is_even = self.made().is_none_or(|(least, most)| least == most);
        let mut hidden = if is_even { vec![Reading::One("sets")] } else { Vec::new() };
        hidden.extend(OF_STATES.into_iter().filter(|_| self.rows.iter().all(StudyRow::is_of_histories)));
        StudyTables {
            rows: named("rows", Table::of(&ROW_COLUMNS, &self.rows)),
            times: Table::of(&TIME_COLUMNS, &self.rows),
            summary: named("summary", marked(Table::of(&SUMMARY_COLUMNS, &all))),
            timed: summary_table(&all),
            steps: named("steps", Table::of(&with_times(), &step_summaries(&self.rows)))
                .viewed(readings("times")),
            truth: named("truth", truth.with_few("matches", FEW, "matches")),
            frontier: named("frontier", frontier),
            frontier_rows,
            hidden,
        }
    }

    /// Whether a row has a posterior.
    pub fn has_posterior(&self) -> bool {
        self.rows.is_empty() || self.rows.iter().any(|row| row.source != PosteriorSource::None)
    }
}

impl StudyTables {
    /// The tables that are keys of a report.
    pub fn keys(&self) -> [&Table; 5] {
        [&self.rows, &self.summary, &self.truth, &self.frontier, &self.steps]
    }

    /// A table as a view shows it to readers, without columns in which nothing is known.
    pub fn shown(&self, table: &Table, view: &str) -> ShownTable {
        let mut readings = readings(view);
        readings.retain(|reading| !self.hidden.contains(reading));
        table.read(&readings).without_unknown()
    }

    /// What is measured by the truth for readers, over all steps, or at each if `by_step`.
    pub fn shown_truth(&self, by_step: bool) -> ShownTable {
        let step = self.truth.columns.iter().position(|column| column.name == "step");
        let mut truth = self.truth.clone();
        truth.rows.retain(|row| step.is_some_and(|at| row[at].is_null() != by_step));
        self.shown(&truth, if by_step { "steps" } else { "truth" })
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
            Reading::Joined(.., names) => names.into_iter().filter(|name| !name.is_empty()).collect(),
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
        assert_defined(&TIME_COLUMNS);
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
