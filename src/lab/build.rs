//! Tells the program its commit, which stands in the headers of records: the last one that changed the sources. None
//! where they are in no repository, as in a tarball.

use std::process::Command;

fn git(arguments: &[&str]) -> Option<String> {
    let ran = Command::new("git").args(arguments).output().ok().filter(|ran| ran.status.success())?;
    let said = String::from_utf8(ran.stdout).ok()?.trim().to_owned();
    (!said.is_empty()).then_some(said)
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let Some(commit) = git(&["log", "-1", "--format=%H", "--", "../.."]) else { return };
    println!("cargo::rustc-env=HYPERPLAY_COMMIT={commit}");
    // It has a line for whatever changes the commit. A path that is not there would build the crate at every call.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"]);
    if let Some(log) = log.filter(|log| std::path::Path::new(log).exists()) {
        println!("cargo::rerun-if-changed={log}");
    }
}
