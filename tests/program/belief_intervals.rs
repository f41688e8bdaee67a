//! The intervals that `belief` prints: how often they contain what is true, over many studies of exact draws.
//!
//! Of as many exact draws it is known what is true: they are worth their number, and their ratios to draws are 1. What is true
//! of other figures is taken to be their mean over all studies.

use std::collections::BTreeMap;

use crate::common::program::{Folder, run};
use serde_json::{Map, Value};

/// The study of a seed: Krieg-TicTacToe 3x3 at step 2, 16 exact draws, 30 matches.
fn study(folder: &Folder, seed: u64) -> Value {
    let what =
        "--steps 2 --matches 30 --replicates 10 --particles 16 --sampler exact --playouts 2 --threads 1";
    let command = format!("belief krieg_tictactoe_3x3 {what} --seed {seed} --json");
    serde_json::from_str(&run(&mut folder.program(&command), 0).0).unwrap()
}

/// The intervals of an object: by name the figure and its ends.
fn intervals(of: &Map<String, Value>) -> impl Iterator<Item = (String, [f64; 3])> + '_ {
    of.keys().filter_map(|key| {
        let name = key.strip_suffix("_low")?;
        let value = |key: &str| of.get(key)?.as_f64();
        Some((name.to_owned(), [value(name)?, value(key)?, value(&format!("{name}_high"))?]))
    })
}

/// The share of intervals that contain what is true, by name, over this number of studies; with how many there are.
fn coverage(studies: u64) -> BTreeMap<String, (f64, usize)> {
    let folder = Folder::new();
    let mut all: BTreeMap<String, Vec<[f64; 3]>> = BTreeMap::new();
    for seed in 0..studies {
        let told = study(&folder, seed);
        let of_all_steps = |of: &&Value| of.get("step").is_none_or(Value::is_null);
        let tables = [&told["summary"], &told["truth"], &told["frontier"]];
        let objects = tables.into_iter().filter_map(Value::as_array).flatten();
        for object in objects.filter(of_all_steps).filter_map(Value::as_object) {
            // The time of no two runs is the same.
            let of_figures = intervals(object).filter(|(name, _)| name != "ms");
            of_figures.for_each(|(name, interval)| all.entry(name).or_default().push(interval));
        }
    }
    let share = |(name, intervals): (String, Vec<[f64; 3]>)| {
        let count = intervals.len();
        let truth = match name.as_str() {
            "independent_draws" | "state_draws" => 16.0,
            name if name.ends_with("_over_control") || name.ends_with("_over_baseline") => 1.0,
            _ => intervals.iter().map(|[value, ..]| value).sum::<f64>() / count as f64,
        };
        let holds = intervals.iter().filter(|[_, low, high]| *low <= truth && truth <= *high).count();
        (name, (holds as f64 / count as f64, count))
    };
    all.into_iter().map(share).collect()
}

#[test]
fn intervals_contain_what_is_true_about_as_often_as_they_say() {
    let all = coverage(12);
    for name in ["independent_draws", "bias_over_baseline", "bias_over_control", "set_over_control", "regret"]
    {
        let (share, count) = all[name];
        assert!(count == 12 && share >= 0.7, "{name}: {all:?}");
    }
}

#[test]
fn intervals_have_only_what_is_possible() {
    let folder = Folder::new();
    let what =
        "--sampler bootstrap --sampler hyperplay12 --matches 3 --particles 2 --replicates 3 --seed 2 --json";
    let told: Value =
        serde_json::from_str(&run(&mut folder.program(&format!("belief kuhn_poker {what}")), 0).0).unwrap();
    let tables = ["summary", "truth", "frontier", "rows"].map(|table| told[table].as_array().unwrap());
    for (name, [value, low, high]) in
        tables.into_iter().flatten().filter_map(Value::as_object).flat_map(intervals)
    {
        let most = if name.ends_with("held") || name.ends_with("_tv") { 1.0 } else { f64::INFINITY };
        assert!(
            0.0 <= low && low <= value + 1e-9 && value <= high + 1e-9 && high <= most,
            "{name}: {value} [{low}, {high}]"
        );
    }
}

#[test]
#[ignore = "500 studies: minutes"]
fn intervals_contain_what_is_true_in_500_studies() {
    let all = coverage(500);
    for (name, (share, count)) in &all {
        println!("{name}: {:.1} % of {count}", 100.0 * share);
    }
    // Three standard errors of 500 studies are 3 %.
    assert!(all.values().all(|(share, _)| (0.90..=0.99).contains(share)), "{all:?}");
}
