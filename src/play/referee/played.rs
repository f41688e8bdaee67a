//! A match that was played: its steps, its end, and what each role knew at last.

use std::time::Duration;

use super::fault::{Fault, FaultKind};
use crate::player::Decision;
use hyperplay_machine::{
    ByRole, EvaluationFailure, Evidence, Goal, History, JointMove, Move, Percepts, Role,
};

/// The events of one step.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchStep {
    /// The legal moves of every role.
    pub legal: ByRole<Vec<Move>>,
    /// The answers that the players gave in time; none for `random`.
    pub decisions: ByRole<Option<Decision>>,
    /// With clocks, how long these answers took.
    pub times: ByRole<Option<Duration>>,
    /// The moves that were replaced.
    pub faults: Vec<Fault>,
    /// The joint move made.
    pub joint: JointMove,
    /// The percepts of each role.
    pub percepts: ByRole<Percepts>,
}

/// How a match ended.
#[derive(Clone, PartialEq, Eq, Debug, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum MatchOutcome {
    /// In a terminal state with these goals.
    Over(ByRole<Goal>),
    /// Unfinished after the limit of steps.
    StepLimit,
    /// This role had no legal move in a state that is not terminal: a fault of the rules.
    NoLegalMove(Role),
    /// The rules could not be evaluated any further.
    Failed(EvaluationFailure),
    /// The interrupt was raised.
    Interrupted,
}

impl MatchOutcome {
    /// The stable name, as in transcripts.
    pub fn as_str(&self) -> &'static str {
        self.into()
    }
}

/// One match played.
#[derive(Clone, PartialEq, Debug)]
pub struct Match {
    /// The roles that did not say in time that they were ready, and why; the match went on all the same.
    pub unready: Vec<(Role, FaultKind)>,
    /// The steps, in order.
    pub steps: Vec<MatchStep>,
    /// How it ended.
    pub outcome: MatchOutcome,
    /// The knowledge of every role at the end.
    pub evidence: ByRole<Evidence>,
}

impl Match {
    /// The joint moves made.
    pub fn history(&self) -> History {
        History(self.steps.iter().map(|step| step.joint.clone()).collect())
    }

    /// The faults with the number of the step (from 1) at which they happened.
    pub fn faults(&self) -> impl Iterator<Item = (usize, &Fault)> {
        self.steps
            .iter()
            .enumerate()
            .flat_map(|(n, step)| step.faults.iter().map(move |fault| (n + 1, fault)))
    }
}
