//! Views of a study: the columns of its tables on the terminal, on the page and in the benchmark.

use super::columns::{ROW_COLUMNS, SUMMARY_COLUMNS};
use super::plan::Study;
use super::row::StudyRow;
use super::summary::{StudySummary, summaries};
use crate::report::Reading::{self, Interval, Of, One};
use crate::report::{FEW, ShownTable, Table};

/// The column of the posterior, which is left out where all rows are measured against the same one.
const AGAINST: Reading = One("posterior");

/// The columns of the rows on the page, each with whether the terminal shows it too.
const ROWS: [(Reading, bool); 33] = [
    (One("sampler"), true),
    (One("particles"), true),
    (AGAINST, true),
    (One("match"), true),
    (One("role"), true),
    (One("step"), true),
    (One("information_set"), true),
    (One("bias_tv"), true),
    (Interval("bias_tv_low", "bias_tv_high", "95 %"), true),
    (One("bias_tv_baseline"), true),
    (One("bias_tv_control"), false),
    (One("set_tv"), true),
    (One("set_tv_baseline"), true),
    (One("kl"), false),
    (One("chi_squared"), false),
    (One("ess"), true),
    (One("distinct"), false),
    (One("coverage"), true),
    (One("coverage_baseline"), false),
    (One("true_history_ratio"), false),
    (One("true_history_ratio_exact"), false),
    (One("log_loss"), false),
    (One("log_loss_exact"), false),
    (One("brier"), false),
    (One("brier_exact"), false),
    (One("regret"), true),
    (One("method"), true),
    (One("attempts_per_particle"), false),
    (One("acceptance"), false),
    (One("states_per_particle"), true),
    (One("rejuvenation_states_per_particle"), false),
    (One("backtracks_per_particle"), false),
    (One("depletions"), true),
];

/// The summaries.
const SUMMARIES: [Reading; 16] = [
    One("sampler"),
    One("particles"),
    AGAINST,
    One("decisions"),
    One("enumerated"),
    One("bias_over_control"),
    Interval("bias_over_control_low", "bias_over_control_high", "95 %"),
    One("state_bias_over_control"),
    One("set_over_control"),
    Interval("set_over_control_low", "set_over_control_high", "95 %"),
    Of("chi_squared_rejected", "chi_squared_tests", "chi2 rejects"),
    One("log_loss_excess"),
    One("regret"),
    One("states_per_particle"),
    One("rejuvenation_states_per_particle"),
    One("depletions"),
];

impl Study {
    /// All columns of all rows.
    pub fn table(&self) -> Table {
        Table::of(&ROW_COLUMNS, &self.rows)
    }

    /// All columns of the summaries. The bootstrap of their intervals is seeded with the seed of the study.
    pub fn summary_table(&self, seed: u64) -> Table {
        Table::of(&SUMMARY_COLUMNS, &self.summaries(seed)).with_few("decisions", FEW, "decisions")
    }

    /// The summaries.
    pub fn summaries(&self, seed: u64) -> Vec<StudySummary> {
        summaries(&self.rows, seed)
    }

    /// The rows as the terminal shows them.
    pub fn shown_rows(&self) -> ShownTable {
        let short = ROWS.into_iter().filter_map(|(reading, is_short)| is_short.then_some(reading));
        self.table().read(&self.without_posterior(short))
    }

    /// The first rows as the page shows them.
    pub fn shown_in_full(&self, most: usize) -> ShownTable {
        let rows: &[StudyRow] = &self.rows[..self.rows.len().min(most)];
        Table::of(&ROW_COLUMNS, rows).read(&self.without_posterior(ROWS.map(|(reading, _)| reading)))
    }

    /// The summaries as terminal and page show them.
    pub fn shown_summaries(&self, seed: u64) -> ShownTable {
        self.summary_table(seed).read(&self.without_posterior(SUMMARIES))
    }

    fn without_posterior(&self, readings: impl IntoIterator<Item = Reading>) -> Vec<Reading> {
        let is_uniform = self.is_uniform();
        readings.into_iter().filter(|reading| !is_uniform || *reading != AGAINST).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Column;

    /// The names that a reading asks for.
    fn names(reading: Reading) -> Vec<&'static str> {
        match reading {
            One(name) => vec![name],
            Interval(one, other, _)
            | Of(one, other, _)
            | Reading::Beside(one, other, _)
            | Reading::PlusMinus(one, other, _) => vec![one, other],
            Reading::WithInterval(names, _) => names.to_vec(),
        }
    }

    fn assert_known(readings: &[Reading], columns: &[Column]) {
        for name in readings.iter().copied().flat_map(names) {
            assert!(columns.iter().any(|column| column.name == name), "{name}");
        }
    }

    #[test]
    fn every_view_shows_columns_that_exist() {
        assert_known(&ROWS.map(|(reading, _)| reading), &ROW_COLUMNS);
        assert_known(&SUMMARIES, &SUMMARY_COLUMNS);
        for view in super::super::benchmark::VIEWS {
            assert_known(view, &super::super::benchmark::columns());
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
        assert_defined(&super::super::TIME_COLUMNS);
        assert_defined(&super::super::cost::COST_COLUMNS);
    }

    /// The tables of columns in the guide are the definitions, line by line.
    #[test]
    fn the_guide_has_the_table_of_every_column() {
        let guide = include_str!("../../../docs/belief-measures.md");
        let of_costs = crate::report::legend(&super::super::cost::COST_COLUMNS);
        let of_rows = crate::report::legend(&ROW_COLUMNS);
        for legend in [of_rows, crate::report::legend(&SUMMARY_COLUMNS), of_costs] {
            let text = legend.shown().as_markdown();
            assert!(guide.contains(&text), "docs/belief-measures.md should contain:\n{text}");
        }
    }
}
