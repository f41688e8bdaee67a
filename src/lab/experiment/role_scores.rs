//! Scores by role: how an entrant did in each role of a cell.
//!
//! The other tables average a deal over its seat permutations, because roles may be of unequal worth. Here they are kept
//! apart: matches in which an entrant had one role are counted by themselves. With two roles there is one of these a deal, so
//! they are independent; where an entrant has a role in several seat permutations of a deal, the intervals are a little too
//! narrow.

use std::collections::BTreeMap;

use super::folder::Planned;
use super::met::Met;
use super::plan::ExperimentPlan;
use super::stored::FinishedMatch;
use super::summary::ExperimentSummary;
use crate::report::Format::{Number, Rounded, Text};
use crate::report::Reading::{Interval, One, PlusMinus};
use crate::report::{Column, FEW, Sample, Table, TableEntry, share};

/// What an entrant got in one role of a cell.
#[derive(Clone, Debug, Default)]
struct RoleScore {
    score: Sample,
    /// Matches with the best goal of all, shared with another, and the rest.
    wins: u64,
    draws: u64,
    losses: u64,
}

/// The scores of all entrants by role.
#[derive(Clone, Debug, Default)]
pub struct RoleScores {
    /// By cell, entrant and place of the role among those that are played.
    by_role: BTreeMap<(usize, usize, usize), RoleScore>,
}

/// A row of the table.
struct InRole<'a> {
    met: &'a Met<'a>,
    role: &'a str,
    score: &'a RoleScore,
}

impl RoleScores {
    /// Adds a match.
    pub(super) fn add(&mut self, plan: &ExperimentPlan, finished: &FinishedMatch) {
        let place = &finished.place;
        let seats = &plan.cells[place.cell].seat_permutations[place.seat_permutation];
        let goals = &finished.record.goals;
        let best = goals.iter().map(|&(_, goal)| goal).max();
        let is_shared = goals.iter().filter(|&&(_, goal)| Some(goal) == best).count() > 1;
        for (seat, (&entrant, &(_, goal))) in seats.iter().zip(goals).enumerate() {
            let of = self.by_role.entry((place.cell, entrant, seat)).or_default();
            of.score.add(goal.into());
            match (Some(goal) == best, is_shared) {
                (true, false) => of.wins += 1,
                (true, true) => of.draws += 1,
                (false, _) => of.losses += 1,
            }
        }
    }
}

impl InRole<'_> {
    /// The share of matches that were won or drawn, with its interval, in percent.
    fn win_or_draw(&self) -> Option<[f64; 3]> {
        let RoleScore { wins, draws, losses, .. } = *self.score;
        let is_known = self.met.cell.is_won_or_lost;
        let (mean, low, high) = share(wins + draws, wins + draws + losses).filter(|_| is_known)?;
        Some([mean, low, high].map(|part| 100.0 * part))
    }
}

/// The scores of these entrants by role; without rows for games that one role plays.
pub(super) fn by_role(planned: &Planned, summary: &ExperimentSummary, met: &[Met<'_>]) -> Table {
    let mut rows: Vec<InRole<'_>> = Vec::new();
    for met in met {
        let game = planned.plan.game(met.number);
        let roles = game.played().enumerate().filter(|_| game.width() > 1);
        rows.extend(roles.filter_map(|(seat, role)| {
            let score = summary.roles.by_role.get(&(met.number, met.entrant.entrant, seat))?;
            Some(InRole { met, role: &game.roles[role], score })
        }));
    }
    let columns: [Column<InRole<'_>>; 13] = [
        Column::plain("game", Text, |row: &InRole<'_>| row.met.game.into()),
        Column::plain("player", Text, |row: &InRole<'_>| row.met.player.into()),
        Column::plain("against", Text, |row: &InRole<'_>| row.met.against.as_str().into()),
        Column::plain("role", Text, |row: &InRole<'_>| row.role.into()),
        Column::plain("matches", Number, |row: &InRole<'_>| TableEntry::Count(row.score.score.count())),
        Column::plain("score", Rounded(2), |row: &InRole<'_>| row.score.score.mean().into()),
        Column::plain("score_ci95", Rounded(2), |row: &InRole<'_>| row.score.score.half_width().into())
            .headed("+-"),
        Column::plain("wins", Number, |row: &InRole<'_>| TableEntry::Count(row.score.wins)),
        Column::plain("draws", Number, |row: &InRole<'_>| TableEntry::Count(row.score.draws)),
        Column::plain("losses", Number, |row: &InRole<'_>| TableEntry::Count(row.score.losses)),
        Column::plain("win_or_draw", Rounded(1), |row: &InRole<'_>| {
            row.win_or_draw().map(|[mean, ..]| mean).into()
        })
        .headed("win or draw %"),
        Column::plain("win_or_draw_low", Rounded(1), |row: &InRole<'_>| {
            row.win_or_draw().map(|[_, low, _]| low).into()
        })
        .headed("from"),
        Column::plain("win_or_draw_high", Rounded(1), |row: &InRole<'_>| {
            row.win_or_draw().map(|[.., high]| high).into()
        })
        .headed("to"),
    ];
    let table = Table::of(&columns, &rows).named(
        "roles",
        "Scores by role",
        "Mean goals over the matches in which the entrant had the role, with half the width of the 95 % interval (Student's t). \
         Win-or-draw only where every match was won, lost or drawn, with Jeffreys' interval. Matches that did not end with goals \
         are left out.",
    );
    let view = vec![
        One("player"),
        One("against"),
        One("role"),
        One("matches"),
        PlusMinus("score", "score_ci95", "score"),
        One("wins"),
        One("draws"),
        One("losses"),
        One("win_or_draw"),
        Interval("win_or_draw_low", "win_or_draw_high", "95 %"),
    ];
    table.viewed(view).with_few("matches", FEW, "matches")
}
