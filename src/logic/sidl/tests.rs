//! Tests of the reader and the checks: texts with what must be found, the games of the project, and mutations of them.

use std::fs;
use std::path::{Path, PathBuf};

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::gdl::{Finding, Severity, Source, Syntax, print, render};

use super::{Interaction, Selector, load};

fn games() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/sidl");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() > 9);
    paths
}

#[test]
fn show() {
    for path in games() {
        let loaded = load(Source::new(
            path.file_name().unwrap().to_str().unwrap(),
            fs::read_to_string(&path).unwrap(),
        ));
        println!("{}", render(&loaded.findings, &loaded.rulesheet.source, false));
    }
}
