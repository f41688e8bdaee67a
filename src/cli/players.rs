//! `hyperplay players [KIND] [NAME]`: lists what a spec can name, players or samplers, searches or models, with its
//! keys.
//!
//! The listing is printed from the entries against which specs are read, so both always know the
//! same keys. [`explained_by`] is the remedy of every error in a spec: the command that answers it.

use std::fmt::Write as _;

use clap::Args;
use serde_json::{Value, json};

use super::failure::{CommandFailure, CommandResult};
use super::session::Session;
use hyperplay_logic::gdl::did_you_mean;
use hyperplay_play::player::{KeyType, REMOTE, Registry, SpecEntry, SpecError, SpecKey, SpecKind};

/// Arguments of `players`.
#[derive(Args, Debug)]
pub struct ListingArguments {
    /// List `samplers`, `searches` or `models` instead of players; a name, of a player or behind such a word, shows one
    /// entry with an example
    #[arg(value_name = "KIND|NAME", num_args = 0..=2)]
    words: Vec<String>,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

impl ListingArguments {
    /// The kind that is listed, and the name of the one entry that is shown.
    fn chosen(&self) -> CommandResult<(SpecKind, Option<&str>)> {
        let kind_of = |word: &str| SpecKind::ALL.into_iter().find(|kind| kind.plural() == word.trim());
        match &self.words[..] {
            [] => Ok((SpecKind::Player, None)),
            [word] => Ok(kind_of(word).map_or((SpecKind::Player, Some(word)), |kind| (kind, None))),
            [word, name, ..] => match kind_of(word) {
                Some(kind) => Ok((kind, Some(name))),
                None => Err(CommandFailure::usage(
                    format!("'{word}' is no kind of spec"),
                    format!("the kinds are {}", SpecKind::ALL.map(SpecKind::plural).join(", ")),
                )),
            },
        }
    }
}

/// The command that lists a kind.
fn command(kind: SpecKind) -> String {
    match kind {
        SpecKind::Player => "hyperplay players".to_owned(),
        kind => format!("hyperplay players {}", kind.plural()),
    }
}

/// Runs the command.
///
/// # Errors
/// A usage error if nothing has the name; see [`CommandFailure`].
pub fn run(arguments: &ListingArguments, session: &Session) -> CommandResult {
    let Session { registry, out, .. } = session;
    let (kind, name) = arguments.chosen()?;
    match name {
        None if arguments.json && kind == SpecKind::Player => out.json(&all_as_json(registry)),
        None if arguments.json => out.json(&json!({ kind.plural(): kind_as_json(registry, kind) })),
        None => out.text(&listing(registry, kind)),
        Some(name) => {
            let entry = named(registry, kind, name)?;
            if arguments.json {
                return out.json(&as_json(registry, kind, entry));
            }
            out.text(&described(registry, entry))?;
            out.line(format_args!("\nExample:\n  {}", example(kind, entry).replace('\n', "\n  ")))
        }
    }
}

fn named<'a>(registry: &'a Registry, kind: SpecKind, name: &str) -> CommandResult<&'a SpecEntry> {
    let names = || registry.entries(kind).map(|entry| &*entry.name);
    if let Some(entry) = registry.entries(kind).find(|entry| entry.name.eq_ignore_ascii_case(name.trim())) {
        return Ok(entry);
    }
    let is_a = |other: &SpecKind| registry.entries(*other).any(|entry| entry.name == name.trim());
    let remedy = match SpecKind::ALL.iter().find(|other| is_a(other)) {
        Some(other) => format!("it is a {other}: `{} {name}`", command(*other)),
        None => format!("the {} are {}", kind.plural(), names().collect::<Vec<_>>().join(", ")),
    };
    let meant = did_you_mean(name, names());
    Err(CommandFailure::usage(format!("there is no {kind} '{name}'{meant}"), remedy))
}

/// The usage error of a text that is no spec of a kind.
pub fn wrong_spec(registry: &Registry, kind: SpecKind, text: &str, error: &SpecError) -> CommandFailure {
    CommandFailure::usage(error.to_string(), explained_by(registry, kind, text, error))
}

/// The remedy for an error in a spec: the command that explains the entry it is about, or how to get a file.
pub fn explained_by(registry: &Registry, kind: SpecKind, text: &str, error: &SpecError) -> String {
    if error.is_of_file() {
        return "`hyperplay solve GAME --out FILE` writes a policy file; docs/cli.md says what it and a file of leaf values look like".to_owned();
    }
    let ends_with_port = text.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if matches!(error, SpecError::UnknownName { .. }) && (text.contains("://") || ends_with_port) {
        return "the address of a program: for `hyperplay host` as in alice=http://127.0.0.1:9147, else alice=remote:url=http://127.0.0.1:9147"
            .to_owned();
    }
    match error.about(registry, kind, text) {
        (kind, Some(name)) => format!("`{} {name}` explains it and its keys", command(kind)),
        (kind, None) => format!("`{}` explains them", command(kind)),
    }
}

/// Where a spec names an entry of a kind.
fn place(kind: SpecKind) -> &'static str {
    match kind {
        SpecKind::Player => "match GAME role=NAME:key=value,...",
        SpecKind::Sampler => "belief GAME --sampler NAME:key=value,... and the key sampler of a player",
        SpecKind::Search => "the key search of a player",
        SpecKind::Model => "the key model of a player or sampler",
    }
}

/// The list for reading.
fn listing(registry: &Registry, kind: SpecKind) -> String {
    let mut heading = match kind {
        SpecKind::Model => "Opponent models".to_owned(),
        kind => kind.plural().to_owned(),
    };
    heading[..1].make_ascii_uppercase();
    let mut text = format!("{heading} ({}):\n", place(kind));
    text.extend(registry.entries(kind).map(|entry| described(registry, entry)));
    let others = SpecKind::ALL.into_iter().filter(|&other| other != kind);
    let others: Vec<String> = others.map(|other| format!("`{}`", command(other))).collect();
    let this = command(kind);
    let _ =
        write!(text, "\n`{this} NAME` shows one of them with an example. See also {}.\n", others.join(", "));
    text
}

/// An entry with its keys.
fn described(registry: &Registry, entry: &SpecEntry) -> String {
    let mut text = format!("{}: {}\n", entry.name, entry.about);
    for key in &entry.keys {
        let form = match key.stands_alone() {
            true => format!("{}:PATH", entry.name),
            false => format!("{}={}", key.name, key.default),
        };
        let _ = writeln!(text, "  {form} ({}): {}", registry.expected(key), key.about);
    }
    text
}

/// Commands that use an entry and run as they stand.
fn example(kind: SpecKind, entry: &SpecEntry) -> String {
    if entry.keys.iter().any(SpecKey::stands_alone) {
        let spec = format!("{}:kuhn.json", entry.name);
        let seat = if kind == SpecKind::Player { spec } else { format!("hyperplay:model={spec}") };
        return format!(
            "hyperplay solve kuhn_poker --unit 25 --out kuhn.json\nhyperplay match kuhn_poker alice={seat} --matches 20 --seed 1"
        );
    }
    // A key that is given its default says how keys are written, and changes nothing.
    let simple = |key: &&SpecKey| !matches!(key.kind, KeyType::Spec(_) | KeyType::File(_));
    let key = entry.keys.iter().find(simple);
    let spec = match key {
        Some(key) => format!("{}:{}={}", entry.name, key.name, key.default),
        None => entry.name.clone().into_owned(),
    };
    let seat = match kind {
        SpecKind::Sampler => {
            return format!("hyperplay belief kuhn_poker --sampler {spec} --replicates 20 --seed 1");
        }
        SpecKind::Player if entry.name == REMOTE => format!("{spec} --playclock 5"),
        SpecKind::Player => spec,
        SpecKind::Search => format!("hyperplay:search={spec}"),
        SpecKind::Model => format!("hyperplay:model={spec}"),
    };
    format!("hyperplay match kuhn_poker alice={seat} --matches 5 --seed 1")
}

fn as_json(registry: &Registry, kind: SpecKind, entry: &SpecEntry) -> Value {
    let keys = entry.keys.iter().map(|key| {
        let values = registry.expected(key);
        json!({ "name": key.name, "default": key.default, "values": values, "about": key.about })
    });
    json!({
        "name": entry.name,
        "about": entry.about,
        "keys": keys.collect::<Value>(),
        "example": example(kind, entry).lines().collect::<Vec<_>>(),
    })
}

fn kind_as_json(registry: &Registry, kind: SpecKind) -> Value {
    registry.entries(kind).map(|entry| as_json(registry, kind, entry)).collect()
}

/// All four lists, as `hyperplay players --json` has always had them.
fn all_as_json(registry: &Registry) -> Value {
    SpecKind::ALL.into_iter().map(|kind| (kind.plural(), kind_as_json(registry, kind))).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use hyperplay_engine::Engine;
    use hyperplay_play::player::{LegalPlayer, Seat, SpecEntry, SpecKey};
    use hyperplay_think::belief::{BootstrapSampler, OpponentModel, Uniform};
    use hyperplay_think::search::{Algorithm, SearchOptions};

    /// The standard registry with one more entry of each kind.
    fn extended() -> Registry {
        let entry = |name: &'static str, key: &'static str| {
            let key = SpecKey::real(key, -1.0..=1.0, -0.5, "how much of it");
            SpecEntry::new(name, format!("the {name} of a test")).with(key)
        };
        Registry::standard()
            .with_player(entry("my_player", "zeal"), |_, _| Ok(|_: &_, _| Seat::player(LegalPlayer)))
            .and_then(|all| all.with_sampler(entry("my_sampler", "care"), |_, _| Ok(BootstrapSampler)))
            .and_then(|all| {
                all.with_search(entry("my_search", "depth"), |_, _| {
                    Ok(SearchOptions {
                        algorithm: Algorithm::Flat,
                        playouts: 1.into(),
                        ..SearchOptions::default()
                    })
                })
            })
            .and_then(|all| {
                all.with_model(entry("my_model", "greed"), |_, _| {
                    Ok(|_: &Arc<Engine>| -> Arc<dyn OpponentModel> { Arc::new(Uniform) })
                })
            })
            .unwrap()
    }

    #[test]
    fn everything_that_is_registered_is_listed_with_its_keys() {
        let registry = extended();
        let text: String = SpecKind::ALL.into_iter().map(|kind| listing(&registry, kind)).collect();
        let document = all_as_json(&registry);
        for kind in SpecKind::ALL {
            let listed = document[kind.plural()].as_array().unwrap();
            assert_eq!(listed.len(), registry.entries(kind).count(), "{kind}");
            for (entry, listed) in registry.entries(kind).zip(listed) {
                assert!(text.contains(&format!("\n{}: {}\n", entry.name, entry.about)), "{}", entry.name);
                assert_eq!((&listed["name"], &listed["about"]), (&json!(entry.name), &json!(entry.about)));
                let keys: Vec<&Value> =
                    listed["keys"].as_array().unwrap().iter().map(|key| &key["name"]).collect();
                assert_eq!(
                    keys,
                    entry
                        .keys
                        .iter()
                        .map(|key| json!(key.name))
                        .collect::<Vec<_>>()
                        .iter()
                        .collect::<Vec<_>>()
                );
                for key in &entry.keys {
                    assert!(
                        text.contains(&format!("({}): {}\n", registry.expected(key), key.about)),
                        "{}",
                        key.name
                    );
                }
            }
        }
        for name in ["zeal", "care", "depth", "greed"] {
            assert!(
                text.contains(&format!("\n  {name}=-0.5 (a decimal number from -1 to 1): how much of it\n"))
            );
        }
        assert!(text.contains("  file:PATH (the path of a policy file): "));
        // The names that were added are among the words of the keys that name them.
        for (key, name) in [("search", "my_search"), ("sampler", "my_sampler"), ("model", "my_model")] {
            let known = format!(" or {name}:key=value,...): ");
            assert!(
                text.lines().any(|line| line.starts_with(&format!("  {key}=")) && line.contains(&known)),
                "{key}"
            );
            let error = registry.player(&format!("hyperplay:{key}=none")).unwrap_err().to_string();
            assert!(error.ends_with(&format!(", {name}")), "{error}");
        }
    }

    #[test]
    fn every_entry_and_every_key_is_a_whole_sentence() {
        let registry = Registry::standard();
        for kind in SpecKind::ALL {
            for entry in registry.entries(kind) {
                let texts = std::iter::once(&entry.about).chain(entry.keys.iter().map(|key| &key.about));
                for about in texts {
                    assert!(about.starts_with(char::is_uppercase) && about.ends_with('.'), "{about}");
                    assert!(about.split_whitespace().count() >= 5, "{about}");
                }
            }
        }
    }

    #[test]
    fn an_error_in_a_spec_names_the_command_that_answers_it() {
        let registry = Registry::standard();
        for (text, expected) in [
            ("hyperply", "`hyperplay players` explains them"),
            ("hyperplay:partikles=3", "`hyperplay players hyperplay` explains it and its keys"),
            ("hyperplay:search=utc", "`hyperplay players searches` explains them"),
            (
                "hyperplay:model=[softmax:heat=1]",
                "`hyperplay players models softmax` explains it and its keys",
            ),
            (
                "hyperplay:sampler=bootstrap:size=1",
                "`hyperplay players samplers bootstrap` explains it and its keys",
            ),
            ("policy:no_such_file.json", "`hyperplay solve GAME --out FILE` writes a policy file"),
            ("hyperplay:model=file", "`hyperplay solve GAME --out FILE` writes a policy file"),
        ] {
            let error = registry.player(text).unwrap_err();
            let remedy = explained_by(&registry, SpecKind::Player, text, &error);
            assert!(remedy.starts_with(expected), "{text}: {remedy}");
        }
    }
}
