//! `hyperplay players`: lists the players with the keys of their specs.

use clap::Args;
use serde_json::{Value, json};

use super::failure::CommandFailure;
use super::output::Output;
use hyperplay_play::player::registry;

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
pub fn run(arguments: &PlayersArguments, out: &Output) -> Result<(), CommandFailure> {
    if arguments.json {
        return out.json(&json!({ "players": as_json() }));
    }
    for player in registry::players() {
        out.line(format_args!("{}: {}", player.name, player.about))?;
        for key in player.keys {
            out.line(format_args!("  {}={} ({}): {}", key.name, key.default, key.kind, key.about))?;
        }
    }
    Ok(())
}

fn as_json() -> Vec<Value> {
    let players = registry::players().iter();
    players
        .map(|player| {
            let keys = player.keys.iter().map(|key| {
                let kind = key.kind.to_string();
                json!({ "name": key.name, "default": key.default, "values": kind, "about": key.about })
            });
            json!({ "name": player.name, "about": player.about, "keys": keys.collect::<Vec<Value>>() })
        })
        .collect()
}
