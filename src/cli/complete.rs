//! Words that a shell can complete: built-in games and files, roles of the chosen game, players and the keys of their
//! specs.
//!
//! The scripts of `hyperplay completions` call the program itself with the words typed so far,
//! `hyperplay complete-words -- WORD ...`, of which the last is the one at the cursor. It prints whole words, one a
//! line, and nothing where it knows none; the script then falls back to the commands and options that it contains. It
//! never fails: a game that cannot be read has no roles to complete.

use std::path::Path;

use clap::{Arg, Command};

use super::game_argument::source;
use super::output::Output;
use hyperplay_games::builtin;
use hyperplay_logic::gdl::fold;
use hyperplay_play::player::{KeyType, Registry, SpecEntry, SpecKey, SpecKind};

/// The first argument by which a script asks for words.
pub const REQUEST: &str = "complete-words";

/// Prints the words that may stand at the cursor.
pub fn run(words: &[String], command: &Command, registry: &Registry) {
    let out = Output::new();
    for word in candidates(words, command, registry) {
        // A shell that has closed the pipe wants no more.
        if out.line(word).is_err() {
            return;
        }
    }
}

/// The use of the word before the cursor.
enum Place {
    /// The value of the option of this long name.
    Option(String),
    /// A positional argument, with those before it.
    Positional(Vec<String>),
}

fn candidates(words: &[String], root: &Command, registry: &Registry) -> Vec<String> {
    let Some((current, before)) = words.split_last() else { return Vec::new() };
    let Some((name, rest)) = before.split_first() else { return Vec::new() };
    if name == "man" {
        return pages_below(root, rest, current);
    }
    let Some(mut command) = root.find_subcommand(name) else { return Vec::new() };
    let mut rest = rest;
    let mut path = vec![name.as_str()];
    while let Some((next, others)) = rest.split_first() {
        let Some(inner) = command.find_subcommand(next) else { break };
        (command, rest) = (inner, others);
        path.push(next);
    }
    if current.starts_with('-') && current != "-" {
        return match current.split_once('=') {
            Some((option, value)) => {
                let found = of_option(option.trim_start_matches('-'), value, rest, registry);
                found.into_iter().map(|found| format!("{option}={found}")).collect()
            }
            None => Vec::new(),
        };
    }
    match place(command, rest) {
        Place::Option(option) => of_option(&option, current, rest, registry),
        Place::Positional(before) => of_positional(&path, &before, current, registry),
    }
}

/// Where the cursor is, behind these words of a command.
fn place(command: &Command, words: &[String]) -> Place {
    let mut positional = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if !word.starts_with('-') || word == "-" {
            positional.push(word.clone());
            continue;
        }
        let takes_next = |option: &&Arg| {
            let named = match word.strip_prefix("--") {
                Some(long) => option.get_long() == Some(long),
                None => {
                    option.get_short().is_some_and(|short| word[1..].starts_with(short) && word.len() == 2)
                }
            };
            named && option.get_action().takes_values() && !option.is_require_equals_set()
        };
        if let Some(option) = command.get_arguments().find(takes_next)
            && words.next().is_none()
        {
            return Place::Option(option.get_long().unwrap_or_default().to_owned());
        }
    }
    Place::Positional(positional)
}

fn of_option(option: &str, current: &str, words: &[String], registry: &Registry) -> Vec<String> {
    match option {
        "sampler" => specs(registry, SpecKind::Sampler, current),
        "equilibrium" => specs(registry, SpecKind::Model, current),
        "play" => [SpecKind::Model, SpecKind::Player].map(|kind| specs(registry, kind, current)).concat(),
        "game" => games(current),
        "role" => {
            let game = words.iter().find(|word| !word.starts_with('-'));
            game.map_or_else(Vec::new, |game| starting(roles(game), current))
        }
        _ => Vec::new(),
    }
}

fn of_positional(path: &[&str], before: &[String], current: &str, registry: &Registry) -> Vec<String> {
    let names = |kind| starting(registry.entries(kind).map(|entry| entry.name.clone().into_owned()), current);
    match path {
        ["match" | "exploit", ..] => match before {
            [] => games(current),
            [game, given @ ..] => seats(game, given, current, registry),
        },
        ["check" | "crosscheck" | "belief"] => games(current),
        ["solve" | "inspect" | "bench" | "convert" | "perft"] if before.is_empty() => games(current),
        ["games"] if before.is_empty() => starting(builtin::everything().map(|game| game.name), current),
        ["players"] => match before {
            [] => {
                let kinds = SpecKind::ALL.map(|kind| kind.plural().to_owned());
                [names(SpecKind::Player), starting(kinds, current)].concat()
            }
            [kind] => {
                SpecKind::ALL.into_iter().find(|known| known.plural() == kind).map_or_else(Vec::new, names)
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The commands of which there is a page of the manual, below the commands named so far.
fn pages_below(root: &Command, named: &[String], current: &str) -> Vec<String> {
    let command = named.iter().try_fold(root, |command, name| command.find_subcommand(name));
    let Some(command) = command else { return Vec::new() };
    let names = command.get_subcommands().map(|inner| inner.get_name().to_owned());
    starting(names.filter(|name| name != "help"), current)
}

/// The built-in games and the files that may be meant.
fn games(current: &str) -> Vec<String> {
    let builtin = starting(builtin::everything().map(|game| game.name), current);
    [builtin, files(current, &["kif", "gdl", "efg"])].concat()
}

/// The folders, with a slash behind them, and the files with one of these endings that begin as the text does.
fn files(current: &str, endings: &[&str]) -> Vec<String> {
    let (folder, start) = current.split_at(current.rfind('/').map_or(0, |at| at + 1));
    let here = if folder.is_empty() { "." } else { folder };
    let Ok(entries) = std::fs::read_dir(here) else { return Vec::new() };
    let mut found: Vec<String> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let is_hidden = name.starts_with('.') && !start.starts_with('.');
            if is_hidden || !name.starts_with(start) || name.contains(char::is_whitespace) {
                return None;
            }
            if entry.path().is_dir() {
                return Some(format!("{folder}{name}/"));
            }
            endings.contains(&Path::new(&name).extension()?.to_str()?).then(|| format!("{folder}{name}"))
        })
        .collect();
    found.sort_unstable();
    found
}

/// The names of the roles that somebody can play.
fn roles(game: &str) -> Vec<String> {
    if game == "-" {
        return Vec::new();
    }
    let game = source(game).ok().and_then(|source| hyperplay_games::load(source, None).game);
    game.map(|game| game.played_names()).unwrap_or_default()
}

/// `role=` for the roles that have no player yet; behind it the specs of players.
fn seats(game: &str, given: &[String], current: &str, registry: &Registry) -> Vec<String> {
    if let Some((role, spec)) = current.split_once('=') {
        let found = specs(registry, SpecKind::Player, spec);
        return found.into_iter().map(|spec| format!("{role}={spec}")).collect();
    }
    let is_given = |role: &String| {
        given.iter().any(|seat| seat.split('=').next().is_some_and(|name| fold(name) == fold(role)))
    };
    starting(roles(game).into_iter().filter(|role| !is_given(role)).map(|role| format!("{role}=")), current)
}

/// The specs of a kind that begin as the text does: names, then the keys behind the colon, then their values.
fn specs(registry: &Registry, kind: SpecKind, text: &str) -> Vec<String> {
    let Some((name, rest)) = text.split_once(':') else {
        let mut found = starting(registry.entries(kind).map(|entry| entry.name.clone().into_owned()), text);
        // A name that is complete may be followed by keys.
        if let [only] = &found[..]
            && registry.entries(kind).any(|entry| entry.name == *only && !entry.keys.is_empty())
        {
            found.push(format!("{}:", found[0]));
        }
        return found;
    };
    let Some(entry) = registry.entries(kind).find(|entry| entry.name == name) else { return Vec::new() };
    if entry.keys.iter().any(SpecKey::stands_alone) {
        return files(rest, &["json"]).into_iter().map(|file| format!("{name}:{file}")).collect();
    }
    let (done, last) = last_part(rest);
    let found = match last.split_once('=') {
        Some((key, value)) => {
            values(registry, entry, key, value).into_iter().map(|value| format!("{key}={value}")).collect()
        }
        None => {
            let is_given = |key: &str| done.split(',').any(|part| part.split('=').next() == Some(key));
            let keys = entry.keys.iter().filter(|key| !is_given(&key.name));
            starting(keys.map(|key| format!("{}=", key.name)), last)
        }
    };
    found.into_iter().map(|found| format!("{name}:{done}{found}")).collect()
}

/// The part behind the last comma that stands outside brackets, and what is before it.
fn last_part(text: &str) -> (&str, &str) {
    let (mut open, mut start) = (0_usize, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => open += 1,
            b']' => open = open.saturating_sub(1),
            b',' if open == 0 => start = at + 1,
            _ => {}
        }
    }
    text.split_at(start)
}

fn values(registry: &Registry, entry: &SpecEntry, key: &str, value: &str) -> Vec<String> {
    let Some(key) = entry.key(key) else { return Vec::new() };
    match &key.kind {
        KeyType::Word(words) => starting(words.iter().map(|word| word.clone().into_owned()), value),
        KeyType::Spec(kind) => match value.strip_prefix('[') {
            Some(inner) => specs(registry, *kind, inner).into_iter().map(|spec| format!("[{spec}")).collect(),
            None => specs(registry, *kind, value),
        },
        KeyType::Count(..) | KeyType::Real(..) | KeyType::Playouts { .. } | KeyType::Text(_) => {
            starting([key.default.clone().into_owned()], value)
        }
        KeyType::File(_) => files(value, &["json"]),
    }
}

fn starting(words: impl IntoIterator<Item = String>, start: &str) -> Vec<String> {
    words.into_iter().filter(|word| word.starts_with(start)).collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn completed(line: &str) -> Vec<String> {
        let mut command = super::super::Arguments::command();
        command.build();
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        candidates(&words, &command, &Registry::standard())
    }

    #[test]
    fn games_roles_players_and_keys_are_completed() {
        for (line, expected) in [
            ("match kuhn_poker_1", &["kuhn_poker_13"][..]),
            ("match --seed 1 kuhn_poker_1", &["kuhn_poker_13"]),
            ("match kuhn_poker ", &["alice=", "bob="]),
            ("match kuhn_poker alice=random ", &["bob="]),
            ("exploit monty_hall ", &["candidate="]),
            ("match kuhn_poker alice=hyp", &["alice=hyperplay", "alice=hyperplay2"]),
            ("match kuhn_poker alice=ism", &["alice=ismcts", "alice=ismcts:"]),
            ("match kuhn_poker alice=oo", &["alice=oos", "alice=oos:"]),
            ("match kuhn_poker alice=rand", &["alice=random"]),
            ("match kuhn_poker alice=hyperplay:part", &["alice=hyperplay:particles="]),
            (
                "match kuhn_poker alice=hyperplay:particles=3,search=u",
                &["alice=hyperplay:particles=3,search=uniform", "alice=hyperplay:particles=3,search=uct"],
            ),
            ("match kuhn_poker bob=hyperplay:model=[softmax:lev", &["bob=hyperplay:model=[softmax:level="]),
            (
                "match kuhn_poker bob=hyperplay:sampler=hyperplay:merge=o",
                &["bob=hyperplay:sampler=hyperplay:merge=on", "bob=hyperplay:sampler=hyperplay:merge=off"],
            ),
            ("belief kuhn_poker --sampler boot", &["bootstrap", "bootstrap:"]),
            ("belief kuhn_poker --role a", &["alice"]),
            ("belief kuhn_poker --equilibrium=unif", &["--equilibrium=uniform"]),
            ("players is", &["ismcts"]),
            ("players samplers boo", &["bootstrap"]),
            ("players sea", &["searches"]),
            ("games kuhn_poker_1", &["kuhn_poker_13"]),
            ("man experiment r", &["run", "report"]),
            ("man beli", &["belief"]),
            ("match no_such_game ", &[]),
            ("frobnicate ", &[]),
            ("mat", &[]),
        ] {
            assert_eq!(completed(line), expected, "{line}");
        }
        assert!(completed("match kuhn_poker alice=").len() >= 9);
    }
}
