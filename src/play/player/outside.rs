//! The sampler `program`: a program of the user that is asked over its standard streams, in any language.
//!
//! Both sides write one JSON object a line. A belief begins with `{"schema": "hyperplay.sampler/1", "game", "rules" (the
//! text of the rulesheet), "roles", "role"}`, which has no answer. An update is asked for by
//!
//! ```text
//! {"id": 3, "evidence": [{"move": "noop", "sees": ["(holds king)"]}], "over": false, "particles": 16, "seed": 7,
//!  "milliseconds": 50, "states": null}
//! ```
//!
//! with the time and the states that it may take, if they are limited, and is answered by
//!
//! ```text
//! {"id": 3, "histories": [{"moves": [["(deal king queen)", "noop", "noop"]], "weight": 1}], "states": 12}
//! ```
//!
//! `moves` has a joint move for each step, in the order of the roles; `weight` and `states` (the states that it visited)
//! may be left out. Every history is replayed: one that is not legal, or does not explain the evidence, is a failure that
//! names it. No history is a depleted belief. An answer after the deadline is dropped. A program serves one belief after
//! the other; where several are held at once, there are several programs.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use rand::RngExt as _;
use serde::Deserialize;
use serde_json::{Value, json};

use super::catalogue::PROGRAM;
use super::{Registry, Spec, SpecEntry, SpecKey};
use hyperplay_engine::Engine;
use hyperplay_machine::{
    Budget, EvaluationFailure, Evidence, History, JointMove, Move, Observation, Role, Seed, State,
    StateMachine as _, StateMachineExt as _,
};
use hyperplay_think::belief::{
    BoxedBelief, Histories, HistoryBelief, Sampler, SharedModel, TracedHistory, UpdateOutcome,
};

/// How long a program without a deadline may take.
const LONGEST: Duration = Duration::from_secs(3_600);

/// A history with its weight.
type Weighted = (TracedHistory<State>, f64);

impl Registry {
    /// The same with the sampler `program`, which starts a program of the user. A registry that has a sampler of this name
    /// keeps its own.
    #[must_use]
    pub fn with_programs(&self) -> Registry {
        let about = "This sampler is a program of yours, which is asked over its standard streams (docs/extending.md).";
        let command = "The program is started with this command, whose words are between spaces.";
        let entry =
            SpecEntry::new(PROGRAM, about).with(SpecKey::text("command", "a command", "./sampler", command));
        let sampler = |command: &str| ProgramSampler { command: command.into(), idle: Arc::default() };
        let read = move |spec: &Spec, _: &Registry| Ok(sampler(spec.text("command")));
        self.clone().with_sampler(entry, read).unwrap_or_else(|_| self.clone())
    }
}

/// The sampler, with the programs that serve no belief. One is started when a belief is first updated.
#[derive(Clone)]
struct ProgramSampler {
    /// The command, whose words are between spaces.
    command: Arc<str>,
    idle: Arc<Mutex<Vec<Asked>>>,
}

impl Sampler<Engine> for ProgramSampler {
    fn belief(
        &self,
        machine: &Arc<Engine>,
        role: Role,
        model: &SharedModel,
        particles: usize,
    ) -> BoxedBelief<Engine> {
        let mut asking = Asking { sampler: self.clone(), asked: None };
        let name = Arc::clone(&self.command);
        answered_belief(machine, role, model, particles, name, move |histories, evidence, budget, seed| {
            asking.update(histories, evidence, budget, seed).inspect_err(|_| {
                // What it says next may be an answer to what it was asked before.
                asking.asked = None;
            })
        })
    }
}

/// The belief of a sampler from outside, which answers weighted histories, or a sentence that says why it cannot.
pub fn answered_belief(
    machine: &Arc<Engine>,
    role: Role,
    model: &SharedModel,
    particles: usize,
    sampler: Arc<str>,
    mut answer: impl FnMut(&mut Histories<Engine>, &Evidence, &Budget, &Seed) -> Result<Vec<Weighted>, String>
    + Send
    + Sync
    + 'static,
) -> BoxedBelief<Engine> {
    Box::new(HistoryBelief::new(machine, role, model, particles, move |histories, evidence, budget, seed| {
        let found = answer(histories, evidence, budget, seed).unwrap_or_else(|reason| {
            histories.fail(EvaluationFailure { reason: format!("the sampler '{sampler}': {reason}") });
            Vec::new()
        });
        let is_empty = found.is_empty();
        histories.replace(found);
        if is_empty { UpdateOutcome::Depleted { step: evidence.step() } } else { UpdateOutcome::Sampled }
    }))
}

/// A program that was started.
struct Asked {
    child: Child,
    input: ChildStdin,
    lines: Mutex<Receiver<String>>,
    id: u64,
}

impl Drop for Asked {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a program answers.
#[derive(Deserialize)]
struct Answer {
    id: u64,
    histories: Vec<AnsweredHistory>,
    #[serde(default)]
    states: u64,
}

#[derive(Deserialize)]
struct AnsweredHistory {
    moves: Vec<Vec<String>>,
    #[serde(default = "one")]
    weight: f64,
}

fn one() -> f64 {
    1.0
}

impl Asked {
    fn start(command: &str) -> Result<Asked, String> {
        let mut words = command.split_whitespace();
        let mut started = Command::new(words.next().unwrap_or_default());
        started.args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = started.spawn().map_err(|cause| cause.to_string())?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let input = input.expect("its input is piped");
        let output = BufReader::new(output.expect("its output is piped"));
        let (sender, lines) = channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Ok(Asked { child, input, lines: Mutex::new(lines), id: 0 })
    }

    fn tell(&mut self, message: &Value) -> Result<(), String> {
        writeln!(self.input, "{message}")
            .and_then(|()| self.input.flush())
            .map_err(|cause| format!("it reads no more: {cause}"))
    }

    /// The answer to the last question; none if it does not come in time.
    fn answer(&mut self, budget: &Budget) -> Result<Option<Answer>, String> {
        let lines = self.lines.get_mut();
        loop {
            let line = match lines.recv_timeout(budget.left().unwrap_or(LONGEST)) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => return Err("it ended without an answer".to_owned()),
            };
            let answer: Answer = serde_json::from_str(&line).map_err(|cause| {
                format!("its answer is not as docs/extending.md has it: {cause}: {line:.100}")
            })?;
            if answer.id == self.id {
                return Ok(Some(answer));
            }
        }
    }
}

/// The means by which one belief asks.
struct Asking {
    sampler: ProgramSampler,
    /// None before the first update.
    asked: Option<Asked>,
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.sampler.idle.lock().extend(self.asked.take());
    }
}

impl Asking {
    /// The histories that the program answers, none if it is late.
    fn update(
        &mut self,
        histories: &mut Histories<Engine>,
        evidence: &Evidence,
        budget: &Budget,
        seed: &Seed,
    ) -> Result<Vec<Weighted>, String> {
        let machine = Arc::clone(&histories.machine);
        if self.asked.is_none() {
            let idle = self.sampler.idle.lock().pop();
            let mut asked = idle.map_or_else(|| Asked::start(&self.sampler.command), Ok)?;
            let (game, roles) = (machine.game(), machine.roles());
            asked.tell(&json!({
                "schema": "hyperplay.sampler/1", "game": game.name(), "rules": game.source().text(),
                "roles": roles.values(), "role": roles[evidence.role],
            }))?;
            self.asked = Some(asked);
        }
        let asked = self.asked.as_mut().expect("it was started");
        asked.id += 1;
        let show = |term| machine.terms().show(term);
        let step = |step: &Observation| {
            let sees: Vec<String> = step.percepts.iter().map(|percept| show(percept.0)).collect();
            json!({ "move": step.own.presumed().map(|own| show(own.0)), "sees": sees })
        };
        let left = budget.left().map(|left| left.as_millis() as u64);
        asked.tell(&json!({
            "id": asked.id, "evidence": evidence.steps.iter().map(step).collect::<Vec<Value>>(), "over": evidence.over,
            "particles": histories.wanted, "seed": seed.rng().random_range(0..1_u64 << 53),
            "milliseconds": left, "states": budget.nodes,
        }))?;
        let Some(Answer { histories: answered, states, .. }) = asked.answer(budget)? else {
            return Ok(Vec::new());
        };
        histories.cost_mut().states += states;
        let answered = answered.iter().enumerate();
        answered.map(|(number, of)| explaining(histories, evidence, number, &of.moves, of.weight)).collect()
    }
}

/// History `number` (from 0) of an answer, with its weight, if its joint moves, each in the order of the roles, explain the evidence.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub fn explaining(
    histories: &mut Histories<Engine>,
    evidence: &Evidence,
    number: usize,
    moves: &[Vec<String>],
    weight: f64,
) -> Result<Weighted, String> {
    let wrong = |what: String| format!("history {}: {what}", number + 1);
    if !(weight.is_finite() && weight > 0.0) {
        return Err(wrong(format!("its weight is {weight}, expected more than 0")));
    }
    let history = legal(&histories.machine, moves).map_err(wrong)?;
    let history = histories.trace(&history);
    let explains = history.evidence(evidence.role) == *evidence;
    explains.then_some((history, weight)).ok_or_else(|| wrong("it does not explain the evidence".to_owned()))
}

/// The history of these moves, or why it is none.
fn legal(machine: &Engine, moves: &[Vec<String>]) -> Result<History, String> {
    let (mut scratch, mut state, mut history) = (machine.scratch(), machine.initial(), History::default());
    for (number, joint) in moves.iter().enumerate() {
        let step = number + 1;
        if machine.terminal(&state, &mut scratch) {
            return Err(format!("step {step}: the match is over before it"));
        }
        let legal = machine.legal_by_role(&state, &mut scratch);
        if joint.len() != machine.roles().len() {
            return Err(format!("step {step}: a joint move has {} moves", machine.roles().len()));
        }
        let own = |(role, text): (Role, &String)| {
            let own = machine.terms().read(text).map(Move).filter(|own| legal[role].contains(own));
            own.ok_or_else(|| format!("step {step}: '{text}' is not legal for {}", machine.roles()[role]))
        };
        let joint: Vec<Move> = machine.each_role().zip(joint).map(own).collect::<Result<_, _>>()?;
        history.0.push(JointMove::new(joint));
        state = machine.next(&state, history.0.last().expect("it was added"), &mut scratch);
    }
    Ok(history)
}
