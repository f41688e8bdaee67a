//! Tests of what the commands on beliefs say about costs and methods, and of the options that choose a part of the
//! benchmark.

use crate::common::program::{json, stderr, stdout};
use serde_json::Value;

fn rows(report: &Value) -> &Vec<Value> {
    report["rows"].as_array().unwrap()
}

#[test]
fn costs_have_a_row_for_every_sampler_at_every_step() {
    let report = json(
        "belief --preset cost monty_hall --sampler rejection --sampler bootstrap --sampler exact --particles 8 \
         --replicates 3 --matches 2 --seed 1",
        0,
    );
    assert_eq!(
        (&report["seed"], &report["particles"], &report["matches"]),
        (&1.into(), &8.into(), &2.into())
    );
    assert_eq!(rows(&report).len(), 2 * 3);
    for row in rows(&report) {
        let number = |key: &str| row[key].as_f64().unwrap_or_else(|| panic!("{key}: {row}"));
        assert_eq!(row["unbiased"], row["sampler"] != "bootstrap", "{row}");
        assert_eq!(number("updates") + number("unfinished"), 6.0, "{row}");
        assert!(number("seconds_median") <= number("seconds_max"), "{row}");
        assert!(number("over_cheapest") >= number("over_unbiased") - 1e-9, "{row}");
    }
    let text = stdout("belief --preset cost monty_hall --steps 2-2 --particles 4 --seed 1", 0);
    assert!(
        text.contains("/unbiased") && text.lines().skip(2).all(|line| line.trim_start().starts_with('2')),
        "{text}"
    );
    // The evidence may be that of players.
    assert_eq!(
        rows(&json("belief --preset cost kuhn_poker --play legal --steps 2 --seed 1", 0)).len(),
        2 * 3
    );
    assert!(stderr("belief --preset cost monty_hall --limit 0", 2).contains("a number of seconds above 0"));
    assert!(stderr("belief --preset cost monty_hall --replicates 0", 2).contains("give 1 or more"));
    assert!(
        stderr("belief --preset cost monty_hall --role random", 2).contains("the role random has no belief")
    );
}

/// Samplers are compared by processor time alone: states that particles share count once for one sampler and each time for another, so
/// that `hyperplay12` visits fewer of them than `bootstrap` and takes longer.
#[test]
fn samplers_are_compared_by_processor_time_alone() {
    let arguments = "belief krieg_tictactoe_3x3 --sampler bootstrap --sampler hyperplay12 --particles 64 --replicates 20 --steps 4 --seed 1";
    let report = json(arguments, 0);
    assert!(report["summary"].as_array().unwrap().iter().all(|summary| {
        summary
            .as_object()
            .unwrap()
            .keys()
            .all(|key| !key.contains("states_per") && !key.starts_with("states_m"))
    }));
    let text = stdout(arguments, 0);
    let summaries = text.split_once("Over the decisions").unwrap().1;
    assert!(
        summaries.contains("ms an update")
            && summaries.contains("draws/s")
            && !summaries.contains("states a particle"),
        "{text}"
    );
}

#[test]
fn rows_say_how_particles_were_found_and_what_independent_draws_show() {
    let report =
        json("belief leduc_poker --sampler hyperplay --particles 8 --replicates 300 --steps 3 --seed 1", 0);
    for row in rows(&report) {
        assert_eq!(row["method"], "enumeration", "{row}");
        assert!(row["attempts_per_particle"].is_f64(), "{row}");
        let control = |key: &str| row[format!("{key}_control")].as_f64().unwrap();
        let baseline = |key: &str| row[format!("{key}_baseline")].as_f64().unwrap();
        assert!(control("bias_tv") < 5.0 * baseline("bias_tv") + 1e-9, "{row}");
        assert!((control("set_tv") - baseline("set_tv")).abs() < 0.05, "{row}");
        assert!(control("state_bias_tv") <= control("bias_tv") + 1e-9, "{row}");
    }
    let summary = &report["summary"][0];
    assert_eq!((&summary["enumerated"], &summary["method"]), (&summary["decisions"], &"enumeration".into()));
}

#[test]
fn a_part_of_the_benchmark_is_measured_and_its_command_is_said() {
    let options = "--particles 8 --replicates 250 --matches 1 --steps 2-3";
    let command = "belief --preset benchmark krieg_tictactoe_3x3 --seed 4";
    let page = stdout(&format!("{command} {options} --sampler exact"), 0);
    assert!(page.contains(&format!("`hyperplay {command} {options} --sampler 'exact'`")), "{page}");
    assert!(page.contains("1 match, steps 2 to 3, 4 decisions"), "{page}");
    assert!(page.contains("| bias TV (draws) | ratio |") && page.contains("| draws/s |"), "{page}");
    assert!(stderr("belief --preset benchmark --steps 4-2", 2).contains("expected a step of 1 or more"));
    assert!(stderr("belief --preset benchmark --matches 0", 2).contains("give 1 or more"));
}
