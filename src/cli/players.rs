//! `hyperplay players`: lists all that a spec can name (players, samplers, searches and opponent models) with its keys.

use std::fmt::{self, Write as _};

use clap::Args;
use serde_json::{Value, json};

use super::failure::CommandFailure;
use super::output::Output;
use hyperplay_play::player::{KeyType, Registry, SpecKind};

/// Arguments of `players`.
#[derive(Args, Debug)]
pub struct PlayersArguments {
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &PlayersArguments, registry: &Registry, out: &Output) -> Result<(), CommandFailure> {
    if arguments.json { out.json(&as_json(registry)) } else { out.text(&Listing(registry).to_string()) }
}

/// What the entries of a kind are called, as a heading and in JSON, and where a spec names one.
fn titles(kind: SpecKind) -> [&'static str; 3] {
    match kind {
        SpecKind::Player => ["Players", "players", "match GAME role=NAME:key=value,..."],
        SpecKind::Sampler => {
            ["Samplers", "samplers", "belief GAME --sampler NAME:key=value,... and the key sampler"]
        }
        SpecKind::Search => ["Searches", "searches", "the key search of a player"],
        SpecKind::Model => ["Opponent models", "models", "the key model of a player or sampler"],
    }
}

/// The list for reading.
struct Listing<'a>(&'a Registry);

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Listing(registry) = self;
        for (index, kind) in SpecKind::ALL.into_iter().enumerate() {
            if index > 0 {
                f.write_char('\n')?;
            }
            let [heading, _, place] = titles(kind);
            writeln!(f, "{heading} ({place}):")?;
            for entry in registry.entries(kind) {
                writeln!(f, "{}: {}", entry.name, entry.about)?;
                for key in &entry.keys {
                    let values = registry.expected(key);
                    let form = match key.kind {
                        KeyType::PolicyFile => format!("{}:PATH", entry.name),
                        _ => format!("{}={}", key.name, key.default),
                    };
                    writeln!(f, "  {form} ({values}): {}", key.about)?;
                }
            }
        }
        Ok(())
    }
}

fn as_json(registry: &Registry) -> Value {
    let of_kind = |kind: SpecKind| -> Value {
        let entries = registry.entries(kind).map(|entry| {
            let keys = entry.keys.iter().map(|key| {
                let values = registry.expected(key);
                json!({ "name": key.name, "default": key.default, "values": values, "about": key.about })
            });
            json!({ "name": entry.name, "about": entry.about, "keys": keys.collect::<Value>() })
        });
        entries.collect()
    };
    let kinds = SpecKind::ALL.into_iter().map(|kind| (titles(kind)[1].to_owned(), of_kind(kind)));
    Value::Object(kinds.collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use hyperplay_engine::Engine;
    use hyperplay_play::belief::{BootstrapSampler, OpponentModel, Uniform};
    use hyperplay_play::player::{LegalPlayer, Seat, SpecEntry, SpecKey};
    use hyperplay_play::search::{Algorithm, SearchOptions};

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
                    Ok(SearchOptions { algorithm: Algorithm::Flat, playouts: 1, ..SearchOptions::default() })
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
        let (text, document) = (Listing(&registry).to_string(), as_json(&registry));
        for kind in SpecKind::ALL {
            let listed = document[titles(kind)[1]].as_array().unwrap();
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
}
