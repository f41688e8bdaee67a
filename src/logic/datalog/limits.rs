//! Limits: bounds on one evaluation, so that no program runs for ever or fills the memory.
//!
//! Validation guarantees that finitely many atoms are derived, but not that they are few. A rule may ask for 2^100
//! tuples, for terms that double with every step of a match, or for a join that takes years. Each default bound is far
//! beyond what the games of the field need, and is reached within half a minute. A rule whose tuples are all combinations of rows is
//! refused at once where there are too many.
//!
//! A [`Database`](super::Database) may also have a deadline. The clock is read once in some thousand visited rows, so
//! that a rule that would run for a minute ends some milliseconds after its deadline. The tuples derived until then are
//! not marked as evaluated, so no later question sees them.

use std::time::Instant;

use thiserror::Error;

/// Bounds on one evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EvaluationLimits {
    /// The number of tuples that one relation may hold.
    pub tuples: usize,
    /// The number of terms that the tuples of one relation may hold together.
    pub cells: usize,
    /// The depth to which a derived term may be nested.
    pub depth: u32,
    /// The number of names that a derived term may consist of.
    pub size: u32,
    /// The number of rows that one run of a rule may visit.
    pub visits: u64,
}

impl Default for EvaluationLimits {
    fn default() -> Self {
        Self { tuples: 5_000_000, cells: 50_000_000, depth: 100, size: 100_000, visits: 500_000_000 }
    }
}

/// The number of tuples of a relation that a sample for planning holds at most.
pub(super) const SAMPLED_TUPLES: usize = 50_000;
/// The number of rows that a rule visits at most where only a sample is wanted: for planning, or to measure the work of a step.
pub const SAMPLED_VISITS: u64 = 15_000_000;

/// The limit that an evaluation exceeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitExceeded {
    /// A relation holds too many tuples.
    Tuples,
    /// A term is nested too deeply.
    Depth,
    /// A term consists of too many names.
    Size,
    /// One run of a rule visited too many rows.
    Visits,
    /// The deadline of the database passed.
    Deadline,
}

/// The work of evaluations. The same evaluations on the same database do the same on every machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EvaluationWork {
    /// Rows that were visited.
    pub visits: u64,
    /// Tuples that were tested, and tuples that were derived, each as often as it was.
    pub tests: u64,
}

/// Rows that are visited between two looks at the clock.
const VISITS_A_LOOK: u64 = 2048;
/// This number of visited rows is as much work as one run of a rule that visits none.
const VISITS_A_RUN: u64 = 16;

/// The rows that an evaluation visits, counted, with the points at which it may have to stop.
#[derive(Clone, Debug, Default)]
pub(super) struct VisitCounter {
    /// The rows visited since the current rule was started, those of its subgoals included.
    pub(super) visits: u64,
    /// The rows visited in all runs before.
    pub(super) before: u64,
    /// Tuples tested and tuples derived in all runs.
    pub(super) tested: u64,
    /// The number of visits after which the limit and the clock are looked at; 0 once the evaluation has stopped.
    next_look: u64,
    /// The number of visits when the clock was read last in this run.
    last_look: u64,
    /// The visits that were left until the next look when this run began.
    until_look: u64,
    /// The most visits of this run.
    limit: u64,
    deadline: Option<Instant>,
    pub(super) stopped: Option<LimitExceeded>,
}

impl VisitCounter {
    /// Replaces the deadline. The clock is read when the next run begins.
    pub(super) fn set_deadline(&mut self, deadline: Option<Instant>) -> Option<Instant> {
        self.before += self.visits;
        (self.until_look, self.visits, self.last_look) = (0, 0, 0);
        std::mem::replace(&mut self.deadline, deadline)
    }

    /// Begins the run of a rule, in which `limit` rows may be visited. False if the deadline has passed.
    pub(super) fn begin(&mut self, limit: u64) -> bool {
        let made = self.visits - self.last_look + VISITS_A_RUN;
        self.before += self.visits;
        (self.visits, self.last_look, self.limit, self.stopped) = (0, 0, limit, None);
        if self.deadline.is_none() {
            self.next_look = limit;
            return true;
        }
        self.until_look = self.until_look.saturating_sub(made);
        self.next_look = limit.min(self.until_look);
        self.until_look > 0 || self.look()
    }

    /// Counts a visited row. False if it was one too many, or if the deadline has passed.
    #[inline]
    pub(super) fn visit(&mut self) -> bool {
        self.visits += 1;
        self.visits <= self.next_look || self.look()
    }

    #[cold]
    fn look(&mut self) -> bool {
        if self.stopped.is_none() && self.visits > self.limit {
            self.stopped = Some(LimitExceeded::Visits);
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.stopped = self.stopped.or(Some(LimitExceeded::Deadline));
        }
        if self.stopped.is_some() {
            self.next_look = 0;
            return false;
        }
        (self.last_look, self.until_look) = (self.visits, VISITS_A_LOOK);
        self.next_look = self.limit.min(self.visits + VISITS_A_LOOK);
        true
    }
}

/// What an evaluation gives within its limits.
pub type LimitResult<T = ()> = Result<T, LimitError>;

/// The error of an evaluation that exceeded a limit.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}{rule})", said(*exceeded, relation, *limit))]
pub struct LimitError {
    /// The kind of the limit.
    pub exceeded: LimitExceeded,
    /// The limit; 0 for a deadline.
    pub limit: u64,
    /// The relation that was being derived.
    pub relation: String,
    /// The rule that was being evaluated.
    pub rule: String,
}

fn said(exceeded: LimitExceeded, relation: &str, limit: u64) -> String {
    let holds = |what: String| format!("the relation `{relation}` holds {what} (last rule: ");
    match exceeded {
        LimitExceeded::Tuples => holds(format!("more than {limit} tuples")),
        LimitExceeded::Depth => holds(format!("terms nested deeper than {limit}")),
        LimitExceeded::Size => holds(format!("terms of more than {limit} names")),
        LimitExceeded::Visits => {
            format!("more than {limit} tuples were looked at to derive `{relation}` (rule: ")
        }
        LimitExceeded::Deadline => format!("the time was up when `{relation}` was derived (rule: "),
    }
}
