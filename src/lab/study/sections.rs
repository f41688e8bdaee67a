//! Sections: a study as one page of Markdown, report.md, with three tables for each game.
//!
//! It has the times of updates, which the seed does not determine.

use super::columns::{readings, with_times};
use super::harness::PosteriorSource;
use super::plan::{Study, StudyPlan};
use super::subject::SCHEMA;
use super::views::marked;
use hyperplay_machine::counted;
use hyperplay_report::Table;

/// The page of these plans and what was measured; `date` is as in `2026-11-22`.
pub(super) fn markdown(date: &str, plans: &[StudyPlan], studies: &[Study]) -> String {
    let is_uniform =
        |plan: &StudyPlan| plan.samplers.iter().all(|sampler| sampler.assumed().spec().name() == "uniform");
    let opponents =
        if plans.iter().all(is_uniform) { "uniform opponents" } else { "the opponent model of each sampler" };
    let games = counted(studies.len() as u64, "game");
    let mut text = format!(
        "<!-- {SCHEMA} -->\n# Beliefs on {games}\n\n\
         Made by `hyperplay belief` ({date}, version {}) from `study.toml`, which is beside this page. Posteriors under \
         {opponents}. Means over the decisions of all roles (more than one \
         legal move, more than one history). *Draws* are as many independent draws from the posterior, measured at the same \
         decisions in as many replicates; a ratio is the sum of a distance over the decisions, divided by that of the draws, \
         with a 95 % bootstrap interval over the matches, without those at which every replicate enumerated the \
         information set, or the exact distribution of its states. The guide *Measures of a belief* explains each figure. \
         Otherwise, in `a (b)`, b is what \
         the posterior itself, or independent draws from it, would show. The seed determines everything but the times (ms an \
         update, draws a second).\n",
        env!("CARGO_PKG_VERSION"),
    );
    plans.iter().zip(studies).for_each(|(plan, study)| text += &section(plan, study));
    text
}

/// The tables of a game: the accuracy of each sampler, what the particle sets are worth to a player, and what they
/// cost.
pub(super) const VIEWS: [&str; 3] = ["accuracy", "worth", "cost"];

/// The section of one game.
fn section(plan: &StudyPlan, study: &Study) -> String {
    let mut all = study.summaries(plan.seed);
    for summary in &mut all {
        let on = if summary.source == PosteriorSource::States { " on states" } else { "" };
        summary.sampler = format!("`{}`{on}", summary.sampler);
    }
    let decisions = all.first().map_or(0, |summary| summary.decisions);
    let mut text = format!("\n## {}\n\n", study.game);
    let (matches, (first, last)) = (counted(plan.matches as u64, "match"), plan.steps);
    let replicates = counted(plan.replicates as u64, "replicate");
    let decisions = counted(decisions as u64, "decision");
    text += &format!("{matches}, {replicates}, steps {first} to {last}, {decisions}");
    text += &match study.left_out.len() {
        0 => ".\n\n".to_owned(),
        ended => format!(
            "; in {ended} of the beliefs the information set grew too large before the last of them.\n\n"
        ),
    };
    let table = marked(Table::of(&with_times(), &all));
    for view in VIEWS {
        text += &table.read(&readings(view)).as_markdown();
        text.push('\n');
    }
    text
}
