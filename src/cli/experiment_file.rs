//! The file that describes an experiment: its arguments, its games, and what is recorded of it.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::TypedValueParser;

use super::failure::{CommandFailure, CommandResult};
use super::game_argument::{Opened, RulesOption, names};
use super::options::choice;
use super::players::explained_by;
use super::policies::refuse_misfits;
use hyperplay_experiment::{ConfigError, DecisionLog, ExperimentConfig, ExperimentPlan, PlanGame};
use hyperplay_logic::gdl::Game;
use hyperplay_play::files::FileError;
use hyperplay_play::player::{Registry, SpecKind};

/// Which experiment.
#[derive(Args, Clone, Debug)]
pub struct FileArgument {
    /// The file that describes the experiment (docs/experiments/README.md)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Deals for each cell, instead of the repetitions that the file asks for; a deal is one duplicate pairing: all
    /// seat permutations on the same random numbers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub deals: Option<u64>,
    /// The root of the repository of games, in place of the one that the environment names.
    #[arg(skip)]
    pub repository: Option<PathBuf>,
}

/// The words of `--log`.
pub fn logs() -> impl TypedValueParser<Value = DecisionLog> {
    let positions = "All of it: true state, evidence, belief, values, final goals";
    let particles = "The states that the player held possible too, with their weights";
    choice(vec![
        ("turns", DecisionLog::Turns, "Its figures"),
        ("positions", DecisionLog::Positions, positions),
        ("particles", DecisionLog::Particles, particles),
    ])
}

/// An experiment whose games are open.
pub struct Described {
    /// The content of the file.
    pub config: ExperimentConfig,
    /// The games, in the order of the plan.
    pub games: Vec<Game>,
    /// The plan that is to be played.
    pub plan: ExperimentPlan,
}

impl FileArgument {
    /// Reads the file and opens its games.
    ///
    /// # Errors
    /// A usage error with the place, if the file is not an experiment; else what opening a game says.
    pub fn open(&self, registry: &Registry) -> CommandResult<Described> {
        let text = FileError::at(&self.file, std::fs::read_to_string(&self.file))?;
        let wrong = |error| wrong_file(&self.file, registry, &error);
        let folder = self.file.parent().unwrap_or(Path::new(""));
        let mut config = ExperimentConfig::read(&text, folder, registry).map_err(wrong)?;
        config.plan.repetitions = self.deals.unwrap_or(config.plan.repetitions);
        let place = |(line, column): (usize, usize)| format!("{}:{line}:{column}: ", self.file.display());
        let names = names(folder, self.repository.as_deref());
        let open = |name: &str| RulesOption::default().open_among(&names, name);
        let opened = config.games.iter().map(|game| open(&game.name).map_err(|it| it.at(&place(game.place))));
        let opened: Vec<Opened> = opened.collect::<Result<_, _>>()?;
        let games = config.games.iter().zip(&opened).map(|(named, opened)| PlanGame {
            // A game of a repository with its version: there may be another one later on.
            name: if named.name.starts_with("ggp:") { opened.name.clone() } else { named.name.clone() },
            rules: opened.hash(),
            roles: opened.game.role_names(),
            random: opened.game.random(),
        });
        let plan = ExperimentPlan::new(&config, games.collect()).map_err(wrong)?;
        for (number, game) in opened.iter().enumerate() {
            let here = plan.cells.iter().filter(|cell| cell.game == number);
            let entrants: BTreeSet<usize> = here.flat_map(|cell| cell.entrants.iter().copied()).collect();
            for entrant in entrants {
                let at = place(config.places[plan.entrants[entrant].table]) + &plan.games[number].name;
                refuse_misfits(&game.game, &game.hash(), [config.specs[entrant].spec()])
                    .map_err(|failure| failure.at(&format!("{at}: ")))?;
            }
        }
        Ok(Described { config, games: opened.into_iter().map(|opened| opened.game).collect(), plan })
    }
}

/// The usage error of a file that is not what it should be.
pub fn wrong_file(file: &Path, registry: &Registry, error: &ConfigError) -> CommandFailure {
    let separator = if error.place.is_some() { ":" } else { ": " };
    let remedy = match error.spec.as_deref() {
        Some((text, wrong)) => explained_by(registry, SpecKind::Player, text, wrong),
        None => error.remedy.to_owned(),
    };
    CommandFailure::usage(format!("{}{separator}{error}", file.display()), remedy)
}

/// The number of threads: as asked for, or as many matches as the computer has processors for.
pub fn threads(given: Option<NonZero<usize>>, plan: &ExperimentPlan) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let roles = plan.games.iter().map(PlanGame::width).max().unwrap_or(1).max(1);
    let usual = if plan.clocks.is_some() { (processors / roles).max(1) } else { processors };
    given.map_or(usual, NonZero::get)
}
