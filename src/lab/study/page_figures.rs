//! The figures of the page of a study.
//!
//! They show means over the decisions with an exact posterior, or over the steps; error bars are 95 % intervals from
//! the spread of the replicates. A sampler looks the same in every figure. A figure without a point is not drawn, and a
//! sentence says why.

use std::collections::BTreeMap;

use super::draws::{by_match, independent_draws};
use super::frontier::FrontierRow;
use super::harness::{BINS, Bin, Exactly, Figures};
use super::plan::Study;
use super::row::StudyRow;
use hyperplay_machine::{Seed, counted};
use hyperplay_report::{
    Axis, Clusters, FEW, Figure, FigurePoint, FigureSeries, LinePlot, Mean, MeanInterval, Plot, PlotPanel,
};

/// One curve: a sampler against a posterior.
type Key<'a> = (&'a str, &'static str);

/// A figure with its standard error.
type Read = dyn Fn(&Figures) -> Mean;

/// A figure that is known.
fn known(value: f64) -> Mean {
    Mean { value, error: 0.0 }
}

/// The figures of a study of one game, and sentences on those that are not drawn.
pub(super) fn figures(study: &Study, replicates: u64) -> (Vec<Figure>, Vec<String>) {
    // The distance between histories of a set that holds one history of each state says nothing.
    let is_compared = |row: &StudyRow| row.figures.exactly != Some(Exactly::States);
    let exact = |row: &&StudyRow| row.is_decision && row.is_of_histories() && is_compared(row);
    let decisions: Vec<&StudyRow> = study.rows.iter().filter(exact).collect();
    let most = study.rows.iter().map(|row| row.particles).max().unwrap_or(0);
    let largest: Vec<&StudyRow> = study.rows.iter().filter(|row| row.particles == most).collect();
    let bars = format!(
        "Bars are 95 % intervals from the spread of {}{}.",
        counted(replicates, "replicate"),
        if replicates < FEW { ": too few for a reliable interval" } else { "" }
    );
    let of_decisions = format!("{} a sampler.", points_in_words(&decisions));
    let with = |title: &str| format!("{title}, {}", counted(most as u64, "particle"));
    let all = [
        (
            "bias",
            "Bias by the number of particles".to_owned(),
            over_particles(study, &decisions, "bias TV (probability)", &bias, &|figures| known(figures.bias_tv_baseline)),
            format!(
                "Total variation distance of the mean of all sets from the posterior, mean over the decisions. A sampler \
                 without bias lies on the baseline; the bias of the others does not fall with it. {of_decisions} {bars}"
            ),
        ),
        (
            "set-distance",
            "Distance of one set by the number of particles".to_owned(),
            over_particles(
                study,
                &decisions,
                "set TV (probability)",
                &|figures| Mean { value: figures.set_tv, error: figures.set_tv_error },
                &|figures| known(figures.set_tv_baseline),
            ),
            format!("The mean distance of a single set: the error of a player that samples once. {of_decisions} {bars}"),
        ),
        (
            "independent-draws",
            with("Independent draws over the steps"),
            over_steps(
                Axis::logarithmic("worth (independent draws)"),
                series(&study.rows, &largest, |own| draws_over_steps(&own)),
            ),
            "How many independent draws from the posterior have the same mean distance. There is no point where a sampler holds \
             the posterior itself. Bars are 95 % intervals over matches; a point of one match has none."
                .to_owned(),
        ),
        (
            "calibration",
            with("Calibration of fluents"),
            calibration(&study.rows, &largest),
            "How often fluents of which a belief says a probability do hold in the true state. A set of few particles is off the \
             diagonal even where its particles are exact draws, so a sampler is compared with the curve of the draws; the \
             posterior itself lies on the diagonal. The fluents of a match hang together, so the bars are 95 % intervals over \
             matches (Clopper and Pearson's); a point of one match has none, and no line goes through it."
                .to_owned(),
        ),
    ];
    let (mut drawn, mut missing) = (Vec::new(), Vec::new());
    for (name, title, mut plot, caption) in all {
        let measured =
            || plot.panels.iter().flat_map(|panel| &panel.series).filter(|series| !series.is_reference);
        if measured().all(|series| series.drawn().next().is_none()) {
            missing.push(format!("There is no figure '{title}': {}.", why_missing(name, &decisions)));
            continue;
        }
        if !["calibration", "independent-draws"].contains(&name) {
            let points = plot
                .panels
                .iter_mut()
                .flat_map(|panel| &mut panel.series)
                .flat_map(|series| &mut series.points);
            points.for_each(|point| point.is_few = replicates < FEW);
        }
        drawn.push(Figure::new(&[&study.game, name], title, caption, Plot::Lines(plot)));
    }
    (drawn, missing)
}

/// Accuracy against cost, in a panel for each game; none if no sampler has a time.
pub(super) fn frontier_figure(rows: &[FrontierRow]) -> Option<Figure> {
    let rows: Vec<&FrontierRow> = rows.iter().filter(|row| row.ms.value > 0.0).collect();
    let games: Vec<&[&FrontierRow]> = rows.chunk_by(|a, b| a.game == b.game).collect();
    let is_single = rows.iter().all(|row| row.posterior == rows[0].posterior);
    let panel = |rows: &&[&FrontierRow]| {
        let mut series: Vec<FigureSeries> = Vec::new();
        for of in rows.chunk_by(|a, b| (&a.sampler, a.posterior) == (&b.sampler, b.posterior)) {
            let (sampler, posterior) = (&of[0].sampler, of[0].posterior);
            let name = if is_single { sampler.clone() } else { format!("{sampler} ({posterior})") };
            series.push(FigureSeries::measured(name, of.iter().map(|row| frontier_point(row)).collect()));
        }
        if is_single {
            let mut front: Vec<&FrontierRow> = rows.iter().copied().filter(|row| row.is_front).collect();
            front.sort_by(|a, b| a.ms.value.total_cmp(&b.ms.value));
            let at = |row: &&FrontierRow| FigurePoint::exact(row.ms.value, row.state_set_tv.value);
            series.push(FigureSeries::reference("front", front.iter().map(at).collect()));
        }
        let (decisions, matches) = (rows[0].decisions as u64, rows[0].matches as u64);
        let (decisions, matches) = (counted(decisions, "decision"), counted(matches, "match"));
        PlotPanel { title: format!("{} ({decisions}, {matches})", rows[0].game), series }
    };
    let plot = LinePlot {
        x: Axis::logarithmic("updates up to the decision (ms of processor time)"),
        y: Axis::linear("set TV on states (probability)").within(0.0, 1.0),
        panels: games.iter().map(panel).collect(),
    };
    let caption = "Each point is a number of particles; below and to the left is better. Means over the decisions. Bars are 95 % \
                   intervals over matches; a point of one match has none.";
    let name = if let [rows] = games[..] { &*rows[0].game } else { "" };
    (!rows.is_empty())
        .then(|| Figure::new(&[name, "frontier"], "Accuracy against cost", caption, Plot::Lines(plot)))
}

fn frontier_point(row: &FrontierRow) -> FigurePoint {
    let MeanInterval { value, low, high } = row.state_set_tv;
    match row.matches {
        1 => FigurePoint::exact(row.ms.value, value),
        matches => FigurePoint::between(row.ms.value, value, low, high).few((matches as u64) < FEW),
    }
}

fn why_missing(name: &str, decisions: &[&StudyRow]) -> &'static str {
    match name {
        "bias" | "set-distance" if decisions.is_empty() => {
            "no decision has an exact posterior (more than one legal move and more than one history, few enough to be enumerated)"
        }
        "calibration" => "the beliefs said nothing of a fluent that is open",
        _ => "no set of particles has such a number",
    }
}

/// How many decisions a sampler was measured at, in words.
fn points_in_words(decisions: &[&StudyRow]) -> String {
    let key = decisions.first().map(|row| (row.sampler.as_str(), row.posterior, row.particles));
    let count =
        decisions.iter().filter(|row| key == Some((&row.sampler, row.posterior, row.particles))).count();
    counted(count as u64, "decision")
}

/// The bias; its standard error is what makes its interval of 95 %.
fn bias(figures: &Figures) -> Mean {
    let width = figures.bias_tv_high - figures.bias_tv_low;
    Mean { value: figures.bias_tv, error: width / 2.0 / 1.96 }
}

fn over_particles(
    study: &Study,
    decisions: &[&StudyRow],
    label: &str,
    figure: &Read,
    baseline: &Read,
) -> LinePlot {
    let mut series = curves(&study.rows, decisions, |row| row.particles, figure);
    let of_first = decisions.first().map(|first| rows_of(decisions, key(first))).unwrap_or_default();
    let baselines = points(&of_first, |row| row.particles, baseline);
    if !baselines.is_empty() {
        series.push(FigureSeries::reference("baseline: independent draws", baselines));
    }
    LinePlot::single(Axis::logarithmic("particles in a set"), Axis::logarithmic(label), series)
}

fn over_steps(y: Axis, series: Vec<FigureSeries>) -> LinePlot {
    LinePlot::single(Axis::linear("step (joint moves made)"), y, series)
}

/// The independent draws that a sampler is worth at each step.
fn draws_over_steps(rows: &[&StudyRow]) -> Vec<FigurePoint> {
    let mut steps: BTreeMap<usize, Vec<&StudyRow>> = BTreeMap::new();
    rows.iter().for_each(|row| steps.entry(row.step).or_default().push(row));
    let point = |(&step, rows): (&usize, &Vec<&StudyRow>)| {
        let MeanInterval { value, low, high } = independent_draws(rows, &Seed::root(0).index(step));
        let matches = by_match(rows).len();
        if matches < 2 {
            FigurePoint::alone(step as f64, value)
        } else {
            FigurePoint::between(step as f64, value, low, high).few((matches as u64) < FEW)
        }
    };
    steps.iter().map(point).filter(|point| point.y.is_finite() && point.y > 0.0).collect()
}

/// The samplers of these rows with their posteriors, in the order in which they come.
fn keys<'a>(rows: &[&'a StudyRow]) -> Vec<Key<'a>> {
    let mut keys = Vec::new();
    for key in rows.iter().map(|row| key(row)) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

fn key(row: &StudyRow) -> Key<'_> {
    (&row.sampler, row.posterior)
}

/// The rows of one sampler and posterior.
fn rows_of<'a>(rows: &[&'a StudyRow], of: Key<'_>) -> Vec<&'a StudyRow> {
    rows.iter().copied().filter(|row| key(row) == of).collect()
}

/// One series for each sampler and posterior of `all`, so that a sampler looks the same in every figure: the points of
/// its rows.
fn series(
    all: &[StudyRow],
    rows: &[&StudyRow],
    points: impl Fn(Vec<&StudyRow>) -> Vec<FigurePoint>,
) -> Vec<FigureSeries> {
    let is_single = all.iter().all(|row| row.posterior == "U");
    let every: Vec<&StudyRow> = all.iter().collect();
    let one = |of: Key<'_>| {
        let (sampler, posterior) = of;
        let name = if is_single { sampler.to_owned() } else { format!("{sampler} ({posterior})") };
        FigureSeries::measured(name, points(rows_of(rows, of)))
    };
    keys(&every).into_iter().map(one).collect()
}

fn curves(
    all: &[StudyRow],
    rows: &[&StudyRow],
    x: fn(&StudyRow) -> usize,
    figure: &Read,
) -> Vec<FigureSeries> {
    series(all, rows, |own| points(&own, x, figure))
}

/// For each x the mean of a figure with its 95 % interval. The averaged items are the same for all samplers, so their
/// differences are no error: the interval is that of the replicates.
fn points(rows: &[&StudyRow], x: fn(&StudyRow) -> usize, figure: &Read) -> Vec<FigurePoint> {
    let mut places: Vec<usize> = rows.iter().map(|row| x(row)).collect();
    places.sort_unstable();
    places.dedup();
    let at = |place: usize| {
        let read = rows.iter().filter(|row| x(row) == place).map(|row| figure(&row.figures));
        let mean = Mean::of_means(read.filter(|mean| mean.value.is_finite()));
        let (value, half) = (mean.value, mean.half_width());
        FigurePoint::between(place as f64, value, (value - half).max(0.0), value + half)
    };
    places.into_iter().map(at).filter(|point| point.y.is_finite()).collect()
}

fn calibration(all: &[StudyRow], rows: &[&StudyRow]) -> LinePlot {
    let curve = |mut own: Vec<&StudyRow>, of: fn(&StudyRow) -> &[Bin; BINS]| -> Vec<FigurePoint> {
        own.sort_by_key(|row| row.index);
        (0..BINS).map(|bin| bin_point(own.iter().map(move |row| (row.index, of(row)[bin])))).collect()
    };
    let mut series = series(all, rows, |own| curve(own, |row| &row.figures.calibration));
    let of_first = rows.first().map(|first| rows_of(rows, key(first))).unwrap_or_default();
    let mut draws = curve(of_first, |row| &row.control.calibration);
    draws.retain(|point| point.x.is_finite());
    series.push(FigureSeries::reference("as many independent draws", draws));
    let diagonal = vec![FigurePoint::exact(0.0, 0.0), FigurePoint::exact(1.0, 1.0)];
    series.push(FigureSeries::reference("what is said is so", diagonal));
    LinePlot::single(
        Axis::linear("marginal said by the belief (probability)").from_to(0.0, 1.0),
        Axis::linear("true fluents (share)").from_to(0.0, 1.0),
        series,
    )
}

/// One bin over all matches, those of a match one after the other. Nothing of it can be drawn if nothing was said
/// there; one match has no interval.
fn bin_point(bins: impl Iterator<Item = (usize, Bin)>) -> FigurePoint {
    let (mut all, mut said) = (Clusters::default(), Bin::default());
    for (of_match, bin) in bins {
        all.add(of_match as u64, bin.held, bin.count);
        said.add(&bin, 1.0);
    }
    let (at, matches) = (said.said / said.count, all.means().count());
    match all.share() {
        None => FigurePoint::alone(f64::NAN, f64::NAN),
        Some([value, ..]) if matches < 2 => FigurePoint::alone(at, value),
        Some([value, low, high]) => FigurePoint::between(at, value, low, high).few(matches < FEW),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_calibration_have_intervals_over_matches() {
        // In one match everything that is said holds, in another one nothing, at however many steps.
        let point = |matches: usize, steps: usize| {
            let bin = |index: usize| Bin { count: 4.0, said: 2.0, held: [4.0, 0.0][index % 2] };
            bin_point((0..matches).flat_map(|index| (0..steps).map(move |_| (index, bin(index)))))
        };
        let (one, more) = (point(20, 1), point(20, 50));
        assert!(one.y == 0.5 && one == more, "more steps of the same matches say no more: {one:?} {more:?}");
        assert!(one.low < 0.3 && one.high > 0.7 && !one.is_few && !one.is_alone, "{one:?}");
        assert!(point(4, 9).is_few && point(1, 9).is_alone && point(1, 9).y == 1.0);
        assert!(point(0, 0).x.is_nan());
    }
}
