//! The files that specs name: before anything is played, each is compared with the game.
//!
//! A file of another game, an unknown role, move or fact, or evidence that no match gives is a usage error with its place.
//! Findings that are only suspicious are printed on standard error, and the command goes on.

use super::failure::{CommandFailure, CommandResult};
use super::output::log;
use hyperplay_logic::gdl::Game;
use hyperplay_machine::counted;
use hyperplay_play::player::{Spec, SpecFile, check_policy};

/// The joint moves that are made to find which evidence can be; a second at most for any game.
const MOST_STEPS: usize = 20_000;

/// Up to this many warnings of a file are shown.
const SHOWN: usize = 5;

/// Refuses the first file that does not fit a game with this hash of its rules.
///
/// # Errors
/// A usage error with the file and the place in it.
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
