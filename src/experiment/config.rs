//! Configuration: an experiment as described by a file, checked as far as possible without opening its games.
//!
//! A file with an error is rejected completely; the message names the first error and its place. Players are expanded
//! by their parameters into *entrants*, each with a canonical spec and a label of its own. Paths in the file, of
//! policy files too, are relative to its folder.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use serde::de::DeserializeOwned;
use toml::Spanned;

use super::plan::{Entrant, ExperimentPlan, SeatPermutations, StoppingCriterion, StoppingRule};
use super::wording::sentence;
use super::written::{StopTable, Written};
use hyperplay_engine::EngineKind;
use hyperplay_logic::gdl::{Source, did_you_mean};
use hyperplay_machine::PLAYOUT_STEPS;
use hyperplay_play::player::{PlayerSpec, Registry, SpecError, ThoughtAhead};

/// The name of this form of experiments.
pub const SCHEMA: &str = "hyperplay.experiment/1";

/// Matches looked at together by a rule that stops, and needed before it does, where the file does not say.
const EVERY: u64 = 16;
const LEAST: u64 = 32;

/// The most repetitions.
const MAX_REPETITIONS: i64 = 1_000_000_000;

/// The kinds of schedules.
const KINDS: [&str; 3] = ["round_robin", "gauntlet", "pairings"];

/// The words for the seat permutations that are played.
const SEATS: [(&str, SeatPermutations); 2] =
    [("all", SeatPermutations::All), ("given", SeatPermutations::Given)];
/// The words for the reaction to a fault.
const ON_FAULT: [(&str, OnFault); 2] = [("stop", OnFault::Stop), ("record", OnFault::Record)];

/// The remedy of errors that have no other.
const KEYS: &str = "docs/experiments/README.md explains every key";

/// What is read from the file, or its first error.
pub type ConfigResult<T = ()> = Result<T, ConfigError>;

/// The error in the file, and its place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}{what}", place.map_or(String::new(), |(line, column)| format!("{line}:{column}: ")))]
pub struct ConfigError {
    /// The error, in words.
    pub what: String,
    /// Line and column, from 1, where there is a place.
    pub place: Option<(usize, usize)>,
    /// The remedy, if the error is not about a spec.
    pub remedy: &'static str,
    /// The text of a spec and what is wrong with it, if it is about a spec: the list of players answers it.
    pub spec: Option<Box<(String, SpecError)>>,
}

impl ConfigError {
    /// An error without a place.
    pub fn new(what: impl Into<String>) -> Self {
        ConfigError { what: what.into(), place: None, remedy: KEYS, spec: None }
    }

    /// An error at a line and column.
    pub fn at(place: (usize, usize), what: impl Into<String>) -> Self {
        ConfigError { place: Some(place), ..ConfigError::new(what) }
    }
}

/// The reaction of a run when a move of a player was replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnFault {
    /// It goes on, but not with another program that has not answered since the run began.
    #[default]
    StopIfSilent,
    /// It ends before the match is recorded.
    Stop,
    /// The match is recorded, and the run goes on.
    Record,
}

/// A name in the file that is to be looked up, and its place for errors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedGame {
    /// As written.
    pub name: String,
    /// Line and column.
    pub place: (usize, usize),
}

/// The pairings, before it is known how many roles the games have. Players are named by their position among the
/// tables of the file; each stands for all its entrants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MeetingSchedule {
    /// Every entrant meets every other.
    RoundRobin,
    /// The entrants of these tables meet those of all others.
    Gauntlet(Vec<usize>),
    /// These meet.
    Pairings(Vec<Vec<usize>>),
}

/// An experiment as described.
#[derive(Clone, PartialEq, Debug)]
pub struct ExperimentConfig {
    /// Its title.
    pub name: String,
    /// The purpose of the experiment.
    pub about: String,
    /// The games, as written: a path relative to the file, or a built-in game.
    pub games: Vec<NamedGame>,
    /// The reaction of a run when a move was replaced; no part of the plan.
    pub on_fault: OnFault,
    /// Whether neither turns nor timings are recorded; no part of the plan.
    pub without_turns: bool,
    /// The spec of each entrant, with its policy files.
    pub specs: Vec<PlayerSpec>,
    /// Where the spec of each table of players is written: line and column.
    pub places: Vec<(usize, usize)>,
    /// The pairings.
    pub schedule: MeetingSchedule,
    /// Where that rule is written: line and column.
    pub stop_place: Option<(usize, usize)>,
    /// What the file says of the plan; its games and cells follow from the games themselves.
    pub plan: ExperimentPlan,
}

impl ExperimentConfig {
    /// Reads the text of a file, and the policy files that its players name, from paths relative to `folder`.
    ///
    /// # Errors
    /// The first thing that is wrong: syntax, an unknown key, a value out of range, an unknown player, a policy file
    /// that cannot be used.
    pub fn read(text: &str, folder: &Path, registry: &Registry) -> ConfigResult<ExperimentConfig> {
        let written: Written = parsed(text)?;
        check_schema(text, &written.schema, SCHEMA)?;
        ConfigReader { text, folder, registry }.config(&written)
    }
}

/// The line and column of the beginning of a span.
pub fn place(text: &str, span: &Range<usize>) -> (usize, usize) {
    Source::new("", text).line_column(span.start)
}

/// What the text of a file in TOML says.
pub(super) fn parsed<T: DeserializeOwned>(text: &str) -> ConfigResult<T> {
    toml::from_str(text).map_err(|error| {
        let place = error.span().map(|span| place(text, &span));
        ConfigError { place, ..ConfigError::new(sentence(error.message())) }
    })
}

/// Refuses a file with another schema.
pub(super) fn check_schema(text: &str, found: &Spanned<String>, own: &str) -> ConfigResult {
    let what = || format!("the schema is '{}'; this program reads '{own}'", found.get_ref());
    if found.get_ref() == own { Ok(()) } else { Err(ConfigError::at(place(text, &found.span()), what())) }
}

pub(super) struct ConfigReader<'a> {
    pub text: &'a str,
    pub folder: &'a Path,
    pub registry: &'a Registry,
}

impl ConfigReader<'_> {
    pub fn error<T>(&self, at: &Spanned<T>, what: impl Into<String>) -> ConfigError {
        ConfigError::at(place(self.text, &at.span()), what)
    }

    fn config(&self, written: &Written) -> ConfigResult<ExperimentConfig> {
        if written.games.is_empty() {
            return Err(self.at_key("games", "no game is named"));
        }
        let seen = &mut BTreeSet::new();
        if let Some(twice) = written.games.iter().find(|game| !seen.insert(game.get_ref())) {
            return Err(self.error(twice, format!("the game '{}' is named twice", twice.get_ref())));
        }
        let (entrants, specs) = self.entrants(written)?;
        if written.without_turns && entrants.iter().any(|entrant| entrant.learns) {
            return Err(self.at_key(
                "without_turns",
                "a player learns from its matches, so their turns are needed; leave this out",
            ));
        }
        let plan = ExperimentPlan {
            schema: SCHEMA.to_owned(),
            seed: self.count(&written.seed, 0, i64::MAX)?,
            repetitions: self.count(&written.repetitions, 1, MAX_REPETITIONS)?,
            engine: self.engine(written)?,
            limit: self.count_of(&written.limit, 1, 1 << 31)?.map_or(PLAYOUT_STEPS, |limit| limit as usize),
            nodes: self.count_of(&written.budget.nodes, 1, i64::MAX)?,
            clocks: self.clocks(written)?,
            think_ahead: self.thinks_ahead(written)?,
            stop: written.stop.as_ref().map(|stop| self.stop(stop)).transpose()?,
            seats: self.word("seats", &written.schedule.seats, SEATS)?,
            games: Vec::new(),
            entrants,
            cells: Vec::new(),
        };
        Ok(ExperimentConfig {
            name: written.name.clone(),
            about: written.about.trim().to_owned(),
            games: written
                .games
                .iter()
                .map(|game| NamedGame { name: game.get_ref().clone(), place: place(self.text, &game.span()) })
                .collect(),
            on_fault: self.word("on_fault", &written.on_fault, ON_FAULT)?,
            without_turns: written.without_turns,
            schedule: self.schedule(written)?,
            stop_place: written.stop.as_ref().map(|stop| place(self.text, &stop.span())),
            specs,
            places: written.player.iter().map(|player| place(self.text, &player.spec_span())).collect(),
            plan,
        })
    }

    /// An error at the line in which a key or the tables of this name begin, if there is one.
    fn at_key(&self, key: &str, what: impl Into<String>) -> ConfigError {
        let begins = |line: &str| line.trim_start().trim_start_matches('[').trim_start().starts_with(key);
        let line = self.text.lines().position(begins);
        ConfigError { place: line.map(|line| (line + 1, 1)), ..ConfigError::new(what) }
    }

    fn count(&self, number: &Spanned<i64>, least: i64, most: i64) -> ConfigResult<u64> {
        let value = *number.get_ref();
        if (least..=most).contains(&value) {
            Ok(value as u64)
        } else {
            Err(self.error(number, format!("{value}: expected a whole number from {least} to {most}")))
        }
    }

    fn count_of(&self, number: &Option<Spanned<i64>>, least: i64, most: i64) -> ConfigResult<Option<u64>> {
        number.as_ref().map(|number| self.count(number, least, most)).transpose()
    }

    /// The meaning of a word that is one of two; the default if it is not written.
    fn word<T: Default>(
        &self,
        key: &str,
        written: &Option<Spanned<String>>,
        words: [(&'static str, T); 2],
    ) -> ConfigResult<T> {
        let Some(word) = written else { return Ok(T::default()) };
        let [one, other] = [words[0].0, words[1].0];
        let found = words.into_iter().find(|(known, _)| known == word.get_ref());
        found.map(|(_, meaning)| meaning).ok_or_else(|| {
            let meant = did_you_mean(word.get_ref(), [one, other]);
            self.error(word, format!("{key} = '{}': expected {one} or {other}{meant}", word.get_ref()))
        })
    }

    /// The place of a word among those that there are.
    fn place_of(
        &self,
        word: &Spanned<String>,
        unknown: &str,
        all: &[&str],
        there_are: &str,
    ) -> ConfigResult<usize> {
        all.iter().position(|known| known == word.get_ref()).ok_or_else(|| {
            let (word_read, meant) = (word.get_ref(), did_you_mean(word.get_ref(), all.iter().copied()));
            self.error(word, format!("{unknown} '{word_read}'{meant}; {there_are} {}", all.join(", ")))
        })
    }

    fn engine(&self, written: &Written) -> ConfigResult<EngineKind> {
        let Some(engine) = &written.engine else { return Ok(EngineKind::Auto) };
        let names = EngineKind::ALL.map(EngineKind::as_str);
        Ok(EngineKind::ALL[self.place_of(engine, "there is no engine", &names, "there are")?])
    }

    fn clocks(&self, written: &Written) -> ConfigResult<Option<(f64, f64)>> {
        let (start, play) = (&written.budget.startclock, &written.budget.playclock);
        for seconds in [start, play].into_iter().flatten() {
            if !(0.0..=1e9).contains(seconds.get_ref()) {
                return Err(self.error(seconds, "a clock is a number of seconds from 0 to 1000000000"));
            }
        }
        match (start, play) {
            (Some(start), None) => Err(self.error(start, "a startclock needs a playclock")),
            (start, Some(play)) => Ok(Some((start.as_ref().map_or(0.0, |s| *s.get_ref()), *play.get_ref()))),
            (None, None) => Ok(None),
        }
    }

    /// Where there is a clock and no limit in states, players think ahead unless the file says that they do not.
    fn thinks_ahead(&self, written: &Written) -> ConfigResult<bool> {
        let budget = &written.budget;
        let play =
            budget.playclock.as_ref().and_then(|play| Duration::try_from_secs_f64(*play.get_ref()).ok());
        let is_free = ThoughtAhead::is_done(play, budget.nodes.is_some());
        match &budget.think_ahead {
            Some(wanted) if *wanted.get_ref() && !is_free => Err(self
                .error(wanted, "to think ahead needs a playclock of 0.05 s or more, and no limit in nodes")),
            wanted => Ok(is_free && wanted.as_ref().is_none_or(|wanted| *wanted.get_ref())),
        }
    }

    fn entrants(&self, written: &Written) -> ConfigResult<(Vec<Entrant>, Vec<PlayerSpec>)> {
        let mut entrants: Vec<(Entrant, PlayerSpec)> = Vec::new();
        let plain = |character: char| character.is_ascii_alphanumeric() || "_.-".contains(character);
        for (table, player) in written.player.iter().enumerate() {
            let name = player.name.get_ref();
            if name.is_empty() || !name.chars().all(plain) {
                let what = format!("the name '{name}': expected letters, digits, '_', '.' and '-'");
                return Err(self.error(&player.name, what));
            }
            if written.player[..table].iter().any(|other| other.name.get_ref() == name) {
                return Err(self.error(&player.name, format!("two players are named '{name}'")));
            }
            if player.spec.is_some() == player.url.is_some() {
                let what = format!("the player '{name}' needs either a spec or a url");
                return Err(self.error(&player.name, what));
            }
            let expanded = self.expand(table, player)?;
            let is_remote = expanded.iter().any(|(_, spec)| spec.spec().is_remote());
            if is_remote && written.budget.playclock.is_none() {
                let what = format!("the player '{name}' is another program, which needs clocks");
                let place = place(self.text, &player.spec_span());
                let remedy = "write playclock = 5 under [budget], and a startclock if you like";
                return Err(ConfigError { remedy, ..ConfigError::at(place, what) });
            }
            entrants.extend(expanded);
        }
        if entrants.is_empty() {
            return Err(self.at_key("player", "no player is named"));
        }
        Ok(entrants.into_iter().unzip())
    }

    fn table(&self, written: &Written, name: &Spanned<String>) -> ConfigResult<usize> {
        let names: Vec<&str> = written.player.iter().map(|player| player.name.get_ref().as_str()).collect();
        self.place_of(name, "no player of this file is named", &names, "there are")
    }

    fn schedule(&self, written: &Written) -> ConfigResult<MeetingSchedule> {
        let table = &written.schedule;
        let place = table.kind.as_ref().map_or(Ok(0), |kind| {
            self.place_of(kind, "there is no schedule of kind", &KINDS, "the kinds are")
        });
        let kind = KINDS[place?];
        let beside = |what: &str, has: bool, wants: bool| {
            let said = match (has, wants) {
                (true, false) => format!("a schedule of kind '{kind}' has no {what}"),
                (false, true) => format!("a schedule of kind '{kind}' needs {what}"),
                _ => return Ok(()),
            };
            Err(if let Some(kind) = &table.kind { self.error(kind, said) } else { self.at_key(what, said) })
        };
        beside("challengers", !table.challengers.is_empty(), kind == "gauntlet")?;
        beside("pairings", !table.pairings.is_empty(), kind == "pairings")?;
        let tables = |names: &[Spanned<String>]| -> ConfigResult<Vec<usize>> {
            names.iter().map(|name| self.table(written, name)).collect()
        };
        let pairings = table.pairings.iter().map(|names| tables(names.get_ref()));
        Ok(match kind {
            "round_robin" => MeetingSchedule::RoundRobin,
            "gauntlet" => MeetingSchedule::Gauntlet(tables(&table.challengers)?),
            _ => MeetingSchedule::Pairings(pairings.collect::<Result<_, _>>()?),
        })
    }

    fn stop(&self, stop: &Spanned<StopTable>) -> ConfigResult<StoppingRule> {
        let table = stop.get_ref();
        let rule = match (&table.width, &table.sprt) {
            (Some(width), None) if *width > 0.0 && width.is_finite() => {
                StoppingCriterion::Width { points: *width }
            }
            (Some(_), None) => return Err(self.error(stop, "a width is more than 0 goal points")),
            (None, Some(sprt)) => {
                let what = "an sprt needs h0 < h1 in goal points, and alpha and beta between 0 and 0.5";
                StoppingCriterion::Sprt(sprt.checked().ok_or_else(|| self.error(stop, what))?)
            }
            _ => return Err(self.error(stop, "to stop needs either a width or an sprt")),
        };
        let [every, least] = [&table.every, &table.least].map(|number| self.count_of(number, 2, 1_000_000));
        Ok(StoppingRule { rule, every: every?.unwrap_or(EVERY), least: least?.unwrap_or(LEAST) })
    }
}
