//! `hyperplay players`: lists the players with the keys of their specs.

use clap::Args;
use serde_json::{Value, json};

use super::failure::CommandFailure;
use super::output::Output;
use hyperplay_play::player::{Registry, SpecKind};

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
    if arguments.json {
        return out.json(&json!({ "players": as_json(registry) }));
    }
    for player in registry.entries(SpecKind::Player) {
        out.line(format_args!("{}: {}", player.name, player.about))?;
        for key in &player.keys {
            let values = registry.expected(key);
            out.line(format_args!("  {}={} ({values}): {}", key.name, key.default, key.about))?;
        }
    }
    Ok(())
}

fn as_json(registry: &Registry) -> Vec<Value> {
    let players = registry.entries(SpecKind::Player);
    players
        .map(|player| {
            let keys = player.keys.iter().map(|key| {
                let values = registry.expected(key);
                json!({ "name": key.name, "default": key.default, "values": values, "about": key.about })
            });
            json!({ "name": player.name, "about": player.about, "keys": keys.collect::<Vec<Value>>() })
        })
        .collect()
}
