//! The page of a study: `report.html`, one file with tables and figures that needs nothing beside itself.
//!
//! Figures show means over the decisions with an exact posterior, or over the steps; error bars are 95 % intervals from the
//! spread of the replicates. There is no time on it.

use serde_json::Value;

use super::harness::{BINS, Bin, Figures};
use super::plan::Study;
use super::row::{ROW_COLUMNS, StudyRow};
use crate::report::Format::Text;
use crate::report::{Axis, Column, Figure, FigurePoint, FigureSeries, Mean, Page, Table, bootstrap, legend};
use hyperplay_engine::machine::Seed;

/// More rows than these are not shown; all are in the other files.
const SHOWN: usize = 600;

/// One curve: a sampler against a posterior.
type Key<'a> = (&'a str, &'static str);

/// The page, from the header of the files and the rows.
pub fn page(header: &Value, study: &Study) -> String {
    let config = &header["config"];
    let text = |value: &Value| match value {
        Value::Array(list) => list.iter().map(plain).collect::<Vec<String>>().join("; "),
        single => plain(single),
    };
    let mut page = Page::new(&format!("Belief: {}", text(&config["game"])));
    page.paragraph(
        "How far samplers of a belief are from the exact posterior. Each distance is compared with that of as \
         many independent draws from that posterior. docs/belief-measures.md explains every figure.",
    );
    if !study.is_complete {
        page.paragraph("The measurement was interrupted: this is what was finished by then.");
    }
    let of_config = |key: &str| (key.to_owned(), text(&config[key]));
    let mut rows: Vec<(String, String)> =
        ["rules", "engine", "samplers", "particles", "replicates", "matches", "play"]
            .into_iter()
            .chain(["roles", "steps", "max_set", "reference", "playouts", "seed"])
            .map(of_config)
            .collect();
    let policies = config["policies"].as_object().into_iter().flatten();
    rows.extend(policies.map(|(path, hash)| (format!("policy file {path}"), text(hash))));
    rows.extend(["version", "config_hash"].map(|key| (key.to_owned(), text(&header[key]))));
    let options: [Column<(String, String)>; 2] = [
        Column::plain("option", Text, |(option, _)| option.as_str().into()),
        Column::plain("value", Text, |(_, value)| value.as_str().into()),
    ];
    page.table("What was measured", &Table::of(&options, &rows).shown());
    page.heading("Over the decisions");
    page.paragraph(
        "A decision is a point where the role has more than one legal move and more than one history is possible. A ratio \
         is the sum of a distance over the decisions, divided by that of as many independent draws from the posterior, \
         measured at the same decisions; intervals are 95 %, by the bootstrap over decisions. U: against the posterior under \
         uniform opponents; P: under the policies really played; M: under the sampler's own model.",
    );
    let seed = config["seed"].as_u64().unwrap_or(0);
    page.table("", &study.shown_summaries(seed));
    page.heading("Figures");
    let seed = Seed::root(seed).child("page");
    figures(&mut page, study, &seed);
    page.heading("Every decision");
    let caption = match study.rows.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("The first {SHOWN} rows; {more} more are in rows.csv."),
    };
    page.table(&caption, &study.shown_in_full(SHOWN));
    page.heading("Columns of turns.jsonl and rows.csv");
    page.table("", &legend(&ROW_COLUMNS).shown());
    page.finish()
}

/// A value without quotes.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn figures(page: &mut Page, study: &Study, seed: &Seed) {
    let exact = |row: &&StudyRow| row.is_decision && row.is_exact();
    let decisions: Vec<&StudyRow> = study.rows.iter().filter(exact).collect();
    let over_particles = |title: &str, label: &str, figure: &Read, baseline: &Read| {
        let mut series = curves(&study.rows, &decisions, |row| row.particles, figure);
        let first = decisions.first().map(|row| (row.sampler.as_str(), row.posterior));
        let of_first = decisions.iter().copied().filter(|row| first == Some((&row.sampler, row.posterior)));
        let baselines = points(&of_first.collect::<Vec<_>>(), |row| row.particles, baseline);
        series.push(FigureSeries::reference("baseline: independent draws", baselines));
        Figure {
            title: title.to_owned(),
            x: Axis::logarithmic("particles in a set"),
            y: Axis::logarithmic(label),
            series,
        }
    };
    page.figure(
        &over_particles(
            "Bias against the number of particles",
            "bias TV (probability)",
            &|figures| (figures.bias_tv, half(figures.bias_tv_interval)),
            &|figures| (figures.bias_tv_baseline, 0.0),
        ),
        "Total variation distance of the mean of all sets from the posterior, mean over the decisions. A sampler without \
         bias lies on the baseline; the bias of the others does not fall with it. Bars: 95 %, from the spread of the replicates.",
    );
    page.figure(
        &over_particles(
            "Distance of one set against the number of particles",
            "set TV (probability)",
            &|figures| (figures.set_tv, figures.set_tv_error),
            &|figures| (figures.set_tv_baseline, 0.0),
        ),
        "The mean distance of a single set: the error of a player that samples once.",
    );
    let most = study.rows.iter().map(|row| row.particles).max().unwrap_or(0);
    let largest: Vec<&StudyRow> = study.rows.iter().filter(|row| row.particles == most).collect();
    let over_steps = |title: String, y: Axis, series: Vec<FigureSeries>| Figure {
        title,
        x: Axis::linear("step (joint moves made)"),
        y,
        series,
    };
    let steps = |figure: &Read| curves(&study.rows, &largest, |row| row.step, figure);
    let mut cost =
        steps(&|figures| (figures.costs.states_per_particle.value, figures.costs.states_per_particle.error));
    for (sampler, posterior) in keys(&largest) {
        let own: Vec<&StudyRow> = largest
            .iter()
            .copied()
            .filter(|row| (row.sampler.as_str(), row.posterior) == (sampler, posterior))
            .filter(|row| row.figures.costs.rejuvenation_per_particle > 0.0)
            .collect();
        if !own.is_empty() {
            let apart: &Read = &|figures| {
                let costs = &figures.costs;
                (costs.states_per_particle.value - costs.rejuvenation_per_particle, 0.0)
            };
            let name = format!("{sampler}, without rejuvenation");
            cost.push(FigureSeries::reference(name, points(&own, |row| row.step, apart)));
        }
    }
    page.figure(
        &over_steps(
            format!("Cost of a step, {most} particles"),
            Axis::logarithmic("states visited (states a particle)"),
            cost,
        ),
        "States visited at this step for one particle, mean over matches and roles.",
    );
    page.figure(
        &over_steps(
            format!("Effective sample size over the steps, {most} particles"),
            Axis::linear("ESS (particles)"),
            steps(&|figures| (figures.ess, figures.ess_error)),
        ),
        "As reported: where equal histories become one particle, an even set of 3 histories counts 3.",
    );
    page.figure(
        &calibration(&study.rows, &largest, seed, most),
        "How often fluents of which a belief says a probability do hold in the true state. On the diagonal a belief means \
         what it says. Fluents of one point hang together, so the bars are by the bootstrap over points.",
    );
}

/// A figure with its standard error.
type Read = dyn Fn(&Figures) -> (f64, f64);

/// As a standard error, what makes an interval of 95 %.
fn half((low, high): (f64, f64)) -> f64 {
    (high - low) / 2.0 / 1.96
}

/// The samplers of these rows with their posteriors, in the order in which they come.
fn keys<'a>(rows: &[&'a StudyRow]) -> Vec<Key<'a>> {
    let mut keys = Vec::new();
    for row in rows {
        let key = (row.sampler.as_str(), row.posterior);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// One series for each sampler and posterior of `all`, so that a sampler looks the same in every figure.
fn curves(
    all: &[StudyRow],
    rows: &[&StudyRow],
    x: fn(&StudyRow) -> usize,
    figure: &Read,
) -> Vec<FigureSeries> {
    let single = all.iter().all(|row| row.posterior == "U");
    let every: Vec<&StudyRow> = all.iter().collect();
    keys(&every)
        .into_iter()
        .map(|(sampler, posterior)| {
            let own = rows
                .iter()
                .copied()
                .filter(|row| (row.sampler.as_str(), row.posterior) == (sampler, posterior));
            let points = points(&own.collect::<Vec<_>>(), x, figure);
            FigureSeries::measured(named(sampler, posterior, single), points)
        })
        .collect()
}

fn named(sampler: &str, posterior: &str, single: bool) -> String {
    if single { sampler.to_owned() } else { format!("{sampler} ({posterior})") }
}

/// For each x the mean of a figure with its 95 % interval. Whatever is averaged is the same for all samplers, so its
/// differences are no error: the interval is that of the replicates.
fn points(rows: &[&StudyRow], x: fn(&StudyRow) -> usize, figure: &Read) -> Vec<FigurePoint> {
    let mut places: Vec<usize> = rows.iter().map(|row| x(row)).collect();
    places.sort_unstable();
    places.dedup();
    let at = |place: usize| {
        let read = rows.iter().filter(|row| x(row) == place).map(|row| figure(&row.figures));
        let means = read.map(|(value, error)| Mean { value, error }).filter(|mean| mean.value.is_finite());
        let mean = Mean::of_means(means);
        let (value, half) = (mean.value, mean.half_width());
        FigurePoint::between(place as f64, value, (value - half).max(0.0), value + half)
    };
    places.into_iter().map(at).filter(|point| point.y.is_finite()).collect()
}

fn calibration(all: &[StudyRow], rows: &[&StudyRow], seed: &Seed, most: usize) -> Figure {
    let every: Vec<&StudyRow> = all.iter().collect();
    let single = all.iter().all(|row| row.posterior == "U");
    let mut series: Vec<FigureSeries> = keys(&every)
        .into_iter()
        .map(|(sampler, posterior)| {
            let own: Vec<&[Bin; BINS]> = rows
                .iter()
                .filter(|row| (row.sampler.as_str(), row.posterior) == (sampler, posterior))
                .map(|row| &row.figures.calibration)
                .collect();
            let points = (0..BINS).filter_map(|bin| bin_point(&own, bin, seed)).collect();
            FigureSeries::measured(named(sampler, posterior, single), points)
        })
        .collect();
    let diagonal = vec![FigurePoint::exact(0.0, 0.0), FigurePoint::exact(1.0, 1.0)];
    series.push(FigureSeries::reference("what is said is so", diagonal));
    Figure {
        title: format!("Calibration of fluents, {most} particles"),
        x: Axis::linear("marginal said by the belief (probability)").from_to(0.0, 1.0),
        y: Axis::linear("true fluents (share)").from_to(0.0, 1.0),
        series,
    }
}

/// One bin over all points; none if nothing was said there.
fn bin_point(points: &[&[Bin; BINS]], bin: usize, seed: &Seed) -> Option<FigurePoint> {
    let sum = |sample: &mut dyn Iterator<Item = usize>| {
        let mut all = Bin::default();
        sample.for_each(|at| all.add(&points[at][bin], 1.0));
        all
    };
    let all = sum(&mut (0..points.len()));
    if all.count <= 0.0 {
        return None;
    }
    let share = |of: Bin, otherwise: f64| if of.count > 0.0 { of.held / of.count } else { otherwise };
    let value = share(all, 0.0);
    let (low, high) = bootstrap(points.len(), &mut seed.child("bin").index(bin).rng(), |sample| {
        share(sum(&mut sample.iter().copied()), value)
    });
    let (low, high) = if low.is_finite() { (low, high) } else { (value, value) };
    Some(FigurePoint::between(all.said / all.count, value, low, high))
}
