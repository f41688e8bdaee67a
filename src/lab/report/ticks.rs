//! Ticks: which values an axis shows, and how they are written.
//!
//! A [`Span`] is the coordinate of an axis for `plotters`: linear, or linear in the decimal logarithm. Unlike the ones of
//! that crate it takes any value (what lies outside comes to the edge) and may have its points as ticks.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

use super::figure::Axis;

/// The most ticks of a linear axis.
const TICKS: f64 = 8.0;

/// The most different values that become the ticks of a logarithmic axis themselves.
const OWN: usize = 8;

/// The decades below the greatest value that a logarithmic axis shows at most.
const DECADES: f64 = 8.0;

/// What an axis shows.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Span {
    /// Its ends: values, or their logarithms.
    from: f64,
    to: f64,
    /// Values.
    ticks: Vec<f64>,
    log: bool,
}

impl Ranged for Span {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let share = (self.place(*value) - self.from) / (self.to - self.from);
        first + (share * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> Range<f64> {
        if self.log { 10.0_f64.powf(self.from)..10.0_f64.powf(self.to) } else { self.from..self.to }
    }
}

impl Span {
    /// The span of an axis that shows all these values, each finite. With `own`, few different values become the ticks
    /// of a logarithmic axis, and whole values have no ticks between them.
    pub(super) fn new(axis: &Axis, values: impl Iterator<Item = f64>, own: bool) -> Self {
        let mut values: Vec<f64> = values.filter(|&value| !axis.log || value > 0.0).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        let (least, greatest) = match (values.first(), values.last()) {
            (Some(&least), Some(&greatest)) => (least, greatest),
            _ if axis.log => (0.1, 1.0),
            _ => (0.0, 1.0),
        };
        if axis.log {
            return logarithmic(axis, &values, own);
        }
        let mut span = linear(axis, least, greatest);
        // Steps and other counts: no ticks between them.
        if own && (1..=2 * OWN).contains(&values.len()) && values.iter().all(|value| value.fract() == 0.0) {
            span.ticks.retain(|tick| tick.fract() == 0.0);
        }
        span
    }

    /// A value, or its logarithm, brought to the edge if it lies outside.
    fn place(&self, value: f64) -> f64 {
        let place = match self.log {
            true if value > 0.0 => value.log10(),
            true => self.from,
            false => value,
        };
        place.clamp(self.from, self.to)
    }

    /// What is written at a tick.
    pub(super) fn label(&self, tick: f64) -> String {
        if self.log {
            return short(tick);
        }
        let step = self.ticks.get(1).map_or(1.0, |second| second - self.ticks[0]);
        if tick.abs() >= 1e4 {
            return short(tick);
        }
        let decimals = (-step.log10() + 0.5).ceil().clamp(0.0, 9.0) as usize;
        let decimals = (0..=decimals).find(|&decimals| is_written(step, decimals)).unwrap_or(decimals);
        let text = format!("{tick:.decimals$}");
        if text.trim_start_matches(['-', '0', '.']).is_empty() { "0".to_owned() } else { text }
    }
}

fn is_written(step: f64, decimals: usize) -> bool {
    let scaled = step * 10.0_f64.powi(decimals as i32);
    (scaled - scaled.round()).abs() < 1e-6 * scaled
}

fn linear(axis: &Axis, least: f64, greatest: f64) -> Span {
    let (from, to) = axis.range.unwrap_or_else(|| {
        // An axis that would begin near 0 begins at 0.
        let least = if least > 0.0 && least < 0.6 * greatest { 0.0 } else { least };
        let room = if greatest > least { (greatest - least) * 0.05 } else { greatest.abs().max(1.0) * 0.5 };
        (if least == 0.0 { 0.0 } else { least - room }, greatest + room)
    });
    let raw = (to - from) / TICKS;
    let decade = 10.0_f64.powf(raw.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * decade);
    let step = steps.into_iter().find(|&step| step >= raw * (1.0 - 1e-9)).unwrap_or(raw);
    let first = (from / step - 1e-9).ceil() as i64;
    let last = (to / step + 1e-9).floor() as i64;
    Span { from, to, ticks: (first..=last).map(|tick| tick as f64 * step).collect(), log: false }
}

fn logarithmic(axis: &Axis, values: &[f64], own: bool) -> Span {
    let (least, greatest) = match (values.first(), values.last()) {
        (Some(&least), Some(&greatest)) => (least, greatest),
        _ => (0.1, 1.0),
    };
    let (low, high) = axis.range.map_or_else(
        || {
            let high = greatest.log10();
            let low = least.log10().max(high - DECADES);
            let room = ((high - low) * 0.05).max(0.06);
            (low - room, high + room)
        },
        |(least, greatest)| (least.log10(), greatest.log10()),
    );
    let inside = |tick: &f64| (low - 1e-9..=high + 1e-9).contains(&tick.log10());
    let ticks = if own && (1..=OWN).contains(&values.len()) {
        values.iter().copied().filter(inside).collect()
    } else {
        let factors: &[f64] = match high - low {
            decades if decades > 3.5 => &[1.0],
            decades if decades > 1.8 => &[1.0, 3.0],
            decades if decades > 0.8 => &[1.0, 2.0, 5.0],
            _ => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
        };
        let decades = low.floor() as i32..=high.ceil() as i32;
        let of = |decade: i32| factors.iter().map(move |factor| factor * 10.0_f64.powi(decade));
        decades.flat_map(of).filter(inside).collect()
    };
    Span { from: low, to: high, ticks, log: true }
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
            let text = format!("{value:.1e}");
            return text.replace(".0e", "e");
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
            let place = span.place(value);
            assert!((span.from..=span.to).contains(&place), "{value} at {place}");
        }
        span.ticks.iter().map(|&tick| span.label(tick)).collect()
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
    fn whole_values_have_whole_ticks() {
        assert_eq!(labels(&Axis::linear(""), &[1.0, 2.0], true), ["0", "1", "2"]);
    }

    #[test]
    fn one_value_alone_has_room_around_it() {
        for axis in [Axis::linear(""), Axis::logarithmic("")] {
            let span = Span::new(&axis, [3.0].into_iter(), true);
            assert!(span.from < span.place(3.0) && span.place(3.0) < span.to && !span.ticks.is_empty());
        }
    }
}
