//! Tests of the README: every command in it is run as it is written, and the output that it shows is compared.
//!
//! A block fenced as `sh` holds commands. `cargo run --release -- ...` and `hyperplay ...` are given to the binary
//! under test, `cargo run --release --example NAME -- ...` to that example. `cargo test --release`, the command that runs
//! this very test, must be what `.ci/run` calls. A block fenced as `text` directly after one command shows the standard
//! output of that command. Of a shell there is no more than `cat > NAME <<'END'`, which writes the lines up to `END` to a
//! file, and `> NAME` at the end of a command.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::markdown::{blocks, read};
use crate::common::program::{Folder, ended};

/// A command and the exit code that it announces, as in `hyperplay check x.kif   # exit code 1`; 0 without a word.
fn announced(line: &str) -> (&str, i32) {
    match line.split_once("# exit code ") {
        Some((command, code)) => (command.trim_end(), code.trim().parse().expect("an exit code is a number")),
        None => (line, 0),
    }
}

/// A command and the file that its standard output goes to, as in `hyperplay games nim > nim.kif`.
fn redirected(command: &str) -> (&str, Option<&str>) {
    match command.rsplit_once(" > ") {
        Some((command, name)) => (command, Some(name)),
        None => (command, None),
    }
}

/// Writes the file of `cat > NAME <<'END'`, if the line is that, with the lines up to `END`.
fn is_here_document<'a>(line: &str, lines: &mut impl Iterator<Item = &'a str>, folder: &Folder) -> bool {
    let name = line.strip_prefix("cat > ").and_then(|rest| rest.strip_suffix(" <<'END'"));
    if let Some(name) = name {
        let text: String = lines.take_while(|line| *line != "END").flat_map(|line| [line, "\n"]).collect();
        folder.write(name, &text);
    }
    name.is_some()
}

/// A command and what it reads from standard input: the lines up to `END` where it ends with `<<'END'`.
fn fed<'a>(command: &'a str, lines: &mut impl Iterator<Item = &'a str>) -> (&'a str, String) {
    match command.strip_suffix(" <<'END'") {
        Some(command) => {
            (command, lines.take_while(|line| *line != "END").flat_map(|line| [line, "\n"]).collect())
        }
        None => (command, String::new()),
    }
}

/// Runs a command that reads this text and must end with this exit code; returns its standard output.
fn run_fed(command: &mut Command, text: &str, code: i32) -> String {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut keyboard = child.stdin.take().unwrap();
    // Most commands read nothing, and may have ended before.
    let _ = keyboard.write_all(text.as_bytes());
    drop(keyboard);
    ended(command, child.wait_with_output().unwrap(), code).0
}

/// The words of a command line. Quotes keep words together.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for character in text.chars() {
        match character {
            '\'' | '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            other => words.last_mut().unwrap().push(other),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The command to run in a folder, if it is the program, an example, or one that edits a file.
fn ours(command: &str, folder: &Folder) -> Option<Command> {
    let program =
        command.strip_prefix("cargo run --release -- ").or_else(|| command.strip_prefix("hyperplay "));
    if let Some(arguments) = program {
        let mut command = folder.program("");
        command.args(words(arguments));
        return Some(command);
    }
    if command.starts_with("sed -i.bak ") {
        let words = words(command);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(folder.path("."));
        return Some(command);
    }
    let words = words(command.strip_prefix("cargo run --release --example ")?);
    let program = folder.program("");
    let binary = Path::new(program.get_program()).with_file_name("examples").join(&words[0]);
    assert!(
        binary.exists(),
        "`cargo test`, or `cargo build --examples` with the profile of the test, builds {}; a test program alone does not",
        binary.display()
    );
    let mut command = Command::new(binary);
    command.args(words.iter().skip(1).skip_while(|word| *word == "--"));
    command
        .current_dir(program.get_current_dir().expect("a command runs in its folder"))
        .stdin(Stdio::null());
    Some(command)
}

/// A folder that looks like the project, so that commands may write files.
fn checkout() -> Folder {
    let folder = Folder::new();
    for entry in ["games", "docs"] {
        let own = format!("{}/{entry}", env!("CARGO_MANIFEST_DIR"));
        std::os::unix::fs::symlink(own, folder.path(entry)).unwrap();
    }
    folder
}

/// Figures that depend on the computer are written as `...` in the README.
fn agrees(shown: &str, printed: &str) -> bool {
    let mut rest = printed;
    for (index, part) in shown.split("...").enumerate() {
        match rest.find(part) {
            Some(0) => rest = &rest[part.len()..],
            Some(at) if index > 0 => rest = &rest[at + part.len()..],
            _ => return false,
        }
    }
    rest.trim().is_empty() || shown.trim_end().ends_with("...")
}

fn run_all(file: &str) -> usize {
    let folder = checkout();
    let mut printed: Option<String> = None;
    let mut count = 0;
    for (word, lines) in blocks(&read(file)) {
        match word {
            "sh" => {
                let mut lines = lines.lines();
                while let Some(line) = lines.next() {
                    if line.is_empty() || line.starts_with('#') || is_here_document(line, &mut lines, &folder)
                    {
                        continue;
                    }
                    let (command, code) = announced(line);
                    let (command, text) = fed(command, &mut lines);
                    let (command, name) = redirected(command);
                    match ours(command, &folder) {
                        Some(mut command) => {
                            let output = run_fed(&mut command, &text, code);
                            match name {
                                Some(name) => folder.write(name, &output),
                                None => printed = Some(output),
                            }
                        }
                        None => {
                            assert_eq!(line, "cargo test --release", "{file}: a command that nothing tests");
                            assert!(read(".ci/run").lines().any(|run| run == line));
                        }
                    }
                    count += 1;
                }
            }
            "text" => {
                if let Some(printed) = printed.take() {
                    assert!(agrees(lines, &printed), "{file} shows\n{lines}\nbut it prints\n{printed}");
                }
            }
            _ => printed = None,
        }
    }
    pictures_are_made(file, &folder);
    count
}

/// What stands above a screenshot.
const SCREENSHOT: &str = "<!-- a screenshot, taken by hand -->";

/// A picture of a page is a file that its commands write: `<!-- made: FILE -->` stands in the line above
/// `![...](pictures/NAME)`. A screenshot of the page in a browser, which no command makes twice the same, says so instead. With `HYPERPLAY_REGENERATE=1` the picture is replaced.
fn pictures_are_made(file: &str, folder: &Folder) {
    let text = read(file);
    let lines: Vec<&str> = text.lines().collect();
    for pair in lines.windows(2).filter(|pair| pair[1].starts_with("![")) {
        let name = pair[1].split_once("](").and_then(|(_, rest)| rest.strip_suffix(')')).unwrap();
        if pair[0] == SCREENSHOT {
            let shown = Path::new(env!("CARGO_MANIFEST_DIR")).join(file).with_file_name("").join(name);
            let bytes = std::fs::read(&shown).unwrap_or_else(|error| panic!("{file}: {name}: {error}"));
            assert!(bytes.starts_with(b"\x89PNG"), "{file}: {name} is no screenshot");
            continue;
        }
        let made = pair[0].strip_prefix("<!-- made: ").and_then(|rest| rest.strip_suffix(" -->"));
        let made = folder.read(made.unwrap_or_else(|| panic!("{file}: nothing says what makes {name}")));
        let shown = Path::new(env!("CARGO_MANIFEST_DIR")).join(file).with_file_name("").join(name);
        if std::env::var_os("HYPERPLAY_REGENERATE").is_some() {
            std::fs::write(&shown, &made).unwrap();
        }
        assert!(
            std::fs::read_to_string(&shown).unwrap() == made,
            "{file}: {name} is not what its commands make"
        );
    }
}

#[test]
fn every_command_of_the_readme_does_what_it_says() {
    assert!(run_all("README.md") >= 8);
}

/// The pages in a folder of the project.
fn pages(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".md")).map(|name| format!("{folder}/{name}")).collect()
}

#[test]
fn every_command_of_the_tutorials_does_what_it_says() {
    let pages = pages("docs/tutorial");
    assert!(pages.len() >= 5, "{pages:?}");
    for file in pages {
        let commands = run_all(&file);
        assert!(commands > 0 || file.ends_with("/README.md"), "{file} has no command");
    }
    assert!(read("docs/tutorial/5-player.md").contains(&read("tests/examples/tutorial_player.rs")));
}

#[test]
fn every_command_of_the_guides_does_what_it_says() {
    for file in pages("docs") {
        run_all(&file);
    }
}

#[test]
fn a_difference_in_the_output_is_noticed() {
    assert!(agrees("a\nb ... c", "a\nb 12 c\n"));
    assert!(!agrees("a\nb ... d", "a\nb 12 c\n"));
    assert!(!agrees("a", "a\nb\n"));
}
