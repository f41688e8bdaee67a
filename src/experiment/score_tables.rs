//! The tables of scores: a row for each pairing, over all roles and by role.

use serde::Serialize;

use super::columns::{over_deals, readings};
use super::folder::Planned;
use super::pairings::{Pairing, ScoreEntry, with_replaced};
use super::role_scores::MatchScores;
use super::summary::ExperimentSummary;
use hyperplay_report::Reading::One;
use hyperplay_report::{MeanInterval, Sample, Table};

/// A row of a table of scores.
#[derive(Serialize)]
struct ScoreRow<'a> {
    #[serde(flatten)]
    pairing: &'a Pairing<'a>,
    role: &'a str,
    deals: u64,
    matches: u64,
    /// Of all roles together that of whole deals only.
    score: ScoreEntry,
    adjusted: Sample,
    /// How many times as many deals the plain mean needs for an interval as narrow.
    saved: Option<f64>,
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
    fn new(pairing: &'a Pairing<'a>, role: &'a str, score: Sample, matches: u64, of: &MatchScores) -> Self {
        let Pairing { entrant, cell, .. } = *pairing;
        let [wins, draws, losses] = of.results;
        let share = of.kept.share().filter(|_| cell.is_won_or_lost);
        let percent = |share: [f64; 3]| {
            let [value, low, high] = share.map(|share| 100.0 * share);
            MeanInterval { value, low, high }
        };
        ScoreRow {
            pairing,
            role,
            deals: score.count(),
            matches,
            // Of all roles together, the score of two equal entrants says nothing.
            score: ScoreEntry::of(score, pairing.is_same && role.is_empty()),
            adjusted: of.adjusted.means(),
            saved: score.saved_by(&of.adjusted.means()),
            wins,
            draws,
            losses,
            win_or_draw: share.map(percent),
            replaced: entrant.replaced(),
            others_replaced: cell.replaced(Some(entrant.entrant)),
            same_player: pairing.is_same,
            faults: entrant.faults,
            unfinished: cell.unfinished.values().sum(),
            failed: cell.failed,
        }
    }
}

/// The scores of these entrants.
pub(super) fn scores(pairings: &[Pairing<'_>]) -> Table {
    let rows: Vec<ScoreRow<'_>> = pairings
        .iter()
        .map(|pairing| {
            ScoreRow::new(pairing, "", pairing.entrant.score, pairing.cell.matches, &pairing.entrant.scores)
        })
        .collect();
    let mut table = over_deals("scores", &["who", "score", "cell"], &rows);
    // Readers are told of what went wrong where something did.
    table.view.extend(rows.iter().any(|row| row.unfinished > 0).then_some(One("unfinished")));
    table.view.extend(rows.iter().any(|row| row.failed > 0).then_some(One("failed")));
    with_replaced(table, ["replaced", "others_replaced"])
}

/// The scores of these entrants by role; without rows for games that one role plays.
pub(super) fn by_role(planned: &Planned, summary: &ExperimentSummary, pairings: &[Pairing<'_>]) -> Table {
    let mut rows: Vec<ScoreRow<'_>> = Vec::new();
    for pairing in pairings {
        let game = planned.plan.game(pairing.number);
        let roles = game.played().enumerate().filter(|_| game.width() > 1);
        rows.extend(roles.filter_map(|(seat, role)| {
            let of = *summary.roles.by_role.get(&(pairing.number, pairing.entrant.entrant, seat))?;
            let (score, matches) = (of.goals.means(), of.results.iter().sum());
            Some(ScoreRow::new(pairing, &game.roles[role], score, matches, &of))
        }));
    }
    let is_adjusted = rows.iter().any(|row| row.adjusted.count() > 0);
    let parts =
        if is_adjusted { &["who", "role", "score", "adjusted"][..] } else { &["who", "role", "score"] };
    let mut table = over_deals("roles", parts, &rows);
    if is_adjusted {
        table.view.extend(readings("adjusted"));
    }
    with_replaced(table, ["replaced", "others_replaced"])
}

/// What a role is worth.
#[derive(Serialize)]
struct SeatRow<'a> {
    game: &'a str,
    role: &'a str,
    deals: u64,
    effect: Sample,
}

/// What the roles of each game are worth, over all entrants.
pub(super) fn seat_effects(planned: &Planned, summary: &ExperimentSummary) -> Table {
    let rows = summary.roles.effects.iter().filter_map(|(&(game, seat), effect)| {
        let (game, effect) = (&planned.plan.games[game], effect.means());
        let role = &game.roles[game.played().nth(seat)?];
        Some(SeatRow { game: &game.name, role, deals: effect.count(), effect })
    });
    over_deals("seats", &["seat"], &rows.collect::<Vec<SeatRow<'_>>>())
}
