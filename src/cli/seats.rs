//! Seats: which player has which role, as written `role=spec` on the command line.

use std::sync::Arc;

use super::failure::{CommandFailure, CommandResult, refuse_if};
use super::human::names_human;
use super::options::engine;
use super::output::log;
use super::players::wrong_spec;
use super::policies::refuse_misfits;
use hyperplay_engine::{Engine, Engines};
use hyperplay_logic::gdl::{Game, did_you_mean, fold};
use hyperplay_machine::{ByRole, Role};
use hyperplay_play::player::{PlayerSpec, Registry, Seat, SpecFile, SpecKind};

/// The names of the roles that somebody plays, and a sentence that lists them.
fn played(game: &Game) -> (Vec<String>, String) {
    let played = game.played_names();
    let choices = format!("the roles are {}", played.join(", "));
    (played, choices)
}

/// The role of a name; `of_random` refuses the role `random`.
///
/// # Errors
/// A usage error that lists the roles.
pub fn role_named(game: &Game, name: &str, of_random: &str) -> CommandResult<Role> {
    let (played, choices) = played(game);
    match game.role_named(name.trim()) {
        Some(role) if game.random() == Some(role) => Err(CommandFailure::usage(of_random, choices)),
        Some(role) => Ok(Role::new(role)),
        None => {
            let meant = did_you_mean(name, played.iter().map(String::as_str));
            Err(CommandFailure::usage(format!("the game has no role '{name}'{meant}"), choices))
        }
    }
}

/// The spec of every role but `random`.
#[derive(Clone, Debug)]
pub struct SeatArguments(pub ByRole<Option<PlayerSpec>>);

impl SeatArguments {
    /// Reads `role=spec` arguments for a game and the hash of its rules; roles not named get the player `random`.
    ///
    /// # Errors
    /// A usage error that lists the choices: unknown or repeated role, the role `random`, unknown player or key, a
    /// policy file of another game.
    pub fn parse(game: &Game, rules: &str, arguments: &[String], registry: &Registry) -> CommandResult<Self> {
        let random = game.random().map(Role::new);
        let mut seats: ByRole<Option<PlayerSpec>> = ByRole::from_fn(game.roles().len(), |_| None);
        for argument in arguments {
            let Some((name, spec)) = argument.split_once('=') else {
                let (played, choices) = played(game);
                return Err(CommandFailure::usage(
                    format!("'{argument}' is not of the form role=player"),
                    format!(
                        "for example {}=hyperplay; {choices}",
                        played.first().map_or("role", |role| role)
                    ),
                ));
            };
            let role = role_named(game, name, "the role random chooses by itself")?;
            refuse_if(seats[role].is_some(), format!("the role '{name}' is given twice"), played(game).1)?;
            let spec = spec_of(spec, registry)?;
            refuse_misfits(game, rules, [spec.spec()])?;
            let name = &game.role_names()[role.index()];
            let own = spec.spec().files().into_iter().filter(|_| spec.spec().name() == "policy");
            for (path, file) in own {
                let is_left_out =
                    matches!(file, SpecFile::Policy(file) if !file.roles().contains(&&*fold(name)));
                if is_left_out {
                    let path = path.display();
                    log(format_args!("warning: {path}: no entry for {name}, who plays uniformly at random"));
                }
            }
            seats[role] = Some(spec);
        }
        for role in (0..seats.len()).map(Role::new) {
            if seats[role].is_none() && random != Some(role) {
                seats[role] = Some(spec_of("random", registry)?);
            }
        }
        Ok(Self(seats))
    }

    /// The engine of every seat: `default` where its spec names none.
    ///
    /// # Errors
    /// If one cannot be made for the game of this name.
    pub fn engines(
        &self,
        engines: &Engines,
        default: &Arc<Engine>,
        name: &str,
    ) -> CommandResult<ByRole<Arc<Engine>>> {
        let of_seat = |spec: &Option<PlayerSpec>| match spec.as_ref().and_then(PlayerSpec::engine) {
            Some(kind) => engine(engines, kind, name),
            None => Ok(Arc::clone(default)),
        };
        Ok(ByRole::new(self.0.values().iter().map(of_seat).collect::<CommandResult<_>>()?))
    }

    /// A fresh player for every seat, on its engine.
    pub fn build(&self, engines: &ByRole<Arc<Engine>>) -> ByRole<Option<Seat>> {
        ByRole::from_fn(self.0.len(), |role| {
            self.0[role].as_ref().map(|spec| spec.seat(&engines[role], role))
        })
    }

    /// The roles that persons play.
    pub fn persons(&self) -> Vec<Role> {
        let is_person =
            |spec: &Option<PlayerSpec>| spec.as_ref().is_some_and(|spec| names_human(spec.spec()));
        self.0.iter().filter(|(_, spec)| is_person(spec)).map(|(role, _)| role).collect()
    }

    /// Whether some seat is that of another program.
    pub fn has_remote(&self) -> bool {
        self.0.values().iter().flatten().any(|spec| spec.spec().is_remote())
    }

    /// The specs as transcripts have them.
    pub fn names(&self) -> Vec<Option<String>> {
        self.0.values().iter().map(|spec| spec.as_ref().map(|spec| spec.spec().to_string())).collect()
    }
}

/// Reads a spec.
///
/// # Errors
/// A usage error that says what there is.
pub fn spec_of(text: &str, registry: &Registry) -> CommandResult<PlayerSpec> {
    registry.player(text).map_err(|error| wrong_spec(registry, SpecKind::Player, text, &error))
}
