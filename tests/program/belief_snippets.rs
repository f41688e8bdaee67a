//! The snippets of `docs/belief.md` for pandas, DuckDB and R are run on what its command writes, where those are installed.

use std::process::Command;

use crate::common::markdown::{self, blocks};
use crate::common::program::{Folder, run};

/// Whether a command runs without a failure.
fn works(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}

#[test]
fn the_snippets_of_the_guide_run_on_what_its_command_writes() {
    let guide = markdown::read("docs/belief.md");
    let blocks = blocks(&guide);
    let mut commands = blocks.iter().filter(|(word, _)| *word == "sh").flat_map(|(_, text)| text.lines());
    let command = commands.find(|line| line.ends_with("--out krieg")).unwrap();
    let folder = Folder::new();
    run(&mut folder.program(command.strip_prefix("hyperplay ").unwrap()), 0);
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
        let output = Command::new(program).args([flag, text]).current_dir(folder.path("")).output().unwrap();
        let (shown, error) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{text}\n{error}");
        for sampler in ["hyperplay:enumerate=off", "hyperplay12"] {
            assert!(shown.contains(sampler), "{text}\n{shown}\n{error}");
        }
        println!("{shown}");
    }
    assert_eq!(found, 3);
}
