//! `learn` by the binary: from full records and one seat's to a policy file, and what it refuses.

use std::fs;

use crate::common::program::{Folder, json as report_of, run};
use serde_json::{Value, json};

/// Matches of Kuhn poker in which Bob plays by a file: the report of `learn`, the value of what is learnt for Alice, and what she gets by the best
/// response to it against Bob himself.
fn learnt(folder: &Folder, matches: usize, seat: &str) -> (Value, f64) {
    let done = |command: &str| run(&mut folder.program(command), 0).0;
    done(&format!(
        "match kuhn_poker alice=random bob=policy:bob.json -n {matches} --seed 5 --transcript {matches}.jsonl --overwrite"
    ));
    let report =
        done(&format!("learn kuhn_poker {matches}.jsonl --role bob {seat} --out learnt.json --json"));
    done("exploit kuhn_poker bob=policy:learnt.json --unit 25 --response answer.json");
    let answer = done("exploit kuhn_poker alice=policy:answer.json bob=policy:bob.json --unit 25 --json");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    (serde_json::from_str(&report).unwrap(), answer["roles"]["alice"]["value"].as_f64().unwrap())
}

#[test]
fn the_response_to_a_learnt_policy_gains_what_the_response_to_the_player_itself_gains() {
    let folder = Folder::new();
    let out = folder.path("bob.json").display().to_string();
    report_of(&format!("exploit kuhn_poker bob=hyperplay --seed 1 --out {out}"), 0);
    let known = report_of(&format!("exploit kuhn_poker bob=policy:{out} --unit 25"), 0);
    let best = known["roles"]["alice"]["best_response"].as_f64().unwrap();
    for seat in ["", "--seat alice"] {
        let (few, _) = learnt(&folder, 50, seat);
        let (many, gained) = learnt(&folder, 2_000, seat);
        let loss = |of: &Value, key: &str| of["log_loss"][key].as_f64().unwrap();
        assert!(loss(&many, "learnt") < loss(&many, "prior") - 0.1, "{seat}: {many}");
        assert!(loss(&many, "learnt") < loss(&few, "learnt") + 0.2, "{seat}: {few} {many}");
        assert_eq!((&many["information_sets"], &many["matches"]), (&6.into(), &2_000.into()));
        assert!((gained - best).abs() < 0.01, "{seat}: {gained} of {best}");
    }
    // Every entry says how often it was seen: a choice of Bob in each match.
    let file: Value = serde_json::from_str(&folder.read("learnt.json")).unwrap();
    let counts = file["policy"].as_array().unwrap().iter().map(|entry| entry["count"].as_f64().unwrap());
    assert!((counts.sum::<f64>() - 2_000.0).abs() < 1e-3);
    assert!(file["method"].as_str().unwrap().ends_with(", as alice saw them"), "{}", file["method"]);
}

#[test]
fn what_cannot_be_learnt_from_is_refused() {
    let folder = Folder::new();
    run(&mut folder.program("match kuhn_poker -n 20 --seed 1 --transcript t.jsonl"), 0);
    run(&mut folder.program("match kuhn_poker -n 3 --seed 1 --transcript few.jsonl"), 0);
    fs::write(folder.path("mine.json"), "{\"mine\": 1}").unwrap();
    for (arguments, code, expected) in [
        ("kuhn_poker t.jsonl --role dora", 2, "the game has no role 'dora'"),
        ("kuhn_poker t.jsonl --role random", 2, "the role random chooses by itself"),
        ("kuhn_poker t.jsonl --role bob --prior nothing", 2, "nothing"),
        ("kuhn_poker few.jsonl --role bob", 2, "give more matches"),
        ("leduc_poker t.jsonl --role bob", 1, "t.jsonl:1: "),
        ("kuhn_poker t.jsonl --role bob --out mine.json", 2, "mine.json"),
    ] {
        let said = run(&mut folder.program(&format!("learn {arguments}")), code).1;
        assert!(said.contains(expected), "{arguments}: {said}");
    }
    assert_eq!(folder.read("mine.json"), "{\"mine\": 1}");
}

#[test]
fn records_of_a_player_say_the_same_as_what_its_seat_saw() {
    let folder = Folder::new();
    let done = |command: &str| run(&mut folder.program(command), 0).0;
    done("match kuhn_poker -n 60 --seed 3 --transcript t.jsonl");
    let record = |line: &str| {
        let transcript: Value = serde_json::from_str(line).unwrap();
        let of = |step: &Value| json!({ "own": [step["moves"][0]], "percepts": step["percepts"][0] });
        let steps: Vec<Value> = transcript["steps"].as_array().unwrap().iter().map(of).collect();
        json!({
            "schema": "hyperplay.evidence/1", "game": "kuhn_poker", "rules": transcript["rules"], "match": "m", "role": "alice",
            "player": "random", "seed": 1, "dialect": "GDL-II", "clocks": { "startclock": 1.0, "playclock": 1.0 },
            "steps": steps, "outcome": "stopped",
        })
        .to_string()
    };
    let records: Vec<String> = folder.read("t.jsonl").lines().map(record).collect();
    folder.write("alice.jsonl", &(records.join("\n") + "\n"));
    let policy = |records: &str, out: &str| -> Value {
        done(&format!("learn kuhn_poker {records} --role bob --out {out}"));
        serde_json::from_str::<Value>(&folder.read(out)).unwrap()["policy"].clone()
    };
    let (seen, told) = (policy("t.jsonl --seat alice", "seen.json"), policy("alice.jsonl", "told.json"));
    assert_eq!(seen, told);
    assert_ne!(seen, policy("t.jsonl", "full.json"));
    // A record of other rules has its place.
    folder.write("other.jsonl", &records[0].replace("sha256:", "sha256:0"));
    let said = run(&mut folder.program("learn kuhn_poker other.jsonl --role bob"), 1).1;
    assert!(said.contains("other.jsonl:1: the match was played with other rules"), "{said}");
}
