//! `hyperplay games`: lists the built-in games, or prints one.

use clap::Args;
use serde_json::{Value, json};

use super::failure::{CommandFailure, CommandResult};
use super::output::Output;
use hyperplay_games::builtin;

/// Arguments of `games`.
#[derive(Args, Debug)]
pub struct GamesArguments {
    /// Print the rules of this game instead of the list
    game: Option<String>,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long, conflicts_with = "game")]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &GamesArguments, out: &Output) -> CommandResult {
    if let Some(game) = &arguments.game {
        let what = format!("'{game}' is not a built-in game");
        let unknown = || CommandFailure::usage(what, builtin::remedy(game));
        return out.text(builtin::find(game).ok_or_else(unknown)?.text);
    }
    let games = builtin::all();
    let interactions = builtin::interactions();
    if arguments.json {
        let games: Vec<Value> = games
            .iter()
            .chain(&interactions)
            .map(|game| {
                json!({ "name": game.name, "path": game.path, "perfect": game.perfect, "about": game.about() })
            })
            .collect();
        return out.json(&json!({ "games": games }));
    }
    let width = games.iter().chain(&interactions).map(|game| game.name.len()).max().unwrap_or(0);
    for (perfect, title) in [(true, "perfect information"), (false, "imperfect information")] {
        out.line(title)?;
        for game in games.iter().filter(|game| game.perfect == perfect) {
            out.line(format_args!("  {:width$}  {}", game.name, game.about()))?;
        }
    }
    out.line("interactions in time (docs/sidl.md)")?;
    for game in &interactions {
        out.line(format_args!("  {:width$}  {}", game.name, game.about()))?;
    }
    Ok(())
}
