//! Tables: a summary as rows and columns, the same for every form of report.
//!
//! Intervals are 95 %; a column `ci95` is half the width of the interval of the column before it. `docs/json.md` lists the
//! names of the columns.

use super::folder::Planned;
use super::met::{Met, SAME, met, with_replaced};
use super::plan::SeatPermutations;
use super::role_scores::{by_role, scores};
use super::sequential_test::SequentialVerdict;
use super::summary::{CellSummary, Contrast, EntrantSummary, ExperimentSummary, REPLACED};
use crate::report::Format::{Number, Rounded, Text};
use crate::report::Reading::{Interval, One, PlusMinus};
use crate::report::{Column, FEW, Sample, Table, TableEntry, elo};
use hyperplay_logic::gdl::counted;

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

/// Two entrants who are compared: of one cell, or of two in which both met the same others.
struct Pair<'a> {
    game: &'a str,
    first: &'a str,
    second: &'a str,
    /// Whom both met, elsewhere than in the cell of the two.
    against: String,
    difference: &'a Sample,
    /// Whether they have names of their own and nothing else.
    is_same: bool,
    /// The greatest percentages of their moves that were replaced, or of moves of others in their cells.
    replaced: [Option<f64>; 2],
    /// The cell in which they met.
    cell: Option<&'a CellSummary>,
}

impl Pair<'_> {
    /// The cell, if every match of it was won, lost or drawn by two players.
    fn duel(&self) -> Option<&CellSummary> {
        self.cell.filter(|cell| cell.is_won_or_lost && !self.is_same)
    }

    /// The Elo difference at the mean score plus so many times half the width of its interval.
    fn elo(&self, times: f64) -> TableEntry {
        let at = |cell: &CellSummary| {
            let score = &cell.entrants[0].score;
            let mean = score.mean()?;
            Some(elo(if times == 0.0 {
                mean
            } else {
                (mean + times * score.half_width()?).clamp(0.0, 100.0)
            }))
        };
        self.duel().and_then(at).into()
    }

    /// What the sequential test says; nothing before there are two deals.
    fn test(&self) -> Option<(f64, SequentialVerdict)> {
        self.cell?.sprt.filter(|_| self.difference.count() > 1)
    }
}

/// The columns of all pairs; `against` is the last.
fn pair_columns<'a>() -> Vec<Column<Pair<'a>>> {
    vec![
        Column::plain("game", Text, |pair: &Pair<'_>| pair.game.into()),
        Column::plain("first", Text, |pair: &Pair<'_>| pair.first.into()),
        Column::plain("second", Text, |pair: &Pair<'_>| pair.second.into()),
        Column::plain("deals", Number, |pair: &Pair<'_>| TableEntry::Count(pair.difference.count())),
        Column::plain("difference", Rounded(2), |pair: &Pair<'_>| match pair.is_same {
            true => TableEntry::Said(SAME),
            false => mean(pair.difference),
        })
        .headed("first - second"),
        Column::plain("difference_ci95", Rounded(2), |pair: &Pair<'_>| match pair.is_same {
            true => TableEntry::Missing,
            false => half(pair.difference),
        })
        .headed("+-"),
        Column::plain("first_replaced", Rounded(1), |pair: &Pair<'_>| pair.replaced[0].into()),
        Column::plain("second_replaced", Rounded(1), |pair: &Pair<'_>| pair.replaced[1].into()),
        Column::plain("against", Text, |pair: &Pair<'_>| pair.against.as_str().into()),
    ]
}

fn differences(planned: &Planned, summary: &ExperimentSummary) -> Table {
    let plan = &planned.plan;
    let cells = summary.cells.iter().enumerate().filter(|(_, cell)| cell.matches > 0);
    let mut rows: Vec<Pair<'_>> = Vec::new();
    for (number, cell) in cells {
        let Some((first, second)) = plan.cells[number].rivals() else { continue };
        rows.push(Pair {
            game: &plan.game(number).name,
            first: plan.label(first),
            second: plan.label(second),
            against: String::new(),
            difference: &cell.difference,
            is_same: plan.seats == SeatPermutations::All && plan.are_same(first, second),
            replaced: [cell.entrants[0].replaced(), cell.replaced(Some(first))],
            cell: Some(cell),
        });
    }
    let mut columns = pair_columns();
    columns.pop();
    columns.extend([
        Column::plain("elo", Rounded(0), |pair: &Pair<'_>| pair.elo(0.0)).headed("Elo"),
        Column::plain("elo_low", Rounded(0), |pair: &Pair<'_>| pair.elo(-1.0)).headed("from"),
        Column::plain("elo_high", Rounded(0), |pair: &Pair<'_>| pair.elo(1.0)).headed("to"),
        Column::plain("los", Rounded(4), |pair: &Pair<'_>| {
            pair.duel().and_then(|cell| cell.difference.superiority()).into()
        })
        .headed("LOS"),
    ]);
    let mut view = vec![
        One("first"),
        One("second"),
        One("deals"),
        PlusMinus("difference", "difference_ci95", "first - second"),
        One("elo"),
        Interval("elo_low", "elo_high", "95 %"),
        One("los"),
    ];
    if summary.cells.iter().any(|cell| cell.sprt.is_some()) {
        columns.extend([
            Column::plain("llr", Rounded(2), |pair: &Pair<'_>| pair.test().map(|(ratio, _)| ratio).into())
                .headed("LLR"),
            Column::plain("verdict", Text, |pair: &Pair<'_>| {
                pair.test().map_or(SequentialVerdict::Open, |(_, verdict)| verdict).as_str().into()
            }),
        ]);
        view.extend([One("llr"), One("verdict")]);
    }
    let table = Table::of(&columns, &rows).named(
        "differences",
        "Differences between the entrants of a cell",
        "Paired: both played the same deals in every seat, and a deal counts by its mean. Elo and LOS (the likelihood that \
         the first is the stronger) only for two roles where every match was won, lost or drawn; the ends of the Elo interval \
         are those of the score, and an end where one of them won everything is not known.",
    );
    with_replaced(table.viewed(view).with_few("deals", FEW, "deals"), ["first_replaced", "second_replaced"])
}

fn contrasts(planned: &Planned, summary: &ExperimentSummary) -> Table {
    let plan = &planned.plan;
    let mut rows: Vec<Pair<'_>> = Vec::new();
    for contrast in summary.contrasts.iter().filter(|contrast| contrast.difference.count() > 0) {
        let Contrast { game, others, first, second, difference } = contrast;
        rows.push(Pair {
            game: &plan.games[*game].name,
            first: plan.label(first.1),
            second: plan.label(second.1),
            against: others.iter().map(|&other| plan.label(other)).collect::<Vec<_>>().join(" and "),
            difference,
            is_same: plan.are_same(first.1, second.1),
            replaced: [first.0, second.0].map(|cell| summary.cells[cell].replaced(None)),
            cell: None,
        });
    }
    let table = Table::of(&pair_columns(), &rows).named(
        "contrasts",
        "Entrants who met the same others",
        "Paired by deal: what one of them scored on a deal less what the other scored on the same deal.",
    );
    let difference = PlusMinus("difference", "difference_ci95", "first - second");
    let table = table.viewed(vec![One("first"), One("second"), One("against"), One("deals"), difference]);
    with_replaced(table.with_few("deals", FEW, "deals"), ["first_replaced", "second_replaced"])
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
                known.matches = [0, 1].map(|at| known.matches[at] + one.entrant.matches[at]);
            }
            None => entrants.push(one.entrant.clone()),
        }
    }
    entrants.sort_by_key(|entrant| entrant.entrant);
    entrants
}

/// The entrants of whose moves more than [`REPLACED`] % were replaced, each as a sentence.
pub fn unreliable(planned: &Planned, summary: &ExperimentSummary) -> Vec<String> {
    let sentence = |one: &EntrantSummary| {
        let share = one.replaced().filter(|&share| share > REPLACED)?;
        let kinds: Vec<String> =
            one.work.faults.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        let (player, [matches, faulted]) = (planned.plan.label(one.entrant), one.matches);
        Some(format!(
            "{player}: {share:.1} % of {} were replaced, in {faulted} of {} ({}): its scores are not those of its play",
            counted(one.work.turns, "decision"),
            counted(matches, "match"),
            kinds.join(", ")
        ))
    };
    over_all(&met(planned, summary)).iter().filter_map(sentence).collect()
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
            percent(work.has_belief().then(|| work.depleted as f64 / work.turns as f64))
        })
        .headed("depleted %"),
    ]
}
