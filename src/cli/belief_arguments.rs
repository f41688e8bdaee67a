//! The arguments of `hyperplay belief`, and the study that they ask for.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::error::Error;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};

use super::failure::{CommandFailure, CommandResult, refuse_if};
use super::game_argument::{Opened, RulesOption};
use super::options::{self, EngineOption, ThreadsOption, pick_seed, seconds, seed};
use super::players::{explained_by, wrong_spec};
use super::policies::refuse_misfits;
use super::recorded_matches::recorded;
use super::seats::role_named;
use hyperplay_engine::Engine;
use hyperplay_lab::study::benchmark::SAMPLERS;
use hyperplay_lab::study::{MatchSource, MatchSourceError, StudyError, StudyPlan};
use hyperplay_logic::gdl::did_you_mean;
use hyperplay_machine::PLAYOUT_STEPS;
use hyperplay_play::player::{Registry, SamplerSpec, SpecError, SpecKind};

/// Arguments of `belief`.
#[derive(Args, Debug)]
pub struct BeliefArguments {
    #[command(flatten)]
    pub given: Given,
    /// A file with rules, `-` for standard input, or the name of a built-in game (see `hyperplay games`); for the
    /// benchmark any of its games, or none for all
    #[arg(value_name = "GAME")]
    pub games: Vec<String>,
    /// What is measured, and with which defaults; those shown here are of the preset accuracy
    #[arg(long, value_enum, default_value_t)]
    pub preset: Preset,
    #[command(flatten)]
    rules: RulesOption,
    /// The sampler to measure, as in hyperplay:enumerate=off (repeat to compare); see `hyperplay players samplers`
    #[arg(long, value_name = "SPEC", default_values = ["hyperplay:enumerate=off", "hyperplay12"])]
    #[arg(default_values_ifs = [("preset", "benchmark", &SAMPLERS[..]), ("preset", "cost", &COMPARED)])]
    sampler: Vec<String>,
    /// Particles in a set; with the preset accuracy, several numbers separated by commas
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "16,64")]
    #[arg(default_value_ifs = [("preset", "benchmark", "64"), ("preset", "cost", "64")])]
    particles: Vec<usize>,
    /// The number of independent replicates, that is, of beliefs that follow each match
    #[arg(long, value_name = "R", default_value = "200", default_value_if("preset", "cost", "4"))]
    replicates: usize,
    /// The number of matches that the evidence is taken from
    #[arg(long, value_name = "M", default_value = "1", default_value_if("preset", "cost", "4"))]
    matches: usize,
    /// The policy that plays these matches: an opponent model, or a player in every seat, or a player of a role, as in
    /// alice=hyperplay (repeat for several; other roles choose at random); the posterior under what is played is measured
    /// against as well. See `hyperplay players models` and `hyperplay players`. `random` is `uniform`; a name of both a
    /// model and a player is refused
    #[arg(long, value_name = "[ROLE=]POLICY", default_value = "uniform")]
    play: Vec<String>,
    /// Measure against the posterior under an equilibrium too, where all others play by this opponent model [default
    /// model: equilibrium]
    #[arg(long, value_name = "MODEL", num_args = 0..=1, require_equals = true, default_missing_value = "equilibrium")]
    equilibrium: Option<String>,
    /// With which probability they choose uniformly and not by the equilibrium
    #[arg(long, value_name = "E", default_value_t = 0.001, requires = "equilibrium")]
    epsilon: f64,
    /// The role whose belief is measured (repeat for several) [default: every role but random]
    #[arg(long, value_name = "ROLE")]
    role: Vec<String>,
    /// Measure up to this step only, or at these steps only, as in 3-5
    #[arg(long, value_name = "K|A-B", value_parser = steps, default_value = "all")]
    #[arg(default_value_if("preset", "cost", "30"))]
    steps: (usize, usize),
    /// The most histories that are enumerated; where there are more and the others choose uniformly, samplers are
    /// measured against the exact distribution of the states, up to this number of them
    #[arg(
        long,
        value_name = "HISTORIES",
        default_value = "10000",
        default_value_if("preset", "benchmark", "4000")
    )]
    max_set: usize,
    /// Random playouts that value a move in a state, for the regret; fewer where those of a decision would make more than a
    /// million steps; 0 for none
    #[arg(long, value_name = "N", default_value_t = 8)]
    playouts: u32,
    /// With the preset cost, the longest time of an update; a belief that takes longer is not followed further
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, allow_negative_numbers = true)]
    pub limit: Duration,
    /// With the preset accuracy, write turns.jsonl, timings.jsonl, rows.csv, report.html and figures/ (each figure as
    /// SVG and PDF) into this folder; the same command again replaces them, the folder of another run is refused. With
    /// the benchmark, write to this file instead of standard output, and a figure of each game into figures/ beside it
    #[arg(long, value_name = "DIR|FILE")]
    pub out: Option<PathBuf>,
    /// Determines every random choice [default: drawn and printed]
    #[arg(long, value_name = "S", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    #[command(flatten)]
    pub threads: ThreadsOption,
    #[command(flatten)]
    engine: EngineOption,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    pub json: bool,
    /// Take the evidence from matches that were played before, whoever played them: transcripts, ggp.org's records, a folder of
    /// these, or the folder of an experiment (repeat for several)
    #[arg(long, value_name = "FILE|DIR", conflicts_with_all = ["play", "matches"])]
    matches_from: Vec<PathBuf>,
    /// Instead of measuring, hold this sampler against the oracle in five small games, or in those named, by --particles (16) and
    /// --replicates (1000); exit code 1 if a check fails
    #[arg(long, value_name = "SPEC")]
    pub conform: Option<String>,
}

/// The options that have an effect with `--conform`.
const CONFORM: [&str; 8] =
    ["conform", "games", "particles", "replicates", "seed", "threads", "engine", "json"];

/// The samplers of the preset `cost`.
const COMPARED: [&str; 3] = ["hyperplay", "rejection", "bootstrap"];

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Preset {
    /// How far samplers are from the exact posterior in one game
    #[default]
    Accuracy,
    /// The same on twelve games, as one page of Markdown: seven samplers, 64 particles, sets of at most 4000 histories,
    /// and the matches and steps of each game
    Benchmark,
    /// The processor time of an update of hyperplay, rejection and bootstrap in one game, up to step 30: 64 particles, 4
    /// replicates, 4 matches
    Cost,
}

impl Preset {
    /// The options without effect.
    fn refused(self) -> &'static [&'static str] {
        match self {
            Preset::Accuracy => &["limit"],
            Preset::Benchmark => &["play", "matches-from", "equilibrium", "limit", "json"],
            Preset::Cost => &["equilibrium", "max-set", "playouts", "out"],
        }
    }
}

/// Names and values of the arguments that stand on the command line, as they are written there.
#[derive(Clone, Debug)]
pub struct Given(BTreeMap<String, Vec<String>>);

impl Given {
    /// Whether an option is given.
    pub fn has(&self, option: &str) -> bool {
        self.0.contains_key(option)
    }

    /// These options as they are given, for a shell.
    pub fn words(&self, options: &[&str]) -> String {
        let values = options.iter().filter_map(|&option| Some((option, self.0.get(option)?)));
        let words = |(option, values): (&str, &Vec<String>)| {
            let quote = |value: &String| if value.contains(char::is_alphabetic) { "'" } else { "" };
            let word = |value: &String| format!(" --{option} {0}{value}{0}", quote(value));
            values.iter().map(word).collect::<String>()
        };
        values.map(words).collect()
    }
}

impl FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Given, Error> {
        let given = matches.ids().map(|id| id.as_str());
        let given = given.filter(|id| matches.value_source(id) == Some(ValueSource::CommandLine));
        let values = |id| matches.get_raw(id).into_iter().flatten().map(|value| value.display().to_string());
        Ok(Given(given.map(|id| (id.replace('_', "-"), values(id).collect())).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        Given::from_arg_matches(matches).map(|given| *self = given)
    }
}

/// It reads the arguments of the command that it belongs to and adds none.
impl Args for Given {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

/// A game that is measured, its engine, and the engine of the players of its matches.
pub struct MeasuredGame {
    pub opened: Opened,
    pub engine: Arc<Engine>,
    pub players_engine: Arc<Engine>,
}

impl BeliefArguments {
    /// The study that is asked for, as it is in every game.
    ///
    /// # Errors
    /// If a spec is wrong, or an option has no effect with the preset.
    pub fn plan(&self, registry: &Registry) -> CommandResult<StudyPlan> {
        self.refuse_without_effect()?;
        self.study(registry)
    }

    /// What `--conform` asks for, as a study.
    ///
    /// # Errors
    /// As [`plan`](Self::plan).
    pub fn conformance(&self, spec: &str, registry: &Registry) -> CommandResult<StudyPlan> {
        if let Some(option) = self.given.0.keys().find(|option| !CONFORM.contains(&option.as_str())) {
            let what = format!("--{option} has no effect with --conform");
            return Err(CommandFailure::usage(what, "leave one of the two out"));
        }
        let replicates = if self.given.has("replicates") { self.replicates } else { 1_000 };
        let samplers = vec![sampler(spec, registry)?];
        Ok(StudyPlan { samplers, replicates, ..self.study(registry)? })
    }

    fn study(&self, registry: &Registry) -> CommandResult<StudyPlan> {
        refuse_if(
            self.replicates == 0 || self.matches == 0 || self.particles.contains(&0),
            "without replicates, matches or particles there is nothing to measure",
            "give 1 or more",
        )?;
        let equilibrium = self.equilibrium.as_deref();
        Ok(StudyPlan {
            samplers: self.sampler.iter().map(|text| sampler(text, registry)).collect::<Result<_, _>>()?,
            particles: self.particles.clone(),
            replicates: self.replicates,
            matches: self.matches,
            play: play(&self.play, registry)?,
            equilibrium: equilibrium
                .map(|model| under_equilibrium(model, self.epsilon, registry))
                .transpose()?,
            roles: Vec::new(),
            steps: self.steps,
            limit: self.max_set,
            playouts: self.playouts,
            seed: pick_seed(self.seed),
        })
    }

    /// Refuses what has no effect with the preset.
    fn refuse_without_effect(&self) -> CommandResult {
        let preset = self.preset.to_possible_value().expect("no preset is hidden");
        let preset = preset.get_name();
        if let Some(option) = self.preset.refused().iter().find(|option| self.given.has(option)) {
            let what = format!("--{option} has no effect with --preset {preset}");
            return Err(CommandFailure::usage(what, "leave one of the two out"));
        }
        let what = format!("--preset {preset} measures one game, not {}", self.games.len());
        refuse_if(
            self.preset != Preset::Benchmark && self.games.len() != 1,
            what,
            "name one; `hyperplay games` lists the built-in ones",
        )?;
        if self.preset != Preset::Accuracy && self.particles.len() != 1 {
            let what = format!("--preset {preset} takes one number of --particles");
            return Err(CommandFailure::usage(what, "measure one after the other"));
        }
        Ok(())
    }

    /// Opens a game and completes the plan of its study.
    ///
    /// # Errors
    /// If it cannot be opened, a policy file does not fit it, or it lacks a role.
    pub fn open(&self, game: &str, plan: &mut StudyPlan) -> CommandResult<MeasuredGame> {
        let opened = self.rules.open(game)?;
        let samplers = plan.samplers.iter().chain(&plan.equilibrium).map(SamplerSpec::spec);
        refuse_misfits(&opened.game, &opened.hash(), samplers.chain(plan.play.specs()))?;
        for name in plan.play.roles() {
            role_named(&opened.game, name, "the role random chooses by itself")?;
        }
        let role = |name: &String| role_named(&opened.game, name, "the role random has no belief");
        plan.roles = self.role.iter().map(role).collect::<Result<_, _>>()?;
        let (engines, engine) = self.engine.open_for_steps(&opened)?;
        if !self.matches_from.is_empty() {
            let (matches, name) = recorded(&self.matches_from, &opened, &engine)?;
            (plan.matches, plan.play) = (matches.len(), MatchSource::Recorded(matches, name));
        }
        let players_engine = match plan.play.engine() {
            Some(kind) => options::engine(&engines, kind, &opened.name)?,
            None => engine.clone(),
        };
        Ok(MeasuredGame { opened, engine, players_engine })
    }
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

/// Reads the spec of a sampler.
fn sampler(text: &str, registry: &Registry) -> CommandResult<SamplerSpec> {
    registry.sampler(text).map_err(|error| wrong_spec(registry, SpecKind::Sampler, text, &error))
}

/// The sampler whose posterior is that under a model of opponents who play an equilibrium.
fn under_equilibrium(model: &str, epsilon: f64, registry: &Registry) -> CommandResult<SamplerSpec> {
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

fn play(texts: &[String], registry: &Registry) -> CommandResult<MatchSource> {
    let text = texts.first().map_or("", String::as_str);
    let seats = MatchSource::read_seats(texts, registry);
    refuse_if(
        seats.is_none() && texts.len() > 1,
        "--play is given several times",
        "name the role of each player, as in --play alice=hyperplay --play bob=random",
    )?;
    seats.unwrap_or_else(|| MatchSource::read(text, registry)).map_err(|error| {
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
