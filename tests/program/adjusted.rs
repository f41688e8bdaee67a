//! Adjusted goals by the binary: beside the plain ones in `match` and in the report of an experiment.

use crate::common::program::{Folder, json, run, stderr};
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn where_all_policies_are_known_and_guessed_rightly_the_adjusted_mean_is_the_value() {
    // Alice wins 1/8 of a chip of 25 goals under uniform play.
    for imagined in [1, 1_000] {
        let report =
            json(&format!("match kuhn_poker -n 50 --seed 1 --baseline uniform --imagined {imagined}"), 0);
        let alice = &report["goals"]["alice"];
        assert!((number(&alice["adjusted"]["mean"]) - 53.125).abs() < 1e-9, "{alice}");
        assert!(number(&alice["adjusted"]["ci95"]) < 1e-9 && alice["adjusted"]["matches"] == 50, "{alice}");
        // What rounding leaves of no variance saves nothing that could be counted.
        assert_eq!(alice["saved"], Value::Null);
    }
    let plain = json("match kuhn_poker -n 50 --seed 1", 0);
    assert_eq!(plain["goals"]["alice"].get("adjusted"), None);
}

#[test]
fn any_game_is_adjusted_by_playouts_and_three_roles_too() {
    let report = json("match kuhn_poker_3p alice=ismcts:simulations=50 -n 60 --seed 2 --baseline 50", 0);
    for (role, goals) in report["goals"].as_object().unwrap() {
        let (plain, adjusted) = (number(&goals["mean"]), number(&goals["adjusted"]["mean"]));
        assert!(
            (plain - adjusted).abs() < number(&goals["ci95"]) + number(&goals["adjusted"]["ci95"]),
            "{role}: {goals}"
        );
        assert!(number(&goals["saved"]) > 1.0, "{role}: {goals}");
    }
}

#[test]
fn the_report_of_an_experiment_has_adjusted_scores_of_the_policies_that_were_played() {
    let folder = Folder::new();
    let done = |command: &str, code| run(&mut folder.program(command), code);
    done("exploit kuhn_poker alice=random bob=random --out even.json", 0);
    folder.write(
        "e.toml",
        "schema = 'hyperplay.experiment/1'\nname = 'e'\nseed = 3\ngames = ['kuhn_poker']\nrepetitions = 30\n\n\
         [[player]]\nname = 'even'\nspec = 'policy:even.json'\n\n[[player]]\nname = 'random'\nspec = 'random'\n",
    );
    done("experiment run e.toml --out e", 0);
    let report = |more: &str| -> Value {
        serde_json::from_str(&done(&format!("experiment report e --json {more}"), 0).0).unwrap()
    };
    for row in report("--baseline uniform")["roles"].as_array().unwrap() {
        let value = if row["role"] == "alice" { 53.125 } else { 46.875 };
        assert!(
            (number(&row["adjusted"]) - value).abs() < 1e-9 && number(&row["adjusted_ci95"]) < 1e-9,
            "{row}"
        );
    }
    assert_eq!(report("")["roles"][0].get("adjusted"), None);
    let text = done("experiment report e --baseline 20", 0).0;
    assert!(text.contains("| adjusted | saved, times |"), "{text}");
    // A policy file that has changed is not the one that was played by.
    done("exploit kuhn_poker alice=legal bob=random --out even.json", 0);
    let said = done("experiment report e --baseline uniform", 1).1;
    assert!(said.contains("the policy file of even is not the one that it played by"), "{said}");
}

#[test]
fn a_baseline_that_there_is_not_is_refused() {
    for (arguments, code, expected) in [
        ("kuhn_poker --baseline nothing", 2, "nothing"),
        ("kuhn_poker --baseline 0", 2, "'0'"),
        ("kuhn_poker --imagined 3", 2, "--baseline"),
    ] {
        let said = stderr(&format!("match {arguments} -n 1 --seed 1"), code);
        assert!(said.contains(expected), "{arguments}: {said}");
    }
    let folder = Folder::new();
    let rules = "(role me) (init (at a)) (legal me x) (legal me y) (next (at a)) (<= terminal (true (at b))) (goal me 0)";
    folder.write("endless.kif", rules);
    let command = "match endless.kif --baseline uniform -n 1 --seed 1";
    let said = run(&mut folder.program(command), 1).1;
    assert!(said.contains("take random playouts instead, as in --baseline 100"), "{said}");
}
