//! Seats: which player has which role, as written `role=spec` on the command line.

use std::sync::Arc;

use super::failure::Failure;
use crate::machine::{Bulk, ByRole, StateMachine, StateMachineExt};
use crate::player::{Player, Spec, registry};

/// The spec of every role but `random`.
#[derive(Clone, Debug)]
pub struct Seats(pub ByRole<Option<Spec>>);

impl Seats {
    /// Reads `role=spec` arguments; roles not named get the player `random`.
    ///
    /// # Errors
    /// A usage error that lists the choices: unknown or repeated role, the role `random`, unknown player or key.
    pub fn parse<M: StateMachine>(machine: &M, arguments: &[String]) -> Result<Seats, Failure> {
        let roles = machine.roles();
        let choosing: Vec<&str> = machine
            .each_role()
            .filter(|&role| machine.random() != Some(role))
            .map(|role| roles[role].as_str())
            .collect();
        let choices = format!("the roles are {}", choosing.join(", "));
        let mut seats: ByRole<Option<Spec>> = ByRole::from_fn(roles.len(), |_| None);
        for argument in arguments {
            let Some((name, spec)) = argument.split_once('=') else {
                return Err(Failure::usage(
                    format!("'{argument}' is not of the form role=player"),
                    format!("for example {}=hyperplay; {choices}", choosing.first().unwrap_or(&"role")),
                ));
            };
            let role = machine.role_named(name.trim());
            let Some(role) = role else {
                return Err(Failure::usage(format!("the game has no role '{name}'"), choices));
            };
            if machine.random() == Some(role) {
                return Err(Failure::usage("the role random chooses by itself", choices));
            }
            if seats[role].is_some() {
                return Err(Failure::usage(format!("the role '{name}' is given twice"), choices));
            }
            seats[role] = Some(spec_of(spec)?);
        }
        for role in machine.each_role() {
            if seats[role].is_none() && machine.random() != Some(role) {
                seats[role] = Some(spec_of("random")?);
            }
        }
        Ok(Seats(seats))
    }

    /// A fresh player for every seat.
    pub fn build<M: Bulk + 'static>(&self, machine: &Arc<M>) -> ByRole<Option<Box<dyn Player>>> {
        ByRole::from_fn(self.0.len(), |role| {
            self.0[role].as_ref().map(|spec| registry::build(spec, machine, role))
        })
    }

    /// The specs as transcripts have them.
    pub fn names(&self) -> Vec<Option<String>> {
        self.0.values().iter().map(|spec| spec.as_ref().map(Spec::to_string)).collect()
    }
}

/// Reads a spec.
fn spec_of(text: &str) -> Result<Spec, Failure> {
    registry::read(text)
        .map_err(|error| Failure::usage(error.to_string(), "`hyperplay players` explains them"))
}
