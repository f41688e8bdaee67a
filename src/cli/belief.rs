//! `hyperplay belief`: measures how far samplers are from the exact posterior, compared with perfect sampling.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::failure::CommandFailure;
use super::game_argument::GameArgument;
use super::options::{self, EngineOption, ThreadsOption, pick_seed, seed};
use super::output::Output;
use super::players::{explained_by, wrong_spec};
use super::policies::refuse_misfits;
use super::progress::Progress;
use hyperplay_lab::study::files::{self, StudyFileError, StudyFiles, StudySubject};
use hyperplay_lab::study::{LeftOut, MatchSource, MatchSourceError, Study, StudyError, StudyPlan, StudyRow};
use hyperplay_logic::gdl::{Game, did_you_mean, fold};
use hyperplay_machine::{PLAYOUT_STEPS, Role, StateMachine as _, counted};
use hyperplay_play::player::{Registry, SamplerSpec, SpecError, SpecKind};
use hyperplay_play::referee::Interrupt;

/// Arguments of `belief`.
#[derive(Args, Debug)]
pub struct BeliefArguments {
    #[command(flatten)]
    game: GameArgument,
    /// The sampler to measure, as in hyperplay:enumerate=off (repeat to compare); see `hyperplay players samplers`
    #[arg(long = "sampler", value_name = "SPEC", default_values_t = ["hyperplay:enumerate=off".to_owned(), "hyperplay12".to_owned()])]
    samplers: Vec<String>,
    /// Particles in a set, several numbers separated by commas
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [16, 64])]
    particles: Vec<usize>,
    /// The number of independent replicates, that is, of beliefs that follow each match
    #[arg(long, value_name = "R", default_value_t = 200)]
    replicates: usize,
    /// The number of matches that the evidence is taken from
    #[arg(long, value_name = "M", default_value_t = 1)]
    matches: usize,
    /// The policy that plays these matches: an opponent model, whose posterior is then measured against as well, or a
    /// player, which takes every seat; see `hyperplay players models` and `hyperplay players`. `random` is `uniform`; a
    /// name of both a model and a player is refused
    #[arg(long, value_name = "POLICY", default_value = "uniform")]
    play: String,
    /// Measure against the posterior under an equilibrium too, where all others play by this opponent model [default
    /// model: equilibrium]
    #[arg(long, value_name = "MODEL", num_args = 0..=1, require_equals = true, default_missing_value = "equilibrium")]
    equilibrium: Option<String>,
    /// With which probability they choose uniformly and not by the equilibrium
    #[arg(long, value_name = "E", default_value_t = 0.001, requires = "equilibrium")]
    epsilon: f64,
    /// The role whose belief is measured (repeat for several) [default: every role but random]
    #[arg(long = "role", value_name = "ROLE")]
    roles: Vec<String>,
    /// Measure up to this step only, or at these steps only, as in 3-5
    #[arg(long, value_name = "K|A-B", value_parser = steps, default_value = "all")]
    steps: (usize, usize),
    /// The largest information set that is enumerated
    #[arg(long, value_name = "HISTORIES", default_value_t = 10_000)]
    max_set: usize,
    /// Particles of the reference run that replaces the posterior where the set is larger, as a multiple of
    /// --particles; 0 leaves these steps out
    #[arg(long, value_name = "TIMES", default_value_t = 100)]
    reference: usize,
    /// Random playouts that value a move in a state, for the regret; 0 for none
    #[arg(long, value_name = "N", default_value_t = 8)]
    playouts: u32,
    /// Write turns.jsonl, timings.jsonl, rows.csv, report.html and figures/ (each figure as SVG and PDF) into this
    /// folder; the same command again replaces them, the folder of another run is refused
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Determines every random choice [default: drawn and printed]
    #[arg(long, value_name = "S", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    #[command(flatten)]
    threads: ThreadsOption,
    #[command(flatten)]
    engine: EngineOption,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Reads `--steps`.
pub fn steps(text: &str) -> Result<(usize, usize), String> {
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
/// See [`CommandFailure`].
pub fn run(
    arguments: &BeliefArguments,
    registry: &Registry,
    interrupt: &Interrupt,
    out: &Output,
) -> Result<(), CommandFailure> {
    let threads = arguments.threads.apply()?;
    if arguments.replicates == 0 || arguments.matches == 0 || arguments.particles.contains(&0) {
        return Err(CommandFailure::usage(
            "without replicates, matches or particles there is nothing to measure",
            "give 1 or more",
        ));
    }
    let specs: Vec<SamplerSpec> = arguments
        .samplers
        .iter()
        .map(|text| sampler(text, registry))
        .collect::<Result<_, CommandFailure>>()?;
    let play = play(&arguments.play, registry)?;
    let equilibrium = arguments.equilibrium.as_deref();
    let equilibrium =
        equilibrium.map(|model| under_equilibrium(model, arguments.epsilon, registry)).transpose()?;
    let opened = arguments.game.open()?;
    let names = role_names(&opened.game);
    let all = specs.iter().chain(&equilibrium).map(SamplerSpec::spec).chain([play.spec()]);
    refuse_misfits(&opened.game, &opened.hash(), all)?;
    let roles = roles(&opened.game, &names, &arguments.roles)?;
    let plan = StudyPlan {
        samplers: specs,
        particles: arguments.particles.clone(),
        replicates: arguments.replicates,
        matches: arguments.matches,
        play,
        equilibrium,
        roles,
        steps: arguments.steps,
        limit: arguments.max_set,
        reference: arguments.reference,
        playouts: arguments.playouts,
        seed: pick_seed(arguments.seed),
    };
    let (engines, engine) = arguments.engine.open_for_steps(&opened)?;
    let players_engine = match plan.play.engine() {
        Some(kind) => options::engine(&engines, kind, &opened.name)?,
        None => engine.clone(),
    };
    let roles = plan.roles_of(&engine);
    let names: Vec<&str> = roles.iter().map(|&role| engine.roles()[role].as_str()).collect();
    let (rules, kind) = (opened.hash(), engine.kind().to_string());
    let subject = StudySubject { game: &opened.name, rules: &rules, engine: &kind, roles: &names };
    let folder = arguments.out.as_deref();
    let mut files =
        folder.map(|folder| StudyFiles::open(folder, files::config(&plan, &subject), threads)).transpose()?;
    let progress = Progress::new(plan.total(&engine), "replicates", false);
    let mut keep = |rows: &[StudyRow]| files.as_mut().is_none_or(|files| files.add(rows));
    let study = plan.study_and_keep(&engine, &players_engine, interrupt, &|| progress.tick(), &mut keep);
    let time = progress.finish();
    let study = study.map_err(|error| failed(&opened.name, &error))?;
    let nothing = study.nothing(plan.steps);
    if let Some(files) = files {
        files.finish(&study, time)?;
    }
    if arguments.json {
        let mut document = json!({
            "game": opened.name,
            "rules": opened.hash(),
            "seed": plan.seed,
            "threads": threads,
            "matches": plan.matches,
            "replicates": plan.replicates,
            "play": plan.play.spec().to_string(),
        });
        if let Some(equilibrium) = &plan.equilibrium {
            document["equilibrium"] = json!(equilibrium.spec().to_string());
        }
        document["rows"] = study.table().as_json();
        document["summary"] = study.summary_table(plan.seed).as_json();
        let left_out = |of: &LeftOut| json!({ "match": of.index, "role": of.role, "why": of.why });
        document["left_out"] = study.left_out.iter().map(left_out).collect::<Value>();
        document["nothing"] = json!(nothing);
        document["seconds"] = json!(time.as_secs_f64());
        out.json(&document)?;
    } else {
        let StudyPlan { replicates, matches, seed, .. } = &plan;
        let name = &opened.name;
        let replicates = counted(*replicates as u64, "replicate");
        let matches = counted(*matches as u64, "match");
        if !(study.rows.is_empty() && nothing.is_some()) {
            out.line(format_args!("{name}: {replicates} on each of {matches}, seed {seed}"))?;
        }
        match &nothing {
            Some(why) if !study.rows.is_empty() => out.line(why)?,
            Some(_) => {}
            None => write(&study, plan.seed, out)?,
        }
    }
    if let Some(why) = nothing.filter(|_| study.rows.is_empty()) {
        return Err(CommandFailure::failed(
            format!("{}: {why}", opened.name),
            "leave out --steps, or name earlier ones",
        ));
    }
    if study.is_complete { Ok(()) } else { Err(CommandFailure::Interrupted) }
}

/// The report for reading.
fn write(study: &Study, seed: u64, out: &Output) -> Result<(), CommandFailure> {
    out.text(&study.shown_rows().as_text())?;
    for LeftOut { index, role, why } in &study.left_out {
        out.line(format_args!("match {index}, {role}: {why}"))?;
    }
    if study.rows.iter().any(|row| !row.is_exact()) {
        out.line(
            "Rows without a number of histories are measured against a reference run; their coverage is of that run.",
        )?;
    }
    out.line("\nOver the decisions (more than one legal move, more than one history); ratios of sums:")?;
    out.text(&study.shown_summaries(seed).as_text())
}

/// The failure that the error of a study means to the user.
pub fn failed(game: &str, error: &StudyError) -> CommandFailure {
    let remedy = match error {
        StudyError::Evaluation(_) => "measure fewer --steps",
        StudyError::Thread(_) => "take another --play",
        StudyError::Unsolved(_) => {
            "leave out --equilibrium, or allow more nodes, as in --equilibrium=equilibrium:nodes=50000000"
        }
    };
    CommandFailure::failed(format!("{game}: {error}"), remedy)
}

impl From<StudyFileError> for CommandFailure {
    fn from(error: StudyFileError) -> Self {
        let what = error.to_string();
        let changed = match error {
            StudyFileError::File(error) => return error.into(),
            StudyFileError::Other { changed, .. } => changed,
        };
        let remedy = match changed.iter().find(|(key, _)| key == "seed") {
            Some((_, there)) if changed.len() == 1 => {
                format!("give --seed {there} to measure the same again, or name another folder with --out")
            }
            _ => "name another folder with --out, or take that one away".to_owned(),
        };
        CommandFailure::failed(what, remedy)
    }
}

/// Reads the spec of a sampler.
pub fn sampler(text: &str, registry: &Registry) -> Result<SamplerSpec, CommandFailure> {
    registry.sampler(text).map_err(|error| wrong_spec(registry, SpecKind::Sampler, text, &error))
}

/// The sampler whose posterior is that under a model of opponents who play an equilibrium.
fn under_equilibrium(model: &str, epsilon: f64, registry: &Registry) -> Result<SamplerSpec, CommandFailure> {
    let text = format!("exact:model=[{model}],epsilon={epsilon}");
    registry.sampler(&text).map_err(|error| {
        let what = match &error {
            SpecError::Inner { error, .. } => format!("--equilibrium={model}: {error}"),
            SpecError::BadValue { expected, .. } => format!("--epsilon {epsilon}: expected {expected}"),
            error => format!("--equilibrium={model}: {error}"),
        };
        let remedy = match &error {
            SpecError::BadValue { .. } => "it is the probability of a uniform choice".to_owned(),
            error => explained_by(registry, SpecKind::Sampler, &text, error),
        };
        CommandFailure::usage(what, remedy)
    })
}

fn play(text: &str, registry: &Registry) -> Result<MatchSource, CommandFailure> {
    MatchSource::read(text, registry).map_err(|error| {
        let names = |kind| registry.entries(kind).map(|entry| &*entry.name);
        match &error {
            MatchSourceError::Spec(SpecError::UnknownName { kind: SpecKind::Player, name, .. }) => {
                let meant = did_you_mean(name, names(SpecKind::Model).chain(names(SpecKind::Player)));
                let models: Vec<&str> = names(SpecKind::Model).collect();
                CommandFailure::usage(
                    format!("--play: there is neither an opponent model nor a player '{name}'{meant}"),
                    format!(
                        "give an opponent model ({}) or a player: `hyperplay players models` and `hyperplay players` explain them",
                        models.join(", ")
                    ),
                )
            }
            MatchSourceError::Spec(error) => {
                let name = text.split(':').next().unwrap_or_default().trim();
                let is_model = names(SpecKind::Model).any(|model| model == name);
                let kind = if is_model { SpecKind::Model } else { SpecKind::Player };
                CommandFailure::usage(format!("--play: {error}"), explained_by(registry, kind, text, error))
            }
            MatchSourceError::Ambiguous { .. } => {
                CommandFailure::usage(format!("--play: {error}"), "register one of them under another name")
            }
        }
    })
}

/// The names of all roles.
pub fn role_names(game: &Game) -> Vec<String> {
    game.roles().iter().map(|&role| game.terms().show(role)).collect()
}

/// The roles of these names.
pub fn roles(game: &Game, names: &[String], asked: &[String]) -> Result<Vec<Role>, CommandFailure> {
    let random = game.random();
    let choosing: Vec<&str> =
        (0..names.len()).filter(|&role| random != Some(role)).map(|role| names[role].as_str()).collect();
    let choices = format!("the roles are {}", choosing.join(", "));
    let mut roles = Vec::new();
    for name in asked {
        match names.iter().position(|known| fold(known) == fold(name.trim())) {
            Some(role) if random == Some(role) => {
                return Err(CommandFailure::usage("the role random has no belief", choices));
            }
            Some(role) if !roles.contains(&Role::new(role)) => roles.push(Role::new(role)),
            Some(_) => {}
            None => {
                let meant = did_you_mean(name, choosing.iter().copied());
                return Err(CommandFailure::usage(format!("the game has no role '{name}'{meant}"), choices));
            }
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
}
