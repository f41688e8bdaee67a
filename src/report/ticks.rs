//! Ticks: which values an axis shows, and how they are written.
//!
//! A [`Span`] is what an axis shows: linear, linear in the decimal logarithm, or categories side by side. Values that
//! lie outside come to its edge. The values at ticks are chosen from several lists, the fullest first: the first list
//! whose labels have room is taken, and if none has, labels of the last list are left out until the others have.

use super::axis::{Axis, AxisScale};

/// The most ticks of a linear axis.
const TICKS: f64 = 8.0;

/// The most different values that become the ticks of a logarithmic axis themselves.
const OWN: usize = 12;

/// The decades below the greatest value that a logarithmic axis shows at most.
const DECADES: f64 = 8.0;

/// The range that an axis shows.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Span {
    /// Its ends: values, or their logarithms.
    from: f64,
    to: f64,
    scale: AxisScale,
    /// The values that become ticks themselves where there are few.
    own: Vec<f64>,
    /// Whether ticks between whole numbers would make no sense.
    is_whole: bool,
}

/// A value of an axis and what is written there.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Tick {
    pub value: f64,
    pub label: String,
}

impl Span {
    /// The span of an axis that shows all these values, each finite. With `own`, few different values become the ticks
    /// of a logarithmic axis, and whole values have no ticks between them.
    pub(super) fn new(axis: &Axis, values: impl Iterator<Item = f64>, own: bool) -> Self {
        let is_log = axis.scale == AxisScale::Logarithmic;
        let mut values: Vec<f64> = values.filter(|&value| !is_log || value > 0.0).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        let (least, greatest) = match (values.first(), values.last()) {
            (Some(&least), Some(&greatest)) => (least, greatest),
            _ if is_log => (0.1, 1.0),
            _ => (0.0, 1.0),
        };
        let (from, to) = match &axis.scale {
            AxisScale::Categories(names) => (-0.5, names.len().max(1) as f64 - 0.5),
            AxisScale::Logarithmic => logarithmic_ends(axis, least, greatest),
            AxisScale::Linear => linear_ends(axis, least, greatest),
        };
        let is_whole = own
            && axis.range.is_none()
            && (1..=2 * OWN).contains(&values.len())
            && values.iter().all(|value| value.fract() == 0.0);
        let own = if own && values.len() <= OWN { values } else { Vec::new() };
        Span { from, to, scale: axis.scale.clone(), own, is_whole }
    }

    /// Whether it shows categories.
    pub(super) fn is_categories(&self) -> bool {
        matches!(self.scale, AxisScale::Categories(_))
    }

    /// Where a value lies, from 0 at the beginning to 1 at the end.
    pub(super) fn share(&self, value: f64) -> f64 {
        ((self.place(value) - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }

    /// A value, or its logarithm, brought to the edge if it lies outside.
    fn place(&self, value: f64) -> f64 {
        let place = match self.scale {
            AxisScale::Logarithmic if value > 0.0 => value.log10(),
            AxisScale::Logarithmic => self.from,
            AxisScale::Linear | AxisScale::Categories(_) => value,
        };
        place.clamp(self.from, self.to)
    }

    /// The values at ticks, ascending: the first list whose labels all have room, or what is left of the last one when
    /// labels without room are taken out. `has_room` says whether two ticks may stand side by side.
    pub(super) fn ticks(&self, has_room: &dyn Fn(&Tick, &Tick) -> bool) -> Vec<Tick> {
        let mut lists = self.lists();
        let fits = |ticks: &Vec<Tick>| ticks.windows(2).all(|two| has_room(&two[0], &two[1]));
        if let Some(at) = lists.iter().position(fits) {
            return lists.swap_remove(at);
        }
        let mut kept: Vec<Tick> = Vec::new();
        for tick in lists.pop().unwrap_or_default() {
            if kept.last().is_none_or(|last| has_room(last, &tick)) {
                kept.push(tick);
            }
        }
        kept
    }

    /// Lists of ticks, the fullest first.
    fn lists(&self) -> Vec<Vec<Tick>> {
        match &self.scale {
            AxisScale::Categories(names) => {
                let tick = |(at, name): (usize, &String)| Tick { value: at as f64, label: name.clone() };
                vec![names.iter().enumerate().map(tick).collect()]
            }
            AxisScale::Linear => self.linear_lists(),
            AxisScale::Logarithmic => self.logarithmic_lists(),
        }
    }

    fn linear_lists(&self) -> Vec<Vec<Tick>> {
        let raw = (self.to - self.from) / TICKS;
        let decade = 10.0_f64.powf(raw.log10().floor());
        let steps =
            (0..3).flat_map(|more| [1.0, 2.0, 5.0].map(|factor| factor * decade * 10.0_f64.powi(more)));
        let steps =
            steps.filter(|&step| step >= raw * (1.0 - 1e-9) && (!self.is_whole || step.fract() == 0.0));
        let lists = steps.map(|step| {
            let first = (self.from / step - 1e-9).ceil() as i64;
            let last = (self.to / step + 1e-9).floor() as i64;
            let tick =
                |at: i64| Tick { value: at as f64 * step, label: linear_label(at as f64 * step, step) };
            (first..=last).map(tick).collect::<Vec<Tick>>()
        });
        // A list of one tick says nothing of the scale; it is the last resort.
        let (many, few): (Vec<_>, Vec<_>) = lists.partition(|ticks| ticks.len() > 1);
        if many.is_empty() { few.into_iter().take(1).collect() } else { many }
    }

    fn logarithmic_lists(&self) -> Vec<Vec<Tick>> {
        let inside = |tick: &f64| (self.from - 1e-9..=self.to + 1e-9).contains(&tick.log10());
        let decades = self.from.floor() as i32..=self.to.ceil() as i32;
        let of = |factors: &[f64], each: i32| -> Vec<f64> {
            let decades = decades.clone().filter(|decade| decade.rem_euclid(each) == 0);
            let of = |decade: i32| factors.iter().map(move |factor| factor * 10.0_f64.powi(decade));
            decades.flat_map(of).filter(inside).collect()
        };
        let every_other: Vec<f64> = self.own.iter().step_by(2).copied().collect();
        let own = [self.own.clone(), every_other]
            .map(|values| values.into_iter().filter(inside).collect::<Vec<f64>>());
        let width = self.to - self.from;
        let fine = |most: f64, factors: &[f64]| if width <= most { of(factors, 1) } else { Vec::new() };
        let lists: Vec<Vec<f64>> = own
            .into_iter()
            .chain([
                fine(0.8, &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]),
                fine(0.8, &[1.0, 2.0, 3.0, 5.0, 7.0]),
                fine(1.8, &[1.0, 2.0, 5.0]),
                fine(3.5, &[1.0, 3.0]),
                of(&[1.0], 1),
                of(&[1.0], 2),
                of(&[1.0], 3),
            ])
            .filter(|values| values.len() > 1)
            .collect();
        let tick = |&value: &f64| Tick { value, label: short(value) };
        if lists.is_empty() {
            let one = if self.own.is_empty() { of(&[1.0, 2.0, 5.0], 1) } else { self.own.clone() };
            return vec![one.iter().map(tick).collect()];
        }
        lists.iter().map(|values| values.iter().map(tick).collect()).collect()
    }
}

fn linear_ends(axis: &Axis, least: f64, greatest: f64) -> (f64, f64) {
    let (lower, upper) = axis.bounds.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let (from, to) = axis.range.unwrap_or_else(|| {
        let (least, greatest) = (least.max(lower), greatest.min(upper));
        // An axis that would begin near 0 begins at 0.
        let least = if least > 0.0 && least < 0.6 * greatest { 0.0 } else { least };
        let room = if greatest > least { (greatest - least) * 0.05 } else { greatest.abs().max(1.0) * 0.5 };
        (if least == 0.0 { 0.0 } else { least - room }, greatest + room)
    });
    let (from, to) = (from.max(lower), to.min(upper));
    if to > from { (from, to) } else { (from - 0.5, from + 0.5) }
}

fn logarithmic_ends(axis: &Axis, least: f64, greatest: f64) -> (f64, f64) {
    let (from, to) = axis.range.map_or_else(
        || {
            let high = greatest.log10();
            let low = least.log10().max(high - DECADES);
            let room = ((high - low) * 0.05).max(0.06);
            (low - room, high + room)
        },
        |(least, greatest)| (least.log10(), greatest.log10()),
    );
    if to > from { (from, to) } else { (from - 0.5, from + 0.5) }
}

/// The label at a tick of a linear axis with this distance of the ticks.
fn linear_label(tick: f64, step: f64) -> String {
    if tick.abs() >= 1e4 {
        return short(tick);
    }
    let decimals = (-step.log10() + 0.5).ceil().clamp(0.0, 9.0) as usize;
    let decimals = (0..=decimals).find(|&decimals| is_written(step, decimals)).unwrap_or(decimals);
    let text = format!("{tick:.decimals$}");
    if text.trim_start_matches(['-', '0', '.']).is_empty() { "0".to_owned() } else { text }
}

fn is_written(step: f64, decimals: usize) -> bool {
    let scaled = step * 10.0_f64.powi(decimals as i32);
    (scaled - scaled.round()).abs() < 1e-6 * scaled
}

/// A number in few characters: three figures, thousands as `k`, millions as `M`, what is tiny as `2e-5`.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    let (scaled, unit) = match size {
        _ if size >= 1e15 => return format!("{value:.0e}"),
        _ if size >= 1e9 * 0.9995 => (value / 1e9, "G"),
        _ if size >= 1e6 * 0.9995 => (value / 1e6, "M"),
        _ if size >= 1e4 * 0.9995 => (value / 1e3, "k"),
        _ if size > 0.0 && size < 0.9995e-3 => {
            return format!("{value:.1e}").replace(".0e", "e");
        }
        _ => (value, ""),
    };
    if scaled == 0.0 {
        return "0".to_owned();
    }
    let figures = 2 - scaled.abs().log10().floor() as i32;
    let text = format!("{scaled:.*}", figures.max(0) as usize);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_short() {
        for (value, text) in [
            (0.0, "0"),
            (0.25, "0.25"),
            (0.001, "0.001"),
            (0.000_02, "2e-5"),
            (16.0, "16"),
            (1024.0, "1024"),
            (12_345.0, "12.3k"),
            (1e6, "1M"),
            (2.5e7, "25M"),
            (-4.56789, "-4.57"),
            (999.6, "1000"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    fn labels(axis: &Axis, values: &[f64], own: bool) -> Vec<String> {
        let span = Span::new(axis, values.iter().copied(), own);
        for &value in values {
            let share = span.share(value);
            assert!((0.0..=1.0).contains(&share), "{value} at {share}");
        }
        span.ticks(&|_, _| true).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn a_linear_axis_begins_at_zero_if_that_is_near() {
        assert_eq!(labels(&Axis::linear(""), &[0.1, 1.0], false), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&Axis::linear(""), &[90.0, 100.0], false), ["90", "92", "94", "96", "98", "100"]);
        assert_eq!(
            labels(&Axis::linear("").from_to(0.0, 1.0), &[2.0], false),
            ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
    }

    #[test]
    fn a_logarithmic_axis_has_decades_or_its_own_values() {
        let axis = Axis::logarithmic("");
        assert_eq!(labels(&axis, &[16.0, 64.0, 1024.0], true), ["16", "64", "1024"]);
        assert_eq!(labels(&axis, &[1e-4, 0.0, 1.0], false), ["1e-4", "0.001", "0.01", "0.1", "1"]);
        assert_eq!(labels(&axis, &[0.9, 11.0], false), ["1", "2", "5", "10"]);
        assert!(!labels(&axis, &[], false).is_empty());
    }

    #[test]
    fn whole_values_have_whole_ticks_and_bounds_are_kept() {
        assert_eq!(labels(&Axis::linear(""), &[1.0, 2.0], true), ["0", "1", "2"]);
        let bounded = Axis::linear("").within(0.0, 100.0);
        assert_eq!(labels(&bounded, &[-40.0, 130.0], false), ["0", "20", "40", "60", "80", "100"]);
    }

    #[test]
    fn one_value_alone_has_room_around_it() {
        for axis in [Axis::linear(""), Axis::logarithmic("")] {
            let span = Span::new(&axis, [3.0].into_iter(), true);
            assert!(span.share(3.0) > 0.0 && span.share(3.0) < 1.0 && !span.ticks(&|_, _| true).is_empty());
        }
    }

    #[test]
    fn labels_without_room_are_left_out() {
        let values: Vec<f64> = (0..11).map(|power| f64::from(1 << power)).collect();
        let span = Span::new(&Axis::logarithmic(""), values.into_iter(), true);
        let far = |one: &Tick, other: &Tick| span.share(other.value) - span.share(one.value) > 0.3;
        let ticks = span.ticks(&far);
        assert!((2..=4).contains(&ticks.len()), "{ticks:?}");
    }
}
