//! Kills at random moments of the commands that write files: what is left behind, and that each file is whole, continued or named.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::written_files::parts;
use crate::common::program::{Folder, run, signal, start};

/// A command that is killed, and the file or folder that it writes.
struct Killed {
    command: &'static str,
    /// What is added where there may be records already.
    again: &'static str,
    file: &'static str,
}

const KILLED: [Killed; 4] = [
    Killed {
        command: "solve liars_dice_1x5 --iterations 3 --top 0 --out solved.json",
        again: "",
        file: "solved.json",
    },
    Killed {
        command: "belief krieg_tictactoe_3x3 --sampler hyperplay:enumerate=off --sampler rejection --particles 4,8 \
                  --replicates 10 --steps 3 --seed 1 --out study",
        again: "",
        file: "study",
    },
    Killed {
        command: "match leduc_poker --matches 600 --seed 1 --transcript t.jsonl",
        again: " --append",
        file: "t.jsonl",
    },
    Killed {
        command: "host leduc_poker alice=random bob=random --matches 100 --seed 1 --startclock 9 --playclock 9 \
                  --transcript t.jsonl",
        again: " --append",
        file: "t.jsonl",
    },
];

/// The files of a study whose bytes the seed determines.
const STUDY: [&str; 3] = ["turns.jsonl", "rows.csv", "report.html"];

/// The files that the seed determines, of an undisturbed run or of one that went on after a kill.
fn determined(folder: &Folder, killed: &Killed) -> BTreeMap<String, String> {
    let names: Vec<String> = match killed.file {
        "study" => {
            let figures = fs::read_dir(folder.path("study/figures")).unwrap();
            let figures = figures.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let svg = figures
                .filter(|name| name.ends_with(".svg") && !name.contains("frontier"))
                .map(|name| format!("study/figures/{name}"));
            STUDY.iter().map(|name| format!("study/{name}")).chain(svg).collect()
        }
        "solved.json" => vec!["solved.json".to_owned()],
        _ => Vec::new(),
    };
    names.into_iter().map(|name| (name.clone(), folder.read(&name))).collect()
}

/// The whole lines of a file, each of which must be JSON, and the bytes behind them.
fn lines(text: &str) -> (usize, usize) {
    let end = text.rfind('\n').map_or(0, |end| end + 1);
    for line in text[..end].lines() {
        serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    }
    (text[..end].lines().count(), text.len() - end)
}

/// Kills each command so often with each signal; prints what was left behind.
fn kill(count: usize, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    println!("seed {seed}\n{:8} {:5} {:>6}  left behind", "command", "signal", "kills");
    for killed in &KILLED {
        let name = killed.command.split(' ').next().unwrap();
        let command = format!("{}{}", killed.command, killed.again);
        let timed = |folder: &Folder| {
            let begin = Instant::now();
            run(&mut folder.program(&command), 0);
            begin.elapsed()
        };
        // The first start of a program reads more from the disk.
        timed(&Folder::new());
        let undisturbed = Folder::new();
        let first = timed(&undisturbed);
        let expected = determined(&undisturbed, killed);
        let of_run = if killed.again.is_empty() { 0 } else { lines(&undisturbed.read(killed.file)).0 };
        let times = [first, timed(&undisturbed)];
        for sent in ["KILL", "TERM"] {
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            let (mut number, mut hit) = (0, 0);
            // A kill that came after the end does not count.
            while hit < count {
                number += 1;
                let folder = Folder::new();
                // Every second time an earlier run has finished there.
                let earlier = number % 2 == 1;
                if earlier {
                    run(&mut folder.program(killed.command), 0);
                }
                let time = times[usize::from(earlier)];
                let mut child = start(&mut folder.program(&command));
                let moment = time.mul_f64(0.9 * rng.random::<f64>());
                // Every fourth time the moment is that at which a file is being written beside its place.
                let at_part = number % 4 >= 2 && killed.again.is_empty();
                let begin = Instant::now();
                while child.try_wait().unwrap().is_none()
                    && if at_part {
                        parts(&folder).is_empty() && begin.elapsed() < 2 * time
                    } else {
                        begin.elapsed() < moment
                    }
                {
                    std::thread::sleep(Duration::from_millis(1));
                }
                let is_over = child.try_wait().unwrap().is_some();
                if !is_over {
                    hit += 1;
                    signal(&child, sent);
                }
                child.wait().unwrap();
                let left = looked_at(&folder, killed, earlier);
                *counts.entry(if is_over { "it had ended".to_owned() } else { left.clone() }).or_default() +=
                    1;
                if sent == "TERM" {
                    assert!(!left.contains("beside") && !left.contains("cut"), "{name}, TERM: {left}");
                }
                // The next start.
                let before = if killed.again.is_empty() { (0, 0) } else { text_lines(&folder, killed.file) };
                let (_, said) = run(&mut folder.program(&command), 0);
                assert_eq!(parts(&folder), Vec::<String>::new(), "{name}, {sent}");
                for (file, text) in &expected {
                    assert!(folder.read(file) == *text, "{name}, {sent}, {left}: {file} is another one");
                }
                if !killed.again.is_empty() {
                    assert_eq!(
                        text_lines(&folder, killed.file),
                        (before.0 + of_run, 0),
                        "{name}, {sent}, {left}"
                    );
                    assert_eq!(
                        before.1 > 0,
                        said.contains("are now in t.jsonl.damaged"),
                        "{name}, {sent}: {said}"
                    );
                    run(&mut folder.program("verify t.jsonl"), 0);
                }
            }
            for (left, count) in counts {
                println!("{name:8} {sent:5} {count:6}  {left}");
            }
        }
    }
}

fn text_lines(folder: &Folder, file: &str) -> (usize, usize) {
    if folder.path(file).exists() { lines(&folder.read(file)) } else { (0, 0) }
}

/// What a kill has left, in words. What is there must be whole, but for the last line of a file that grows.
fn looked_at(folder: &Folder, killed: &Killed, earlier: bool) -> String {
    let beside = if parts(folder).is_empty() { "" } else { ", and a part beside it" };
    let what = match killed.file {
        _ if !folder.path(killed.file).exists() => "no file".to_owned(),
        "solved.json" => {
            let file: Value = serde_json::from_str(&folder.read("solved.json")).unwrap();
            let is_whole = file["policy"].is_array() && file["solver"].is_array();
            assert!(is_whole, "a policy file");
            "a whole file".to_owned()
        }
        "study" => {
            let turns = fs::read_to_string(folder.path("study/turns.jsonl")).unwrap_or_default();
            let (rows, cut) = lines(&turns);
            let header: Value =
                turns.lines().next().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
            assert!(!earlier || rows > 1, "the rows of the finished run are kept");
            let state = if header["complete"] == true { "all rows" } else { "the rows so far" };
            format!("{state}{}", if cut > 0 { ", the last one cut" } else { "" })
        }
        file => {
            let (_, cut) = lines(&folder.read(file));
            format!("whole records{}", if cut > 0 { ", the last one cut" } else { "" })
        }
    };
    what + beside
}

#[cfg(unix)]
#[test]
fn a_kill_leaves_files_whole_or_continued_or_named() {
    kill(3, 1);
}

#[cfg(unix)]
#[test]
#[ignore = "minutes"]
fn five_hundred_kills_leave_files_whole_or_continued_or_named() {
    kill(63, rand::random());
}
