//! `hyperplay check-player` against small servers that are broken in one way each, whose checks fail and whose exit code says so,
//! and against `hyperplay serve`, which passes.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::common::program::{json, program, stderr, stdout};
use crate::scripted_player::{Manner, ScriptedPlayer};

/// Names and verdicts of the checks of a report.
fn verdicts(report: &Value) -> Vec<(&str, &str)> {
    let text = |check: &'_ Value, key: &str| check[key].as_str().is_some_and(|text| !text.is_empty());
    let checks = report["checks"].as_array().unwrap();
    assert!(checks.iter().all(|check| text(check, "about")));
    checks.iter().map(|check| (check["name"].as_str().unwrap(), check["verdict"].as_str().unwrap())).collect()
}

#[test]
fn what_a_player_lacks_fails_with_the_bytes_and_the_exit_code_is_one() {
    let player = ScriptedPlayer::new(Manner::Says("(turnOn Left)"));
    let only = "--only start --only gdl2 --only upper-case --only closes --only clocks";
    let report = json(&format!("check-player {} {only}", player.url), 1);
    let expected =
        [("start", "pass"), ("gdl2", "fail"), ("upper-case", "fail"), ("closes", "pass"), ("clocks", "pass")];
    // It knows one move only, and in the letters of other rules.
    assert_eq!(verdicts(&report), expected, "{report:#}");
    assert_eq!(report["failed"].as_u64().unwrap() + report["passed"].as_u64().unwrap(), 5);
    let gdl2 = &report["checks"][1];
    assert!(
        gdl2["reason"]
            .as_str()
            .unwrap()
            .starts_with("`(turnOn Left)` is not legal in step 2; legal: (LIGHTUP ")
    );
    let said = gdl2["exchanges"].as_array().unwrap();
    assert!(said[0]["sent"].as_str().unwrap().starts_with("(START check"), "{gdl2:#}");
    assert!(said[1]["received"].as_str().unwrap().ends_with("\r\n\r\n(turnOn Left)"), "{gdl2:#}");
}

#[test]
fn a_player_that_passes_ends_with_zero_and_the_table_says_so() {
    let player = ScriptedPlayer::new(Manner::Says("noop"));
    let table = stdout(&format!("check-player {} --only closes --only reply-form", player.url), 0);
    assert!(table.contains("\ncloses           pass "), "{table}");
    assert!(table.contains("\n2 checks passed, 0 failed, 0 skipped in "), "{table}");
    assert!(player.messages().iter().any(|message| message.starts_with("(ABORT check")));
}

#[test]
fn the_table_shows_what_was_said_shortened() {
    let player = ScriptedPlayer::new(Manner::Says("noop"));
    let table = stdout(&format!("check-player {} --only gdl1 --bytes 60", player.url), 1);
    assert!(
        table.contains("\ngdl1 failed: `noop` is not legal in step 1; legal: (SHOWCARD BLUE)"),
        "{table}"
    );
    let sent = table.lines().find(|line| line.starts_with("  sent     (START")).unwrap();
    assert!(sent.contains(" bytes more]") && sent.len() < 120, "{sent}");
    assert!(table.contains(r"  received HTTP/1.0 200 OK\r\n"), "{table}");
}

#[test]
fn a_silent_player_fails_and_the_command_ends() {
    let player = ScriptedPlayer::new(Manner::Silent);
    let clocks = "--startclock 0.2 --playclock 0.2";
    let report = json(&format!("check-player {} {clocks} --only gdl2 --only repeated-play", player.url), 1);
    assert_eq!(verdicts(&report), [("gdl2", "fail"), ("repeated-play", "fail")]);
    let last = report["checks"][0]["exchanges"].as_array().unwrap().last().unwrap();
    assert_eq!(last["error"], "the time was up while the answer was awaited");
}

#[test]
fn a_player_that_is_not_there_and_wrong_arguments_are_told() {
    let text = stderr("check-player http://127.0.0.1:1", 1);
    assert!(text.contains("is the player started, and is this its port?"), "{text}");
    assert!(
        text.ends_with(
            "\n  start the player, as with `hyperplay serve`, or give the address that it prints\n"
        ),
        "{text}"
    );
    let text = stderr("check-player https://127.0.0.1", 2);
    assert!(text.contains("https is not spoken"), "{text}");
    for wrong in ["http://127.0.0.1:port", "http://me@127.0.0.1", "127.0.0.1"] {
        let text = stderr(&format!("check-player {wrong}"), 2);
        assert!(text.ends_with("\n  write it as in http://127.0.0.1:9147\n"), "{text}");
    }
    let text = stderr("check-player http://127.0.0.1 --only everything", 2);
    assert!(text.contains("two-matches"), "{text}");
    let text = stderr("check-player http://127.0.0.1 --playclock 0", 2);
    assert!(text.contains("give 0.1 or more"), "{text}");
    let text = stderr("check-player http://127.0.0.1 --playclock=-1", 2);
    assert!(!text.is_empty());
}

/// `hyperplay serve` at a port of its own; the test ends it.
struct Served(Child, String);

impl Served {
    fn new(arguments: &str) -> Served {
        let mut command = program(&format!("serve --port 0 --seed 1 {arguments}"));
        // Nobody reads its log, which must not fill a pipe.
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        Served(child, line.trim().to_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn our_own_player_server_passes_every_check() {
    for (arguments, skipped) in [("--matches 4", 0), ("--matches 1 --player random", 1)] {
        let served = Served::new(arguments);
        let report = json(&format!("check-player {}", served.1), 0);
        assert_eq!((&report["failed"], &report["skipped"]), (&0.into(), &skipped.into()), "{report:#}");
        assert_eq!(verdicts(&report).len(), 30);
    }
}
