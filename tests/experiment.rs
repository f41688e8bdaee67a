//! Experiments, by the binary: the same bytes on any number of threads and shards, after any kill, and what is refused.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A folder of this test's own, removed when it is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("hyperplay-experiment-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Three kinds of games, players with and without a belief, in a grid.
const MIXED: &str = r#"
schema = "hyperplay.experiment/1"
name = "mixed"
seed = 7
games = ["kuhn_poker", "monty_hall", "rock_paper_scissors"]
repetitions = 5

[budget]
nodes = 500

[[player]]
name = "random"
spec = "random"

[[player]]
name = "sampling"
spec = "hyperplay:enumerate=off,search=flat,playouts=20"
grid = { particles = [1, 3] }

[[player]]
name = "sees"
spec = "clairvoyant:playouts=20,nodes=0"
"#;

/// Many short matches.
const CHEAP: &str = r#"
schema = "hyperplay.experiment/1"
seed = 3
games = ["kuhn_poker"]
repetitions = 4000

[[player]]
name = "random"
spec = "random"

[[player]]
name = "legal"
spec = "legal"
"#;

fn hyperplay(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hyperplay"));
    command.arg("experiment").args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str]) -> Output {
    hyperplay(arguments).output().unwrap()
}

fn done(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The exit code and what was said on standard error.
fn failed(arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(arguments);
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

fn play(file: &str, out: &str, more: &[&str]) -> String {
    done(&[&["run", file, "--out", out], more].concat())
}

/// Merges a folder; returns the bytes of both files.
fn merged(out: &str) -> (Vec<u8>, Vec<u8>) {
    done(&["merge", out]);
    let read = |name: &str| fs::read(Path::new(out).join(name)).unwrap();
    (read("matches.jsonl"), read("turns.jsonl"))
}

#[test]
fn eight_shards_merged_are_byte_for_byte_one_run_on_any_number_of_threads() {
    let folder = Folder::new("shards");
    let file = folder.write("mixed.toml", MIXED);
    let (one, two, eight) = (folder.path("one"), folder.path("two"), folder.path("eight"));
    play(&file, &one, &["-j", "1"]);
    play(&file, &two, &["-j", "3"]);
    for shard in ["5/8", "1/8", "2/8", "8/8", "3/8", "4/8", "7/8", "6/8"] {
        play(&file, &eight, &["-j", "2", "--shard", shard]);
    }
    let whole = merged(&one);
    let read = |name: &str| fs::read(Path::new(&one).join(name)).unwrap();
    assert_eq!(whole, (read("matches.1-of-1.jsonl"), read("turns.1-of-1.jsonl")));
    assert!(merged(&two) == whole && merged(&eight) == whole);
    let text = String::from_utf8(whole.0).unwrap();
    // 6 pairings in each of the games with two roles, in two seatings; 4 entrants alone with the doors; 5 deals.
    assert_eq!(text.lines().count(), 1 + 5 * (6 * 2 * 2 + 4));
}

#[test]
fn a_match_is_the_one_that_the_command_match_plays() {
    let folder = Folder::new("match");
    let file = folder.write("mixed.toml", MIXED);
    let out = folder.path("out");
    play(&file, &out, &[]);
    let transcript = folder.path("series.jsonl");
    let seat = "alice=hyperplay:enumerate=off,search=flat,playouts=20,particles=3";
    let output = Command::new(env!("CARGO_BIN_EXE_hyperplay"))
        .args(["match", "kuhn_poker", seat, "bob=random", "--seed", "7", "--matches", "5", "--nodes", "500"])
        .args(["--transcript", &transcript])
        .output()
        .unwrap();
    assert!(output.status.success());
    let series = fs::read_to_string(transcript).unwrap();
    let goals: Vec<Value> = series
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["goals"].clone())
        .map(|goals| serde_json::json!([goals[0], goals[1]]))
        .collect();
    let matches = fs::read_to_string(Path::new(&out).join("matches.1-of-1.jsonl")).unwrap();
    let mine: Vec<Value> = matches
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|record| record["game"] == "kuhn_poker")
        .filter(|record| {
            record["players"]["alice"] == "sampling particles=3" && record["players"]["bob"] == "random"
        })
        .map(|record| serde_json::json!([record["goals"]["alice"], record["goals"]["bob"]]))
        .collect();
    assert_eq!(mine.len(), 5);
    assert_eq!(mine, goals);
}

/// Starts a run and waits until its file of matches has so many bytes.
fn begin(file: &str, out: &str, more: &[&str], bytes: u64) -> Child {
    let shard = more.iter().find_map(|word| word.contains('/').then(|| word.replace('/', "-of-")));
    let matches = Path::new(out).join(format!("matches.{}.jsonl", shard.as_deref().unwrap_or("1-of-1")));
    let child = hyperplay(&[&["run", file, "--out", out], more].concat()).spawn().unwrap();
    let begun = Instant::now();
    while fs::metadata(&matches).map_or(0, |about| about.len()) < bytes {
        assert!(begun.elapsed() < Duration::from_secs(60), "no matches are written");
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

#[test]
fn a_run_that_was_killed_goes_on_as_if_nothing_had_happened() {
    let folder = Folder::new("kill");
    let file = folder.write("cheap.toml", CHEAP);
    let (whole, killed) = (folder.path("whole"), folder.path("killed"));
    play(&file, &whole, &[]);
    for (shard, bytes) in [("1/3", 20_000), ("2/3", 200_000), ("3/3", 1)] {
        let mut child = begin(&file, &killed, &["--shard", shard, "-j", "2"], bytes);
        child.kill().unwrap();
        child.wait().unwrap();
        let (code, missing) = failed(&["merge", &killed]);
        assert_eq!(code, Some(3));
        assert!(missing.contains(&format!("shard {}: ", shard.replace('/', "-of-"))), "{missing}");
        play(&file, &killed, &["--shard", shard, "-j", "2"]);
    }
    assert!(merged(&killed) == merged(&whole));
}

#[test]
fn whatever_is_torn_off_is_played_again() {
    let folder = Folder::new("torn");
    let file = folder.write("mixed.toml", MIXED);
    let out = folder.path("out");
    play(&file, &out, &["--log-positions"]);
    let names = ["matches", "turns", "positions", "timings"].map(|kind| format!("{kind}.1-of-1.jsonl"));
    let whole: Vec<Vec<u8>> =
        names.iter().map(|name| fs::read(Path::new(&out).join(name)).unwrap()).collect();
    // What is left of each file, in parts of a thousand: all torn alike, one torn, one empty, one gone.
    for left in [[500; 4], [1000, 300, 1000, 1000], [301, 1000, 1000, 1000], [1000, 0, 1000, 1000], [0; 4]] {
        for ((name, bytes), share) in names.iter().zip(&whole).zip(left) {
            fs::write(Path::new(&out).join(name), &bytes[..bytes.len() * share / 1000]).unwrap();
        }
        play(&file, &out, &["--log-positions"]);
        for (name, bytes) in names.iter().zip(&whole).take(3) {
            assert!(fs::read(Path::new(&out).join(name)).unwrap() == *bytes, "{name} after {left:?}");
        }
    }
    let mut junk = whole[0].clone();
    junk.extend(b"{\"match\": 5}\n\0\0\0\0");
    fs::write(Path::new(&out).join(&names[0]), junk).unwrap();
    play(&file, &out, &["--log-positions"]);
    assert!(fs::read(Path::new(&out).join(&names[0])).unwrap() == whole[0]);
    let record: Value =
        serde_json::from_slice(whole[2].split(|&byte| byte == b'\n').nth(1).unwrap()).unwrap();
    assert!(record["evidence"].is_array() && record["goals"].is_object(), "{record}");
}

#[test]
fn another_experiment_is_refused() {
    let folder = Folder::new("refused");
    let file = folder.write("mixed.toml", MIXED);
    let out = folder.path("out");
    play(&file, &out, &[]);
    let other = folder.write("other.toml", &MIXED.replace("seed = 7", "seed = 8"));
    let (code, message) = failed(&["run", &other, "--out", &out]);
    assert_eq!(code, Some(1));
    assert!(message.contains("holds the experiment 'mixed' with another plan"), "{message}");
    // A shard copied from elsewhere has a header of its own.
    fs::remove_file(Path::new(&out).join("plan.json")).unwrap();
    let (code, message) = failed(&["run", &other, "--out", &out]);
    assert_eq!(code, Some(1));
    assert!(message.contains("matches.1-of-1.jsonl: its config is sha256:"), "{message}");
    let (code, _) = failed(&["merge", &out]);
    assert_eq!(code, Some(1));
    // A title is no part of the identity, a repetition is.
    fs::remove_file(Path::new(&out).join("plan.json")).unwrap();
    let renamed =
        folder.write("renamed.toml", &MIXED.replace("name = \"mixed\"", "name = \"another title\""));
    play(&renamed, &out, &[]);
    assert_eq!(failed(&["run", &renamed, "--out", &out, "--matches", "4"]).0, Some(1));
}

#[test]
fn what_is_missing_is_named_and_nothing_is_written() {
    let folder = Folder::new("missing");
    let file = folder.write("mixed.toml", MIXED);
    let out = folder.path("out");
    assert_eq!(failed(&["merge", &out]).0, Some(1));
    for shard in ["1/4", "3/4"] {
        play(&file, &out, &["--shard", shard]);
    }
    let (code, message) = failed(&["merge", &out]);
    assert_eq!(code, Some(3));
    assert!(
        message.contains("shard 2-of-4: no file (") && message.contains("shard 4-of-4: no file ("),
        "{message}"
    );
    assert!(!Path::new(&out).join("matches.jsonl").exists());
    let status: Value = serde_json::from_str(&done(&["status", &out, "--json"])).unwrap();
    assert_eq!((&status["complete"], status["missing"].as_array().unwrap().len()), (&Value::Bool(false), 2));
    // A part can be reported on, and says that it is one.
    assert!(done(&["report", &out]).contains("Not whole: shard 2-of-4"));
    play(&file, &out, &["--shard", "2/4"]);
    play(&file, &out, &["--shard", "4/4"]);
    done(&["merge", &out]);
    assert!(done(&["status", &out]).ends_with("complete\n"));
    play(&file, &out, &["--shard", "1/2"]);
    let (code, message) = failed(&["merge", &out]);
    assert_eq!(code, Some(1));
    assert!(message.contains("holds shards of 2 and of 4"), "{message}");
}

#[test]
fn a_signal_ends_a_run_within_five_seconds_and_the_next_one_goes_on() {
    let folder = Folder::new("signal");
    // Matches of some seconds each: they are abandoned.
    let slow = MIXED
        .replace("[\"kuhn_poker\", \"monty_hall\", \"rock_paper_scissors\"]", "[\"krieg_tictactoe_5x5\"]")
        .replace("nodes = 500", "nodes = 20_000_000")
        .replace("playouts=20", "playouts=30000");
    for (text, bytes, signal) in [(CHEAP, 20_000, "TERM"), (&slow, 1, "INT")] {
        let out = folder.path(signal);
        let file = folder.write("signal.toml", text);
        let mut child = begin(&file, &out, &[], bytes);
        let sent = Instant::now();
        let id = child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success());
        let ended = child.wait().unwrap();
        assert!(sent.elapsed() < Duration::from_secs(5), "{:?}", sent.elapsed());
        assert_eq!(ended.code(), Some(130));
    }
    let file = folder.write("cheap.toml", CHEAP);
    play(&file, &folder.path("TERM"), &[]);
    play(&file, &folder.path("whole"), &[]);
    assert!(merged(&folder.path("TERM")) == merged(&folder.path("whole")));
}

#[test]
fn two_processes_cannot_play_one_shard() {
    let folder = Folder::new("lock");
    let file = folder.write("cheap.toml", &CHEAP.replace("4000", "400000"));
    let out = folder.path("out");
    let mut child = begin(&file, &out, &[], 10_000);
    let (code, message) = failed(&["run", &file, "--out", &out]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(code, Some(1));
    assert!(message.contains("another process is playing this shard"), "{message}");
}

#[test]
fn a_rule_stops_cells_alike_on_shards_and_threads() {
    let folder = Folder::new("stop");
    let text = format!("{CHEAP}\n[stop]\nsprt = {{ h0 = 0.0, h1 = 6.0 }}\nevery = 8\n");
    let text = text.replace("[\"kuhn_poker\"]", "[\"kuhn_poker\", \"rock_paper_scissors\", \"leduc_poker\"]");
    let file = folder.write("stop.toml", &text);
    let (one, three) = (folder.path("one"), folder.path("three"));
    play(&file, &one, &["-j", "2"]);
    for shard in ["1/3", "3/3", "2/3"] {
        play(&file, &three, &["-j", "1", "--shard", shard]);
    }
    let (matches, turns) = merged(&one);
    assert!((matches.clone(), turns) == merged(&three));
    let count = String::from_utf8(matches).unwrap().lines().count();
    assert!(count < 3 * 2 * 4000 / 2, "{count} lines: nothing stopped");
    let report: Value = serde_json::from_str(&done(&["report", &one, "--json"])).unwrap();
    for row in report["differences"].as_array().unwrap() {
        assert_ne!(row["verdict"], "open", "{row}");
    }
    assert_eq!(report["complete"], true);
    // Resuming a run that stopped by itself plays nothing more.
    assert!(play(&file, &one, &[]).contains(", 0 of them now"));
}

#[test]
fn the_same_deals_in_both_seats_save_more_than_half_the_matches_of_real_play() {
    let folder = Folder::new("paired");
    let text = CHEAP
        .replace("repetitions = 4000", "repetitions = 300")
        .replace("name = \"random\"\nspec = \"random\"", "name = \"strong\"\nspec = \"hyperplay\"");
    let paired = folder.write("paired.toml", &text);
    let alone = folder
        .write("alone.toml", &format!("{}\n[schedule]\nseats = \"given\"\n", text.replace("300", "600")));
    let variance = |file: &str, out: &str, matches_a_deal: f64| {
        let out = folder.path(out);
        play(file, &out, &[]);
        let report: Value = serde_json::from_str(&done(&["report", &out, "--json"])).unwrap();
        let row = &report["differences"][0];
        let deals = row["deals"].as_f64().unwrap();
        row["difference_ci95"].as_f64().unwrap().powi(2) * deals * matches_a_deal
    };
    let (with, without) = (variance(&paired, "paired", 2.0), variance(&alone, "alone", 1.0));
    assert!(with <= without / 2.0, "matches needed, in proportion: {with} paired, {without} not");
}

#[test]
fn the_report_and_the_tables_say_the_same() {
    let folder = Folder::new("report");
    let file = folder.write("mixed.toml", MIXED);
    let out = folder.path("out");
    play(&file, &out, &[]);
    let report: Value = serde_json::from_str(&done(&["report", &out, "--json"])).unwrap();
    done(&["export", &out]);
    let read = |name: &str| fs::read_to_string(Path::new(&out).join(name)).unwrap();
    let matches = read("matches.csv");
    // From the exported table: the mean goal of an entrant against another.
    let mut goals = Vec::new();
    for row in csv::Reader::from_reader(matches.as_bytes()).deserialize() {
        let row: std::collections::BTreeMap<String, String> = row.unwrap();
        if row["game"] == "monty_hall" && row["player"] == "sees" {
            goals.push(row["goal"].parse::<f64>().unwrap());
        }
    }
    let scores = report["scores"].as_array().unwrap();
    let row = scores.iter().find(|row| row["game"] == "monty_hall" && row["player"] == "sees").unwrap();
    assert_eq!(row["score"].as_f64().unwrap(), goals.iter().sum::<f64>() / goals.len() as f64);
    assert_eq!(row["deals"], 5);
    let html = read("report.html");
    assert!(
        html.contains("<svg") && html.contains("bars are 95 % intervals") && html.contains("n = 5 deals")
    );
    for outside in ["src=\"http", "href=\"http", "<script", "@import"] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(read("report.md").contains("| kuhn_poker | random | sampling particles=1 | 5 | 10 |"));
    assert_eq!(read("scores.csv").lines().count(), 1 + scores.len());
    let turns = read("turns.csv");
    assert_eq!(
        turns.lines().count(),
        fs::read_to_string(format!("{out}/turns.1-of-1.jsonl")).unwrap().lines().count()
    );
    // A player with a belief leaves only the fault empty.
    let is_full = |line: &str| line.contains(",sampling particles=3,") && !line.contains(",,");
    assert!(turns.lines().any(is_full), "{turns}");
}

#[test]
fn check_counts_and_estimates() {
    let folder = Folder::new("check");
    let file = folder.write("mixed.toml", MIXED);
    let check: Value = serde_json::from_str(&done(&["check", &file, "--sample", "2", "--json"])).unwrap();
    assert_eq!((&check["matches"], check["cells"].as_array().unwrap().len()), (&Value::from(140), 16));
    assert!(check["seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(check["cells_not_sampled"], 0);
    assert!(done(&["check", &file, "--sample", "0"]).contains("16 cells, 140 matches"));
}

#[test]
fn an_unknown_key_is_refused_with_its_place() {
    let folder = Folder::new("keys");
    for (from, to, expected) in [
        ("seed = 7", "seed = 7\nsede = 8", "bad.toml:5:1: unknown field `sede`"),
        ("nodes = 500", "node = 500", "bad.toml:9:1: unknown field `node`"),
        ("hyperplay.experiment/1", "hyperplay.experiment/2", "bad.toml:2:10: the schema is"),
        ("enumerate=off", "enumerat=off", "bad.toml:17:8: 'hyperplay' has no key 'enumerat'"),
        (
            "monty_hall",
            "monty_hell",
            "'monty_hell' is neither a file beside the experiment nor a built-in game",
        ),
        ("repetitions = 5", "repetitions = 0", "bad.toml:6:15: 0: expected a whole number from 1"),
        ("name = \"sees\"", "name = \"random\"", "bad.toml:21:8: two players are named 'random'"),
        ("seed = 7", "seed = ", "bad.toml:4:"),
    ] {
        let file = folder.write("bad.toml", &MIXED.replace(from, to));
        let (code, message) = failed(&["check", &file]);
        assert_eq!(code, Some(2), "{message}");
        assert!(message.contains(expected), "{expected}\n{message}");
    }
}

#[test]
fn every_shipped_experiment_can_be_played_and_the_ladders_know_every_player() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/experiments");
    let list: Value = {
        let output =
            Command::new(env!("CARGO_BIN_EXE_hyperplay")).args(["players", "--json"]).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let mut count = 0;
    for entry in fs::read_dir(docs).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let file = path.to_string_lossy().into_owned();
        let check: Value = serde_json::from_str(&done(&["check", &file, "--sample", "0", "--json"])).unwrap();
        count += 1;
        if file.contains("_ladder") {
            let entrants = check["entrants"].as_array().unwrap();
            for player in list["players"].as_array().unwrap() {
                let name = player["name"].as_str().unwrap();
                let takes_part =
                    |entrant: &Value| entrant["spec"].as_str().unwrap().split(':').next() == Some(name);
                assert!(entrants.iter().any(takes_part), "{file} lacks the player {name}");
            }
        }
    }
    assert!(count >= 8);
}
