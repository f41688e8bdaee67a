//! `hyperplay belief`: how far samplers are from the exact posterior, beside what perfect sampling would reach.
//!
//! `study` measures, `row` and `summary` say what it found, `report` writes that to the terminal, `files` and `page` into a
//! folder; `sheet` is the command that does it for a list of games.

mod files;
mod page;
mod report;
mod row;
pub mod sheet;
mod study;
mod summary;

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::failure::Failure;
use super::game_argument::GameArgument;
use super::options::{EngineOption, pick_seed, seed, use_threads};
use super::output::Output;
use super::progress::Progress;
use hyperplay_engine::machine::StateMachine as _;
use hyperplay_engine::machine::{PLAYOUT_STEPS, Role};
use hyperplay_logic::gdl::Game;
use hyperplay_play::player::{Registry, SamplerSpec, Spec, SpecError, SpecKind};
use hyperplay_play::referee::Interrupt;
use study::{Plan, Play};

/// Arguments of `belief`.
#[derive(Args, Debug)]
pub struct BeliefArguments {
    #[command(flatten)]
    game: GameArgument,
    /// What is measured, as in hyperplay:enumerate=off (repeat to compare): hyperplay, hyperplay12, hyperplay12-unweighted, bootstrap, rejection or exact
    #[arg(long = "sampler", value_name = "SPEC", default_values_t = ["hyperplay:enumerate=off".to_owned(), "hyperplay12".to_owned()])]
    samplers: Vec<String>,
    /// Particles in a set, several numbers separated by commas
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [16, 64])]
    particles: Vec<usize>,
    /// Independent sets
    #[arg(long, value_name = "R", default_value_t = 200)]
    runs: usize,
    /// Matches that evidence is taken from
    #[arg(long, value_name = "M", default_value_t = 1)]
    matches: usize,
    /// Who plays them: an opponent model (uniform, file:PATH, softmax), which is a posterior to measure against too, or a player in every seat
    #[arg(long, value_name = "POLICY", default_value = "uniform")]
    play: String,
    /// Whose belief (repeat for several) [default: every role but random]
    #[arg(long = "role", value_name = "ROLE")]
    roles: Vec<String>,
    /// Look no further than this step, or at these steps only, as in 3-5
    #[arg(long, value_name = "K|A-B", value_parser = steps, default_value = "all")]
    steps: (usize, usize),
    /// The largest information set that is enumerated
    #[arg(long, value_name = "HISTORIES", default_value_t = 10_000)]
    max_set: usize,
    /// Where it is larger: particles of a run that stands in for it, as a multiple of --particles; 0 leaves these steps out
    #[arg(long, value_name = "TIMES", default_value_t = 100)]
    reference: usize,
    /// Random playouts that value a move in a state, for the regret; 0 for none
    #[arg(long, value_name = "N", default_value_t = 8)]
    playouts: u32,
    /// Write turns.jsonl, timings.jsonl, rows.csv and report.html into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Fixes every random choice [default: drawn and printed]
    #[arg(long, value_name = "S", value_parser = seed, allow_negative_numbers = true)]
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

/// Reads `--steps`.
fn steps(text: &str) -> Result<(usize, usize), String> {
    let number = |text: &str| text.trim().parse::<usize>().ok().filter(|&step| step > 0);
    let range = match text.split_once('-') {
        _ if text == "all" => Some((1, PLAYOUT_STEPS)),
        Some((first, last)) => number(first).zip(number(last)),
        None => number(text).map(|last| (1, last)),
    };
    range
        .filter(|(first, last)| first <= last)
        .ok_or_else(|| "expected a step of 1 or more, or two of them as in 3-5, or all".to_owned())
}

/// Runs the command.
///
/// # Errors
/// See [`Failure`].
pub fn run(
    arguments: &BeliefArguments,
    registry: &Registry,
    interrupt: &Interrupt,
    out: &Output,
) -> Result<(), Failure> {
    let threads = use_threads(arguments.threads)?;
    if arguments.runs == 0 || arguments.matches == 0 || arguments.particles.contains(&0) {
        return Err(Failure::usage(
            "without runs, matches or particles there is nothing to measure",
            "give 1 or more",
        ));
    }
    let specs: Vec<SamplerSpec> =
        arguments.samplers.iter().map(|text| sampler(text, registry)).collect::<Result<_, Failure>>()?;
    let play = play(&arguments.play, registry)?;
    let opened = arguments.game.open()?;
    let names: Vec<String> = opened.game.roles().iter().map(|&role| opened.game.terms().show(role)).collect();
    for spec in specs.iter().map(SamplerSpec::spec).chain([play.spec()]) {
        if let Some(misfit) = spec.misfit(&names) {
            return Err(Failure::usage(misfit, Spec::MISFIT_REMEDY));
        }
    }
    let roles = roles(&opened.game, &names, &arguments.roles)?;
    if let Some(folder) = &arguments.out {
        files::prepare(folder)?;
    }
    let plan = Plan {
        samplers: specs,
        particles: arguments.particles.clone(),
        runs: arguments.runs,
        matches: arguments.matches,
        play,
        roles,
        steps: arguments.steps,
        limit: arguments.max_set,
        reference: arguments.reference,
        playouts: arguments.playouts,
        seed: pick_seed(arguments.seed),
    };
    let (_, engine) = arguments.engine.open_for_steps(&opened)?;
    let roles = plan.roles_of(&engine);
    let progress = Progress::new(plan.total(roles.len()), "runs", false);
    let study = plan.study(&engine, &opened.name, &progress, interrupt)?;
    let time = progress.finish();
    if let Some(folder) = &arguments.out {
        let names: Vec<&str> = roles.iter().map(|&role| engine.roles()[role].as_str()).collect();
        let config = files::config(&plan, &opened, &names, &engine.kind().to_string());
        files::write(folder, &config, &study, threads, time)?;
    }
    if arguments.json {
        let mut document = json!({
            "game": opened.name,
            "rules": opened.hash(),
            "seed": plan.seed,
            "threads": threads,
            "matches": plan.matches,
            "runs": plan.runs,
            "play": plan.play.spec().to_string(),
        });
        report::put_into(&mut document, &study, plan.seed);
        document["seconds"] = json!(time.as_secs_f64());
        out.json(&document)?;
    } else {
        let Plan { runs, matches, seed, .. } = &plan;
        out.line(format_args!("{}: {runs} runs on each of {matches} matches, seed {seed}", opened.name))?;
        report::write(&study, plan.seed, out)?;
    }
    if study.is_complete { Ok(()) } else { Err(Failure::Interrupted) }
}

fn sampler(text: &str, registry: &Registry) -> Result<SamplerSpec, Failure> {
    registry.sampler(text).map_err(|error| {
        Failure::usage(error.to_string(), "`hyperplay help belief` shows examples; keys: docs/belief.md")
    })
}

/// Who plays: an opponent model if there is one of this name, otherwise a player.
fn play(text: &str, registry: &Registry) -> Result<Play, Failure> {
    let name = text.split(':').next().unwrap_or_default().trim();
    let usage = |error: SpecError| {
        let known: Vec<&str> = registry.entries(SpecKind::Model).map(|entry| &*entry.name).collect();
        Failure::usage(
            format!("--play: {error}"),
            format!("an opponent model ({}) or a player (`hyperplay players`)", known.join(", ")),
        )
    };
    if registry.entries(SpecKind::Model).any(|entry| entry.name == name) {
        return registry.model(text).map(Play::Model).map_err(usage);
    }
    match registry.player(text).map_err(usage)? {
        player if player.spec().name() == "random" => {
            Ok(Play::Model(registry.model("uniform").map_err(usage)?))
        }
        player => Ok(Play::Player(player)),
    }
}

/// The roles of these names.
fn roles(game: &Game, names: &[String], asked: &[String]) -> Result<Vec<Role>, Failure> {
    use hyperplay_logic::gdl::fold;
    let random = game.random();
    let choosing: Vec<&str> =
        (0..names.len()).filter(|&role| random != Some(role)).map(|role| names[role].as_str()).collect();
    let choices = format!("the roles are {}", choosing.join(", "));
    let mut roles = Vec::new();
    for name in asked {
        match names.iter().position(|known| fold(known) == fold(name.trim())) {
            Some(role) if random == Some(role) => {
                return Err(Failure::usage("the role random has no belief", choices));
            }
            Some(role) if !roles.contains(&Role::new(role)) => roles.push(Role::new(role)),
            Some(_) => {}
            None => return Err(Failure::usage(format!("the game has no role '{name}'"), choices)),
        }
    }
    Ok(roles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_a_last_one_or_a_range() {
        assert_eq!(steps("3"), Ok((1, 3)));
        assert_eq!(steps("3-5"), Ok((3, 5)));
        assert_eq!(steps("all"), Ok((1, PLAYOUT_STEPS)));
        for wrong in ["0", "5-3", "-2", "a", "1-", ""] {
            assert!(steps(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_column_of_a_row_is_in_the_documentation() {
        let text = include_str!("../../../docs/json.md");
        for (key, _) in row::COLUMNS {
            assert!(text.contains(&format!(".{key}`")), "docs/json.md lacks {key}");
        }
    }
}
