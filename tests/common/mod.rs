//! Helpers that several tests share: rulesheets in this file; machines, distributions, calls of the program, blocks of Markdown and
//! parsed source files in the files beside it.
#![allow(dead_code, reason = "each test uses a part")]

pub mod distribution;
pub mod machines;
pub mod markdown;
pub mod program;
pub mod property;
pub mod sources;

use std::fs;
use std::path::{Path, PathBuf};

use hyperplay::gdl::{Loaded, Source, load};

/// A folder of `games/`.
pub fn games(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(folder)
}

fn is_rulesheet(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "kif" || extension == "gdl")
}

/// The rulesheets in a folder, sorted.
pub fn rulesheets_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| is_rulesheet(path));
    paths.sort();
    paths
}

/// The rulesheets of the project that are games as the language has it: all but the broken ones, and those that show a
/// dialect or a repair.
pub fn games_of_the_house() -> Vec<PathBuf> {
    ["perfect", "imperfect"].iter().flat_map(|folder| rulesheets_in(&games(folder))).collect()
}

/// The text of a rulesheet. Invalid UTF-8 is replaced in those of the field; those of the project are valid.
pub fn text(path: &Path) -> String {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert!(!path.starts_with(games("")) || text.as_bytes() == bytes, "{} is UTF-8", path.display());
    text
}

/// A rulesheet with its findings.
pub fn loaded(path: &Path) -> Loaded {
    load(Source::new(path.display().to_string(), text(path)), None)
}

/// The folder of the rulesheets of the field, if the environment variable `HYPERPLAY_RULESHEETS` names it.
pub fn field() -> Option<PathBuf> {
    let folder = std::env::var_os("HYPERPLAY_RULESHEETS").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: HYPERPLAY_RULESHEETS is not set");
    }
    folder
}

/// The rulesheets of the field that are refused although they are meant to be games, with the lines of the errors. All of
/// these are variables that only `distinct` or a negation names, and that nothing binds; systems disagree on what they mean.
pub const REFUSED: [(&str, &[usize]); 2] =
    [("7wonders.kif", &[1154, 1161, 1188, 1194, 1200]), ("ii_meier.gdl", &[117])];

/// The rulesheets of the field that are games, if they are there.
pub fn games_of_the_field() -> Option<Vec<PathBuf>> {
    let field = field()?;
    let is_refused = |path: &PathBuf| REFUSED.iter().any(|(file, _)| path.ends_with(file));
    let paths = ["gdl1", "gdl2"].iter().flat_map(|part| rulesheets_in(&field.join(part)));
    Some(paths.filter(|path| !is_refused(path)).collect())
}

/// Path and text of every rulesheet of `games/` and of the field.
pub fn rulesheets() -> Vec<(String, String)> {
    let mut folders = vec![games("")];
    folders.extend(field());
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if is_rulesheet(&path) {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths.iter().map(|path| (path.display().to_string(), text(path))).collect()
}
