//! The loop of the management agent.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::super::interrupt::Interrupt;
use super::super::match_loop::{Match, MatchOutcome, MatchStep};
use super::commands::{Command, CommandInbox};
use super::record::{ChrononRecord, CommandRecord};
use hyperplay_engine::Engine;
use hyperplay_engine::machine::{
    ByRole, ChanceDistribution, Evidence, History, JointMove, Move, Observation, OwnMove, PLAYOUT_STEPS,
    Percepts, Role, Seed, StateMachine, StateMachineExt,
};
use hyperplay_engine::sidl::InteractionMachine;
use hyperplay_logic::gdl::TermId;

/// How often the loop looks for an interrupt while it waits.
const LOOK: Duration = Duration::from_millis(20);

/// How an interaction is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ManagedSettings {
    /// The length of a chronon.
    pub chronon: Duration,
    /// The time between telling the agents and the first chronon.
    pub start: Duration,
    /// The interaction ends unfinished after so many chronons.
    pub limit: usize,
}

impl Default for ManagedSettings {
    fn default() -> Self {
        ManagedSettings { chronon: Duration::from_secs(1), start: Duration::ZERO, limit: PLAYOUT_STEPS }
    }
}

/// What an agent is told before the first chronon.
pub struct AgentStart<'a> {
    /// Its role.
    pub role: Role,
    /// The length of a chronon.
    pub chronon: Duration,
    /// When the first one begins.
    pub begins: Instant,
    /// Where its commands go.
    pub inbox: &'a CommandInbox,
    /// What it sees of the initial state.
    pub visible: Vec<TermId>,
    /// Random numbers of its own.
    pub seed: Seed,
}

/// What an agent is told when a chronon begins, or when all is over.
pub struct ChrononNews<'a> {
    /// The chronon that begins, from 0.
    pub chronon: usize,
    /// When it began.
    pub begun: Instant,
    /// When it ends; `None` if the interaction is over.
    pub ends: Option<Instant>,
    /// What its role knows.
    pub evidence: &'a Evidence,
    /// What it may do in this chronon; empty if the interaction is over.
    pub legal: &'a [Move],
    /// What it sees now.
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
    /// What the record says besides, for each chronon.
    pub chronons: Vec<ChrononRecord>,
    /// Chronons that were longer than they should be, because the machine was too slow.
    pub overruns: usize,
    /// What agents complained of.
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
    let mut scratch = machine.scratch();
    let mut state = machine.initial();
    let mut evidence = ByRole::from_fn(machine.roles().len(), Evidence::new);
    let mut begun = Instant::now() + settings.start;
    for role in machine.each_role() {
        let visible = machine.visible(&state, role, &mut scratch);
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
    wait_until(begun, interrupt);
    let (mut steps, mut chronons, mut overruns) = (Vec::new(), Vec::new(), 0);
    let mut next_commands = Vec::new();
    let outcome = loop {
        let over = machine.terminal(&state, &mut scratch);
        let goals = over.then(|| machine.goals(&state, &mut scratch));
        let legal = if over { ByRole::default() } else { machine.legal_by_role(&state, &mut scratch) };
        let end = begun + settings.chronon;
        let finished = over || steps.len() >= settings.limit || interrupt.is_raised();
        let failure = machine.take_failure(&mut scratch);
        if !finished && failure.is_none() {
            // Commands that came after the end of the last chronon are for this one.
            next_commands.extend(inbox.turn(begun, Some(steps.len())));
        } else {
            inbox.turn(Instant::now(), None);
        }
        for role in machine.each_role() {
            evidence[role].over = over;
            let visible = machine.visible(&state, role, &mut scratch);
            if let Some(agent) = &mut agents[role] {
                agent.tell(&ChrononNews {
                    chronon: steps.len(),
                    begun,
                    ends: (!finished).then_some(end),
                    evidence: &evidence[role],
                    legal: if over { &[] } else { &legal[role] },
                    visible: &visible,
                });
            }
        }
        if let Some(failure) = failure {
            break MatchOutcome::Failed(failure);
        }
        if let Some(goals) = goals {
            break MatchOutcome::Over(goals);
        }
        if let Some((role, _)) = legal.iter().find(|(_, moves)| moves.is_empty()) {
            break MatchOutcome::NoLegalMove(role);
        }
        if steps.len() >= settings.limit {
            break MatchOutcome::StepLimit;
        }
        wait_until(end, interrupt);
        if interrupt.is_raised() {
            break MatchOutcome::Interrupted;
        }
        let mut commands = std::mem::take(&mut next_commands);
        commands.extend(inbox.turn(end, Some(steps.len() + 1)));
        let chance = ChanceDistribution::of(&**machine, &state, &mut scratch);
        let joint = JointMove::new(machine.each_role().map(|role| {
            if machine.random() == Some(role) {
                let mut rng = seed.child("random").index(steps.len()).rng();
                return legal[role][chance.draw(legal[role].len(), &mut rng)];
            }
            let own = commanded(machine, &state, role, &commands, &mut scratch);
            own.unwrap_or(legal[role][0])
        }));
        let percepts =
            ByRole::from_fn(legal.len(), |role| machine.percepts(&state, &joint, role, &mut scratch));
        let after = machine.next(&state, &joint, &mut scratch);
        let record = chronon_record(machine, &commands, (begun, settings.chronon), &after);
        state = after;
        observe(&mut evidence, &joint, &percepts);
        let nothing = ByRole::from_fn(legal.len(), |_| None);
        let times = ByRole::from_fn(legal.len(), |_| None);
        let step = MatchStep { legal, decisions: nothing, times, faults: Vec::new(), joint, percepts };
        watch(&step, &record);
        steps.push(step);
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
    let played = Match { unready: Vec::new(), steps, outcome, evidence };
    Ok(ManagedInteraction { played, chronons, overruns, complaints })
}

/// The move that the commands of a role come to.
fn commanded(
    machine: &InteractionMachine,
    state: &hyperplay_engine::State,
    role: Role,
    commands: &[Command],
    scratch: &mut hyperplay_engine::sidl::InteractionScratch,
) -> Option<Move> {
    let own: Vec<(TermId, TermId)> = commands
        .iter()
        .filter(|command| command.role == role)
        .filter_map(|command| command.verdict.ok())
        .collect();
    machine.move_of_commands(state, role, &own, scratch)
}

fn observe(evidence: &mut ByRole<Evidence>, joint: &JointMove, percepts: &ByRole<Percepts>) {
    for (role, seen) in percepts.iter() {
        let own = OwnMove::Known(joint.of(role));
        evidence[role].steps.push(Observation { own, percepts: seen.clone() });
    }
}

/// What the record says of a chronon besides the step.
fn chronon_record(
    machine: &InteractionMachine,
    commands: &[Command],
    (begun, _): (Instant, Duration),
    after: &hyperplay_engine::State,
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

fn wait_until(moment: Instant, interrupt: &Interrupt) {
    while !interrupt.is_raised() {
        let left = moment.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(LOOK));
    }
}

/// What the record of a match without clocks says besides: its moves as commands, each at the beginning of its chronon.
///
/// # Panics
/// If the match was not played on this machine.
pub fn simulated(machine: &InteractionMachine, played: &Match) -> Vec<ChrononRecord> {
    let mut scratch = machine.scratch();
    let mut state = machine.initial();
    let show = |term| machine.terms().show(term);
    let history: History = History(played.steps.iter().map(|step| step.joint.clone()).collect());
    let mut records = Vec::with_capacity(history.step());
    for joint in &history.0 {
        let roles = machine.each_role().filter(|&role| machine.random() != Some(role));
        let commands = roles.flat_map(|role| {
            let commands = machine.commands_of(role, joint.of(role)).into_iter();
            commands.map(move |(switch, alias)| (role, switch, alias))
        });
        let commands = commands
            .map(|(role, switch, alias)| CommandRecord {
                agent: machine.roles()[role].clone(),
                switch: show(switch),
                alias: show(alias),
                milliseconds: None,
                refused: None,
            })
            .collect();
        state = machine.next(&state, joint, &mut scratch);
        records.push(ChrononRecord { begun: None, commands, state: machine.fluents(&state) });
    }
    records
}
