//! The snippets of `docs/belief.md` for pandas, DuckDB and R are run on what its command writes, where those are installed.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::process::Command;

/// The fenced blocks of a text, with the word behind the fence.
fn blocks(markdown: &str) -> Vec<(&str, &str)> {
    let mut blocks = Vec::new();
    let mut rest = markdown;
    while let Some((_, after)) = rest.split_once("```") {
        let (block, behind) = after.split_once("```").expect("every fence is closed");
        let (word, text) = block.split_once('\n').unwrap();
        blocks.push((word, text));
        rest = behind;
    }
    blocks
}

/// Whether a command runs without a failure.
fn works(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}

#[test]
fn the_snippets_of_the_guide_run_on_what_its_command_writes() {
    let guide = std::fs::read_to_string(format!("{}/docs/belief.md", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let blocks = blocks(&guide);
    let command = blocks.iter().filter(|(word, _)| *word == "sh").flat_map(|(_, text)| text.lines());
    let command = command.clone().find(|line| line.ends_with("--out krieg")).unwrap();
    let folder = std::env::temp_dir().join(format!("hyperplay-snippets-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_hyperplay"))
        .args(command.split_whitespace().skip(1))
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut found = 0;
    for (word, text) in blocks {
        let (program, flag, has) = match word {
            "python" if text.contains("import pandas") => ("python3", "-c", "import pandas"),
            "python" => ("python3", "-c", "import duckdb"),
            "r" => ("Rscript", "-e", "1"),
            _ => continue,
        };
        found += 1;
        if !works(program, &[flag, has]) {
            println!("skipped: {program} {flag} '{has}' does not work here");
            continue;
        }
        let output = Command::new(program).args([flag, text]).current_dir(&folder).output().unwrap();
        let (shown, error) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{text}\n{error}");
        for sampler in ["ours:enumerate=off", "hyperplay12"] {
            assert!(shown.contains(sampler), "{text}\n{shown}\n{error}");
        }
        println!("{shown}");
    }
    assert_eq!(found, 3);
    std::fs::remove_dir_all(folder).unwrap();
}
