//! Score figures: the scores of a game as a forest plot, and over the parameters that its entrants differ in.
//!
//! A forest plot has a row for each meeting, the best first. Entrants of one table of the file that differ in
//! parameters are also drawn over their [`Factor`]s: one line for each combination of all factors but the first one, in
//! one panel for each opponent and each value of a third factor. Entrants that met others of their own table have a panel
//! with the mean over all others. Two factors are drawn as a heat map as well.

use indexmap::IndexMap;

use super::cross_table::{score_in_words, score_words};
use super::factors::{Factor, factors};
use super::folder::Planned;
use super::joined::name_of;
use super::pairings::Pairing;
use super::plan::Entrant;
use super::summary::{EntrantSummary, ExperimentSummary};
use super::tables::over_all;
use hyperplay_report::{
    Axis, FEW, Figure, FigurePoint, FigureSeries, ForestPlot, ForestRow, HeatCell, HeatMap, HeatPanel,
    LinePlot, Plot, PlotPanel, Sample, TOGETHER,
};

/// The most rows of a forest plot; more become several plots.
const ROWS: usize = 40;

/// The most panels of a figure; with more, nothing can be compared.
pub(super) const PANELS: usize = 12;

/// How a score is drawn: its place, its interval, and whether that is reliable.
pub(super) fn score_point(x: f64, score: &Sample) -> Option<FigurePoint> {
    let mean = score.mean()?;
    let point = match score.half_width() {
        Some(half) => FigurePoint::between(x, mean, mean - half, mean + half),
        None => FigurePoint::alone(x, mean),
    };
    Some(point.few(score.count() < FEW))
}

/// The axis of scores.
pub(super) fn score_axis() -> Axis {
    Axis::linear("score (goal points)").within(0.0, 100.0)
}

/// The numbers of deals in words.
pub(super) fn deals<'a>(pairings: impl Iterator<Item = &'a Pairing<'a>>) -> String {
    let (least, most) = pairings.fold((u64::MAX, 0), |(least, most), one| {
        let count = one.entrant.score.count();
        (least.min(count), most.max(count))
    });
    in_words((least, most), "deal")
}

/// A number or a range of numbers with its noun.
pub(super) fn in_words((least, most): (u64, u64), noun: &str) -> String {
    let s = if most == 1 { "" } else { "s" };
    if least >= most { format!("{most} {noun}{s}") } else { format!("{least} to {most} {noun}{s}") }
}

/// The scores as a forest plot, as several where there are many.
pub(super) fn forest(name: &[&str], pairings: &[Pairing<'_>]) -> Vec<Figure> {
    let mut rows: Vec<&Pairing<'_>> =
        pairings.iter().filter(|one| !one.is_mirrored && !one.is_same).collect();
    let mean = |one: &Pairing<'_>| one.entrant.score.mean().unwrap_or(f64::NEG_INFINITY);
    rows.sort_by(|one, other| mean(other).total_cmp(&mean(one)));
    let Some(first) = rows.first() else { return Vec::new() };
    let against = first.against.clone();
    let is_one = rows.iter().all(|one| one.against == against);
    let row = |one: &&Pairing<'_>| {
        let score = &one.entrant.score;
        let ends = |(mean, half): (f64, f64)| (mean - half, mean + half);
        ForestRow {
            label: if is_one { one.player.to_owned() } else { one.title() },
            value: score.mean(),
            interval: score.mean().zip(score.half_width()).map(ends),
            words: score_in_words(one).replace("+-", "±"),
            count: score.count(),
            is_few: score.count() < FEW,
        }
    };
    let label = match (is_one, against.is_empty()) {
        (true, false) => format!("score against {against} (goal points)"),
        _ => "score (goal points)".to_owned(),
    };
    let is_pair = rows.iter().any(|one| one.others.len() == 1);
    let parts = rows.len().div_ceil(ROWS);
    let part = |(at, rows): (usize, &[&Pairing<'_>])| {
        let of = if parts > 1 { format!(" ({} of {parts})", at + 1) } else { String::new() };
        let caption = format!(
            "{} a row. Bars are 95 % intervals of the mean goal (Student's t over deals); the number behind ± is half their \
             width.{}",
            deals(rows.iter().copied()),
            if is_pair { " The dashed line is an even score." } else { "" }
        );
        let plot = ForestPlot {
            axis: Axis { label: label.clone(), ..score_axis() },
            reference: is_pair.then_some(50.0),
            counted: "deals",
            rows: rows.iter().map(row).collect(),
        };
        let number = (at + 1).to_string();
        let mut words = [name, &["scores"]].concat();
        words.extend((parts > 1).then_some(number.as_str()));
        Figure::new(&words, format!("Scores{of}"), caption, Plot::Forest(plot))
    };
    rows.chunks(ROWS).enumerate().map(part).collect()
}

/// The entrants that met others of their own table of the file, each with what it did in all its cells and the mean of its
/// scores over all others, where these means can be compared.
pub(super) fn over_others(
    planned: &Planned,
    summary: &ExperimentSummary,
    game: usize,
    pairings: &[Pairing<'_>],
) -> Vec<EntrantSummary> {
    let Some(standing) = summary.standings.iter().find(|of| of.game == Some(game)) else { return Vec::new() };
    let table = |entrant: usize| planned.plan.entrants[entrant].table;
    let is_own = |one: &Pairing<'_>, of: usize| {
        one.entrant.entrant == of && one.others.iter().any(|&other| table(other) == table(of))
    };
    let mean = |one: EntrantSummary| {
        let at = standing.compared.iter().position(|&entrant| entrant == one.entrant)?;
        let is_asked = pairings.iter().any(|pairing| is_own(pairing, one.entrant));
        is_asked.then(|| EntrantSummary { score: standing.scores.at(at), ..one })
    };
    over_all(pairings).into_iter().filter_map(mean).collect()
}

/// The entrants of one table of the file that take part in a game and differ in parameters.
pub(super) struct Family<'a> {
    /// The name of the table.
    pub name: &'a str,
    pub factors: Vec<Factor>,
    /// Each with whom it met; not those of its own table.
    pub pairings: Vec<(&'a Entrant, &'a Pairing<'a>)>,
}

impl<'a> Family<'a> {
    /// The families of a game, of which `pairings` has those [over all others](over_others) too.
    pub fn all(planned: &'a Planned, pairings: &'a [Pairing<'a>]) -> Vec<Family<'a>> {
        let entrants = &planned.plan.entrants;
        let tables = entrants.last().map_or(0, |last| last.table + 1);
        let family = |table: usize| {
            let is_other =
                |one: &&Pairing<'_>| one.others.iter().all(|&other| entrants[other].table != table);
            let here =
                pairings.iter().filter(|one| entrants[one.entrant.entrant].table == table).filter(is_other);
            let pairings: Vec<(&Entrant, &Pairing<'_>)> =
                here.map(|one| (&entrants[one.entrant.entrant], one)).collect();
            let of_table: Vec<&Entrant> = pairings.iter().map(|(entrant, _)| *entrant).collect();
            let factors = factors(&of_table);
            let name = pairings.first().map_or("", |(entrant, _)| name_of(&entrant.label));
            (!factors.is_empty()).then_some(Family { name, factors, pairings })
        };
        (0..tables).filter_map(family).collect()
    }

    /// Its entrants in panels, in each of them in lines, and in these in the order of the first factor: the points at
    /// the places of that factor.
    pub fn panels(
        &self,
        is_joined: bool,
        point: impl Fn(f64, &Pairing<'_>) -> Option<FigurePoint>,
    ) -> Vec<PlotPanel> {
        // Points by lines, and lines by panels.
        type Named<T> = IndexMap<String, T>;
        let mut panels: Named<Named<Vec<(f64, &Pairing<'_>)>>> = IndexMap::new();
        let (lines, rest) = match &self.factors[1..] {
            [] => (None, &self.factors[1..]),
            [one, rest @ ..] if one.values.len() <= TOGETHER => (Some(one), rest),
            rest => (None, rest),
        };
        for &(entrant, pairing) in &self.pairings {
            let against = pairing.others_in_words();
            let fixed: Vec<String> = rest.iter().map(|factor| factor.titled(entrant)).collect();
            // With one factor the opponents are the lines, and otherwise panels.
            let (title, line) = match lines {
                _ if self.factors.len() == 1 => {
                    (String::new(), format!("{} {against}", self.name).trim().to_owned())
                }
                Some(factor) => (joined([vec![against], fixed].concat()), factor.titled(entrant)),
                None => (against, fixed.join(" ")),
            };
            let points = panels.entry(title).or_default().entry(line).or_default();
            let x =
                entrant.parameters.get(&self.factors[0].key).and_then(|value| self.factors[0].place(value));
            points.extend(x.map(|x| (x, pairing)));
        }
        for points in panels.values_mut().flat_map(IndexMap::values_mut) {
            points.sort_by(|one, other| one.0.total_cmp(&other.0));
        }
        if let Some(factor) = lines {
            let place = |name: &str| {
                factor.values.iter().position(|value| *name == format!("{}={value}", factor.key))
            };
            panels.values_mut().for_each(|lines| lines.sort_by_cached_key(|name, _| place(name)));
        }
        let series = |(line, points): (String, Vec<(f64, &Pairing<'_>)>)| {
            let points = points.into_iter().filter_map(|(x, pairing)| point(x, pairing)).collect();
            let series = FigureSeries::measured(line, points);
            if is_joined { series } else { series.unjoined() }
        };
        let panel = |(title, lines): (String, IndexMap<_, _>)| PlotPanel {
            title,
            series: lines.into_iter().map(series).collect(),
        };
        panels.into_iter().map(panel).flat_map(divided).collect()
    }
}

/// A panel as several with no more lines than can be told apart.
fn divided(PlotPanel { title, series }: PlotPanel) -> Vec<PlotPanel> {
    if series.len() <= TOGETHER {
        return vec![PlotPanel { title, series }];
    }
    let alone = |one: FigureSeries| PlotPanel {
        title: format!("{title} {}", one.name).trim().to_owned(),
        series: vec![one],
    };
    series.into_iter().map(alone).collect()
}

/// The parts of a title that are not empty, in one text.
fn joined(parts: Vec<String>) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The scores of entrants over their parameters, and why some are not drawn.
pub(super) fn by_factors(name: &[&str], families: &[Family<'_>]) -> (Vec<Figure>, Vec<String>) {
    let (mut figures, mut left_out) = (Vec::new(), Vec::new());
    for family in families {
        let x = &family.factors[0];
        let panels = family.panels(x.is_joined(), |x, pairing| score_point(x, &pairing.score()));
        if panels.len() > PANELS {
            left_out.push(format!(
                "{} is not drawn over its parameters: it would take {} panels. The tables have all its scores.",
                family.name,
                panels.len()
            ));
            continue;
        }
        figures.push(lines(name, family, panels));
        figures.extend(heat(name, family));
    }
    (figures, left_out)
}

fn lines(name: &[&str], family: &Family<'_>, panels: Vec<PlotPanel>) -> Figure {
    let x = &family.factors[0];
    let plot = LinePlot { x: x.axis(), y: score_axis(), panels };
    let caption = format!(
        "{} a point; bars are 95 % intervals of the mean goal.",
        deals(family.pairings.iter().map(|(_, pairing)| *pairing))
    );
    let title = format!("Score of {} by {}", family.name, x.name());
    Figure::new(&[name, &[family.name, "by", &x.key]].concat(), title, caption, Plot::Lines(plot))
}

/// The scores over the first two factors.
fn heat(name: &[&str], family: &Family<'_>) -> Option<Figure> {
    let [x, y, rest @ ..] = &family.factors[..] else { return None };
    let mut panels: IndexMap<String, Vec<Vec<HeatCell>>> = IndexMap::new();
    let empty = || vec![vec![HeatCell::default(); x.values.len()]; y.values.len()];
    for &(entrant, pairing) in &family.pairings {
        let fixed = rest.iter().map(|factor| factor.titled(entrant));
        let title = joined(std::iter::once(pairing.others_in_words()).chain(fixed).collect());
        let cells = panels.entry(title).or_insert_with(empty);
        let place = |factor: &Factor| {
            factor.values.iter().position(|value| Some(value) == entrant.parameters.get(&factor.key))
        };
        if let (Some(column), Some(row)) = (place(x), place(y)) {
            let words = match score_words(pairing) {
                Some([mean, half, marks]) => vec![format!("{mean}{marks}"), format!("± {half}")],
                None => vec![score_in_words(pairing)],
            };
            cells[row][column] = HeatCell { value: pairing.score().mean(), words };
        }
    }
    if panels.len() > PANELS {
        return None;
    }
    let is_few = family.pairings.iter().any(|(_, pairing)| pairing.entrant.score.count() < FEW);
    let caption = format!(
        "{} a cell; below a score, where there is room, is half the width of its 95 % interval.{}",
        deals(family.pairings.iter().map(|(_, pairing)| *pairing)),
        if is_few {
            format!(" * fewer than {FEW} deals: the interval is not reliable.")
        } else {
            String::new()
        }
    );
    let plot = HeatMap {
        columns: (x.name(), x.values.clone()),
        rows: (y.name(), y.values.clone()),
        value: "score (goal points)".to_owned(),
        panels: panels.into_iter().map(|(title, cells)| HeatPanel { title, cells }).collect(),
    };
    let title = format!("Score of {} by {} and {}", family.name, x.name(), y.name());
    let words = [name, &[family.name, "by", &x.key, "and", &y.key]].concat();
    Some(Figure::new(&words, title, caption, Plot::Heat(plot)))
}
