//! Tests of the command line by its binary: what is printed, where, and with which exit code.

use std::io::Write;
use std::process::Stdio;

use crate::common::markdown::read;
use crate::common::program::{
    Folder, ended, json, program, run, signal, start, stderr, stdout, until_it_catches_ctrl_c,
};
use serde_json::Value;

/// The transcripts of a file without the part that says where and when.
fn transcripts(text: &str) -> Vec<Value> {
    let line = |line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        assert!(line.as_object_mut().unwrap().remove("run").is_some());
        line
    };
    text.lines().map(line).collect()
}

#[test]
fn the_thin_line_plays_kuhn_poker() {
    let text =
        stdout("match games/imperfect/kuhn_poker.kif alice=random bob=random --matches 10 --seed 1", 0);
    assert!(text.starts_with("games/imperfect/kuhn_poker.kif: 10 matches, seed 1\n"), "{text}");
    assert!(text.contains("\nalice") && text.contains("\nbob") && text.contains("\n0 faults"), "{text}");
    let report = json("match kuhn_poker --matches 10 --seed 1", 0);
    assert_eq!((&report["matches"], &report["faults"]), (&10.into(), &0.into()));
    assert!(report["matches_per_second"].as_f64().unwrap() > 0.0);
    let sum: f64 = ["alice", "bob"].iter().map(|role| report["goals"][role]["mean"].as_f64().unwrap()).sum();
    assert!((sum - 100.0).abs() < 1e-9, "the game is zero-sum");
    assert!(report["goals"]["bob"]["ci95"].as_f64().unwrap() > 0.0);
    assert_eq!(report["goals"]["random"], Value::Null);
}

#[test]
fn one_seed_gives_one_result_and_one_transcript_on_any_number_of_threads() {
    let play = |threads: u32| {
        let folder = Folder::new();
        let players = "alice=hyperplay:particles=20 bob=clairvoyant:nodes=200";
        let command = format!("match kuhn_poker {players} --matches 40 --seed 7 --values");
        let file = folder.path("threads.jsonl").display().to_string();
        let report = json(&format!("{command} --threads {threads} --transcript {file}"), 0);
        (report["goals"].clone(), transcripts(&folder.read("threads.jsonl")))
    };
    let (goals, lines) = play(1);
    assert_eq!(lines.len(), 40);
    assert_eq!((goals, lines), play(2));
}

#[test]
fn a_drawn_seed_is_printed_and_gives_the_same_again() {
    let first = json("match kuhn_poker --matches 20", 0);
    let again = json(&format!("match kuhn_poker --matches 20 --seed {}", first["seed"]), 0);
    assert_eq!(first["goals"], again["goals"]);
}

#[test]
fn a_usage_error_lists_the_choices_and_exits_2() {
    for (arguments, expected) in [
        ("match kuhn_poker carol=random", "alice, bob"),
        ("match kuhn_poker alice", "role=player"),
        ("match kuhn_poker alice=random alice=legal", "twice"),
        ("match kuhn_poker random=legal", "chooses by itself"),
        ("match kuhn_poker alice=nobody", "random, legal"),
        ("match kuhn_poker alice=legal:size=3", "has no key 'size'"),
        ("match no_such_game", "`hyperplay games` lists the built-in games"),
        ("match kuhn_poker --threads 0", "1 or more"),
        ("match kuhn_poker --startclock 1", "--playclock"),
        ("match kuhn_poker --playclock=-1", "invalid value"),
        ("serve --no-thinking-ahead", "--no-think-ahead"),
        ("match kuhn_poker --threads 100000", "of no use"),
        ("match kuhn_poker --seed -1", "'--seed <S>': expected a whole number from 0 to"),
        ("match kuhn_poker --seed now", "'--seed <S>': expected a whole number from 0 to"),
        ("match kuhn_poker --matches -3", "invalid value '-3'"),
        ("match kuhn_poker --json --verbose", "cannot be used with"),
        ("match kuhn_poker --transcript -", "name a file"),
        ("match games", "is a folder"),
        ("inspect nim --graph dot --json", "cannot be used with"),
        ("games Cargo.toml", "is not a built-in game"),
        ("check kuhn_poker no_such_game", "neither a file nor a built-in game"),
        ("verify - --game -", "standard input cannot be both"),
        ("match kuhn_poker --engine fast", "auto, interpreter, propagator, lanes"),
        (
            "match kuhn_poker alice=hyperplay:engine=fast",
            "expected match or auto or interpreter or propagator or lanes",
        ),
        ("match kuhn_poker alice=random:engine=auto", "it has no keys"),
        ("crosscheck no_such_game", "neither a file nor a built-in game"),
        ("crosscheck kuhn_poker --matches -1", "invalid value '-1'"),
        ("bench kuhn_poker --seconds 0", "give --seconds 0.1 or more"),
        (
            "bench kuhn_poker --seconds -3",
            "'-3' for '--seconds <S>': expected a number of seconds from 0 to 1000000000",
        ),
        ("solve kuhn_poker --seconds -3", "expected a number of seconds from 0"),
        ("solve kuhn_poker --seconds nan", "expected a number of seconds from 0"),
        ("exploit kuhn_poker --seconds 1e30", "expected a number of seconds from 0"),
        ("check kuhn_poker --simulate 1 --seconds -3", "expected a number of seconds from 0"),
        ("inspect kuhn_poker --seconds -3", "expected a number of seconds from 0"),
        ("host kuhn_poker --grace -3", "expected a number of seconds from 0"),
        ("serve --margin -3", "expected a number of seconds from 0"),
        ("serve --stale -3", "expected a number of seconds from 0"),
        ("kiosk --playclock -3", "expected a number of seconds from 0"),
        ("match kuhn_poker --playclock -3", "expected a number of seconds from 0"),
        ("belief --preset cost kuhn_poker --limit -3", "expected a number of seconds from 0"),
        ("bench kuhn_poker --threads 0", "--threads 1 or more"),
        ("bench kuhn_poker --engine fast", "auto, interpreter, propagator, lanes"),
        ("frobnicate", "unrecognized subcommand"),
        ("man frobnicate", "there are match, host"),
    ] {
        let text = stderr(arguments, 2);
        assert!(text.contains(expected), "{arguments}: {text}");
    }
}

#[test]
fn what_is_no_game_is_shown_at_its_place_and_exits_1() {
    let text = stderr("match games/broken/unsafe_variable.kif", 1);
    assert!(text.contains("unsafe_variable.kif:9:") && text.contains("hyperplay check"), "{text}");
}

#[test]
fn a_verbose_match_shows_moves_percepts_and_goals() {
    let text = stdout("match monty_hall --seed 3 --verbose", 0);
    for expected in ["match 0", "step 1", "may do:", "perceives", "over after"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn transcripts_are_verified_and_a_changed_one_is_named_with_line_and_step() {
    let folder = Folder::new();
    let name = folder.path("replay.jsonl").display().to_string();
    stdout(&format!("match kuhn_poker --matches 5 --seed 2 --transcript {name}"), 0);
    assert_eq!(stdout(&format!("verify {name}"), 0), "5 of 5 transcripts agree with the rules\n");
    let text = folder.read("replay.jsonl");
    let (first, rest) = text.split_once('\n').unwrap();
    let mut line: Value = serde_json::from_str(first).unwrap();
    line["steps"][1]["moves"][0] = "bet".into();
    folder.write("replay.jsonl", &format!("{line}\n{rest}"));
    let report = stdout(&format!("verify {name}"), 1);
    assert!(report.contains("replay.jsonl:1: step 2: alice cannot do bet; legal are noop"), "{report}");
    let report = json(&format!("verify {name}"), 1);
    assert_eq!((&report["transcripts"], &report["agree"]), (&5.into(), &4.into()));
    let other = stdout(&format!("verify {name} --game leduc_poker"), 1);
    assert!(other.contains("other rules"), "{other}");
    // Rules that are not there are a fault of the line that names them, and those of --game one of the arguments.
    line["game"] = "no_such_game".into();
    folder.write("replay.jsonl", &format!("{line}\n{rest}"));
    let report = stdout(&format!("verify {name}"), 1);
    assert!(report.contains("replay.jsonl:1: 'no_such_game' is neither a file"), "{report}");
    assert!(report.ends_with("--game\n4 of 5 transcripts agree with the rules\n"), "{report}");
    stderr(&format!("verify {name} --game no_such_game"), 2);
}

#[test]
fn help_that_cannot_be_printed_is_a_failure() {
    for arguments in ["--help", "match --help", "--version"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let (_, said) = run(program(arguments).stdout(full), 1);
        assert!(said.contains("standard output: "), "{arguments}: {said}");
    }
}

#[test]
fn an_argument_that_is_no_text_is_named() {
    use std::os::unix::ffi::OsStrExt as _;
    let odd = std::ffi::OsStr::from_bytes(b"alice=\xff");
    let (_, said) = run(program("match kuhn_poker").arg(odd), 2);
    assert!(said.contains("no text in UTF-8: 'alice=\u{fffd}'"), "{said}");
}

#[test]
fn comments_capitals_and_syntax_do_not_change_the_hash_of_the_rules() {
    let infix = stdout("convert kuhn_poker --to infix", 0);
    let mut child = start(program("inspect - --json").stdin(Stdio::piped()));
    child.stdin.take().unwrap().write_all(format!("% a comment\n{infix}").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let other: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(other["rules"], json("inspect kuhn_poker", 0)["rules"]);
    assert_eq!(other["game"], "<stdin>");
}

#[test]
fn check_finds_in_play_what_the_table_of_broken_games_says() {
    let table = read("games/broken/EXPECTED.tsv");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1)
        .map(|line| line.split('\t').collect())
        .filter(|row: &Vec<&str>| row.get(3) == Some(&"yes"))
        .collect();
    assert!(rows.len() > 10);
    for row in &rows {
        let simulate = "--simulate 60 --seed 1 --limit 300";
        let output = program(&format!("check games/broken/{} {simulate} --json", row[0])).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let found: Vec<(String, u64)> = report["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|finding| finding["severity"] != "note")
            .map(|finding| (finding["code"].as_str().unwrap().to_owned(), finding["line"].as_u64().unwrap()))
            .collect();
        let same_file = rows.iter().filter(|other| other[0] == row[0]);
        let mut expected: Vec<(String, u64)> =
            same_file.map(|row| (row[1].to_owned(), row[2].parse().unwrap())).collect();
        let mut found_sorted = found.clone();
        found_sorted.sort();
        expected.sort();
        assert_eq!(found_sorted, expected, "{}", row[0]);
        let is_bad =
            report["findings"].as_array().unwrap().iter().any(|finding| finding["severity"] == "fault");
        assert_eq!(output.status.code(), Some(i32::from(is_bad)), "{}", row[0]);
    }
}

#[test]
fn check_is_the_same_on_any_number_of_threads() {
    let check = |threads: u32| {
        let broken = "games/broken/missing_goal.kif games/broken/not_in_percept.kif";
        json(&format!("check {broken} --simulate 50 --seed 3 --threads {threads}"), 1)
    };
    assert_eq!(check(1), check(2));
}

#[test]
fn inspect_answers_for_kuhn_and_leduc_poker() {
    let kuhn = json("inspect kuhn_poker --tree", 0);
    assert_eq!(kuhn["roles"], serde_json::json!(["alice", "bob", "random"]));
    assert_eq!(kuhn["tree"]["information_sets"], serde_json::json!({ "alice": 6, "bob": 6 }));
    assert_eq!(kuhn["tree"]["nodes"], 58);
    assert_eq!(kuhn["legal_at_start"], serde_json::json!({ "alice": 1, "bob": 1, "random": 3 }));
    let leduc = json("inspect leduc_poker --tree", 0);
    let sets: Vec<&Value> = leduc["tree"]["information_sets"].as_object().unwrap().values().collect();
    assert_eq!((sets, &leduc["tree"]["nodes"]), (vec![&Value::from(468); 2], &9457.into()));
}

#[test]
fn an_option_of_version_0_2_is_an_error_that_says_how_it_is_written() {
    for (former, today) in [
        ("inspect kuhn_poker --count-information-sets", "write `--tree`"),
        ("experiment check any.toml --log-positions", "write `--log positions`"),
        ("experiment run any.toml --out out --log-particles", "write `--log particles`"),
    ] {
        assert!(stderr(former, 2).contains(today), "{former}");
    }
}

#[test]
fn inspect_shows_the_plan_of_a_rule_with_its_line() {
    let rules = read("games/imperfect/kuhn_poker.kif");
    let plans = stdout("inspect kuhn_poker --plans", 0);
    let heads: Vec<&str> = plans.lines().filter(|line| line.starts_with("line ")).collect();
    assert!(heads.len() > 10, "{plans}");
    for head in heads {
        let (line, rule) = head.strip_prefix("line ").unwrap().split_once(": ").unwrap();
        let written = rules.lines().nth(line.parse::<usize>().unwrap() - 1).unwrap();
        let start = |text: &str| text.trim_start_matches("(<= ").trim_start_matches('(')[..4].to_owned();
        assert_eq!(start(written), start(rule), "{head}");
    }
    assert!(plans.contains("\n  1. ") && plans.contains("\n  derive terminal, decided after step 0\n"));
    assert!(stderr("inspect kuhn_poker --plans --json", 2).contains("cannot be used with"));
}

#[test]
fn inspect_answers_for_tic_tac_toe() {
    let report = json("inspect tictactoe", 0);
    assert_eq!((&report["fluents"], &report["moves"]), (&29.into(), &10.into()));
    assert_eq!((&report["states"], &report["states_complete"]), (&5478.into(), &true.into()));
    assert_eq!((&report["fewest_steps"], &report["longest_match"]), (&5.into(), &9.into()));
    assert_eq!(report["loops"], false);
    assert!(stdout("inspect tictactoe --graph dot", 0).starts_with("digraph"));
}

#[test]
fn a_count_that_the_limit_cuts_off_is_left_out_of_the_report() {
    let report = json("inspect leduc_poker --tree --limit 1000 --max-nodes 1000", 0);
    assert_eq!((&report["tree"], &report["states_complete"]), (&Value::Null, &false.into()));
}

#[test]
fn perft_counts_tic_tac_toe() {
    let report = json("perft tictactoe 4", 0);
    assert_eq!(report["counts"], serde_json::json!([9, 72, 504, 3024]));
    assert_eq!(stdout("perft tictactoe 2", 0).lines().count(), 2);
}

#[test]
fn games_players_completions_and_manual_are_there() {
    let games = json("games", 0);
    let names: Vec<&str> =
        games["games"].as_array().unwrap().iter().map(|game| game["name"].as_str().unwrap()).collect();
    for name in ["tictactoe", "kuhn_poker", "leduc_poker", "monty_hall", "krieg_tictactoe_3x3"] {
        assert!(names.contains(&name), "{name}");
    }
    assert!(stdout("games kuhn_poker", 0).contains("(role alice)"));
    assert!(stdout("players", 0).contains("random: "));
    assert!(stdout("completions zsh", 0).contains("#compdef hyperplay"));
    assert!(stdout("man match", 0).contains("playclock"));
    assert!(stdout("--help", 0).contains("Examples:"));
}

#[test]
fn an_empty_report_of_zero_matches_is_no_failure() {
    let report = json("match kuhn_poker --matches 0 --seed 1", 0);
    assert_eq!((&report["matches"], &report["goals"]["alice"]["mean"]), (&0.into(), &Value::Null));
}

#[test]
fn a_match_beyond_the_step_limit_counts_as_unfinished() {
    let report = json("match kuhn_poker --matches 3 --seed 1 --limit 2", 0);
    assert_eq!(report["unfinished"], serde_json::json!({ "step-limit": 3 }));
    assert_eq!(report["goals"]["alice"]["mean"], Value::Null);
}

#[test]
fn a_clock_that_no_player_can_keep_gives_faults_and_a_match_that_ends() {
    let report = json("match kuhn_poker alice=hyperplay --matches 2 --seed 1 --playclock 0", 0);
    let late = report["faults_by_role"]["alice"]["late"].as_u64().unwrap();
    assert_eq!((&report["matches"], &report["unfinished"]), (&2.into(), &serde_json::json!({})));
    assert!(late > 0 && late <= report["steps"].as_u64().unwrap(), "{report}");
}

/// Leduc poker computes its goals, and "no line of play gives alice 100" was a warning: nobody can win more than 39 points.
#[test]
fn the_best_goal_of_rules_that_compute_goals_is_found_or_open() {
    let messages = |search: usize| -> Vec<(String, String)> {
        let report = json(&format!("check leduc_poker --simulate 1 --seed 1 --search {search}"), 0);
        let findings = report["findings"].as_array().unwrap().iter();
        let word = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
        findings.map(|finding| (word(finding, "severity"), word(finding, "message"))).collect()
    };
    let whole = messages(20_000);
    for role in ["alice", "bob"] {
        let shown = format!("weakly winnable: {role} gets 89 by ");
        assert!(whole.iter().any(|(_, message)| message.starts_with(&shown)), "{whole:?}");
    }
    let part = messages(300);
    for open in ["whether alice can get 100 is undecided", "strong winnability is undecided"] {
        assert!(part.iter().any(|(_, message)| message.starts_with(open)), "{part:?}");
    }
    assert!(whole.iter().chain(&part).all(|(severity, _)| severity == "note"), "{whole:?}, {part:?}");
}

/// Terms that grow without end are reported at the rule that makes them.
#[test]
fn a_limit_of_evaluation_is_reported_at_its_rule() {
    let folder = Folder::new();
    let file = folder.path("grows.kif");
    let rules = "(role a) (init (s zero)) (legal a noop)\n(goal a 0)\n(<= terminal (true (s done)))\n(<= (next (s (succ ?x))) (true (s ?x)))\n";
    std::fs::write(&file, rules).unwrap();
    let text = stdout(&format!("check {} --simulate 1 --seed 1", file.display()), 1);
    assert!(text.contains("fault[evaluation-limit]") && text.contains("grows.kif:4:5"), "{text}");
}

#[test]
fn check_claims_no_simulation_of_what_is_no_game() {
    let files = "games/broken/unsafe_variable.kif nim";
    let text = stdout(&format!("check {files} --simulate 3 --seed 1 --search 10"), 1);
    assert!(
        text.ends_with("simulated 3 matches of 1 of 2 games, seed 1: the others have errors\n"),
        "{text}"
    );
    let report = json(&format!("check {files} --simulate 3 --seed 1 --search 10"), 1);
    assert_eq!(report["simulated"]["files"], serde_json::json!(["nim"]));
    assert_eq!(report["simulated"]["complete"], true);
}

#[cfg(unix)]
#[test]
fn a_text_without_end_is_an_error() {
    assert!(stdout("check /dev/zero", 1).contains("error["));
}

#[cfg(unix)]
#[test]
fn rules_are_read_from_a_pipe_that_has_a_name() {
    let mut child = start(program("perft /dev/stdin 1").stdin(Stdio::piped()));
    child.stdin.take().unwrap().write_all(stdout("games tictactoe", 0).as_bytes()).unwrap();
    let (printed, _) = ended(&"perft", child.wait_with_output().unwrap(), 0);
    assert!(printed.starts_with("  1                9"));
}

#[test]
fn a_match_with_clocks_is_played_and_says_that_it_does_not_reproduce() {
    let report = json("match kuhn_poker --matches 2 --seed 1 --startclock 1 --playclock 30", 0);
    assert_eq!((&report["faults"], &report["reproduces"]), (&0.into(), &false.into()));
}

#[test]
fn report_and_transcript_say_whether_players_thought_ahead() {
    let clock = "--playclock 30";
    for (number, (options, thinks_ahead)) in [
        (clock, true),
        ("--playclock 30 --no-think-ahead", false),
        ("--playclock 30 --nodes 9", false),
        ("", false),
    ]
    .into_iter()
    .enumerate()
    {
        let (folder, name) = (Folder::new(), format!("{number}.jsonl"));
        let command = format!("match kuhn_poker --seed 1 {options}");
        let report = json(&format!("{command} --transcript {}", folder.path(&name).display()), 0);
        assert_eq!(report["thinks_ahead"], thinks_ahead, "{options}");
        let limits = &transcripts(&folder.read(&name))[0]["limits"];
        assert_eq!(limits.get("think_ahead").is_some_and(|said| said == true), thinks_ahead, "{limits}");
        let said = ["players think ahead", "no player thinks ahead"]
            .map(|words| stdout(&command, 0).contains(words));
        assert_eq!(said, [thinks_ahead, options.contains(clock) && !thinks_ahead], "{options}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_gone_ends_the_program_quietly() {
    let mut child = start(&mut program("match kuhn_poker --matches 100000 --seed 1 --verbose"));
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn ctrl_c_reports_what_was_finished_and_exits_130() {
    let folder = Folder::new();
    let file = folder.path("interrupted.jsonl");
    let command = "match kuhn_poker --matches 100000000 --seed 1 --json --transcript";
    let child = start(program(command).arg(&file));
    // The first transcript shows that the matches have begun.
    let begun = || std::fs::metadata(&file).is_ok_and(|data| data.len() > 0);
    while !begun() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    signal(&child, "INT");
    let (printed, _) = ended(&command, child.wait_with_output().unwrap(), 130);
    let report: Value = serde_json::from_str(&printed).unwrap();
    assert!(report["matches"].as_u64().unwrap() > 0);
    let written = transcripts(&folder.read("interrupted.jsonl")).len();
    assert_eq!(written as u64, report["matches"].as_u64().unwrap());
}

#[cfg(unix)]
#[test]
fn a_report_says_what_decisions_cost() {
    let report = json("match kuhn_poker alice=hyperplay --matches 20 --seed 1", 0);
    let (alice, bob) = (&report["decisions"]["alice"], &report["decisions"]["bob"]);
    assert!(alice["count"].as_u64().unwrap() >= 20, "{report}");
    assert!(alice["states_per_decision"].as_f64().unwrap() > 1.0, "{report}");
    assert_eq!((&alice["depletions"], &bob["states_per_decision"]), (&0.into(), &0.0.into()), "{report}");
    assert!(alice["latest_share"].is_null() && alice["depleted_at_end"] == 0, "{report}");
    assert_eq!(
        (&report["engine"]["playouts"], &report["engine"]["steps"]),
        (&"lanes".into(), &"propagator".into())
    );
}

#[test]
fn with_clocks_the_report_and_the_transcript_say_how_long_answers_took() {
    let folder = Folder::new();
    let file = folder.path("clocks.jsonl").display().to_string();
    let command = "match kuhn_poker alice=hyperplay --matches 2 --seed 1 --playclock 20 --startclock 20";
    let report = json(&format!("{command} --transcript {file}"), 0);
    for role in ["alice", "bob"] {
        let said = &report["decisions"][role];
        let (seconds, share) =
            (said["latest_seconds"].as_f64().unwrap(), said["latest_share"].as_f64().unwrap());
        assert!(seconds > 0.0 && (seconds / 40.0..1.0).contains(&share), "{report}");
        assert_eq!((&said["recoveries"], &said["depleted_at_end"]), (&0.into(), &0.into()));
    }
    for transcript in transcripts(&folder.read("clocks.jsonl")) {
        let roles = transcript["roles"].as_array().unwrap();
        let is_asked: Vec<bool> = roles.iter().map(|role| role != "random").collect();
        for step in transcript["steps"].as_array().unwrap() {
            let seconds = step["seconds"].as_array().expect("there are clocks");
            assert_eq!(seconds.iter().map(Value::is_number).collect::<Vec<_>>(), is_asked);
        }
    }
    assert!(stdout(command, 0).contains("the latest answer in time came after "));
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_perft_inspect_and_check_with_what_was_found() {
    for (arguments, key) in [
        ("perft breakthrough 40", "counts"),
        ("inspect breakthrough --limit 1000000000", "states"),
        ("check breakthrough --simulate 100000000 --seed 1", "simulated"),
    ] {
        let child = start(&mut program(&format!("{arguments} --json")));
        until_it_catches_ctrl_c(&child);
        std::thread::sleep(std::time::Duration::from_secs(1));
        signal(&child, "INT");
        let (printed, error) = ended(&arguments, child.wait_with_output().unwrap(), 130);
        assert!(error.ends_with("error: interrupted\n"), "{arguments}: {error}");
        let report: Value = serde_json::from_str(&printed).unwrap();
        assert_ne!(report[key], Value::Null, "{arguments}");
        assert_ne!(report["states_complete"], true, "{arguments}");
        assert_ne!(report["simulated"]["complete"], true, "{arguments}");
    }
}

/// The decision at hand would take days.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_the_decision_at_hand() {
    for player in ["hyperplay:playouts", "ismcts:simulations", "subgame:tree=1000000000,iterations"] {
        let child =
            start(&mut program(&format!("match phantom_tictactoe x={player}=1000000000 --seed 1 --json")));
        until_it_catches_ctrl_c(&child);
        std::thread::sleep(std::time::Duration::from_millis(500));
        signal(&child, "INT");
        let (printed, error) = ended(&player, child.wait_with_output().unwrap(), 130);
        assert!(error.ends_with("error: interrupted\n"), "{player}: {error}");
        let report: Value = serde_json::from_str(&printed).unwrap();
        let counts = [&report["matches"], &report["decisions"]["x"]["count"]];
        assert_eq!(counts, [0, 0], "{player}: the decision that was cancelled does not count");
    }
}

/// The tree of this game takes minutes to be built, and its external sampling as long as it may.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_is_an_interrupt_and_not_the_end_of_a_time() {
    for command in [
        "convert leduc_poker_52 --to efg --max-nodes 1000000000",
        "solve leduc_poker_52 --max-nodes 1000000000 --seconds 1000",
        "solve leduc_poker_52 --max-nodes 1000000000 --seconds 1000 --fix alice=uniform",
        "solve leduc_poker_52 --method external --seconds 1000",
        "inspect leduc_poker_52 --tree --max-nodes 1000000000 --limit 10 --seconds 1000",
    ] {
        let child = start(&mut program(command));
        until_it_catches_ctrl_c(&child);
        std::thread::sleep(std::time::Duration::from_millis(500));
        signal(&child, "INT");
        let (_, error) = ended(&command, child.wait_with_output().unwrap(), 130);
        assert!(error.ends_with("error: interrupted\n"), "{error}");
        assert!(!error.contains("the time was up"), "{error}");
    }
}

#[test]
fn the_end_of_a_time_is_no_interrupt() {
    let report = json("solve leduc_poker --seconds 2", 0);
    assert!(report["reproduces"] == false && report["nash_conv"].is_number(), "{report}");
    let error = stderr("solve leduc_poker_52 --max-nodes 1000000000 --seconds 0.3", 1);
    assert!(error.contains("the time was up before the game tree was built"), "{error}");
    let report = json("solve leduc_poker_52 --method external --seconds 1 --seed 1", 0);
    assert!(report["iterations"].as_u64() > Some(0) && report["reproduces"] == false, "{report}");
}

/// The engines that every game here allows.
const ENGINES: [&str; 4] = ["auto", "interpreter", "propagator", "lanes"];

#[test]
fn every_engine_gives_the_same_answers() {
    let same = |command: &str, keys: &[&str]| {
        let answers = ENGINES.map(|engine| {
            let report = json(&format!("{command} --engine {engine}"), 0);
            keys.iter().map(|key| report[key].clone()).collect::<Vec<Value>>()
        });
        assert!(answers[0].iter().all(|answer| !answer.is_null()), "{command}");
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{command}: {answers:?}");
    };
    same("perft breakthrough 2", &["counts"]);
    same("match kuhn_poker alice=legal --matches 50 --seed 3", &["goals", "steps", "faults"]);
    same("inspect monty_hall --tree", &["state_at_start", "states", "moves", "tree"]);
    // What lanes draw is distributed as on every engine, but it is not the same (`tests/library/engine_draws.rs`).
    same(
        "belief monty_hall --sampler hyperplay --sampler hyperplay12 --replicates 5 --particles 4 --seed 1",
        &["rows", "summary"],
    );
    same("check nim --simulate 20 --seed 1", &["findings"]);
}

#[test]
fn players_of_one_match_run_on_engines_of_their_own() {
    let folder = Folder::new();
    let file = folder.path("engines.jsonl").display().to_string();
    let players = "alice=hyperplay:particles=8,engine=interpreter bob=clairvoyant:engine=propagator";
    let play = format!("match kuhn_poker {players} --matches 4 --seed 5 --transcript {file}");
    let report = json(&format!("{play} --engine propagator"), 0);
    assert_eq!(report["players"]["alice"], "hyperplay:particles=8,engine=interpreter");
    assert_eq!((&report["matches"], &report["faults"]), (&4.into(), &0.into()));
    let text = folder.read("engines.jsonl");
    let line: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(line["run"]["engine"], "propagator");
    for engine in ENGINES {
        let text = stdout(&format!("verify {file} --engine {engine}"), 0);
        assert_eq!(text, "4 of 4 transcripts agree with the rules\n");
    }
}

/// A counter without bound: its terms grow for ever.
const COUNTER: &str = "(role r) (init (n z)) (<= (legal r wait) (true (n ?x)))
    (<= (next (n (s ?x))) (true (n ?x))) (<= terminal (true (n (s (s z))))) (goal r 100)";

#[test]
fn perft_says_that_a_count_is_too_large_for_its_number() {
    let roles: String = (0..64).map(|role| format!("(role r{role})")).collect();
    let text = format!(
        "{roles} (init (step 0)) (<= (next (step 1)) (true (step 0))) (<= (next (step 2)) (true (step 1)))
         (<= (next (step 3)) (true (step 2))) (<= terminal (true (step 3))) (<= (goal ?r 0) (role ?r))
         (<= (legal ?r a) (role ?r)) (<= (legal r0 ?m) (true (step 1)) (other ?m)) (other b) (other c) (other d)
         (<= (legal ?r b) (role ?r) (true (step 2)))"
    );
    let folder = Folder::new();
    folder.write("wide.kif", &text);
    let name = folder.path("wide.kif").display().to_string();
    assert_eq!(json(&format!("perft {name} 3"), 0)["counts"], serde_json::json!([1, 4, null]));
    assert!(stdout(&format!("perft {name} 3"), 0).contains(" 18446744073709551615 or more "));
}

#[test]
fn what_is_too_large_to_ground_is_interpreted_with_a_note() {
    let folder = Folder::new();
    folder.write("counter.kif", COUNTER);
    let name = folder.path("counter.kif").display().to_string();
    let (text, note) = run(&mut program(&format!("perft {name} 2 --json")), 0);
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["counts"], serde_json::json!([1, 1]));
    assert!(note.contains("played by the interpreter: the ground rules are too large"), "{note}");
    assert_eq!(note.lines().count(), 1, "{note}");
    let error = stderr(&format!("perft {name} 2 --engine propagator"), 1);
    assert!(error.contains("too large") && error.contains("--engine interpreter"), "{error}");
    assert!(stderr(&format!("bench {name} --engine propagator --seconds 0.01"), 1).contains("too large"));
    let report = json(&format!("crosscheck {name} --matches 3 --seed 1"), 0);
    let game = &report["games"][0];
    assert!(game["left_out"].as_str().unwrap().contains("too large") && game["matches"] == 0, "{report}");
    assert!(stdout(&format!("crosscheck {name} --matches 3"), 0).contains("left out: "));
    let with_sidl = stdout("crosscheck games/sidl/paper_nature.sidl kuhn_poker --matches 3 --seed 1", 0);
    assert!(with_sidl.contains("left out: an interaction in SIDL"), "{with_sidl}");
    assert!(with_sidl.contains("kuhn_poker: propagator and lanes agree"), "{with_sidl}");
    let report = json(&format!("inspect {name}"), 0);
    assert!(report["too_large"]["limit"].as_u64().unwrap() > 0 && report["network"].is_null(), "{report}");
}

#[test]
fn crosscheck_says_how_much_was_compared() {
    let text = stdout("crosscheck tictactoe monty_hall --matches 20 --seed 1", 0);
    assert!(
        text.contains("tictactoe: ") && text.contains("monty_hall: ") && text.contains("20 matches"),
        "{text}"
    );
    let report = json("crosscheck kuhn_poker --matches 30 --seed 1 --threads 1", 0);
    assert_eq!(
        (&report["games"][0]["matches"], &report["games"][0]["difference"]),
        (&30.into(), &Value::Null)
    );
    assert_eq!(report["games"][0]["engines"], serde_json::json!(&ENGINES[2..]));
    assert!(report["games"][0]["steps"].as_u64().unwrap() > 60);
    let again = json("crosscheck kuhn_poker --matches 30 --seed 1 --threads 2", 0);
    assert_eq!(again["games"], report["games"]);
}

#[test]
fn bench_measures_every_engine_of_a_game() {
    let report = json("bench tictactoe --seconds 0.05 --seed 1 --threads 2", 0);
    let engines: Vec<&String> = report["engines"].as_object().unwrap().keys().collect();
    assert_eq!(engines, ENGINES[1..].iter().collect::<Vec<_>>());
    for (name, engine) in report["engines"].as_object().unwrap() {
        for rate in ["playouts", "steps", "expansions", "single_steps", "children", "comparisons"] {
            assert!(engine[format!("{rate}_per_second")].as_f64().unwrap() > 100.0, "{name}: {engine}");
        }
        // x wins 737, o 363 of 1,260 random matches and the others are draws.
        let mean = engine["mean_goals"][0].as_f64().unwrap();
        assert!((mean - 100.0 * (737.0 + 80.0) / 1260.0).abs() < 15.0, "{name}: {mean}");
    }
    assert!(report["network"]["two_inputs"].as_u64().unwrap() > 50, "{report}");
    assert!(report["grounding"]["instances"].as_u64().unwrap() > 50, "{report}");
    assert_eq!(report["threads"], 2);
    let text = stdout("bench tictactoe --seconds 0.01 --engine propagator", 0);
    assert!(text.contains("\npropagator ") && !text.contains("\ninterpreter "), "{text}");
}

#[test]
fn inspect_shows_the_network_and_its_passes() {
    let text = stdout("inspect tictactoe --network", 0);
    assert!(
        text.contains("\nnetwork ") && text.contains("  decides ") && text.contains("  ground "),
        "{text}"
    );
    assert!(!stdout("inspect tictactoe", 0).contains("  decides "));
    let report = json("inspect tictactoe", 0);
    let passes = report["network"]["passes"].as_array().unwrap();
    assert_eq!(passes[0]["name"], "ground");
    assert_eq!(passes.last().unwrap()["two_inputs"], report["network"]["two_inputs"]);
    assert!(passes[0]["two_inputs"].as_u64() > report["network"]["two_inputs"].as_u64(), "{report}");
}

#[test]
fn a_part_of_the_network_is_drawn() {
    let folder = Folder::new();
    let dot = format!("--dot {}", folder.path("terminal.dot").display());
    stdout(&format!("inspect tictactoe --limit 10 {dot} --part terminal"), 0);
    let text = folder.read("terminal.dot");
    assert!(text.starts_with("digraph") && text.contains("terminal") && text.contains("(cell "), "{text}");
    assert!(!text.contains("legal "), "{text}");
    let error = stderr(&format!("inspect tictactoe {dot} --part nothing"), 2);
    assert!(
        error.contains("no output of the network contains 'nothing'") && error.contains("goal "),
        "{error}"
    );
    assert!(stderr("inspect tictactoe --dot -", 2).contains("name a file"));
    assert!(stderr("inspect tictactoe --part legal", 2).contains("--dot"));
}
