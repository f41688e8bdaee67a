//! Sections: a study as one page of Markdown, report.md, with three tables for each game, and as tables of LaTeX, `summary.tex`.
//!
//! The page has the times of updates, which the seed does not determine.

use super::columns::{readings, titled};
use super::game::SCHEMA;
use super::harness::PosteriorSource;
use super::measuring::Study;
use super::plan::StudyPlan;
use super::summary::summaries;
use super::views::summary_table;
use hyperplay_machine::{PLAYOUT_STEPS, counted};
use hyperplay_report::ShownTable;

/// The page of these plans and what was measured; `date` is as in `2026-11-22`.
pub(super) fn markdown(date: &str, plans: &[StudyPlan], studies: &[Study]) -> String {
    let is_uniform =
        |plan: &StudyPlan| plan.samplers.iter().all(|sampler| sampler.assumed().spec().name() == "uniform");
    let opponents =
        if plans.iter().all(is_uniform) { "uniform opponents" } else { "the opponent model of each sampler" };
    let games = counted(studies.len() as u64, "game");
    let mut text = format!(
        "<!-- {SCHEMA} -->\n# Beliefs on {games}\n\nMade by `hyperplay belief` ({date}, version {}) from `study.toml`, which is beside \
         this page. Posteriors under {opponents}. {}\n",
        env!("CARGO_PKG_VERSION"),
        titled("sections").1,
    );
    for (plan, study) in plans.iter().zip(studies) {
        let (words, tables) = section(plan, study, |sampler| format!("`{sampler}`"));
        text += &format!("\n## {}\n\n{words}.\n\n", study.game);
        tables.iter().for_each(|table| text += &(table.as_markdown() + "\n"));
    }
    text
}

/// The tables of a game: the accuracy of each sampler, what the particle sets are worth to a player, and what they
/// cost.
pub(super) const VIEWS: [&str; 3] = ["accuracy", "worth", "cost"];

/// What was measured in a game in words, and the tables of [`VIEWS`], in which the name of a sampler is written so.
fn section(plan: &StudyPlan, study: &Study, name: fn(&str) -> String) -> (String, [ShownTable; 3]) {
    let mut all = summaries(&study.rows);
    for summary in &mut all {
        let on = if summary.source == PosteriorSource::States { " on states" } else { "" };
        summary.of.sampler = name(&summary.of.sampler) + on;
    }
    let decisions = all.first().map_or(0, |summary| summary.counts["decisions"]);
    let (matches, (first, last)) = (counted(plan.matches as u64, "match"), plan.steps);
    let replicates = study.replicates(plan.replicates);
    let decisions = counted(decisions as u64, "decision");
    let mut words = format!("{matches}, {replicates}, steps {first} to {last}, {decisions}");
    words = words.replace(&format!("steps 1 to {PLAYOUT_STEPS},"), "all steps,");
    if let ended @ 1.. = study.left_out.len() {
        words += &format!(
            "; in {ended} of the beliefs the information set grew too large before the last of them"
        );
    }
    let table = summary_table(&all);
    (words, VIEWS.map(|view| table.read(&readings(view))))
}

/// The tables without times as floats of LaTeX, for its package booktabs.
pub(super) fn tex(plans: &[StudyPlan], studies: &[Study]) -> String {
    let mut text = format!("% {SCHEMA}: \\usepackage{{booktabs}}\n");
    for (plan, study) in plans.iter().zip(studies) {
        let (words, [accuracy, worth, _]) = section(plan, study, str::to_owned);
        text += &accuracy.as_tex(&format!("Accuracy of beliefs in {} ({words})", study.game));
        text += &worth.as_tex(&format!("Worth of beliefs in {} ({words})", study.game));
    }
    text
}
