//! The files that specs name: before anything is played, each is compared with the game.
//!
//! A file of another game, an unknown role, move or fact, evidence that no match gives, or a program that is not there is a
//! usage error with its place.
//! Findings that are only suspicious are printed on standard error, and the command goes on.

use serde_json::json;

use super::failure::{CommandFailure, CommandResult, refuse_if};
use super::game_argument::Opened;
use super::output::log;
use super::players::wrong_spec;
use hyperplay_logic::gdl::Game;
use hyperplay_machine::counted;
use hyperplay_play::files::FileContent;
use hyperplay_play::player::{ModelSpec, Registry, Spec, SpecFile, SpecKind, check_policy};

/// The joint moves that are made to find which evidence can be; a second at most for any game.
const MOST_STEPS: usize = 20_000;

/// Up to this many warnings of a file are shown.
const SHOWN: usize = 5;

/// Reads the spec of a model of opponents in a game with this hash of its rules.
///
/// # Errors
/// A usage error that says what there is, or which file does not fit.
pub fn model_of(text: &str, game: &Game, rules: &str, registry: &Registry) -> CommandResult<ModelSpec> {
    let model = registry.model(text).map_err(|error| wrong_spec(registry, SpecKind::Model, text, &error))?;
    refuse_misfits(game, rules, [model.spec()])?;
    Ok(model)
}

/// The content of a policy file of this game that a method with this beginning made.
pub fn policy_content(what: &'static str, opened: &Opened, method: &str) -> FileContent {
    let (game, rules) = (json!(opened.name), json!(opened.hash()));
    let begins = format!(
        "{{\"schema\": \"hyperplay.policy/1\", \"game\": {game}, \"rules\": {rules}, \"method\": \"{method}"
    );
    FileContent::beginning(what, begins)
}

/// Refuses the first file that does not fit a game with this hash of its rules, and a program that is not there.
///
/// # Errors
/// A usage error with the file and the place in it, or the program.
pub fn refuse_misfits<'a>(
    game: &Game,
    rules: &str,
    specs: impl IntoIterator<Item = &'a Spec>,
) -> CommandResult {
    let roles = game.role_names();
    let mut checked = Vec::new();
    for spec in specs {
        if let Some(misfit) = spec.misfit(&roles, rules) {
            return Err(CommandFailure::usage(misfit, Spec::MISFIT_REMEDY));
        }
        for command in spec.commands() {
            let program = command.split_whitespace().next().unwrap_or_default();
            let Some(path) = std::env::var_os("PATH") else { continue };
            let path = if program.contains('/') { Default::default() } else { path };
            let is_there = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
            let what = format!("the sampler '{command}': there is no program '{program}'");
            refuse_if(!is_there, what, "name a program of PATH, or a path, as in command=./sampler")?;
        }
        for (path, file) in spec.files() {
            if checked.contains(&file.hash()) {
                continue;
            }
            checked.push(file.hash());
            let file = match file {
                SpecFile::Policy(file) => file,
                SpecFile::Linear(file) => match file.impossible(game) {
                    Some(error) => return Err(CommandFailure::usage(error, Spec::MISFIT_REMEDY)),
                    None => continue,
                },
            };
            let found = check_policy(file, game, MOST_STEPS);
            for warning in found.warnings.iter().take(SHOWN) {
                log(format_args!("warning: {warning}"));
            }
            if let Some(more) = found.warnings.len().checked_sub(SHOWN).filter(|&more| more > 0) {
                log(format_args!("{}: {} more", path.display(), counted(more as u64, "warning")));
            }
            if let Some(error) = found.error {
                let remedy = "correct the entry, or make the file anew: `hyperplay solve GAME --out FILE`";
                return Err(CommandFailure::usage(error, remedy));
            }
        }
    }
    Ok(())
}
