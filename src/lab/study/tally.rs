//! Tally: the data kept of a match for the report of a series, and the decisions of a role in figures.

use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::json;

use hyperplay_machine::{ByRole, EvaluationFailure, Goal, Role};
use hyperplay_play::player::AskedCounts;
use hyperplay_play::referee::{Clocks, Match, MatchOutcome};

/// The decisions of one role: how many there were, and what they cost.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DecisionTally {
    /// Those between two legal moves or more; the next five are of these only.
    pub decisions: u64,
    /// States visited in them.
    pub states: u64,
    /// Playouts made in them.
    pub playouts: u64,
    /// Those of them on a depleted belief.
    pub depletions: u64,
    /// Those of them in which an evaluation failed, of the rules or by a sampler's program.
    pub failed: u64,
    /// Why the first of these failed.
    pub first_failure: Option<String>,
    /// Decisions on a belief that was depleted at the decision before.
    pub recoveries: u64,
    /// Matches whose last decision was made on a depleted belief.
    pub depleted_at_end: u64,
    /// The latest answer in time, where there are clocks.
    pub latest: Option<Latest>,
}

/// The answer that used the greatest share of its clock.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Latest {
    /// How long it took.
    pub seconds: f64,
    /// The share of the clock.
    pub share: f64,
}

impl Latest {
    fn of(played: &Match, role: Role, clocks: &Clocks) -> Option<Latest> {
        let timed = |(number, taken): (usize, Option<Duration>)| {
            let seconds = taken?.as_secs_f64();
            Some(Latest { seconds, share: seconds / clocks.time(number).as_secs_f64().max(1e-9) })
        };
        let times = played.steps.iter().map(|step| step.times[role]).enumerate();
        times.filter_map(timed).max_by(|a, b| a.share.total_cmp(&b.share))
    }
}

impl DecisionTally {
    /// Those of a role in a match.
    pub fn of(played: &Match, role: Role, clocks: Option<&Clocks>) -> DecisionTally {
        let said = || played.steps.iter().filter_map(|step| step.decisions[role].as_ref());
        let mut tally = DecisionTally {
            recoveries: said().filter(|decision| decision.recovered).count() as u64,
            depleted_at_end: u64::from(said().next_back().is_some_and(|decision| decision.depleted)),
            latest: clocks.and_then(|clocks| Latest::of(played, role, clocks)),
            ..DecisionTally::default()
        };
        for step in played.steps.iter().filter(|step| step.legal[role].len() > 1) {
            let Some(decision) = &step.decisions[role] else { continue };
            tally.decisions += 1;
            tally.states += decision.cost.states;
            tally.playouts += decision.cost.playouts;
            tally.depletions += u64::from(decision.depleted);
            if let Some(failure) = &decision.failure {
                tally.failed += 1;
                tally.first_failure.get_or_insert_with(|| failure.to_string());
            }
        }
        tally
    }

    /// Those that failed, to be said in words; `None` if none did.
    pub fn failures(&self) -> Option<AskedCounts> {
        let DecisionTally { decisions, failed, ref first_failure, .. } = *self;
        let first = first_failure.clone();
        (failed > 0).then(|| AskedCounts { decisions, failed, first, ..AskedCounts::default() })
    }

    /// Adds those of other matches.
    pub fn add(&mut self, other: DecisionTally) {
        self.decisions += other.decisions;
        self.states += other.states;
        self.playouts += other.playouts;
        self.depletions += other.depletions;
        self.failed += other.failed;
        self.first_failure = self.first_failure.take().or(other.first_failure);
        self.recoveries += other.recoveries;
        self.depleted_at_end += other.depleted_at_end;
        let both = [self.latest, other.latest].into_iter().flatten();
        self.latest = both.max_by(|a, b| a.share.total_cmp(&b.share));
    }
}

/// Sums over decisions as means, and the latest answer.
impl Serialize for DecisionTally {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mean = |sum: u64| (self.decisions > 0).then(|| sum as f64 / self.decisions as f64);
        json!({
            "count": self.decisions,
            "states_per_decision": mean(self.states),
            "playouts_per_decision": mean(self.playouts),
            "depletions": self.depletions,
            "failed": self.failed,
            "first_message": self.first_failure,
            "recoveries": self.recoveries,
            "depleted_at_end": self.depleted_at_end,
            "latest_seconds": self.latest.map(|latest| latest.seconds),
            "latest_share": self.latest.map(|latest| latest.share),
        })
        .serialize(to)
    }
}

/// The part of a match that a report of a series needs.
pub struct PlayedMatch {
    /// The goals, if it ended with goals.
    pub goals: Option<ByRole<Goal>>,
    /// Why it failed, if it did.
    pub failure: Option<EvaluationFailure>,
    /// How it ended, as a stable name.
    pub outcome: &'static str,
    /// Joint moves made.
    pub steps: usize,
    /// The faults, each with its role.
    pub faults: Vec<(Role, &'static str)>,
    /// By role.
    pub decisions: ByRole<DecisionTally>,
}

impl PlayedMatch {
    /// The data that a report needs of a match that was played with these clocks. The match is dropped here, which the crates above, compiled
    /// without optimisation, do slowly.
    pub fn new(played: Match, clocks: Option<&Clocks>) -> Self {
        let (goals, failure) = match &played.outcome {
            MatchOutcome::Over(goals) => (Some(goals.clone()), None),
            MatchOutcome::Failed(failure) => (None, Some(failure.clone())),
            _ => (None, None),
        };
        PlayedMatch {
            goals,
            failure,
            outcome: played.outcome.as_str(),
            steps: played.steps.len(),
            faults: played.faults().map(|(_, fault)| (fault.role, fault.kind.as_str())).collect(),
            decisions: ByRole::from_fn(played.evidence.len(), |one| DecisionTally::of(&played, one, clocks)),
        }
    }

    /// Whether it came to its end; not if it was interrupted.
    pub fn is_finished(&self) -> bool {
        self.outcome != MatchOutcome::Interrupted.as_str()
    }
}
