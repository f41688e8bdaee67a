//! The arguments of `hyperplay belief`, and the study that they ask for.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::error::Error;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};

use super::failure::{CommandFailure, CommandResult, refuse_if};
use super::game_argument::RulesOption;
use super::options::{self, EngineOption, ThreadsOption, pick_seed, seconds, seed};
use super::players::{explained_by, wrong_spec};
use super::policies::refuse_misfits;
use super::recorded_matches::recorded;
use super::seats::role_named;
use hyperplay_experiment::Shard;
use hyperplay_lab::study::{Labels, MatchSource, StudyError, StudyGame, StudyPlan, WORK};
use hyperplay_logic::gdl::did_you_mean;
use hyperplay_machine::PLAYOUT_STEPS;
use hyperplay_play::player::{Registry, SamplerSpec, Spec, SpecError, SpecKind};

/// The most particles of a set, as in the specs of players.
const MOST_PARTICLES: usize = 10_000_000;

/// Arguments of `belief`.
#[derive(Args, Debug)]
pub struct BeliefArguments {
    #[command(flatten)]
    pub given: Given,
    /// A file with rules, `-` for standard input, or the name of a built-in game (see `hyperplay games`), or several; or a file
    /// STUDY.toml with games and options, or the folder of a study that goes on; behind it, or with the preset benchmark, some of
    /// its games in the place of all
    #[arg(value_name = "GAME|STUDY")]
    pub games: Vec<String>,
    /// What is measured, and with which defaults; those shown here are of the preset accuracy
    #[arg(long, value_enum, default_value_t)]
    pub preset: Preset,
    #[command(flatten)]
    rules: RulesOption,
    /// The sampler to measure, as in hyperplay:enumerate=off (repeat to compare); see `hyperplay players samplers`
    #[arg(long, value_name = "SPEC", default_values = ["hyperplay:enumerate=off", "hyperplay12"])]
    sampler: Vec<String>,
    /// Another name for a sampler in tables and figures, as in hyperplay:enumerate=off=Ours (repeat for several)
    #[arg(long, value_name = "SPEC=NAME")]
    label: Vec<String>,
    /// Particles in a set; several numbers are separated by commas
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "16,64")]
    particles: Vec<usize>,
    /// The number of independent replicates, that is, of beliefs that follow each match
    #[arg(long, value_name = "R", default_value = "200")]
    replicates: usize,
    /// The number of matches that the evidence is taken from
    #[arg(long, value_name = "M", default_value = "1")]
    matches: usize,
    /// The policy that plays these matches: an opponent model, or a player in every seat, or a player of a role, as in
    /// alice=hyperplay (repeat for several; other roles choose at random); the posterior under what is played is measured
    /// against as well. See `hyperplay players models` and `hyperplay players`. `random` is `uniform`; a name of both a
    /// model and a player means the model; with the name of a role before it, as in alice=equilibrium, the player
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
    steps: (usize, usize),
    /// The most histories that are enumerated; where there are more and the others choose uniformly, samplers are
    /// measured against the exact distribution of the states, up to this number of them; 0 for no posterior: times alone
    #[arg(long, value_name = "HISTORIES", default_value_t = 10_000)]
    max_set: usize,
    /// Random playouts that value a move in a state, for the regret; fewer where those of a decision would make more than a
    /// million steps; 0 for none
    #[arg(long, value_name = "N", default_value_t = 8)]
    playouts: u32,
    /// The most states that all posteriors of a match and a role may visit; the playouts that value moves there may make ten times
    /// as many steps. What comes behind it has no posterior, or no regret. The replicates of a sampler there may cost as much as
    /// N states of a network of 40000 gates, by count and not by the clock; where they would cost more, fewer are made, and
    /// where four would, they end at an earlier step
    #[arg(long, value_name = "N", default_value_t = WORK)]
    work: u64,
    /// The longest time of an update; a belief that takes longer is not followed further and counts as one without a particle.
    /// What is measured then depends on the clock [default: none; with the preset cost 10]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    limit: Option<Duration>,
    /// The report names the most accurate sampler and number of particles whose updates up to a decision take at most these
    /// milliseconds of processor time
    #[arg(long, value_name = "MS,...", value_delimiter = ',', default_value = "0.1,1,10", value_parser = milliseconds)]
    pub budget_ms: Vec<f64>,
    /// Keep what is measured in this folder, with turns.jsonl, timings.jsonl, rows.csv, frontier.csv, report.html, report.md and
    /// figures/ (each figure as SVG and PDF); the same command again, or one of a study with more games, samplers, numbers of
    /// particles, roles or matches, measures only what is missing
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Keep the particle sets of all replicates too, with evidence and truth, as Parquet tables in particles/ of --out; what has
    /// no sets there is measured again. The sets of one sampler in one match are held in memory
    #[arg(long)]
    pub keep_particles: bool,
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
    /// Measure every sampler with each of these opponent models in the place of its own (repeat for several)
    #[arg(long, value_name = "MODEL")]
    model: Vec<String>,
    /// Measure only this part of the matches and roles, as in 3/8; the last part that ends writes the report
    #[arg(long, value_name = "K/N", value_parser = Shard::read, default_value = "1/1")]
    pub shard: Shard,
    /// Take what this folder has of the study, instead of measuring it; may be given several times
    #[arg(long, value_name = "DIR")]
    pub reuse: Vec<PathBuf>,
}

/// The gates of a network from which on the playouts that value moves are made in lanes, whose making takes seconds there.
const LARGE: usize = 20_000;

/// The nanoseconds that a state is taken to cost in a game without a network.
const UNKNOWN_COST: f64 = 50_000.0;

/// The options that have an effect with `--conform`.
const CONFORM: [&str; 8] =
    ["conform", "games", "particles", "replicates", "seed", "threads", "engine", "json"];

/// Defaults of the options of a study.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Preset {
    /// How far samplers are from the exact posterior in one game
    #[default]
    Accuracy,
    /// The same on twelve games: seven samplers, 64 particles, sets of at most 4000 histories,
    /// and the matches and steps of each game
    Benchmark,
    /// The processor time of an update of hyperplay, rejection and bootstrap in one game, up to step 30, without a posterior: 64
    /// particles, 4 replicates, 4 matches
    Cost,
}

impl Preset {
    /// The file that it is; empty where it is the defaults that the options themselves have.
    pub fn text(self) -> &'static str {
        match self {
            Preset::Accuracy => "",
            Preset::Benchmark => include_str!("belief_benchmark.toml"),
            Preset::Cost => include_str!("belief_cost.toml"),
        }
    }
}

/// Names and values of the arguments that stand on the command line, as they are written there.
#[derive(Clone, Debug)]
pub struct Given(BTreeMap<String, Vec<String>>);

impl Given {
    /// The options that are given, without these.
    pub fn options(&self, without: &[&str]) -> BTreeMap<String, Vec<String>> {
        let command = BeliefArguments::augment_args(Command::new("belief"));
        let is_option = |name: &str| command.get_arguments().any(|known| known.get_long() == Some(name));
        let mut given = self.0.clone();
        given.retain(|name, _| is_option(name) && !without.contains(&name.as_str()));
        given
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

impl BeliefArguments {
    /// The samplers, each with every model.
    fn samplers(&self) -> Vec<String> {
        if self.model.is_empty() {
            return self.sampler.clone();
        }
        let with = |sampler: &String, model: &String| {
            format!("{sampler}{}model=[{model}]", if sampler.contains(':') { "," } else { ":" })
        };
        let of = |sampler| self.model.iter().map(move |model| with(sampler, model));
        self.sampler.iter().flat_map(of).collect()
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
        let replicates = if self.given.0.contains_key("replicates") { self.replicates } else { 1_000 };
        Ok(StudyPlan { samplers: vec![sampler(spec, registry)?], replicates, ..self.plan(registry)? })
    }

    /// The study that is asked for.
    ///
    /// # Errors
    /// If a spec is wrong.
    pub fn plan(&self, registry: &Registry) -> CommandResult<StudyPlan> {
        refuse_if(
            self.replicates == 0 || self.matches == 0 || self.particles.contains(&0),
            "without replicates, matches or particles there is nothing to measure",
            "give 1 or more",
        )?;
        refuse_if(
            self.particles.iter().any(|&count| count > MOST_PARTICLES),
            format!("--particles: a set has at most {MOST_PARTICLES} particles"),
            "give fewer",
        )?;
        let samplers: Vec<_> =
            self.samplers().iter().map(|text| sampler(text, registry)).collect::<CommandResult<_>>()?;
        let specs: Vec<String> = samplers.iter().map(|of| of.spec().to_string()).collect();
        let sampler = repeated(&specs).map(|spec| format!("the sampler {spec}"));
        if let Some(what) = sampler.or(repeated(&self.particles).map(|count| format!("--particles {count}")))
        {
            return Err(CommandFailure::usage(format!("{what} is given twice"), "give each once"));
        }
        let is_instant = self.limit.is_some_and(|limit| limit.is_zero());
        refuse_if(is_instant, "--limit is no time", "give a number of seconds above 0")?;
        let equilibrium = self.equilibrium.as_deref();
        Ok(StudyPlan {
            samplers,
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
            update_limit: self.limit,
            playouts: self.playouts,
            work: self.work,
            seed: pick_seed(self.seed),
        })
    }

    /// The names that samplers are given by `--label`.
    ///
    /// # Errors
    /// If one is no name of a sampler of the study, or two have the same name.
    pub fn labels(&self, registry: &Registry) -> CommandResult<Labels> {
        let spec = |text: &str| Ok(sampler(text, registry)?.spec().to_string());
        let known: Vec<String> =
            self.samplers().iter().map(|text| spec(text)).collect::<CommandResult<_>>()?;
        let mut labels = Labels::new();
        for text in &self.label {
            let (of, name) = text.rsplit_once('=').unwrap_or((text, ""));
            let of = spec(of)?;
            let is_free = !known.iter().chain(labels.values()).any(|other| other == name);
            refuse_if(
                name.is_empty() || !is_free || !known.contains(&of),
                format!("--label {text}: '{name}' is no new name of a sampler of this study"),
                "give the spec of a sampler as in --sampler, and behind = a name that no other one has",
            )?;
            labels.insert(of, name.to_owned());
        }
        Ok(labels)
    }

    /// Opens a game and completes the plan of its study.
    ///
    /// # Errors
    /// If it cannot be opened, a policy file does not fit it, or it lacks a role.
    pub fn open(&self, game: &str, plan: &mut StudyPlan) -> CommandResult<StudyGame> {
        let opened = self.rules.open(game)?;
        let samplers = plan.samplers.iter().chain(&plan.equilibrium).map(SamplerSpec::spec);
        refuse_misfits(&opened.game, &opened.hash(), samplers.chain(plan.play.specs()))?;
        for name in plan.play.roles() {
            role_named(&opened.game, name, "the role random chooses by itself")?;
        }
        let role = |name: &String| role_named(&opened.game, name, "the role random has no belief");
        plan.roles = self.role.iter().map(role).collect::<Result<_, _>>()?;
        let (engines, machine) = self.engine.open_for_steps(&opened)?;
        if !self.matches_from.is_empty() {
            let (matches, name) = recorded(&self.matches_from, &opened, &machine)?;
            (plan.matches, plan.play) = (matches.len(), MatchSource::Recorded(matches, name));
        }
        let players_engine = match plan.play.engine() {
            Some(kind) => options::engine(&engines, kind, &opened.name)?,
            None => machine.clone(),
        };
        let gates = engines.network().map_or(0, |network| network.propnet.network.gates().len());
        let is_large = gates > LARGE && plan.playouts > 0 && plan.limit > 0;
        let lanes = || options::engine(&engines, self.engine.engine, &opened.name);
        let playouts_engine = is_large.then(lanes).transpose()?;
        let state_cost = engines.costs().map_or(UNKNOWN_COST, |costs| costs.single.min(costs.interpreter));
        let (rules, name) = (opened.hash(), opened.name);
        Ok(StudyGame { rules, name, machine, players_engine, playouts_engine, state_cost })
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

/// Reads one of `--budget-ms`.
fn milliseconds(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|&ms: &f64| ms > 0.0 && ms.is_finite());
    number.ok_or_else(|| "expected a number of milliseconds above 0".to_owned())
}

/// The failure that the error of a study means to the user.
pub fn failed(game: &str, error: &StudyError) -> CommandFailure {
    let remedy = match error {
        StudyError::Evaluation(failure) if failure.reason.contains("the sampler '") => {
            "see to that program: docs/extending.md says what it is asked and answers"
        }
        StudyError::Evaluation(_) => "measure fewer --steps",
        StudyError::Thread(_) => "take another --play",
        StudyError::Unsolved(_) => {
            "leave out --equilibrium, or allow more nodes, as in --equilibrium=equilibrium:nodes=50000000"
        }
    };
    CommandFailure::failed(format!("{game}: {error}"), remedy)
}

/// Reads the spec of a sampler.
///
/// # Errors
/// If it is wrong.
pub fn sampler(text: &str, registry: &Registry) -> CommandResult<SamplerSpec> {
    registry.sampler(text).map_err(|error| wrong_spec(registry, SpecKind::Sampler, text, &error))
}

/// The sampler whose posterior is that under a model of opponents who play an equilibrium.
fn under_equilibrium(model: &str, epsilon: f64, registry: &Registry) -> CommandResult<SamplerSpec> {
    let text = format!("exact:model=[{model}],epsilon={epsilon}");
    registry.sampler(&text).map_err(|error| match &error {
        SpecError::BadValue { expected, .. } => {
            let what = format!("--epsilon {epsilon}: expected {expected}");
            CommandFailure::usage(what, "it is the probability of a uniform choice")
        }
        of => {
            let inner = if let SpecError::Inner { error, .. } = of { error } else { of };
            let remedy = explained_by(registry, SpecKind::Sampler, &text, &error);
            CommandFailure::usage(format!("--equilibrium={model}: {inner}"), remedy)
        }
    })
}

/// The first value that stands in a list before.
fn repeated<T: PartialEq>(list: &[T]) -> Option<&T> {
    list.iter().enumerate().find(|&(place, value)| list[..place].contains(value)).map(|(_, value)| value)
}

fn play(texts: &[String], registry: &Registry) -> CommandResult<MatchSource> {
    let text = texts.first().map_or("", String::as_str);
    let seats = MatchSource::read_seats(texts, registry);
    refuse_if(
        seats.is_none() && texts.len() > 1,
        "--play is given several times",
        "name the role of each player, as in --play alice=hyperplay --play bob=random",
    )?;
    let has_roles = seats.is_some();
    // The spec that is wrong, without the role before it.
    let mut specs = texts.iter().filter_map(|text| text.split_once('=')).filter(|_| has_roles);
    let text = specs.find(|(_, spec)| registry.player(spec).is_err()).map_or(text, |(_, spec)| spec);
    let source = seats.unwrap_or_else(|| MatchSource::read(text, registry)).map_err(|error| {
        let names = |kind| registry.entries(kind).map(|entry| &*entry.name);
        let name = text.split(':').next().unwrap_or_default().trim();
        let (what, remedy) = match &error {
            SpecError::UnknownName { kind: SpecKind::Player, name, .. } if !has_roles => {
                let meant = did_you_mean(name, names(SpecKind::Model).chain(names(SpecKind::Player)));
                let models = names(SpecKind::Model).collect::<Vec<_>>().join(", ");
                (
                    format!("there is neither an opponent model nor a player '{name}'{meant}"),
                    format!(
                        "give an opponent model ({models}) or a player: `hyperplay players models` and `hyperplay players` explain them"
                    ),
                )
            }
            error => {
                let is_model = !has_roles && names(SpecKind::Model).any(|model| model == name);
                let kind = if is_model { SpecKind::Model } else { SpecKind::Player };
                (error.to_string(), explained_by(registry, kind, text, error))
            }
        };
        CommandFailure::usage(format!("--play: {what}"), remedy)
    })?;
    let is_remote = source.specs().into_iter().any(Spec::is_remote);
    refuse_if(is_remote, "--play: a player behind an address needs clocks", "name a player of this program")?;
    Ok(source)
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
