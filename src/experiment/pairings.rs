//! Pairings: every entrant of every cell, with the names of those that it met.
//!
//! Where two entrants share a constant sum, the score of one determines that of the other. Such a row is *mirrored*:
//! tables and figures for readers have the pair once, as the plan names it; tables for machines have both.

use serde::Serialize;

use super::folder::Planned;
use super::plan::SeatPermutations;
use super::summary::{CellSummary, EntrantSummary, ExperimentSummary, REPLACED};
use hyperplay_report::{Reading, RowMark, Sample, Table};

/// Scores of two entrants have a constant sum if they differ from it by no more than rounding.
const ROUNDING: f64 = 1e-6;

/// An entrant in a cell that has matches, with the names of its game, of itself and of the others, which are in every
/// row.
#[derive(Clone, Serialize)]
pub(super) struct Pairing<'a> {
    /// The name of the game.
    pub game: &'a str,
    /// The label of the entrant.
    pub player: &'a str,
    /// The labels of the others; empty for a game with one role.
    pub against: String,
    /// The others, by their places in the plan.
    #[serde(skip)]
    pub others: Vec<usize>,
    /// The number of the cell in the plan.
    #[serde(skip)]
    pub number: usize,
    /// Of the cell.
    #[serde(skip)]
    pub cell: &'a CellSummary,
    /// Of the entrant.
    #[serde(skip)]
    pub entrant: &'a EntrantSummary,
    /// Whether the row of the other entrant says the same.
    #[serde(skip)]
    pub is_mirrored: bool,
    /// Whether all entrants are the same player, so that the score is half of what there is, whatever they do.
    #[serde(skip)]
    pub is_same: bool,
}

/// The words in place of a score that two equal entrants must have.
pub(super) const SAME: &str = "the same player";

/// A score or a difference in a row.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ScoreEntry {
    Mean(Sample),
    /// Words in its place.
    Said(&'static str),
}

impl ScoreEntry {
    /// This mean, unless it is that of two equal entrants.
    pub fn of(sample: Sample, is_same: bool) -> Self {
        if is_same { ScoreEntry::Said(SAME) } else { ScoreEntry::Mean(sample) }
    }
}

/// The mark of scores of players whose moves were replaced.
pub(super) const REPLACED_SIGN: &str = "!";

impl Pairing<'_> {
    /// The pairing, in words.
    pub fn title(&self) -> String {
        format!("{} {}", self.player, self.others_in_words()).trim_end().to_owned()
    }

    /// Against whom; empty for a game with one role.
    pub fn others_in_words(&self) -> String {
        if self.against.is_empty() { String::new() } else { format!("against {}", self.against) }
    }

    /// The score; empty if it says nothing.
    pub fn score(&self) -> Sample {
        if self.is_same { Sample::default() } else { self.entrant.score }
    }
}

/// Every entrant of every cell that has matches.
pub(super) fn pairings<'a>(planned: &'a Planned, summary: &'a ExperimentSummary) -> Vec<Pairing<'a>> {
    (0..planned.plan.games.len()).flat_map(|game| pairings_in(planned, summary, game)).collect()
}

/// Every entrant of every cell of a game that has matches.
pub(super) fn pairings_in<'a>(
    planned: &'a Planned,
    summary: &'a ExperimentSummary,
    game: usize,
) -> Vec<Pairing<'a>> {
    let plan = &planned.plan;
    let cells = summary.cells.iter().enumerate();
    let cells = cells.filter(|(number, cell)| cell.matches > 0 && plan.cells[*number].game == game);
    let of_cell = |(number, cell): (usize, &'a CellSummary)| {
        let all = &plan.cells[number].entrants;
        let is_pair = is_mirror(cell) && all.len() == 2;
        let is_even = is_pair || (all.len() == 2 && cell.entrants.iter().all(is_half));
        let is_same = plan.seats == SeatPermutations::All && is_even && plan.are_same(all[0], all[1]);
        cell.entrants.iter().enumerate().map(move |(at, entrant)| {
            let mut others = plan.cells[number].entrants.clone();
            if let Some(at) = others.iter().position(|&other| other == entrant.entrant) {
                others.remove(at);
            }
            Pairing {
                game: &plan.game(number).name,
                player: plan.label(entrant.entrant),
                against: plan.together(&others),
                others,
                number,
                cell,
                entrant,
                is_mirrored: is_pair && at == 1,
                is_same,
            }
        })
    };
    cells.flat_map(of_cell).collect()
}

/// The same table with a mark at rows in which moves were replaced, and these shares where there is one.
pub(super) fn with_replaced(mut table: Table, shares: [&'static str; 2]) -> Table {
    for column in shares {
        let note = format!("more than {REPLACED} % of the moves of a player were replaced after faults");
        let mark = RowMark { column, between: (REPLACED, f64::INFINITY), sign: REPLACED_SIGN, note };
        let is_new = !table.view.iter().any(|reading| matches!(reading, Reading::Joined(_, Reading::OF, _)));
        if is_new && table.rows.iter().any(|row| table.has_mark(row, &mark)) {
            table.view.push(Reading::Joined("replaced %", Reading::OF, [shares[0], shares[1], ""]));
        }
        table = table.marked(mark);
    }
    table
}

/// Whether an entrant that plays both roles got 50 points in every deal.
fn is_half(entrant: &EntrantSummary) -> bool {
    entrant.score.mean() == Some(50.0) && entrant.score.half_width().is_none_or(|half| half < ROUNDING)
}

/// Whether the second of two entrants scored what the first left of 100 points.
fn is_mirror(cell: &CellSummary) -> bool {
    let [first, second] = &cell.entrants[..] else { return false };
    let close = |one: Option<f64>, other: Option<f64>| {
        one.zip(other).map_or(one == other, |(one, other)| (one - other).abs() < ROUNDING)
    };
    close(first.score.mean(), second.score.mean().map(|mean| 100.0 - mean))
        && close(first.score.half_width(), second.score.half_width())
}
