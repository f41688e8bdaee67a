//! Factors: the parameters that the entrants of one table of the file differ in, in the order in which figures show
//! them.
//!
//! The first factor becomes the horizontal axis: a numeric key before one of words, the one with more values first. A
//! key that another key determines, as in a zip, is no factor of its own and is named beside the other. So entrants
//! that differ in nothing but the first factor are one line of a figure, and no line joins entrants that differ in
//! anything else.

use std::collections::BTreeMap;

use indexmap::IndexSet;

use super::plan::Entrant;
use hyperplay_report::{Axis, AxisScale};

/// A parameter and its values.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Factor {
    /// The key.
    pub key: String,
    /// Keys that it determines.
    pub with: Vec<String>,
    /// Its values: ascending if all are numbers, else in the order of the entrants.
    pub values: Vec<String>,
    /// The values as numbers, if all are.
    pub numbers: Option<Vec<f64>>,
}

impl Factor {
    /// The title of its axis.
    pub fn name(&self) -> String {
        if self.with.is_empty() {
            self.key.clone()
        } else {
            format!("{} (with {})", self.key, self.with.join(", "))
        }
    }

    /// The axis that shows it: with equal factors where the values are nearer to these than to equal differences.
    pub fn axis(&self) -> Axis {
        let Some(numbers) = &self.numbers else { return Axis::categories(self.name(), self.values.clone()) };
        let is_positive = numbers.iter().all(|&number| number > 0.0);
        let logarithms: Vec<f64> = numbers.iter().map(|number| number.ln()).collect();
        let is_geometric = is_positive && unevenness(&logarithms) < unevenness(numbers);
        if is_geometric { Axis::logarithmic(self.name()) } else { Axis::linear(self.name()) }
    }

    /// The value that an entrant has, with its key.
    pub fn titled(&self, entrant: &Entrant) -> String {
        format!("{}={}", self.key, entrant.parameters.get(&self.key).map_or("", String::as_str))
    }

    /// Where a value is on its axis.
    pub fn place(&self, value: &str) -> Option<f64> {
        let at = self.values.iter().position(|known| known == value)?;
        Some(self.numbers.as_ref().map_or(at as f64, |numbers| numbers[at]))
    }

    /// Whether points at neighbouring values may be joined.
    pub fn is_joined(&self) -> bool {
        !matches!(self.axis().scale, AxisScale::Categories(_))
    }
}

/// The greatest distance of two neighbouring numbers over the least one; 1 where all are equal.
fn unevenness(ascending: &[f64]) -> f64 {
    let distances = || ascending.windows(2).map(|two| two[1] - two[0]);
    let (least, greatest) = (distances().fold(f64::INFINITY, f64::min), distances().fold(0.0, f64::max));
    if least > 0.0 && least.is_finite() { greatest / least } else { 1.0 }
}

/// The factors of these entrants of one table; none if they do not differ.
pub(super) fn factors(entrants: &[&Entrant]) -> Vec<Factor> {
    let mut values: BTreeMap<&str, IndexSet<&str>> = BTreeMap::new();
    for (key, value) in entrants.iter().flat_map(|entrant| &entrant.parameters) {
        values.entry(key).or_default().insert(value);
    }
    let varied = values.into_iter().filter(|(_, values)| values.len() > 1);
    let mut keys: Vec<Factor> = varied.map(|(key, values)| factor(key, &Vec::from_iter(values))).collect();
    keys.sort_by_key(|factor| {
        (factor.numbers.is_none(), std::cmp::Reverse(factor.values.len()), factor.key != "particles")
    });
    // Of two keys that determine each other the first is the factor.
    let is_determined = |at: usize| {
        let by = |other: usize| determines(entrants, &keys[other].key, &keys[at].key);
        let back = |other: usize| determines(entrants, &keys[at].key, &keys[other].key);
        (0..keys.len()).any(|other| other != at && by(other) && (other < at || !back(other)))
    };
    let determined: Vec<bool> = (0..keys.len()).map(is_determined).collect();
    let (mut kept, mut others): (Vec<Factor>, Vec<Factor>) = (Vec::new(), Vec::new());
    for (factor, is_determined) in keys.into_iter().zip(determined) {
        if is_determined { others.push(factor) } else { kept.push(factor) }
    }
    for other in others {
        let by = kept.iter_mut().find(|known| determines(entrants, &known.key, &other.key));
        by.expect("what determines a key is a factor or is determined by one").with.push(other.key);
    }
    kept
}

fn factor(key: &str, values: &[&str]) -> Factor {
    // Budgets of one unit, as in 4/move, are in the order of their numbers.
    let split = |value: &str| value.find('/').unwrap_or(value.len());
    let unit = values.first().map_or("", |value| &value[split(value)..]);
    let number =
        |value: &&str| value.strip_suffix(unit)?.parse::<f64>().ok().filter(|number| number.is_finite());
    let numbers: Option<Vec<f64>> = values.iter().map(number).collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    if let Some(numbers) = &numbers {
        order.sort_by(|&one, &other| numbers[one].total_cmp(&numbers[other]));
    }
    Factor {
        key: key.to_owned(),
        with: Vec::new(),
        values: order.iter().map(|&at| values[at].to_owned()).collect(),
        numbers: numbers.map(|numbers| order.iter().map(|&at| numbers[at]).collect()),
    }
}

/// Whether entrants with the same value of one key have the same value of the other.
fn determines(entrants: &[&Entrant], one: &str, other: &str) -> bool {
    let mut known: BTreeMap<Option<&String>, Option<&String>> = BTreeMap::new();
    entrants.iter().all(|entrant| {
        let (value, determined) = (entrant.parameters.get(one), entrant.parameters.get(other));
        *known.entry(value).or_insert(determined) == determined
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entrants(rows: &[&[(&str, &str)]]) -> Vec<Entrant> {
        let one = |row: &&[(&str, &str)]| Entrant {
            label: String::new(),
            table: 0,
            spec: String::new(),
            parameters: row.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
            policies: BTreeMap::new(),
            learns: false,
        };
        rows.iter().map(one).collect()
    }

    fn of(rows: &[&[(&str, &str)]]) -> Vec<(String, Vec<String>)> {
        let entrants = entrants(rows);
        let all: Vec<&Entrant> = entrants.iter().collect();
        factors(&all).into_iter().map(|factor| (factor.name(), factor.values)).collect()
    }

    #[test]
    fn the_key_with_most_numbers_is_first_and_words_are_last() {
        let rows: Vec<Vec<(&str, &str)>> = ["16", "2", "4"]
            .iter()
            .flat_map(|&particles| {
                ["on", "off"]
                    .map(|enumerate| vec![("enumerate", enumerate), ("particles", particles), ("nodes", "5")])
            })
            .collect();
        let rows: Vec<&[(&str, &str)]> = rows.iter().map(Vec::as_slice).collect();
        let expected = [("particles", vec!["2", "4", "16"]), ("enumerate", vec!["on", "off"])];
        assert_eq!(
            of(&rows),
            expected.map(|(key, values)| (key.to_owned(), values.into_iter().map(str::to_owned).collect()))
        );
    }

    #[test]
    fn keys_that_go_side_by_side_are_one_factor() {
        let rows: [&[(&str, &str)]; 3] = [
            &[("particles", "2"), ("playouts", "3/move")],
            &[("particles", "4"), ("playouts", "5/move")],
            &[("particles", "8"), ("playouts", "5/move")],
        ];
        assert_eq!(
            of(&rows),
            [("particles (with playouts)".to_owned(), ["2", "4", "8"].map(str::to_owned).to_vec())]
        );
        assert!(of(&rows[..1]).is_empty());
        // Words that determine numbers are the factor, although numbers come first.
        let rows: [&[(&str, &str)]; 4] = [
            &[("variant", "a"), ("particles", "1")],
            &[("variant", "b"), ("particles", "1")],
            &[("variant", "c"), ("particles", "2")],
            &[("variant", "d"), ("particles", "2")],
        ];
        let variants = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        assert_eq!(of(&rows), [("variant (with particles)".to_owned(), variants)]);
    }

    #[test]
    fn an_axis_has_equal_factors_where_the_values_have() {
        let scale = |values: &[&str]| factor("k", values).axis().scale;
        assert_eq!(scale(&["64", "1", "8"]), AxisScale::Logarithmic);
        assert_eq!(scale(&["10", "30"]), AxisScale::Linear);
        assert_eq!(scale(&["0", "10", "100"]), AxisScale::Linear);
        assert_eq!(scale(&["1", "2", "3", "4", "5", "6"]), AxisScale::Linear);
        assert_eq!(factor("k", &["8", "1"]).place("8"), Some(8.0));
        assert_eq!(factor("k", &["on", "off"]).place("off"), Some(1.0));
        assert!(!factor("k", &["on", "off"]).is_joined());
    }
}
