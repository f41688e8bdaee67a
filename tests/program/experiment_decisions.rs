//! What `experiment run` records of decisions, with `--log positions` and `--log particles`: it is true, its bytes depend
//! neither on threads nor on shards, and it is exported as Parquet.

use std::collections::BTreeSet;
use std::fs;

use crate::common::program::{Folder, run};
use serde_json::Value;

/// Two games with hidden cards or doors, a belief of all that is possible and a sampled one.
const BELIEVING: &str = r#"
schema = "hyperplay.experiment/1"
name = "believing"
seed = 5
games = ["kuhn_poker", "monty_hall"]
repetitions = 4

[[player]]
name = "whole"
spec = "hyperplay:search=flat,playouts=20"

[[player]]
name = "sampling"
spec = "hyperplay:search=flat,playouts=20,sampler=[hyperplay:enumerate=off,method=backtracking,merge=off],particles=7"

[[player]]
name = "random"
spec = "random"
"#;

fn done(folder: &Folder, arguments: &str) -> String {
    run(&mut folder.program(&format!("experiment {arguments}")), 0).0
}

/// The records behind the header of a file.
fn records(folder: &Folder, name: &str) -> Vec<Value> {
    folder.read(name).lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn facts(state: &Value) -> BTreeSet<&str> {
    state.as_array().unwrap().iter().map(|fact| fact.as_str().unwrap()).collect()
}

#[test]
fn the_true_state_is_among_those_that_a_whole_belief_holds_and_the_weights_sum_to_one() {
    let folder = Folder::new();
    folder.write("believing.toml", BELIEVING);
    done(&folder, "run believing.toml --out out --log particles");
    let positions = records(&folder, "out/positions.1-of-1.jsonl");
    let particles = records(&folder, "out/particles.1-of-1.jsonl");
    assert_eq!(positions.len(), records(&folder, "out/turns.1-of-1.jsonl").len());
    assert_eq!(positions.len(), particles.len());
    let (mut whole, mut sampled) = (0, 0);
    for (position, held) in positions.iter().zip(&particles) {
        for key in ["match", "game", "step", "role", "player"] {
            assert_eq!(position[key], held[key], "{key}");
        }
        let states = held["states"].as_array().unwrap();
        let player = position["player"].as_str().unwrap();
        if player == "random" {
            assert!(states.is_empty());
            continue;
        }
        let truth = facts(&position["state"]);
        assert!(!truth.is_empty());
        let sum: f64 = states.iter().map(|state| state["weight"].as_f64().unwrap()).sum();
        let histories: u64 = states.iter().map(|state| state["histories"].as_u64().unwrap()).sum();
        let weights: Vec<f64> = states.iter().map(|state| state["weight"].as_f64().unwrap()).collect();
        assert!((sum - 1.0).abs() < 1e-4 && weights.is_sorted_by(|a, b| a >= b), "{held}");
        assert_eq!(states.len() as u64, position["belief"]["states"].as_u64().unwrap());
        assert_eq!(histories, position["belief"]["particles"].as_u64().unwrap());
        if player == "whole" {
            assert!(states.iter().any(|state| facts(&state["state"]) == truth), "{position} {held}");
            whole += 1;
        } else {
            assert_eq!(histories, 7);
            sampled += 1;
        }
    }
    assert!(whole > 10 && sampled > 10, "{whole} {sampled}");
}

#[test]
fn what_is_recorded_depends_on_neither_threads_nor_shards() {
    let folder = Folder::new();
    folder.write("believing.toml", BELIEVING);
    done(&folder, "run believing.toml --out one --log particles -j 1");
    done(&folder, "run believing.toml --out two --log particles -j 2");
    for shard in ["2/3", "1/3", "3/3"] {
        done(&folder, &format!("run believing.toml --out three --log particles --shard {shard}"));
    }
    for out in ["one", "two", "three"] {
        done(&folder, &format!("merge {out}"));
        done(&folder, &format!("export {out}"));
    }
    for name in ["positions.jsonl", "particles.jsonl", "positions.parquet", "particles.parquet"] {
        let of = |out: &str| fs::read(folder.path(&format!("{out}/{name}"))).unwrap();
        let one = of("one");
        assert!(one == of("two") && one == of("three"), "{name}");
        assert!(one.len() > 1_000, "{name}");
    }
    // What was merged can be exported without the shards.
    fs::remove_file(folder.path("one/positions.parquet")).unwrap();
    for kind in ["matches", "turns", "positions", "particles", "timings"] {
        fs::remove_file(folder.path(&format!("one/{kind}.1-of-1.jsonl"))).unwrap();
    }
    done(&folder, "export one");
    let of = |out: &str| fs::read(folder.path(&format!("{out}/positions.parquet"))).unwrap();
    assert!(of("one") == of("two"));
}

#[test]
fn only_what_was_recorded_is_merged_and_exported() {
    let folder = Folder::new();
    folder.write("believing.toml", BELIEVING);
    done(&folder, "run believing.toml --out out --log positions");
    let exported = done(&folder, "export out");
    assert!(exported.contains("turns.csv and out/positions.parquet"), "{exported}");
    assert!(!folder.path("out/particles.parquet").exists());
    // A match without positions: there is no merged file of some of them.
    let text = folder.read("out/positions.1-of-1.jsonl");
    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("{\"match\":3,")).collect();
    assert!(kept.len() < text.lines().count());
    folder.write("out/positions.1-of-1.jsonl", &format!("{}\n", kept.join("\n")));
    let (_, said) = run(&mut folder.program("experiment merge out"), 0);
    assert!(said.contains("positions.jsonl is not made: only some of the matches have positions"), "{said}");
    assert!(folder.path("out/matches.jsonl").exists() && !folder.path("out/positions.jsonl").exists());
    // The next run plays it again.
    done(&folder, "run believing.toml --out out --log positions");
    done(&folder, "merge out");
    assert!(folder.read("out/positions.1-of-1.jsonl") == text && folder.read("out/positions.jsonl") == text);
}

#[test]
fn what_is_damaged_or_missing_is_named_and_has_an_exit_code() {
    let folder = Folder::new();
    folder.write("believing.toml", BELIEVING);
    done(&folder, "run believing.toml --out out --log particles");
    let whole = folder.read("out/matches.1-of-1.jsonl");
    for kind in ["positions", "particles"] {
        let file = format!("out/{kind}.1-of-1.jsonl");
        let text = folder.read(&file);
        folder.write(&file, &text.replacen("\"player\":", "\"playes\":", 1));
        for (command, code) in [("status", 0), ("verify", 1), ("export", 3), ("merge", 3)] {
            let (_, said) = run(&mut folder.program(&format!("experiment {command} out")), code);
            assert!(said.contains(&format!("{file}:2: its checksum does not fit")), "{command}: {said}");
            let is_named = said.contains(&format!("out/{kind}.jsonl is not made"));
            assert!(is_named == (command == "merge"), "{command}: {said}");
        }
        let (merged, _) = run(&mut folder.program("experiment merge out --json"), 3);
        assert_eq!(serde_json::from_str::<Value>(&merged).unwrap()["left_out"], serde_json::json!([kind]));
        folder.write(&file, &text);
        done(&folder, "merge out");
    }
    folder.write("out/matches.1-of-1.jsonl", &whole.replacen("\"deal\":", "\"dael\":", 1));
    let (exported, said) = run(&mut folder.program("experiment export out"), 3);
    let count = whole.lines().count() - 1;
    assert!(exported.contains(&format!("{} matches in out/matches.csv", count - 1)), "{exported}");
    assert!(said.contains(&format!("{} of {count} matches", count - 1)), "{said}");
    assert!(said.contains("matches.1-of-1.jsonl:2: its checksum does not fit"), "{said}");
}

/// The rulesheets of the recording are not part of the project; others in their place show that the file is in order.
#[test]
fn the_experiment_on_the_rulesheets_of_the_recording_is_in_order() {
    let folder = Folder::new();
    let root = env!("CARGO_MANIFEST_DIR");
    let file = "docs/experiments/field/clairvoyant_grid.toml";
    folder.write("grid.toml", &fs::read_to_string(format!("{root}/{file}")).unwrap());
    let refused = run(&mut folder.program("experiment check grid.toml"), 2).1;
    assert!(refused.contains("'blind_breakthrough_6x6.gdl' is neither a file nor"), "{refused}");
    for (name, game) in [
        ("blind_breakthrough_6x6.gdl", "blind_breakthrough_6x6"),
        ("kriegTTT_5x5.gdl", "krieg_tictactoe_5x5"),
    ] {
        folder.write(name, &fs::read_to_string(format!("{root}/games/imperfect/{game}.kif")).unwrap());
    }
    done(&folder, "run grid.toml --out out --deals 1");
    let matches = records(&folder, "out/matches.1-of-1.jsonl");
    assert_eq!(matches.len(), 2 * 20 * 2);
    assert!(matches.iter().all(|record| record["outcome"] == "over"));
    let report: Value = serde_json::from_str(&done(&folder, "report out --json")).unwrap();
    let roles = report["roles"].as_array().unwrap();
    // Two games, twenty cells, two entrants, two roles; each once in each role.
    assert_eq!(roles.len(), 2 * 20 * 2 * 2);
    for row in roles {
        let count = |key: &str| row[key].as_u64().unwrap();
        assert_eq!(count("wins") + count("draws") + count("losses"), 1, "{row}");
        let other = roles.iter().find(|other| {
            other["game"] == row["game"]
                && other["player"] == row["against"]
                && other["against"] == row["player"]
                && other["role"] != row["role"]
        });
        assert_eq!(count("wins"), other.unwrap()["losses"].as_u64().unwrap(), "{row}");
    }
}
