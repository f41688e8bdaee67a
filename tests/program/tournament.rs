//! A tournament: ten games by `serve` and `host`, with the default player and play clocks of 1, 3 and 10 seconds.
//!
//! Every match is a line of a file, so a tournament that was cut short goes on where it was:
//!
//! ```text
//! HYPERPLAY_TOURNAMENT=/tmp/tournament.jsonl cargo test --release --test program tournament:: -- --ignored --nocapture --test-threads 1
//! ```
//!
//! `HYPERPLAY_AT_ONCE=2` plays two matches at a time: half the time, and the players share the cores. The long forms need
//! a quiet machine. The short form counts what went wrong and asks nothing of the time.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::player_server::ServedPlayer;
use crate::common::program::{program, run};

/// The games, with their roles.
const GAMES: [(&str, [&str; 2]); 10] = [
    ("tictactoe", ["x", "o"]),
    ("connect_four", ["red", "white"]),
    ("breakthrough", ["white", "black"]),
    ("hex_5x5", ["black", "white"]),
    ("krieg_tictactoe_3x3", ["x", "o"]),
    ("krieg_tictactoe_5x5", ["x", "o"]),
    ("blind_breakthrough_5x5", ["white", "black"]),
    ("battleships_small", ["red", "blue"]),
    ("leduc_poker", ["alice", "bob"]),
    ("goofspiel_4_imperfect", ["alice", "bob"]),
];

/// Play clocks in seconds, and matches of each game.
const CLOCKS: [(u32, u64); 3] = [(1, 20), (3, 4), (10, 1)];

/// A match, as its line: its faults by kind, whether it came to its end, the longest answer, and the playouts of each
/// decision that no exact method ended.
fn played(game: &str, roles: [&str; 2], clock: u32, seed: u64) -> Value {
    let servers = roles.map(|_| ServedPlayer::new("--log debug --log-format json"));
    let seats: Vec<String> =
        roles.iter().zip(&servers).map(|(role, server)| format!("{role}={}", server.url())).collect();
    let report =
        hosted(&format!("{game} {} --startclock 5 --playclock {clock} --seed {seed}", seats.join(" ")));
    let mut playouts = Vec::new();
    for server in servers {
        let log = server.stop().read("log.txt");
        let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let decided = lines.filter(|line| line["fields"]["message"] == "decided");
        playouts
            .extend(decided.filter_map(|line| line["fields"]["playouts"].as_u64()).filter(|&made| made > 0));
    }
    let mut faults = BTreeMap::<String, u64>::new();
    let by_role = report["faults_by_role"].as_object().unwrap();
    for (kind, count) in by_role.values().flat_map(|kinds| kinds.as_object().unwrap()) {
        *faults.entry(kind.clone()).or_default() += count.as_u64().unwrap();
    }
    let decisions = report["decisions"].as_object().unwrap().values();
    let longest = decisions.filter_map(|of| of["latest_seconds"].as_f64()).fold(0.0, f64::max);
    json!({
        "game": game, "clock": clock, "match": seed, "faults": faults, "over": report["unfinished"] == json!({}),
        "longest": longest, "playouts": playouts,
    })
}

/// The report of `host` with these words.
fn hosted(words: &str) -> Value {
    serde_json::from_str(&run(&mut program(&format!("host {words} --json")), 0).0).unwrap()
}

/// The sum of the faults of one kind over some matches.
fn sum(lines: &[Value], kind: &str) -> u64 {
    lines.iter().filter_map(|line| line["faults"][kind].as_u64()).sum()
}

/// The median of the playouts a decision over some matches.
fn median(lines: &[Value]) -> u64 {
    let all = lines.iter().flat_map(|line| line["playouts"].as_array().unwrap());
    let mut all: Vec<u64> = all.map(|made| made.as_u64().unwrap()).collect();
    all.sort_unstable();
    all.get(all.len() / 2).copied().unwrap_or(0)
}

/// What was counted, as a line for each of the groups.
fn print(lines: &[Value], group: &str) {
    let mut groups = BTreeMap::<String, Vec<Value>>::new();
    for line in lines {
        let name = format!("{:>22} {:>2} s", line[group].as_str().unwrap_or("all"), line["clock"]);
        groups.entry(name).or_default().push(line.clone());
    }
    for (name, lines) in groups {
        let [illegal, late, lost] = ["illegal", "late", "unreachable"].map(|kind| sum(&lines, kind));
        let unfinished = lines.iter().filter(|line| line["over"] != true).count();
        let longest = lines.iter().filter_map(|line| line["longest"].as_f64()).fold(0.0, f64::max);
        println!(
            "{name}: {} matches; illegal {illegal}, late {late}, lost {lost}, unfinished {unfinished}; {} playouts a \
             decision (median); longest answer {longest:.2} s",
            lines.len(),
            median(&lines)
        );
    }
}

#[test]
fn two_matches_of_a_second_are_played_without_an_illegal_or_lost_answer() {
    let lines: Vec<Value> = [GAMES[4], GAMES[8]].map(|(game, roles)| played(game, roles, 1, 1)).into();
    print(&lines, "game");
    // On a busy machine an answer may be late, and nothing else may go wrong.
    assert_eq!(["illegal", "unreachable", "crashed"].map(|kind| sum(&lines, kind)), [0; 3], "{lines:?}");
    assert!(lines.iter().all(|line| line["over"] == true), "{lines:?}");
    assert!(lines.iter().any(|line| !line["playouts"].as_array().unwrap().is_empty()), "{lines:?}");
}

/// The matches of a tournament as lines of its file: `play` plays those that the file does not have yet. A line is that
/// of a match if it has all entries of `of`.
fn all_played<T: Sync>(
    matches: &[T],
    of: impl Fn(&T) -> Value + Sync,
    play: impl Fn(&T) -> Value + Sync,
) -> Vec<Value> {
    let path =
        std::env::var_os("HYPERPLAY_TOURNAMENT").expect("HYPERPLAY_TOURNAMENT names the file of the matches");
    let at_once = std::env::var("HYPERPLAY_AT_ONCE").map_or(1, |text| text.parse::<usize>().unwrap());
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let mut file = OpenOptions::new().create(true).append(true).open(&path).unwrap();
    if !text.is_empty() && !text.ends_with('\n') {
        file.write_all(b"\n").unwrap();
    }
    let old: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let is_of = |line: &Value, of: &Value| of.as_object().unwrap().iter().all(|(key, is)| line[key] == *is);
    let (next, lines) = (AtomicUsize::new(0), Mutex::new((file, Vec::new())));
    let worker = || {
        while let Some(one) = matches.get(next.fetch_add(1, Ordering::Relaxed)) {
            let known = old.iter().find(|line| is_of(line, &of(one))).cloned();
            let line = known.clone().unwrap_or_else(|| play(one));
            let (file, lines) = &mut *lines.lock().unwrap();
            if known.is_none() {
                writeln!(file, "{line}").unwrap();
            }
            lines.push(line);
        }
    };
    std::thread::scope(|scope| (0..at_once).for_each(|_| _ = scope.spawn(worker)));
    lines.into_inner().unwrap().1
}

#[test]
#[ignore = "takes about three hours on a quiet machine"]
fn a_tournament_has_no_illegal_late_or_lost_answer_and_the_clock_is_used() {
    let each = CLOCKS.into_iter().flat_map(|(clock, matches)| {
        (0..matches).flat_map(move |seed| GAMES.map(|(game, roles)| (game, roles, clock, seed)))
    });
    let lines = all_played(
        &each.collect::<Vec<_>>(),
        |(game, _, clock, seed)| json!({ "game": game, "clock": clock, "match": seed }),
        |&(game, roles, clock, seed)| played(game, roles, clock, seed),
    );
    print(&lines, "game");
    print(&lines, "all");
    for kind in ["illegal", "late", "unreachable", "crashed"] {
        assert_eq!(sum(&lines, kind), 0, "{kind}");
    }
    assert!(lines.iter().all(|line| line["over"] == true));
    let under =
        |clock: u32| -> Vec<Value> { lines.iter().filter(|line| line["clock"] == clock).cloned().collect() };
    let medians = CLOCKS.map(|(clock, _)| median(&under(clock)));
    assert!(medians.is_sorted_by(|less, more| less < more), "{medians:?}");
}

/// Eight matches at a time on a server for each role.
#[test]
#[ignore = "takes minutes on a quiet machine"]
fn of_eight_matches_at_once_none_is_late() {
    let servers = [(); 2].map(|()| ServedPlayer::new("--matches 8 --log warn"));
    let report = hosted(&format!(
        "krieg_tictactoe_5x5 x={} o={} --matches 24 --at-once 8 --startclock 5 --playclock 1 --seed 1",
        servers[0].url(),
        servers[1].url()
    ));
    println!("{report:#}");
    assert_eq!((&report["matches"], &report["faults"]), (&24.into(), &0.into()));
}

/// The default player under a clock of a second against its former default, two thousand playouts, in both seats.
#[test]
#[ignore = "takes an hour on a quiet machine"]
fn the_clock_is_worth_points_against_the_former_default() {
    let each = (0..20).flat_map(|seed| {
        let games = [GAMES[1], GAMES[2], GAMES[5], GAMES[6]];
        games.into_iter().flat_map(move |(game, roles)| [0, 1].map(|seat| (game, roles, seed, seat)))
    });
    type Place = (&'static str, [&'static str; 2], u64, usize);
    let of =
        |&(game, _, seed, seat): &Place| json!({ "game": "score", "of": game, "match": seed, "seat": seat });
    let lines = all_played(&each.collect::<Vec<_>>(), of, |one| {
        let &(game, roles, seed, seat) = one;
        let report = hosted(&format!(
            "{game} {}=auto {}=hyperplay:playouts=2000 --startclock 0 --playclock 1 --seed {seed}",
            roles[seat],
            roles[1 - seat]
        ));
        let mut line = of(one);
        line["score"] = report["goals"][roles[seat]]["mean"].clone();
        line
    });
    let mut scores = BTreeMap::<String, Vec<f64>>::new();
    for line in &lines {
        scores.entry(line["of"].to_string()).or_default().push(line["score"].as_f64().unwrap());
    }
    for (game, scores) in &scores {
        println!(
            "{game}: {:.1} points in {} matches",
            scores.iter().sum::<f64>() / scores.len() as f64,
            scores.len()
        );
    }
    let all: Vec<f64> = scores.into_values().flatten().collect();
    assert!(all.iter().sum::<f64>() / all.len() as f64 > 50.0);
}
