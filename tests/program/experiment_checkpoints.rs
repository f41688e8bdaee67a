//! Long experiments: a checkpoint lets `status` and the next run read what lies behind it only, and nothing depends on it. What
//! is left out of the records does not change the matches. The oracle is a run that was never disturbed.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::common::program::{Folder, json, played, run, start};

const MATCHES: &str = "out/matches.1-of-1.jsonl";
const TURNS: &str = "out/turns.1-of-1.jsonl";
const CHECKPOINT: &str = "out/checkpoint.1-of-1.jsonl";
const RUN: &str = "experiment run long.toml --out out -j 2";

/// As many deals of Kuhn poker as make several checkpoints, with further keys of the file.
fn long(deals: u64, keys: &str, tables: &str) -> String {
    format!(
        "schema = 'hyperplay.experiment/1'\nseed = 5\ngames = ['kuhn_poker']\nrepetitions = {deals}\n{keys}\n{tables}\n\
         [[player]]\nname = 'random'\nspec = 'random'\n[[player]]\nname = 'legal'\nspec = 'legal'\n"
    )
}

/// A folder in which that was played.
fn undisturbed(text: &str) -> (Folder, Duration) {
    let folder = Folder::new();
    folder.write("long.toml", text);
    let begun = Instant::now();
    played(&folder, RUN);
    assert!(folder.path(CHECKPOINT).exists(), "there are too few matches for a checkpoint");
    (folder, begun.elapsed())
}

/// What the seed determines.
fn determined(folder: &Folder) -> Vec<Option<Vec<u8>>> {
    [MATCHES, TURNS].iter().map(|name| fs::read(folder.path(name)).ok()).collect()
}

fn copied(of: &Folder) -> Folder {
    let folder = Folder::new();
    fs::create_dir(folder.path("out")).unwrap();
    folder.write("long.toml", &of.read("long.toml"));
    for entry in fs::read_dir(of.path("out")).unwrap().map(|entry| entry.unwrap()) {
        fs::copy(entry.path(), folder.path("out").join(entry.file_name())).unwrap();
    }
    folder
}

/// How many bytes of the file of matches are before the checkpoint.
fn marked(folder: &Folder) -> usize {
    let text = folder.read(CHECKPOINT);
    let state: Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
    state["marks"][4]["bytes"].as_u64().unwrap() as usize
}

/// Another digit in a number of the file of matches.
fn flip(folder: &Folder, name: &str, near: usize) {
    let mut bytes = fs::read(folder.path(name)).unwrap();
    let at = (near..bytes.len()).find(|&at| bytes[at].is_ascii_digit()).unwrap();
    bytes[at] = if bytes[at] == b'7' { b'8' } else { b'7' };
    fs::write(folder.path(name), bytes).unwrap();
}

/// What is done to a folder.
type Disturbance<'a> = &'a dyn Fn(&Folder);

#[test]
fn a_run_that_is_killed_at_any_moment_goes_on_to_the_same_bytes() {
    let stop = "[stop]\nwidth = 0.6\nevery = 100";
    let forms = [long(9000, "", ""), long(15_000, "without_turns = true", ""), long(15_000, "", stop)];
    let (mut rng, mut kills) = (ChaCha8Rng::seed_from_u64(1), 0);
    for text in forms {
        let (whole, time) = undisturbed(&text);
        let folder = Folder::new();
        folder.write("long.toml", &text);
        loop {
            let begun = Instant::now();
            let mut child = start(&mut folder.program(RUN));
            let moment = time.mul_f64(0.4 * rng.random::<f64>());
            while child.try_wait().unwrap().is_none() && begun.elapsed() < moment {
                std::thread::sleep(Duration::from_millis(1));
            }
            let is_over = child.try_wait().unwrap().is_some();
            child.kill().unwrap();
            child.wait().unwrap();
            if is_over {
                break;
            }
            kills += 1;
            if folder.path("out/plan.json").exists() && folder.path(MATCHES).exists() {
                let counted = run(&mut folder.program("experiment status out"), 0);
                assert_eq!(counted.1, "", "no damage is found after a kill");
            }
        }
        assert_eq!(determined(&folder), determined(&whole));
        let status = |of: &Folder| run(&mut of.program("experiment status out"), 0);
        assert_eq!(status(&folder), status(&whole));
        assert!(status(&whole).0.ends_with("complete\n"));
        run(&mut folder.program("experiment merge out"), 0);
        let merged = fs::read(folder.path("out/matches.jsonl")).unwrap();
        assert!(merged == fs::read(folder.path(MATCHES)).unwrap());
    }
    assert!(kills > 6, "{kills}");
}

#[test]
fn a_stopping_rule_decides_behind_a_checkpoint_as_without_one() {
    let (whole, _) = undisturbed(&long(15_000, "", "[stop]\nwidth = 0.6\nevery = 100"));
    let all = whole.read(MATCHES).lines().count() - 1;
    assert!((8000..29_000).contains(&all), "the rule stopped the cell late: {all}");
    let folder = copied(&whole);
    // The matches behind the checkpoint are played again, and the rule ends them where it did.
    let text = fs::read(folder.path(MATCHES)).unwrap();
    fs::write(folder.path(MATCHES), &text[..marked(&folder)]).unwrap();
    let (printed, _) = played(&folder, RUN);
    assert!(!printed.contains(" 0 of them now"), "{printed}");
    assert_eq!(determined(&folder), determined(&whole));
}

#[test]
fn damage_behind_a_checkpoint_is_noticed_at_once_and_damage_before_it_by_who_reads_everything() {
    let (whole, _) = undisturbed(&long(9000, "", ""));
    for (before, name) in [(false, MATCHES), (false, TURNS), (true, MATCHES), (true, TURNS)] {
        let folder = copied(&whole);
        let length = fs::read(folder.path(name)).unwrap().len();
        flip(&folder, name, if before { length / 3 } else { length - 5000 });
        let named = |said: &str| said.contains(&format!("{}:", name.trim_start_matches("out/")));
        if before {
            // Neither reads it.
            assert_eq!(run(&mut folder.program("experiment status out"), 0).1, "");
            let (printed, said) = played(&folder, RUN);
            assert!(printed.contains(" 0 of them now") && !named(&said), "{printed}{said}");
            let said = run(&mut folder.program("experiment verify out"), 1).1;
            assert!(named(&said), "{said}");
        } else {
            let (_, said) = run(&mut folder.program("experiment status out"), 0);
            assert!(named(&said), "{said}");
        }
        // The checkpoint is gone now, and the next run repairs the files.
        assert!(!folder.path(CHECKPOINT).exists());
        let (printed, said) = played(&folder, RUN);
        assert!(printed.contains(" 1 of them now") && named(&said), "{printed}{said}");
        assert_eq!(determined(&folder), determined(&whole));
        assert!(folder.path(&format!("{name}.damaged")).exists());
    }
}

#[test]
fn a_checkpoint_that_does_not_agree_is_named_and_not_used() {
    let (whole, _) = undisturbed(&long(9000, "", ""));
    let says = format!("{}:1: it does not agree with the files, and is not used", CHECKPOINT);
    let disturb: [(&str, Disturbance<'_>); 6] = [
        ("the checkpoint is damaged", &|folder| flip(folder, CHECKPOINT, 300)),
        ("it is empty", &|folder| folder.write(CHECKPOINT, "")),
        ("a file is shorter", &|folder| {
            let text = fs::read(folder.path(TURNS)).unwrap();
            fs::write(folder.path(TURNS), &text[..text.len() / 2]).unwrap();
        }),
        ("a file is gone", &|folder| fs::remove_file(folder.path(TURNS)).unwrap()),
        ("the last line before it is another one", &|folder| flip(folder, MATCHES, marked(folder) - 15)),
        ("it is of another plan", &|folder| {
            let text = folder.read(CHECKPOINT).replacen("sha256:", "sha256:0", 1);
            folder.write(CHECKPOINT, &text);
        }),
    ];
    for (what, disturb) in disturb {
        let folder = copied(&whole);
        disturb(&folder);
        let (_, said) = played(&folder, RUN);
        assert!(said.contains(&says), "{what}: {said}");
        assert_eq!(determined(&folder), determined(&whole), "{what}");
        assert_eq!(run(&mut folder.program("experiment status out"), 0).1, "", "{what}");
        let folder = copied(&whole);
        disturb(&folder);
        let code = i32::from(what == "a file is gone");
        let said = run(&mut folder.program("experiment status out"), 0).1;
        assert!(said.contains(&says) || code == 1, "{what}: {said}");
    }
    // Without one all is as with it.
    let folder = copied(&whole);
    fs::remove_file(folder.path(CHECKPOINT)).unwrap();
    let status = |of: &Folder| run(&mut of.program("experiment status out"), 0);
    assert_eq!(status(&folder), status(&whole));
    let (printed, _) = played(&folder, RUN);
    assert!(printed.contains(" 0 of them now") && determined(&folder) == determined(&whole));
}

#[test]
fn turns_that_are_left_out_do_not_change_the_matches() {
    let (with, _) = undisturbed(&long(9000, "", ""));
    let light = Folder::new();
    light.write("long.toml", &long(9000, "without_turns = true", ""));
    played(&light, RUN);
    assert!(fs::read(light.path(MATCHES)).unwrap() == fs::read(with.path(MATCHES)).unwrap());
    let names = |folder: &Folder| {
        let names = fs::read_dir(folder.path("out")).unwrap();
        let mut names: Vec<String> =
            names.map(|name| name.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&light), ["checkpoint.1-of-1.jsonl", "matches.1-of-1.jsonl", "plan.json"]);
    let out = |folder: &Folder| folder.path("out").display().to_string();
    // The tables are the same but for costs, and the share of decisions with a replaced move.
    let tables = |folder: &Folder| {
        let report = json(&format!("experiment report {}", out(folder)), 0);
        let rows = ["ratings", "scores", "roles", "seats", "differences"].map(|name| {
            let mut rows = report[name].as_array().unwrap().clone();
            let known =
                |row: &mut Value| row.as_object_mut().unwrap().retain(|key, _| !key.contains("replaced"));
            rows.iter_mut().for_each(known);
            rows
        });
        assert!(rows.iter().all(|rows| !rows.is_empty()));
        rows
    };
    assert_eq!(tables(&light), tables(&with));
    // What needs turns says so.
    let said = run(&mut light.program(&format!("{RUN} --log positions")), 2).1;
    assert!(said.contains("out: turns are not recorded here"), "{said}");
    let said = run(&mut light.program("experiment verify out"), 0).1;
    assert!(said.contains("without turns no match can be walked"), "{said}");
    let said = run(&mut light.program("experiment export out --features --out tables"), 1).1;
    assert!(said.contains("match 0: its turns were not recorded"), "{said}");
    // A folder stays as it was begun, and its matches can be taken into one of the other form.
    light.write("with.toml", &long(9000, "", ""));
    let said = played(&light, "experiment run with.toml --out out -j 2").1;
    assert!(said.contains("goes on as it was begun, without turns"), "{said}");
    let (printed, _) = played(&light, "experiment run with.toml --out with --reuse out -j 2");
    assert!(printed.contains("18000 taken from elsewhere, 0 of them now"), "{printed}");
    assert!(fs::read(light.path("with/turns.1-of-1.jsonl")).unwrap() == fs::read(with.path(TURNS)).unwrap());
    let merged = run(&mut light.program("experiment merge out"), 0).0;
    assert!(merged.contains("18000 matches in matches.jsonl\n") && !light.path("out/turns.jsonl").exists());
}

#[test]
fn files_that_were_compressed_are_read_in_the_place_of_the_others() {
    let (whole, _) = undisturbed(&long(5000, "", ""));
    let folder = copied(&whole);
    let names = ["matches", "turns", "timings"].map(|kind| format!("out/{kind}.1-of-1.jsonl"));
    let packed = |command: &str| {
        let ended = Command::new(command).args(&names).current_dir(folder.path("")).status();
        assert!(ended.unwrap().success());
    };
    packed("gzip");
    assert!(!folder.path(MATCHES).exists());
    for command in ["status out", "report out --out report", "merge out", "verify out --sample 50"] {
        let said = |of: &Folder| run(&mut of.program(&format!("experiment {command}")), 0);
        assert_eq!(said(&folder), said(&whole), "{command}");
    }
    for name in ["out/matches.jsonl", "out/turns.jsonl", "report/scores.csv", "report/work.csv"] {
        assert!(folder.read(name) == whole.read(name), "{name}");
    }
    // A run appends to its files, and takes compressed ones of another folder.
    let said = run(&mut folder.program(RUN), 1).1;
    assert!(said.contains("out/timings.1-of-1.jsonl.gz: it is compressed"), "{said}");
    let (printed, _) = played(&folder, "experiment run long.toml --out other -j 2 --reuse out");
    assert!(printed.contains("10000 taken from elsewhere, 0 of them now"), "{printed}");
    assert!(folder.read("other/turns.1-of-1.jsonl") == whole.read(TURNS));
    // What is before the damage counts.
    let name = format!("{MATCHES}.gz");
    let good = fs::read(folder.path(&name)).unwrap();
    for damaged in [&good[..good.len() / 2], &[&good[..good.len() / 2], b"other bytes"].concat()] {
        fs::write(folder.path(&name), damaged).unwrap();
        let (printed, said) = run(&mut folder.program("experiment status out"), 0);
        assert!(said.contains("what is compressed is damaged from here on"), "{said}");
        let count = printed.split(' ').nth(1).and_then(|count| count.parse::<u64>().ok()).unwrap();
        assert!((2000..8000).contains(&count), "{printed}");
    }
    fs::write(folder.path(&name), good).unwrap();
    packed("gunzip");
    let (printed, _) = played(&folder, RUN);
    assert!(printed.contains(" 0 of them now") && determined(&folder) == determined(&whole), "{printed}");
}
