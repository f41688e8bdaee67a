//! The report of a study: for reading on the terminal, and as one JSON document.

use serde_json::{Value, json};

use super::super::failure::Failure;
use super::super::output::Output;
use super::row::Row;
use super::study::{LeftOut, Study};
use super::summary::{Interval, Summary, summaries};

/// The columns of the first table; the one of the posterior is left out where all are the same.
const COLUMNS: [&str; 17] = [
    "sampler",
    "particles",
    "against",
    "match",
    "role",
    "step",
    "histories",
    "bias TV",
    "95 %",
    "floor",
    "set TV",
    "floor",
    "ESS",
    "coverage",
    "regret",
    "states",
    "depleted",
];

/// The columns of the second.
pub const SUMMARY: [&str; 16] = [
    "sampler",
    "particles",
    "against",
    "decisions",
    "whole",
    "bias TV/floor",
    "95 %",
    "on states",
    "set TV/floor",
    "95 %",
    "chi2 rejects",
    "log loss - exact",
    "regret",
    "states a particle",
    "of them moves",
    "depleted",
];

/// Where the column of the posterior stands.
const AGAINST: usize = 2;

/// Adds the keys that `docs/json.md` describes.
pub fn put_into(document: &mut Value, study: &Study, seed: u64) {
    document["rows"] = study.rows.iter().map(Row::as_json).collect();
    document["summary"] = summaries(&study.rows, seed).iter().map(Summary::as_json).collect();
    let left_out = |of: &LeftOut| json!({ "match": of.index, "role": of.role, "why": of.why });
    document["left_out"] = study.left_out.iter().map(left_out).collect();
}

/// The report for reading.
///
/// # Errors
/// If standard output cannot be written to.
pub fn write(study: &Study, seed: u64, out: &Output) -> Result<(), Failure> {
    let single = is_single(study);
    let mut table = vec![head(&COLUMNS)];
    table.extend(study.rows.iter().map(cells));
    out.table(&without(table, single))?;
    for LeftOut { index, role, why } in &study.left_out {
        out.line(format_args!("match {index}, {role}: {why}"))?;
    }
    if study.rows.iter().any(|row| !row.is_exact()) {
        out.line(
            "Without a number of histories: a reference run stands in for the posterior; coverage is of it.",
        )?;
    }
    out.line("\nOver the decisions (more than one legal move, more than one history); geometric means:")?;
    let mut table = vec![head(&SUMMARY)];
    table.extend(summaries(&study.rows, seed).iter().map(summary_cells));
    out.table(&without(table, single))
}

/// Whether all rows are measured against the same posterior, that under uniform opponents.
pub fn is_single(study: &Study) -> bool {
    study.rows.iter().all(|row| row.posterior == "U")
}

fn head(names: &[&str]) -> Vec<String> {
    names.iter().copied().map(str::to_owned).collect()
}

/// The table, without the column of the posterior if that is not needed.
pub fn without(mut table: Vec<Vec<String>>, single: bool) -> Vec<Vec<String>> {
    if single {
        table.iter_mut().for_each(|row| drop(row.remove(AGAINST)));
    }
    table
}

/// A number with so many decimals, or a dash.
pub fn number(value: f64, decimals: usize) -> String {
    if value.is_finite() { format!("{value:.decimals$}") } else { "-".to_owned() }
}

fn range(low: f64, high: f64, decimals: usize) -> String {
    if low.is_finite() { format!("{low:.decimals$}..{high:.decimals$}") } else { "-".to_owned() }
}

fn cells(row: &Row) -> Vec<String> {
    let figures = &row.figures;
    vec![
        row.sampler.clone(),
        row.particles.to_string(),
        row.posterior.to_owned(),
        row.index.to_string(),
        row.role.clone(),
        row.step.to_string(),
        if row.is_exact() { row.information_set.to_string() } else { "-".to_owned() },
        number(figures.bias_tv, 4),
        range(figures.bias_tv_interval.0, figures.bias_tv_interval.1, 4),
        number(figures.bias_tv_floor, 4),
        number(figures.set_tv, 3),
        number(figures.set_tv_floor, 3),
        number(figures.ess, 1),
        number(figures.coverage, 3),
        number(figures.regret.value, 2),
        number(figures.costs.states_per_particle.value, 1),
        figures.depletions.to_string(),
    ]
}

/// A summary as cells below [`SUMMARY`].
pub fn summary_cells(summary: &Summary<'_>) -> Vec<String> {
    let range = |interval: &Interval| range(interval.low, interval.high, 2);
    vec![
        summary.sampler.to_owned(),
        summary.particles.to_string(),
        summary.posterior.to_owned(),
        summary.decisions.to_string(),
        summary.whole.to_string(),
        number(summary.bias_over_floor.value, 2),
        range(&summary.bias_over_floor),
        number(summary.state_bias_over_floor.value, 2),
        number(summary.set_over_floor.value, 2),
        range(&summary.set_over_floor),
        format!("{}/{}", summary.rejected, summary.tests),
        number(summary.log_loss.0 - summary.log_loss.1, 4),
        number(summary.regret.value, 3),
        number(summary.states_per_particle, 2),
        number(summary.rejuvenation_per_particle, 2),
        summary.depletions.to_string(),
    ]
}
