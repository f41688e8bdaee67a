//! `hyperplay belief-cost`: the processor time of an update, sampler beside sampler, at every step of a game.

use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::belief::{failed, role_names, roles, sampler, steps};
use super::failure::CommandFailure;
use super::game_argument::GameArgument;
use super::options::{EngineOption, pick_seed, seconds, seed};
use super::output::Output;
use super::policies::refuse_misfits;
use super::progress::Progress;
use hyperplay_lab::study::cost::{COST_COLUMNS, CostPlan};
use hyperplay_machine::{StateMachine as _, StateMachineExt as _, counted};
use hyperplay_play::player::{Registry, SamplerSpec};
use hyperplay_play::referee::Interrupt;
use hyperplay_report::Table;

/// Arguments of `belief-cost`.
#[derive(Args, Debug)]
pub struct CostArguments {
    #[command(flatten)]
    game: GameArgument,
    /// The sampler to measure (repeat to compare); see `hyperplay players samplers`
    #[arg(long = "sampler", value_name = "SPEC", default_values_t = ["hyperplay", "rejection", "bootstrap"].map(str::to_owned))]
    samplers: Vec<String>,
    /// Particles in a set
    #[arg(long, value_name = "N", default_value_t = 64)]
    particles: usize,
    /// The number of independent replicates, that is, of beliefs of each sampler that follow each match
    #[arg(long, value_name = "R", default_value_t = 4)]
    replicates: usize,
    /// The number of matches that the evidence is taken from, in which every role chooses uniformly
    #[arg(long, value_name = "M", default_value_t = 4)]
    matches: usize,
    /// The role whose belief is measured (repeat for several) [default: every role but random]
    #[arg(long = "role", value_name = "ROLE")]
    roles: Vec<String>,
    /// Measure up to this step only, or at these steps only, as in 3-5
    #[arg(long, value_name = "K|A-B", value_parser = steps, default_value = "30")]
    steps: (usize, usize),
    /// The longest time of an update; a belief that takes longer is not followed further
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, allow_negative_numbers = true)]
    limit: Duration,
    /// Determines the matches and every other random choice [default: drawn and printed]
    #[arg(long, value_name = "S", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    #[command(flatten)]
    engine: EngineOption,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(
    arguments: &CostArguments,
    registry: &Registry,
    interrupt: &Interrupt,
    out: &Output,
) -> Result<(), CommandFailure> {
    if arguments.replicates == 0 || arguments.matches == 0 || arguments.particles == 0 {
        return Err(CommandFailure::usage(
            "without replicates, matches or particles there is nothing to measure",
            "give 1 or more",
        ));
    }
    if arguments.limit.is_zero() {
        return Err(CommandFailure::usage("--limit is no time", "give a number of seconds above 0"));
    }
    let samplers: Vec<SamplerSpec> =
        arguments.samplers.iter().map(|text| sampler(text, registry)).collect::<Result<_, _>>()?;
    let opened = arguments.game.open()?;
    let names = role_names(&opened.game);
    refuse_misfits(&opened.game, &opened.hash(), samplers.iter().map(SamplerSpec::spec))?;
    let asked = roles(&opened.game, &names, &arguments.roles)?;
    let (_, engine) = arguments.engine.open_for_steps(&opened)?;
    let every = engine.each_role().filter(|&role| engine.random() != Some(role));
    let plan = CostPlan {
        samplers,
        particles: arguments.particles,
        replicates: arguments.replicates,
        matches: arguments.matches,
        roles: if asked.is_empty() { every.collect() } else { asked },
        steps: arguments.steps,
        limit: arguments.limit,
        seed: pick_seed(arguments.seed),
    };
    let progress = Progress::new(plan.total(), "beliefs", false);
    let study = plan.study(&engine, interrupt, &|| progress.tick());
    let time = progress.finish();
    let study = study.map_err(|error| failed(&opened.name, &error))?;
    let table = Table::of(&COST_COLUMNS, &study.rows);
    if arguments.json {
        out.json(&json!({
            "game": opened.name,
            "rules": opened.hash(),
            "seed": plan.seed,
            "matches": plan.matches,
            "replicates": plan.replicates,
            "particles": plan.particles,
            "rows": table.as_json(),
            "seconds": time.as_secs_f64(),
        }))?;
    } else {
        let CostPlan { particles, replicates, matches, seed, .. } = &plan;
        out.line(format_args!(
            "{}: {}, {} on each of {}, seed {seed}; times are processor time of one update, on one thread",
            opened.name,
            counted(*particles as u64, "particle"),
            counted(*replicates as u64, "replicate"),
            counted(*matches as u64, "match"),
        ))?;
        out.text(&table.shown().as_text())?;
    }
    if study.is_complete { Ok(()) } else { Err(CommandFailure::Interrupted) }
}
