//! The rulesheets that tests run over.

use std::fs;
use std::path::{Path, PathBuf};

/// Path and text of every rulesheet of `games/`, and of the folder that the environment variable
/// `HYPERPLAY_RULESHEETS` names if it is set.
pub fn rulesheets() -> Vec<(String, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("games")];
    folders.extend(std::env::var_os("HYPERPLAY_RULESHEETS").map(PathBuf::from));
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "kif" || extension == "gdl") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let text =
        |path: &PathBuf| String::from_utf8_lossy(&fs::read(path).expect("the file can be read")).into_owned();
    paths.iter().map(|path| (path.display().to_string(), text(path))).collect()
}
