//! Document: a summary for readers, as Markdown and as a page with figures.
//!
//! The caption of every figure says how many deals or decisions its points have. All points have error bars: 95 % intervals, Student's
//! t for means, Jeffreys' for shares.

use std::collections::{BTreeMap, BTreeSet};

use super::folder::Planned;
use super::summary::{EntrantSummary, ExperimentSummary};
use crate::report::{Axis, Figure, FigurePoint, FigureSeries, Page, Sample, Table, share};
use hyperplay_play::player::{Registry, SpecKind};

/// The number of series that can be told apart in one figure.
const TOGETHER: usize = 8;

/// Times are recorded in microseconds, so times below this many seconds are not distinguished.
const RESOLUTION: f64 = 1e-6;

/// Steps shown have at least so many decisions.
const LEAST: u64 = 20;

/// What stands above the tables.
fn preamble(planned: &Planned, summary: &ExperimentSummary) -> Vec<String> {
    let plan = &planned.plan;
    let mut lines: Vec<String> = Vec::new();
    if !planned.about.is_empty() {
        lines.push(planned.about.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    let clocks = if plan.clocks.is_some() { "; with clocks: another run may differ" } else { "" };
    lines.push(format!(
        "{} of {}{} matches, seed {}, plan {}{clocks}.",
        summary.matches,
        if plan.stop.is_some() { "at most " } else { "" },
        plan.matches(),
        plan.seed,
        planned.config
    ));
    lines.extend(summary.missing.iter().map(|missing| format!("Incomplete: {missing}.")));
    lines
}

/// The report as Markdown.
pub fn markdown(planned: &Planned, summary: &ExperimentSummary, tables: &[Table]) -> String {
    let mut text = format!("# {}\n", title(planned));
    for line in preamble(planned, summary) {
        text.push_str(&format!("\n{line}\n"));
    }
    for table in tables {
        text.push('\n');
        text.push_str(&table.as_markdown());
    }
    text
}

/// The report as a page that needs nothing beside itself.
pub fn page(planned: &Planned, summary: &ExperimentSummary, tables: &[Table], registry: &Registry) -> String {
    let mut page = Page::new(title(planned));
    preamble(planned, summary).iter().for_each(|line| page.paragraph(line));
    for (game, one) in planned.plan.games.iter().enumerate() {
        let drawing = Drawing { planned, summary, registry, game };
        let figures: Vec<(Figure, String)> =
            [drawing.by_particles(), drawing.by_time(), drawing.time_by_step(), drawing.depletion_by_step()]
                .into_iter()
                .flatten()
                .collect();
        if !figures.is_empty() {
            page.heading(&one.name);
            figures.iter().for_each(|(figure, caption)| page.figure(figure, caption));
            page.paragraph(&drawing.depletions());
        }
    }
    for table in tables {
        page.heading(table.title);
        page.table("", &table.shown());
        page.paragraph(&table.note);
    }
    page.finish()
}

fn title(planned: &Planned) -> &str {
    if planned.name.is_empty() { "Experiment" } else { &planned.name }
}

/// The figures of one game.
struct Drawing<'a> {
    planned: &'a Planned,
    summary: &'a ExperimentSummary,
    registry: &'a Registry,
    game: usize,
}

impl Drawing<'_> {
    /// How many decisions were made on a depleted belief, as a sentence.
    fn depletions(&self) -> String {
        let here = self.summary.steps.iter().filter(|((game, ..), one)| *game == self.game && one.has_belief);
        let sums = here.fold((0, 0), |sums, (_, one)| (sums.0 + one.depleted, sums.1 + one.turns));
        format!("{} of {} decisions of players with a belief were made on a depleted one.", sums.0, sums.1)
    }

    /// Every entrant in every cell of the game, with the name of its line: whose parameters vary, and against whom.
    fn entrants(&self) -> impl Iterator<Item = (String, &EntrantSummary)> {
        let plan = &self.planned.plan;
        let cells =
            self.summary.cells.iter().enumerate().filter(|(number, _)| plan.cells[*number].game == self.game);
        cells.flat_map(move |(number, cell)| {
            cell.entrants.iter().map(move |entrant| {
                let mut others = plan.cells[number].entrants.clone();
                if let Some(at) = others.iter().position(|&other| other == entrant.entrant) {
                    others.remove(at);
                }
                let others: Vec<&str> = others.iter().map(|&other| plan.label(other)).collect();
                let label = plan.label(entrant.entrant);
                let family = label.split(' ').next().unwrap_or(label);
                let name = if others.is_empty() {
                    family.to_owned()
                } else {
                    format!("{family} against {}", others.join(" and "))
                };
                (name, entrant)
            })
        })
    }

    /// The particles that an entrant asks for, if it has such a key.
    fn particles(&self, entrant: usize) -> Option<f64> {
        let text = &self.planned.plan.entrants[entrant].spec;
        let spec = self.registry.unopened(SpecKind::Player, text).ok()?;
        spec.entry().key("particles").map(|_| spec.count("particles") as f64)
    }

    fn by_particles(&self) -> Vec<(Figure, String)> {
        let mut lines: BTreeMap<String, Vec<(f64, &Sample)>> = BTreeMap::new();
        for (name, entrant) in self.entrants() {
            if let Some(particles) = self.particles(entrant.entrant) {
                lines.entry(name).or_default().push((particles, &entrant.score));
            }
        }
        // A line needs two places.
        lines.retain(|_, points| points.iter().any(|(x, _)| *x != points[0].0));
        let x = || Axis::logarithmic("particles asked for");
        scores("Score against particles", x, lines)
    }

    /// Where parameters vary, these lines only; else every meeting by itself, if they are few enough to be told apart.
    fn by_time(&self) -> Vec<(Figure, String)> {
        let mut families: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (name, entrant) in self.entrants() {
            families.entry(name).or_default().insert(entrant.entrant);
        }
        let varies = |name: &String| families.get(name).is_some_and(|entrants| entrants.len() > 1);
        let some_vary = families.keys().any(varies);
        if !some_vary && families.len() > TOGETHER {
            return Vec::new();
        }
        let mut lines: BTreeMap<String, Vec<(f64, &Sample)>> = BTreeMap::new();
        for (name, entrant) in self.entrants().filter(|(name, _)| !some_vary || varies(name)) {
            if let Some(seconds) = entrant.work.time.mean() {
                lines.entry(name).or_default().push((1e3 * seconds.max(RESOLUTION), &entrant.score));
            }
        }
        let x = || Axis::logarithmic("time a decision (ms, wall)");
        scores("Score against time", x, lines)
    }

    /// The lines of every entrant over the steps.
    fn by_step(
        &self,
        point: impl Fn(usize, &super::summary::StepSummary) -> Option<FigurePoint>,
    ) -> (BTreeMap<usize, Vec<FigurePoint>>, (u64, u64)) {
        let mut lines: BTreeMap<usize, Vec<FigurePoint>> = BTreeMap::new();
        let (mut least, mut most) = (u64::MAX, 0);
        for (&(game, entrant, step), summary) in &self.summary.steps {
            if game != self.game || summary.turns < LEAST {
                continue;
            }
            if let Some(point) = point(step, summary) {
                lines.entry(entrant).or_default().push(point);
                (least, most) = (least.min(summary.turns), most.max(summary.turns));
            }
        }
        (lines, (least, most))
    }

    fn figures_by_step(
        &self,
        title: &str,
        y: impl Fn() -> Axis,
        (lines, n): (BTreeMap<usize, Vec<FigurePoint>>, (u64, u64)),
    ) -> Vec<(Figure, String)> {
        let series: Vec<FigureSeries> = lines
            .into_iter()
            .map(|(entrant, points)| FigureSeries::measured(self.planned.plan.label(entrant), points))
            .collect();
        let caption = format!(
            "n = {} decisions a point; bars are 95 % intervals. Steps with fewer than {LEAST} decisions are left out.",
            range(n)
        );
        split(title, || Axis::linear("step"), y, series, &caption)
    }

    fn time_by_step(&self) -> Vec<(Figure, String)> {
        let lines = self.by_step(|step, summary| {
            let (mean, half) = (summary.time.mean()?, summary.time.half_width().unwrap_or(0.0));
            let [y, low, high] =
                [mean, mean - half, mean + half].map(|seconds| 1e3 * seconds.max(RESOLUTION));
            Some(FigurePoint::between(step as f64, y, low, high))
        });
        self.figures_by_step("Time per step", || Axis::logarithmic("time a decision (ms, wall)"), lines)
    }

    fn depletion_by_step(&self) -> Vec<(Figure, String)> {
        let mut here = self.summary.steps.iter().filter(|((game, ..), _)| *game == self.game);
        if here.all(|(_, summary)| summary.depleted == 0) {
            return Vec::new();
        }
        let lines = self.by_step(|step, summary| {
            let (mean, low, high) = share(summary.depleted, summary.turns).filter(|_| summary.has_belief)?;
            Some(FigurePoint::between(step as f64, 100.0 * mean, 100.0 * low, 100.0 * high))
        });
        self.figures_by_step(
            "Depletion per step",
            || Axis::linear("decisions on a depleted belief (%)"),
            lines,
        )
    }
}

/// Figures of scores with their intervals.
fn scores(
    title: &str,
    x: impl Fn() -> Axis,
    lines: BTreeMap<String, Vec<(f64, &Sample)>>,
) -> Vec<(Figure, String)> {
    let counts = lines.values().flatten().map(|(_, sample)| sample.count());
    let n = counts.fold((u64::MAX, 0), |(least, most), n| (least.min(n), most.max(n)));
    let series: Vec<FigureSeries> = lines
        .into_iter()
        .map(|(name, mut points)| {
            points.sort_by(|one, other| one.0.total_cmp(&other.0));
            let point = |(x, sample): (f64, &Sample)| {
                let (mean, half) = (sample.mean()?, sample.half_width().unwrap_or(0.0));
                Some(FigurePoint::between(x, mean, mean - half, mean + half))
            };
            FigureSeries::measured(name, points.into_iter().filter_map(point).collect())
        })
        .collect();
    let caption = format!("n = {} deals a point; bars are 95 % intervals of the mean goal.", range(n));
    split(title, x, || Axis::linear("score (goal points)"), series, &caption)
}

fn range((least, most): (u64, u64)) -> String {
    if least == most { least.to_string() } else { format!("{least} to {most}") }
}

/// As many figures as it takes to tell the series apart.
fn split(
    title: &str,
    x: impl Fn() -> Axis,
    y: impl Fn() -> Axis,
    series: Vec<FigureSeries>,
    caption: &str,
) -> Vec<(Figure, String)> {
    let series: Vec<FigureSeries> = series.into_iter().filter(|series| !series.points.is_empty()).collect();
    let parts = series.len().div_ceil(TOGETHER);
    let chunks = series.chunks(TOGETHER).enumerate().map(|(number, part)| {
        let of = if parts > 1 { format!(" ({} of {parts})", number + 1) } else { String::new() };
        let figure = Figure { title: format!("{title}{of}"), x: x(), y: y(), series: part.to_vec() };
        (figure, caption.to_owned())
    });
    chunks.collect()
}
