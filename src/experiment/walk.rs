//! Walk: a finished match gone through once more by its recorded moves, and compared with what is recorded of it.
//!
//! The files of an experiment hold the decisions of the players. Forced moves, the moves of `random`, percepts and
//! goals follow from the rules and the seed. So [`play_match`] plays the match again with players that answer what is
//! recorded, and the recorder makes the same lines of it, byte for byte, if the records are those of the match.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::decision_log::DecisionLog;
use super::plan::ExperimentPlan;
use super::recorder::{RecordLines, Recorder};
use super::stored::FinishedMatch;
use super::watched::PlayerWatch;
use hyperplay_engine::Engine;
use hyperplay_lab::records::{Record, TurnRecord};
use hyperplay_lab::{LabError, LabResult};
use hyperplay_machine::{Budget, ByRole, Move, Seed, StateMachine, StateMachineExt};
use hyperplay_play::for_engine::play_match;
use hyperplay_play::player::{Decision, DecisionCost, HeldBelief, Player, Seat, View};
use hyperplay_play::referee::{Fault, FaultKind, Interrupt, Match, Settings, match_seed};

/// The error of a match that is not, or cannot be, walked as it was recorded.
pub(super) fn unlike(id: u64, what: &str) -> LabError {
    let remedy = "take the program that played the matches, or play them again into another folder";
    LabError::other(format!("match {id}: {what}"), remedy)
}

/// Walks a finished match; returns what happened, with as much of the decisions as is recorded, and the lines about it.
///
/// # Errors
/// If what is recorded is not what happens.
pub fn walk(
    machine: &Engine,
    plan: &ExperimentPlan,
    finished: &FinishedMatch,
    log: DecisionLog,
) -> LabResult<(Match, RecordLines)> {
    let (id, place) = (finished.place.id, &finished.place);
    if finished.lines[3].is_none() {
        let remedy = "play the matches into a folder with turns: leave out without_turns";
        return Err(LabError::other(format!("match {id}: its turns were not recorded"), remedy));
    }
    let mut said: HashMap<String, HashMap<usize, TurnRecord>> = HashMap::new();
    for line in finished.turns() {
        let turn =
            TurnRecord::read(line).map_err(|error| unlike(id, &format!("a turn cannot be read: {error}")))?;
        said.entry(turn.role.clone()).or_default().insert(turn.step, turn);
    }
    let roles = machine.roles();
    let seats = ByRole::from_fn(roles.len(), |role| {
        let turns = said.get(&roles[role]).into_iter().flatten();
        let turns = turns.filter_map(|(&step, turn)| Some((step, recorded(machine, turn)?)));
        (machine.random() != Some(role)).then(|| Seat::player(Recorded(turns.collect())))
    });
    let settings = Settings { limit: plan.limit, ..Settings::default() };
    let seed = match_seed(plan.seed, place.deal as usize);
    let mut played = play_match(machine, seats, &settings, &seed, &Interrupt::default(), &mut |_| ())
        .map_err(|error| unlike(id, &error.to_string()))?;
    for turn in said.values().flat_map(HashMap::values) {
        let kind = turn.fault.as_deref().and_then(|kind| FaultKind::named(kind, Some("")));
        let step = played.steps.get_mut(turn.step.wrapping_sub(1));
        if let (Some(kind), Some(step), Some(role)) = (kind, step, machine.role_named(&turn.role)) {
            step.faults.push(Fault { role, kind, replacement: step.joint.of(role) });
        }
    }
    let recorder = Recorder {
        machine,
        plan,
        place,
        played: &played,
        watches: &ByRole::from_fn(roles.len(), |_| PlayerWatch::default()),
        seconds: std::time::Duration::ZERO,
        host: "",
        threads: 0,
    };
    let lines = recorder.lines(log);
    compare(finished, &lines)?;
    Ok((played, lines))
}

/// A decision as far as a turn has it.
fn recorded(machine: &Engine, turn: &TurnRecord) -> Option<Decision> {
    let own = Move(machine.terms().read(&turn.own)?);
    let held = turn.particles.map(|particles| HeldBelief {
        particles,
        states: turn.states.unwrap_or_default(),
        effective: turn.effective.unwrap_or_default(),
        is_enumerated: turn.enumerated.unwrap_or_default(),
        method: turn.method.as_deref().and_then(|name| name.parse().ok()).unwrap_or_default(),
        attempts: turn.attempts.unwrap_or_default(),
        accepted: turn.accepted.unwrap_or_default(),
    });
    Some(Decision {
        policy: Vec::new(),
        values: turn.value.map(|value| (own, value)).into_iter().collect(),
        cost: DecisionCost { states: turn.visited, playouts: turn.playouts },
        held,
        depleted: turn.depleted,
        ..Decision::draw(vec![(own, 1.0)], &Seed::root(0))
    })
}

/// A player that answers what is recorded, by step.
struct Recorded(HashMap<usize, Decision>);

impl Player for Recorded {
    fn decide(&mut self, view: &View<'_>, _: &Budget, seed: &Seed) -> Decision {
        let recorded = self.0.remove(&(view.evidence.step() + 1));
        let legal = recorded.filter(|decision| view.legal.contains(&decision.choice));
        legal.unwrap_or_else(|| Decision::draw(vec![(view.legal[0], 1.0)], seed))
    }
}

/// Whether a match that was gone through again has the lines that are recorded of it.
///
/// # Errors
/// The first difference.
pub(super) fn compare(finished: &FinishedMatch, lines: &RecordLines) -> LabResult {
    let kinds = finished.lines[3..].iter().zip(&lines.lines[3..]);
    let recorded = kinds.filter_map(|(one, other)| Some(one.as_ref()?.iter().zip(other))).flatten();
    let differing = { recorded }.find(|(one, other)| one != other);
    let Some((one, other)) = differing else { return Ok(()) };
    let read = |line: &[u8]| Map::<String, Value>::read(line).unwrap_or_default();
    let (one, other) = (read(one), read(other));
    let key = one.iter().find(|(key, value)| other.get(*key) != Some(value));
    let what = key.map_or("its lines are written in another way".to_owned(), |(key, value)| {
        let turn = one.get("role").map_or(String::new(), |role| format!("step {}, {role}: ", one["step"]));
        let now = other.get(key).unwrap_or(&Value::Null);
        format!("{turn}\"{key}\" is recorded as {value}; played again it is {now}")
    });
    Err(unlike(finished.place.id, &what))
}
