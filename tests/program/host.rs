//! The game master: what it sends, and what it makes of players that are late, gone or wrong.
//!
//! The game has three steps. `left` and `right` are legal for `me` in each; `left` is the first in the order of terms.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::scripted_player::{Manner, ScriptedPlayer};
use crate::common::program::{Folder, run, signal, start, stderr};

const GAME: &str = "
    (role me) (role other) (role random) (init (step 1))
    (<= (legal me left)) (<= (legal me right)) (legal other noop)
    (<= (legal random (throw heads))) (<= (legal random (throw tails)))
    (<= (sees me (fell ?side)) (does random (throw ?side)) (true (step 1)))
    (<= (sees me (chose ?way)) (does me ?way))
    (<= (next (step ?n)) (true (step ?m)) (after ?m ?n)) (after 1 2) (after 2 3) (after 3 4)
    (<= (next (went ?m ?way)) (true (step ?m)) (does me ?way)) (<= (next (went ?m ?way)) (true (went ?m ?way)))
    (<= terminal (true (step 4)))
    (<= (goal me 100) (true (went 3 right))) (<= (goal me 0) (not (true (went 3 right))))
    (goal other 50) (goal random 0)";

/// A game in which nothing is hidden.
const OPEN: &str = "
    (role me) (role other) (init (step 1))
    (legal me (go left)) (legal me (go right)) (legal other noop)
    (<= (next (step ?n)) (true (step ?m)) (after ?m ?n)) (after 1 2) (after 2 3)
    (<= terminal (true (step 3))) (goal me 100) (goal other 0)";

/// Runs `host` with these words in a folder with the two games; the transcripts, which `verify` accepts.
fn hosted(folder: &Folder, words: &str) -> Vec<Value> {
    folder.write("game.kif", GAME);
    folder.write("open.kif", OPEN);
    run(&mut folder.program(&format!("host {words} --transcript t.jsonl --overwrite")), 0);
    run(&mut folder.program("verify t.jsonl"), 0);
    folder.read("t.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The moves of the first role.
fn moves(transcript: &Value) -> Vec<String> {
    let steps = transcript["steps"].as_array().unwrap();
    steps.iter().map(|step| step["moves"][0].as_str().unwrap().to_owned()).collect()
}

/// The kinds of the faults of all steps.
fn faults(transcript: &Value) -> Vec<String> {
    let steps = transcript["steps"].as_array().unwrap();
    let all = steps.iter().flat_map(|step| step["faults"].as_array().cloned().unwrap_or_default());
    all.map(|fault| fault["kind"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_message_of_a_match_is_sent_as_the_dresden_game_controller_sends_it() {
    let folder = Folder::new();
    let player = ScriptedPlayer::new(Manner::Says("RIGHT"));
    let played = hosted(
        &folder,
        &format!("game.kif me={} random --startclock 62 --playclock 61 --seed 1", player.url),
    );
    assert_eq!((moves(&played[0]), faults(&played[0]).len()), (vec!["right".to_owned(); 3], 0));
    let messages = player.messages();
    let id = messages[1].split_whitespace().nth(1).unwrap().to_owned();
    assert!(id.starts_with("game_20"), "{id}");
    assert!(messages[0].starts_with(&format!("(START {id} ME ((ROLE ME) (ROLE OTHER) ")), "{}", messages[0]);
    assert!(messages[0].ends_with(" (GOAL RANDOM 0) ) 62 61)"), "{}", messages[0]);
    let fell = played[0]["steps"][0]["percepts"][0][1].as_str().unwrap().to_uppercase();
    let expected = [
        format!("(PLAY {id} 0 NIL NIL)"),
        format!("(PLAY {id} 1 RIGHT ((CHOSE RIGHT) {fell} ))"),
        format!("(PLAY {id} 2 RIGHT ((CHOSE RIGHT) ))"),
        format!("(STOP {id} 3 RIGHT ((CHOSE RIGHT) ))"),
    ];
    assert_eq!(messages[1..], expected);
    for (head, body) in player.heads().iter().zip(&messages) {
        let length = body.len();
        let expected = format!(
            "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\nReceiver: 127.0.0.1\r\n\
             Content-type: text/acl\r\nContent-length: {length}"
        );
        assert_eq!(*head, expected);
    }
}

#[test]
fn the_older_dialects_are_sent_as_they_were() {
    let folder = Folder::new();
    let clocks = "--startclock 60 --playclock 60 --seed 1";
    let said = |words: &str, answer| {
        let player = ScriptedPlayer::new(Manner::Says(answer));
        let played = hosted(&folder, &words.replace("URL", &player.url));
        assert_eq!(faults(&played[0]), Vec::<String>::new(), "{words}");
        let id = player.messages()[1].split_whitespace().nth(1).unwrap().trim_end_matches(')').to_owned();
        player.messages().iter().map(|message| message.replace(&id, "ID")).collect::<Vec<String>>()
    };
    let of_2011 = said(&format!("game.kif me=URL {clocks} --dialect gdl2-2011"), "left");
    assert_eq!(of_2011[1], "(PLAY ID NIL)");
    assert!(of_2011[2].starts_with("(PLAY ID ((CHOSE LEFT) (FELL "), "{}", of_2011[2]);
    assert_eq!(of_2011[4], "(STOP ID ((CHOSE LEFT) ))");
    let gdl1 = said(&format!("open.kif me=URL {clocks} --dialect gdl1 --letters as-written"), "(go left)");
    assert!(!gdl1[0].contains("sees"), "{}", gdl1[0]);
    assert_eq!(gdl1[1..], ["(PLAY ID NIL)", "(PLAY ID ((go left) noop))", "(STOP ID ((go left) noop))"]);
    // A player of GDL-II learns the joint move of a GDL-I game by a rule that is added.
    let gdl2 = said(&format!("open.kif me=URL {clocks}"), "(GO LEFT)");
    assert!(gdl2[0].contains("(<= (SEES ?P (DID ?P2 ?M)) (ROLE ?P) (DOES ?P2 ?M) )"), "{}", gdl2[0]);
    assert_eq!(gdl2[2], "(PLAY ID 1 (GO LEFT) ((DID ME (GO LEFT)) (DID OTHER NOOP) ))");
}

#[test]
fn every_fault_is_recorded_and_the_right_move_stands_in() {
    let ms = Duration::from_millis;
    let manners = [
        (Manner::Silent, "late"),
        (Manner::Late(ms(350), "right"), "late"),
        (Manner::Hangs, "unreachable"),
        (Manner::Leaves("right"), "unreachable"),
        (Manner::Says("this is ) junk"), "illegal"),
        (Manner::Says("?way"), "illegal"),
        (Manner::Says("(foo ?x)"), "illegal"),
        (Manner::Says("up"), "illegal"),
        (Manner::Says("(step 1)"), "illegal"),
        (Manner::Says("left right"), "illegal"),
        (Manner::Says(""), "illegal"),
        (Manner::Long(10 << 20), "illegal"),
    ];
    for (manner, kind) in manners {
        let folder = Folder::new();
        let player = ScriptedPlayer::new(manner.clone());
        // The late player misses the clock by 50 milliseconds. The others answer at once, on a busy machine after a while.
        let playclock = if kind == "late" { "0.3" } else { "60" };
        let words = format!(
            "game.kif me={} --startclock 60 --playclock {playclock} --seed 5 --on-fault first",
            player.url
        );
        let played = hosted(&folder, &words);
        let answered = usize::from(matches!(manner, Manner::Leaves(_)));
        assert_eq!(faults(&played[0]), vec![kind; 3 - answered], "{manner:?}: {}", played[0]);
        let expected = [vec!["right"; answered], vec!["left"; 3 - answered]].concat();
        assert_eq!(moves(&played[0]), expected, "{manner:?}");
        assert_eq!(played[0]["outcome"], "over");
        if answered == 0 {
            let messages = player.messages();
            // The player is told the move that was made for it, and of the end.
            let plays = messages.iter().filter(|message| message.contains(" 1 LEFT ((CHOSE LEFT)")).count();
            assert_eq!(plays, 1, "{manner:?}: {messages:?}");
            assert!(messages.last().unwrap().starts_with("(STOP "), "{manner:?}: {messages:?}");
        }
    }
}

#[test]
fn substitutes_are_drawn_by_the_seed_whatever_went_wrong() {
    let drawn = |manner, seed| {
        let folder = Folder::new();
        let player = ScriptedPlayer::new(manner);
        let words = format!("game.kif me={} --playclock 0.3 --matches 4 --seed {seed}", player.url);
        hosted(&folder, &words).iter().flat_map(moves).collect::<Vec<String>>()
    };
    let moves = drawn(Manner::Says("junk"), 1);
    assert_eq!(moves, drawn(Manner::Hangs, 1));
    assert_ne!(moves, drawn(Manner::Says("junk"), 2));
    assert!(moves.contains(&"left".to_owned()) && moves.contains(&"right".to_owned()));
}

#[test]
fn a_player_that_is_not_there_is_recorded_at_the_start_too() {
    let folder = Folder::new();
    // Nothing listens on this port, and no test is given it. Whoever waits for the player waits for hours.
    let url = "http://127.0.0.1:1";
    let played = hosted(&folder, &format!("game.kif me={url} --startclock 3600 --playclock 3600 --seed 1"));
    assert_eq!(played[0]["unready"][0]["kind"], "unreachable", "{}", played[0]);
    assert_eq!(faults(&played[0]), ["unreachable"; 3]);
    // Nor is it late where the time is shorter than a refused connection is tried again.
    let played = hosted(&folder, &format!("game.kif me={url} --startclock 0.5 --playclock 0.5 --seed 1"));
    assert_eq!(played[0]["unready"][0]["kind"], "unreachable", "{}", played[0]);
    assert!(played[0]["unready"][0]["detail"].as_str().unwrap().contains(url), "{}", played[0]);
    let command = format!("host game.kif me={url} --startclock 0.5 --playclock 0.5 --seed 1");
    let text = run(&mut folder.program(&command), 0).0;
    assert!(text.contains("\nfaults of me: 3 unreachable\n"), "{text}");
}

#[test]
fn a_connection_that_is_refused_is_tried_again() {
    let folder = Folder::new();
    let player = ScriptedPlayer::new(Manner::Deaf(Duration::from_millis(100), "right"));
    let words = format!("game.kif me={} --startclock 60 --playclock 60 --seed 1", player.url);
    let played = hosted(&folder, &words);
    assert_eq!((moves(&played[0]), faults(&played[0])), (vec!["right".to_owned(); 3], Vec::new()));
}

#[test]
fn an_answer_that_comes_too_late_is_recorded() {
    let folder = Folder::new();
    let player = ScriptedPlayer::new(Manner::Late(Duration::from_millis(350), "(foo ?x)"));
    let words = format!("game.kif me={} --playclock 0.3 --pause 0.5 --seed 1", player.url);
    let begun = Instant::now();
    let played = hosted(&folder, &words);
    assert!(begun.elapsed() > Duration::from_millis(3 * (300 + 500)), "there is a pause after each step");
    let said = |step: &Value| step["faults"][0]["detail"].as_str().map(str::to_owned);
    let said: Vec<String> = played[0]["steps"].as_array().unwrap().iter().filter_map(said).collect();
    assert!(!said.is_empty() && said.iter().all(|said| said.starts_with("(foo ?x) after ")), "{}", played[0]);
}

#[test]
fn after_its_strikes_a_player_is_not_asked_any_more() {
    let folder = Folder::new();
    let player = ScriptedPlayer::new(Manner::Says("junk"));
    let words = format!("game.kif me={} --playclock 60 --seed 1 --strikes 2", player.url);
    let played = hosted(&folder, &words);
    assert_eq!(faults(&played[0]), ["illegal", "illegal", "dropped"]);
    assert_eq!(player.messages().iter().filter(|message| message.starts_with("(PLAY")).count(), 2);
    assert!(player.messages().last().unwrap().starts_with("(STOP "), "it hears of the end");
}

#[test]
fn a_role_may_have_clocks_of_its_own() {
    let folder = Folder::new();
    let player = ScriptedPlayer::new(Manner::Late(Duration::from_millis(400), "right"));
    let url = &player.url;
    let played = hosted(&folder, &format!("game.kif me={url} --playclock 0.1 --clocks me=61,60 --seed 1"));
    assert_eq!(faults(&played[0]), Vec::<String>::new());
    assert_eq!(played[0]["limits"]["own_clocks"]["me"], serde_json::json!([61.0, 60.0]));
    assert!(player.messages()[0].ends_with(" ) 61 60)"), "{}", player.messages()[0]);
}

#[test]
fn a_game_master_may_wait_longer_than_the_clock_that_it_tells() {
    let folder = Folder::new();
    let player = ScriptedPlayer::new(Manner::Late(Duration::from_millis(300), "right"));
    let url = &player.url;
    let played = hosted(&folder, &format!("game.kif me={url} --playclock 0.1 --grace 60 --seed 1"));
    assert_eq!(faults(&played[0]), Vec::<String>::new());
    assert!(player.messages()[0].ends_with(" ) 10 0.1)"), "{}", player.messages()[0]);
}

#[test]
fn a_scrambled_match_has_other_names_on_the_wire_and_its_own_in_the_transcript() {
    let folder = Folder::new();
    let player = ScriptedPlayer::new(Manner::Says("left"));
    let url = &player.url;
    let played =
        hosted(&folder, &format!("game.kif me={url} --playclock 60 --seed 1 --scramble --on-fault first"));
    // What the rules call `left` means nothing to this game master now.
    assert_eq!(faults(&played[0]), ["illegal"; 3]);
    let messages = player.messages().concat().to_lowercase();
    for name in ["left", "right", "fell", "chose", "throw", "heads", "went", "other", "after"] {
        assert!(!messages.split(['(', ')', ' ']).any(|word| word == name), "{name}: {messages}");
    }
    // The name of the match names the game no more than the rules do.
    let id = messages.split_whitespace().nth(1).unwrap();
    assert!(id.starts_with("match_2") && !id.contains("game"), "{id}");
    assert!(messages.contains("(role random)") && messages.contains("(init (") && messages.contains(" 1)"));
    assert_eq!(moves(&played[0]), ["left"; 3]);
}

#[test]
fn two_roles_of_one_program_have_two_matches() {
    let folder = Folder::new();
    let player = ScriptedPlayer::new(Manner::Says("noop"));
    let url = &player.url;
    hosted(&folder, &format!("game.kif me={url} other={url}/ --playclock 1 --seed 1"));
    let ids: std::collections::BTreeSet<String> = player
        .messages()
        .iter()
        .map(|message| message.split_whitespace().nth(1).unwrap().to_owned())
        .collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
    let first = ids.first().unwrap().trim_end_matches(|c: char| c.is_ascii_digit());
    assert!(ids.iter().all(|id| id.starts_with(first)), "{ids:?}");
    assert!(!ids.iter().any(|id| id.contains("other")), "{ids:?}");
}

#[test]
fn an_interrupted_match_is_aborted() {
    let folder = Folder::new();
    folder.write("game.kif", GAME);
    let player = ScriptedPlayer::new(Manner::Late(Duration::from_millis(600), "left"));
    let mut command = folder.program(&format!("host game.kif me={} --playclock 5 --seed 1", player.url));
    let child = start(&mut command);
    let begun = Instant::now();
    while !player.messages().iter().any(|message| message.starts_with("(PLAY")) {
        assert!(begun.elapsed() < Duration::from_secs(600), "no message came");
        std::thread::sleep(Duration::from_millis(10));
    }
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(player.messages().last().unwrap().starts_with("(ABORT game_"), "{:?}", player.messages());
}

#[test]
fn records_for_other_programs_say_what_happened_and_what_viewers_may_see() {
    let folder = Folder::new();
    let player = ScriptedPlayer::new(Manner::Says("right"));
    folder.write(
        "sight.kif",
        "(<= (sees_xml random ?t) (true ?t)) (<= (sees_xml me (step ?n)) (true (step ?n)))",
    );
    let url = &player.url;
    let words =
        format!("game.kif me={url} --playclock 1 --seed 1 --export ggp-json --sight sight.kif --out records");
    hosted(&folder, &words);
    let mut records: Vec<Value> = Vec::new();
    for entry in std::fs::read_dir(folder.path("records")).unwrap() {
        records.push(serde_json::from_str(&std::fs::read_to_string(entry.unwrap().path()).unwrap()).unwrap());
    }
    let of = |key: &str| records.iter().find(|record| record.get(key).is_some()).unwrap();
    let ggp = of("matchId");
    assert_eq!(ggp["states"].as_array().unwrap().len(), 4);
    assert_eq!(ggp["states"][0], "( ( step 1 ) )");
    assert_eq!(ggp["goalValues"], serde_json::json!([100, 50, 0]));
    assert_eq!((&ggp["isCompleted"], &ggp["errors"][0][0]), (&true.into(), &"".into()));
    let sight = of("schema");
    assert_eq!(sight["states"][3]["me"], serde_json::json!(["(step 4)"]));
    assert_eq!(sight["states"][3]["random"].as_array().unwrap().len(), 4);
}

#[test]
fn an_experiment_plays_a_gauntlet_against_an_address_and_reports_its_faults_and_times() {
    let folder = Folder::new();
    folder.write("game.kif", GAME);
    let player = ScriptedPlayer::new(Manner::Says("right"));
    let wrong = ScriptedPlayer::new(Manner::Says("junk"));
    let file = format!(
        "schema = 'hyperplay.experiment/1'\nname = 'gauntlet'\nseed = 1\ngames = ['game.kif']\nrepetitions = 3\n\
         [budget]\nstartclock = 1\nplayclock = 1\n[schedule]\nkind = 'gauntlet'\nchallengers = ['far']\n\
         [[player]]\nname = 'far'\nurl = '{}'\n[[player]]\nname = 'wrong'\nurl = '{}'\n\
         [[player]]\nname = 'near'\nspec = 'random'\n",
        player.url, wrong.url
    );
    folder.write("gauntlet.toml", &file);
    let (_, said) = run(&mut folder.program("host gauntlet.toml --out out"), 1);
    assert!(
        said.contains("wrong: 100.0 % of 18 decisions were replaced, in 6 of 6 matches (illegal 18)"),
        "{said}"
    );
    let lines: Vec<Value> = folder
        .read("out/matches.1-of-1.jsonl")
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 12, "two meetings, three deals, two seat permutations");
    run(&mut folder.program("experiment merge out"), 0);
    let (report, _) = run(&mut folder.program("experiment report out"), 0);
    let (_, faults) = report.split_once("### Faults and times").unwrap();
    let row = |player: &str| {
        let row = faults.lines().find(|line| line.starts_with(&format!("| {player} |"))).unwrap();
        row.split('|').map(|entry| entry.trim().to_owned()).collect::<Vec<String>>()
    };
    // Decisions, faults, late, illegal; `junk` is never legal, and `right` is not where there is no choice.
    let wrong = row("wrong");
    assert_eq!((&wrong[2], &wrong[6], &wrong[8]), (&"18".to_owned(), &"18".to_owned(), &"18".to_owned()));
    assert!(row("far")[4].parse::<f64>().unwrap() > 0.0, "{faults}");
    // Without clocks there is nothing to tell another program.
    folder.write("no_clocks.toml", &file.replace("startclock = 1\nplayclock = 1\n", ""));
    let (_, said) = run(&mut folder.program("host no_clocks.toml --out out2"), 2);
    assert!(said.contains("no_clocks.toml:") && said.contains("needs clocks"), "{said}");
    folder.write("both.toml", &file.replace("spec = 'random'", "spec = 'random'\nurl = 'http://x'"));
    let (_, said) = run(&mut folder.program("host both.toml --out out2"), 2);
    assert!(said.contains("needs either a spec or a url"), "{said}");
}

/// An address at which nothing listens.
fn nobody() -> String {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// An experiment in which a program at this address plays, and two players meet without it.
fn absent(address: &str) -> String {
    format!(
        "schema = 'hyperplay.experiment/1'\nname = 'absent'\nseed = 1\ngames = ['game.kif']\nrepetitions = 12\n\
         [budget]\nplayclock = 2\n[schedule]\nkind = 'pairings'\npairings = [['near', 'far'], ['near', 'other']]\n\
         [[player]]\nname = 'far'\nurl = 'http://{address}'\n[[player]]\nname = 'near'\nspec = 'random'\n\
         [[player]]\nname = 'other'\nspec = 'legal'\n"
    )
}

#[test]
fn a_player_that_is_not_there_ends_an_experiment_or_is_marked_and_its_matches_are_played_again() {
    let folder = Folder::new();
    folder.write("game.kif", GAME);
    let address = nobody();
    let file = absent(&address);
    let with = |on_fault: &str| file.replacen('\n', &format!("\non_fault = '{on_fault}'\n"), 1);
    folder.write("stop.toml", &file);
    folder.write("record.toml", &with("record"));
    folder.write("wrong.toml", &with("recrod"));
    let called = |words: &str, code| run(&mut folder.program(&format!("experiment {words}")), code);
    let (_, said) = called("check wrong.toml", 2);
    assert!(said.contains("wrong.toml:2:12: on_fault = 'recrod': expected stop or record"), "{said}");
    // A program that never answered ends the run before anything of it is recorded.
    let (_, said) = called("run stop.toml --out out -j 2", 1);
    assert!(
        said.contains("match 0 of game.kif, step 1: far is unreachable (") && said.contains("on_fault"),
        "{said}"
    );
    assert_eq!(folder.read("out/matches.1-of-1.jsonl").lines().count(), 1);
    let (_, said) = called("run record.toml --out out -j 2", 1);
    let line = "far: 100.0 % of 72 decisions were replaced, in 24 of 24 matches (unreachable 72)";
    assert!(said.contains(line) && said.contains("--again unreachable"), "{said}");
    // Every table that shows a score has a mark and the share.
    let (report, _) = called("report out", 0);
    assert!(report.contains(line), "{report}");
    for part in
        ["### Cross table", "### Scores\n", "### Scores by role", "### Differences", "### Entrants who met"]
    {
        let (_, table) = report.split_once(part).unwrap_or_else(|| panic!("{part}: {report}"));
        let table = table.split("###").next().unwrap();
        assert!(table.contains(" !") && table.contains("\n! ") && table.contains("100"), "{part}: {table}");
    }
    assert!(
        folder.read("out/report.html").contains("! more than 1 % of the moves of a player were replaced")
    );
    let json = |words: &str| serde_json::from_str::<Value>(&called(&format!("{words} --json"), 0).0).unwrap();
    let scores = json("report out")["scores"].clone();
    let row = scores.as_array().unwrap().iter().find(|row| row["player"] == "far").unwrap();
    assert_eq!((&row["replaced"], &row["others_replaced"]), (&Value::from(100.0), &Value::from(0.0)));
    // A report on a part has the same matches, and a run that takes matches does not take these.
    assert_eq!(json("report out --deals 99")["scores"], json("report out")["scores"]);
    let (said, _) = called("run record.toml --out other --reuse out", 1);
    assert!(said.contains("24 taken from elsewhere, 24 of them now"), "{said}");
    // The program is there now: its matches are played again, and no other one is touched.
    let before = folder.read("out/matches.1-of-1.jsonl");
    let (_, said) = called("run stop.toml --out out --again unreachable -j 2", 1);
    assert!(said.contains("unreachable"), "{said}");
    assert_eq!(
        folder.read("out/matches.1-of-1.jsonl"),
        before,
        "what was recorded stays until there is something better"
    );
    let _player = ScriptedPlayer::at(&address, Manner::Says("right"));
    called("run stop.toml --out out --again unreachable -j 2", 1);
    let after = folder.read("out/matches.1-of-1.jsonl");
    assert_eq!(after.lines().count(), before.lines().count());
    for (old, new) in before.lines().zip(after.lines()) {
        assert!(old == new || old.contains("\"far\""), "{old}\n{new}");
        // In the other role only `noop` is legal, which the program does not say.
        assert!(!old.contains("\"me\":\"far\"") || old != new, "{old}");
    }
    let turns = folder.read("out/turns.1-of-1.jsonl");
    assert!(!turns.contains("unreachable") && turns.contains("right"));
    let hidden = std::fs::read_dir(folder.path("out")).unwrap();
    assert!(
        hidden
            .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains("again"))
            .count()
            == 0
    );
    let (_, said) = called("run stop.toml --out out --again unreachable", 1);
    assert!(said.contains("no match has a player that could not be reached"), "{said}");
    called("merge out", 0);
}

/// Every match in which the player was not there was dropped before one was played again; and where one of them had been played
/// without its particles, `--again` said that these cannot be had again.
#[test]
fn playing_again_loses_nothing_when_it_is_killed() {
    let folder = Folder::new();
    folder.write("game.kif", GAME);
    let address = nobody();
    folder.write("file.toml", &absent(&address).replacen('\n', "\non_fault = 'record'\n", 1));
    let called = |words: &str| {
        let ended = folder.program(&format!("experiment {words}")).output().unwrap();
        String::from_utf8(ended.stderr).unwrap()
    };
    called("run file.toml --out first --log particles");
    let kinds = ["matches", "turns", "positions", "particles"];
    let read = |out: &str, kind: &str| folder.read(&format!("{out}/{kind}.1-of-1.jsonl"));
    let is_untouched = |line: &&str| !line.contains("\"far\"");
    let untouched = |out: &str| {
        kinds.map(|kind| {
            // Lines of a kind name one player, so they belong to a match of which the other line may be about `far`.
            let matches = read(out, "matches");
            let of = |line: &str| line.split(',').next().unwrap().to_owned();
            let ids: Vec<String> = matches.lines().skip(1).filter(is_untouched).map(of).collect();
            let text = read(out, kind);
            text.lines().skip(1).filter(|line| ids.contains(&of(line))).map(str::to_owned).collect::<Vec<_>>()
        })
    };
    let before = untouched("first");
    assert!(before.iter().all(|lines| lines.len() >= 24));
    // Nobody is there again, and the same is recorded.
    called("run file.toml --out first --again unreachable");
    assert!(untouched("first") == before);
    let _player = ScriptedPlayer::at(&address, Manner::Says("right"));
    for wait in [0, 10, 15, 20, 25, 30, 40, 60] {
        let out = format!("out{wait}");
        std::fs::create_dir(folder.path(&out)).unwrap();
        for entry in std::fs::read_dir(folder.path("first")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            std::fs::copy(folder.path(&format!("first/{name}")), folder.path(&format!("{out}/{name}")))
                .unwrap();
        }
        let mut again =
            folder.program(&format!("experiment run file.toml --out {out} --again unreachable -j 1"));
        let mut child = again.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        called(&format!("run file.toml --out {out}"));
        let said = called(&format!("run file.toml --out {out} --again unreachable"));
        assert!(!said.contains("had again"), "{said}");
        assert!(untouched(&out) == before, "{wait}");
        assert_eq!(read(&out, "matches").lines().count(), 49, "{wait}");
        assert!(!read(&out, "turns").contains("unreachable"), "{wait}");
        let (said, _) = run(&mut folder.program(&format!("experiment verify {out}")), 0);
        assert!(said.contains("48 of 48 matches agree"), "{said}");
    }
}

#[test]
fn what_the_game_master_cannot_do_is_a_usage_error() {
    for (words, expected) in [
        ("host kuhn_poker alice=https://127.0.0.1:9147", "https is not spoken"),
        ("host kuhn_poker alice=http://127.0.0.1:70000", "is no port"),
        ("host kuhn_poker alice=http://x --dialect gdl1", "take --dialect gdl2"),
        ("host kuhn_poker alice=random --clocks carol=1,1", "the game has no role 'carol'"),
        ("host kuhn_poker alice=random --clocks alice=1", "expected ROLE=START,PLAY"),
        ("host kuhn_poker alice=random --clocks alice=1,x", "expected a number of seconds"),
        ("host some.toml", "an experiment needs a folder"),
        ("match kuhn_poker alice=remote", "needs clocks"),
    ] {
        let said = stderr(words, 2);
        assert!(said.contains(expected), "{words}: {said}");
    }
}
