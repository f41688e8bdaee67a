//! `hyperplay belief`: how far samplers are from the exact posterior, beside what perfect sampling would reach.
//!
//! Evidence comes from random matches. Blocks (match, role, sampler, particles) are measured one after the other, the
//! runs of a block in parallel; the seed fixes all figures, whatever the number of threads. An interrupt drops the
//! block that is being measured.

use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::belief_report::{Block, Report};
use super::failure::Failure;
use super::game_argument::{GameArgument, Opened};
use super::options::{EngineOption, pick_seed, use_threads};
use super::output::Output;
use super::progress::Progress;
use crate::belief::Uniform;
use crate::belief::meter::{self, Trial};
use crate::engine::{OfGame, Visitor};
use crate::machine::{PLAYOUT_STEPS, Role, Seed, StateMachineExt};
use crate::player::{Spec, samplers};
use crate::referee::Interrupt;

/// Arguments of `belief`.
#[derive(Args, Debug)]
pub struct BeliefArguments {
    #[command(flatten)]
    game: GameArgument,
    /// What is measured, as in ours:enumerate=off (repeat to compare): ours, hyperplay12, hyperplay12-unweighted, bootstrap, rejection or exact
    #[arg(long = "sampler", value_name = "SPEC", default_values_t = ["ours:enumerate=off".to_owned(), "hyperplay12".to_owned()])]
    samplers: Vec<String>,
    /// Particles in a set, several numbers separated by commas
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [16, 64])]
    particles: Vec<usize>,
    /// Independent sets
    #[arg(long, value_name = "R", default_value_t = 200)]
    runs: usize,
    /// Random matches that evidence is taken from
    #[arg(long, value_name = "M", default_value_t = 1)]
    matches: usize,
    /// Look no further than this step
    #[arg(long, value_name = "D", default_value_t = PLAYOUT_STEPS)]
    steps: usize,
    /// The largest information set that is enumerated; what comes after a larger one is left out
    #[arg(long, value_name = "HISTORIES", default_value_t = 10_000)]
    max_set: usize,
    /// Fixes every random choice [default: drawn and printed]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// How many threads measure [default: as many as there are processors]
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    #[command(flatten)]
    engine: EngineOption,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// See [`Failure`].
pub fn run(arguments: &BeliefArguments, interrupt: &Interrupt, out: &Output) -> Result<(), Failure> {
    let threads = use_threads(arguments.threads)?;
    if arguments.runs == 0 || arguments.particles.contains(&0) {
        return Err(Failure::usage(
            "without runs or particles there is nothing to measure",
            "give 1 or more",
        ));
    }
    let specs =
        arguments.samplers.iter().map(|text| sampler(text)).collect::<Result<Vec<Spec>, Failure>>()?;
    let opened = arguments.game.open()?;
    let (_, engine) = arguments.engine.open_for_steps(&opened)?;
    engine.visit(Measure { arguments, specs: &specs, opened: &opened, threads, interrupt, out })
}

/// The command on a machine.
struct Measure<'a> {
    arguments: &'a BeliefArguments,
    specs: &'a [Spec],
    opened: &'a Opened,
    threads: usize,
    interrupt: &'a Interrupt,
    out: &'a Output,
}

impl Visitor for Measure<'_> {
    type Output = Result<(), Failure>;

    fn visit<M: OfGame>(self, machine: &Arc<M>) -> Result<(), Failure> {
        let Measure { arguments, specs, opened, threads, interrupt, out } = self;
        let seed = pick_seed(arguments.seed);
        let roles: Vec<Role> = machine.each_role().filter(|&role| machine.random() != Some(role)).collect();
        let blocks = arguments.matches * roles.len() * specs.len() * arguments.particles.len();
        let progress = Progress::new(blocks * arguments.runs, "runs", false);
        let mut report = Report::default();
        let stop = || interrupt.is_raised();
        let root = Seed::root(seed).child("match");
        'matches: for index in 0..arguments.matches {
            let history = meter::random_match(machine.as_ref(), arguments.steps, &root.index(index));
            for &role in &roles {
                let name = &machine.roles()[role];
                let points = meter::points(machine.as_ref(), role, &history, &Uniform, arguments.max_set);
                if let Some(failure) = machine.failure() {
                    return Err(Failure::failed(format!("{}: {failure}", opened.name), "take fewer --steps"));
                }
                if let Some(error) = points.ended {
                    report.leave_out(index, name, &error);
                }
                for (spec, &particles) in
                    specs.iter().flat_map(|spec| arguments.particles.iter().map(move |count| (spec, count)))
                {
                    let (method, model) = samplers::build(spec, machine);
                    let seed = root.index(index).child("belief").child(name);
                    let trial =
                        Trial { method: &method, model: &model, particles, runs: arguments.runs, seed };
                    let tick = || progress.tick();
                    let Some(figures) = meter::measure(machine, &trial, &points.list, &stop, &tick) else {
                        break 'matches;
                    };
                    let block = Block { sampler: spec.to_string(), particles, index, role: name };
                    report.add(&block, &points.list, figures);
                }
            }
        }
        let time = progress.finish();
        if arguments.json {
            let mut document = json!({
                "game": opened.name,
                "rules": opened.hash(),
                "seed": seed,
                "threads": threads,
                "matches": arguments.matches,
                "runs": arguments.runs,
            });
            report.put_into(&mut document);
            document["seconds"] = json!(time.as_secs_f64());
            out.json(&document)?;
        } else {
            let (matches, runs) = (arguments.matches, arguments.runs);
            out.line(format_args!("{}: {runs} runs on each of {matches} matches, seed {seed}", opened.name))?;
            report.write(out)?;
        }
        if interrupt.is_raised() && report.blocks() < blocks { Err(Failure::Interrupted) } else { Ok(()) }
    }
}

fn sampler(text: &str) -> Result<Spec, Failure> {
    samplers::read(text).map_err(|error| {
        Failure::usage(error.to_string(), "`hyperplay help belief` shows examples; keys: docs/belief.md")
    })
}
