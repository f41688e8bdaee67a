//! Players that learn from the earlier matches of a series: their matches are the same on any number of threads and shards, and after any
//! interruption. The oracle is a run that was never disturbed.

use std::fs;

use serde_json::Value;

use crate::common::program::{Folder, played, run, without_sums};

const FILES: [&str; 2] = ["out/matches.1-of-1.jsonl", "out/turns.1-of-1.jsonl"];

/// A player that learns, one that always folds, and another that learns in another way, in two games.
fn folder(keys: &str) -> Folder {
    let folder = Folder::new();
    let player = |name: &str, spec: &str| format!("[[player]]\nname = '{name}'\nspec = '{spec}'\n");
    let text = format!(
        "schema = 'hyperplay.experiment/1'\nseed = 5\ngames = ['kuhn_poker', 'leduc_poker']\nrepetitions = 8\n{keys}\n{}{}{}",
        player("learner", "hyperplay:playouts=20,nodes=0,model=learnt"),
        player("heavy", "pimc:playouts=20,nodes=0,model=[learnt:weight=0.1]"),
        player("legal", "legal"),
    );
    folder.write("series.toml", &text);
    folder
}

fn records(folder: &Folder) -> impl Iterator<Item = Value> {
    let lines = without_sums(&folder.read(FILES[0]));
    lines.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<_>>().into_iter()
}

fn written(folder: &Folder) -> Vec<Vec<u8>> {
    FILES.iter().map(|name| fs::read(folder.path(name)).unwrap()).collect()
}

#[test]
fn a_series_with_a_learner_is_the_same_on_any_threads_and_shards_and_after_any_interruption() {
    let whole = folder("");
    played(&whole, "experiment run series.toml --out out -j 1");
    let expected = written(&whole);
    let other = folder("");
    played(&other, "experiment run series.toml --out out -j 3");
    assert!(written(&other) == expected);
    // What a run left that ended after a number of matches, in order.
    for matches in [1, 30, 70] {
        let cut = |name: &str, count: usize| {
            let text = whole.read(name);
            let end: usize = text.split_inclusive('\n').take(1 + count).map(str::len).sum();
            fs::write(other.path(name), &text[..end]).unwrap();
        };
        cut(FILES[0], matches);
        let turns: u64 = records(&other).map(|record| record["turns"].as_u64().unwrap()).sum();
        cut(FILES[1], turns as usize);
        fs::remove_file(other.path("out/timings.1-of-1.jsonl")).unwrap();
        played(&other, "experiment run series.toml --out out -j 2");
        assert!(written(&other) == expected, "{matches}");
    }
    // A match in the middle is lost, and what lies behind it is kept.
    let text = whole.read(FILES[0]);
    let lost =
        text.split_inclusive('\n').enumerate().filter(|(number, _)| *number != 40).map(|(_, line)| line);
    fs::write(other.path(FILES[0]), lost.collect::<String>()).unwrap();
    run(&mut other.program("experiment run series.toml --out out -j 2"), 0);
    assert!(written(&other) == expected);
    let parts = folder("");
    for shard in ["2/3", "1/3", "3/3"] {
        played(&parts, &format!("experiment run series.toml --out out --shard {shard}"));
    }
    for of in [&whole, &parts] {
        played(of, "experiment merge out");
    }
    assert_eq!(parts.read("out/matches.jsonl"), whole.read("out/matches.jsonl"));
    assert_eq!(parts.read("out/turns.jsonl"), whole.read("out/turns.jsonl"));
}

#[test]
fn a_series_of_match_is_that_of_an_experiment_and_what_cannot_be_learnt_from_is_refused() {
    let folder = folder("[schedule]\nkind = 'pairings'\npairings = [['learner', 'legal']]\nseats = 'given'");
    played(&folder, "experiment run series.toml --out out");
    let expected: Vec<_> = records(&folder)
        .filter(|of| of["game"] == "leduc_poker")
        .map(|of| ["alice", "bob"].map(|role| of["goals"][role].clone()))
        .collect();
    let line = "match leduc_poker alice=hyperplay:playouts=20,nodes=0,model=learnt bob=legal --seed 5 -n 8 --transcript t.jsonl";
    played(&folder, line);
    let text = folder.read("t.jsonl");
    let goals = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["goals"].clone());
    let goals = goals.map(|goals| [0, 1].map(|role| goals[role].clone()));
    assert_eq!(goals.collect::<Vec<_>>(), expected);
    let again = run(&mut folder.program("experiment run series.toml --out out --again unreachable"), 2).1;
    assert!(again.contains("learns"), "{again}");
    // The matches after those that are played again were played by what was learnt from the former ones.
    let before = written(&folder);
    let discard =
        run(&mut folder.program("experiment run series.toml --out out --log particles --discard"), 2).1;
    assert!(discard.contains("learns") && discard.contains("another folder"), "{discard}");
    assert!(written(&folder) == before);
    let without = self::folder("without_turns = true");
    let refused = run(&mut without.program("experiment run series.toml --out out"), 2).1;
    assert!(refused.contains("series.toml:5") && refused.contains("learns"), "{refused}");
}
