//! Rules that cannot be evaluated in some match: the match is a record, the others are played all the same, and the program
//! ends with exit code 1.

use crate::common::program::{Folder, run};
use serde_json::Value;

/// `me` may stop and win, or go on. Whoever goes on makes a term deeper by forty; the third time it is too deep for any engine.
fn deepening() -> String {
    let deep = "(s ".repeat(40) + "?x" + &")".repeat(40);
    format!(
        "(role me) (init (depth zero)) (legal me stop) (legal me go)
         (<= (next (depth {deep})) (does me go) (true (depth ?x)))
         (<= (next stopped) (does me stop))
         (<= terminal (true stopped)) (goal me 100)"
    )
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("deepening.kif", &deepening());
    folder.write(
        "deepening.toml",
        "schema = 'hyperplay.experiment/1'\nseed = 1\ngames = ['deepening.kif']\nrepetitions = 40\n\
         engine = 'interpreter'\n[[player]]\nname = 'random'\nspec = 'random'\n\
         [[player]]\nname = 'stops'\nspec = 'hyperplay:search=flat,playouts=4'\n",
    );
    folder
}

#[test]
fn a_failed_match_of_a_series_is_recorded_and_counted() {
    let folder = folder();
    let series = "match deepening.kif --engine interpreter --seed 1 --matches 40 --transcript t.jsonl";
    let (printed, said) = run(&mut folder.program(&format!("{series} --json")), 1);
    let report: Value = serde_json::from_str(&printed).unwrap();
    let failed = report["unfinished"]["failed"].as_u64().unwrap();
    assert!((1..40).contains(&failed), "{failed}");
    assert_eq!((&report["matches"], &report["goals"]["me"]["mean"]), (&40.into(), &100.0.into()));
    assert!(said.contains(&format!("{failed} match")) && said.contains("the first: match "), "{said}");
    assert!(said.contains("after step 2: "), "{said}");
    let records: Vec<Value> =
        folder.read("t.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_failed = records.iter().filter(|record| record["outcome"] == "failed");
    assert_eq!((records.len() as u64, of_failed.clone().count() as u64), (40, failed));
    assert!(
        of_failed
            .clone()
            .all(|record| record["goals"].is_null() && record["steps"].as_array().unwrap().len() == 2)
    );
    run(&mut folder.program("verify t.jsonl --engine interpreter"), 0);
}

#[test]
fn an_operation_without_a_value_has_a_remedy_that_fits() {
    let folder = Folder::new();
    folder.write(
        "up.sidl",
        "fact(n, 1). init(n(9999)). init(account(a, 0)). terminal :- n(1).
         branching([up], nil). operation(up) :- n(X), ax(n(X)), next(n(X * 2)).",
    );
    let (_, said) = run(&mut folder.program("match up.sidl --seed 1"), 1);
    assert!(said.contains("a number leaves the range -10000 to 10000"), "{said}");
    assert!(said.contains("or an operation computes what has no value"), "{said}");
    assert!(folder.program("check up.sidl --simulate 10").output().unwrap().status.code() == Some(1));
}

#[test]
fn a_failed_match_of_an_experiment_is_a_record_and_the_rest_is_played() {
    let folder = folder();
    let play = |out: &str, more: &str| {
        run(&mut folder.program(&format!("experiment run deepening.toml --out {out} {more}")), 1)
    };
    let (printed, said) = play("one", "-j 1");
    assert!(printed.contains("80 of 80 matches"), "{printed}");
    assert!(said.contains("failed; the first: match "), "{said}");
    let (_, other) = play("two", "-j 3");
    assert_eq!(said, other);
    let matches = folder.read("one/matches.1-of-1.jsonl");
    assert_eq!(matches, folder.read("two/matches.1-of-1.jsonl"));
    let records: Vec<Value> =
        matches.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_failed: Vec<&Value> = records.iter().filter(|record| record["outcome"] == "failed").collect();
    assert!((1..80).contains(&of_failed.len()) && records.len() == 80);
    assert!(of_failed.iter().all(|record| record["goals"].as_object().unwrap().is_empty()));

    // Nothing is left to play, and the failures are not forgotten.
    let (_, again) = play("one", "-j 1");
    let failed = of_failed.len();
    assert!(again.contains(&format!("{failed} match")) && again.contains("in earlier runs"), "{again}");
    let json = |what: &str| -> Value {
        serde_json::from_str(&run(&mut folder.program(&format!("experiment {what} one --json")), 0).0)
            .unwrap()
    };
    assert_eq!(json("status")["failed"], failed);
    let report = json("report");
    assert_eq!(report["failed"], failed);
    let of_scores: u64 =
        report["scores"].as_array().unwrap().iter().map(|row| row["failed"].as_u64().unwrap()).sum();
    assert_eq!(of_scores, failed as u64);
    assert!(folder.read("one/report.md").contains("failed: the rules could not be evaluated"));
    assert!(report["scores"].as_array().unwrap().iter().all(|row| row["score"] == 100.0));
}

#[test]
fn a_study_of_beliefs_ends_with_the_failure_and_a_remedy() {
    let folder = folder();
    let study = "belief deepening.kif --engine interpreter --matches 40 --replicates 2 --seed 1";
    let (printed, said) = run(&mut folder.program(study), 1);
    assert_eq!(printed, "");
    assert!(said.contains("deepening.kif: ") && said.contains("measure fewer --steps"), "{said}");
}
