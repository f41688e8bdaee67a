//! `hyperplay belief-sheet`: the benchmark of beliefs, one page over many games, as Markdown.
//!
//! Every sampler on every game of the list, 64 particles, 200 runs; how many matches, and how far, is chosen so that the
//! whole takes some minutes. Games in which a role knows the history at every decision have nothing to show and are not in
//! it. The seed fixes everything but the last column.

use std::path::PathBuf;

use clap::Args;

use super::super::failure::Failure;
use super::super::game_argument::{GameArgument, Opened};
use super::super::options::{EngineArgument, EngineOption, pick_seed, seed, use_threads};
use super::super::output::{Output, log};
use super::super::progress::Progress;
use super::files;
use super::report::number;
use super::study::{Plan, Play, Study};
use super::summary::{Interval, Summary, summaries};
use hyperplay_play::player::{Registry, SamplerSpec};
use hyperplay_play::referee::{Interrupt, date};

/// Particles of a set.
const PARTICLES: usize = 64;

/// Independent sets.
const RUNS: usize = 200;

/// The largest information set that is enumerated.
const MAX_SET: usize = 4_000;

/// The samplers of the sheet.
const SAMPLERS: [&str; 7] = [
    "hyperplay:enumerate=off,exact_update=off",
    "hyperplay",
    "hyperplay12",
    "hyperplay12-unweighted",
    "bootstrap",
    "rejection:states=5000",
    "exact",
];

/// The games: how many matches, and the last step looked at.
const GAMES: [(&str, usize, usize); 12] = [
    ("monty_hall", 40, 9),
    ("krieg_tictactoe_3x3", 3, 5),
    ("krieg_tictactoe_4x4", 2, 3),
    ("mastermind_3c3p", 20, 9),
    ("mastermind_4c3p", 8, 9),
    ("blind_breakthrough_4x4", 4, 6),
    ("blind_breakthrough_5x5", 12, 5),
    ("kuhn_poker", 40, 9),
    ("leduc_poker", 20, 9),
    ("liars_dice_1x6", 20, 9),
    ("phantom_tictactoe", 6, 6),
    ("battleships_small", 2, 3),
];

/// Arguments of `belief-sheet`.
#[derive(Args, Debug)]
pub struct SheetArguments {
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Only these games of the sheet (repeat for several)
    #[arg(long = "game", value_name = "GAME")]
    games: Vec<String>,
    /// Independent sets
    #[arg(long, value_name = "R", default_value_t = RUNS)]
    runs: usize,
    /// Fixes every random choice [default: drawn and printed]
    #[arg(long, value_name = "S", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// How many threads measure [default: as many as there are processors]
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
}

/// Runs the command.
///
/// # Errors
/// See [`Failure`].
pub fn run(
    arguments: &SheetArguments,
    registry: &Registry,
    interrupt: &Interrupt,
    out: &Output,
) -> Result<(), Failure> {
    use_threads(arguments.threads)?;
    if arguments.runs == 0 {
        return Err(Failure::usage("without runs there is nothing to measure", "give 1 or more"));
    }
    if let Some(unknown) = arguments.games.iter().find(|&game| GAMES.iter().all(|&(name, ..)| name != game)) {
        let names: Vec<&str> = GAMES.iter().map(|&(name, ..)| name).collect();
        let what = format!("'{unknown}' is not on the sheet");
        return Err(Failure::usage(what, format!("the games are {}", names.join(", "))));
    }
    let seed = pick_seed(arguments.seed);
    let asked = |&&(name, ..): &&(&str, usize, usize)| {
        arguments.games.is_empty() || arguments.games.iter().any(|game| game == name)
    };
    let mut text = opening(seed, arguments.runs);
    for &(name, matches, steps) in GAMES.iter().filter(asked) {
        let game = GameArgument { game: name.to_owned(), syntax: None };
        let opened = game.open()?;
        let plan = plan(matches, steps, arguments.runs, seed, registry)?;
        log(format_args!("{name}"));
        let (_, engine) = EngineOption { engine: EngineArgument::Auto }.open_for_steps(&opened)?;
        let progress = Progress::new(plan.total(plan.roles_of(&engine).len()), "runs", false);
        let study = plan.study(&engine, &opened.name, &progress, interrupt);
        progress.finish();
        let study = study?;
        if !study.is_complete {
            return Err(Failure::Interrupted);
        }
        text += &section(&opened, &plan, &study);
    }
    match &arguments.out {
        Some(path) => files::text(path, &text),
        None => out.text(&text),
    }
}

fn plan(matches: usize, steps: usize, runs: usize, seed: u64, registry: &Registry) -> Result<Plan, Failure> {
    let samplers: Vec<SamplerSpec> =
        SAMPLERS.iter().map(|text| super::sampler(text, registry)).collect::<Result<_, Failure>>()?;
    let uniform = registry.model("uniform").expect("the catalogue has it");
    Ok(Plan {
        samplers,
        particles: vec![PARTICLES],
        runs,
        matches,
        play: Play::Model(uniform),
        roles: Vec::new(),
        steps: (1, steps),
        limit: MAX_SET,
        reference: 0,
        playouts: 8,
        seed,
    })
}

fn opening(seed: u64, runs: usize) -> String {
    format!(
        "# Beliefs on twelve games\n\n\
         Made by `hyperplay belief-sheet --seed {seed}` ({}, version {}). {PARTICLES} particles, {runs} runs, evidence from \
         random matches, posteriors under uniform opponents, information sets of at most {MAX_SET} histories. Means over \
         the decisions of all roles (more than one legal move, more than one history); ratios to the floor are geometric \
         means with 95 % bootstrap intervals over the decisions, without those at which the set is kept whole. What each \
         figure means stands in [belief.md](../belief.md). `a (b)`: b is what the posterior itself, or independent draws \
         from it, would show. The last column, processor time, is the only one that the seed does not fix.\n",
        &date()[..10],
        env!("CARGO_PKG_VERSION"),
    )
}

const ACCURACY: [&str; 10] = [
    "sampler",
    "whole",
    "bias TV (floor)",
    "ratio",
    "set TV (floor)",
    "ratio",
    "KL",
    "chi2 rejects",
    "ESS",
    "distinct / N",
];

const WORTH: [&str; 7] = [
    "sampler",
    "coverage (draws)",
    "truth (exact)",
    "log loss (exact)",
    "Brier (exact)",
    "regret",
    "depleted",
];

const COST: [&str; 8] = [
    "sampler",
    "states a particle",
    "of them moves",
    "backtracks a particle",
    "update: mean",
    "median",
    "most",
    "ms an update",
];

fn section(opened: &Opened, plan: &Plan, study: &Study) -> String {
    let all = summaries(&study.rows, plan.seed);
    let decisions = all.first().map_or(0, |summary| summary.decisions);
    let mut text = format!("\n## {}\n\n", opened.name);
    text += &format!("{} matches, steps up to {}, {decisions} decisions", plan.matches, plan.steps.1);
    text += &match study.left_out.len() {
        0 => ".\n\n".to_owned(),
        ended => format!("; in {ended} of the beliefs the set grew too large before that.\n\n"),
    };
    text += &table(&ACCURACY, all.iter().map(accuracy));
    text += &table(&WORTH, all.iter().map(worth));
    text += &table(&COST, all.iter().map(cost));
    text
}

fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(head.iter().map(|&name| name.to_owned()).collect());
    text += &line(vec!["---".to_owned(); head.len()]);
    text.extend(rows.map(line));
    text + "\n"
}

fn ratio(of: &Interval) -> String {
    if of.value.is_finite() {
        format!("{:.2} [{}, {}]", of.value, number(of.low, 2), number(of.high, 2))
    } else {
        "-".to_owned()
    }
}

fn beside(value: f64, other: f64, decimals: usize) -> String {
    format!("{} ({})", number(value, decimals), number(other, decimals))
}

fn accuracy(summary: &Summary<'_>) -> Vec<String> {
    vec![
        format!("`{}`", summary.sampler),
        format!("{}/{}", summary.whole, summary.decisions),
        beside(summary.bias_tv.0, summary.bias_tv.1, 4),
        ratio(&summary.bias_over_floor),
        beside(summary.set_tv.0, summary.set_tv.1, 3),
        ratio(&summary.set_over_floor),
        number(summary.kl, 4),
        format!("{}/{}", summary.rejected, summary.tests),
        number(summary.ess, 1),
        number(summary.distinct_fraction, 2),
    ]
}

fn worth(summary: &Summary<'_>) -> Vec<String> {
    vec![
        format!("`{}`", summary.sampler),
        beside(summary.coverage.0, summary.coverage.1, 3),
        beside(summary.truth.0, summary.truth.1, 2),
        beside(summary.log_loss.0, summary.log_loss.1, 4),
        beside(summary.brier.0, summary.brier.1, 4),
        number(summary.regret.value, 3),
        summary.depletions.to_string(),
    ]
}

fn cost(summary: &Summary<'_>) -> Vec<String> {
    let [mean, median, most] = summary.update_states;
    vec![
        format!("`{}`", summary.sampler),
        number(summary.states_per_particle, 2),
        number(summary.rejuvenation_per_particle, 2),
        number(summary.backtracks_per_particle, 2),
        number(mean, 0),
        number(median, 0),
        number(most, 0),
        number(summary.seconds * 1e3, 3),
    ]
}
