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
        (
            "kuhn_poker few.jsonl --role bob",
            2,
            "one match in 5 is held out for the log loss\n  give 5 matches or more",
        ),
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
    // So has one whose evidence nothing explains.
    let mut changed: Vec<String> = records.clone();
    let swapped = changed[5].replace("(shows alice queen)", "(shows alice king)");
    assert_ne!(swapped, changed[5]);
    changed[5] = swapped;
    folder.write("changed.jsonl", &(changed.join("\n") + "\n"));
    let said = run(&mut folder.program("learn kuhn_poker changed.jsonl --role bob"), 1).1;
    assert!(said.contains("changed.jsonl:6, as alice saw it: no history explains"), "{said}");
}

/// Bob plays by one policy and then by another one. With a half-life the later one counts.
#[test]
fn with_a_half_life_later_matches_count_more() {
    let folder = Folder::new();
    let done = |command: &str| run(&mut folder.program(command), 0).0;
    done("match kuhn_poker bob=legal -n 200 --seed 1 --transcript old.jsonl");
    done("match kuhn_poker bob=random -n 100 --seed 2 --transcript new.jsonl");
    let learnt = |keys: &str| -> Value {
        let command = format!("learn kuhn_poker {keys} --role bob --weight 0.1 --json");
        serde_json::from_str(&done(&command)).unwrap()
    };
    let loss = |keys: &str| learnt(keys)["log_loss"]["learnt"].as_f64().unwrap();
    let choices = learnt("old.jsonl new.jsonl --half-life 20")["choices"].as_f64().unwrap();
    // The sum of a geometric series.
    assert!(choices < 1.0 / (1.0 - 0.5_f64.powf(1.0 / 20.0)) && choices > 20.0, "{choices}");
    assert_ne!(loss("old.jsonl new.jsonl --half-life 20"), loss("old.jsonl new.jsonl"));
    let (forgets, new) = (loss("old.jsonl new.jsonl --half-life 20"), loss("new.jsonl"));
    assert!((forgets - new).abs() < 0.3, "{forgets} {new}");
    run(&mut folder.program("learn kuhn_poker old.jsonl --role bob --half-life 0"), 2);
}

/// A data-biased response trusts the policy where many matches led, and is safe elsewhere.
#[test]
fn a_data_biased_response_is_between_an_equilibrium_and_a_restricted_response() {
    let folder = Folder::new();
    let done = |command: &str| run(&mut folder.program(command), 0).0;
    done("match kuhn_poker -n 200 --seed 1 --transcript t.jsonl");
    done("learn kuhn_poker t.jsonl --role bob --out bob.json");
    let solved = |file: &str, keys: &str| -> Vec<Value> {
        let text =
            done(&format!("solve kuhn_poker --unit 25 --method lp --fix bob=file:{file} {keys} --json"));
        let report: Value = serde_json::from_str(&text).unwrap();
        let confidence =
            keys.split_once("--confidence ").map_or(json!(null), |(_, n)| json!(n.parse::<f64>().unwrap()));
        assert_eq!(report["fixed"]["confidence"], confidence);
        report["answers"].as_array().unwrap().iter().map(|answer| answer["roles"]["alice"].clone()).collect()
    };
    let values =
        |of: &[Value], key: &str| -> Vec<f64> { of.iter().map(|of| of[key].as_f64().unwrap()).collect() };
    let same = |one: &[Value], other: &[Value]| {
        let far = |key: &str| {
            let (one, other) = (values(one, key), values(other, key));
            one.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        far("value") < 1e-6 && far("at_worst") < 1e-6
    };
    let restricted = solved("bob.json", "--modelled 0,0.3,0.8");
    // Bob was counted at each of his six information sets, and he chooses once in a match.
    assert!(same(&solved("bob.json", "--modelled 0,0.3,0.8 --confidence 1"), &restricted));
    let biased = solved("bob.json", "--modelled 0,0.3,0.8 --confidence 100");
    assert!((values(&biased, "at_worst")[0] + 1.0 / 18.0).abs() < 1e-6, "{biased:?}");
    assert!(
        values(&biased, "at_worst")[2] > values(&restricted, "at_worst")[2] + 0.01,
        "{biased:?} {restricted:?}"
    );
    let equilibrium = solved("bob.json", "--modelled 0.8 --confidence 1000000000");
    assert!((values(&equilibrium, "at_worst")[0] + 1.0 / 18.0).abs() < 1e-4, "{equilibrium:?}");
    // What says no count is known: it is trusted as much as it can be. What is not there is not.
    let mut file: Value = serde_json::from_str(&folder.read("bob.json")).unwrap();
    let entries = file["policy"].as_array_mut().unwrap();
    entries.iter_mut().for_each(|entry| drop(entry.as_object_mut().unwrap().remove("count")));
    folder.write("known.json", &file.to_string());
    assert!(same(&solved("known.json", "--modelled 0,0.3,0.8 --confidence 1000"), &restricted));
    file["policy"] = json!([]);
    folder.write("empty.json", &file.to_string());
    assert!(
        (values(&solved("empty.json", "--modelled 1 --confidence 1"), "at_worst")[0] + 1.0 / 18.0).abs()
            < 1e-6
    );
    let said = run(&mut folder.program("solve kuhn_poker --fix bob=softmax --confidence 10"), 2).1;
    assert!(said.contains("needs a policy file with counts") && said.contains("hyperplay learn"), "{said}");
    run(&mut folder.program("solve kuhn_poker --confidence 10"), 2);
    for keys in ["", "--confidence 10"] {
        let said =
            run(&mut folder.program(&format!("solve kuhn_poker --fix alice=file:bob.json {keys}")), 2).1;
        assert!(said.contains("says nothing of alice, but of bob"), "{said}");
    }
    run(&mut folder.program("solve kuhn_poker --fix bob=file:bob.json --confidence 0"), 2);
    // A game without chance.
    let text = done("solve goofspiel_4_imperfect --method lp --fix alice=softmax --modelled 0.5 --json");
    assert!(
        serde_json::from_str::<Value>(&text).unwrap()["answers"][0]["nash_conv"].as_f64().unwrap() < 1e-6
    );
}

/// Files of one-card poker with four and five cards: by the name of the game, by a card that is none, and as a policy that says nothing
/// of the fifth.
#[test]
fn a_policy_file_of_another_size_is_refused_or_says_nothing_of_what_is_new() {
    let folder = Folder::new();
    for size in [4, 5] {
        let out = format!("of_{size}.json");
        run(&mut folder.program(&format!("solve kuhn_poker_{size} --method lp --out {out}")), 0);
        let mut file: Value = serde_json::from_str(&folder.read(&out)).unwrap();
        file.as_object_mut().unwrap().remove("rules");
        folder.write(&format!("unnamed_{size}.json"), &file.to_string());
    }
    let said = |command: &str, code: i32| run(&mut folder.program(command), code).1;
    for command in [
        "match kuhn_poker_4 alice=hyperplay:model=file:FILE -n 1",
        "solve kuhn_poker_4 --fix bob=file:FILE",
        "belief kuhn_poker_4 --sampler hyperplay:model=file:FILE",
    ] {
        let named = said(&command.replace("FILE", "of_5.json"), 2);
        assert!(named.contains("of_5.json: it is of another game, with rules sha256:"), "{named}");
        assert!(named.contains("take a file of this game"), "{named}");
        let unnamed = said(&command.replace("FILE", "unnamed_5.json"), 2);
        assert!(unnamed.contains("unnamed_5.json:1: entry ") && unnamed.contains("(your_card "), "{unnamed}");
        assert!(unnamed.contains("correct the entry, or make the file anew"), "{unnamed}");
    }
    let smaller = said("match kuhn_poker_5 alice=hyperplay:model=file:unnamed_4.json -n 5 --seed 1", 0);
    assert!(!smaller.contains("warning"), "{smaller}");
}
