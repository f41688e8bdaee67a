//! Differences: where an engine and the interpreter give different answers, stated as facts of the game.

use std::fmt;

use serde::Serialize;

use crate::EngineKind;
use hyperplay_machine::{JointMove, StateMachine, StateMachineExt};

/// The first difference of a match.
///
/// ```
/// use hyperplay_engine::EngineKind;
/// use hyperplay_engine::crosscheck::EngineDifference;
///
/// let difference = EngineDifference {
///     engine: EngineKind::Lanes,
///     question: "the legal moves",
///     step: 2,
///     state: vec!["(true s)".to_owned()],
///     joint: Vec::new(),
///     missing: vec!["(legal a y)".to_owned()],
///     extra: Vec::new(),
/// };
/// assert!(difference.to_string().ends_with("; the state\n(true s)\n; only by the interpreter\n(legal a y)\n"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EngineDifference {
    /// Joint moves made before.
    pub step: usize,
    /// The engine that differs from the interpreter.
    pub engine: EngineKind,
    /// The question, in words.
    pub question: &'static str,
    /// The state as `true` facts.
    pub state: Vec<String>,
    /// The joint move as `does` facts; none if the question is about a state.
    #[serde(rename = "joint_move")]
    pub joint: Vec<String>,
    /// The facts that only the interpreter derives.
    pub missing: Vec<String>,
    /// The facts that only the other engine derives.
    pub extra: Vec<String>,
}

impl EngineDifference {
    /// The difference at a place between two lists of facts; they have the same facts if only their order differs.
    pub(super) fn new<M: StateMachine>(
        (machine, engine): (&M, EngineKind),
        (step, state, joint): (usize, &M::State, Option<&JointMove>),
        question: &'static str,
        [expected, found]: [Vec<String>; 2],
    ) -> Box<EngineDifference> {
        let but = |these: &[String], those: &[String]| -> Vec<String> {
            these.iter().filter(|fact| !those.contains(fact)).cloned().collect()
        };
        let state = machine.fluents(state).iter().map(|fluent| format!("(true {fluent})")).collect();
        let does = |joint: &JointMove| {
            let names = machine.roles().values().iter();
            names.zip(joint.iter()).map(|(role, &own)| fact("does", role, &machine.show_move(own))).collect()
        };
        Box::new(EngineDifference {
            step,
            engine,
            question,
            state,
            joint: joint.map_or_else(Vec::new, does),
            missing: but(&expected, &found),
            extra: but(&found, &expected),
        })
    }
}

/// A fact with two arguments.
pub(super) fn fact(relation: &str, role: &str, argument: &str) -> String {
    format!("({relation} {role} {argument})")
}

impl fmt::Display for EngineDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "after {} steps the {} differs in {}", self.step, self.engine, self.question)?;
        let mut part = |title: &str, facts: &[String]| -> fmt::Result {
            if facts.is_empty() {
                return Ok(());
            }
            writeln!(f, "; {title}")?;
            facts.iter().try_for_each(|fact| writeln!(f, "{fact}"))
        };
        part("the state", &self.state)?;
        part("the joint move", &self.joint)?;
        if self.missing.is_empty() && self.extra.is_empty() {
            return part("the same facts in another order", &[String::new()]);
        }
        part("only by the interpreter", &self.missing)?;
        part(&format!("only by the {}", self.engine), &self.extra)
    }
}
