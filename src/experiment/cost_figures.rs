//! Cost figures: the cost of the scores of a game in time, and how time and belief go over the steps.

use std::collections::BTreeMap;

use super::folder::Planned;
use super::pairings::Pairing;
use super::score_figures::{Family, PANELS, deals, in_words, score_axis, score_point};
use super::summary::{ExperimentSummary, StepSummary};
use super::work::Figure as WorkFigure;
use hyperplay_machine::counted;
use hyperplay_report::{Axis, Figure, FigurePoint, FigureSeries, LinePlot, Plot, PlotPanel, TOGETHER};

/// Times are recorded in microseconds, so times below this many seconds are not distinguished.
const RESOLUTION: f64 = 1e-6;

/// Steps shown have at least this number of decisions.
const LEAST: u64 = 20;

/// The scores against the time of a decision: entrants that differ in parameters in the panels and with
/// the markers that they have over their parameters.
pub(super) fn score_by_time(
    name: &[&str],
    pairings: &[Pairing<'_>],
    families: &[Family<'_>],
) -> Option<Figure> {
    let point = |pairing: &Pairing<'_>| {
        score_point(1e3 * pairing.entrant.work.mean(WorkFigure::Time)?.max(RESOLUTION), &pairing.score())
    };
    let mut panels: Vec<PlotPanel> = Vec::new();
    if families.is_empty() {
        let meetings = pairings.iter().filter(|one| !one.against.is_empty()).count();
        let players = pairings.iter().filter(|_| meetings <= TOGETHER);
        let series = players
            .map(|one| FigureSeries::measured(one.title(), point(one).into_iter().collect()).unjoined());
        panels.push(PlotPanel { title: String::new(), series: series.collect() });
    }
    for family in families {
        let of_family = if families.len() > 1 { format!("{}: ", family.name) } else { String::new() };
        // Times are measured, so their order is not that of the parameter and a line would say nothing.
        for panel in family.panels(false, |_, pairing| point(pairing)) {
            let title = format!("{of_family}{}", panel.title);
            panels.push(PlotPanel { title: title.trim_end_matches(": ").to_owned(), ..panel });
        }
    }
    let plot = LinePlot { x: Axis::logarithmic("time a decision (ms, wall)"), y: score_axis(), panels };
    if plot.is_empty() || plot.panels.len() > PANELS {
        return None;
    }
    let caption = format!("{} a point; bars are 95 % intervals of the mean goal.", deals(pairings.iter()));
    Some(Figure::new(&[name, &["score-by-time"]].concat(), "Score by time", caption, Plot::Lines(plot)))
}

/// How many decisions were made on a depleted belief, as a sentence; none if no player has a belief.
pub(super) fn depletions(summary: &ExperimentSummary, game: usize) -> Option<String> {
    let here = summary.steps.iter().filter(|((of, ..), one)| *of == game && one.has_belief);
    let (depleted, turns) = here.fold((0, 0), |sums, (_, one)| (sums.0 + one.depleted, sums.1 + one.turns));
    let were = if depleted == 1 { "was" } else { "were" };
    (turns > 0).then(|| {
        let of = counted(turns, "decision");
        format!("{depleted} of {of} of players with a belief {were} made on a depleted one.")
    })
}

/// Time and depletion over the steps.
pub(super) fn by_step(
    name: &[&str],
    planned: &Planned,
    summary: &ExperimentSummary,
    game: usize,
) -> Vec<Figure> {
    type Read = fn(&StepSummary) -> Option<[f64; 3]>;
    // A figure of a mean and the ends of its interval, read off each step; none if no step has enough decisions.
    let figure = |kind: &str, title: &str, y: Axis, read: Read| -> Option<Figure> {
        let mut lines: BTreeMap<usize, Vec<FigurePoint>> = BTreeMap::new();
        let mut n = (u64::MAX, 0);
        for (&(of, entrant, step), one) in &summary.steps {
            if of != game || one.turns < LEAST {
                continue;
            }
            if let Some([mean, low, high]) = read(one) {
                lines.entry(entrant).or_default().push(FigurePoint::between(step as f64, mean, low, high));
                n = (n.0.min(one.turns), n.1.max(one.turns));
            }
        }
        let series = |(entrant, points)| FigureSeries::measured(planned.plan.label(entrant), points);
        let series: Vec<FigureSeries> = lines.into_iter().map(series).collect();
        let parts = series.len().div_ceil(TOGETHER);
        if parts == 0 || parts > PANELS {
            return None;
        }
        let panel = |(at, part): (usize, &[FigureSeries])| PlotPanel {
            title: if parts > 1 { format!("entrants, part {} of {parts}", at + 1) } else { String::new() },
            series: part.to_vec(),
        };
        let panels = series.chunks(TOGETHER).enumerate().map(panel).collect();
        let caption = format!(
            "{} a point; bars are 95 % intervals. Steps with fewer than {LEAST} decisions are left out.",
            in_words(n, "decision")
        );
        let plot = LinePlot { x: Axis::linear("step"), y, panels };
        Some(Figure::new(&[name, &[kind]].concat(), title, caption, Plot::Lines(plot)))
    };
    let time =
        figure("time-by-step", "Time by step", Axis::logarithmic("time a decision (ms, wall)"), |one| {
            let time = one.time.means();
            let (mean, half) = (time.mean()?, time.half_width()?);
            Some([mean, mean - half, mean + half].map(|seconds| 1e3 * seconds.max(RESOLUTION)))
        });
    let is_depleted = summary.steps.iter().any(|((of, ..), one)| *of == game && one.depleted > 0);
    let depletion = is_depleted.then(|| {
        let axis = Axis::linear("decisions on a depleted belief (%)").within(0.0, 100.0);
        figure("depletion-by-step", "Depletion by step", axis, |one| {
            Some(one.depletion.share().filter(|_| one.has_belief)?.map(|share| 100.0 * share))
        })
    });
    time.into_iter().chain(depletion.flatten()).collect()
}
