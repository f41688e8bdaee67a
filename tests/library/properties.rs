//! No test draws its cases by chance: every property test has the settings of `common::property`, whose seed is fixed.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, out),
            false if path.extension().is_some_and(|extension| extension == "rs") => out.push(path),
            false => {}
        }
    }
}

/// The property tests of a text, and how many of them have settings of their own.
fn counted(text: &str) -> (usize, usize) {
    let blocks = text.split(concat!("proptest", "! {")).skip(1);
    let is_seeded = |block: &str| {
        let settings = block.trim_start().strip_prefix("#![proptest_config(").unwrap_or_default();
        settings.starts_with("property::cases(")
    };
    blocks.fold((0, 0), |(all, wrong), block| (all + 1, wrong + usize::from(!is_seeded(block))))
}

#[test]
fn every_property_test_draws_from_the_one_seed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    ["src", "tests", "benches"].iter().for_each(|folder| sources(&root.join(folder), &mut files));
    let mut found = 0;
    for file in files {
        let (all, wrong) = counted(&fs::read_to_string(&file).unwrap());
        found += all;
        assert_eq!(wrong, 0, "{}: a property test without property::cases(...)", file.display());
    }
    assert!(found >= 9, "{found}");
    assert_eq!(counted(concat!("proptest", "! {\n #[test]\n fn by_chance() {}\n}")), (1, 1));
}
