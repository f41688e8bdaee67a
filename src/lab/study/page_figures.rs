//! The figures of the page of a study.
//!
//! They show means over the decisions with an exact posterior, or over the steps; error bars are 95 % intervals from
//! the spread of the replicates. A sampler looks the same in every figure. A figure without a point is not drawn, and a
//! sentence says why.

use super::columns::titled;
use super::draws::independent_draws;
use super::frontier::FrontierRow;
use super::harness::{BINS, Bin, Exactly, Figures};
use super::measuring::Study;
use super::row::{StudyRow, grouped};
use hyperplay_machine::counted;
use hyperplay_report::{
    Axis, Clusters, FEW, Figure, FigurePoint, FigureSeries, LinePlot, Mean, MeanInterval, Plot, PlotPanel,
};

/// A figure with its standard error.
type Read = fn(&Figures) -> Mean;

/// The figures of a study of one game, and sentences on those that are not drawn.
pub(super) fn figures(study: &Study) -> (Vec<Figure>, Vec<String>) {
    // The distance between histories of a set that holds one history of each state says nothing.
    let is_compared = |row: &StudyRow| row.figures.exactly != Some(Exactly::States);
    let exact = |row: &&StudyRow| row.is_decision && row.is_of_histories() && is_compared(row);
    let decisions: Vec<&StudyRow> = study.rows.iter().filter(exact).collect();
    let most = study.rows.iter().map(|row| row.of.particles).max().unwrap_or(0);
    let largest: Vec<&StudyRow> = study.rows.iter().filter(|row| row.of.particles == most).collect();
    let is_few = study.made().is_some_and(|(least, _)| least < FEW);
    let few = if is_few { ": too few for a reliable interval" } else { "" };
    let replicated = format!("Bars are 95 % intervals from the spread of {}{few}.", study.replicates(0));
    let over_matches = "Bars are 95 % intervals over matches; a point of one match has none.".to_owned();
    let of_decisions = in_words(&decisions, "decision") + " " + &replicated;
    let of_points = in_words(&largest, "point") + " " + &over_matches;
    let set_tv = |figures: &Figures| Mean { value: figures.set_tv, error: figures.set_tv_error };
    let step = Axis::linear("step (joint moves made)");
    let draws = series(study, &largest, |own| points(own, |row| row.place.step, draws_at));
    let over_particles = |label, figure: Read, baseline: fn(&Figures) -> f64| {
        over_particles(study, &decisions, label, figure, baseline)
    };
    let all = [
        ("bias", over_particles("bias TV (probability)", bias, |figures| figures.bias_tv_baseline)),
        ("set-distance", over_particles("set TV (probability)", set_tv, |figures| figures.set_tv_baseline)),
        ("independent-draws", LinePlot::single(step, Axis::logarithmic("worth (independent draws)"), draws)),
        ("calibration", calibration(study, &largest)),
    ];
    let (mut drawn, mut missing) = (Vec::new(), Vec::new());
    for (name, mut plot) in all {
        let is_over_particles = ["bias", "set-distance"].contains(&name);
        let (title, caption) = titled(name);
        let (title, caption) = if is_over_particles {
            (title.to_owned(), format!("{caption} {of_decisions}"))
        } else {
            let with = counted(most as u64, "particle");
            (format!("{title}, {with}"), format!("{caption} {of_points}"))
        };
        let mut series = plot.panels.iter_mut().flat_map(|panel| &mut panel.series);
        if series.by_ref().filter(|series| !series.is_reference).all(|series| series.drawn().next().is_none())
        {
            missing.push(format!("There is no figure '{title}': {}.", why_missing(name, &decisions)));
            continue;
        }
        if is_over_particles {
            let series = plot.panels.iter_mut().flat_map(|panel| &mut panel.series);
            series.flat_map(|series| &mut series.points).for_each(|point| point.is_few = is_few);
        }
        drawn.push(Figure::new(&[&study.game, name], title, caption, Plot::Lines(plot)));
    }
    (drawn, missing)
}

/// Accuracy against cost, in a panel for each game; none if no sampler has a time.
pub(super) fn frontier_figure(rows: &[&FrontierRow]) -> Option<Figure> {
    let rows: Vec<&FrontierRow> = rows.iter().copied().filter(|row| row.ms.value > 0.0).collect();
    let games = grouped(rows.iter().copied(), |row| row.of.game.as_str());
    let is_single = rows.iter().all(|row| row.of.posterior == rows[0].of.posterior);
    let panel = |(game, rows): (&&str, &Vec<&FrontierRow>)| {
        let of_sampler =
            grouped(rows.iter().copied(), |row| name(&row.of.sampler, row.of.posterior, is_single));
        let point = |row: &&FrontierRow| match row.matches {
            1 => FigurePoint::exact(row.ms.value, row.state_set_tv.value),
            matches => over_matches(row.ms.value, row.state_set_tv, matches),
        };
        let measured = |(name, rows): (String, Vec<&FrontierRow>)| {
            FigureSeries::measured(name, rows.iter().map(point).collect())
        };
        let mut series: Vec<FigureSeries> = of_sampler.into_iter().map(measured).collect();
        if is_single {
            let mut front: Vec<&FrontierRow> = rows.iter().copied().filter(|row| row.is_front).collect();
            front.sort_by(|a, b| a.ms.value.total_cmp(&b.ms.value));
            let at = |row: &&FrontierRow| FigurePoint::exact(row.ms.value, row.state_set_tv.value);
            series.push(FigureSeries::reference("front", front.iter().map(at).collect()));
        }
        let (decisions, matches) = (rows[0].decisions as u64, rows[0].matches as u64);
        let (decisions, matches) = (counted(decisions, "decision"), counted(matches, "match"));
        PlotPanel { title: format!("{game} ({decisions}, {matches})"), series }
    };
    let plot = LinePlot {
        x: Axis::logarithmic("updates up to the decision (ms of processor time)"),
        y: Axis::linear("set TV on states (probability)").within(0.0, 1.0),
        panels: games.iter().map(panel).collect(),
    };
    let (title, caption) = titled("frontier");
    // Its name depends on no game: a study that was interrupted, or that grows, would leave one of another name.
    (!rows.is_empty()).then(|| Figure::new(&["frontier"], title, caption, Plot::Lines(plot)))
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

/// How much a sampler was measured at, in words.
fn in_words(rows: &[&StudyRow], what: &str) -> String {
    let of_first: Vec<&&StudyRow> = rows.iter().filter(|row| row.of == rows[0].of).collect();
    let matches = grouped(of_first.iter().map(|row| **row), |row| row.place.index).len();
    let (count, matches) = (counted(of_first.len() as u64, what), counted(matches as u64, "match"));
    format!("{count} of {matches} a sampler.")
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
    figure: Read,
    baseline: fn(&Figures) -> f64,
) -> LinePlot {
    let particles = |row: &StudyRow| row.of.particles;
    let mut series =
        series(study, decisions, |own| points(own, particles, |x, rows| mean_at(x, rows, figure)));
    let expected = |x, rows: &[&StudyRow]| {
        let numbers = rows.iter().map(|row| baseline(&row.figures)).filter(|number| number.is_finite());
        FigurePoint::exact(x, Mean::of(numbers).value)
    };
    let baselines = points(&of_first(decisions), particles, expected);
    if !baselines.is_empty() {
        series.push(FigureSeries::reference("baseline: independent draws", baselines));
    }
    LinePlot::single(Axis::logarithmic("particles in a set"), Axis::logarithmic(label), series)
}

/// The mean of a figure with its 95 % interval. The averaged items are the same for all samplers, so their differences are no error:
/// the interval is that of the replicates.
fn mean_at(x: f64, rows: &[&StudyRow], figure: Read) -> FigurePoint {
    let read = rows.iter().map(|row| figure(&row.figures)).filter(|mean| mean.value.is_finite());
    let mean = Mean::of_means(read);
    let (value, half) = (mean.value, mean.half_width());
    FigurePoint::between(x, value, (value - half).max(0.0), value + half)
}

/// The independent draws that a sampler is worth at a step, if that is a number above 0.
fn draws_at(step: f64, rows: &[&StudyRow]) -> FigurePoint {
    let draws = independent_draws(rows);
    let known = if draws.value > 0.0 { draws } else { MeanInterval::around(f64::NAN, f64::NAN) };
    over_matches(step, known, grouped(rows.iter().copied(), |row| row.place.index).len())
}

/// A point with its interval over matches; one match has none.
fn over_matches(x: f64, MeanInterval { value, low, high }: MeanInterval, matches: usize) -> FigurePoint {
    match matches {
        0 | 1 => FigurePoint::alone(x, value),
        _ => FigurePoint::between(x, value, low, high).few((matches as u64) < FEW),
    }
}

/// The points of these rows by x, from the least on.
fn points(
    rows: &[&StudyRow],
    x: fn(&StudyRow) -> usize,
    at: impl Fn(f64, &[&StudyRow]) -> FigurePoint,
) -> Vec<FigurePoint> {
    let mut places = grouped(rows.iter().copied(), x);
    places.sort_unstable_keys();
    places.iter().map(|(&x, rows)| at(x as f64, rows)).filter(|point| point.y.is_finite()).collect()
}

/// A sampler and its posterior.
fn key(row: &StudyRow) -> (&str, &'static str) {
    (&row.of.sampler, row.of.posterior)
}

fn name(sampler: &str, posterior: &str, is_single: bool) -> String {
    if is_single { sampler.to_owned() } else { format!("{sampler} ({posterior})") }
}

/// The rows of the first sampler and posterior.
fn of_first<'a>(rows: &[&'a StudyRow]) -> Vec<&'a StudyRow> {
    rows.iter().copied().filter(|row| key(row) == key(rows[0])).collect()
}

/// One series for each sampler and posterior of the study, so that a sampler looks the same in every figure: the points of
/// its rows among these.
fn series(
    study: &Study,
    rows: &[&StudyRow],
    points: impl Fn(&[&StudyRow]) -> Vec<FigurePoint>,
) -> Vec<FigureSeries> {
    let (is_single, own) = (study.is_uniform(), grouped(rows.iter().copied(), key));
    let one = |of: (&str, &'static str)| {
        let points = own.get(&of).map_or_else(Vec::new, |rows| points(rows));
        FigureSeries::measured(name(of.0, of.1, is_single), points)
    };
    grouped(&study.rows, key).into_keys().map(one).collect()
}

fn calibration(study: &Study, rows: &[&StudyRow]) -> LinePlot {
    let curve = |own: &[&StudyRow], of: fn(&StudyRow) -> &[Bin; BINS]| -> Vec<FigurePoint> {
        (0..BINS).map(|bin| bin_point(own.iter().map(move |row| (row.place.index, of(row)[bin])))).collect()
    };
    let mut series = series(study, rows, |own| curve(own, |row| &row.figures.calibration));
    let mut draws = curve(&of_first(rows), |row| &row.control.calibration);
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
    let matches = all.means().count() as usize;
    let Some([value, low, high]) = all.share() else { return FigurePoint::alone(f64::NAN, f64::NAN) };
    over_matches(said.said / said.count, MeanInterval { value, low, high }, matches)
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
