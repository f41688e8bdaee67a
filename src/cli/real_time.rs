//! Interactions in real time: the report of `host` on them, and how a match of a series is run so.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::failure::{CommandFailure, CommandResult};
use super::output::{Output, log};
use super::seats::SeatArguments;
use hyperplay_engine::Engine;
use hyperplay_machine::{ByRole, Role, Seed, StateMachine};
use hyperplay_net::http::client::Address;
use hyperplay_net::real_time::{CommandServer, RemoteAgent};
use hyperplay_play::player::Seat;
use hyperplay_play::referee::{
    ChrononRecord, InteractionAgent, Interrupt, ManagedInteraction, ManagedSettings, MatchStep, PlayerAgent,
    manage,
};

/// How interactions are run in real time.
pub struct RealTime {
    /// The length of a chronon.
    pub chronon: Duration,
    /// The time between telling the agents and the first chronon.
    pub start: Duration,
    /// Where other programs are.
    pub addresses: ByRole<Option<Address>>,
    /// Where their commands arrive.
    pub server: Arc<CommandServer>,
    /// The commands that came, over all interactions.
    pub tally: Mutex<CommandTally>,
}

/// The results of the commands of each role.
#[derive(Clone, Debug, Default)]
pub struct CommandTally {
    roles: Vec<RoleTally>,
    overruns: usize,
}

#[derive(Clone, Debug, Default)]
struct RoleTally {
    name: String,
    sent: usize,
    refused: usize,
    /// The moments of the others within their chronons, in milliseconds.
    moments: Vec<f64>,
}

impl CommandTally {
    fn add(&mut self, roles: &ByRole<String>, chronons: &[ChrononRecord], overruns: usize) {
        if self.roles.is_empty() {
            let named = |name: &String| RoleTally { name: name.clone(), ..RoleTally::default() };
            self.roles = roles.values().iter().map(named).collect();
        }
        self.overruns += overruns;
        for command in chronons.iter().flat_map(|chronon| &chronon.commands) {
            let Some(role) = self.roles.iter_mut().find(|role| role.name == command.agent) else { continue };
            role.sent += 1;
            match (&command.refused, command.milliseconds) {
                (None, Some(moment)) => role.moments.push(moment),
                _ => role.refused += 1,
            }
        }
    }

    fn sent(&self) -> impl Iterator<Item = (&RoleTally, Option<f64>)> {
        let median = |role: &RoleTally| {
            let mut moments = role.moments.clone();
            moments.sort_by(f64::total_cmp);
            moments.get(moments.len() / 2).copied()
        };
        self.roles.iter().filter(|role| role.sent > 0).map(move |role| (role, median(role)))
    }

    /// For the report in JSON.
    pub fn as_json(&self) -> Value {
        let role = |(role, median): (&RoleTally, Option<f64>)| json!({ "agent": role.name, "sent": role.sent, "refused": role.refused, "median_milliseconds": median });
        json!({ "agents": self.sent().map(role).collect::<Vec<_>>(), "overruns": self.overruns })
    }

    /// The lines of the report.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&self, out: &Output) -> CommandResult {
        for (role, median) in self.sent() {
            let when = median.map_or(String::new(), |median| {
                format!(", in the median {median:.1} ms after the beginning of the chronon")
            });
            let RoleTally { name, sent, refused, .. } = role;
            out.line(format_args!("{name} sent {sent} commands, {refused} of them refused{when}"))?;
        }
        if self.overruns > 0 {
            log(format_args!(
                "{} chronons took longer than they should: this computer was too slow",
                self.overruns
            ));
        }
        Ok(())
    }
}

impl RealTime {
    /// Runs one interaction.
    ///
    /// # Errors
    /// If a player cannot take part in real time.
    pub fn run(
        &self,
        (id, engine, limit): (&str, &Engine, usize),
        (seats, engines): (&SeatArguments, &ByRole<Arc<Engine>>),
        seed: &Seed,
        interrupt: &Interrupt,
        mut watch: impl FnMut(&MatchStep),
    ) -> CommandResult<ManagedInteraction> {
        let machine = engine.interaction().expect("only an interaction is run in real time");
        let mut agents: Vec<Option<Box<dyn InteractionAgent>>> = Vec::new();
        for role in (0..machine.roles().len()).map(Role::new) {
            let local = seats.0[role].as_ref().filter(|spec| !spec.spec().is_remote());
            let seat = local.map(|spec| spec.seat(&engines[role], role));
            agents.push(match (&self.addresses[role], seat) {
                (Some(address), _) => {
                    let (machine, server) = (Arc::clone(machine), Arc::clone(&self.server));
                    Some(Box::new(RemoteAgent::new(address.clone(), id, machine, server)))
                }
                (None, Some(Seat::Player(player))) => Some(Box::new(PlayerAgent::new(player))),
                (None, Some(_)) => {
                    let what =
                        format!("the player of {} cannot take part in real time", machine.roles()[role]);
                    return Err(CommandFailure::usage(what, "take another one, or --clock simulated"));
                }
                (None, None) => None,
            });
        }
        let settings = ManagedSettings { chronon: self.chronon, start: self.start, limit };
        let run = manage(engine, ByRole::new(agents), &settings, seed, interrupt, |step, _| watch(step))
            .map_err(|cause| CommandFailure::failed(cause.to_string(), "name a file in SIDL"))?;
        for (role, what) in &run.complaints {
            log(format_args!("{}: {what}", machine.roles()[*role]));
        }
        let mut tally = self.tally.lock();
        tally.add(machine.roles(), &run.chronons, run.overruns);
        Ok(run)
    }
}
