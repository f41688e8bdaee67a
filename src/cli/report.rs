//! The report of a series of matches: mean goals, unfinished matches, faults.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::failure::CommandResult;
use super::output::Output;
use hyperplay_engine::{Engine, EngineKind};
use hyperplay_lab::study::{DecisionTally, PlayedMatch};
use hyperplay_machine::{ByRole, Role, StateMachine as _, counted};
use hyperplay_play::referee::Heading;
use hyperplay_report::{FEW, Sample, Table};

/// The heading of the report.
pub struct Title<'a> {
    /// Where the rules came from, players and seed.
    pub heading: &'a Heading,
    /// The engine of the referee, and of the players that name none.
    pub engine: &'a Engine,
    /// How long it took to make the engines, before the first match.
    pub preparation: Duration,
    /// How many threads played.
    pub threads: usize,
    /// Whether the seed fixes the result: there were no clocks.
    pub reproduces: bool,
    /// Whether the players used the time between their decisions.
    pub thinks_ahead: bool,
}

impl Title<'_> {
    fn engine_as_json(&self) -> Value {
        let playouts = self.engine.kind();
        let steps = match self.engine.network_engine() {
            Some(network) if !network.steps_by_interpreter() => EngineKind::Propagator,
            _ => EngineKind::Interpreter,
        };
        json!({
            "playouts": playouts,
            "steps": steps,
            "seconds": self.preparation.as_secs_f64(),
        })
    }

    /// The roles that are played, with their specs.
    fn players(&self) -> impl Iterator<Item = (Role, &str, &str)> {
        let roles = self.engine.roles().iter().zip(&self.heading.players);
        roles.filter_map(|((role, name), spec)| Some((role, name.as_str(), spec.as_deref()?)))
    }
}

/// The sums over the matches of one role.
#[derive(Default)]
struct RoleReport {
    score: Sample,
    /// The adjusted goals of the matches that have them.
    adjusted: Sample,
    faults: BTreeMap<&'static str, u64>,
    decisions: DecisionTally,
}

/// The sums over a series of matches.
#[derive(Default)]
pub struct Report {
    roles: ByRole<RoleReport>,
    pub matches: usize,
    failed: usize,
    first_failure: Option<String>,
    steps: u64,
    unfinished: BTreeMap<&'static str, u64>,
    /// How long it took.
    pub time: Duration,
}

impl Report {
    /// No match yet.
    pub fn new(roles: usize) -> Self {
        Report { roles: ByRole::from_fn(roles, |_| RoleReport::default()), ..Report::default() }
    }

    /// How many matches failed and why the first did, as a sentence; none if none did.
    pub fn failures(&self) -> Option<String> {
        let failed = || counted(self.failed as u64, "match");
        self.first_failure.as_ref().map(|first| format!("{} failed; the first: {first}", failed()))
    }

    /// Counts the match of this index, with its adjusted goals if it has them. One without goals counts as unfinished and in no
    /// mean; of one that failed nothing else is counted.
    pub fn add(&mut self, index: usize, played: &PlayedMatch, adjusted: Option<&ByRole<f64>>) {
        self.matches += 1;
        if let Some(failure) = &played.failure {
            self.failed += 1;
            *self.unfinished.entry(played.outcome).or_default() += 1;
            let first = || format!("match {index}, after step {}: {failure}", played.steps);
            self.first_failure.get_or_insert_with(first);
            return;
        }
        self.steps += played.steps as u64;
        match &played.goals {
            Some(goals) => {
                goals.iter().for_each(|(role, &goal)| self.roles[role].score.add(f64::from(goal.value())))
            }
            None => *self.unfinished.entry(played.outcome).or_default() += 1,
        }
        for (role, &goal) in adjusted.into_iter().flat_map(ByRole::iter) {
            self.roles[role].adjusted.add(goal);
        }
        played.decisions.iter().for_each(|(role, tally)| self.roles[role].decisions.add(tally.clone()));
        for &(role, kind) in &played.faults {
            *self.roles[role].faults.entry(kind).or_default() += 1;
        }
    }

    fn rate(&self) -> f64 {
        self.matches as f64 / self.time.as_secs_f64().max(1e-9)
    }

    /// Whether there are adjusted goals.
    fn is_adjusted(&self) -> bool {
        self.roles.values().iter().any(|role| role.adjusted.count() > 0)
    }

    /// How many times as many matches the plain mean of a role needs for an interval as narrow.
    fn saved(&self, role: Role) -> Option<f64> {
        self.roles[role].score.saved_by(&self.roles[role].adjusted)
    }

    fn all_faults(&self) -> u64 {
        self.roles.values().iter().flat_map(|role| role.faults.values()).sum()
    }

    /// The report as `docs/json.md` has it.
    pub fn as_json(&self, title: &Title<'_>) -> Value {
        let by_role = |value: &dyn Fn(Role) -> Value| -> Value {
            title.players().map(|(role, name, _)| (name, value(role))).collect()
        };
        let goals = |role: Role| {
            let RoleReport { score, adjusted, .. } = &self.roles[role];
            let mut goals = json!({ "mean": score.mean(), "ci95": score.half_width() });
            if self.is_adjusted() {
                goals["adjusted"] = json!({ "matches": adjusted.count(), "mean": adjusted.mean(), "ci95": adjusted.half_width() });
                goals["saved"] = json!(self.saved(role));
            }
            goals
        };
        let players: Value = title.players().map(|(_, name, spec)| (name, spec)).collect();
        json!({
            "game": title.heading.game,
            "rules": title.heading.rules,
            "seed": title.heading.seed,
            "reproduces": title.reproduces,
            "thinks_ahead": title.thinks_ahead,
            "threads": title.threads,
            "engine": title.engine_as_json(),
            "players": players,
            "matches": self.matches,
            "goals": by_role(&goals),
            "faults": self.all_faults(),
            "faults_by_role": by_role(&|role| json!(self.roles[role].faults)),
            "decisions": by_role(&|role| json!(self.roles[role].decisions)),
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
    pub fn write(&self, title: &Title<'_>, out: &Output) -> CommandResult {
        let clocks = match (title.reproduces, title.thinks_ahead) {
            (true, _) => "",
            (_, true) => " (with clocks, players think ahead: another run may differ)",
            (_, false) => " (with clocks, no player thinks ahead: another run may differ)",
        };
        let Heading { game, seed, .. } = title.heading;
        out.line(format_args!("{game}: {}, seed {seed}{clocks}", counted(self.matches as u64, "match")))?;
        if self.matches == 0 {
            return out.line("nothing was played, so there are no scores; --matches N plays N matches");
        }
        let half = |of: &Sample| {
            let half = of.half_width().filter(|_| of.count() >= FEW);
            half.map(|half| format!("+-{half:.2}"))
        };
        let rows = title.players().map(|(role, name, spec)| {
            let RoleReport { score, faults, .. } = &self.roles[role];
            let faults: u64 = faults.values().sum();
            [name.into(), spec.into(), score.mean().into(), half(score).into(), faults.into()]
        });
        let columns = ["role: text", "player: text", "mean goal: 2", "95% interval", "faults"];
        out.text(&Table::plain(columns, rows).shown().as_text())?;
        if self.is_adjusted() {
            let rows = title.players().map(|(role, name, _)| {
                let of = &self.roles[role].adjusted;
                [name.into(), of.mean().into(), half(of).into(), of.count().into(), self.saved(role).into()]
            });
            let columns = ["role: text", "adjusted goal: 2", "95% interval", "matches", "saved, times: 1"];
            out.text(&Table::plain(columns, rows).shown().as_text())?;
        }
        let ended = self.roles.values().iter().map(|role| role.score.count()).max().unwrap_or(0);
        let all = counted(self.matches as u64, "match");
        if (self.matches as u64) < FEW {
            let few = counted(ended, "match");
            out.line(format_args!(
                "few matches: no interval from {few}; give --matches {FEW} or more for a 95 % interval"
            ))?;
        } else if ended < FEW {
            out.line(format_args!("no interval: {ended} of {all} ended with goals"))?;
        }
        for (outcome, count) in &self.unfinished {
            out.line(format_args!("{count} unfinished ({outcome}), in no mean"))?;
        }
        let decisions = || self.roles.values().iter().map(|role| &role.decisions);
        let all = |of: fn(&DecisionTally) -> u64| decisions().map(of).sum::<u64>();
        let depletions = all(|work| work.depletions);
        if depletions > 0 {
            let lost = all(|work| work.depleted_at_end);
            let recoveries = counted(all(|work| work.recoveries), "recovery");
            out.line(format_args!(
                "{} on a depleted belief; {recoveries}; {lost} depleted at the end",
                counted(depletions, "decision")
            ))?;
        }
        for (role, name, spec) in title.players() {
            let RoleReport { faults, decisions, .. } = &self.roles[role];
            if let Some(counts) = decisions.failures() {
                out.line(format_args!("{name} ({spec}): {counts}"))?;
            }
            let kinds: Vec<String> = faults.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            if !kinds.is_empty() {
                out.line(format_args!("faults of {name}: {}", kinds.join(", ")))?;
            }
        }
        let latest = decisions().filter_map(|work| work.latest).map(|latest| latest.share);
        if let Some(share) = latest.max_by(f64::total_cmp) {
            out.line(format_args!(
                "the latest answer in time came after {:.0} % of the clock",
                100.0 * share
            ))?;
        }
        out.line(format_args!(
            "{}; {:.1} steps a match; {:.1} matches a second",
            counted(self.all_faults(), "fault"),
            self.steps as f64 / (self.matches - self.failed).max(1) as f64,
            self.rate()
        ))
    }
}
