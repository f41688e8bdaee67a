//! The study that `hyperplay belief` makes: the options of each game, from the command line, a file and a preset.
//!
//! A file has options by the names that they have on the command line, and games, each with options of its own. A preset is
//! such a file inside the program. What the command line says overrides what a game says in a file, this what the file says for all
//! games, and this what the preset says. So every option of a study can be in a file, and one reader checks them all.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{Arg, Args, Command, FromArgMatches};
use serde::Serialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::belief_arguments::{BeliefArguments, sampler};
use super::failure::{CommandFailure, CommandResult, refuse_if};
use super::options::pick_seed;
use super::usage::in_words;
use hyperplay_experiment::place;
use hyperplay_games::builtin;
use hyperplay_lab::study::files::{ASKED, ASKED_SCHEMA};
use hyperplay_logic::gdl::did_you_mean;
use hyperplay_play::files::FileError;
use hyperplay_play::player::Registry;

/// The options that say how a study is made and shown, and not what it measures: they are not in a file.
const OF_RUN: [&str; 9] =
    ["preset", "out", "keep-particles", "json", "threads", "shard", "reuse", "budget-ms", "help"];

/// Options by name, with their values as on the command line.
type Options = BTreeMap<String, Vec<String>>;

/// The study that is asked for.
pub struct StudyRequest {
    /// The arguments of each game, which is the only one they name.
    pub games: Vec<BeliefArguments>,
    /// Where each stands in a file, for errors; empty where it is in none.
    pub places: Vec<String>,
    /// The same as a file.
    pub text: String,
    /// Where it is kept.
    pub out: Option<PathBuf>,
    /// Whether that is the folder of a study with more games.
    pub is_part: bool,
}

/// A file with a study.
#[derive(Default)]
struct StudyFile {
    options: Options,
    /// With the name among them, and with their places.
    games: Vec<(Options, String)>,
}

/// A file as it is written.
#[derive(Serialize)]
struct WrittenStudy<'a> {
    schema: &'a str,
    game: &'a [Options],
}

/// The remedy for a file that is wrong.
const EXPLAINED: &str = "docs/belief.md explains such files";

/// The option that is the name of a game in a file.
const NAME: &str = "name";

/// The study that is asked for by these arguments.
///
/// # Errors
/// If a file cannot be read or is wrong, or no game is named.
pub fn requested(arguments: &BeliefArguments, registry: &Registry) -> CommandResult<StudyRequest> {
    let mut files = vec![StudyFile::read(arguments.preset.text(), "the preset", registry)?];
    let (mut named, mut out) = (&arguments.games[..], arguments.out.clone());
    if let Some((first, others)) = named.split_first()
        && let Some(path) = study_at(first)
    {
        let text = FileError::at(&path, fs::read_to_string(&path))?;
        files.push(StudyFile::read(&text, &path.display().to_string(), registry)?);
        named = others;
        out = out.or_else(|| Path::new(first).is_dir().then(|| PathBuf::from(first)));
    }
    let is_folder = |name: &&String| Path::new(name).is_dir() && builtin::find(name).is_none();
    if let Some(folder) = named.iter().find(is_folder) {
        let remedy = "name the folder that `hyperplay belief --out DIR` wrote, or a game";
        return Err(CommandFailure::usage(format!("'{folder}' is a folder without a study"), remedy));
    }
    let is_part = arguments.out.is_none() && out.is_some() && !named.is_empty();
    let listed = files.iter().rev().map(|file| &file.games[..]).find(|games| !games.is_empty());
    let games: Vec<(Options, String)> = match listed {
        Some(games) if named.is_empty() => games.to_vec(),
        Some(games) => named.iter().map(|name| listed_game(games, name)).collect::<CommandResult<_>>()?,
        None => named.iter().map(|name| (named_options(name), String::new())).collect(),
    };
    let remedy = "name one; `hyperplay games` lists the built-in ones";
    refuse_if(games.is_empty(), "there is no game to measure", remedy)?;
    let given = arguments.given.options(&OF_RUN);
    let seed = [("seed".to_owned(), vec![pick_seed(None).to_string()])];
    let common: Options = seed.into_iter().chain(files.into_iter().flat_map(|file| file.options)).collect();
    let of_game = |own: Options| common.clone().into_iter().chain(own).chain(given.clone()).collect();
    let (games, places): (Vec<Options>, Vec<String>) =
        games.into_iter().map(|(own, place)| (of_game(own), place)).unzip();
    let text =
        toml::to_string(&WrittenStudy { schema: ASKED_SCHEMA, game: &games }).expect("options are texts");
    let read = |own: &Options| parsed(own).map_err(|failure| failure.at(&(own[NAME][0].clone() + ": ")));
    let games = games.iter().map(read);
    Ok(StudyRequest { games: games.collect::<CommandResult<_>>()?, places, text, out, is_part })
}

/// The file of a study that a word names: itself, or that of a folder, unless a built-in game has the name.
fn study_at(word: &str) -> Option<PathBuf> {
    let path = Path::new(word);
    let is_file = path.extension().is_some_and(|extension| extension == "toml");
    let in_folder = Some(path.join(ASKED)).filter(|path| path.is_file() && builtin::find(word).is_none());
    if is_file { Some(path.to_owned()) } else { in_folder }
}

/// The game of this name.
fn listed_game(games: &[(Options, String)], name: &str) -> CommandResult<(Options, String)> {
    games.iter().find(|(own, _)| own[NAME][0] == name).cloned().ok_or_else(|| {
        let names: Vec<&str> = games.iter().map(|(own, _)| own[NAME][0].as_str()).collect();
        let remedy = format!("the games are {}", names.join(", "));
        CommandFailure::usage(format!("'{name}' is not a game of this study"), remedy)
    })
}

/// The command that the options of a file belong to.
fn command() -> Command {
    BeliefArguments::augment_args(Command::new("belief").no_binary_name(true))
}

/// The arguments that these options of a game are.
fn parsed(options: &Options) -> CommandResult<BeliefArguments> {
    let command = command();
    let takes_value = |option: &str| {
        let mut known = command.get_arguments();
        known.any(|known: &Arg| known.get_long() == Some(option) && known.get_action().takes_values())
    };
    let mut words = Vec::new();
    for (option, values) in options.iter().filter(|(option, _)| *option != NAME) {
        match takes_value(option) {
            true => words.extend(values.iter().map(|value| format!("--{option}={value}"))),
            false if values == &["true"] => words.push(format!("--{option}")),
            false => {}
        }
    }
    words.extend(["--".to_owned()].iter().chain(&options[NAME]).cloned());
    let matches = command.try_get_matches_from(words);
    matches.and_then(|matches| BeliefArguments::from_arg_matches(&matches)).map_err(|error| {
        let text = in_words(&error.to_string());
        let what = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        CommandFailure::usage(what, "`hyperplay help belief` explains every option")
    })
}

/// The options of a game of which only the name is known.
fn named_options(name: &str) -> Options {
    Options::from([(NAME.to_owned(), vec![name.to_owned()])])
}

impl StudyFile {
    /// Reads a text of this origin.
    fn read(text: &str, origin: &str, registry: &Registry) -> CommandResult<StudyFile> {
        let at = |span: Range<usize>| {
            let (line, column) = place(text, &span);
            format!("{origin}:{line}:{column}: ")
        };
        let wrong = |span, what: &str| CommandFailure::usage(at(span) + what, EXPLAINED);
        if text.is_empty() {
            return Ok(StudyFile::default());
        }
        let table = DeTable::parse(text).map_err(|of| wrong(of.span().unwrap_or_default(), of.message()));
        let table = table?.into_inner();
        if table.get("schema").and_then(|schema| schema.get_ref().as_str()) != Some(ASKED_SCHEMA) {
            return Err(wrong(0..0, &format!("its schema is not '{ASKED_SCHEMA}'")));
        }
        // What is no text is written as on the command line.
        let plain = |value: &Spanned<DeValue<'_>>| match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
                .map_or_else(|_| number.as_str().to_owned(), |number| number.to_string()),
            DeValue::Float(number) => number.as_str().to_owned(),
            _ => text[value.span()].to_owned(),
        };
        let options = |table: &DeTable<'_>, others: &[&str]| -> CommandResult<Options> {
            let own = table.iter().filter(|(key, _)| !others.contains(&key.get_ref().as_ref()));
            let option = |(key, value): (&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
                let list = value.get_ref().as_array();
                let values = list.map_or_else(|| vec![plain(value)], |list| list.iter().map(plain).collect());
                let option = (key.get_ref().replace('_', "-"), values);
                checked(&option, registry).map_err(|failure| failure.at(&at(value.span())))?;
                Ok(option)
            };
            own.map(option).collect()
        };
        let mut games = Vec::new();
        for game in ["games", "game"].iter().filter_map(|key| table.get(*key)?.get_ref().as_array()).flatten()
        {
            let listed = game.get_ref().as_table();
            let own = listed.map_or_else(|| Ok(named_options(&plain(game))), |own| options(own, &[]))?;
            if own.get(NAME).is_none_or(Vec::is_empty) {
                return Err(wrong(game.span(), "a game has no name"));
            }
            games.push((own, at(listed.and_then(|own| own.get(NAME)).unwrap_or(game).span())));
        }
        Ok(StudyFile { options: options(&table, &["schema", "games", "game"])?, games })
    }
}

/// Refuses an option that there is not, or whose values are wrong whatever the others are.
fn checked((name, values): &(String, Vec<String>), registry: &Registry) -> CommandResult {
    let command = command();
    let options = || command.get_arguments().filter_map(Arg::get_long).chain([NAME]);
    let known = || options().filter(|option| !OF_RUN.contains(option));
    if !known().any(|option| option == name) {
        let meant = did_you_mean(name, known());
        let what = format!("there is no option '{}' of a study{meant}", name.replace('-', "_"));
        return Err(CommandFailure::usage(what, EXPLAINED));
    }
    // With the only option that another one may need.
    let mut alone = named_options("a game");
    alone.insert("equilibrium".to_owned(), vec!["equilibrium".to_owned()]);
    alone.insert(name.clone(), values.clone());
    parsed(&alone)?;
    let mut samplers = values.iter().filter(|_| name == "sampler");
    samplers.try_for_each(|text| sampler(text, registry).map(drop))
}
