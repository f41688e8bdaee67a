//! Laws of every figure, checked on many that are made at random: no two texts overlap, the legend lists what is drawn,
//! the files are whole and always the same.

use proptest::collection::vec;
use proptest::prelude::*;

use super::canvas::asked::{clash, legend_fault, paths_of_series, texts};
use super::canvas::{Canvas, ONE_COLUMN, TWO_COLUMNS};
use super::*;

#[path = "../../tests/common/property.rs"]
mod property;

fn name() -> impl Strategy<Value = String> {
    "[a-z]{1,12}(:[a-z]{1,8}=[0-9a-z]{1,6})?(,[a-z_]{1,10}=[0-9]{1,5}){0,3}( against [a-z]{1,12})?"
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        -5.0..105.0_f64,
        (0.0..100.0_f64).prop_map(f64::round),
        (-7.0..9.0_f64).prop_map(|power| 10.0_f64.powf(power)),
        Just(0.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
    ]
}

fn axis() -> impl Strategy<Value = Axis> {
    (0..5, "[a-z ]{0,30}( \\([a-z ]{1,20}\\))?", vec("[a-zA-Z0-9=_.: -]{0,24}", 1..12)).prop_map(
        |(kind, label, names)| match kind {
            0 => Axis::logarithmic(label),
            1 => Axis::categories(label, names),
            2 => Axis::linear(label).within(0.0, 100.0),
            3 => Axis::linear(label).from_to(0.0, 1.0),
            _ => Axis::linear(label),
        },
    )
}

fn point() -> impl Strategy<Value = FigurePoint> {
    (number(), number(), 0.0..50.0_f64, any::<bool>())
        .prop_map(|(x, y, half, is_few)| FigurePoint::between(x, y, y - half, y + half).few(is_few))
}

fn series() -> impl Strategy<Value = FigureSeries> {
    (name(), vec(point(), 0..9), 0..4).prop_map(|(name, points, kind)| match kind {
        0 => FigureSeries::reference(format!("{name}, reference"), points),
        1 => FigureSeries::measured(format!("{name}, points"), points).unjoined(),
        _ => FigureSeries::measured(name, points),
    })
}

fn lines() -> impl Strategy<Value = LinePlot> {
    let panel =
        ("[a-z =0-9,]{0,60}", vec(series(), 0..9)).prop_map(|(title, series)| PlotPanel { title, series });
    (axis(), axis(), vec(panel, 1..6)).prop_map(|(x, y, panels)| LinePlot { x, y, panels })
}

fn forest() -> impl Strategy<Value = ForestPlot> {
    let row =
        (name(), number(), 0.0..60.0_f64, 0..30_u64).prop_map(|(label, value, half, count)| ForestRow {
            label,
            value: (count > 0).then_some(value),
            interval: (count > 1).then_some((value - half, value + half)),
            words: if count > 0 { format!("{value:.1} ± {half:.1}") } else { "?".to_owned() },
            count,
            is_few: count < FEW,
        });
    (axis(), vec(row, 0..20), any::<bool>()).prop_map(|(axis, rows, has_reference)| ForestPlot {
        axis: if matches!(axis.scale, AxisScale::Categories(_)) { Axis::linear("score") } else { axis },
        reference: has_reference.then_some(50.0),
        counted: "deals",
        rows,
    })
}

fn heat() -> impl Strategy<Value = HeatMap> {
    let names = || vec("[a-z0-9_.=-]{1,20}", 1..8);
    (names(), names(), vec("[a-z =0-9]{0,40}", 1..5), "[a-z ]{1,20}", vec(number(), 300)).prop_map(
        |(columns, rows, titles, value, numbers)| {
            let mut numbers = numbers.into_iter().cycle();
            let mut cell = |_: &String| {
                let value = numbers.next().unwrap_or(0.0).min(999.0);
                HeatCell { value: Some(value), words: vec![format!("{value:.1}"), "± 12.3 *".to_owned()] }
            };
            let mut panel = |title: String| HeatPanel {
                title,
                cells: rows.iter().map(|_| columns.iter().map(&mut cell).collect()).collect(),
            };
            let panels = titles.into_iter().map(&mut panel).collect();
            HeatMap {
                columns: ("particles".to_owned(), columns.clone()),
                rows: ("per_move".to_owned(), rows.clone()),
                value,
                panels,
            }
        },
    )
}

fn figure(plot: Plot) -> Figure {
    Figure::new(&["game", "scores"], "Scores <of> all", "A caption.", plot)
}

/// That of every drawing is true what the head of this file says.
fn holds(plot: Plot) -> Result<(), TestCaseError> {
    let has_legend = matches!(&plot, Plot::Lines(_));
    let figure = figure(plot);
    let canvas = figure.canvas();
    prop_assert_eq!(clash(&canvas), None);
    prop_assert!(canvas.width == ONE_COLUMN || canvas.width == TWO_COLUMNS);
    let listed = canvas.shapes.iter().any(|(part, _)| matches!(part, canvas::Part::Legend(_)));
    if has_legend && listed {
        prop_assert_eq!(legend_fault(&canvas), None);
    }
    let svg = figure.to_svg();
    prop_assert_eq!(no_number(&svg), None);
    prop_assert_eq!(whole_xml(&svg), None);
    prop_assert!(svg == figure.to_svg());
    let pdf = figure.to_pdf();
    prop_assert!(pdf == figure.to_pdf());
    prop_assert!(pdf.starts_with(b"%PDF-") && texts(&canvas).is_empty() != has(&pdf, b"/FontFile2"));
    Ok(())
}

fn has(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// The attributes of a drawing that hold numbers.
const NUMBERS: [&str; 10] = [
    "d",
    "font-size",
    "height",
    "stroke-dasharray",
    "stroke-width",
    "transform",
    "viewBox",
    "width",
    "x",
    "y",
];

/// An attribute with something in it that should be a number and is none. Names that a person chose, for a series or an
/// axis, stand in other attributes and in texts.
fn no_number(svg: &str) -> Option<String> {
    let tags = svg.split('<').filter_map(|piece| piece.split('>').next());
    tags.flat_map(attributes).find_map(|(name, value)| {
        let value = value.strip_suffix("mm").unwrap_or(value);
        let words = value
            .split(|letter| " MLZ()".contains(letter))
            .filter(|word| !word.is_empty() && *word != "rotate");
        let is_number = |word: &str| word.parse::<f64>().is_ok_and(f64::is_finite);
        let are_numbers =
            !NUMBERS.contains(&name) || words.clone().count() > 0 && words.clone().all(is_number);
        (!are_numbers).then(|| format!("{name}=\"{value}\""))
    })
}

/// The attributes of a tag with their values.
fn attributes(tag: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = tag.split('"').collect();
    let named = |pair: &&[&'_ str]| pair.len() == 2;
    let pairs = parts.chunks(2).filter(named);
    pairs
        .map(|pair| (pair[0].trim_end_matches('=').rsplit(' ').next().unwrap_or_default(), pair[1]))
        .collect()
}

#[test]
fn numbers_are_told_from_names() {
    let drawing = |name: &str, place: &str| {
        format!(
            "<svg viewBox=\"0 0 9 9\" width=\"85mm\"><g data-name=\"{name}\"><path d=\"M1 {place}L3 4Z\"/></g><text x=\"1\">inf NaN</text></svg>"
        )
    };
    for name in ["inf", "NaN", "-inf", "Minf", "d=", "x"] {
        assert_eq!(no_number(&drawing(name, "2.5")), None, "{name}");
        let series = FigureSeries::measured(name, vec![FigurePoint::exact(16.0, 0.5)]);
        let plot = LinePlot::single(Axis::linear(name), Axis::linear("NaN"), vec![series]);
        holds(Plot::Lines(plot)).unwrap();
    }
    for place in ["inf", "NaN", "-inf", "", "2.5.1"] {
        assert_eq!(no_number(&drawing("series", place)).is_some(), !place.is_empty(), "{place}");
    }
    assert_eq!(no_number("<path d=\"MZ\"/>"), Some("d=\"MZ\"".to_owned()));
}

/// Why a text is not an XML document: a tag that is not closed, an ampersand or an angle bracket by itself.
fn whole_xml(text: &str) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text.trim();
    while let Some(at) = rest.find('<') {
        let (words, tag) = rest.split_at(at);
        let references = words.match_indices('&').all(|(at, _)| {
            ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"].iter().any(|known| words[at..].starts_with(known))
        });
        if !references || words.contains('>') {
            return Some(format!("text: {words}"));
        }
        let Some(end) = tag.find('>') else { return Some("a tag has no end".to_owned()) };
        let (inside, after) = (&tag[1..end], &tag[end + 1..]);
        if inside.matches('"').count() % 2 != 0 || inside.contains('<') {
            return Some(format!("attributes: {inside}"));
        }
        let name = inside.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        if let Some(closed) = inside.strip_prefix('/') {
            if open.pop() != Some(closed) {
                return Some(format!("</{closed}>"));
            }
        } else if !inside.ends_with('/') {
            open.push(name);
        }
        rest = after;
    }
    (!open.is_empty() || !rest.is_empty()).then(|| format!("open: {open:?} {rest}"))
}

proptest! {
    #![proptest_config(property::cases(200))]

    #[test]
    fn line_plots_have_no_overlapping_texts_and_legends_of_what_is_drawn(plot in lines()) {
        holds(Plot::Lines(plot))?;
    }

    #[test]
    fn forest_plots_have_no_overlapping_texts(plot in forest()) {
        let count = plot.rows.iter().filter(|row| row.value.is_some_and(f64::is_finite)).count();
        let drawn = plot.canvas().shapes.iter().filter(|(part, shape)| {
            matches!(part, canvas::Part::Series(_)) && matches!(shape, canvas::Shape::Path { fill: Some(_), .. })
        }).count();
        prop_assert_eq!(count, drawn);
        holds(Plot::Forest(plot))?;
    }

    #[test]
    fn heat_maps_have_no_overlapping_texts(plot in heat()) {
        holds(Plot::Heat(plot))?;
    }
}

fn simple() -> LinePlot {
    let points = |factor: f64| {
        [16.0, 64.0, 256.0]
            .map(|x| FigurePoint::between(x, factor / x, factor / x * 0.8, factor / x * 1.3))
            .to_vec()
    };
    let few = vec![FigurePoint::exact(16.0, 0.0), FigurePoint::between(64.0, 0.1, 0.05, 0.2).few(true)];
    let series = vec![
        FigureSeries::measured("hyperplay", points(1.0)),
        FigureSeries::measured("a & b", few),
        FigureSeries::measured("nothing", vec![FigurePoint::exact(16.0, f64::NAN)]),
        FigureSeries::reference("baseline", points(0.9)),
    ];
    LinePlot::single(Axis::logarithmic("particles"), Axis::logarithmic("bias TV (probability)"), series)
}

fn words(canvas: &Canvas) -> Vec<String> {
    texts(canvas).iter().map(|label| label.text.clone()).collect()
}

#[test]
fn no_line_goes_through_a_point_without_an_interval_or_without_data() {
    let between = |x: f64| FigurePoint::between(x, 0.5, 0.4, 0.6);
    let drawn = |points: Vec<FigurePoint>| {
        let series = vec![FigureSeries::measured("measured", points)];
        let plot = LinePlot::single(Axis::linear("x"), Axis::linear("y").from_to(0.0, 1.0), series);
        paths_of_series(&plot.canvas())
    };
    let whole = drawn([1.0, 2.0, 3.0, 4.0, 5.0].map(between).to_vec());
    let alone = [between(1.0), between(2.0), FigurePoint::alone(3.0, 0.5), between(4.0), between(5.0)];
    let missing =
        [between(1.0), between(2.0), FigurePoint::alone(f64::NAN, f64::NAN), between(4.0), between(5.0)];
    // One bar and two ends for each interval, and a line in one part or in two.
    let (alone, missing) = (drawn(alone.to_vec()), drawn(missing.to_vec()));
    assert_eq!((whole - alone, whole - missing), (3 - 1, 3 + 1 - 1));
    let separate = [1.0, 2.0, 3.0].map(|x| FigurePoint::alone(x, 0.5)).to_vec();
    let one = drawn(vec![FigurePoint::alone(1.0, 0.5)]);
    assert_eq!(drawn(separate), 3 * one, "markers and no line");
}

#[test]
fn a_figure_has_labels_a_legend_and_notes() {
    let plot = simple();
    let words = words(&plot.canvas());
    for part in [
        "particles",
        "bias TV (probability)",
        "hyperplay",
        "a & b",
        "baseline",
        "nothing: no data",
        "16",
        "256",
    ] {
        assert!(words.iter().any(|word| word == part), "{part}: {words:?}");
    }
    let all = words.join(" ");
    assert!(
        all.contains("Values of 0 stand on the edge") && all.contains("dashed bar: too few measurements"),
        "{all}"
    );
    assert_eq!(legend_fault(&plot.canvas()), None);
    let empty = LinePlot::default();
    assert!(
        empty.is_empty() && self::words(&empty.canvas()).contains(&"There is nothing to show.".to_owned())
    );
}

#[test]
fn the_files_hold_their_font_and_what_is_written() {
    let figure = figure(Plot::Lines(simple()));
    let svg = figure.to_svg();
    assert!(svg.contains("@font-face") && svg.contains("data:font/ttf;base64,AAEAAAA"));
    assert!(svg.contains("<title>Scores &lt;of&gt; all</title>") && svg.contains("width=\"85mm\""));
    assert!(svg.contains("data-name=\"a &amp; b\""));
    let pdf = figure.to_pdf();
    for part in
        ["/FontFile2", "/ToUnicode", "/Identity-H", "HYPLAY+DejaVuSansCondensed", "/MediaBox [0 0 240.9"]
    {
        assert!(has(&pdf, part.as_bytes()), "{part}");
    }
    assert!(!has(&pdf, b"/CreationDate") && pdf.len() < 40_000, "{}", pdf.len());
}

#[test]
fn a_panel_for_each_value_shares_its_axes_and_its_legend() {
    let one = simple().panels.remove(0);
    let panels = ["x", "y", "z"].map(|title| PlotPanel { title: title.to_owned(), ..one.clone() });
    let plot = LinePlot { panels: panels.to_vec(), ..simple() };
    let canvas = plot.canvas();
    assert_eq!((clash(&canvas), legend_fault(&canvas), canvas.width), (None, None, TWO_COLUMNS));
    let words = words(&canvas);
    let count = |text: &str| words.iter().filter(|word| *word == text).count();
    assert_eq!((count("hyperplay"), count("64"), count("particles"), count("y")), (1, 3, 1, 1));
}

#[test]
fn the_ticks_of_a_heat_map_are_its_categories() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let cell = |value: f64| HeatCell { value: Some(value), words: vec![format!("{value:.1}")] };
    let plot = HeatMap {
        columns: ("particles".to_owned(), names(&["2", "4"])),
        rows: ("enumerate".to_owned(), names(&["off", "on"])),
        value: "score".to_owned(),
        panels: vec![HeatPanel {
            title: String::new(),
            cells: vec![vec![cell(1.0), cell(2.0)], vec![cell(99.5), HeatCell::default()]],
        }],
    };
    let words = words(&plot.canvas());
    for part in ["particles", "enumerate", "2", "4", "off", "on", "1.0", "99.5", "?", "score:"] {
        assert!(words.iter().any(|word| word == part), "{part}: {words:?}");
    }
    assert_eq!(clash(&plot.canvas()), None);
}
