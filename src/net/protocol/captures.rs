//! Captured matches, for tests: the messages that existing game masters sent, from the folder that `HYPERPLAY_WIRE`
//! names.
//!
//! A file holds one match as requests: a line `--- TIME request head:`, the head as a quoted line `b'...'`, a line
//! `body (N bytes, content-length N):`, and the N bytes of the body.

use std::fs;

/// One request of a game master.
pub(crate) struct CapturedRequest {
    /// The head without the empty line at its end.
    pub(crate) head: String,
    pub(crate) body: String,
}

/// The requests of every file, in the order of the names; `None`, with a line that says so, where the folder is not
/// named.
pub(crate) fn captures() -> Option<Vec<(String, Vec<CapturedRequest>)>> {
    let Some(folder) = std::env::var_os("HYPERPLAY_WIRE") else {
        println!("skipped: HYPERPLAY_WIRE is not set");
        return None;
    };
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "txt"));
    files.sort();
    assert!(!files.is_empty(), "the folder has no .txt file");
    let read = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, requests(&fs::read_to_string(path).unwrap()))
    };
    Some(files.iter().map(read).collect())
}

fn requests(text: &str) -> Vec<CapturedRequest> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("request head:\nb'") {
        let (head, after) = after.split_once("'\nbody (").unwrap();
        let (length, after) = after.split_once(" bytes").unwrap();
        let (_, body) = after.split_once(":\n").unwrap();
        let (body, after) = body.split_at(length.parse().unwrap());
        found.push(CapturedRequest { head: head.replace("\\r\\n", "\r\n"), body: body.to_owned() });
        rest = after;
    }
    found
}
