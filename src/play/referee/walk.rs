//! A match that is over is walked: stepped once more, by its joint moves or by its transcript.
//!
//! A program that verifies, shows or converts a match walks it. The walk of a transcript turns each record into the
//! step that it was played as, and checks it: that the match was not over before, that every move was legal, that every
//! role perceived what is written, and that an illegal answer was illegal. It ends with the first difference.

use serde_json::{Map, Value};

use super::fault::{Fault, FaultKind};
use super::played::{Match, MatchStep};
use super::transcript::{DecisionRecord, FaultRecord, StepRecord, Transcript};
use super::verify::{Agreement, TranscriptDifference};
use crate::player::Decision;
use hyperplay_machine::{ByRole, JointMove, Move, Percepts, Role, Seed, StateMachine, StateMachineExt};

/// A step of a transcript as it was played.
#[derive(Debug)]
pub struct WalkedStep<S> {
    /// The state before it.
    pub before: S,
    /// The step. Nothing is known of the times of the answers.
    pub step: MatchStep,
    /// The state after it.
    pub after: S,
}

/// The steps of a transcript, one after the other.
///
/// ```
/// use hyperplay_machine::{ByRole, Seed, StateMachine};
/// use hyperplay_play::player::{LegalPlayer, Seat};
/// use hyperplay_play::referee::{Heading, Interrupt, Settings, Transcript, TranscriptWalk, WalkedStep, play_match};
///
/// # use hyperplay_engine::{Engine, EngineKind, Engines};
/// # use hyperplay_logic::gdl::{Source, load};
/// // One role says yes, and wins, or no.
/// let text = "(role me) (init asked) (legal me yes) (legal me no)
///     (<= (next said_yes) (does me yes)) (<= terminal (not (true asked)))
///     (<= (goal me 100) (true said_yes)) (<= (goal me 0) (not (true said_yes)))";
/// let game = load(Source::new("yes", text), None).game.expect("the rules are in order");
/// let machine = Engines::new(&game).get(EngineKind::Auto)?;
/// let (seats, settings) = (ByRole::new(vec![Some(Seat::player(LegalPlayer))]), Settings::default());
/// let played = play_match(&*machine, seats, &settings, &Seed::root(1), &Interrupt::default(), |_| ())?;
/// assert_eq!(played.states(&*machine).count(), 2);
///
/// let heading =
///     Heading { game: "yes".to_owned(), rules: game.rules_hash(), players: vec![None], seed: 1, decisions: false };
/// let mut transcript = Transcript::new(&*machine, &heading, &settings, 0, &played);
/// let mut walk: TranscriptWalk<'_, Engine> = transcript.walk(&*machine);
/// let WalkedStep { step, after, .. } = walk.next().expect("there is a step")?;
/// assert!(step.joint == played.steps[0].joint && machine.terminal(&after, &mut machine.scratch()));
/// assert!(walk.next().is_none() && *walk.state() == after);
///
/// transcript.steps[0].moves[0] = "maybe".to_owned();
/// let difference = transcript.walk(&*machine).next().expect("there is a step").unwrap_err();
/// assert_eq!(difference.to_string(), "step 1: me cannot do maybe; legal are no yes");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TranscriptWalk<'a, M: StateMachine> {
    machine: &'a M,
    transcript: &'a Transcript,
    scratch: M::Scratch,
    state: M::State,
    made: usize,
    has_differed: bool,
}

impl Transcript {
    /// Walks the match on a machine of its rules.
    pub fn walk<'a, M: StateMachine>(&'a self, machine: &'a M) -> TranscriptWalk<'a, M> {
        let (scratch, state) = (machine.scratch(), machine.initial());
        TranscriptWalk { machine, transcript: self, scratch, state, made: 0, has_differed: false }
    }
}

impl Match {
    /// The states that it went through on this machine, the initial one first.
    pub fn states<M: StateMachine>(&self, machine: &M) -> impl Iterator<Item = M::State> {
        let (mut scratch, mut state) = (machine.scratch(), machine.initial());
        let first = std::iter::once(state.clone());
        first.chain(self.steps.iter().map(move |step| {
            state = machine.next(&state, &step.joint, &mut scratch);
            state.clone()
        }))
    }
}

impl<M: StateMachine> TranscriptWalk<'_, M> {
    /// The state after the steps that were walked.
    pub fn state(&self) -> &M::State {
        &self.state
    }

    fn step(&mut self, record: &StepRecord) -> Result<WalkedStep<M::State>, String> {
        let (machine, limits, scratch) = (self.machine, &self.transcript.limits, &mut self.scratch);
        if self.made >= limits.steps {
            return Err(format!("the limit is {} steps", limits.steps));
        }
        if limits.playclock.is_none() && record.faults.iter().any(|fault| fault.kind == "late") {
            return Err("a fault is late, but there was no clock".to_owned());
        }
        if machine.terminal(&self.state, scratch) {
            return Err("the match was over before it".to_owned());
        }
        let legal = machine.legal_by_role(&self.state, scratch);
        let (joint, faults) = moves_of(machine, &legal, record)?;
        let percepts = percepts_of(machine, (&self.state, &joint), record, scratch)?;
        let after = machine.next(&self.state, &joint, scratch);
        if let Some(failure) = machine.take_failure(scratch) {
            return Err(failure.to_string());
        }
        self.made += 1;
        let before = std::mem::replace(&mut self.state, after.clone());
        let decided = |role: Role| {
            let said = record.decisions.as_ref()?.get(role.index())?.as_ref()?;
            Some(decision_of(machine, joint.of(role), said))
        };
        let decisions = ByRole::from_fn(legal.len(), decided);
        let times = ByRole::from_fn(legal.len(), |_| None);
        Ok(WalkedStep { before, step: MatchStep { legal, decisions, times, faults, joint, percepts }, after })
    }
}

impl<M: StateMachine> Iterator for TranscriptWalk<'_, M> {
    type Item = Agreement<WalkedStep<M::State>>;

    fn next(&mut self) -> Option<Self::Item> {
        let record = self.transcript.steps.get(self.made).filter(|_| !self.has_differed)?;
        let number = self.made + 1;
        let walked = self.step(record).map_err(|what| TranscriptDifference::Step { step: number, what });
        self.has_differed = walked.is_err();
        Some(walked)
    }
}

/// The joint move and the faults, if every move of it is legal and every fault is one.
fn moves_of<M: StateMachine>(
    machine: &M,
    legal: &ByRole<Vec<Move>>,
    record: &StepRecord,
) -> Result<(JointMove, Vec<Fault>), String> {
    if record.moves.len() != legal.len() {
        return Err(format!("{} moves for {} roles", record.moves.len(), legal.len()));
    }
    let is_legal =
        |role: Role, text: &str| machine.terms().read(text).map(Move).filter(|own| legal[role].contains(own));
    let mut joint = Vec::with_capacity(legal.len());
    for (role, text) in machine.each_role().zip(&record.moves) {
        let name = &machine.roles()[role];
        joint.push(is_legal(role, text).ok_or_else(|| {
            let legal: Vec<String> = legal[role].iter().map(|&own| machine.show_move(own)).collect();
            format!("{name} cannot do {text}; legal are {}", legal.join(" "))
        })?);
    }
    let mut faults: Vec<Fault> = Vec::new();
    for fault in &record.faults {
        let name = &fault.role;
        let role = machine.role_named(name).ok_or_else(|| format!("no role is named {name}"))?;
        if machine.random() == Some(role) {
            return Err(format!("{name} is recorded with a fault, but chooses by itself"));
        }
        if faults.iter().any(|other| other.role == role) {
            return Err(format!("{name} is recorded with two faults"));
        }
        let kind = kind_of(fault, |answer| is_legal(role, answer).is_some())?;
        faults.push(Fault { role, kind, replacement: joint[role.index()] });
    }
    Ok((JointMove::new(joint), faults))
}

/// The fault that is recorded, if it can have happened.
fn kind_of(fault: &FaultRecord, is_legal: impl Fn(&str) -> bool) -> Result<FaultKind, String> {
    let FaultRecord { role, kind, detail } = fault;
    match (FaultKind::named(kind, detail.as_deref()), detail) {
        (Some(FaultKind::Illegal(answer)), _) if is_legal(&answer) => {
            Err(format!("{answer} of {role} is recorded as illegal but is legal"))
        }
        (Some(kind), _) => Ok(kind),
        (None, None) if kind == "illegal" => Err(format!("the illegal move of {role} is not recorded")),
        (None, _) => Err(format!(
            "{kind:?} of {role} is no kind of fault; there are late, illegal, unreachable, crashed and dropped"
        )),
    }
}

/// The percepts of every role, if they are written.
fn percepts_of<M: StateMachine>(
    machine: &M,
    (state, joint): (&M::State, &JointMove),
    record: &StepRecord,
    scratch: &mut M::Scratch,
) -> Result<ByRole<Percepts>, String> {
    if record.percepts.len() != joint.len() {
        return Err(format!("percepts of {} roles for {} roles", record.percepts.len(), joint.len()));
    }
    let all = ByRole::from_fn(joint.len(), |role| machine.percepts(state, joint, role, scratch));
    for ((role, seen), written) in all.iter().zip(&record.percepts) {
        let read = written.iter().map(|text| machine.terms().read(text));
        if !read.eq(seen.iter().map(|percept| Some(percept.0))) {
            let seen: Vec<String> = seen.iter().map(|percept| machine.terms().show(percept.0)).collect();
            let name = &machine.roles()[role];
            return Err(format!("{name} perceives [{}], not [{}]", seen.join(" "), written.join(" ")));
        }
    }
    Ok(all)
}

/// A recorded decision as one that is made.
fn decision_of<M: StateMachine>(machine: &M, choice: Move, record: &DecisionRecord) -> Decision {
    let numbers = |map: &Map<String, Value>| -> Vec<(Move, f64)> {
        let read =
            |(own, number): (&String, &Value)| Some((Move(machine.terms().read(own)?), number.as_f64()?));
        map.iter().filter_map(read).collect()
    };
    Decision {
        policy: numbers(&record.policy),
        values: numbers(&record.values),
        depleted: record.depleted,
        recovered: record.recovered,
        ..Decision::draw(vec![(choice, 1.0)], &Seed::root(0))
    }
}
