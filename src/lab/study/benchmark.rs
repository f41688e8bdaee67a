//! The benchmark of beliefs: every sampler on twelve games, as one page of Markdown.
//!
//! Each sampler has 64 particles and 200 replicates. The number of matches of each game, and the last step, are chosen so
//! that the whole benchmark takes some minutes. A game in which a role knows the history at every decision is not in it. The
//! seed determines everything but the last column.

use super::plan::{MatchSource, Study, StudyPlan};
use super::summary::{SUMMARY_COLUMNS, StudySummary};
use crate::report::Format::{Digits, Text};
use crate::report::Reading::{self, Beside, Of, One, WithInterval};
use crate::report::{Column, Table};
use hyperplay_play::player::{Registry, SpecError};

/// Particles of a set.
const PARTICLES: usize = 64;

/// Independent replicates.
pub const REPLICATES: usize = 200;

/// The largest information set that is enumerated.
const MAX_SET: usize = 4_000;

/// The samplers of the benchmark.
const SAMPLERS: [&str; 7] = [
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

impl BenchmarkGame {
    /// The study of this game.
    ///
    /// # Errors
    /// If a sampler of the benchmark is not in the catalogue.
    pub fn plan(&self, replicates: usize, seed: u64, registry: &Registry) -> Result<StudyPlan, SpecError> {
        Ok(StudyPlan {
            samplers: SAMPLERS.iter().map(|text| registry.sampler(text)).collect::<Result<_, _>>()?,
            particles: vec![PARTICLES],
            replicates,
            matches: self.matches,
            play: MatchSource::Model(registry.model("uniform")?),
            roles: Vec::new(),
            steps: (1, self.steps),
            limit: MAX_SET,
            reference: 0,
            playouts: 8,
            seed,
        })
    }
}

/// The beginning of the page; `date` as in `2026-11-22`.
pub fn opening(seed: u64, replicates: usize, date: &str) -> String {
    format!(
        "# Beliefs on twelve games\n\n\
         Made by `hyperplay belief-benchmark --seed {seed}` ({date}, version {}). {PARTICLES} particles, {replicates} \
         replicates, evidence from random matches, posteriors under uniform opponents, information sets of at most {MAX_SET} \
         histories. Means over the decisions of all roles (more than one legal move, more than one history); ratios to the \
         baseline are geometric means with 95 % bootstrap intervals over the decisions, without those at which the \
         information set is enumerated. [belief-measures.md](../belief-measures.md) explains each figure. In `a (b)`, b is what the posterior \
         itself, or independent draws from it, would show. The last column, processor time, is the only one that the seed \
         does not determine.\n",
        env!("CARGO_PKG_VERSION"),
    )
}

/// The accuracy of each sampler.
const ACCURACY: &[Reading] = &[
    One("spec"),
    Of("enumerated", "decisions", "enumerated"),
    Beside("bias_tv", "bias_tv_baseline", "bias TV (baseline)"),
    WithInterval(["bias_over_baseline", "bias_over_baseline_low", "bias_over_baseline_high"], "ratio"),
    Beside("set_tv", "set_tv_baseline", "set TV (baseline)"),
    WithInterval(["set_over_baseline", "set_over_baseline_low", "set_over_baseline_high"], "ratio"),
    One("kl"),
    Of("chi_squared_rejected", "chi_squared_tests", "chi2 rejects"),
    One("ess"),
    One("distinct_fraction"),
];

/// What the particle sets are worth to a player.
const WORTH: &[Reading] = &[
    One("spec"),
    Beside("coverage", "coverage_baseline", "coverage (draws)"),
    Beside("true_history_ratio", "true_history_ratio_exact", "true history (exact)"),
    Beside("log_loss", "log_loss_exact", "log loss (exact)"),
    Beside("brier", "brier_exact", "Brier (exact)"),
    One("regret"),
    One("depletions"),
];

/// What they cost.
const COST: &[Reading] = &[
    One("spec"),
    One("states_per_particle"),
    One("rejuvenation_states_per_particle"),
    One("backtracks_per_particle"),
    One("update_states"),
    One("states_median"),
    One("states_max"),
    One("update_ms"),
];

/// The tables of a game.
pub(super) const VIEWS: [&[Reading]; 3] = [ACCURACY, WORTH, COST];

/// The columns of a summary, and those that only the benchmark has.
pub(super) fn columns() -> Vec<Column<StudySummary>> {
    let mut columns = SUMMARY_COLUMNS.to_vec();
    let own: [Column<StudySummary>; 3] = [
        Column::plain("spec", Text, |all| format!("`{}`", all.sampler).as_str().into()),
        Column::plain("update_states", Digits(0), |all| all.update_states[0].into()),
        Column::plain("update_ms", Digits(3), |all| (1e3 * all.seconds).into()),
    ];
    let heads = ["sampler", "update: mean", "ms an update"];
    columns.extend(own.into_iter().zip(heads).map(|(column, head)| column.headed(head)));
    columns
}

/// The section of one game.
pub fn section(name: &str, plan: &StudyPlan, study: &Study) -> String {
    let all = study.summaries(plan.seed);
    let decisions = all.first().map_or(0, |summary| summary.decisions);
    let mut text = format!("\n## {name}\n\n");
    text += &format!("{} matches, steps up to {}, {decisions} decisions", plan.matches, plan.steps.1);
    text += &match study.left_out.len() {
        0 => ".\n\n".to_owned(),
        ended => format!("; in {ended} of the beliefs the information set grew too large before that.\n\n"),
    };
    let table = Table::of(&columns(), &all);
    for view in VIEWS {
        text += &table.read(view).as_markdown();
        text.push('\n');
    }
    text
}
