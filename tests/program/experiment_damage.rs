//! Folders of experiments that are damaged in every way, and then continued: no record is lost but the one being written, no
//! wrong record is accepted, and the bytes are those of an undisturbed run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::common::program::{Folder, played, run, start};

const KINDS: [&str; 5] = ["matches", "turns", "positions", "particles", "timings"];

/// Players with and without a belief; the states that they hold possible are recorded.
const WITHOUT_CLOCKS: &str = r#"
schema = "hyperplay.experiment/1"
seed = 7
games = ["kuhn_poker", "monty_hall"]
repetitions = 6

[[player]]
name = "random"
spec = "random"

[[player]]
name = "sampling"
spec = "hyperplay:sampler=hyperplay:enumerate=off,search=flat,playouts=20,particles=5"
"#;

/// With a clock, so that a match that is played again may be another one.
const WITH_CLOCKS: &str = r#"
schema = "hyperplay.experiment/1"
seed = 8
games = ["kuhn_poker"]
repetitions = 12

[budget]
playclock = 0.01

[[player]]
name = "random"
spec = "random"

[[player]]
name = "sampling"
spec = "hyperplay:sampler=hyperplay:enumerate=off,search=flat,particles=5"
"#;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Damage {
    ByteFlipped,
    LineRemoved,
    LineCut,
    FileRemoved,
    DiskFull,
    Killed,
    FlippedAndKilled,
    FlippedAndDiskFull,
}

use Damage::*;

const ALL: [Damage; 8] =
    [ByteFlipped, LineRemoved, LineCut, FileRemoved, DiskFull, Killed, FlippedAndKilled, FlippedAndDiskFull];

/// A run that nothing disturbed.
struct Undisturbed {
    run: String,
    has_clocks: bool,
    /// By kind.
    files: BTreeMap<&'static str, Vec<u8>>,
    /// The rows of the exported tables, without the columns of times.
    rows: BTreeSet<String>,
    time: Duration,
}

/// What became of the folders.
#[derive(Default, Debug)]
struct Count {
    folders: usize,
    moved: usize,
    /// Of folders in which nothing was moved aside, and of the others; without clocks.
    equal: usize,
    of_equal: usize,
    equal_moved: usize,
    of_equal_moved: usize,
    /// Lines of the damaged folder that are neither in its files nor in FILE.damaged afterwards, but for the last match.
    lost: usize,
    wrong: usize,
}

fn file(kind: &str) -> String {
    format!("out/{kind}.1-of-1.jsonl")
}

/// The files of a folder that are there, by kind.
fn files(folder: &Folder) -> BTreeMap<&'static str, Vec<u8>> {
    KINDS.into_iter().filter_map(|kind| Some((kind, fs::read(folder.path(&file(kind))).ok()?))).collect()
}

/// The rows of the exported tables without the columns of times, which are not determined.
fn rows(folder: &Folder) -> BTreeSet<String> {
    let status = folder.program("experiment status out").output().unwrap();
    let is_whole = status.stdout.ends_with(b"complete\n") && status.stderr.is_empty();
    // What is damaged or missing is left out, and named.
    run(&mut folder.program("experiment export out --out tables"), if is_whole { 0 } else { 3 });
    let mut rows = BTreeSet::new();
    for name in ["tables/matches.csv", "tables/turns.csv"] {
        let mut table = csv::Reader::from_path(folder.path(name)).unwrap();
        let heads = table.headers().unwrap().clone();
        for row in table.records() {
            let row = row.unwrap();
            let is_time = |head: &str| head == "seconds" || head.starts_with("time_to");
            let kept = heads.iter().zip(&row).filter(|(head, _)| !is_time(head));
            rows.insert(format!("{name} {:?}", kept.collect::<Vec<_>>()));
        }
    }
    rows
}

fn undisturbed(name: &str, text: &str, options: &str) -> (Folder, Undisturbed) {
    let folder = Folder::new();
    folder.write(&format!("{name}.toml"), text);
    let command = format!("experiment run {name}.toml --out out -j 2{options}");
    let begun = Instant::now();
    played(&folder, &command);
    let time = begun.elapsed();
    let (files, rows, has_clocks) = (files(&folder), rows(&folder), text.contains("playclock"));
    (folder, Undisturbed { run: command, has_clocks, files, rows, time })
}

/// A new folder with the files of an undisturbed run.
fn copied(of: &Folder, with_files: bool) -> Folder {
    let folder = Folder::new();
    fs::create_dir(folder.path("out")).unwrap();
    let copy = |name: &Path, to: &str| {
        let _ = fs::copy(name, folder.path(to)).unwrap();
    };
    for entry in fs::read_dir(of.path("")).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_file() {
            copy(&entry, &entry.file_name().unwrap().to_string_lossy());
        }
    }
    for entry in fs::read_dir(of.path("out")).unwrap().map(|entry| entry.unwrap().path()) {
        if with_files {
            copy(&entry, &format!("out/{}", entry.file_name().unwrap().to_string_lossy()));
        }
    }
    folder
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|&byte| byte == b'\n').collect()
}

/// Damages a file at random.
fn damage(how: Damage, kind: &str, folder: &Folder, rng: &mut ChaCha8Rng) {
    let path = folder.path(&file(kind));
    let bytes = fs::read(&path).unwrap();
    let all = lines(&bytes);
    let at = rng.random_range(0..all.len());
    let new = match how {
        LineRemoved => [&all[..at], &all[at + 1..]].concat().concat(),
        LineCut => {
            let (from, to) = (rng.random_range(0..all[at].len()), rng.random_range(0..all[at].len()));
            let line = [&all[at][..from.min(to)], &all[at][from.max(to) + 1..]].concat();
            [all[..at].concat(), line, all[at + 1..].concat()].concat()
        }
        FileRemoved => return fs::remove_file(path).unwrap(),
        _ => {
            let mut bytes = bytes.clone();
            let at = rng.random_range(0..bytes.len());
            bytes[at] ^= rng.random_range(1..=255_u8);
            bytes
        }
    };
    fs::write(path, new).unwrap();
}

/// The run with files that may have so many blocks of 512 bytes.
fn on_a_full_disk(folder: &Folder, command: &str, blocks: u64) -> Output {
    let program = env!("CARGO_BIN_EXE_hyperplay");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec {program} {command}");
    Command::new("sh").args(["-c", &script]).current_dir(folder.path("")).output().unwrap()
}

/// Damages a folder, continues it and counts what became of its records.
fn trial(how: Damage, of: &(Folder, Undisturbed), rng: &mut ChaCha8Rng, count: &mut Count) {
    let (base, undisturbed) = of;
    let folder = copied(base, !matches!(how, DiskFull | Killed));
    let command = &undisturbed.run;
    let kinds: Vec<&str> = undisturbed.files.keys().copied().collect();
    let kind = kinds.choose(rng).unwrap();
    if !matches!(how, DiskFull | Killed) {
        damage(how, kind, &folder, rng);
    }
    let before_repair = files(&folder);
    if matches!(how, DiskFull | FlippedAndDiskFull) {
        let most = undisturbed.files.values().map(Vec::len).max().unwrap() as u64 / 512;
        let output = on_a_full_disk(&folder, command, rng.random_range(0..=most));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            // On a busy machine a move may be late, as in `played`.
            output.status.success() || said.contains("File too large") || said.contains("(late "),
            "{how:?} {:?} {said}",
            output.status
        );
    }
    if matches!(how, Killed | FlippedAndKilled) {
        let mut child = start(&mut folder.program(command));
        std::thread::sleep(undisturbed.time.mul_f64(rng.random::<f64>()));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let before = if matches!(how, DiskFull | Killed) { files(&folder) } else { before_repair };
    // What the readers accept of the folder as it is.
    let has_matches = folder.path("out/plan.json").exists() && folder.path(&file("matches")).exists();
    if has_matches && !undisturbed.has_clocks {
        count.wrong += rows(&folder).difference(&undisturbed.rows).count();
    }
    played(&folder, command);
    let status = run(&mut folder.program("experiment status out"), 0);
    assert!(status.0.ends_with("complete\n") && status.1.is_empty(), "{how:?} {kind} {status:?}");
    let verified = run(&mut folder.program("experiment verify out"), 0).0;
    assert!(verified.contains(" agree with the rules"), "{verified}");
    let after = files(&folder);
    let beside: Vec<String> = fs::read_dir(folder.path("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        // A draft of the plan, which a kill may leave behind, is no record.
        .filter(|name| !name.ends_with(".jsonl") && !name.contains("plan.json"))
        .collect();
    assert!(beside.iter().all(|name| name.ends_with(".jsonl.damaged")), "{how:?} {beside:?}");
    count.folders += 1;
    count.moved += usize::from(!beside.is_empty());
    let is_equal = ["matches", "turns", "positions", "particles"]
        .iter()
        .all(|kind| undisturbed.files.get(kind) == after.get(kind));
    if !undisturbed.has_clocks {
        count.wrong += rows(&folder).symmetric_difference(&undisturbed.rows).count();
        let (equal, of) = match beside.is_empty() {
            true => (&mut count.equal, &mut count.of_equal),
            false => (&mut count.equal_moved, &mut count.of_equal_moved),
        };
        *equal += usize::from(is_equal);
        *of += 1;
    }
    let nothing = Vec::new();
    let id = |line: &[u8]| serde_json::from_slice::<Value>(line).ok()?["match"].as_u64();
    let of_matches = lines(before.get("matches").unwrap_or(&nothing)).into_iter();
    let last = of_matches.filter(|line| line.ends_with(b"\n")).filter_map(id).max();
    for (kind, bytes) in &before {
        let moved = fs::read(folder.path(&format!("{}.damaged", file(kind)))).unwrap_or_default();
        let kept: BTreeSet<&[u8]> = lines(after.get(kind).unwrap_or(&nothing)).into_iter().collect();
        let aside = |line: &[u8]| moved.windows(line.len().max(1)).any(|window| window == line);
        // Where the end of a line is damaged, the next record is in it.
        let is_there = |line: &[u8]| {
            let begins = (1..line.len()).filter(|&at| line[at..].starts_with(b"{\"match\":"));
            kept.contains(line)
                || aside(line)
                || begins.into_iter().any(|at| kept.contains(&line[at..]) && aside(&line[..at]))
        };
        let all = lines(bytes);
        let gone: Vec<&[u8]> =
            all.into_iter().filter(|line| line.ends_with(b"\n") && !is_there(line)).collect();
        // A match without a line of its own, behind all others, is the one that was being written.
        let ids: BTreeSet<u64> = gone.iter().filter_map(|line| id(line)).collect();
        if ids.len() > 1 || gone.iter().any(|line| id(line) <= last) {
            count.lost += gone.len();
            let shown: Vec<_> = gone.iter().map(|line| String::from_utf8_lossy(line)).collect();
            eprintln!("{how:?} of {kind}: lost {shown:?}");
        }
    }
}

fn trials(folders: usize, seed: u64) -> BTreeMap<Damage, Count> {
    println!("seed {seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let light = WITHOUT_CLOCKS.replacen("repetitions", "without_turns = true\nrepetitions", 1);
    let bases = [
        undisturbed("without", WITHOUT_CLOCKS, " --log particles"),
        undisturbed("with", WITH_CLOCKS, ""),
        undisturbed("light", &light, ""),
    ];
    let mut counts: BTreeMap<Damage, Count> = BTreeMap::new();
    for number in 0..folders {
        let how = ALL[number % ALL.len()];
        let base = &bases[[0, 2, 0, 1][number / ALL.len() % 4]];
        trial(how, base, &mut rng, counts.entry(how).or_default());
    }
    for (how, count) in &counts {
        println!("{how:?}: {count:?}");
        assert_eq!((count.lost, count.wrong), (0, 0), "{how:?}");
        assert_eq!((count.equal, count.equal_moved), (count.of_equal, count.of_equal_moved), "{how:?}");
    }
    counts
}

#[test]
fn no_record_is_lost_whatever_happens_to_a_folder() {
    let counts = trials(40, 1);
    // Damage was found, and the other ways leave nothing to be moved aside.
    assert!(counts[&ByteFlipped].moved > 0 && counts[&LineCut].moved > 0, "{counts:?}");
    assert_eq!((counts[&Killed].moved, counts[&DiskFull].moved), (0, 0));
}

#[test]
#[ignore = "long: 1,000 folders, some minutes"]
fn no_record_is_lost_in_a_thousand_folders() {
    trials(1000, 2);
}
