//! Tables: a summary as rows and columns, the same for every form of report.
//!
//! Intervals are 95 %; a column `ci95` is half the width of the interval of the column before it. `docs/json.md` lists the
//! names of the columns.

use super::folder::Planned;
use super::met::{Met, met};
use super::role_scores::by_role;
use super::sequential_test::SequentialVerdict;
use super::summary::{CellSummary, Contrast, EntrantSummary, ExperimentSummary};
use crate::report::Format::{Number, Rounded, Text};
use crate::report::Reading::{Interval, One, PlusMinus};
use crate::report::{Column, FEW, Sample, Table, TableEntry, elo, share};

/// All tables that have rows, each over all games.
pub fn tables(planned: &Planned, summary: &ExperimentSummary) -> Vec<Table> {
    let all = [
        scores(&met(planned, summary)),
        by_role(planned, summary, &met(planned, summary)),
        differences(planned, summary),
        contrasts(planned, summary),
        work(&met(planned, summary)),
    ];
    all.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn mean(sample: &Sample) -> TableEntry {
    sample.mean().into()
}

fn half(sample: &Sample) -> TableEntry {
    sample.half_width().into()
}

/// The columns that say who met whom.
fn who<'a>() -> [Column<Met<'a>>; 3] {
    [
        Column::plain("game", Text, |met: &Met<'_>| met.game.into()),
        Column::plain("player", Text, |met: &Met<'_>| met.player.into()),
        Column::plain("against", Text, |met: &Met<'_>| met.against.as_str().into()),
    ]
}

fn percent(part: Option<f64>) -> TableEntry {
    part.map(|part| 100.0 * part).into()
}

/// The scores of these entrants.
pub(super) fn scores(met: &[Met<'_>]) -> Table {
    let mut columns: Vec<Column<Met<'_>>> = who().to_vec();
    columns.extend([
        Column::plain("deals", Number, |met: &Met<'_>| TableEntry::Count(met.entrant.score.count())),
        Column::plain("matches", Number, |met: &Met<'_>| TableEntry::Count(met.cell.matches)),
        Column::plain("score", Rounded(2), |met: &Met<'_>| mean(&met.entrant.score)),
        Column::plain("score_ci95", Rounded(2), |met: &Met<'_>| half(&met.entrant.score)).headed("+-"),
        Column::plain("wins", Number, |met: &Met<'_>| TableEntry::Count(met.entrant.wins)),
        Column::plain("draws", Number, |met: &Met<'_>| TableEntry::Count(met.entrant.draws)),
        Column::plain("losses", Number, |met: &Met<'_>| TableEntry::Count(met.entrant.losses)),
        Column::plain("win_or_draw", Rounded(1), |met: &Met<'_>| {
            percent(met.win_or_draw().map(|(mean, ..)| mean))
        })
        .headed("win or draw %"),
        Column::plain("win_or_draw_low", Rounded(1), |met: &Met<'_>| {
            percent(met.win_or_draw().map(|(_, low, _)| low))
        })
        .headed("from"),
        Column::plain("win_or_draw_high", Rounded(1), |met: &Met<'_>| {
            percent(met.win_or_draw().map(|(.., high)| high))
        })
        .headed("to"),
        Column::plain("faults", Number, |met: &Met<'_>| TableEntry::Count(met.entrant.faults)),
        Column::plain("unfinished", Number, |met: &Met<'_>| {
            TableEntry::Count(met.cell.unfinished.values().sum())
        }),
        Column::plain("failed", Number, |met: &Met<'_>| TableEntry::Count(met.cell.failed)),
    ]);
    let table = Table::of(&columns, met).named(
        "scores",
        "Scores",
        "Mean goals over deals (each the mean over its seat permutations), with half the width of the 95 % interval \
         (Student's t). Win-or-draw only where every match was won, lost or drawn, with Jeffreys' interval over matches. A \
         match that did not end with goals is in no mean, nor is its deal; failed are those of them in which the rules could \
         not be evaluated.",
    );
    let mut view = vec![
        One("player"),
        One("against"),
        One("deals"),
        One("matches"),
        PlusMinus("score", "score_ci95", "score"),
        One("wins"),
        One("draws"),
        One("losses"),
        One("win_or_draw"),
        Interval("win_or_draw_low", "win_or_draw_high", "95 %"),
    ];
    // Readers are told of what went wrong where something did.
    view.extend(met.iter().any(|met| !met.cell.unfinished.is_empty()).then_some(One("unfinished")));
    view.extend(met.iter().any(|met| met.cell.failed > 0).then_some(One("failed")));
    table.viewed(view).with_few("deals", FEW, "deals")
}

/// The two entrants of a cell.
struct Rivals<'a> {
    game: &'a str,
    first: &'a str,
    second: &'a str,
    cell: &'a CellSummary,
}

impl Rivals<'_> {
    /// The Elo difference at the mean score plus so many times half the width of its interval.
    fn elo(&self, times: f64) -> TableEntry {
        let score = &self.cell.entrants[0].score;
        let at = |mean: f64| match times {
            0.0 => Some(mean),
            _ => Some((mean + times * score.half_width()?).clamp(0.0, 100.0)),
        };
        score.mean().and_then(at).map(elo).filter(|_| self.cell.is_won_or_lost).into()
    }

    /// What the sequential test says; nothing before there are two deals.
    fn test(&self) -> Option<(f64, SequentialVerdict)> {
        self.cell.sprt.filter(|_| self.cell.difference.count() > 1)
    }
}

fn differences(planned: &Planned, summary: &ExperimentSummary) -> Table {
    let plan = &planned.plan;
    let cells = summary.cells.iter().enumerate().filter(|(_, cell)| cell.matches > 0);
    let mut rows: Vec<Rivals<'_>> = Vec::new();
    for (number, cell) in cells {
        let Some((first, second)) = plan.cells[number].rivals() else { continue };
        let (first, second) = (plan.label(first), plan.label(second));
        rows.push(Rivals { game: &plan.game(number).name, first, second, cell });
    }
    let mut columns: Vec<Column<Rivals<'_>>> = vec![
        Column::plain("game", Text, |rivals: &Rivals<'_>| rivals.game.into()),
        Column::plain("first", Text, |rivals: &Rivals<'_>| rivals.first.into()),
        Column::plain("second", Text, |rivals: &Rivals<'_>| rivals.second.into()),
        Column::plain("deals", Number, |rivals: &Rivals<'_>| {
            TableEntry::Count(rivals.cell.difference.count())
        }),
        Column::plain("difference", Rounded(2), |rivals: &Rivals<'_>| mean(&rivals.cell.difference))
            .headed("first - second"),
        Column::plain("difference_ci95", Rounded(2), |rivals: &Rivals<'_>| half(&rivals.cell.difference))
            .headed("+-"),
        Column::plain("elo", Rounded(0), |rivals: &Rivals<'_>| rivals.elo(0.0)).headed("Elo"),
        Column::plain("elo_low", Rounded(0), |rivals: &Rivals<'_>| rivals.elo(-1.0)).headed("from"),
        Column::plain("elo_high", Rounded(0), |rivals: &Rivals<'_>| rivals.elo(1.0)).headed("to"),
        Column::plain("los", Rounded(4), |rivals: &Rivals<'_>| {
            rivals.cell.difference.superiority().filter(|_| rivals.cell.is_won_or_lost).into()
        })
        .headed("LOS"),
    ];
    if summary.cells.iter().any(|cell| cell.sprt.is_some()) {
        columns.extend([
            Column::plain("llr", Rounded(2), |rivals: &Rivals<'_>| {
                rivals.test().map(|(ratio, _)| ratio).into()
            })
            .headed("LLR"),
            Column::plain("verdict", Text, |rivals: &Rivals<'_>| {
                rivals.test().map_or(SequentialVerdict::Open, |(_, verdict)| verdict).as_str().into()
            }),
        ]);
    }
    let mut view = vec![
        One("first"),
        One("second"),
        One("deals"),
        PlusMinus("difference", "difference_ci95", "first - second"),
        One("elo"),
        Interval("elo_low", "elo_high", "95 %"),
        One("los"),
    ];
    if columns.iter().any(|column| column.name == "llr") {
        view.extend([One("llr"), One("verdict")]);
    }
    let table = Table::of(&columns, &rows).named(
        "differences",
        "Differences between the entrants of a cell",
        "Paired: both played the same deals in every seat, and a deal counts by its mean. Elo and LOS (the likelihood that \
         the first is the stronger) only for two roles where every match was won, lost or drawn; the ends of the Elo interval \
         are those of the score, and an end where one of them won everything is not known.",
    );
    table.viewed(view).with_few("deals", FEW, "deals")
}

/// Two entrants who met the same others.
struct Compared<'a> {
    game: &'a str,
    first: &'a str,
    second: &'a str,
    against: String,
    contrast: &'a Contrast,
}

fn contrasts(planned: &Planned, summary: &ExperimentSummary) -> Table {
    let plan = &planned.plan;
    let mut rows: Vec<Compared<'_>> = Vec::new();
    for contrast in summary.contrasts.iter().filter(|contrast| contrast.difference.count() > 0) {
        let Contrast { game, others, first, second, .. } = contrast;
        rows.push(Compared {
            game: &plan.games[*game].name,
            first: plan.label(first.1),
            second: plan.label(second.1),
            against: others.iter().map(|&other| plan.label(other)).collect::<Vec<_>>().join(" and "),
            contrast,
        });
    }
    let columns: [Column<Compared<'_>>; 7] = [
        Column::plain("game", Text, |row: &Compared<'_>| row.game.into()),
        Column::plain("first", Text, |row: &Compared<'_>| row.first.into()),
        Column::plain("second", Text, |row: &Compared<'_>| row.second.into()),
        Column::plain("against", Text, |row: &Compared<'_>| row.against.as_str().into()),
        Column::plain("deals", Number, |row: &Compared<'_>| {
            TableEntry::Count(row.contrast.difference.count())
        }),
        Column::plain("difference", Rounded(2), |row: &Compared<'_>| mean(&row.contrast.difference))
            .headed("first - second"),
        Column::plain("difference_ci95", Rounded(2), |row: &Compared<'_>| half(&row.contrast.difference))
            .headed("+-"),
    ];
    let table = Table::of(&columns, &rows).named(
        "contrasts",
        "Entrants who met the same others",
        "Paired by deal: what one of them scored on a deal less what the other scored on the same deal.",
    );
    let difference = PlusMinus("difference", "difference_ci95", "first - second");
    table
        .viewed(vec![One("first"), One("second"), One("against"), One("deals"), difference])
        .with_few("deals", FEW, "deals")
}

fn milliseconds(seconds: Option<f64>) -> TableEntry {
    seconds.map(|seconds| 1e3 * seconds).into()
}

/// What the decisions of these entrants cost.
fn work(met: &[Met<'_>]) -> Table {
    let columns: Vec<Column<Met<'_>>> = who().into_iter().chain(work_columns()).collect();
    Table::of(&columns, met).named(
        "work",
        "What the decisions cost",
        "Over decisions between two legal moves or more; means over a match first. The method is how the particles were found, \
         with the number of decisions where it differs; acceptance is the percentage of attempts to extend a history that agreed \
         with what was observed. Times are wall times of the computers that played, in milliseconds, and no part of the result; \
         the belief has its percentage of the mean time.",
    )
}

/// The entrants of a game, each with what it did in all its cells.
fn over_all(met: &[Met<'_>]) -> Vec<EntrantSummary> {
    let mut entrants: Vec<EntrantSummary> = Vec::new();
    for one in met {
        match entrants.iter_mut().find(|known| known.entrant == one.entrant.entrant) {
            Some(known) => {
                known.work.merge(&one.entrant.work);
                known.faults += one.entrant.faults;
            }
            None => entrants.push(one.entrant.clone()),
        }
    }
    entrants.sort_by_key(|entrant| entrant.entrant);
    entrants
}

/// How many moves of an entrant were replaced because of this kind of fault.
fn of_kind(met: &Met<'_>, kind: &str) -> TableEntry {
    TableEntry::Count(met.entrant.work.faults.get(kind).copied().unwrap_or_default())
}

/// What went wrong in a game, and how long answers took: an entrant has one row. Nothing where nothing went wrong and there
/// was no clock.
pub(super) fn faults(met: &[Met<'_>], has_clocks: bool) -> Option<Table> {
    let entrants = over_all(met);
    if !has_clocks && entrants.iter().all(|entrant| entrant.faults == 0) {
        return None;
    }
    let longest = |met: &Met<'_>| milliseconds(met.entrant.work.longest);
    let mean = |met: &Met<'_>| milliseconds(met.entrant.work.time.mean());
    let columns: Vec<Column<Met<'_>>> = [
        Column::plain("player", Text, |met: &Met<'_>| met.player.into()),
        Column::plain("decisions", Number, |met: &Met<'_>| TableEntry::Count(met.entrant.work.turns)),
        Column::plain("mean", Rounded(1), mean).headed("mean ms"),
        Column::plain("longest", Rounded(1), longest).headed("longest ms"),
        Column::plain("faults", Number, |met: &Met<'_>| TableEntry::Count(met.entrant.faults)),
        Column::plain("late", Number, |met: &Met<'_>| of_kind(met, "late")),
        Column::plain("illegal", Number, |met: &Met<'_>| of_kind(met, "illegal")),
        Column::plain("unreachable", Number, |met: &Met<'_>| of_kind(met, "unreachable")),
        Column::plain("crashed", Number, |met: &Met<'_>| of_kind(met, "crashed")),
        Column::plain("dropped", Number, |met: &Met<'_>| of_kind(met, "dropped")),
    ]
    .into();
    let rows = entrants.iter().filter_map(|entrant| {
        let first = met.iter().find(|one| one.entrant.entrant == entrant.entrant)?;
        Some(Met { entrant, ..first.clone() })
    });
    Some(Table::of(&columns, &rows.collect::<Vec<_>>()).named(
        "faults",
        "Faults and times",
        "Moves that were replaced, by what went wrong, and wall times of answers, late ones too, in milliseconds; of a player \
         behind an address with the way there and back.",
    ))
}

/// The same in a game for readers: an entrant has one row, over all that it met.
pub(super) fn cost(met: &[Met<'_>]) -> Table {
    let entrants = over_all(met);
    let rows = entrants.iter().filter_map(|entrant| {
        let first = met.iter().find(|one| one.entrant.entrant == entrant.entrant)?;
        Some(Met { entrant, ..first.clone() })
    });
    let faults = Column::plain("faults", Number, |met: &Met<'_>| TableEntry::Count(met.entrant.faults));
    let columns: Vec<Column<Met<'_>>> = who().into_iter().chain(work_columns()).chain([faults]).collect();
    let table = Table::of(&columns, &rows.collect::<Vec<_>>());
    table.viewed(vec![
        One("player"),
        One("decisions"),
        PlusMinus("time_ms", "time_ms_ci95", "time ms"),
        One("belief_share"),
        One("playouts"),
        One("playouts_per_move"),
        One("particles"),
        One("states"),
        One("effective"),
        One("method"),
        One("acceptance"),
        One("update_ms"),
        One("select_ms"),
        One("depleted"),
        One("faults"),
    ])
}

/// The columns of what decisions cost.
fn work_columns<'a>() -> Vec<Column<Met<'a>>> {
    vec![
        Column::plain("decisions", Number, |met: &Met<'_>| TableEntry::Count(met.entrant.work.turns)),
        Column::plain("particles", Rounded(1), |met: &Met<'_>| mean(&met.entrant.work.particles)),
        Column::plain("states", Rounded(1), |met: &Met<'_>| mean(&met.entrant.work.states)),
        Column::plain("effective", Rounded(1), |met: &Met<'_>| mean(&met.entrant.work.effective)),
        Column::plain("method", Text, |met: &Met<'_>| met.entrant.work.method().as_str().into()),
        Column::plain("acceptance", Rounded(1), |met: &Met<'_>| percent(met.entrant.work.acceptance()))
            .headed("acceptance %"),
        Column::plain("playouts", Rounded(1), |met: &Met<'_>| mean(&met.entrant.work.playouts)),
        Column::plain("playouts_per_move", Rounded(1), |met: &Met<'_>| {
            mean(&met.entrant.work.playouts_per_move)
        })
        .headed("playouts a move"),
        Column::plain("update_ms", Rounded(3), |met: &Met<'_>| milliseconds(met.entrant.work.update.mean()))
            .headed("update ms"),
        Column::plain("select_ms", Rounded(3), |met: &Met<'_>| milliseconds(met.entrant.work.select.mean()))
            .headed("select ms"),
        Column::plain("time_ms", Rounded(3), |met: &Met<'_>| milliseconds(met.entrant.work.time.mean()))
            .headed("time ms"),
        Column::plain("time_ms_ci95", Rounded(3), |met: &Met<'_>| {
            milliseconds(met.entrant.work.time.half_width())
        })
        .headed("+-"),
        Column::plain("belief_share", Rounded(1), |met: &Met<'_>| percent(met.entrant.work.belief_share()))
            .headed("belief %"),
        Column::plain("depleted", Rounded(2), |met: &Met<'_>| {
            let work = &met.entrant.work;
            let depleted = share(work.depleted, work.turns).filter(|_| work.has_belief());
            percent(depleted.map(|(mean, ..)| mean))
        })
        .headed("depleted %"),
    ]
}
