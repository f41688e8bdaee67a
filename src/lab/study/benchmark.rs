//! The benchmark of beliefs: samplers on twelve games, as one page of Markdown.
//!
//! [`SAMPLERS`] are measured unless others are asked for, with the particles and replicates of the plan. The number of
//! matches of each game, and the last step, are chosen so that the whole benchmark takes some minutes. Weighted particles have a bias that falls with the number of particles; 200 replicates may hide
//! it, so a game or some of its steps can be measured in many more. A game in which a role knows the history at every
//! decision is not in it. The seed determines everything but the columns of times.

use super::columns::{readings, with_times};
use super::harness::PosteriorSource;
use super::plan::{Study, StudyPlan};
use super::summary::StudySummary;
use super::views::marked;
use hyperplay_machine::counted;
use hyperplay_report::{Axis, FEW, Figure, ForestPlot, ForestRow, Plot, Table};

/// The samplers of the benchmark, unless others are asked for.
pub const SAMPLERS: [&str; 7] = [
    "hyperplay:enumerate=off,exact_update=off",
    "hyperplay",
    "hyperplay12",
    "hyperplay12-unweighted",
    "bootstrap",
    "rejection:states=5000",
    "exact",
];

/// A game of the benchmark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BenchmarkGame {
    /// The name of the built-in game.
    pub name: &'static str,
    /// How many matches.
    pub matches: usize,
    /// The last step that is measured.
    pub steps: usize,
}

const fn game(name: &'static str, matches: usize, steps: usize) -> BenchmarkGame {
    BenchmarkGame { name, matches, steps }
}

/// The games of the benchmark.
pub const GAMES: [BenchmarkGame; 12] = [
    game("monty_hall", 40, 9),
    game("krieg_tictactoe_3x3", 3, 5),
    game("krieg_tictactoe_4x4", 2, 3),
    game("mastermind_3c3p", 20, 9),
    game("mastermind_4c3p", 8, 9),
    game("blind_breakthrough_4x4", 4, 6),
    game("blind_breakthrough_5x5", 12, 5),
    game("kuhn_poker", 40, 9),
    game("leduc_poker", 20, 9),
    game("liars_dice_1x6", 20, 9),
    game("phantom_tictactoe", 6, 6),
    game("battleships_small", 2, 3),
];

/// The beginning of the page; `command` makes it with this plan, `date` is as in `2026-11-22`.
pub fn opening(command: &str, plan: &StudyPlan, particles: usize, date: &str) -> String {
    let is_uniform = plan.samplers.iter().all(|sampler| sampler.assumed().spec().name() == "uniform");
    let opponents = if is_uniform { "uniform opponents" } else { "the opponent model of each sampler" };
    format!(
        "# Beliefs on twelve games\n\n\
         Made by `{command}` ({date}, version {}). {}, {}, evidence from random matches, posteriors under \
         {opponents}, information sets of at most {} histories. Means over the decisions of all roles (more than one \
         legal move, more than one history). *Draws* are as many independent draws from the posterior, measured at the same \
         decisions in as many replicates; a ratio is the sum of a distance over the decisions, divided by that of the draws, \
         with a 95 % bootstrap interval over the matches, without those at which every replicate enumerated the \
         information set, or the exact distribution of its states. [belief-measures.md](../belief-measures.md) explains each figure. Otherwise, in `a (b)`, b is what \
         the posterior itself, or independent draws from it, would show. The seed determines everything but the times (ms an \
         update, draws a second).\n",
        env!("CARGO_PKG_VERSION"),
        counted(particles as u64, "particle"),
        counted(plan.replicates as u64, "replicate"),
        plan.limit,
    )
}

/// The tables of a game: the accuracy of each sampler, what the particle sets are worth to a player, and what they
/// cost.
pub(super) const VIEWS: [&str; 3] = ["accuracy", "worth", "cost"];

/// The section of one game.
pub fn section(name: &str, plan: &StudyPlan, study: &Study) -> String {
    let mut all = study.summaries(plan.seed);
    all.iter_mut().for_each(|summary| summary.sampler = labelled(summary, "`"));
    let decisions = all.first().map_or(0, |summary| summary.decisions);
    let mut text = format!("\n## {name}\n\n");
    let (matches, (first, last)) = (counted(plan.matches as u64, "match"), plan.steps);
    let decisions = counted(decisions as u64, "decision");
    text += &format!("{matches}, steps {first} to {last}, {decisions}");
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

/// The sampler between these quotes, and what it is measured on if not histories.
fn labelled(summary: &StudySummary, quote: &str) -> String {
    let on = if summary.source == PosteriorSource::States { " on states" } else { "" };
    format!("{quote}{}{quote}{on}", summary.sampler)
}

/// The bias of each sampler in one game, divided by that of independent draws, as a figure; none if no sampler has a
/// ratio. The name of its files begins with `page`.
pub fn figure(page: &str, name: &str, plan: &StudyPlan, study: &Study) -> Option<Figure> {
    let row = |all: &StudySummary| {
        let ratio = all.bias_over_control;
        let (is_known, has_interval) =
            (ratio.value.is_finite(), ratio.low.is_finite() && ratio.high.is_finite());
        let count = all.compared as u64;
        let is_few = (all.matches as u64) < FEW;
        let mark = if is_few { " *" } else { "" };
        ForestRow {
            label: labelled(all, ""),
            value: is_known.then_some(ratio.value),
            interval: has_interval.then_some((ratio.low, ratio.high)),
            words: format!("{:.2} [{:.2}, {:.2}]{mark}", ratio.value, ratio.low, ratio.high),
            count,
            is_few,
        }
    };
    let rows: Vec<ForestRow> = study.summaries(plan.seed).iter().map(row).collect();
    rows.iter().any(|row| row.value.is_some()).then(|| {
        let plot = ForestPlot {
            axis: Axis::logarithmic("bias TV (times that of independent draws)"),
            reference: Some(1.0),
            counted: "decisions",
            rows,
        };
        let caption = "Bars are 95 % intervals by the bootstrap over the matches, of the decisions at which neither the information set nor the \
                       distribution of its states was enumerated. Independent draws are at 1.";
        Figure::new(&[page, name, "bias"], format!("Bias in {name}"), caption, Plot::Forest(plot))
    })
}
