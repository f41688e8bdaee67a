//! Tables: a summary as rows and columns, the same for every form of report.
//!
//! Intervals are 95 %; a column `ci95` is half the width of the interval of the column before it. `docs/json.md` lists the
//! names of the columns.

use super::columns::Columns;
use super::folder::Planned;
use super::met::{Met, SAME, met, with_replaced};
use super::plan::SeatPermutations;
use super::role_scores::{by_role, scores};
use super::sequential_test::SequentialVerdict;
use super::summary::{CellSummary, Contrast, EntrantSummary, ExperimentSummary, REPLACED};
use super::work::Figure;
use hyperplay_machine::counted;
use hyperplay_report::Reading::{Interval, One, PlusMinus};
use hyperplay_report::{Column, FEW, Sample, Table, TableEntry, elo};

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

/// The columns that say who met whom.
fn who<'a>() -> Vec<Column<Met<'a>>> {
    Columns("who").read_by(&[
        ("game", |met| met.game.into()),
        ("player", |met| met.player.into()),
        ("against", |met| met.against.as_str().into()),
    ])
}

fn percent(part: Option<f64>) -> TableEntry {
    part.map(|part| 100.0 * part).into()
}

fn milliseconds(seconds: Option<f64>) -> TableEntry {
    seconds.map(|seconds| 1e3 * seconds).into()
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

    fn verdict(&self) -> SequentialVerdict {
        self.test().map_or(SequentialVerdict::Open, |(_, verdict)| verdict)
    }
}

/// The columns of all pairs.
fn pair_columns<'a>() -> Vec<Column<Pair<'a>>> {
    Columns("pair").read_by(&[
        ("game", |pair| pair.game.into()),
        ("first", |pair| pair.first.into()),
        ("second", |pair| pair.second.into()),
        ("deals", |pair| pair.difference.count().into()),
        ("difference", |pair| match pair.is_same {
            true => TableEntry::Said(SAME),
            false => pair.difference.mean().into(),
        }),
        ("difference_ci95", |pair| pair.difference.half_width().filter(|_| !pair.is_same).into()),
        ("first_replaced", |pair| pair.replaced[0].into()),
        ("second_replaced", |pair| pair.replaced[1].into()),
    ])
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
    columns.extend(Columns("elo").read_by(&[
        ("elo", |pair: &Pair<'_>| pair.elo(0.0)),
        ("elo_low", |pair| pair.elo(-1.0)),
        ("elo_high", |pair| pair.elo(1.0)),
        ("los", |pair| pair.duel().and_then(|cell| cell.difference.superiority()).into()),
    ]));
    let mut view = ["first", "second", "deals"].map(One).to_vec();
    view.push(PlusMinus("difference", "difference_ci95", "first - second"));
    view.extend([One("elo"), Interval("elo_low", "elo_high", "95 %"), One("los")]);
    if summary.cells.iter().any(|cell| cell.sprt.is_some()) {
        columns.extend(Columns("test").read_by(&[
            ("llr", |pair: &Pair<'_>| pair.test().map(|(ratio, _)| ratio).into()),
            ("verdict", |pair| pair.verdict().as_str().into()),
        ]));
        view.extend(["llr", "verdict"].map(One));
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
    let against = Columns("against").read_by(&[("against", |pair: &Pair<'_>| pair.against.as_str().into())]);
    let table = Table::of(&[pair_columns(), against].concat(), &rows).named(
        "contrasts",
        "Entrants who met the same others",
        "Paired by deal: what one of them scored on a deal less what the other scored on the same deal.",
    );
    let mut view = ["first", "second", "against", "deals"].map(One).to_vec();
    view.push(PlusMinus("difference", "difference_ci95", "first - second"));
    let table = table.viewed(view);
    with_replaced(table.with_few("deals", FEW, "deals"), ["first_replaced", "second_replaced"])
}

/// What the decisions of these entrants cost.
fn work(met: &[Met<'_>]) -> Table {
    Table::of(&[who(), work_columns()].concat(), met).named(
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
    met.entrant.work.faults.get(kind).copied().unwrap_or_default().into()
}

/// The first row of each of these entrants, with what it did in all cells.
fn rows_over_all<'a>(entrants: &'a [EntrantSummary], met: &[Met<'a>]) -> Vec<Met<'a>> {
    let row = |entrant: &'a EntrantSummary| {
        let first = met.iter().find(|one| one.entrant.entrant == entrant.entrant)?;
        Some(Met { entrant, ..first.clone() })
    };
    entrants.iter().filter_map(row).collect()
}

/// What went wrong in a game, and how long answers took: an entrant has one row. Nothing where nothing went wrong and there
/// was no clock.
pub(super) fn faults(met: &[Met<'_>], has_clocks: bool) -> Option<Table> {
    let entrants = over_all(met);
    if !has_clocks && entrants.iter().all(|entrant| entrant.faults == 0) {
        return None;
    }
    let columns: Vec<Column<Met<'_>>> = Columns("fault").read_by(&[
        ("player", |met| met.player.into()),
        ("decisions", |met| met.entrant.work.turns.into()),
        ("mean", |met| milliseconds(met.entrant.work.mean(Figure::Time))),
        ("longest", |met| milliseconds(met.entrant.work.longest)),
        ("faults", |met| met.entrant.faults.into()),
        ("late", |met| of_kind(met, "late")),
        ("illegal", |met| of_kind(met, "illegal")),
        ("unreachable", |met| of_kind(met, "unreachable")),
        ("crashed", |met| of_kind(met, "crashed")),
        ("dropped", |met| of_kind(met, "dropped")),
    ]);
    Some(Table::of(&columns, &rows_over_all(&entrants, met)).named(
        "faults",
        "Faults and times",
        "Moves that were replaced, by what went wrong, and wall times of answers, late ones too, in milliseconds; of a player \
         behind an address with the way there and back.",
    ))
}

/// The same in a game for readers: an entrant has one row, over all that it met.
pub(super) fn cost(met: &[Met<'_>]) -> Table {
    let entrants = over_all(met);
    let faults: Vec<Column<Met<'_>>> =
        Columns("faults").read_by(&[("faults", |met| met.entrant.faults.into())]);
    let columns = [who(), work_columns(), faults].concat();
    let mut view = ["player", "decisions"].map(One).to_vec();
    view.push(PlusMinus("time_ms", "time_ms_ci95", "time ms"));
    view.extend(
        ["belief_share", "playouts", "playouts_per_move", "particles", "states", "effective"].map(One),
    );
    view.extend(["method", "acceptance", "update_ms", "select_ms", "depleted", "faults"].map(One));
    Table::of(&columns, &rows_over_all(&entrants, met)).viewed(view)
}

/// The columns of what decisions cost.
fn work_columns<'a>() -> Vec<Column<Met<'a>>> {
    Columns("work").read_by(&[
        ("decisions", |met| met.entrant.work.turns.into()),
        ("particles", |met| met.entrant.work.mean(Figure::Particles).into()),
        ("states", |met| met.entrant.work.mean(Figure::States).into()),
        ("effective", |met| met.entrant.work.mean(Figure::Effective).into()),
        ("method", |met| met.entrant.work.method().as_str().into()),
        ("acceptance", |met| percent(met.entrant.work.acceptance())),
        ("playouts", |met| met.entrant.work.mean(Figure::Playouts).into()),
        ("playouts_per_move", |met| met.entrant.work.mean(Figure::PlayoutsPerMove).into()),
        ("update_ms", |met| milliseconds(met.entrant.work.mean(Figure::Update))),
        ("select_ms", |met| milliseconds(met.entrant.work.mean(Figure::Select))),
        ("time_ms", |met| milliseconds(met.entrant.work.mean(Figure::Time))),
        ("time_ms_ci95", |met| milliseconds(met.entrant.work.sample(Figure::Time).half_width())),
        ("belief_share", |met| percent(met.entrant.work.belief_share())),
        ("depleted", |met| percent(met.entrant.work.depletion())),
    ])
}
