//! The loop of the management agent.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::{ChrononRecord, Command, CommandInbox, CommandRecord};
use crate::referee::running::{Answers, RunningMatch};
use crate::referee::{Interrupt, Match, MatchOutcome, MatchStep};
use hyperplay_engine::Engine;
use hyperplay_machine::terms::TermId;
use hyperplay_machine::{
    ByRole, Evidence, JointMove, Move, PLAYOUT_STEPS, Role, Seed, StateMachine, StateMachineExt,
};
use hyperplay_sidl::InteractionMachine;

/// How an interaction is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ManagedSettings {
    /// The length of a chronon.
    pub chronon: Duration,
    /// The time between telling the agents and the first chronon.
    pub start: Duration,
    /// The interaction ends unfinished after this number of chronons.
    pub limit: usize,
}

impl Default for ManagedSettings {
    fn default() -> Self {
        ManagedSettings { chronon: Duration::from_secs(1), start: Duration::ZERO, limit: PLAYOUT_STEPS }
    }
}

/// The information that an agent is told before the first chronon.
pub struct AgentStart<'a> {
    /// Its role.
    pub role: Role,
    /// The length of a chronon.
    pub chronon: Duration,
    /// When the first one begins.
    pub begins: Instant,
    /// Where its commands go.
    pub inbox: &'a CommandInbox,
    /// The part of the initial state that it sees.
    pub visible: Vec<TermId>,
    /// Random numbers of its own.
    pub seed: Seed,
}

/// The news that an agent is told when a chronon begins, or when all is over.
pub struct ChrononNews<'a> {
    /// The chronon that begins, from 0.
    pub chronon: usize,
    /// When it began.
    pub begun: Instant,
    /// When it ends; `None` if the interaction is over.
    pub ends: Option<Instant>,
    /// The knowledge of its role; a thread shares it.
    pub evidence: &'a Arc<Evidence>,
    /// Its legal moves in this chronon; empty if the interaction is over.
    pub legal: &'a [Move],
    /// The terms that it sees now.
    pub visible: &'a [TermId],
}

/// Someone who takes part in an interaction. No call may take long: the engine waits for it.
pub trait InteractionAgent: Send {
    /// Is told that the interaction is about to begin.
    fn start(&mut self, start: &AgentStart<'_>);
    /// Is told what its role sees at the beginning of a chronon, and of the end.
    fn tell(&mut self, news: &ChrononNews<'_>);
    /// Says once, when all is over, why it did not take part as it should, if so.
    fn complaint(&mut self) -> Option<String> {
        None
    }
}

/// An interaction that was run.
#[derive(Clone, PartialEq, Debug)]
pub struct ManagedInteraction {
    /// The match that it is: a step for each chronon.
    pub played: Match,
    /// The further records, one for each chronon.
    pub chronons: Vec<ChrononRecord>,
    /// Chronons that were longer than they should be, because the machine was too slow.
    pub overruns: usize,
    /// The complaints of agents.
    pub complaints: Vec<(Role, String)>,
}

/// Runs an interaction in real time.
///
/// `agents` holds one for every role but `random`, whose moves are drawn from the seed as in any
/// match; `watch` is called after each chronon.
///
/// # Errors
/// If the machine is not that of an interaction in SIDL.
pub fn manage(
    engine: &Engine,
    mut agents: ByRole<Option<Box<dyn InteractionAgent>>>,
    settings: &ManagedSettings,
    seed: &Seed,
    interrupt: &Interrupt,
    mut watch: impl FnMut(&MatchStep, &ChrononRecord),
) -> io::Result<ManagedInteraction> {
    let machine = engine.interaction().ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, "only an interaction in SIDL runs in real time")
    })?;
    let inbox = CommandInbox::new(Arc::clone(machine));
    let mut running = RunningMatch::new(&**machine, seed);
    let mut begun = Instant::now() + settings.start;
    for role in machine.each_role() {
        let visible = machine.visible(&running.state, role, &mut running.scratch);
        let seed = seed.child("role").child(&hyperplay_logic::gdl::fold(&machine.roles()[role]));
        if let Some(agent) = &mut agents[role] {
            agent.start(&AgentStart {
                role,
                chronon: settings.chronon,
                begins: begun,
                inbox: &inbox,
                visible,
                seed,
            });
        }
    }
    interrupt.rest(begun.saturating_duration_since(Instant::now()));
    let (mut chronons, mut overruns) = (Vec::new(), 0);
    let mut next_commands = Vec::new();
    let outcome = loop {
        let outcome = running.outcome(settings.limit, interrupt);
        let (chronon, end) = (running.steps.len(), begun + settings.chronon);
        match outcome {
            // Commands that came after the end of the last chronon are for this one.
            None => next_commands.extend(inbox.turn(begun, Some(chronon))),
            Some(_) => drop(inbox.turn(Instant::now(), None)),
        }
        for role in machine.each_role() {
            let visible = machine.visible(&running.state, role, &mut running.scratch);
            if let Some(agent) = &mut agents[role] {
                agent.tell(&ChrononNews {
                    chronon,
                    begun,
                    ends: outcome.is_none().then_some(end),
                    evidence: &running.evidence[role],
                    legal: &running.legal[role],
                    visible: &visible,
                });
            }
        }
        if let Some(outcome) = outcome {
            break outcome;
        }
        interrupt.rest(end.saturating_duration_since(Instant::now()));
        if interrupt.is_raised() {
            break MatchOutcome::Interrupted;
        }
        let mut commands = std::mem::take(&mut next_commands);
        commands.extend(inbox.turn(end, Some(chronon + 1)));
        let chance = running.chance();
        let RunningMatch { state, scratch, legal, .. } = &mut running;
        let joint = JointMove::new(machine.each_role().map(|role| {
            let of_random = chance.filter(|_| machine.random() == Some(role));
            of_random
                .or_else(|| commanded(machine, state, role, &commands, scratch))
                .unwrap_or(legal[role][0])
        }));
        let roles = legal.len();
        let (decisions, times) = (ByRole::from_fn(roles, |_| None), ByRole::from_fn(roles, |_| None));
        let answers = Answers { joint, decisions, times, faults: Vec::new() };
        if running.advance(answers).is_none() {
            continue;
        }
        let record = chronon_record(machine, &commands, begun, &running.state);
        watch(&running.steps[chronon], &record);
        chronons.push(record);
        // The next chronon follows at once, unless the engine could not keep up.
        let late = Instant::now().saturating_duration_since(end);
        overruns += usize::from(late > settings.chronon);
        begun = if late > settings.chronon { end + late } else { end };
    };
    inbox.turn(Instant::now(), None);
    let complaints = machine
        .each_role()
        .filter_map(|role| agents[role].as_mut()?.complaint().map(|what| (role, what)))
        .collect();
    Ok(ManagedInteraction { played: running.ended(outcome), chronons, overruns, complaints })
}

/// The move that the commands of a role come to.
fn commanded(
    machine: &InteractionMachine,
    state: &hyperplay_machine::State,
    role: Role,
    commands: &[Command],
    scratch: &mut hyperplay_sidl::InteractionScratch,
) -> Option<Move> {
    let own = commands.iter().filter(|command| command.role == role);
    let own: Vec<(TermId, TermId)> = own.filter_map(|command| command.verdict.ok()).collect();
    machine.move_of_commands(state, role, &own, scratch)
}

/// The record of a chronon besides the step.
fn chronon_record(
    machine: &InteractionMachine,
    commands: &[Command],
    begun: Instant,
    after: &hyperplay_machine::State,
) -> ChrononRecord {
    // The wall clock is read once, so that the moments within a record cannot contradict each other.
    let (now, wall) = (Instant::now(), SystemTime::now());
    let since_epoch = wall.duration_since(UNIX_EPOCH).unwrap_or_default();
    let begun_at = since_epoch.saturating_sub(now.saturating_duration_since(begun));
    ChrononRecord {
        begun: Some(begun_at.as_secs_f64()),
        commands: commands
            .iter()
            .map(|command| CommandRecord {
                agent: machine.roles()[command.role].clone(),
                switch: command.switch.clone(),
                alias: command.alias.clone(),
                milliseconds: Some(command.at.saturating_duration_since(begun).as_secs_f64() * 1e3),
                refused: command.verdict.err().map(|why| why.to_string()),
            })
            .collect(),
        state: machine.fluents(after),
    }
}

/// The further records of a match without clocks: its moves as commands, each at the beginning of its chronon.
///
/// # Panics
/// If the match was not played on this machine.
pub fn simulated(machine: &InteractionMachine, played: &Match) -> Vec<ChrononRecord> {
    let show = |term| machine.terms().show(term);
    let record = |(step, after): (&MatchStep, hyperplay_machine::State)| {
        let roles = machine.each_role().filter(|&role| machine.random() != Some(role));
        let commands = roles.flat_map(|role| {
            let commands = machine.commands_of(role, step.joint.of(role)).into_iter();
            commands.map(move |(switch, alias)| CommandRecord {
                agent: machine.roles()[role].clone(),
                switch: show(switch),
                alias: show(alias),
                milliseconds: None,
                refused: None,
            })
        });
        ChrononRecord { begun: None, commands: commands.collect(), state: machine.fluents(&after) }
    };
    played.steps.iter().zip(played.states(machine).skip(1)).map(record).collect()
}
