//! The guide to the network: its commands are run as they are written, with the addresses of this computer.

use std::net::TcpListener;
use std::process::Stdio;

use crate::common::markdown::{blocks, read};
use crate::common::program::{Folder, run, signal};

#[test]
fn the_match_between_two_computers_is_played() {
    let guide = read("docs/network.md");
    let commands: Vec<String> = blocks(&guide)
        .into_iter()
        .filter(|(kind, _)| *kind == "console")
        .flat_map(|(_, text)| text.lines().map(str::to_owned))
        .collect();
    let [serve, asked @ ..] = &commands[..] else { panic!("there are commands") };
    assert_eq!(asked.len(), 3, "{commands:?}");
    let readme = read("README.md");
    let (_, shown) = blocks(&readme).into_iter().find(|(kind, _)| *kind == "console").unwrap();
    assert!(shown.lines().eq(&commands), "the README shows other commands");
    // The computer of the guide is this one, and the port one that is free.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let here = |command: &str| {
        let words = command.strip_prefix("hyperplay ").unwrap_or_else(|| panic!("{command}"));
        words
            .replace("0.0.0.0", "127.0.0.1")
            .replace("10.0.0.1", "127.0.0.1")
            .replace("9147", &port.to_string())
    };
    let (first, second) = (Folder::new(), Folder::new());
    let mut server = first.program(&here(serve));
    let mut server = server.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(server.try_wait().unwrap().is_none(), "{serve}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    for command in asked {
        let (printed, _) = run(&mut second.program(&here(command)), 0);
        assert!(!printed.is_empty(), "{command}");
    }
    signal(&server, "TERM");
    assert_eq!(server.wait().unwrap().code(), Some(0));
    run(&mut first.program("verify records/matches.jsonl"), 0);
    assert!(first.read("records/matches.jsonl").lines().count() >= 10);
}
