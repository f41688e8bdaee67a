//! Records of experiments are kept: what is logged later, damaged lines, changed goals, shards of another division, stale
//! merged files.

use std::fs;

use crate::common::program::{Folder, played, run};
use serde_json::Value;

const PLAIN: &str = r#"
schema = "hyperplay.experiment/1"
name = "plain"
seed = 5
games = ["kuhn_poker", "monty_hall"]
repetitions = 5

[[player]]
name = "sampling"
spec = "hyperplay:sampler=hyperplay:enumerate=off,search=flat,playouts=20,particles=5"

[[player]]
name = "random"
spec = "random"
"#;

const KINDS: [&str; 5] = ["matches", "turns", "timings", "positions", "particles"];

/// A folder with the file of an experiment, and the same with clocks.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("plain.toml", PLAIN);
    folder.write(
        "clocks.toml",
        &PLAIN.replacen("\n[[player]]", "\n[budget]\nplayclock = 0.02\n\n[[player]]", 1),
    );
    folder
}

/// Standard output and standard error of a command.
fn call(folder: &Folder, arguments: &str, code: i32) -> (String, String) {
    run(&mut folder.program(&format!("experiment {arguments}")), code)
}

fn files(folder: &Folder, out: &str) -> Vec<Option<Vec<u8>>> {
    KINDS.iter().map(|kind| fs::read(folder.path(&format!("{out}/{kind}.1-of-1.jsonl"))).ok()).collect()
}

fn records(text: &str) -> Vec<Value> {
    text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn logging_that_is_added_later_makes_its_rows_and_touches_nothing_else() {
    let folder = folder();
    call(&folder, "run plain.toml --out whole --log particles", 0);
    call(&folder, "run plain.toml --out later", 0);
    let before = files(&folder, "later");
    for (log, least) in [("--log positions", 4), ("--log particles", 5)] {
        let (said, _) = call(&folder, &format!("run plain.toml --out later {log}"), 0);
        assert!(said.contains("20 of 20 matches, 0 of them now"), "{said}");
        let after = files(&folder, "later");
        assert_eq!(after[..3], before[..3]);
        assert_eq!(after[3..least], files(&folder, "whole")[3..least]);
    }
}

#[test]
fn logging_is_not_added_to_a_match_that_is_not_what_is_recorded() {
    let folder = folder();
    call(&folder, "run plain.toml --out out", 0);
    // The matches of another seed under the header of this one, in the form of files without checksums.
    let unsealed = |text: &str| -> String {
        text.lines().map(|line| format!("{}}}\n", line.split(",\"sum\":").next().unwrap())).collect()
    };
    folder.write("other.toml", &PLAIN.replace("seed = 5", "seed = 6"));
    call(&folder, "run other.toml --out other", 0);
    for kind in ["matches", "turns"] {
        let name = |out: &str| format!("{out}/{kind}.1-of-1.jsonl");
        let (own, other) = (unsealed(&folder.read(&name("out"))), unsealed(&folder.read(&name("other"))));
        let header = own.lines().next().unwrap();
        let rest: Vec<&str> = other.lines().skip(1).collect();
        folder.write(&name("out"), &format!("{header}\n{}\n", rest.join("\n")));
    }
    let before = files(&folder, "out");
    let (_, said) = call(&folder, "run plain.toml --out out --log positions", 1);
    assert!(said.contains("is recorded as") && said.contains("played again it is"), "{said}");
    assert_eq!(files(&folder, "out")[..3], before[..3]);
    let (said, _) = call(&folder, "verify out", 1);
    assert!(said.contains("out: ") && !said.contains("20 of 20 matches agree"), "{said}");
}

#[test]
fn with_clocks_positions_are_had_by_walking_and_particles_only_by_discarding() {
    let folder = folder();
    played(&folder, "experiment run clocks.toml --out out");
    let before = files(&folder, "out");
    played(&folder, "experiment run clocks.toml --out out --log positions");
    assert_eq!(files(&folder, "out")[..3], before[..3]);
    let read = |kind: &str| records(&folder.read(&format!("out/{kind}.1-of-1.jsonl")));
    let (turns, positions) = (read("turns"), read("positions"));
    assert_eq!(turns.len(), positions.len());
    for (turn, position) in turns.iter().zip(&positions) {
        for key in ["match", "step", "role", "player", "move", "depleted"] {
            assert_eq!(turn[key], position[key]);
        }
        // What is not recorded is not made up.
        let own = turn["move"].as_str().unwrap();
        assert_eq!((&position["policy"], &position["values"][own]), (&serde_json::json!({}), &turn["value"]));
        assert!(!position["state"].as_array().unwrap().is_empty() && position["goals"].is_object());
        assert_eq!(position["belief"]["particles"], turn["particles"]);
    }
    let all = files(&folder, "out");
    let (_, said) = call(&folder, "run clocks.toml --out out --log particles", 1);
    assert!(
        said.contains("what its players believed cannot be had again") && said.contains("--discard"),
        "{said}"
    );
    assert_eq!(files(&folder, "out"), all);
    let (said, _) = played(&folder, "experiment run clocks.toml --out out --log particles --discard");
    assert!(said.contains("20 of them now"), "{said}");
    assert_eq!(read("particles").len(), read("turns").len());
    let (said, _) = played(&folder, "experiment run clocks.toml --out out --log particles --discard");
    assert!(said.contains("0 of them now"), "{said}");
}

#[test]
fn a_damaged_line_is_named_and_costs_its_match_alone() {
    let folder = folder();
    played(&folder, "experiment run clocks.toml --out out");
    let name = "out/matches.1-of-1.jsonl";
    let text = folder.read(name);
    let wrong = text.replacen("\"deal\":0", "\"deal\":8", 1);
    assert!(wrong != text);
    folder.write(name, &wrong);
    let place = "out/matches.1-of-1.jsonl:2: its checksum does not fit";
    for (command, code) in [("status out", 0), ("report out --json", 0), ("merge out", 3), ("verify out", 1)]
    {
        let (_, said) = call(&folder, command, code);
        assert!(said.contains(place), "{command}: {said}");
    }
    assert!(call(&folder, "status out", 0).0.contains("19 of 20 matches"));
    let (printed, said) = played(&folder, "experiment run clocks.toml --out out");
    assert!(said.contains(place) && said.contains("out/matches.1-of-1.jsonl.damaged"), "{said}");
    assert!(
        said.contains("going on after 19 matches") && printed.contains("1 of them now"),
        "{said}{printed}"
    );
    let damaged = wrong.lines().nth(1).unwrap();
    assert_eq!(folder.read(&format!("{name}.damaged")), format!("{damaged}\n"));
    let after = folder.read(name);
    let behind = |text: &str| text.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(behind(&after), behind(&text));
    // A second time it is appended.
    folder.write(name, &after.replacen("\"deal\":0", "\"deal\":9", 1));
    played(&folder, "experiment run clocks.toml --out out");
    assert!(folder.read(&format!("{name}.damaged")).starts_with(&format!("{damaged}\n{{\"match\":0,")));
}

#[test]
fn a_changed_goal_is_found_by_its_checksum_and_without_one_by_verify() {
    let folder = folder();
    call(&folder, "run plain.toml --out out", 0);
    let (said, _) = call(&folder, "verify out --sample 7", 0);
    assert!(said.ends_with("out: 7 of 7 matches agree with the rules\n"), "{said}");
    let name = "out/matches.1-of-1.jsonl";
    let text = folder.read(name);
    let line = text.lines().find(|line| line.contains("\"goals\":{\"candidate\":100}")).unwrap();
    let id = serde_json::from_str::<Value>(line).unwrap()["match"].clone();
    let changed =
        text.replace(line, &line.replace("\"goals\":{\"candidate\":100}", "\"goals\":{\"candidate\":0}"));
    folder.write(name, &changed);
    let (_, said) = call(&folder, "status out", 0);
    assert!(said.contains("its checksum does not fit"), "{said}");
    // A folder of an earlier version has no checksums: it is read, and continued as it is.
    for kind in &KINDS[..3] {
        let name = format!("out/{kind}.1-of-1.jsonl");
        let text = folder.read(&name);
        let old = text.lines().map(|line| format!("{}}}\n", line.split(",\"sum\":").next().unwrap()));
        folder.write(&name, &old.collect::<String>());
    }
    assert!(call(&folder, "status out", 0).0.ends_with("complete\n"));
    let (said, _) = call(&folder, "verify out", 1);
    let expected = format!(
        "match {id}: \"goals\" is recorded as {{\"candidate\":0}}; played again it is {{\"candidate\":100}}"
    );
    assert!(said.contains(&expected) && said.contains("19 of 20 matches agree"), "{said}");
    let json: Value = serde_json::from_str(&call(&folder, "verify out --json", 1).0).unwrap();
    assert_eq!((&json["matches"], &json["agree"]), (&Value::from(20), &Value::from(19)));
    let old = folder.read(name);
    folder.write(name, &old[..old.len() - 200]);
    call(&folder, "run plain.toml --out out", 0);
    assert_eq!(folder.read(name), old);
}

#[test]
fn a_shard_of_another_division_is_refused_at_the_start_and_one_without_matches_says_why() {
    let folder = folder();
    call(&folder, "run plain.toml --out out --shard 1/2", 0);
    let before: Vec<_> =
        fs::read_dir(folder.path("out")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let (_, said) = call(&folder, "run plain.toml --out out --shard 2/3", 1);
    assert!(said.contains("out holds shards of 2, and 2-of-3 is none of these"), "{said}");
    let after: Vec<_> =
        fs::read_dir(folder.path("out")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(before.len(), after.len());
    call(&folder, "run plain.toml --out out --shard 2/2", 0);
    call(&folder, "merge out", 0);
    let (_, said) = call(&folder, "run plain.toml --out many --shard 9/9", 0);
    assert!(said.contains("shard 9-of-9 has no match: there are more shards than deals"), "{said}");
    folder.write("stop.toml", &format!("{PLAIN}\n[stop]\nwidth = 1.0\n"));
    let (_, said) = call(&folder, "run stop.toml --out stop --shard 9/9", 0);
    assert!(said.contains("more shards than cells, each of which one shard plays"), "{said}");
}

#[test]
fn a_failed_merge_leaves_no_merged_file_under_its_name() {
    let folder = folder();
    call(&folder, "run plain.toml --out out --log positions", 0);
    call(&folder, "merge out", 0);
    let merged = ["matches", "turns", "timings", "positions"].map(|kind| format!("out/{kind}.jsonl"));
    let former = merged.each_ref().map(|name| folder.read(name));
    let matches = folder.read("out/matches.1-of-1.jsonl");
    folder.write("out/matches.1-of-1.jsonl", &matches.replacen("\"deal\":0", "\"deal\":8", 1));
    let (_, said) = call(&folder, "merge out", 3);
    assert!(said.contains("out/matches.jsonl.former1: what was merged earlier"), "{said}");
    for (name, text) in merged.iter().zip(&former) {
        assert!(!folder.path(name).exists(), "{name}");
        assert_eq!(folder.read(&format!("{name}.former1")), *text);
    }
    folder.write("out/matches.1-of-1.jsonl", &matches);
    // Positions that are not made again do not stay beside the others.
    call(&folder, "merge out", 0);
    fs::remove_file(folder.path("out/positions.1-of-1.jsonl")).unwrap();
    call(&folder, "merge out", 0);
    assert!(
        !folder.path("out/positions.jsonl").exists() && folder.path("out/positions.jsonl.former2").exists()
    );
    // Where the merged files are all that there is, they are not renamed.
    for kind in KINDS {
        let _ = fs::remove_file(folder.path(&format!("out/{kind}.1-of-1.jsonl")));
    }
    let text = folder.read("out/matches.jsonl");
    let cut = &text[..text.len() - 400];
    folder.write("out/matches.jsonl", cut);
    call(&folder, "merge out", 3);
    assert_eq!(folder.read("out/matches.jsonl"), cut);
}
