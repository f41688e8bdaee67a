//! The names that the documents print: what stands between backticks, and the commands of blocks fenced as `sh`.

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::markdown::{blocks, read};

/// Languages of blocks whose words a document makes up: files that the reader writes.
const MADE_UP: [&str; 6] = ["toml", "kif", "sidl", "sh", "py", "python"];

/// A document of the project.
pub struct Document {
    pub path: String,
    pub printed: Vec<Printed>,
    /// The words of the files that the reader is asked to write.
    pub made_up: BTreeSet<String>,
}

/// What stands between backticks, or a command.
pub struct Printed {
    pub line: usize,
    pub text: String,
    /// Where a path may begin: the folders that the line has named so far, or else the section.
    pub folders: Vec<String>,
}

/// The paths of all documents, sorted. `CHANGELOG.md` is none: old and new names stand side by side there. Nor is `docs/python.md`, whose names
/// are those of Python: the tests of that package run its examples.
pub fn documents() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut open = vec!["docs".to_owned()];
    let mut found = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(root.join(&folder)).unwrap() {
            let name = format!("{folder}/{}", entry.unwrap().file_name().to_string_lossy());
            if root.join(&name).is_dir() {
                open.push(name);
            } else if name.ends_with(".md") && name != "docs/python.md" {
                found.push(name);
            }
        }
    }
    found.sort();
    found
}

/// The words of a text: letters, digits, `_`, `-` and `+`.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || "_-+".contains(letter)))
}

/// The commands of a block, each on one line, without what follows `|`, `>`, `<` or `#`.
fn commands(block: &str) -> impl Iterator<Item = String> {
    let joined = block.replace("\\\n", " ");
    let lines: Vec<String> = joined.lines().map(str::to_owned).collect();
    lines.into_iter().filter(|line| ["hyperplay ", "cargo "].iter().any(|own| line.starts_with(own))).map(
        |line| {
            let end = [" | ", " > ", " <", " # ", " && ", ";"].iter().filter_map(|end| line.find(end)).min();
            line[..end.unwrap_or(line.len())].trim().to_owned()
        },
    )
}

/// A text without its fenced blocks, which become empty lines.
fn without_blocks(text: &str) -> String {
    let mut is_inside = false;
    let mut out = String::new();
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        out.push_str(if is_inside || is_fence { "" } else { line });
        out.push('\n');
        is_inside ^= is_fence;
    }
    out
}

/// Reads a document.
pub fn document(path: &str) -> Document {
    of(path, &read(path))
}

/// The documentation in a source file. Paths in it may begin in the folder of the file, or in the one of its module.
pub fn comments(path: &str, source: &str) -> Document {
    let lines = source.lines().map(|line| {
        let line = line.trim_start();
        let text = line.strip_prefix("//!").or_else(|| line.strip_prefix("///")).unwrap_or_default();
        format!("{}\n", text.strip_prefix(' ').unwrap_or(text))
    });
    let mut document = of(path, &lines.collect::<String>());
    let own = Path::new(path);
    let folders = [own.parent().unwrap().to_owned(), own.with_extension("")];
    for printed in &mut document.printed {
        printed.folders = folders.iter().map(|folder| folder.display().to_string()).collect();
    }
    document
}

/// The document of this text.
pub fn of(path: &str, text: &str) -> Document {
    let mut document = Document { path: path.to_owned(), printed: Vec::new(), made_up: BTreeSet::new() };
    for (language, block) in blocks(text) {
        if MADE_UP.contains(&language) {
            document.made_up.extend(words(block).map(str::to_owned));
        }
        if language == "sh" {
            let line = 1 + text[..block.as_ptr() as usize - text.as_ptr() as usize].matches('\n').count();
            let found = commands(block).map(|text| Printed { line, text, folders: Vec::new() });
            document.printed.extend(found);
        }
    }
    let prose = without_blocks(text);
    let mut line = 1;
    let mut named: Vec<(usize, String)> = Vec::new();
    // A span does not go on beyond its paragraph.
    for paragraph in prose.split_inclusive("\n\n") {
        for (place, part) in paragraph.split('`').enumerate() {
            if place % 2 == 1 {
                let text = part.split_whitespace().collect::<Vec<_>>().join(" ").replace("\\|", "|");
                if text.starts_with("src/") && !text.ends_with(".rs") {
                    named.push((line, text.clone()));
                }
                let is_here = named.iter().any(|(place, _)| *place == line);
                let near = named.iter().filter(|(place, _)| !is_here || *place == line);
                let folders = near.map(|(_, folder)| folder.clone()).collect();
                document.printed.push(Printed { line, text, folders });
            } else if part.starts_with('#') || part.contains("\n#") {
                named.clear();
            }
            line += part.matches('\n').count();
        }
    }
    document
}
