//! Cross table: what each entrant of a game scored against each other one.
//!
//! A row is an entrant, a column whom it met. Where no entrant is both a challenger and challenged, as in a gauntlet, the
//! challengers have the rows and the others the columns, so a pair is there once.

use super::met::Met;
use crate::report::{FEW, Sample, ShownTable};

/// The most columns that can be read.
const COLUMNS: usize = 40;

/// The table, and how many deals its cells have. There is none for a game with one role, or with too many columns.
pub(super) fn cross_table(met: &[Met<'_>]) -> Option<(ShownTable, (u64, u64))> {
    let firsts = || met.iter().filter(|one| !one.is_mirrored);
    let is_first = |player: &str| firsts().any(|one| one.player == player);
    let is_gauntlet = firsts().all(|one| !is_first(&one.against)) && met.iter().any(|one| one.is_mirrored);
    let rows: Vec<&Met<'_>> = met.iter().filter(|one| !is_gauntlet || !one.is_mirrored).collect();
    let columns = distinct(rows.iter().map(|one| one.against.as_str()));
    if columns.len() > COLUMNS || columns.iter().any(|against| against.is_empty()) {
        return None;
    }
    let players = distinct(rows.iter().map(|one| one.player));
    // Entrants that are both have one order in rows and columns.
    let columns: Vec<&str> = if columns.iter().all(|column| players.contains(column)) {
        players.iter().copied().filter(|player| columns.contains(player)).collect()
    } else {
        columns
    };
    let cell = |player: &str, against: &str| {
        rows.iter().find(|one| one.player == player && one.against == against).map(|one| &one.entrant.score)
    };
    let shown = |player: &&str| {
        let cells =
            columns.iter().map(|against| cell(player, against).map_or_else(String::new, score_in_words));
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
        footnote: (n.0 < FEW).then(|| format!("* fewer than {FEW} deals: the interval is not reliable")),
    };
    Some((table, n))
}

/// A score with half the width of its interval, marked if it rests on few deals.
pub(super) fn score_in_words(score: &Sample) -> String {
    let Some(mean) = score.mean() else { return "?".to_owned() };
    let half = score.half_width().map_or_else(|| "?".to_owned(), |half| format!("{half:.1}"));
    let mark = if score.count() < FEW { " *" } else { "" };
    format!("{mean:.1} +- {half}{mark}")
}

/// Each text once, in the order in which they come.
fn distinct<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct = Vec::new();
    for text in texts {
        if !distinct.contains(&text) {
            distinct.push(text);
        }
    }
    distinct
}
