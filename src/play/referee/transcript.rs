//! A transcript: the record of one match as one line of JSON.
//!
//! Terms stand as strings in prefix form. Lists with one entry a role are in role order. Data that depend on the
//! computer that played (date, host, threads, engine, time) are in [`Transcript::run`], and with clocks in the seconds
//! of every step, so two transcripts of one seed without clocks are equal but for [`Transcript::run`]. The rules are
//! named by a hash over their canonical print: comments, layout, capitals and the choice of syntax do not matter.
//!
//! `docs/transcript.md` explains every field and the policy of compatibility.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    ChrononClock, ChrononRecord, FaultKind, Match, MatchOutcome, MatchStep, Settings, Substitute, date,
};
use crate::player::Decision;
use hyperplay_engine::EngineKind;
use hyperplay_machine::{ByRole, Move, Role, StateMachine, StateMachineExt};

/// The name of this form of transcripts.
pub const SCHEMA: &str = "hyperplay.transcript/1";

/// The record of one match.
///
/// ```
/// use hyperplay_machine::{ByRole, Seed};
/// use hyperplay_play::player::{LegalPlayer, Seat};
/// use hyperplay_play::referee::{
///     DecisionRecord, Heading, Interrupt, MatchLimits, RunInfo, SCHEMA, Settings, StepRecord, Transcript, play_match,
/// };
///
/// # use hyperplay_engine::{EngineKind, Engines};
/// # use hyperplay_logic::gdl::{Source, load};
/// // One role says yes, and wins, or no.
/// let text = "(role me) (init asked) (legal me yes) (legal me no)
///     (<= (next said_yes) (does me yes)) (<= terminal (not (true asked)))
///     (<= (goal me 100) (true said_yes)) (<= (goal me 0) (not (true said_yes)))";
/// let game = load(Source::new("yes", text), None).game.expect("the rules are in order");
/// let machine = Engines::new(&game).get(EngineKind::Auto)?;
/// let (seats, settings) = (ByRole::new(vec![Some(Seat::player(LegalPlayer))]), Settings::default());
/// let played = play_match(&*machine, seats, &settings, &Seed::root(1), &Interrupt::default(), |_| ())?;
/// let (game, rules) = ("yes".to_owned(), "sha256:0".to_owned());
/// let heading = Heading { game, rules, players: vec![Some("legal".to_owned())], seed: 1, decisions: true };
/// let mut transcript = Transcript::new(&*machine, &heading, &settings, 0, &played);
/// let MatchLimits { steps, startclock, .. } = transcript.limits;
/// assert_eq!((transcript.schema.as_str(), steps, startclock), (SCHEMA, settings.limit, None));
/// let StepRecord { moves, faults, decisions, .. } = &transcript.steps[0];
/// assert!(moves[0] == "no" && faults.is_empty());
/// let said: &DecisionRecord = decisions.as_ref().and_then(|said| said[0].as_ref()).expect("it was recorded");
/// assert_eq!(said.policy["no"], 1.0);
///
/// transcript.run = Some(RunInfo::now(machine.kind(), 1, 0.1));
/// let line = serde_json::to_string(&transcript)?;
/// assert_eq!(serde_json::from_str::<Transcript>(&line)?, transcript);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Transcript {
    /// [`SCHEMA`].
    pub schema: String,
    /// Where the rules came from: a path, or the name of a built-in game.
    pub game: String,
    /// The hash of the rules, by [`rules_hash`](hyperplay_logic::gdl::rules_hash).
    pub rules: String,
    /// The names of the roles.
    pub roles: Vec<String>,
    /// The spec of each role's player; none for `random`.
    pub players: Vec<Option<String>>,
    /// The seed of the series.
    pub seed: u64,
    /// Which match of the series this is, from 0.
    #[serde(rename = "match")]
    pub index: usize,
    /// The limits that the match was played under.
    pub limits: MatchLimits,
    /// In an interaction in SIDL: how long its chronons were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chronon: Option<ChrononClock>,
    /// Players that did not say in time that they were ready.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unready: Vec<FaultRecord>,
    /// The events, step by step.
    pub steps: Vec<StepRecord>,
    /// `over`, `step-limit`, `no-legal-move`, or `failed` if the rules could not be evaluated. A match that was
    /// interrupted leaves no transcript.
    pub outcome: String,
    /// The goals, if the match is over.
    pub goals: Option<Vec<u8>>,
    /// Where and when; no part of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunInfo>,
}

/// The limits of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchLimits {
    /// The longest match, in steps.
    pub steps: usize,
    /// States a decision, if limited.
    pub nodes: Option<u64>,
    /// Seconds, if there were clocks.
    pub startclock: Option<f64>,
    /// Seconds, if there were clocks.
    pub playclock: Option<f64>,
    /// Roles with clocks of their own: start clock and play clock in seconds.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub own_clocks: BTreeMap<String, (f64, f64)>,
    /// The number of faults after which a player was not asked any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strikes: Option<usize>,
    /// Whether the first legal move stood in for one that did not come, and not one drawn at random.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first_on_fault: bool,
    /// Whether players thought ahead between their decisions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub think_ahead: bool,
}

/// One step.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StepRecord {
    /// The joint move.
    pub moves: Vec<String>,
    /// The percepts of each role.
    pub percepts: Vec<Vec<String>>,
    /// The moves that were replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<FaultRecord>,
    /// With clocks: the seconds that each answer took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<Vec<Option<f64>>>,
    /// How the players judged, if this is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decisions: Option<Vec<Option<DecisionRecord>>>,
    /// In an interaction in SIDL: the commands, and the state after them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chronon: Option<ChrononRecord>,
}

/// One replaced move; the replacement stands in the joint move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FaultRecord {
    /// Whose move it was.
    pub role: String,
    /// `late`, `illegal`, `unreachable`, `crashed` or `dropped`.
    pub kind: String,
    /// The answer that was not legal, or the cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// How a player judged.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DecisionRecord {
    /// The probability of each move.
    pub policy: Map<String, Value>,
    /// The expected goal of each move considered.
    pub values: Map<String, Value>,
    /// States visited.
    pub states: u64,
    /// Playouts made.
    pub playouts: u64,
    /// Whether the belief was depleted.
    pub depleted: bool,
    /// Whether it was at the decision before, and is not any more. Absent if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recovered: bool,
}

/// Where and when a match was played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunInfo {
    /// When the series began.
    pub date: String,
    /// The name of the computer.
    pub host: String,
    /// The engine of the referee.
    pub engine: String,
    /// Threads of the series.
    pub threads: usize,
    /// How long this match took.
    pub seconds: f64,
}

impl RunInfo {
    /// A match that was played now, on this computer.
    pub fn now(engine: EngineKind, threads: usize, seconds: f64) -> RunInfo {
        RunInfo { date: date(), host: host(), engine: engine.to_string(), threads, seconds }
    }
}

/// The further data of a transcript, besides the events.
#[derive(Clone, Debug)]
pub struct Heading {
    /// Where the rules came from.
    pub game: String,
    /// Their hash.
    pub rules: String,
    /// The specs of the players.
    pub players: Vec<Option<String>>,
    /// The seed of the series.
    pub seed: u64,
    /// Whether to record how the players judged.
    pub decisions: bool,
}

/// The name of this computer.
pub fn host() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}

impl Transcript {
    /// The record of match number `index` of a series.
    pub fn new<M: StateMachine>(
        machine: &M,
        heading: &Heading,
        settings: &Settings,
        index: usize,
        played: &Match,
    ) -> Transcript {
        let seconds = |time: std::time::Duration| time.as_secs_f64();
        Transcript {
            schema: SCHEMA.to_owned(),
            game: heading.game.clone(),
            rules: heading.rules.clone(),
            roles: machine.roles().values().to_vec(),
            players: heading.players.clone(),
            seed: heading.seed,
            index,
            limits: MatchLimits {
                steps: settings.limit,
                nodes: settings.nodes,
                startclock: settings.clocks.map(|clocks| seconds(clocks.start)),
                playclock: settings.clocks.map(|clocks| seconds(clocks.play)),
                own_clocks: settings
                    .own_clocks
                    .iter()
                    .map(|(role, own)| {
                        (machine.roles()[*role].clone(), (seconds(own.start), seconds(own.play)))
                    })
                    .collect(),
                strikes: settings.strikes,
                first_on_fault: settings.on_fault == Substitute::First,
                think_ahead: settings.thinks_ahead(),
            },
            chronon: None,
            unready: played.unready.iter().map(|(role, kind)| fault_record(machine, *role, kind)).collect(),
            steps: played.steps.iter().map(|step| record(machine, step, heading, settings)).collect(),
            outcome: played.outcome.as_str().to_owned(),
            goals: match &played.outcome {
                MatchOutcome::Over(goals) => Some(goals.values().iter().map(|goal| goal.value()).collect()),
                _ => None,
            },
            run: None,
        }
    }

    /// The record with what an interaction in SIDL has besides: how long its chronons were, and what happened in each.
    pub fn with_chronons(mut self, clock: ChrononClock, chronons: Vec<ChrononRecord>) -> Transcript {
        self.chronon = Some(clock);
        for (step, chronon) in self.steps.iter_mut().zip(chronons) {
            step.chronon = Some(chronon);
        }
        self
    }
}

fn record<M: StateMachine>(
    machine: &M,
    step: &MatchStep,
    heading: &Heading,
    settings: &Settings,
) -> StepRecord {
    let seen =
        |seen: &hyperplay_machine::Percepts| seen.iter().map(|&term| machine.terms().show(term.0)).collect();
    let judged = |said: &ByRole<Option<Decision>>| {
        said.values().iter().map(|said| said.as_ref().map(|said| judgement(machine, said))).collect()
    };
    let times = || step.times.values().iter().map(|taken| taken.map(|taken| taken.as_secs_f64()));
    StepRecord {
        moves: step.joint.iter().map(|&own| machine.show_move(own)).collect(),
        percepts: step.percepts.values().iter().map(seen).collect(),
        faults: step.faults.iter().map(|fault| fault_record(machine, fault.role, &fault.kind)).collect(),
        seconds: settings.clocks.map(|_| times().collect()),
        decisions: heading.decisions.then(|| judged(&step.decisions)),
        chronon: None,
    }
}

fn fault_record<M: StateMachine>(machine: &M, role: Role, kind: &FaultKind) -> FaultRecord {
    FaultRecord {
        role: machine.roles()[role].clone(),
        kind: kind.as_str().to_owned(),
        detail: kind.detail().map(str::to_owned),
    }
}

fn judgement<M: StateMachine>(machine: &M, said: &Decision) -> DecisionRecord {
    let by_move = |pairs: &[(Move, f64)]| {
        pairs.iter().map(|&(own, number)| (machine.show_move(own), number.into())).collect()
    };
    DecisionRecord {
        policy: by_move(&said.policy),
        values: by_move(&said.values),
        states: said.cost.states,
        playouts: said.cost.playouts,
        depleted: said.depleted,
        recovered: said.recovered,
    }
}
