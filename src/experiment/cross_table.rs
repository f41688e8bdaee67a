//! Cross table: the score of each entrant of a game against each other one.
//!
//! A row is an entrant, a column whom it met. Where no entrant is both a challenger and challenged, as in a gauntlet,
//! the challengers have the rows and the others the columns, so a pair is there once.

use super::pairings::{Pairing, REPLACED_SIGN, SAME};
use super::plan::distinct;
use super::summary::REPLACED;
use hyperplay_report::{FEW, ShownTable};

/// The most columns that can be read.
const COLUMNS: usize = 40;

/// The table, and how many deals its cells have. There is none for a game with one role, or with too many columns.
pub(super) fn cross_table(pairings: &[Pairing<'_>]) -> Option<(ShownTable, (u64, u64))> {
    let firsts = || pairings.iter().filter(|one| !one.is_mirrored);
    let is_first = |player: &str| firsts().any(|one| one.player == player);
    let is_gauntlet =
        firsts().all(|one| !is_first(&one.against)) && pairings.iter().any(|one| one.is_mirrored);
    let rows: Vec<&Pairing<'_>> = pairings.iter().filter(|one| !is_gauntlet || !one.is_mirrored).collect();
    let mut columns = distinct(rows.iter().map(|one| one.against.as_str()));
    if columns.len() > COLUMNS || columns.iter().any(|against| against.is_empty()) {
        return None;
    }
    let players = distinct(rows.iter().map(|one| one.player));
    // Entrants that are both have one order in rows and columns.
    if columns.iter().all(|column| players.contains(column)) {
        columns.sort_by_key(|column| players.iter().position(|player| player == column));
    }
    let cell =
        |player: &str, against: &str| rows.iter().find(|one| one.player == player && one.against == against);
    let shown = |player: &&str| {
        let cells = columns
            .iter()
            .map(|against| cell(player, against).map_or_else(String::new, |pairing| score_in_words(pairing)));
        std::iter::once((*player).to_owned()).chain(cells).collect()
    };
    let counts = || rows.iter().map(|one| one.entrant.score.count());
    let n = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
    let table = ShownTable {
        heads: std::iter::once("score of".to_owned())
            .chain(columns.iter().map(|against| format!("against {against}")))
            .collect(),
        is_text: std::iter::once(true).chain(columns.iter().map(|_| false)).collect(),
        rows: players.iter().map(shown).collect(),
        footnote: footnote(n.0 < FEW, rows.iter().any(|one| one.cell.replaced(None) > Some(REPLACED))),
    };
    Some((table, n))
}

/// A score, half the width of its interval, and its marks; none if it is not known or says nothing.
pub(super) fn score_words(pairing: &Pairing<'_>) -> Option<[String; 3]> {
    let score = pairing.score();
    let half = score.half_width().map_or_else(|| "?".to_owned(), |half| format!("{half:.1}"));
    let few = if score.count() < FEW { " *" } else { "" };
    let replaced = pairing.cell.replaced(None).filter(|&share| share > REPLACED);
    let replaced = replaced.map_or_else(String::new, |share| format!(" {REPLACED_SIGN} {share:.0} %"));
    score.mean().map(|mean| [format!("{mean:.1}"), half, format!("{few}{replaced}")])
}

/// The same in one text.
pub(super) fn score_in_words(pairing: &Pairing<'_>) -> String {
    let unknown = if pairing.is_same { SAME } else { "?" };
    score_words(pairing).map_or(unknown.to_owned(), |[mean, half, marks]| format!("{mean} +- {half}{marks}"))
}

/// The meaning of the marks, if there are any.
fn footnote(is_few: bool, is_replaced: bool) -> Option<String> {
    let few = is_few.then(|| format!("* fewer than {FEW} deals: the interval is not reliable"));
    let replaced = is_replaced
        .then(|| format!("{REPLACED_SIGN} moves of one of the two that were replaced after faults, if more than {REPLACED} %"));
    few.into_iter().chain(replaced).reduce(|few, replaced| few + "; " + &replaced)
}
