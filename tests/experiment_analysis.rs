//! The tables that are exported are those of `docs/analysis.md`, and its snippets run where their programs are installed.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

fn guide() -> String {
    fs::read_to_string(format!("{}/docs/analysis.md", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The blocks of the guide in one language.
fn blocks(language: &str) -> Vec<String> {
    let text = guide();
    let parts = text.split("```").skip(1).step_by(2);
    parts.filter_map(|part| part.strip_prefix(&format!("{language}\n")).map(str::to_owned)).collect()
}

/// A folder with `analysis` in it, as the guide makes it.
fn played() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hyperplay-analysis-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let ladder = format!("{}/docs/experiments/kuhn_ladder.toml", env!("CARGO_MANIFEST_DIR"));
    for arguments in [&["run", &ladder, "--out", "analysis", "--matches", "6"][..], &["export", "analysis"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_hyperplay"))
            .arg("experiment")
            .args(arguments)
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    folder
}

fn try_run(folder: &PathBuf, program: &str, arguments: &[&str]) -> Option<Output> {
    Command::new(program).args(arguments).current_dir(folder).output().ok()
}

fn has(folder: &PathBuf, program: &str, arguments: &[&str]) -> bool {
    try_run(folder, program, arguments).is_some_and(|output| output.status.success())
}

#[test]
fn the_columns_are_those_of_the_guide_and_its_snippets_run() {
    let folder = played();
    let head = |name: &str| -> BTreeSet<String> {
        let text = fs::read_to_string(folder.join("analysis").join(name)).unwrap();
        text.lines().next().unwrap().split(',').map(str::to_owned).collect()
    };
    let (matches, turns) = (head("matches.csv"), head("turns.csv"));
    let mut listed = (BTreeSet::new(), BTreeSet::new());
    for line in guide().lines() {
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

    let pandas = has(&folder, "python3", &["-c", "import pandas"]);
    let duckdb = has(&folder, "python3", &["-c", "import duckdb"]);
    let r = has(&folder, "Rscript", &["--version"]);
    let duck = "import sys, duckdb\nfor statement in sys.argv[1].split(';'):\n    if statement.strip(): print(duckdb.sql(statement))";
    for (language, is_there) in [("python", pandas), ("sql", duckdb), ("r", r)] {
        let snippets = blocks(language);
        assert!(!snippets.is_empty(), "{language}");
        if !is_there {
            eprintln!("skipped: the snippets in {language}, whose program is not installed");
            continue;
        }
        for snippet in snippets {
            let output = match language {
                "python" => try_run(&folder, "python3", &["-c", &snippet]),
                "sql" => try_run(&folder, "python3", &["-c", duck, &snippet]),
                _ => try_run(&folder, "Rscript", &["-e", &snippet]),
            };
            let output = output.unwrap();
            let (printed, error) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "{snippet}\n{error}");
            assert!(printed.contains("hyperplay"), "{snippet}\n{printed}");
        }
    }
    fs::remove_dir_all(folder).unwrap();
}
