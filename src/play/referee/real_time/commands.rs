//! Commands: the messages that agents send while a chronon runs.
//!
//! All are kept, in the order of their arrival, with the moment at which they came: those that count, those that a
//! later one replaces, and those that are refused, with the reason.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use thiserror::Error;

use hyperplay_logic::gdl::TermId;
use hyperplay_machine::{Role, StateMachine};
use hyperplay_sidl::{CommandFault, InteractionMachine};

/// The most commands that are kept in a chronon.
const MOST_COMMANDS: usize = 10_000;

/// Why a command has no effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum CommandRefusal {
    /// It names no setting of an own switch.
    #[error(transparent)]
    Fault(#[from] CommandFault),
    /// It was meant for a chronon that is over.
    #[error("the chronon that it is for is over")]
    Late,
    /// It is meant for a chronon that has not begun.
    #[error("the chronon that it is for has not begun")]
    Early,
    /// So many have come in this chronon that no more are kept.
    #[error("more commands have come in this chronon than are kept")]
    TooMany,
    /// The interaction has not begun, or is over.
    #[error("the interaction does not run")]
    NotRunning,
}

/// A command that came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// The role that sent it.
    pub role: Role,
    /// The switch, as it was written.
    pub switch: String,
    /// The setting, as it was written.
    pub alias: String,
    /// When it came.
    pub at: Instant,
    /// The switch and the value that it sets, or why it does not.
    pub verdict: Result<(TermId, TermId), CommandRefusal>,
}

#[derive(Debug, Default)]
struct Running {
    /// The chronon that runs, from 0; `None` before the first and after the last.
    chronon: Option<usize>,
    commands: Vec<Command>,
}

/// Where the commands of all agents of one interaction arrive. Cheap to clone; all clones are the same inbox.
#[derive(Clone, Debug)]
pub struct CommandInbox {
    machine: Arc<InteractionMachine>,
    running: Arc<Mutex<Running>>,
}

impl CommandInbox {
    /// The inbox of an interaction that has not begun.
    pub fn new(machine: Arc<InteractionMachine>) -> CommandInbox {
        CommandInbox { machine, running: Arc::default() }
    }

    /// Takes a command that came at a moment, and says in which chronon it counts. `chronon` is the one that it is
    /// meant for, if it says so.
    ///
    /// # Errors
    /// Why it has no effect; it is kept all the same, unless there are too many.
    pub fn take(
        &self,
        role: Role,
        switch: &str,
        alias: &str,
        chronon: Option<usize>,
        at: Instant,
    ) -> Result<usize, CommandRefusal> {
        let named = self.machine.command(role, switch, alias);
        let mut running = self.running.lock();
        let now = running.chronon;
        if running.commands.len() >= MOST_COMMANDS {
            return Err(CommandRefusal::TooMany);
        }
        let verdict = match (now, named) {
            (None, _) => Err(CommandRefusal::NotRunning),
            (Some(now), _) if chronon.is_some_and(|meant| meant < now) => Err(CommandRefusal::Late),
            (Some(now), _) if chronon.is_some_and(|meant| meant > now) => Err(CommandRefusal::Early),
            (_, named) => named.map_err(CommandRefusal::from),
        };
        let command = Command { role, switch: switch.to_owned(), alias: alias.to_owned(), at, verdict };
        running.commands.push(command);
        verdict.map(|_| now.unwrap_or_default())
    }

    /// Ends the chronon that runs at `end` and begins the next one, or none; the commands that came before the end.
    pub(super) fn turn(&self, end: Instant, next: Option<usize>) -> Vec<Command> {
        let mut running = self.running.lock();
        running.chronon = next;
        let (now, later) =
            std::mem::take(&mut running.commands).into_iter().partition(|command| command.at <= end);
        running.commands = later;
        now
    }

    /// The term of a name, for messages.
    pub fn machine(&self) -> &InteractionMachine {
        &self.machine
    }

    /// A move as the commands that make it: switches and settings.
    pub fn commands_of(&self, role: Role, own: hyperplay_machine::Move) -> Vec<(String, String)> {
        let show = |term| self.machine.terms().show(term);
        let commands = self.machine.commands_of(role, own).into_iter();
        commands.map(|(switch, alias)| (show(switch), show(alias))).collect()
    }
}
