//! Scores of matches: what an entrant got in the matches of a cell, and what it got in each role.
//!
//! A score averages a deal over its seat permutations, because roles may be of unequal worth. By role they are kept apart:
//! matches in which an entrant had one role are counted by themselves. The matches of a deal are one cluster, and so are both
//! sides of an entrant that plays against itself.

use std::collections::BTreeMap;

use super::columns::Columns;
use super::folder::Planned;
use super::met::{Met, SAME, with_replaced};
use super::plan::ExperimentPlan;
use super::stored::FinishedMatch;
use super::summary::ExperimentSummary;
use hyperplay_report::Reading::{Interval, One, PlusMinus};
use hyperplay_report::{Clusters, Column, FEW, Reading, Sample, Table, TableEntry};

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
        let goals: Vec<u8> = finished.record.goals.iter().map(|&(_, goal)| goal).collect();
        for (seat, &entrant) in plan.seats(place).iter().enumerate().take(goals.len()) {
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
    /// Whether the score says something: of all roles together, that of two equal entrants does not.
    fn is_known(&self) -> bool {
        !self.met.is_same || !self.role.is_empty()
    }

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
    let of_cell: Vec<Column<Scored<'_>>> = Columns("cell").read_by(&[
        ("same_player", |row| row.met.is_same.into()),
        ("faults", |row| row.met.entrant.faults.into()),
        ("unfinished", |row| row.met.cell.unfinished.values().sum::<u64>().into()),
        ("failed", |row| row.met.cell.failed.into()),
    ]);
    let mut view = view(["player", "against", "deals", "matches"]);
    // Readers are told of what went wrong where something did.
    view.extend(met.iter().any(|met| !met.cell.unfinished.is_empty()).then_some(One("unfinished")));
    view.extend(met.iter().any(|met| met.cell.failed > 0).then_some(One("failed")));
    let table = Table::of(&[who(), columns(), of_cell].concat(), &rows).named(
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
    let role: Vec<Column<Scored<'_>>> = Columns("role").read_by(&[("role", |row| row.role.into())]);
    let table = Table::of(&[who(), role, columns()].concat(), &rows).named(
        "roles",
        "Scores by role",
        "Mean goals over the matches in which the entrant had the role, with half the width of the 95 % interval (Student's t). \
         Win-or-draw only where every match was won, lost or drawn, with the interval of Clopper and Pearson. All intervals are \
         over deals. Matches that did not end with goals are left out.",
    );
    let table = table.viewed(view(["player", "against", "role", "matches"]));
    with_replaced(table.with_few("deals", FEW, "deals"), ["replaced", "others_replaced"])
}

/// The columns that say who met whom.
fn who<'a>() -> Vec<Column<Scored<'a>>> {
    Columns("who").read_by(&[
        ("game", |row| row.met.game.into()),
        ("player", |row| row.met.player.into()),
        ("against", |row| row.met.against.as_str().into()),
    ])
}

/// The columns of scores.
fn columns<'a>() -> Vec<Column<Scored<'a>>> {
    Columns("score").read_by(&[
        ("deals", |row| row.score.count().into()),
        ("matches", |row| row.matches.into()),
        ("score", |row| if row.is_known() { row.score.mean().into() } else { TableEntry::Said(SAME) }),
        ("score_ci95", |row| row.score.half_width().filter(|_| row.is_known()).into()),
        ("wins", |row| row.of.results[0].into()),
        ("draws", |row| row.of.results[1].into()),
        ("losses", |row| row.of.results[2].into()),
        ("win_or_draw", |row| row.win_or_draw(0)),
        ("win_or_draw_low", |row| row.win_or_draw(1)),
        ("win_or_draw_high", |row| row.win_or_draw(2)),
        ("replaced", |row| row.met.entrant.replaced().into()),
        ("others_replaced", |row| row.met.cell.replaced(Some(row.met.entrant.entrant)).into()),
    ])
}

/// What readers are shown: these columns, and the scores.
fn view(first: [&'static str; 4]) -> Vec<Reading> {
    let mut view = first.map(One).to_vec();
    view.push(PlusMinus("score", "score_ci95", "score"));
    view.extend(["wins", "draws", "losses", "win_or_draw"].map(One));
    view.push(Interval("win_or_draw_low", "win_or_draw_high", "95 %"));
    view
}
