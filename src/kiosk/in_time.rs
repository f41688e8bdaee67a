//! A table at which an interaction in SIDL runs in real time: persons set their switches at any moment, and chronons
//! pass.
//!
//! The play clock of the table is the length of a chronon. A command counts from the moment at which it came, stands in
//! the record with it, and is told to nobody before the chronon is over.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::answers::{KioskResult, refusal};
use super::match_scenes::MatchScenes;
use super::parts::Sitting;
use super::scene::SceneSwitch;
use super::table::Table;
use hyperplay_engine::Engine;
use hyperplay_machine::{ByRole, Role, Seed, StateMachine as _};
use hyperplay_play::player::Seat;
use hyperplay_play::referee::{
    AgentStart, ChrononNews, ChrononRecord, InteractionAgent, ManagedInteraction, ManagedSettings, MatchStep,
    PlayerAgent, manage,
};
use hyperplay_sidl::InteractionMachine;

/// The length of a chronon where the table has none.
const CHRONON: Duration = Duration::from_secs(5);

/// A person as an agent.
struct PersonAgent {
    table: Weak<Table>,
    role: Role,
}

impl InteractionAgent for PersonAgent {
    fn start(&mut self, start: &AgentStart<'_>) {
        if let Some(table) = self.table.upgrade() {
            table.shared.lock().in_time.get_or_insert_default().inbox = Some(start.inbox.clone());
        }
    }

    fn tell(&mut self, news: &ChrononNews<'_>) {
        let Some(table) = self.table.upgrade() else { return };
        let mut shared = table.shared.lock();
        if news.ends.is_some() {
            shared.in_time.get_or_insert_default().commanded.retain(|(role, _), _| *role != self.role);
            shared.clock = Some((news.begun, table.chronon()));
        } else if let Some(in_time) = &mut shared.in_time {
            in_time.inbox = None;
        }
        drop(shared);
        table.ring();
    }
}

impl Table {
    /// The length of a chronon.
    pub(super) fn chronon(&self) -> Duration {
        self.parts.clocks.map_or(CHRONON, |clocks| clocks.play)
    }

    /// Runs the interaction.
    pub(super) fn manage(
        self: &Arc<Table>,
        engine: &Arc<Engine>,
        telling: &mut MatchScenes,
        limit: usize,
    ) -> Result<ManagedInteraction, String> {
        let agents = ByRole::from_fn(self.parts.sitting.len(), |role| self.agent(engine, role));
        let settings = ManagedSettings { chronon: self.chronon(), start: Duration::ZERO, limit };
        let watch = |step: &MatchStep, record: &ChrononRecord| {
            telling.step(engine, step, reactions(engine, record));
            self.open(engine, telling);
        };
        let seed: Seed = hyperplay_play::referee::match_seed(self.parts.seed, 0);
        manage(engine, agents, &settings, &seed, &self.interrupt, watch)
            .map_err(|error| format!("the interaction could not be run: {error}"))
    }

    fn agent(self: &Arc<Table>, engine: &Arc<Engine>, role: Role) -> Option<Box<dyn InteractionAgent>> {
        match &self.parts.sitting[role.index()] {
            Sitting::Person => Some(Box::new(PersonAgent { table: Arc::downgrade(self), role })),
            Sitting::Program(spec) => match spec.seat(engine, role) {
                Seat::Player(player) => Some(Box::new(PlayerAgent::new(player))),
                // A page cannot name one of those.
                Seat::Clairvoyant(_) | Seat::Remote(_) => None,
            },
            Sitting::Random => None,
        }
    }

    /// A person sets one of her switches, at the moment at which her request came.
    ///
    /// # Errors
    /// If the interaction does not run, or there is no such switch or setting of hers.
    pub(super) fn command(&self, role: Role, switch: &str, alias: &str, at: Instant) -> KioskResult {
        let mut shared = self.shared.lock();
        shared.touched = self.begun.elapsed();
        let inbox = shared.in_time.as_ref().and_then(|in_time| in_time.inbox.clone());
        let inbox =
            inbox.ok_or_else(|| refusal(409, "the interaction does not run", "look at the table again"))?;
        inbox.take(role, switch, alias, None, at).map_err(|reason| {
            refusal(
                400,
                format!("'{switch:.60}' cannot be set to '{alias:.60}': {reason}"),
                "take a switch that the table shows",
            )
        })?;
        if let Some(in_time) = &mut shared.in_time {
            in_time.commanded.insert((role, switch.to_owned()), alias.to_owned());
        }
        drop(shared);
        self.ring();
        Ok(())
    }
}

/// The switches of a role as they are set in a state, with what was commanded since.
pub(super) fn switches(
    machine: &InteractionMachine,
    state: &hyperplay_machine::State,
    role: Role,
) -> Vec<SceneSwitch> {
    let show = |term| machine.terms().show(term);
    let of_role = machine.switches_of(role, state).into_iter();
    of_role
        .map(|(id, setting, aliases)| SceneSwitch {
            switch: show(id),
            setting: setting.map(show),
            commanded: None,
            aliases: aliases.into_iter().map(show).collect(),
        })
        .collect()
}

/// When each role set what in a chronon, in words for that role alone.
fn reactions(engine: &Engine, record: &ChrononRecord) -> BTreeMap<Role, String> {
    let mut notes: BTreeMap<Role, Vec<String>> = BTreeMap::new();
    for command in record.commands.iter().filter(|command| command.refused.is_none()) {
        let role = engine.roles().iter().find(|(_, name)| **name == command.agent).map(|(role, _)| role);
        if let (Some(role), Some(milliseconds)) = (role, command.milliseconds) {
            let note = format!(
                "the switch {} was set to {} after {milliseconds:.0} ms",
                command.switch, command.alias
            );
            notes.entry(role).or_default().push(note);
        }
    }
    notes.into_iter().map(|(role, notes)| (role, notes.join("; "))).collect()
}
