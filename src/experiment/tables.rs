//! Tables: a summary as rows and columns, the same for every form of report.
//!
//! Intervals are 95 %; a column `ci95` is half the width of the interval of the column before it. `docs/json.md` lists
//! the names of the columns.

use std::collections::BTreeMap;

use serde::Serialize;

use super::best::{Answer, best, rating_table};
use super::columns::{TITLES, columns, over_deals, readings};
use super::folder::Planned;
use super::pairings::{Pairing, ScoreEntry, pairings, with_replaced};
use super::plan::SeatPermutations;
use super::score_tables::{by_role, scores, seat_effects};
use super::sequential_test::SequentialVerdict;
use super::summary::{Contrast, EntrantSummary, ExperimentSummary, REPLACED};
use super::work::Figure;
use hyperplay_machine::counted;
use hyperplay_report::{MeanInterval, Sample, Table, elo};

/// All tables that have rows, each over all games, and which setting is best; ratings are those beside this entrant.
pub fn tables(
    planned: &Planned,
    summary: &ExperimentSummary,
    anchor: Option<&str>,
) -> (Vec<Answer>, Vec<Table>) {
    let (answers, best) = best(planned, summary);
    let all = [
        best,
        rating_table(planned, summary, anchor),
        scores(&pairings(planned, summary)),
        by_role(planned, summary, &pairings(planned, summary)),
        seat_effects(planned, summary),
        differences(planned, summary),
        contrasts(planned, summary),
        work(&pairings(planned, summary)),
    ];
    (answers, all.into_iter().filter(|table| !table.rows.is_empty()).collect())
}

/// The share of its time for which an entrant has a processor where the time exceeds that of the processor by 10 %.
const PROCESSOR: f64 = 1.0 / 1.1;

/// The rate of playouts in the second half over that in the first from which on nothing is said.
const SLOWDOWN: f64 = 0.8;

fn percent(part: Option<f64>) -> Option<f64> {
    part.map(|part| 100.0 * part)
}

fn milliseconds(seconds: Option<f64>) -> Option<f64> {
    seconds.map(|seconds| 1e3 * seconds)
}

/// Two entrants who are compared: of one cell, or of two in which both met the same others.
#[derive(Serialize)]
struct Pair<'a> {
    game: &'a str,
    first: &'a str,
    second: &'a str,
    /// Whom both met: in the cell of the two, or in two cells.
    against: String,
    deals: u64,
    difference: ScoreEntry,
    /// The greatest percentages of their moves that were replaced, or of moves of others in their cells.
    first_replaced: Option<f64>,
    second_replaced: Option<f64>,
    /// Where every match was won, lost or drawn by two players.
    elo: Option<MeanInterval>,
    los: Option<f64>,
    /// The result of the sequential test; nothing before there are two deals.
    llr: Option<f64>,
    verdict: &'static str,
    /// Of two cells.
    variance_ratio: Option<f64>,
}

/// The Elo difference at a mean score and at the ends of its interval.
fn elo_of(score: &Sample) -> Option<MeanInterval> {
    let (mean, half) = (score.mean()?, score.half_width().unwrap_or(f64::NAN));
    let [low, high] = [mean - half, mean + half].map(|end| elo(end.clamp(0.0, 100.0)));
    Some(MeanInterval { value: elo(mean), low, high })
}

fn differences(planned: &Planned, summary: &ExperimentSummary) -> Table {
    let plan = &planned.plan;
    let cells = summary.cells.iter().enumerate().filter(|(_, cell)| cell.matches > 0);
    let mut rows: Vec<Pair<'_>> = Vec::new();
    for (number, cell) in cells {
        for &(pair, difference) in &cell.differences {
            let [first, second] = pair.map(|at| cell.entrants[at].entrant);
            let is_same = plan.seats == SeatPermutations::All && plan.are_same(first, second);
            let is_duel = cell.is_won_or_lost && !is_same;
            let deals = difference.count();
            // The test is of the first two.
            let test = cell.sprt.filter(|_| deals > 1 && pair == [0, 1]);
            // One seat each is theirs.
            let mut others = plan.cells[number].entrants.clone();
            for own in [first, second] {
                others.iter().position(|&other| other == own).map(|at| others.remove(at));
            }
            rows.push(Pair {
                game: &plan.game(number).name,
                first: plan.label(first),
                second: plan.label(second),
                against: plan.together(&others),
                deals,
                difference: ScoreEntry::of(difference, is_same),
                first_replaced: cell.entrants[pair[0]].replaced(),
                second_replaced: cell.entrants[pair[1]].replaced(),
                elo: elo_of(&cell.entrants[pair[0]].score).filter(|_| is_duel),
                los: difference.superiority().filter(|_| is_duel),
                llr: test.map(|(ratio, _)| ratio),
                verdict: test.map_or(SequentialVerdict::Open, |(_, verdict)| verdict).as_str(),
                variance_ratio: None,
            });
        }
    }
    let is_tested = summary.cells.iter().any(|cell| cell.sprt.is_some());
    let parts = if is_tested { &["pair", "against", "elo", "test"][..] } else { &["pair", "against", "elo"] };
    let mut table = over_deals("differences", parts, &rows);
    if is_tested {
        table.view.extend(readings("test"));
    }
    with_replaced(table, ["first_replaced", "second_replaced"])
}

fn contrasts(planned: &Planned, summary: &ExperimentSummary) -> Table {
    let plan = &planned.plan;
    let mut rows: Vec<Pair<'_>> = Vec::new();
    for contrast in summary.contrasts.iter().filter(|contrast| contrast.scores.count() > 0) {
        let (Contrast { game, others, first, second, .. }, difference) = (contrast, contrast.difference());
        rows.push(Pair {
            game: &plan.games[*game].name,
            first: plan.label(first.1),
            second: plan.label(second.1),
            against: plan.together(others),
            deals: difference.count(),
            difference: ScoreEntry::of(difference, plan.are_same(first.1, second.1)),
            first_replaced: summary.cells[first.0].replaced(None),
            second_replaced: summary.cells[second.0].replaced(None),
            elo: None,
            los: None,
            llr: None,
            verdict: SequentialVerdict::Open.as_str(),
            variance_ratio: contrast.variance_ratio(),
        });
    }
    let table = over_deals("contrasts", &["pair", "against", "contrast"], &rows);
    with_replaced(table, ["first_replaced", "second_replaced"])
}

/// The cost of the decisions of these entrants.
fn work(pairings: &[Pairing<'_>]) -> Table {
    let rows: Vec<WorkRow<'_>> =
        pairings.iter().map(|pairing| WorkRow::of(pairing, pairing.entrant)).collect();
    Table::of(&columns(&["who", "work"]), &rows).named(TITLES, "work")
}

/// The entrants of a game, each with what it did in all its cells.
pub(super) fn over_all(pairings: &[Pairing<'_>]) -> Vec<EntrantSummary> {
    let mut entrants: BTreeMap<usize, EntrantSummary> = BTreeMap::new();
    for &Pairing { entrant: one, .. } in pairings {
        let merge = |known: &mut EntrantSummary| {
            known.work.merge(&one.work);
            known.faults += one.faults;
            known.matches = [0, 1].map(|at| known.matches[at] + one.matches[at]);
        };
        entrants.entry(one.entrant).and_modify(merge).or_insert_with(|| one.clone());
    }
    entrants.into_values().collect()
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
    over_all(&pairings(planned, summary)).iter().filter_map(sentence).collect()
}

/// With clocks, the entrants that had not all of their time, or less and less of it, each as a sentence.
pub fn disturbed(planned: &Planned, summary: &ExperimentSummary) -> Vec<String> {
    let load = summary.load.mean().map_or(String::new(), |load| format!(" (mean load {load:.1})"));
    let sentences = |one: &EntrantSummary| {
        let player = planned.plan.label(one.entrant);
        let had = one.work.processor_share().filter(|&share| share < PROCESSOR).map(|share| {
            let of = format!("{:.0} % of the time of its decisions", 100.0 * share);
            format!("{player} had a processor for {of}{load}: equal clocks were not equal time")
        });
        let made = one.work.slowdown().filter(|&rate| rate < SLOWDOWN).map(|rate| {
            let fewer = format!("{:.0} % fewer playouts a millisecond", 100.0 * (1.0 - rate));
            format!("{player} made {fewer} in the second half of the deals{load}")
        });
        had.into_iter().chain(made)
    };
    let entrants = over_all(&pairings(planned, summary));
    entrants.iter().filter(|_| planned.plan.clocks.is_some()).flat_map(sentences).collect()
}

/// The first row of each of these entrants, with what it did in all cells.
fn rows_over_all<'a>(entrants: &'a [EntrantSummary], pairings: &'a [Pairing<'a>]) -> Vec<WorkRow<'a>> {
    let row = |entrant: &'a EntrantSummary| {
        Some(WorkRow::of(pairings.iter().find(|one| one.entrant.entrant == entrant.entrant)?, entrant))
    };
    entrants.iter().filter_map(row).collect()
}

/// The faults in a game, and how long answers took: an entrant has one row. Nothing where nothing went wrong and there
/// was no clock.
pub(super) fn faults(pairings: &[Pairing<'_>], clock: Option<f64>) -> Option<Table> {
    let entrants = over_all(pairings);
    if clock.is_none() && entrants.iter().all(|entrant| entrant.faults == 0) {
        return None;
    }
    let mut rows = rows_over_all(&entrants, pairings);
    for row in &mut rows {
        row.clock = row.means["time_ms"].zip(clock).map(|(time, clock)| time / clock / 10.0);
    }
    Some(Table::of(&columns(&["fault"]), &rows).named(TITLES, "faults"))
}

/// The same in a game for readers: an entrant has one row, over all that it met.
pub(super) fn cost(pairings: &[Pairing<'_>]) -> Table {
    Table::of(&columns(&["who", "work", "faults"]), &rows_over_all(&over_all(pairings), pairings))
        .named(TITLES, "cost")
        .viewed(readings("cost"))
}

/// The means over matches that a row of costs has: the column, the figure, and what it is multiplied with.
const MEANS: [(&str, Figure, f64); 9] = [
    ("particles", Figure::Particles, 1.0),
    ("states", Figure::States, 1.0),
    ("effective", Figure::Effective, 1.0),
    ("playouts", Figure::Playouts, 1.0),
    ("playouts_per_move", Figure::PlayoutsPerMove, 1.0),
    ("update_ms", Figure::Update, 1e3),
    ("select_ms", Figure::Select, 1e3),
    ("time_ms", Figure::Time, 1e3),
    ("processor_ms", Figure::Processor, 1e3),
];

/// The cost of the decisions of an entrant, and what went wrong.
#[derive(Serialize)]
struct WorkRow<'a> {
    #[serde(flatten)]
    pairing: &'a Pairing<'a>,
    decisions: u64,
    #[serde(flatten)]
    means: BTreeMap<&'static str, Option<f64>>,
    method: String,
    acceptance: Option<f64>,
    time_ms_ci95: Option<f64>,
    belief_share: Option<f64>,
    depleted: Option<f64>,
    longest_ms: Option<f64>,
    /// Of the play clock, in percent.
    clock: Option<f64>,
    core_hours: Option<f64>,
    faults: u64,
    /// How many moves were replaced because of each kind of fault.
    #[serde(flatten)]
    of_kind: BTreeMap<&'static str, u64>,
}

impl<'a> WorkRow<'a> {
    fn of(pairing: &'a Pairing<'a>, entrant: &EntrantSummary) -> Self {
        let work = &entrant.work;
        let mean =
            |(name, figure, times): (_, Figure, f64)| (name, work.mean(figure).map(|mean| times * mean));
        let of_kind = |kind| (kind, work.faults.get(kind).copied().unwrap_or_default());
        WorkRow {
            pairing,
            decisions: work.turns,
            means: MEANS.into_iter().map(mean).collect(),
            method: work.method(),
            acceptance: percent(work.acceptance()),
            time_ms_ci95: milliseconds(work.sample(Figure::Time).half_width()),
            belief_share: percent(work.belief_share()),
            depleted: percent(work.depletion()),
            longest_ms: milliseconds(work.longest),
            clock: None,
            core_hours: work.mean(Figure::Processor).map(|_| work.spent[1] / 3600.0),
            faults: entrant.faults,
            of_kind: ["late", "illegal", "unreachable", "crashed", "dropped"].map(of_kind).into(),
        }
    }
}
