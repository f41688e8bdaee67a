//! Files that commands write: what something else wrote is never replaced, records are replaced or lengthened only on request,
//! and what the same command computed may be computed again.

use std::fs;
use std::io::BufRead as _;
use std::path::Path;

use crate::common::program::{Folder, run, signal, start};

const SOLVE: &str = "solve kuhn_poker --iterations 5 --top 0";
const MATCH: &str = "match kuhn_poker --seed 1 --matches 3";
const HOST: &str =
    "host kuhn_poker alice=random bob=random --seed 1 --matches 3 --startclock 5 --playclock 5";
const BELIEF: &str =
    "belief kuhn_poker --sampler hyperplay:enumerate=off --particles 4 --replicates 3 --seed 1";

/// The commands that write what they compute, and records; the last word is the file.
const COMPUTED: [(&str, &str); 7] = [
    (SOLVE, "--out"),
    ("solve kuhn_poker --method lp --top 0", "--out"),
    ("solve kuhn_poker --method external --iterations 5 --seed 1 --top 0", "--out"),
    (SOLVE, "--curve"),
    (SOLVE, "--html"),
    ("exploit kuhn_poker alice=legal --seed 1", "--out"),
    ("inspect tictactoe", "--dot"),
];
const RECORDED: [&str; 2] = [MATCH, HOST];

/// The command must refuse what is at `file`, leave it as it is, and say so.
fn refused(folder: &Folder, command: &str, file: &str, remedy: &str) {
    let before = fs::read(folder.path(file)).unwrap();
    let (printed, said) = run(&mut folder.program(command), 2);
    assert_eq!(printed, "", "{command}");
    assert!(said.contains(&format!("{file} is there already")) && said.contains(remedy), "{command}: {said}");
    assert!(fs::read(folder.path(file)).unwrap() == before, "{command} has changed {file}");
}

#[test]
fn what_something_else_wrote_is_never_replaced() {
    let folder = Folder::new();
    // A text, something that begins with a brace, and bytes that are no text.
    for mine in [&b"my notes\n"[..], b"{\"a\": 1}\n", b"\xff\xfe\0"] {
        fs::write(folder.path("mine"), mine).unwrap();
        for (command, option) in COMPUTED {
            refused(&folder, &format!("{command} {option} mine"), "mine", "name another file");
        }
        for command in RECORDED {
            for more in ["", " --append", " --overwrite"] {
                let command = format!("{command} --transcript mine{more}");
                refused(&folder, &command, "mine", "name another file");
            }
        }
    }
    for (command, names) in [
        (
            BELIEF,
            &[
                "turns.jsonl",
                "timings.jsonl",
                "rows.csv",
                "truth.csv",
                "frontier.csv",
                "report.html",
                "report.md",
                "study.toml",
                "blocks.1-of-1.jsonl",
            ][..],
        ),
        ("serve --port 0", &["matches.jsonl"]),
        ("kiosk --port 0", &["matches.jsonl"]),
    ] {
        for name in names {
            let folder = Folder::new();
            fs::create_dir(folder.path("kept")).unwrap();
            folder.write(&format!("kept/{name}"), "mine");
            let options: &[&str] = if command == BELIEF {
                &["--out"]
            } else {
                &["--record", "--append --record", "--overwrite --record"]
            };
            for option in options {
                let command = format!("{command} {option} kept");
                refused(&folder, &command, &format!("kept/{name}"), "a new folder");
            }
        }
    }
}

#[test]
fn one_process_at_a_time_writes_records() {
    let folder = Folder::new();
    run(&mut folder.program(&format!("{MATCH} --transcript records")), 0);
    let before = folder.read("records");
    let writer = fs::File::options().append(true).open(folder.path("records")).unwrap();
    writer.try_lock().unwrap();
    for command in RECORDED {
        for more in ["", " --append", " --overwrite"] {
            let (_, said) = run(&mut folder.program(&format!("{command} --transcript records{more}")), 1);
            let told = "records: another process is writing this file\n  wait for it, or name another file\n";
            assert!(said.contains(told), "{command}{more}: {said}");
        }
    }
    assert!(folder.read("records") == before);
    drop(writer);
    run(&mut folder.program(&format!("{MATCH} --transcript records --append")), 0);
    assert_eq!(folder.read("records").lines().count(), 6);
}

#[test]
fn what_another_command_computed_is_not_replaced() {
    let folder = Folder::new();
    run(&mut folder.program(&format!("{SOLVE} --out solved --curve curve --html page")), 0);
    run(&mut folder.program("exploit kuhn_poker alice=legal --seed 1 --out asked"), 0);
    run(&mut folder.program(&format!("{MATCH} --transcript records")), 0);
    for (command, option) in COMPUTED {
        for there in ["solved", "asked", "curve", "page", "records"] {
            let is_own = (command, option) == (SOLVE, "--out") && there == "solved"
                || option == "--curve" && there == "curve"
                || option == "--html" && there == "page"
                || command.starts_with("exploit") && there == "asked";
            if !is_own {
                let before = folder.read(there);
                run(&mut folder.program(&format!("{command} {option} {there}")), 2);
                assert!(folder.read(there) == before, "{command} {option} {there}");
            }
        }
    }
    // The same command for another game computes something else.
    for command in [
        "solve leduc_poker --iterations 2 --top 0 --html page",
        "exploit leduc_poker alice=legal --out asked",
    ] {
        refused(&folder, command, command.rsplit(' ').next().unwrap(), "name another file");
    }
}

#[test]
fn what_the_same_command_computed_is_computed_again() {
    let folder = Folder::new();
    for (number, (command, option)) in COMPUTED.into_iter().enumerate() {
        let (command, file) = (format!("{command} {option} file{number}"), format!("file{number}"));
        run(&mut folder.program(&command), 0);
        let first = folder.read(&file);
        // An empty file is nobody's loss.
        folder.write(&file, "");
        run(&mut folder.program(&command), 0);
        run(&mut folder.program(&command), 0);
        let lines = |text: &str| text.lines().next().unwrap().len();
        assert_eq!(lines(&folder.read(&file)), lines(&first), "{command}");
    }
    assert_eq!(parts(&folder), Vec::<String>::new());
    run(&mut folder.program(&format!("{BELIEF} --out study")), 0);
    run(&mut folder.program(&format!("{BELIEF} --out study")), 0);
    folder.write("study/figures/mine.svg", "mine");
    run(&mut folder.program(&format!("{BELIEF} --out study")), 0);
}

#[test]
fn the_report_of_an_experiment_is_written_again_and_the_files_of_others_are_left() {
    let folder = Folder::new();
    let text = "schema = \"hyperplay.experiment/1\"\nname = \"two\"\nseed = 1\ngames = [\"kuhn_poker\"]\nrepetitions = 2\n\
                [[player]]\nname = \"one\"\nspec = \"legal\"\n[[player]]\nname = \"other\"\nspec = \"random\"\n";
    folder.write("two.toml", text);
    run(&mut folder.program("experiment run two.toml --out two"), 0);
    for command in ["experiment report two", "experiment export two"] {
        run(&mut folder.program(command), 0);
        run(&mut folder.program(command), 0);
    }
    let names = ["report.md", "report.html", "scores.csv"];
    for (command, names) in
        [("experiment report two", &names[..]), ("experiment export two", &["matches.csv", "turns.csv"])]
    {
        for name in names {
            let file = format!("two/{name}");
            let own = folder.read(&file);
            folder.write(&file, "# two\n\nmy own words\n");
            refused(&folder, command, &file, "name another file");
            folder.write(&file, &own);
        }
    }
    run(&mut folder.program("experiment report two --out elsewhere"), 0);
    assert_eq!(folder.read("elsewhere/report.md"), folder.read("two/report.md"));
}

#[test]
fn a_record_is_replaced_or_lengthened_only_on_request() {
    let folder = Folder::new();
    for (number, command) in RECORDED.into_iter().enumerate() {
        let file = format!("t{number}.jsonl");
        let command = format!("{command} --transcript {file}");
        let lines = || folder.read(&file).lines().count();
        // The word for a new file does no harm.
        run(&mut folder.program(&format!("{command} --append")), 0);
        assert_eq!(lines(), 3);
        refused(
            &folder,
            &command,
            &file,
            "give --append to write behind them, or --overwrite to replace them",
        );
        let first = folder.read(&file);
        run(&mut folder.program(&format!("{command} --append")), 0);
        assert!(folder.read(&file).starts_with(&first) && lines() == 6);
        run(&mut folder.program(&format!("{command} --overwrite")), 0);
        assert_eq!(lines(), 3);
        run(&mut folder.program(&format!("verify {file}")), 0);
        // Two words that contradict each other, and a word without a file.
        run(&mut folder.program(&format!("{command} --append --overwrite")), 2);
    }
    let (_, said) = run(&mut folder.program(&format!("{MATCH} --append")), 2);
    assert!(said.contains("--transcript"), "{said}");
    // What a game master knows of a match is no record of a player.
    fs::create_dir(folder.path("kept")).unwrap();
    fs::copy(folder.path("t0.jsonl"), folder.path("kept/matches.jsonl")).unwrap();
    refused(&folder, "serve --port 0 --append --record kept", "kept/matches.jsonl", "name another file");
    refused(&folder, "kiosk --port 0 --record kept", "kept/matches.jsonl", "give --append");
    // A device has nothing that could be lost.
    #[cfg(unix)]
    run(&mut folder.program(&format!("{MATCH} --transcript /dev/null")), 0);
}

#[test]
fn the_line_that_a_kill_cut_off_goes_to_a_file_of_its_own() {
    let folder = Folder::new();
    let command = format!("{MATCH} --transcript t.jsonl");
    run(&mut folder.program(&command), 0);
    let whole = folder.read("t.jsonl");
    let cut: String = whole.lines().next().unwrap().chars().take(5000).collect();
    folder.write("t.jsonl", &format!("{whole}{}", &cut[..cut.len() - 7]));
    let (_, said) = run(&mut folder.program(&format!("{command} --append")), 0);
    let bytes = cut.len() - 7;
    let expected =
        format!("t.jsonl: the last {bytes} bytes are no whole record, and are now in t.jsonl.damaged");
    assert!(said.contains(&expected), "{said}");
    assert_eq!(folder.read("t.jsonl.damaged"), format!("{}\n", &cut[..bytes]));
    assert!(folder.read("t.jsonl").starts_with(&whole));
    run(&mut folder.program("verify t.jsonl"), 0);
    // A whole record without the end of its line stays where it is.
    folder.write("t.jsonl", whole.trim_end());
    run(&mut folder.program(&format!("{command} --append")), 0);
    assert!(folder.read("t.jsonl").starts_with(&whole) && folder.read("t.jsonl").lines().count() == 6);
}

#[cfg(unix)]
#[test]
fn a_record_that_did_not_fit_leaves_no_part_that_would_spoil_the_next_one() {
    let folder = Folder::new();
    let program = env!("CARGO_BIN_EXE_hyperplay");
    let play = format!("{program} match kuhn_poker --seed 1 --matches 40 --transcript t.jsonl");
    let full = format!("trap '' XFSZ; ulimit -f 8; exec {play}");
    let output = std::process::Command::new("sh").args(["-c", &full]).current_dir(folder.path("")).output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("t.jsonl: "), "{said}");
    let kept = folder.read("t.jsonl");
    assert!(kept.ends_with("}\n") && kept.lines().count() > 0, "{kept}");
    run(&mut folder.program("verify t.jsonl"), 0);
    // When there is room again, it goes on behind the last whole record.
    run(&mut folder.program(&format!("{MATCH} --transcript t.jsonl --append")), 0);
    assert!(folder.read("t.jsonl").starts_with(&kept) && !folder.path("t.jsonl.damaged").exists());
    assert_eq!(folder.read("t.jsonl").lines().count(), kept.lines().count() + 3);
}

#[cfg(unix)]
#[test]
fn servers_say_what_they_moved_out_of_the_way_of_a_record() {
    for (command, schema) in [("serve", "hyperplay.evidence/1"), ("kiosk", hyperplay::referee::SCHEMA)] {
        let folder = Folder::new();
        fs::create_dir(folder.path("kept")).unwrap();
        let whole = format!("{{\"schema\":\"{schema}\"}}\n");
        folder.write("kept/matches.jsonl", &format!("{whole}{{\"sche"));
        let mut server = start(&mut folder.program(&format!("{command} --port 0 --record kept --append")));
        let mut address = String::new();
        std::io::BufReader::new(server.stdout.take().unwrap()).read_line(&mut address).unwrap();
        signal(&server, "TERM");
        let said = String::from_utf8(server.wait_with_output().unwrap().stderr).unwrap();
        let expected = "matches.jsonl: the last 6 bytes are no whole record, and are now in ";
        assert!(address.starts_with("http://") && said.contains(expected), "{command}: {address}{said}");
        assert_eq!(folder.read("kept/matches.jsonl"), whole);
        assert_eq!(folder.read("kept/matches.jsonl.damaged"), "{\"sche\n");
    }
}

/// The names in a folder, and in the folders in it, of files that are written beside their places.
pub fn parts(folder: &Folder) -> Vec<String> {
    fn walk(path: &Path, out: &mut Vec<String>) {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, out);
            } else if path.extension().is_some_and(|ending| ending == "part") {
                out.push(path.file_name().unwrap().to_string_lossy().into_owned());
            }
        }
    }
    let mut out = Vec::new();
    walk(&folder.path(""), &mut out);
    out
}

#[cfg(unix)]
#[test]
fn what_was_half_written_is_removed_on_the_signal_or_at_the_next_start() {
    let folder = Folder::new();
    let command = format!("{SOLVE} --out solved.json");
    run(&mut folder.program(&command), 0);
    let whole = folder.read("solved.json");
    // What version 0.2.0 left, what a kill left before the first byte, and what only has such a name.
    folder.write("solved.json.4242.part", &whole[..whole.len() / 2]);
    folder.write("solved.json.4243.part", "");
    folder.write("solved.json.4244.part", "my notes");
    folder.write("other.json.4245.part", &whole);
    run(&mut folder.program(&command), 0);
    let mut left = parts(&folder);
    left.sort();
    assert_eq!(left, ["other.json.4245.part", "solved.json.4244.part"]);
    // A run of another process is being written: its file is locked.
    let file = fs::File::create(folder.path("solved.json.4246.part")).unwrap();
    file.lock().unwrap();
    run(&mut folder.program(&command), 0);
    assert!(parts(&folder).contains(&"solved.json.4246.part".to_owned()));
    // SIGTERM, as from a scheduler, writes what there is and leaves nothing beside it.
    let before = folder.read("solved.json");
    let child =
        start(&mut folder.program("solve kuhn_poker --iterations 1000000000 --top 0 --out solved.json"));
    std::thread::sleep(std::time::Duration::from_millis(300));
    signal(&child, "TERM");
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(130) || output.status.code().is_none(), "{said}");
    serde_json::from_str::<serde_json::Value>(&folder.read("solved.json")).unwrap();
    assert!(parts(&folder).len() == 3 && folder.read("solved.json").len() >= before.len() / 2);
}
