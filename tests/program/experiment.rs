//! Tests of experiments by the binary: the same bytes on any number of threads and shards and after any kill, and the
//! inputs that are rejected.

use std::fs;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::common::program::{
    self, Folder, ended, run, signal, start, until_it_catches_ctrl_c, without_sums,
};
use serde_json::Value;

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
spec = "hyperplay:sampler=hyperplay:enumerate=off,search=flat,playouts=20"
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

fn experiment(folder: &Folder, arguments: &str) -> Command {
    folder.program(&format!("experiment {arguments}"))
}

fn done(folder: &Folder, arguments: &str) -> String {
    run(&mut experiment(folder, arguments), 0).0
}

/// The standard error of a call that fails.
fn failed(folder: &Folder, arguments: &str, code: i32) -> String {
    run(&mut experiment(folder, arguments), code).1
}

fn json(folder: &Folder, arguments: &str) -> Value {
    serde_json::from_str(&done(folder, &format!("{arguments} --json"))).unwrap()
}

/// The records of a text, one a line.
fn records(text: &str) -> impl Iterator<Item = Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap())
}

/// Merges a folder; returns the texts of both files.
fn merged(folder: &Folder, out: &str) -> [String; 2] {
    done(folder, &format!("merge {out}"));
    ["matches", "turns"].map(|kind| folder.read(&format!("{out}/{kind}.jsonl")))
}

#[test]
fn eight_shards_merged_are_byte_for_byte_one_run_on_any_number_of_threads() {
    let folder = Folder::new();
    folder.write("mixed.toml", MIXED);
    done(&folder, "run mixed.toml --out one -j 1");
    done(&folder, "run mixed.toml --out two -j 3");
    for shard in ["5/8", "1/8", "2/8", "8/8", "3/8", "4/8", "7/8", "6/8"] {
        done(&folder, &format!("run mixed.toml --out eight -j 2 --shard {shard}"));
    }
    let whole = merged(&folder, "one");
    assert_eq!(whole, ["matches", "turns"].map(|kind| folder.read(&format!("one/{kind}.1-of-1.jsonl"))));
    assert!(merged(&folder, "two") == whole && merged(&folder, "eight") == whole);
    // 6 pairings in each of the games with two roles, in two seat permutations; 4 entrants alone with the doors; 5 deals.
    assert_eq!(whole[0].lines().count(), 1 + 5 * (6 * 2 * 2 + 4));
}

#[test]
fn a_match_is_the_one_that_the_command_match_plays() {
    let folder = Folder::new();
    folder.write("mixed.toml", MIXED);
    done(&folder, "run mixed.toml --out out");
    let seats =
        "alice=hyperplay:sampler=hyperplay:enumerate=off,search=flat,playouts=20,particles=3 bob=random";
    let series = "--seed 7 --matches 5 --nodes 500 --transcript series.jsonl";
    run(&mut folder.program(&format!("match kuhn_poker {seats} {series}")), 0);
    let goals: Vec<Value> = records(&folder.read("series.jsonl"))
        .map(|record| serde_json::json!([record["goals"][0], record["goals"][1]]))
        .collect();
    let mine: Vec<Value> = records(&folder.read("out/matches.1-of-1.jsonl"))
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
fn begin(folder: &Folder, run: &str, matches: &str, bytes: u64) -> Child {
    let child = start(&mut experiment(folder, run));
    let begun = Instant::now();
    while fs::metadata(folder.path(matches)).map_or(0, |about| about.len()) < bytes {
        assert!(begun.elapsed() < Duration::from_secs(600), "no matches are written");
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

#[test]
fn a_run_that_was_killed_goes_on_as_if_nothing_had_happened() {
    let folder = Folder::new();
    folder.write("cheap.toml", CHEAP);
    done(&folder, "run cheap.toml --out whole");
    for (shard, bytes) in [("1/3", 20_000), ("2/3", 200_000), ("3/3", 1)] {
        let run = format!("run cheap.toml --out killed --shard {shard} -j 2");
        let name = shard.replace('/', "-of-");
        let mut child = begin(&folder, &run, &format!("killed/matches.{name}.jsonl"), bytes);
        child.kill().unwrap();
        child.wait().unwrap();
        let missing = failed(&folder, "merge killed", 3);
        assert!(missing.contains(&format!("shard {name}: ")), "{missing}");
        done(&folder, &run);
    }
    assert!(merged(&folder, "killed") == merged(&folder, "whole"));
}

#[test]
fn whatever_is_torn_off_is_played_again() {
    let folder = Folder::new();
    folder.write("mixed.toml", MIXED);
    let run = "run mixed.toml --out out --log particles";
    done(&folder, run);
    let names = ["matches", "turns", "positions", "particles", "timings"]
        .map(|kind| format!("out/{kind}.1-of-1.jsonl"));
    let whole = names.each_ref().map(|name| folder.read(name));
    // What is left of each file, in parts of a thousand: all torn alike, one torn, one empty, one gone.
    for left in [
        [500; 5],
        [1000, 300, 1000, 1000, 1000],
        [301, 1000, 1000, 1000, 1000],
        [1000, 1000, 1000, 400, 1000],
        [1000, 0, 1000, 1000, 1000],
        [0; 5],
    ] {
        for ((name, text), share) in names.iter().zip(&whole).zip(left) {
            fs::write(folder.path(name), &text.as_bytes()[..text.len() * share / 1000]).unwrap();
        }
        done(&folder, run);
        for (name, text) in names.iter().zip(&whole).take(4) {
            assert!(folder.read(name) == *text, "{name} after {left:?}");
        }
    }
    folder.write(&names[0], &format!("{}{{\"match\": 5}}\n\0\0\0\0", whole[0]));
    done(&folder, run);
    assert!(folder.read(&names[0]) == whole[0]);
    let record = records(&whole[2]).nth(1).unwrap();
    assert!(record["evidence"].is_array() && record["goals"].is_object(), "{record}");
}

#[test]
fn another_experiment_is_refused() {
    let folder = Folder::new();
    folder.write("mixed.toml", MIXED);
    done(&folder, "run mixed.toml --out out");
    // Its files are no transcripts, and that is said once.
    for (name, code, what) in [
        ("out", 2, "out: the folder of an experiment\n  `hyperplay experiment verify out` checks it"),
        (
            "out/matches.1-of-1.jsonl",
            1,
            "the records of an experiment, and no transcripts\n  `hyperplay experiment verify",
        ),
    ] {
        let (printed, said) = run(&mut folder.program(&format!("verify {name}")), code);
        assert!(printed.is_empty() && said.contains(what), "{said}");
    }
    folder.write("other.toml", &MIXED.replace("seed = 7", "seed = 8"));
    let message = failed(&folder, "run other.toml --out out", 1);
    assert!(message.contains("holds the experiment 'mixed' with another plan"), "{message}");
    assert!(message.contains("give --reuse out to extend what it holds"), "{message}");
    folder.write("nameless.toml", &CHEAP.replace("4000", "1"));
    done(&folder, "run nameless.toml --out nameless");
    let message = failed(&folder, "run nameless.toml --out nameless --deals 2", 1);
    assert!(message.contains("nameless holds an experiment with another plan"), "{message}");
    // The number of a shard may be that of a task, if there is one.
    for (number, expected) in
        [(None, "variable NO_TASK is not set"), (Some("x2"), "NO_TASK is 'x2': expected K/N with K from 1")]
    {
        let mut command = experiment(&folder, "run mixed.toml --out out --shard NO_TASK/3");
        command.envs(number.map(|number| ("NO_TASK", number)));
        let message = run(&mut command, 2).1;
        assert!(message.contains(expected), "{message}");
    }
    folder.write("afile", "");
    let message = failed(&folder, "run mixed.toml --out afile", 1);
    assert!(message.contains("afile: ") && message.contains("it is a file: name a folder"), "{message}");
    // A shard copied from elsewhere has a header of its own.
    fs::remove_file(folder.path("out/plan.json")).unwrap();
    let message = failed(&folder, "run other.toml --out out", 1);
    assert!(message.contains("matches.1-of-1.jsonl: its config is sha256:"), "{message}");
    failed(&folder, "merge out", 1);
    // A title is no part of the identity, a repetition is.
    fs::remove_file(folder.path("out/plan.json")).unwrap();
    folder.write("renamed.toml", &MIXED.replace("name = \"mixed\"", "name = \"another title\""));
    done(&folder, "run renamed.toml --out out");
    failed(&folder, "run renamed.toml --out out --deals 4", 1);
}

/// What decides is the form of the files and what is played, not which program played it.
#[test]
fn results_of_another_version_are_read_and_continued() {
    let folder = Folder::new();
    folder.write("mixed.toml", MIXED);
    done(&folder, "run mixed.toml --out out");
    for kind in ["matches", "turns", "timings"] {
        let name = format!("out/{kind}.1-of-1.jsonl");
        let text = folder.read(&name);
        let header: Value = records(&text).next().unwrap();
        assert!(header["commit"].as_str().is_none_or(|commit| commit.len() >= 40), "{header}");
        let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
        assert!(text.contains(&version));
        let mut kept: Vec<&str> = text.lines().collect();
        kept.truncate(kept.len() / 2);
        folder.write(&name, &(kept.join("\n").replace(&version, "\"version\":\"0.2.99\"") + "\n"));
    }
    done(&folder, "report out");
    failed(&folder, "merge out", 3);
    assert!(done(&folder, "run mixed.toml --out out").contains("140 of 140 matches"));
    assert!(done(&folder, "status out").ends_with("complete\n"));
    done(&folder, "merge out");
    // Without a checksum, which would not fit the header any more.
    let whole = without_sums(&folder.read("out/turns.1-of-1.jsonl"));
    let other = whole.replacen("hyperplay.turns/2", "hyperplay.turns/3", 1);
    folder.write("out/turns.1-of-1.jsonl", &other);
    assert!(failed(&folder, "report out", 1).contains("its schema is hyperplay.turns/3"));
}

/// Permissions do not hold for the user root, so the report is made as another one then.
#[test]
fn a_report_is_printed_on_a_folder_that_cannot_be_written_to() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let folder = Folder::new();
    folder.write("mixed.toml", MIXED);
    done(&folder, "run mixed.toml --out out");
    let mode =
        |name: &str, mode| fs::set_permissions(folder.path(name), fs::Permissions::from_mode(mode)).unwrap();
    mode("out", 0o555);
    let is_root = fs::write(folder.path("out/probe"), "").is_ok();
    let mut report = experiment(&folder, "report out");
    if is_root {
        fs::remove_file(folder.path("out/probe")).unwrap();
        let copy = folder.path("program");
        fs::copy(report.get_program(), &copy).unwrap();
        mode("program", 0o755);
        mode("", 0o755);
        report = Command::new(copy);
        report.args(["experiment", "report", "out"]).current_dir(folder.path("")).uid(65534).gid(65534);
    }
    let (printed, said) = run(&mut report, 0);
    assert!(
        printed.contains("## kuhn_poker") && said.contains("the files of the report are not written: "),
        "{said}"
    );
    report.args(["--out", "out"]);
    let (_, said) = run(&mut report, 1);
    mode("out", 0o755);
    assert!(said.contains("Permission denied") && !folder.path("out/report.md").exists(), "{said}");
}

#[test]
fn what_is_missing_is_named_and_nothing_is_written() {
    let folder = Folder::new();
    folder.write("mixed.toml", MIXED);
    let play = |shard: &str| done(&folder, &format!("run mixed.toml --out out --shard {shard}"));
    failed(&folder, "merge out", 1);
    play("1/4");
    play("3/4");
    let message = failed(&folder, "merge out", 3);
    assert!(
        message.contains("shard 2-of-4: no file (") && message.contains("shard 4-of-4: no file ("),
        "{message}"
    );
    assert!(!folder.path("out/matches.jsonl").exists());
    let status = json(&folder, "status out");
    assert_eq!((&status["complete"], status["missing"].as_array().unwrap().len()), (&Value::Bool(false), 2));
    // A part can be reported on, and says that it is one.
    assert!(done(&folder, "report out").contains("Incomplete: shard 2-of-4"));
    play("2/4");
    play("4/4");
    done(&folder, "merge out");
    assert!(done(&folder, "status out").ends_with("complete\n"));
    // Files of another division may be copied into the folder.
    done(&folder, "run mixed.toml --out half --shard 1/2");
    fs::copy(folder.path("half/matches.1-of-2.jsonl"), folder.path("out/matches.1-of-2.jsonl")).unwrap();
    let message = failed(&folder, "merge out", 1);
    assert!(message.contains("holds shards of 2 and of 4"), "{message}");
}

#[test]
fn a_signal_ends_a_run_in_the_middle_of_a_match_and_the_next_one_goes_on() {
    let folder = Folder::new();
    // Matches of hours: one that is not abandoned would show.
    let slow = MIXED
        .replace("[\"kuhn_poker\", \"monty_hall\", \"rock_paper_scissors\"]", "[\"krieg_tictactoe_5x5\"]")
        .replace("nodes = 500", "nodes = 200_000_000_000")
        .replace("playouts=20", "playouts=1000000000");
    for (text, bytes, name) in [(CHEAP, 20_000, "TERM"), (&slow, 1, "INT")] {
        folder.write("signal.toml", text);
        let run = format!("run signal.toml --out {name}");
        let mut child = begin(&folder, &run, &format!("{name}/matches.1-of-1.jsonl"), bytes);
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }
    // What a file is estimated by, and what its entrants are asked.
    folder.write("asked.toml", &slow.replace("krieg_tictactoe_5x5", "kuhn_poker"));
    for arguments in ["check signal.toml", "exploit asked.toml --out asked"] {
        let child = start(&mut experiment(&folder, arguments));
        until_it_catches_ctrl_c(&child);
        std::thread::sleep(Duration::from_secs(1));
        signal(&child, "INT");
        ended(&arguments, child.wait_with_output().unwrap(), 130);
    }
    folder.write("cheap.toml", CHEAP);
    done(&folder, "run cheap.toml --out TERM");
    done(&folder, "run cheap.toml --out whole");
    assert!(merged(&folder, "TERM") == merged(&folder, "whole"));
}

#[test]
fn two_processes_cannot_play_one_shard() {
    let folder = Folder::new();
    folder.write("cheap.toml", &CHEAP.replace("4000", "400000"));
    let run = "run cheap.toml --out out";
    let mut child = begin(&folder, run, "out/matches.1-of-1.jsonl", 10_000);
    let message = failed(&folder, run, 1);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(message.contains("another process is playing this shard"), "{message}");
}

#[test]
fn a_rule_stops_cells_alike_on_shards_and_threads() {
    let folder = Folder::new();
    let text = format!("{CHEAP}\n[stop]\nsprt = {{ h0 = 0.0, h1 = 6.0 }}\nevery = 8\n");
    let text = text.replace("[\"kuhn_poker\"]", "[\"kuhn_poker\", \"rock_paper_scissors\", \"leduc_poker\"]");
    folder.write("stop.toml", &text);
    done(&folder, "run stop.toml --out one -j 2");
    for shard in ["1/3", "3/3", "2/3"] {
        done(&folder, &format!("run stop.toml --out three -j 1 --shard {shard}"));
    }
    let whole = merged(&folder, "one");
    assert!(whole == merged(&folder, "three"));
    let count = whole[0].lines().count();
    assert!(count < 3 * 2 * 4000 / 2, "{count} lines: nothing stopped");
    let report = json(&folder, "report one");
    for row in report["differences"].as_array().unwrap() {
        assert_ne!(row["verdict"], "open", "{row}");
    }
    assert_eq!(report["complete"], true);
    // Resuming a run that stopped by itself plays nothing more.
    assert!(done(&folder, "run stop.toml --out one").contains(", 0 of them now"));
}

#[test]
fn every_two_entrants_of_a_cell_are_compared_and_it_is_said_who_played_with_them() {
    let folder = Folder::new();
    let searches = |playouts: u64| format!("hyperplay:particles=1,search=flat,playouts={playouts}");
    let specs = ["random".to_owned(), "legal".to_owned(), searches(1), searches(9)];
    let players =
        ('a'..='d').zip(specs).map(|(name, spec)| format!("[[player]]\nname = '{name}'\nspec = '{spec}'\n"));
    let head = "schema = 'hyperplay.experiment/1'\nseed = 3\ngames = ['kuhn_poker_3p']\nrepetitions = 5\n";
    folder.write("three.toml", &format!("{head}{}", players.collect::<String>()));
    done(&folder, "run three.toml --out out");
    let report = json(&folder, "report out");
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    let score = |player: &str, others: [&str; 2]| {
        let is_it = |row: &&Value| {
            row["player"] == player
                && others.iter().all(|one| text(row, "against").split(" and ").any(|name| name == *one))
        };
        report["scores"].as_array().unwrap().iter().find(is_it).unwrap()["score"].as_f64().unwrap()
    };
    let rows = report["differences"].as_array().unwrap();
    let mut seen = Vec::new();
    for row in rows {
        let [first, second, against] = ["first", "second", "against"].map(|key| text(row, key));
        let expected = score(&first, [&second, &against]) - score(&second, [&first, &against]);
        assert!((row["difference"].as_f64().unwrap() - expected).abs() < 1e-3, "{row}");
        assert_eq!(row["deals"], 5);
        seen.push(first + &second + &against);
    }
    let expected = ["abc", "acb", "bca", "abd", "adb", "bda", "acd", "adc", "cda", "bcd", "bdc", "cdb"];
    assert_eq!(seen, expected);
    assert!(folder.read("out/report.md").contains("| first | second | against | deals | first - second |"));

    // Who has two seats of a cell plays against the other one and itself.
    let two =
        "repetitions = 5\n[schedule]\nkind = 'pairings'\npairings = [['a', 'a', 'b'], ['a', 'b', 'b']]\n";
    let head = head.replace("repetitions = 5\n", two);
    let players = "[[player]]\nname = 'a'\nspec = 'random'\n[[player]]\nname = 'b'\nspec = 'legal'\n";
    folder.write("two.toml", &format!("{head}{players}"));
    done(&folder, "run two.toml --out two");
    let rows = json(&folder, "report two")["differences"].clone();
    let against: Vec<String> = rows.as_array().unwrap().iter().map(|row| text(row, "against")).collect();
    assert_eq!(against, ["a", "b"]);
}

#[test]
fn the_same_deals_in_both_seats_save_more_than_half_the_matches_of_real_play() {
    let folder = Folder::new();
    let text = CHEAP
        .replace("repetitions = 4000", "repetitions = 300")
        .replace("name = \"random\"\nspec = \"random\"", "name = \"strong\"\nspec = \"hyperplay\"");
    folder.write("paired.toml", &text);
    let alone = format!("{}\n[schedule]\nseats = \"given\"\n", text.replace("300", "600"));
    folder.write("alone.toml", &alone);
    let variance = |name: &str, matches_a_deal: f64| {
        done(&folder, &format!("run {name}.toml --out {name}"));
        let report = json(&folder, &format!("report {name}"));
        let row = &report["differences"][0];
        let deals = row["deals"].as_f64().unwrap();
        row["difference_ci95"].as_f64().unwrap().powi(2) * deals * matches_a_deal
    };
    let (with, without) = (variance("paired", 2.0), variance("alone", 1.0));
    assert!(with <= without / 2.0, "matches needed, in proportion: {with} paired, {without} not");
}

#[test]
fn the_report_and_the_tables_say_the_same() {
    let folder = Folder::new();
    folder.write("mixed.toml", MIXED);
    done(&folder, "run mixed.toml --out out");
    let report = json(&folder, "report out");
    done(&folder, "export out");
    let read = |name: &str| folder.read(&format!("out/{name}"));
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
        html.contains("<svg") && html.contains("bars are 95 % intervals") && html.contains("5 deals a point")
    );
    for outside in ["src=\"http", "href=\"http", "<script", "@import"] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(read("report.md").contains("| random | sampling particles=1 | 5 | 10 |"));
    assert_eq!(read("scores.csv").lines().count(), 1 + scores.len());
    let turns = read("turns.csv");
    assert_eq!(turns.lines().count(), read("turns.1-of-1.jsonl").lines().count());
    // A player with a belief leaves only the fault empty.
    let is_full = |line: &str| line.contains(",sampling particles=3,") && !line.contains(",,");
    assert!(turns.lines().any(is_full), "{turns}");
}

#[test]
fn check_counts_and_estimates() {
    let folder = Folder::new();
    folder.write("mixed.toml", MIXED);
    let check = json(&folder, "check mixed.toml --sample 2");
    assert_eq!((&check["matches"], check["cells"].as_array().unwrap().len()), (&Value::from(140), 16));
    assert!(check["seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(check["cells_not_sampled"], 0);
    assert!(done(&folder, "check mixed.toml --sample 0").contains("16 cells, 140 matches"));
}

/// What a run writes is known before it begins, and a sample of all matches counts every byte.
#[test]
fn check_says_how_much_a_run_writes() {
    let folder = Folder::new();
    folder.write("mixed.toml", MIXED);
    let check = json(&folder, "check mixed.toml --sample 60 --log particles");
    done(&folder, "run mixed.toml --out out --log particles");
    for kind in ["matches", "turns", "positions", "particles"] {
        let text = folder.read(&format!("out/{kind}.1-of-1.jsonl"));
        let lines: usize = text.split_inclusive('\n').skip(1).map(str::len).sum();
        // The numbers of the matches are 0 in a sample.
        let numbers = text.lines().skip(1).count() * 2;
        let said = check["bytes"][kind].as_u64().unwrap() as usize;
        assert!((lines - numbers..=lines).contains(&said) && said > 0, "{kind}: {said} of {lines}");
    }
    let seconds = check["seconds"].as_f64().unwrap() * check["threads"].as_f64().unwrap();
    assert!((check["core_hours"].as_f64().unwrap() * 3600.0 - seconds).abs() < 1e-6, "{check}");
    let plain = json(&folder, "check mixed.toml --sample 0.2");
    assert_eq!((&plain["bytes"]["positions"], &plain["bytes"]["particles"]), (&0.into(), &0.into()));
    let text = done(&folder, "check mixed.toml --sample 1 --log positions");
    for part in [" on disk, ", ", matches ", ", positions ", " core-hours"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn an_unknown_key_is_refused_with_its_place() {
    let folder = Folder::new();
    for (from, to, expected) in [
        (
            "seed = 7",
            "seed = 7\nsede = 8",
            "bad.toml:5:1: there is no key 'sede' here (did you mean 'seed'?)",
        ),
        ("nodes = 500", "node = 500", "bad.toml:9:1: there is no key 'node' here (did you mean 'nodes'?)"),
        ("hyperplay.experiment/1", "hyperplay.experiment/2", "bad.toml:2:10: the schema is"),
        (
            "enumerate=off",
            "enumerat=off",
            "bad.toml:17:8: the player 'sampling': 'sampler=hyperplay:enumerat=off': 'hyperplay' has no key 'enumerat'",
        ),
        ("monty_hall", "monty_hell", "'monty_hell' is neither a file nor a built-in game"),
        ("repetitions = 5", "repetitions = 0", "bad.toml:6:15: 0: expected a whole number from 1"),
        ("name = \"sees\"", "name = \"random\"", "bad.toml:21:8: two players are named 'random'"),
        ("seed = 7", "seed = ", "bad.toml:4:"),
    ] {
        folder.write("bad.toml", &MIXED.replace(from, to));
        let message = failed(&folder, "check bad.toml", 2);
        assert!(message.contains(expected), "{expected}\n{message}");
    }
}

/// `policy` needs a file, `human` a person, and `auto` plays as `equilibrium` in every game where the two are of the same use.
#[test]
fn every_shipped_experiment_can_be_played_and_every_player_takes_part_in_one() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/experiments");
    let mut names: Vec<String> = Vec::new();
    let mut count = 0;
    for entry in fs::read_dir(docs).unwrap() {
        let file = entry.unwrap().path().display().to_string();
        if !file.ends_with(".toml") {
            continue;
        }
        let check = program::json(&format!("experiment check {file} --sample 0"), 0);
        count += 1;
        let specs = check["entrants"].as_array().unwrap().iter();
        names.extend(
            specs.map(|entrant| entrant["spec"].as_str().unwrap().split(':').next().unwrap().to_owned()),
        );
    }
    assert!(count >= 8);
    for player in program::json("players", 0)["players"].as_array().unwrap() {
        let name = player["name"].as_str().unwrap();
        let is_left_out = ["policy", "equilibrium", "human"].contains(&name);
        assert!(is_left_out || names.iter().any(|known| known == name), "no experiment has {name}");
    }
}
