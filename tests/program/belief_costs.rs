//! Tests of what `belief` says about costs and methods.

use crate::common::program::{Folder, json, stderr, stdout};
use serde_json::Value;

fn rows(report: &Value) -> &Vec<Value> {
    report["rows"].as_array().unwrap()
}

/// Without a posterior there are times alone, in rows of the same form, to the last step of a match.
#[test]
fn costs_have_a_row_for_every_sampler_at_every_step() {
    let report = json(
        "belief --preset cost monty_hall --sampler rejection --sampler bootstrap --sampler hyperplay --particles 8 \
         --replicates 3 --matches 2 --seed 1",
        0,
    );
    assert_eq!((&report["seed"], &report["matches"]), (&1.into(), &2.into()));
    assert_eq!(rows(&report).len(), 2 * 2 * 3);
    for row in rows(&report) {
        assert_eq!((&row["oracle"], &row["depletions"]), (&"none".into(), &0.into()), "{row}");
        for unknown in
            ["information_set", "set_tv", "bias_tv", "bias_tv_control", "coverage", "kl", "log_loss_exact"]
        {
            assert!(row[unknown].is_null(), "{unknown}: {row}");
        }
        assert!(row["held"].as_f64() > Some(0.0) && row["method"] != "", "{row}");
    }
    let steps = report["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 2 * 3);
    for step in steps {
        let number = |key: &str| step[key].as_f64().unwrap_or_else(|| panic!("{key}: {step}"));
        assert!(0.0 < number("update_ms") && number("update_ms") <= number("update_ms_max"), "{step}");
    }
    assert!(report["frontier"].as_array().unwrap().is_empty());
    let text = stdout("belief --preset cost monty_hall --steps 2-2 --particles 4,8 --seed 1", 0);
    let steps: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with('2')).collect();
    assert_eq!(steps.len(), 3 * 2, "{text}");
    // The evidence may be that of players, and then it is measured once.
    let of_players = json("belief --preset cost kuhn_poker --play legal --steps 2 --seed 1", 0);
    assert_eq!(of_players["steps"].as_array().unwrap().len(), 2 * 3);
    assert!(stderr("belief --preset cost monty_hall --limit 0", 2).contains("a number of seconds above 0"));
    assert!(stderr("belief --preset cost monty_hall --replicates 0", 2).contains("give 1 or more"));
    assert!(
        stderr("belief --preset cost monty_hall --role random", 2).contains("the role random has no belief")
    );
}

/// A belief whose update takes longer than the limit is not followed further: it has no particle and no time.
#[test]
fn an_update_beyond_the_limit_is_the_last_one_of_its_belief() {
    let arguments = "belief krieg_tictactoe_3x3 --sampler rejection --particles 64 --replicates 3 --steps 3 --playouts 0 --seed 1";
    let late = json(&format!("{arguments} --limit 0.000000001"), 0);
    assert_eq!(rows(&late).len(), 2 * 3);
    for row in rows(&late) {
        assert_eq!(
            (&row["sets"], &row["depletions"], &row["set_tv"]),
            (&0.into(), &3.into(), &1.0.into()),
            "{row}"
        );
    }
    assert!(late["frontier"][0]["ms"].is_null() && late["frontier"][0]["front"] == false);
    let in_time = json(&format!("{arguments} --limit 1000"), 0);
    assert_eq!(in_time["rows"], json(arguments, 0)["rows"]);
}

/// `frontier.csv` is what follows from the other files: means over the decisions, and the rows that no other one beats in both.
#[test]
fn the_frontier_follows_from_the_rows_and_their_times() {
    let folder = Folder::new();
    let text = stdout(
        &format!(
            "belief leduc_poker --sampler bootstrap --sampler rejection --sampler hyperplay --sampler exact --particles 4,32 \
             --replicates 6 --matches 5 --playouts 0 --seed 1 --out {}",
            folder.path("out").display()
        ),
        0,
    );
    assert!(text.contains("\nWithin 0.1 ms: ") && text.contains("\nWithin 10 ms: "), "{text}");
    let lines = |file: &str| -> Vec<Value> {
        let lines = folder.read(file);
        lines.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let (rows, times) = (lines("out/turns.jsonl"), lines("out/timings.jsonl"));
    let table = folder.read("out/frontier.csv");
    let mut table = csv::Reader::from_reader(table.as_bytes());
    let frontier: Vec<std::collections::HashMap<String, String>> =
        table.deserialize().map(Result::unwrap).collect();
    assert_eq!(frontier.len(), 4 * 2);
    let mut places = Vec::new();
    for row in &frontier {
        let particles: u64 = row["particles"].parse().unwrap();
        let of = |(measured, _): &(&Value, &Value)| {
            measured["decision"] == true
                && measured["sampler"] == row["sampler"]
                && measured["particles"] == particles
        };
        let own: Vec<(&Value, &Value)> = rows.iter().zip(&times).filter(of).collect();
        assert_eq!(own.len().to_string(), row["decisions"]);
        let mean = |figure: &dyn Fn(&(&Value, &Value)) -> f64| {
            own.iter().map(figure).sum::<f64>() / own.len() as f64
        };
        let error = mean(&|(row, _)| row["state_set_tv"].as_f64().unwrap());
        let ms = 1e3 * mean(&|(_, time)| time["seconds_total"].as_f64().unwrap());
        let number = |key: &str| row[key].parse::<f64>().unwrap();
        assert!(
            (number("state_set_tv") - error).abs() < 1e-8 && (number("ms") / ms - 1.0).abs() < 1e-9,
            "{row:?}"
        );
        assert!(number("state_set_tv_low") <= error + 1e-8 && error <= number("state_set_tv_high") + 1e-8);
        if row["sampler"] == "exact" {
            let worth = number("state_draws") / row["particles"].parse::<f64>().unwrap();
            assert!((worth - 1.0).abs() < 0.3, "exact draws are worth their number: {row:?}");
        }
        places.push((number("ms"), number("state_set_tv"), row["front"] == "true"));
    }
    for (ms, error, is_front) in &places {
        let is_beaten = places.iter().any(|(a, b, _)| a <= ms && b <= error && (a, b) != (ms, error));
        assert_eq!(*is_front, !is_beaten);
    }
    assert!(folder.read("out/figures/frontier.svg").contains("set TV on states"));
    assert!(stderr("belief leduc_poker --budget-ms 0", 2).contains("milliseconds above 0"));
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
