//! The study that `hyperplay belief` makes: the options of each game, from the command line, a file and a preset.
//!
//! A file has options by the names that they have on the command line, and games, each with options of its own. A preset is
//! such a file inside the program. What the command line says overrides what a game says in a file, this what the file says for all
//! games, and this what the preset says. So every option of a study can be in a file, and one reader checks them all.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, Args, Command, FromArgMatches};
use serde::Serialize;
use toml::{Table, Value};

use super::belief_arguments::BeliefArguments;
use super::failure::{CommandFailure, CommandResult, refuse_if};
use super::options::pick_seed;
use hyperplay_games::builtin;
use hyperplay_lab::study::files::{ASKED, ASKED_SCHEMA};
use hyperplay_logic::gdl::did_you_mean;
use hyperplay_play::files::FileError;

/// The options that say how a study is made and shown, and not what it measures: they are not in a file.
const OF_RUN: [&str; 9] =
    ["preset", "out", "keep-particles", "json", "threads", "shard", "reuse", "budget-ms", "help"];

/// Options by name, with their values as on the command line.
type Options = BTreeMap<String, Vec<String>>;

/// The study that is asked for.
pub struct StudyRequest {
    /// The arguments of each game, which is the only one they name.
    pub games: Vec<BeliefArguments>,
    /// The same as a file.
    pub text: String,
    /// Where it is kept.
    pub out: Option<PathBuf>,
}

/// A file with a study.
#[derive(Default)]
struct StudyFile {
    options: Options,
    /// With the name among them.
    games: Vec<Options>,
}

/// A file as it is written.
#[derive(Serialize)]
struct WrittenStudy<'a> {
    schema: &'a str,
    game: &'a [Options],
}

/// The option that is the name of a game in a file.
const NAME: &str = "name";

/// The study that is asked for by these arguments.
///
/// # Errors
/// If a file cannot be read or is wrong, or no game is named.
pub fn requested(arguments: &BeliefArguments) -> CommandResult<StudyRequest> {
    let mut files = vec![StudyFile::read(arguments.preset.text(), "the preset")?];
    let (mut named, mut out) = (&arguments.games[..], arguments.out.clone());
    if let Some((first, others)) = named.split_first()
        && let Some(path) = study_at(first)
    {
        let text = FileError::at(&path, fs::read_to_string(&path))?;
        files.push(StudyFile::read(&text, &path.display().to_string())?);
        named = others;
        out = out.or_else(|| Path::new(first).is_dir().then(|| PathBuf::from(first)));
    }
    let is_folder = |name: &&String| Path::new(name).is_dir() && builtin::find(name).is_none();
    if let Some(folder) = named.iter().find(is_folder) {
        let remedy = "name the folder that `hyperplay belief --out DIR` wrote, or a game";
        return Err(CommandFailure::usage(format!("'{folder}' is a folder without a study"), remedy));
    }
    let listed = files.iter().rev().map(|file| &file.games[..]).find(|games| !games.is_empty());
    let games: Vec<Options> = match listed {
        Some(games) if named.is_empty() => games.to_vec(),
        Some(games) => named.iter().map(|name| listed_game(games, name)).collect::<CommandResult<_>>()?,
        None => named.iter().map(|name| Options::from([(NAME.to_owned(), vec![name.clone()])])).collect(),
    };
    let remedy = "name one; `hyperplay games` lists the built-in ones";
    refuse_if(games.is_empty(), "there is no game to measure", remedy)?;
    let given = arguments.given.options(&OF_RUN);
    let seed = [("seed".to_owned(), vec![pick_seed(None).to_string()])];
    let common: Options = seed.into_iter().chain(files.into_iter().flat_map(|file| file.options)).collect();
    let of_game = |own: Options| common.clone().into_iter().chain(own).chain(given.clone()).collect();
    let games: Vec<Options> = games.into_iter().map(of_game).collect();
    let text =
        toml::to_string(&WrittenStudy { schema: ASKED_SCHEMA, game: &games }).expect("options are texts");
    Ok(StudyRequest { games: games.iter().map(parsed).collect::<CommandResult<_>>()?, text, out })
}

/// The file of a study that a word names: itself, or that of a folder, unless a built-in game has the name.
fn study_at(word: &str) -> Option<PathBuf> {
    let path = Path::new(word);
    let is_file = path.extension().is_some_and(|extension| extension == "toml");
    let in_folder = Some(path.join(ASKED)).filter(|path| path.is_file() && builtin::find(word).is_none());
    if is_file { Some(path.to_owned()) } else { in_folder }
}

/// The game of this name.
fn listed_game(games: &[Options], name: &str) -> CommandResult<Options> {
    games.iter().find(|own| own[NAME][0] == name).cloned().ok_or_else(|| {
        let names: Vec<&str> = games.iter().map(|own| own[NAME][0].as_str()).collect();
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
    let name = &options[NAME][0];
    words.extend(["--".to_owned(), name.clone()]);
    let matches = command.try_get_matches_from(words);
    matches.and_then(|matches| BeliefArguments::from_arg_matches(&matches)).map_err(|error| {
        let text = error.to_string();
        let what = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        CommandFailure::usage(format!("{name}: {what}"), "`hyperplay help belief` explains every option")
    })
}

impl StudyFile {
    /// Reads a text of this origin.
    fn read(text: &str, origin: &str) -> CommandResult<StudyFile> {
        let wrong = |what: String| {
            CommandFailure::usage(format!("{origin}: {what}"), "docs/belief.md explains such files")
        };
        if text.is_empty() {
            return Ok(StudyFile::default());
        }
        let mut table: Table = text.parse().map_err(|error: toml::de::Error| wrong(error.to_string()))?;
        let schema = table.remove("schema");
        if schema.as_ref().and_then(Value::as_str) != Some(ASKED_SCHEMA) {
            return Err(wrong(format!("its schema is not '{ASKED_SCHEMA}'")));
        }
        let mut games = Vec::new();
        let listed = ["games", "game"].iter().filter_map(|key| table.remove(*key)?.as_array().cloned());
        for game in listed.collect::<Vec<_>>().into_iter().flatten() {
            let own = game.as_table().cloned();
            let own =
                options(own.unwrap_or_else(|| Table::from_iter([(NAME.to_owned(), game)]))).map_err(wrong)?;
            if own.get(NAME).is_none_or(Vec::is_empty) {
                return Err(wrong("a game has no name".to_owned()));
            }
            games.push(own);
        }
        Ok(StudyFile { options: options(table).map_err(wrong)?, games })
    }
}

/// The options of a table.
fn options(table: Table) -> Result<Options, String> {
    let command = command();
    let known: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
    let known: Vec<&str> = known.into_iter().filter(|option| !OF_RUN.contains(option)).collect();
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let option = |(key, value): (String, Value)| {
        let name = key.replace('_', "-");
        if name != NAME && !known.contains(&name.as_str()) {
            let meant = did_you_mean(&name, known.iter().copied());
            return Err(format!("there is no option '{key}' of a study{meant}"));
        }
        let values =
            value.as_array().map_or_else(|| vec![plain(&value)], |list| list.iter().map(plain).collect());
        Ok((name, values))
    };
    table.into_iter().map(option).collect()
}
