//! The report of a series of matches: mean goals, unfinished matches, faults.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::failure::CommandFailure;
use super::output::Output;
use hyperplay_engine::machine::{ByRole, Goal, Role};
use hyperplay_lab::report::Format::{Digits, Number, Text};
use hyperplay_lab::report::{Column, Sample, Table, TableEntry};
use hyperplay_play::referee::{Heading, Match, MatchOutcome};

/// What the decisions of one role cost, those between two legal moves or more.
#[derive(Clone, Copy, Default)]
struct Work {
    decisions: u64,
    states: u64,
    playouts: u64,
    depletions: u64,
}

impl Work {
    /// The work of a role in a match.
    fn of(played: &Match, role: Role) -> Work {
        let mut work = Work::default();
        for step in played.steps.iter().filter(|step| step.legal[role].len() > 1) {
            let Some(decision) = &step.decisions[role] else { continue };
            work.add(Work {
                decisions: 1,
                states: decision.cost.states,
                playouts: decision.cost.playouts,
                depletions: u64::from(decision.depleted),
            });
        }
        work
    }

    fn add(&mut self, other: Work) {
        self.decisions += other.decisions;
        self.states += other.states;
        self.playouts += other.playouts;
        self.depletions += other.depletions;
    }

    fn as_json(&self) -> Value {
        let mean = |sum: u64| (self.decisions > 0).then(|| sum as f64 / self.decisions as f64);
        json!({
            "count": self.decisions,
            "states_per_decision": mean(self.states),
            "playouts_per_decision": mean(self.playouts),
            "depletions": self.depletions,
        })
    }
}

/// The part of a match that the report needs.
pub struct Played {
    goals: Option<ByRole<Goal>>,
    outcome: &'static str,
    steps: usize,
    faults: Vec<(Role, &'static str)>,
    work: ByRole<Work>,
}

impl From<&Match> for Played {
    fn from(played: &Match) -> Self {
        Played {
            goals: match &played.outcome {
                MatchOutcome::Over(goals) => Some(goals.clone()),
                _ => None,
            },
            outcome: played.outcome.as_str(),
            steps: played.steps.len(),
            faults: played.faults().map(|(_, fault)| (fault.role, fault.kind.as_str())).collect(),
            work: ByRole::from_fn(played.evidence.len(), |role| Work::of(played, role)),
        }
    }
}

impl Played {
    /// Whether it came to its end; not if it was interrupted.
    pub fn is_finished(&self) -> bool {
        self.outcome != MatchOutcome::Interrupted.as_str()
    }
}

/// The heading of the report.
pub struct Title<'a> {
    /// Where the rules came from.
    pub game: &'a str,
    /// The names of the roles.
    pub roles: &'a ByRole<String>,
    /// Rules, players and seed.
    pub heading: &'a Heading,
    /// How many threads played.
    pub threads: usize,
    /// Whether the seed fixes the result: there were no clocks.
    pub reproduces: bool,
}

impl Title<'_> {
    /// The roles that are played, with their specs.
    fn players(&self) -> impl Iterator<Item = (Role, &str, &str)> {
        let specs = self.heading.players.iter();
        self.roles
            .iter()
            .zip(specs)
            .filter_map(|((role, name), spec)| Some((role, name.as_str(), spec.as_deref()?)))
    }
}

/// The sums over a series of matches.
pub struct Report {
    scores: ByRole<Sample>,
    matches: usize,
    steps: u64,
    unfinished: BTreeMap<&'static str, u64>,
    faults: ByRole<BTreeMap<&'static str, u64>>,
    work: ByRole<Work>,
    /// How long it took.
    pub time: Duration,
}

impl Report {
    /// No match yet.
    pub fn new(roles: usize) -> Self {
        Report {
            scores: ByRole::from_fn(roles, |_| Sample::default()),
            matches: 0,
            steps: 0,
            unfinished: BTreeMap::new(),
            faults: ByRole::from_fn(roles, |_| BTreeMap::new()),
            work: ByRole::from_fn(roles, |_| Work::default()),
            time: Duration::ZERO,
        }
    }

    /// The number of matches.
    pub fn matches(&self) -> usize {
        self.matches
    }

    /// Counts one more match. One without goals counts as unfinished and in no mean.
    pub fn add(&mut self, played: &Played) {
        self.matches += 1;
        self.steps += played.steps as u64;
        match &played.goals {
            Some(goals) => {
                goals.iter().for_each(|(role, &goal)| self.scores[role].add(f64::from(goal.value())))
            }
            None => *self.unfinished.entry(played.outcome).or_default() += 1,
        }
        played.work.iter().for_each(|(role, &work)| self.work[role].add(work));
        for &(role, kind) in &played.faults {
            *self.faults[role].entry(kind).or_default() += 1;
        }
    }

    fn rate(&self) -> f64 {
        self.matches as f64 / self.time.as_secs_f64().max(1e-9)
    }

    fn all_faults(&self) -> u64 {
        self.faults.values().iter().flat_map(BTreeMap::values).sum()
    }

    /// The report as `docs/json.md` has it.
    pub fn as_json(&self, title: &Title<'_>) -> Value {
        let mut goals = Map::new();
        let mut players = Map::new();
        let mut faults = Map::new();
        let mut decisions = Map::new();
        for (role, name, spec) in title.players() {
            let score = &self.scores[role];
            goals.insert(name.to_owned(), json!({ "mean": score.mean(), "ci95": score.half_width() }));
            players.insert(name.to_owned(), spec.into());
            faults.insert(name.to_owned(), json!(self.faults[role]));
            decisions.insert(name.to_owned(), self.work[role].as_json());
        }
        json!({
            "game": title.game,
            "rules": title.heading.rules,
            "seed": title.heading.seed,
            "reproduces": title.reproduces,
            "threads": title.threads,
            "players": players,
            "matches": self.matches,
            "goals": goals,
            "faults": self.all_faults(),
            "faults_by_role": faults,
            "decisions": decisions,
            "unfinished": self.unfinished,
            "steps": self.steps,
            "seconds": self.time.as_secs_f64(),
            "matches_per_second": self.rate(),
        })
    }

    /// The report for reading.
    ///
    /// # Errors
    /// If standard output cannot be written to.
    pub fn write(&self, title: &Title<'_>, out: &Output) -> Result<(), CommandFailure> {
        let clocks = if title.reproduces { "" } else { " (with clocks: another run may differ)" };
        let es = if self.matches == 1 { "" } else { "es" };
        let (game, seed) = (title.game, title.heading.seed);
        out.line(format_args!("{game}: {} match{es}, seed {seed}{clocks}", self.matches))?;
        let rows = title.players().map(|(role, name, spec)| ScoreRow {
            name,
            spec,
            score: &self.scores[role],
            faults: self.faults[role].values().sum(),
        });
        out.text(&Table::of(&score_columns(), &rows.collect::<Vec<_>>()).shown().as_text())?;
        for (outcome, count) in &self.unfinished {
            out.line(format_args!("{count} unfinished ({outcome}), in no mean"))?;
        }
        let depletions: u64 = self.work.values().iter().map(|work| work.depletions).sum();
        if depletions > 0 {
            let s = if depletions == 1 { "" } else { "s" };
            out.line(format_args!("{depletions} decision{s} on a depleted belief"))?;
        }
        let faults = self.all_faults();
        out.line(format_args!(
            "{faults} fault{}; {:.1} steps a match; {:.1} matches a second",
            if faults == 1 { "" } else { "s" },
            self.steps as f64 / self.matches.max(1) as f64,
            self.rate()
        ))
    }
}

/// A role in the table for reading.
struct ScoreRow<'a> {
    name: &'a str,
    spec: &'a str,
    score: &'a Sample,
    faults: u64,
}

fn score_columns<'a>() -> [Column<ScoreRow<'a>>; 5] {
    [
        Column::plain("role", Text, |row| row.name.into()),
        Column::plain("player", Text, |row| row.spec.into()),
        Column::plain("mean goal", Digits(2), |row| row.score.mean().into()),
        Column::plain("95% interval", Text, |row| {
            let half = |half| TableEntry::Text(format!("+-{half:.2}"));
            row.score.half_width().map_or(TableEntry::Missing, half)
        }),
        Column::plain("faults", Number, |row| TableEntry::Count(row.faults)),
    ]
}
