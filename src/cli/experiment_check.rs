//! `hyperplay experiment check`: shows what an experiment would play, and how long that would take.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use super::experiment_file::{Described, FileArgument, logs, threads};
use super::failure::{CommandResult, go_on};
use super::options::seconds;
use super::session::Session;
use hyperplay_experiment::{
    Arena, CellSample, DecisionLog, Estimate, ExperimentPlan, RECORD_FILES, estimate,
};
use hyperplay_machine::counted;
use hyperplay_report::Table;

/// Arguments of `experiment check`.
#[derive(Args, Debug)]
pub struct ExperimentCheckArguments {
    #[command(flatten)]
    file: FileArgument,
    /// Seconds of play from which the time is estimated; 0 for none
    #[arg(long, value_name = "S", default_value = "5", value_parser = seconds, allow_negative_numbers = true)]
    sample: Duration,
    /// For how many threads the time is estimated [default: as for `experiment run`]
    #[arg(long, short = 'j', value_name = "N")]
    threads: Option<NonZero<usize>>,
    /// The data that are recorded of every decision
    #[arg(long, value_name = "WHAT", value_parser = logs(), default_value = "turns")]
    log: DecisionLog,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`](super::failure::CommandFailure).
pub fn run(arguments: &ExperimentCheckArguments, session: &Session) -> CommandResult {
    let Session { registry, interrupt, out, .. } = session;
    let Described { config, games, plan } = arguments.file.open(registry)?;
    let threads = threads(arguments.threads, &plan);
    let sampled = if arguments.sample.is_zero() {
        None
    } else {
        let log = if config.without_turns { DecisionLog::Matches } else { arguments.log };
        let arena = Arena::new(plan.clone(), config.specs, &games, threads, log)?;
        // More threads than there are here are those of another computer.
        let here = std::thread::available_parallelism().map_or(1, NonZero::get);
        Some(estimate(&arena, arguments.sample, threads.min(here), interrupt)?)
    };
    go_on(interrupt)?;
    let cells: Vec<PlannedCell<'_>> =
        (0..plan.cells.len()).map(|number| PlannedCell::new(&plan, number, sampled.as_ref())).collect();
    if arguments.json {
        return out.json(&as_json(&config.name, &plan, &cells, sampled.as_ref(), threads));
    }
    let title = if config.name.is_empty() { "experiment" } else { &config.name };
    out.line(format_args!("{title}: seed {}, {}", plan.seed, plan.hash()))?;
    let rows = cells.iter().enumerate().map(|(number, cell)| {
        let meeting = plan.meeting(number);
        let counts = [cell.seat_permutations as u64, plan.repetitions, cell.matches];
        let [permutations, deals, matches] = counts.map(Value::from);
        [cell.game.into(), meeting.into(), permutations, deals, matches, cell.seconds_per_match.into()]
    });
    let columns =
        ["game: text", "entrants: text", "seat permutations", "deals", "matches", "seconds a match: 5"];
    out.text(&Table::plain(columns, rows).shown().as_text())?;
    let (cells, matches) = (counted(plan.cells.len() as u64, "cell"), counted(plan.matches(), "match"));
    let most = if plan.stop.is_some() { "at most " } else { "" };
    out.line(format_args!("{cells}, {most}{matches}"))?;
    if let Some(sampled) = &sampled {
        let time = sampled.seconds / threads as f64;
        let whole = humantime::format_duration(Duration::from_secs(time.ceil() as u64));
        let (on, hours) = (counted(threads as u64, "thread"), sampled.seconds / 3600.0);
        out.line(format_args!("{most}about {whole} on {on}, with writing: {hours:.3} core-hours"))?;
        let files = RECORD_FILES.iter().zip(sampled.bytes).filter(|&(_, bytes)| bytes > 0);
        let files: Vec<String> =
            files.map(|(name, bytes)| format!("{name} {}", in_units(bytes as f64))).collect();
        let all = sampled.bytes.iter().sum::<u64>() as f64;
        let (all, rate, files) = (in_units(all), in_units(all / time.max(1e-9)), files.join(", "));
        out.line(format_args!("{most}about {all} on disk, {rate} a second: {files}"))?;
        if sampled.unknown > 0 {
            let cells = counted(sampled.unknown as u64, "cell");
            let all = "as the others of their games; a larger --sample says more";
            out.line(format_args!("in this, {cells} of which no match ended in the sample, {all}"))?;
        }
    }
    Ok(())
}

/// Bytes in a unit that suits them.
fn in_units(bytes: f64) -> String {
    let units = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    let (name, unit) = units.into_iter().find(|&(_, unit)| bytes >= unit).unwrap_or(("bytes", 1.0));
    format!("{:.1} {name}", bytes / unit)
}

/// A cell of the plan and what the sample says about it.
#[derive(Serialize)]
struct PlannedCell<'a> {
    game: &'a str,
    entrants: Vec<&'a str>,
    seat_permutations: usize,
    matches: u64,
    seconds_per_match: Option<f64>,
    sampled: Option<u64>,
}

impl<'a> PlannedCell<'a> {
    fn new(plan: &'a ExperimentPlan, number: usize, sampled: Option<&Estimate>) -> Self {
        let (cell, sampled) = (&plan.cells[number], sampled.map(|sampled| &sampled.cells[number]));
        PlannedCell {
            game: &plan.game(number).name,
            entrants: cell.entrants.iter().map(|&entrant| plan.label(entrant)).collect(),
            seat_permutations: cell.seat_permutations.len(),
            matches: plan.repetitions * cell.seat_permutations.len() as u64,
            seconds_per_match: sampled.and_then(CellSample::seconds),
            sampled: sampled.map(CellSample::matches),
        }
    }
}

fn as_json(
    name: &str,
    plan: &ExperimentPlan,
    cells: &[PlannedCell<'_>],
    sampled: Option<&Estimate>,
    threads: usize,
) -> Value {
    let entrants =
        plan.entrants.iter().map(|entrant| json!({ "label": entrant.label, "spec": entrant.spec }));
    json!({
        "name": name,
        "config": plan.hash(),
        "seed": plan.seed,
        "reproduces": plan.clocks.is_none(),
        "thinks_ahead": plan.think_ahead,
        "repetitions": plan.repetitions,
        "entrants": entrants.collect::<Vec<Value>>(),
        "cells": cells,
        "matches": plan.matches(),
        "threads": threads,
        "seconds": sampled.map(|sampled| sampled.seconds / threads as f64),
        "core_hours": sampled.map(|sampled| sampled.seconds / 3600.0),
        "bytes": sampled.map(|sampled| RECORD_FILES.into_iter().zip(sampled.bytes).collect::<BTreeMap<_, _>>()),
        "cells_not_sampled": sampled.map(|sampled| sampled.unknown),
    })
}
