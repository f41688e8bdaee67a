//! Scores of matches: what an entrant got in the matches of a cell, and what it got in each role.
//!
//! A score averages a deal over its seat permutations, because roles may be of unequal worth. By role they are kept apart:
//! matches in which an entrant had one role are counted by themselves. The matches of a deal are one cluster, and so are both
//! sides of an entrant that plays against itself.

use std::collections::BTreeMap;

use super::folder::Planned;
use super::met::{Met, SAME, with_replaced};
use super::plan::ExperimentPlan;
use super::stored::FinishedMatch;
use super::summary::ExperimentSummary;
use crate::report::Format::{Number, Rounded, Text};
use crate::report::Reading::{Interval, One, PlusMinus};
use crate::report::{Clusters, Column, FEW, Reading, Sample, Table, TableEntry};

/// What an entrant got in matches that ended with goals.
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
        let seats = &plan.cells[place.cell].seat_permutations[place.seat_permutation];
        let goals: Vec<u8> = finished.record.goals.iter().map(|&(_, goal)| goal).collect();
        for (seat, &entrant) in seats.iter().enumerate().take(goals.len()) {
            self.by_role.entry((place.cell, entrant, seat)).or_default().add(place.deal, &goals, seat);
        }
    }
}

/// A row of a table of scores.
struct Scored<'a> {
    met: &'a Met<'a>,
    role: &'a str,
    /// The score; of all roles together that of whole deals only.
    score: Sample,
    matches: u64,
    of: MatchScores,
}

impl Scored<'_> {
    /// The percentage of matches that were won or drawn and the ends of its interval, if every match was won, lost or drawn.
    fn win_or_draw(&self, part: usize) -> TableEntry {
        let share = self.of.kept.share().filter(|_| self.met.cell.is_won_or_lost);
        share.map(|share| 100.0 * share[part]).into()
    }
}

/// The scores of these entrants.
pub(super) fn scores(met: &[Met<'_>]) -> Table {
    let mut rows: Vec<Scored<'_>> = Vec::new();
    for met in met {
        let Met { entrant, cell, .. } = *met;
        rows.push(Scored { met, role: "", score: entrant.score, matches: cell.matches, of: entrant.scores });
    }
    let of_cell: [Column<Scored<'_>>; 4] = [
        Column::plain("same_player", Number, |row: &Scored<'_>| TableEntry::Flag(row.met.is_same)),
        Column::plain("faults", Number, |row: &Scored<'_>| TableEntry::Count(row.met.entrant.faults)),
        Column::plain("unfinished", Number, |row: &Scored<'_>| {
            TableEntry::Count(row.met.cell.unfinished.values().sum())
        }),
        Column::plain("failed", Number, |row: &Scored<'_>| TableEntry::Count(row.met.cell.failed)),
    ];
    let mut view = vec![One("player"), One("against"), One("deals"), One("matches")];
    view.extend(VIEW);
    // Readers are told of what went wrong where something did.
    view.extend(met.iter().any(|met| !met.cell.unfinished.is_empty()).then_some(One("unfinished")));
    view.extend(met.iter().any(|met| met.cell.failed > 0).then_some(One("failed")));
    let table = Table::of(&[&who()[..], &columns(), &of_cell].concat(), &rows).named(
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
    let mut rows: Vec<Scored<'_>> = Vec::new();
    for met in met {
        let game = planned.plan.game(met.number);
        let roles = game.played().enumerate().filter(|_| game.width() > 1);
        rows.extend(roles.filter_map(|(seat, role)| {
            let of = *summary.roles.by_role.get(&(met.number, met.entrant.entrant, seat))?;
            let (score, matches) = (of.goals.means(), of.results.iter().sum());
            Some(Scored { met, role: &game.roles[role], score, matches, of })
        }));
    }
    let role = [Column::plain("role", Text, |row: &Scored<'_>| row.role.into())];
    let mut view = vec![One("player"), One("against"), One("role"), One("matches")];
    view.extend(VIEW);
    let table = Table::of(&[&who()[..], &role, &columns()].concat(), &rows).named(
        "roles",
        "Scores by role",
        "Mean goals over the matches in which the entrant had the role, with half the width of the 95 % interval (Student's t). \
         Win-or-draw only where every match was won, lost or drawn, with the interval of Clopper and Pearson. All intervals are \
         over deals. Matches that did not end with goals are left out.",
    );
    with_replaced(table.viewed(view).with_few("deals", FEW, "deals"), ["replaced", "others_replaced"])
}

/// The columns that say who met whom.
fn who<'a>() -> [Column<Scored<'a>>; 3] {
    [
        Column::plain("game", Text, |row: &Scored<'_>| row.met.game.into()),
        Column::plain("player", Text, |row: &Scored<'_>| row.met.player.into()),
        Column::plain("against", Text, |row: &Scored<'_>| row.met.against.as_str().into()),
    ]
}

/// The columns of scores.
fn columns<'a>() -> [Column<Scored<'a>>; 12] {
    [
        Column::plain("deals", Number, |row: &Scored<'_>| TableEntry::Count(row.score.count())),
        Column::plain("matches", Number, |row: &Scored<'_>| TableEntry::Count(row.matches)),
        Column::plain("score", Rounded(2), |row: &Scored<'_>| match row.met.is_same && row.role.is_empty() {
            true => TableEntry::Said(SAME),
            false => row.score.mean().into(),
        }),
        Column::plain("score_ci95", Rounded(2), |row: &Scored<'_>| {
            match row.met.is_same && row.role.is_empty() {
                true => TableEntry::Missing,
                false => row.score.half_width().into(),
            }
        })
        .headed("+-"),
        Column::plain("wins", Number, |row: &Scored<'_>| TableEntry::Count(row.of.results[0])),
        Column::plain("draws", Number, |row: &Scored<'_>| TableEntry::Count(row.of.results[1])),
        Column::plain("losses", Number, |row: &Scored<'_>| TableEntry::Count(row.of.results[2])),
        Column::plain("win_or_draw", Rounded(1), |row: &Scored<'_>| row.win_or_draw(0))
            .headed("win or draw %"),
        Column::plain("win_or_draw_low", Rounded(1), |row: &Scored<'_>| row.win_or_draw(1)).headed("from"),
        Column::plain("win_or_draw_high", Rounded(1), |row: &Scored<'_>| row.win_or_draw(2)).headed("to"),
        Column::plain("replaced", Rounded(1), |row: &Scored<'_>| row.met.entrant.replaced().into()),
        Column::plain("others_replaced", Rounded(1), |row: &Scored<'_>| {
            row.met.cell.replaced(Some(row.met.entrant.entrant)).into()
        }),
    ]
}

/// What readers are shown of them.
const VIEW: [Reading; 6] = [
    PlusMinus("score", "score_ci95", "score"),
    One("wins"),
    One("draws"),
    One("losses"),
    One("win_or_draw"),
    Interval("win_or_draw_low", "win_or_draw_high", "95 %"),
];
