//! Tests of beliefs in experiments by the binary: what `report --beliefs` measures is known by hand in Kuhn poker, does not hang on
//! threads, and is refused where no folder can be walked.

use crate::common::program::{Folder, run};
use serde_json::Value;

const STUDY: &str = r#"
schema = "hyperplay.experiment/1"
seed = 7
games = ["kuhn_poker"]
repetitions = 12

[schedule]
kind = "gauntlet"
challengers = ["draws", "exact"]

[[player]]
name = "draws"
spec = "hyperplay:sampler=hyperplay:enumerate=off,search=flat,playouts=200"
grid = { particles = [1, 256] }

[[player]]
name = "exact"
spec = "pimc"

[[player]]
name = "random"
spec = "random"
"#;

fn report(folder: &Folder, arguments: &str) -> Value {
    let command = format!("experiment report out --json --beliefs 8 {arguments}");
    serde_json::from_str(&run(&mut folder.program(&command), 0).0).unwrap()
}

/// At every decision of Kuhn poker two cards of the other are equally likely, whatever a uniform opponent did. So one draw has
/// set TV and coverage 1/2 and is worth one draw.
#[test]
fn the_beliefs_of_kuhn_poker_are_measured_as_by_hand() {
    let folder = Folder::new();
    folder.write("study.toml", STUDY);
    run(&mut folder.program("experiment run study.toml --out out"), 0);
    let told = report(&folder, "");
    let rows = told["beliefs"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["player"].as_str().unwrap()).collect();
    assert_eq!(names, ["draws particles=1", "draws particles=256", "exact"], "random has no belief");
    let value = |row: usize, name: &str| rows[row][name].as_f64().unwrap();
    for (name, expected) in [("set_tv", 0.5), ("coverage", 0.5), ("independent_draws", 1.0), ("ess", 1.0)] {
        assert!((value(0, name) - expected).abs() < 1e-9, "{name}: {rows:?}");
    }
    assert!(value(0, "decisions") >= 16.0 && value(1, "set_tv") < 0.1, "{rows:?}");
    assert!(
        value(2, "set_tv") == 0.0 && value(2, "regret") == 0.0 && value(2, "coverage") == 1.0,
        "{rows:?}"
    );
    assert!(rows[2]["independent_draws"].is_null(), "an exact belief is worth infinitely many draws");
    let scores = told["scores"].as_array().unwrap();
    for row in rows {
        let score = scores.iter().find(|score| score["player"] == row["player"]).unwrap();
        assert!((score["score"].as_f64().unwrap() - row["score"].as_f64().unwrap()).abs() < 1e-9);
    }
    let regret = { told["belief_strength"].as_array().unwrap().iter() }
        .find(|row| row["measure"] == "regret")
        .unwrap();
    assert_eq!((&regret["entrants"], &regret["deals"]), (&3.into(), &8.into()));
    let text = folder.read("out/report.md");
    assert!(text.contains("better belief") && text.contains("score-by-regret.svg"), "{text}");
    // Without clocks and with other threads the same, and without the option nothing of it.
    assert_eq!(told, report(&folder, ""));
    let plain = run(&mut folder.program("experiment report out --json"), 0).0;
    assert!(!plain.contains("belief_strength"));
    let refused = run(&mut folder.program("experiment report out --beliefs 8 --deals 2"), 2).1;
    assert!(refused.contains("name one folder, without a selection"), "{refused}");
}
