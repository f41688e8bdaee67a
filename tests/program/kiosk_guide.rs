//! The guide to the kiosk: its commands are run as they are written, on a port that is free.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;

use crate::common::markdown::{blocks, read};
use crate::common::program::{Folder, run, signal};

#[test]
fn every_command_of_the_guide_prints_the_address_of_a_page() {
    let guide = read("docs/kiosk.md");
    let folder = Folder::new();
    // The experiment that the guide watches.
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/experiments/kuhn_ladder.toml");
    run(folder.program("experiment run").arg(config).args(["--out", "kuhn", "--deals", "2"]), 0);
    let commands: Vec<&str> = blocks(&guide)
        .into_iter()
        .filter(|(kind, _)| *kind == "console")
        .flat_map(|(_, text)| text.lines())
        .collect();
    assert_eq!(commands.len(), 3, "{commands:?}");
    for command in commands {
        let words = command.strip_prefix("hyperplay ").unwrap_or_else(|| panic!("{command}"));
        let mut program = folder.program(&format!("{words} --port 0"));
        let mut child = program.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut printed = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        printed.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/'));
        let address = address.unwrap_or_else(|| panic!("{command}: {line}"));
        let ask = |path: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
            let mut page = String::new();
            stream.read_to_string(&mut page).unwrap();
            page
        };
        let page = ask("/");
        assert!(
            page.starts_with("HTTP/1.1 200") && page.contains("<title>hyperplay</title>"),
            "{command}: {page}"
        );
        if words.contains("--watch") {
            let state = ask("/api/watch");
            let of = state.split("\"of\":").nth(1).unwrap_or_else(|| panic!("{state}"));
            let of = of.split(',').next().unwrap();
            assert!(state.contains(&format!("\"done\":{of},")) && of != "0", "{state}");
            // A match that is not there is the mistake of who asks for it.
            let mut stream = TcpStream::connect(address).unwrap();
            let head = format!("Host: {address}\r\nContent-Type: application/json\r\nContent-Length: 16");
            write!(stream, "POST /api/watch/open HTTP/1.1\r\n{head}\r\n\r\n{{\"index\": 99999}}").unwrap();
            let mut told = String::new();
            stream.read_to_string(&mut told).unwrap();
            assert!(told.starts_with("HTTP/1.1 404") && told.contains("there is no match 99999"), "{told}");
        }
        signal(&child, "TERM");
        assert_eq!(child.wait().unwrap().code(), Some(0), "{command}");
    }
}
