//! The tables that are exported are those of `docs/analysis.md`, and its snippets run where their programs are installed.

use std::collections::BTreeSet;
use std::process::{Command, Output};

use crate::common::markdown::{self, blocks};
use crate::common::program::{Folder, run};

/// A folder with `analysis` in it, as the guide makes it.
fn played() -> Folder {
    let folder = Folder::new();
    let ladder = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/experiments/kuhn_ladder.toml");
    run(&mut folder.program(&format!("experiment run {ladder} --out analysis --deals 6 --log particles")), 0);
    run(&mut folder.program("experiment export analysis --features"), 0);
    folder
}

fn try_run(folder: &Folder, program: &str, arguments: &[&str]) -> Option<Output> {
    Command::new(program).args(arguments).current_dir(folder.path("")).output().ok()
}

fn has(folder: &Folder, program: &str, arguments: &[&str]) -> bool {
    try_run(folder, program, arguments).is_some_and(|output| output.status.success())
}

#[test]
fn the_columns_are_those_of_the_guide_and_its_snippets_run() {
    let folder = played();
    let head = |name: &str| -> BTreeSet<String> {
        let text = folder.read(&format!("analysis/{name}"));
        text.lines().next().unwrap().split(',').map(str::to_owned).collect()
    };
    let guide = markdown::read("docs/analysis.md");
    let (matches, turns) = (head("matches.csv"), head("turns.csv"));
    let mut listed = (BTreeSet::new(), BTreeSet::new());
    for line in guide.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, names, of @ ("both" | "matches" | "turns"), ..] = cells[..] else { continue };
        for name in names.split('`').skip(1).step_by(2) {
            if of != "turns" {
                listed.0.insert(name.to_owned());
            }
            if of != "matches" {
                listed.1.insert(name.to_owned());
            }
        }
    }
    assert_eq!(listed, (matches, turns));

    let duckdb = has(&folder, "python3", &["-c", "import duckdb"]);
    let r = has(&folder, "Rscript", &["--version"]);
    let duck = "import sys, duckdb\nfor statement in sys.argv[1].split(';'):\n    if statement.strip(): print(duckdb.sql(statement))";
    // A snippet in Python says itself what it imports.
    for (language, is_there) in [("python", true), ("sql", duckdb), ("r", r)] {
        let mut snippets = blocks(&guide);
        snippets.retain(|(word, _)| *word == language);
        assert!(!snippets.is_empty(), "{language}");
        if !is_there {
            eprintln!("skipped: the snippets in {language}, whose program is not installed");
            continue;
        }
        for (_, snippet) in snippets {
            let imports: Vec<&str> = snippet.lines().filter(|line| line.starts_with("import ")).collect();
            if language == "python" && !has(&folder, "python3", &["-c", &imports.join("\n")]) {
                eprintln!("skipped: a snippet in Python, because this fails: {imports:?}");
                continue;
            }
            let output = match language {
                "python" => try_run(&folder, "python3", &["-c", snippet]),
                "sql" => try_run(&folder, "python3", &["-c", duck, snippet]),
                _ => try_run(&folder, "Rscript", &["-e", snippet]),
            };
            let output = output.unwrap();
            let (printed, error) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "{snippet}\n{error}");
            assert!(printed.contains("hyperplay"), "{snippet}\n{printed}");
        }
    }
}
