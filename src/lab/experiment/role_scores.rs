//! Scores of matches: the goals of an entrant in the matches of a cell, and those in each role.
//!
//! A score averages a deal over its seat permutations, because roles may be of unequal worth. By role they are kept
//! apart: matches in which an entrant had one role are counted by themselves. The matches of a deal are one cluster,
//! and so are both sides of an entrant that plays against itself.

use std::collections::BTreeMap;

use serde::Serialize;

use super::columns::{columns, readings};
use super::folder::Planned;
use super::met::{Met, ScoreEntry, with_replaced};
use super::plan::ExperimentPlan;
use super::stored::FinishedMatch;
use super::summary::ExperimentSummary;
use hyperplay_report::Reading::One;
use hyperplay_report::{Clusters, FEW, MeanInterval, Sample, Table};

/// The goals of an entrant in matches that ended with goals.
#[derive(Clone, Copy, Debug, Default)]
pub struct MatchScores {
    /// Its goals, by deal.
    pub goals: Clusters,
    /// The matches that it won or drew, by deal.
    pub kept: Clusters,
    /// Matches with the best goal of all, shared with another, and the rest.
    pub results: [u64; 3],
}

impl MatchScores {
    /// Adds a match of a deal in which it got the goal of this seat.
    pub(super) fn add(&mut self, deal: u64, goals: &[u8], seat: usize) {
        let best = goals.iter().max();
        let is_best = goals.get(seat) == best;
        let is_shared = goals.iter().filter(|&goal| Some(goal) == best).count() > 1;
        self.goals.add(deal, goals[seat].into(), 1.0);
        self.kept.add(deal, f64::from(u8::from(is_best)), 1.0);
        self.results[if is_best { usize::from(is_shared) } else { 2 }] += 1;
    }
}

/// The scores of all entrants by role.
#[derive(Clone, Debug, Default)]
pub struct RoleScores {
    /// By cell, entrant and place of the role among those that are played.
    by_role: BTreeMap<(usize, usize, usize), MatchScores>,
}

impl RoleScores {
    /// Adds a match.
    pub(super) fn add(&mut self, plan: &ExperimentPlan, finished: &FinishedMatch) {
        let place = &finished.place;
        let goals: Vec<u8> = finished.record.goals.iter().map(|&(_, goal)| goal).collect();
        for (seat, &entrant) in plan.seats(place).iter().enumerate().take(goals.len()) {
            self.by_role.entry((place.cell, entrant, seat)).or_default().add(place.deal, &goals, seat);
        }
    }
}

/// A row of a table of scores.
#[derive(Serialize)]
struct ScoreRow<'a> {
    #[serde(flatten)]
    met: &'a Met<'a>,
    role: &'a str,
    deals: u64,
    matches: u64,
    /// Of all roles together that of whole deals only.
    score: ScoreEntry,
    wins: u64,
    draws: u64,
    losses: u64,
    /// The percentage of matches that were won or drawn, if every match was won, lost or drawn.
    win_or_draw: Option<MeanInterval>,
    replaced: Option<f64>,
    others_replaced: Option<f64>,
    same_player: bool,
    faults: u64,
    unfinished: u64,
    failed: u64,
}

impl<'a> ScoreRow<'a> {
    fn new(met: &'a Met<'a>, role: &'a str, score: Sample, matches: u64, of: &MatchScores) -> Self {
        let Met { entrant, cell, .. } = *met;
        let [wins, draws, losses] = of.results;
        let share = of.kept.share().filter(|_| cell.is_won_or_lost);
        let percent = |share: [f64; 3]| {
            let [value, low, high] = share.map(|share| 100.0 * share);
            MeanInterval { value, low, high }
        };
        ScoreRow {
            met,
            role,
            deals: score.count(),
            matches,
            // Of all roles together, the score of two equal entrants says nothing.
            score: ScoreEntry::of(score, met.is_same && role.is_empty()),
            wins,
            draws,
            losses,
            win_or_draw: share.map(percent),
            replaced: entrant.replaced(),
            others_replaced: cell.replaced(Some(entrant.entrant)),
            same_player: met.is_same,
            faults: entrant.faults,
            unfinished: cell.unfinished.values().sum(),
            failed: cell.failed,
        }
    }
}

/// The scores of these entrants.
pub(super) fn scores(met: &[Met<'_>]) -> Table {
    let rows: Vec<ScoreRow<'_>> = met
        .iter()
        .map(|met| ScoreRow::new(met, "", met.entrant.score, met.cell.matches, &met.entrant.scores))
        .collect();
    let mut view = readings("scores");
    // Readers are told of what went wrong where something did.
    view.extend(met.iter().any(|met| !met.cell.unfinished.is_empty()).then_some(One("unfinished")));
    view.extend(met.iter().any(|met| met.cell.failed > 0).then_some(One("failed")));
    let table = Table::of(&columns(&["who", "score", "cell"]), &rows).named(
        "scores",
        "Scores",
        "Mean goals over deals (each the mean over its seat permutations), with half the width of the 95 % interval \
         (Student's t). Win-or-draw only where every match was won, lost or drawn, with the interval of Clopper and Pearson over \
         deals. A match that did not end with goals is in no mean, nor is its deal; failed are those of them in which the rules \
         could not be evaluated.",
    );
    with_replaced(table.viewed(view).with_few("deals", FEW, "deals"), ["replaced", "others_replaced"])
}

/// The scores of these entrants by role; without rows for games that one role plays.
pub(super) fn by_role(planned: &Planned, summary: &ExperimentSummary, met: &[Met<'_>]) -> Table {
    let mut rows: Vec<ScoreRow<'_>> = Vec::new();
    for met in met {
        let game = planned.plan.game(met.number);
        let roles = game.played().enumerate().filter(|_| game.width() > 1);
        rows.extend(roles.filter_map(|(seat, role)| {
            let of = *summary.roles.by_role.get(&(met.number, met.entrant.entrant, seat))?;
            let (score, matches) = (of.goals.means(), of.results.iter().sum());
            Some(ScoreRow::new(met, &game.roles[role], score, matches, &of))
        }));
    }
    let table = Table::of(&columns(&["who", "role", "score"]), &rows).named(
        "roles",
        "Scores by role",
        "Mean goals over the matches in which the entrant had the role, with half the width of the 95 % interval (Student's t). \
         Win-or-draw only where every match was won, lost or drawn, with the interval of Clopper and Pearson. All intervals are \
         over deals. Matches that did not end with goals are left out.",
    );
    let table = table.viewed(readings("roles"));
    with_replaced(table.with_few("deals", FEW, "deals"), ["replaced", "others_replaced"])
}
