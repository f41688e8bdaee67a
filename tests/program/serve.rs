//! The player server: matches that existing game masters have sent, and many matches at a time.
//!
//! The captured matches are not part of the project: the environment variable `HYPERPLAY_WIRE` names their folder. Without it the
//! test says that it is skipped. Every answer is held against what is legal in all states that explain the messages.

use std::time::Duration;

use serde_json::Value;

use super::player_server::{ServedPlayer, exchange, posted};
use super::possible_states::{PossibleStates, members};
use crate::common::program::{program, run};

/// A player that decides within some milliseconds.
const QUICK: &str = "--player hyperplay:particles=50,playouts=200";

/// Sends the messages of one match, byte for byte, and judges every answer.
fn replayed(server: &ServedPlayer, name: &str, requests: &[Vec<u8>]) {
    let bodies: Vec<String> = requests
        .iter()
        .map(|request| {
            String::from_utf8(request.clone()).unwrap().split_once("\r\n\r\n").unwrap().1.to_owned()
        })
        .collect();
    let start = members(&bodies[0]);
    let clock = |at: usize| Duration::from_secs_f64(start[at].parse().unwrap());
    let mut judge = PossibleStates::new(&bodies[0]);
    assert!(server.answer(&requests[0], clock(4)).eq_ignore_ascii_case("ready"), "{name}");
    let (last, plays) = requests.split_last().unwrap();
    for (request, body) in plays.iter().zip(&bodies).skip(1) {
        let answer = server.answer(request, clock(5));
        judge.hear(body);
        let legal = judge.legal();
        assert!(legal.contains(&answer), "{name}: {body}: {answer} is none of {legal:?}");
    }
    assert!(server.answer(last, clock(5)).eq_ignore_ascii_case("done"), "{name}");
    judge.hear(&bodies[bodies.len() - 1]);
    assert!(judge.may_be_over(), "{name}");
}

/// Plays all matches side by side on one server, and verifies the records that it keeps.
fn replayed_at_once(matches: &[(String, Vec<Vec<u8>>)]) {
    let server = ServedPlayer::new(&format!("{QUICK} --matches {} --record records", matches.len()));
    std::thread::scope(|scope| {
        let playing: Vec<_> = matches
            .iter()
            .map(|(name, requests)| scope.spawn(|| replayed(&server, name, requests)))
            .collect();
        for (player, (name, _)) in playing.into_iter().zip(matches) {
            assert!(player.join().is_ok(), "{name}");
        }
    });
    let folder = server.stop();
    let records = folder.read("records/matches.jsonl");
    assert_eq!(records.lines().count(), matches.len());
    for line in records.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!(record["outcome"], "stopped", "{line}");
    }
    run(&mut folder.program("verify records/matches.jsonl"), 0);
}

/// The requests of a captured match: `request head:`, the head as a quoted line, and a body of so many bytes.
fn requests(captured: &str) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut rest = captured;
    while let Some((_, after)) = rest.split_once("request head:\nb'") {
        let (head, after) = after.split_once("'\nbody (").unwrap();
        let (length, after) = after.split_once(" bytes").unwrap();
        let (body, after) = after.split_once(":\n").unwrap().1.split_at(length.parse().unwrap());
        found.push(format!("{}\r\n\r\n{body}", head.replace("\\r\\n", "\r\n")).into_bytes());
        rest = after;
    }
    found
}

#[test]
fn every_captured_match_is_answered_with_legal_moves_in_time() {
    let Some(folder) = std::env::var_os("HYPERPLAY_WIRE") else {
        println!("skipped: HYPERPLAY_WIRE is not set");
        return;
    };
    let mut matches = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "txt") {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            matches.push((name, requests(&std::fs::read_to_string(path).unwrap())));
        }
    }
    assert!(matches.len() >= 9 && matches.iter().all(|(_, requests)| requests.len() >= 5));
    replayed_at_once(&matches);
}

/// A game in which an arrow points somewhere, as an old game master writes it.
const ARROW: &str = "((ROLE SEEKER) (ROLE HIDER) (ROLE RANDOM) (INIT (TURN 1)) (PLACE LEFT) (PLACE RIGHT) \
    (<= (LEGAL SEEKER (LOOK ?P)) (PLACE ?P)) (<= (LEGAL HIDER (GO ?P)) (PLACE ?P) (NOT (TRUE (AT HIDER ?P)))) \
    (<= (LEGAL SEEKER (POINT ?P)) (TRUE (LOOKED ?P))) (<= (LEGAL RANDOM (WIND ?P)) (PLACE ?P)) \
    (<= (NEXT (AT HIDER ?P)) (DOES HIDER (GO ?P))) (<= (NEXT (LOOKED ?P)) (DOES SEEKER (LOOK ?P))) \
    (<= (SEES SEEKER (WIND ?P)) (DOES RANDOM (WIND ?P))) (<= (SEES SEEKER (DID ?M)) (DOES SEEKER ?M)) \
    (<= (NEXT (TURN ?N)) (TRUE (TURN ?M)) (AFTER ?M ?N)) (AFTER 1 2) (AFTER 2 3) (AFTER 3 4) \
    (<= TERMINAL (TRUE (TURN 4))) (<= (GOAL SEEKER 100) (TRUE (AT HIDER ?P)) (TRUE (LOOKED ?P))) \
    (GOAL HIDER 50) (GOAL RANDOM 0) )";

#[test]
fn recorded_moves_that_are_not_those_that_were_answered_are_followed() {
    let requests = |bodies: &[String]| bodies.iter().map(|body| posted(body)).collect::<Vec<Vec<u8>>>();
    // In the official dialect the game master names the move that it has recorded; in that of 2011 it shows in the percepts.
    let matches = |look: &str| {
        let official = [
            format!("(START arrow_{look} SEEKER {ARROW} 3 1)"),
            format!("(PLAY arrow_{look} 0 NIL NIL)"),
            format!("(PLAY arrow_{look} 1 (LOOK {look}) ((WIND LEFT) (DID (LOOK {look})) ))"),
            format!("(PLAY arrow_{look} 2 (POINT {look}) ((DID (POINT {look})) (WIND RIGHT) ))"),
            format!("(STOP arrow_{look} 3 (LOOK RIGHT) ((WIND LEFT) (DID (LOOK RIGHT)) ))"),
        ];
        let of_2011 = [
            format!("(START old_{look} SEEKER {ARROW} 3 1)"),
            format!("(PLAY old_{look} NIL)"),
            format!("(PLAY old_{look} ((DID (LOOK {look})) (WIND LEFT) ))"),
            format!("(PLAY old_{look} ((WIND RIGHT) (DID (POINT {look})) ))"),
            format!("(STOP old_{look} ((WIND LEFT) (DID (LOOK LEFT)) ))"),
        ];
        [(format!("official {look}"), requests(&official)), (format!("2011 {look}"), requests(&of_2011))]
    };
    // The player looks one way in the first step, so one of the two was not its move.
    replayed_at_once(&[matches("LEFT"), matches("RIGHT")].concat());
}

#[test]
fn a_match_that_is_running_at_the_end_of_the_server_keeps_its_record() {
    let server =
        ServedPlayer::new("--player hyperplay:search=uct,playouts=1000000000 --matches 3 --record records");
    let begin = |id: &str, clocks: &str| {
        assert_eq!(
            server.answer(&posted(&format!("(START {id} SEEKER {ARROW} {clocks})")), Duration::from_secs(5)),
            "ready"
        );
    };
    begin("waiting", "3 1");
    server.answer(&posted("(PLAY waiting 0 NIL NIL)"), Duration::from_secs(1));
    begin("aborted", "3 1");
    assert_eq!(server.answer(&posted("(ABORT aborted)"), Duration::from_secs(1)), "aborted");
    // A clock of minutes, of which a player that searches by time would use all.
    begin("thinking", "3 600");
    let address = server.address;
    let thinking = std::thread::spawn(move || {
        exchange(address, &posted("(PLAY thinking 0 NIL NIL)"), Duration::from_secs(60))
    });
    std::thread::sleep(Duration::from_millis(300));
    let folder = server.stop();
    // It was answered, or the connection was closed.
    let _ = thinking.join().unwrap();
    let records = folder.read("records/matches.jsonl");
    let outcomes: std::collections::BTreeMap<String, String> = records
        .lines()
        .map(|line| {
            let record: Value = serde_json::from_str(line).unwrap();
            let text = |key: &str| record[key].as_str().unwrap_or_else(|| panic!("{key}: {line}")).to_owned();
            (text("match"), text("outcome"))
        })
        .collect();
    let expected = [("aborted", "aborted"), ("thinking", "interrupted"), ("waiting", "interrupted")];
    assert_eq!(outcomes, expected.map(|(id, outcome)| (id.to_owned(), outcome.to_owned())).into());
    run(&mut folder.program("verify records/matches.jsonl"), 0);
}

/// Plays matches of two servers, 8 at a time, with clocks of a second, in two parts; returns the memory of both after each part.
fn many(first: usize, second: usize) -> [[u64; 2]; 2] {
    let players = ["hyperplay:particles=50,playouts=200", "hyperplay:particles=20,playouts=100"];
    let servers =
        players.map(|player| ServedPlayer::new(&format!("--player {player} --matches 8 --log warn")));
    let part = |matches: usize, seed: u64| {
        let words = format!(
            "host krieg_tictactoe_3x3 x={} o={} --matches {matches} --at-once 8 --startclock 1 \
             --playclock 1 --seed {seed} --json",
            servers[0].url(),
            servers[1].url()
        );
        let report: Value = serde_json::from_str(&run(&mut program(&words), 0).0).unwrap();
        assert_eq!((&report["matches"], &report["faults"]), (&matches.into(), &0.into()), "{report}");
        let memory = servers.each_ref().map(|server| server.memory("VmRSS"));
        println!("{matches} matches: {memory:?} MiB");
        memory
    };
    let memory = [part(first, 1), part(second, 2)];
    servers.into_iter().for_each(|server| {
        server.stop();
    });
    memory
}

#[test]
fn matches_are_played_side_by_side_without_a_fault() {
    many(8, 16);
}

#[test]
#[ignore = "takes minutes"]
fn a_thousand_matches_are_played_without_a_fault_and_memory_stays_flat() {
    let [early, late] = many(200, 800);
    for (early, late) in early.into_iter().zip(late) {
        assert!(late <= early + early / 4 + 8, "{early} MiB after 200 matches, {late} MiB at the end");
    }
}
