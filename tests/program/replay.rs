//! `replay`, and the boards that `match --verbose` and `inspect` draw.

use crate::common::program::{Folder, run, stderr, stdout};

/// Plays some matches and gives the folder with their transcripts in `t.jsonl`.
fn recorded(arguments: &str) -> Folder {
    let folder = Folder::new();
    run(&mut folder.program(&format!("match {arguments} --transcript t.jsonl --values")), 0);
    folder
}

fn replay(folder: &Folder, arguments: &str, code: i32) -> (String, String) {
    run(&mut folder.program(&format!("replay {arguments}")), code)
}

#[test]
fn a_replay_shows_what_the_verbose_match_showed() {
    let folder = Folder::new();
    let played = run(
        &mut folder.program("match tictactoe x=legal o=random --seed 3 --verbose --transcript t.jsonl"),
        0,
    );
    let shown = replay(&folder, "t.jsonl", 0).0;
    let steps = |text: &str| {
        let from = text.find("  start").expect("the start is shown");
        let to = text.find("  over after").expect("the end is shown");
        text[from..to].to_owned()
    };
    assert_eq!(steps(&shown), steps(&played.0));
    assert!(shown.starts_with("match 0: tictactoe, seed 3: x=legal o=random\n"), "{shown}");
    assert!(shown.contains("      1[x] .  .\n"), "{shown}");
}

#[test]
fn one_match_and_one_state_can_be_chosen() {
    let folder = recorded("tictactoe x=clairvoyant --matches 3 --seed 1");
    let (first, note) = replay(&folder, "t.jsonl --step 0", 0);
    assert!(first.starts_with("match 0, after 0 steps\n    (cell row column _)\n"), "{first}");
    assert!(note.contains("t.jsonl has 3 matches; --match M shows another one"), "{note}");
    let (third, _) = replay(&folder, "t.jsonl --match 2 --step 1", 0);
    assert!(
        third.starts_with("match 2, after 1 step\n") && third.contains("o may do: (mark 1 1)"),
        "{third}"
    );
    let (values, _) = replay(&folder, "t.jsonl --match 2", 0);
    assert!(values.contains(" (100 %)\n") && values.contains("  over after "), "{values}");
}

#[test]
fn a_role_sees_its_own_moves_and_percepts_only() {
    let folder = recorded("kuhn_poker alice=hyperplay bob=hyperplay --seed 4");
    let (alice, _) = replay(&folder, "t.jsonl --role Alice", 0);
    assert!(alice.contains("alice perceives (your_card king)"), "{alice}");
    for secret in ["queen", "(deal", "bob perceives", "holds"] {
        let before_the_end = alice.split("  step 4").next().expect("it has steps");
        assert!(!before_the_end.contains(secret), "{secret}: {alice}");
    }
    let (state, _) = replay(&folder, "t.jsonl --role alice --step 2", 0);
    assert!(state.contains("alice may do: bet check") && !state.contains("bob"), "{state}");
    // Where nothing is hidden, a role sees the state.
    let folder = recorded("tictactoe --seed 1");
    assert!(replay(&folder, "t.jsonl --role x --step 1", 0).0.contains("(cell row column _)"));
}

#[test]
fn terms_are_written_as_the_rulesheet_writes_them() {
    let game = format!("{}/games/imperfect/simplified_poker.gdl", env!("CARGO_MANIFEST_DIR"));
    let text = stdout(&format!("match {game} ann=hyperplay --seed 2 --verbose"), 0);
    for expected in
        ["random may do: deal(1, 2)", "50.0 %  hasCard(bob, 2)", "perceives yourCard(1)", "+ control(ann)"]
    {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let text = stdout(&format!("inspect {game}"), 0);
    assert!(text.contains("state at start    control: random\n") && text.contains(": deal(1, 2)"), "{text}");
}

#[test]
fn inspect_draws_the_start_and_a_random_match() {
    let text = stdout("inspect tictactoe --states 2 --seed 1 --limit 10", 0);
    assert!(text.contains("state at start\n  (cell row column _)\n      1  2  3\n    1 .  .  .\n"), "{text}");
    assert!(text.contains("random match, seed 1\n  step 1: x (mark "), "{text}");
    assert!(text.contains("[x]") && text.contains("  step 2: x noop, o (mark "), "{text}");
    assert_eq!(text, stdout("inspect tictactoe --states 2 --seed 1 --limit 10", 0));
    assert!(stderr("inspect tictactoe --states 2 --json", 2).contains("cannot be used with"));
}

#[test]
fn what_cannot_be_replayed_is_said_with_a_remedy() {
    let folder = recorded("kuhn_poker --matches 2 --seed 4");
    let wrong = |arguments: &str, code: i32, expected: &[&str]| {
        let (_, text) = replay(&folder, arguments, code);
        expected.iter().for_each(|part| assert!(text.contains(part), "{arguments}: {part}: {text}"));
    };
    wrong("none.jsonl", 1, &["none.jsonl: No such file"]);
    wrong("t.jsonl --match 7", 2, &["no match 7", "it has 2 matches, 0 to 1"]);
    wrong("t.jsonl --step 99", 2, &["t.jsonl:1: --step 99: match 0 has 4 steps", "take 0, the start, to 4"]);
    wrong("t.jsonl --role carol", 2, &["--role carol: kuhn_poker has no such role", "alice, bob, random"]);
    wrong("t.jsonl --game tictactoe", 1, &["t.jsonl:1:", "other rules", "--game FILE"]);
    wrong("- --game -", 2, &["cannot be both"]);
    folder.write("empty.jsonl", "\n");
    wrong("empty.jsonl", 1, &["empty.jsonl: no transcript in it", "match GAME --transcript FILE"]);
    folder.write("text.jsonl", "a match\n");
    wrong("text.jsonl", 1, &["text.jsonl:1: not a transcript", "match GAME --transcript FILE"]);
    folder.write("matches.jsonl", "{\"deal\":0,\"goals\":[1]}\n");
    wrong("matches.jsonl", 1, &["a record of an experiment, which holds no moves"]);
    // A changed move: the match is shown as far as it agrees with the rules.
    let text = folder.read("t.jsonl");
    let mut line: serde_json::Value = serde_json::from_str(text.lines().next().expect("a match")).unwrap();
    line["steps"][2]["moves"][0] = "call".into();
    folder.write("changed.jsonl", &line.to_string());
    let (shown, error) = replay(&folder, "changed.jsonl", 1);
    assert!(shown.contains("  step 2\n") && !shown.contains("  step 3\n"), "{shown}");
    assert!(error.contains("changed.jsonl:1: step 3: alice cannot do call"), "{error}");
    wrong("changed.jsonl --step 3", 1, &["step 3: alice cannot do call"]);
    assert!(replay(&folder, "changed.jsonl --step 2", 0).0.contains("after 2 steps"));
    // Changed goals: the last state is that of the rules, and the end is refused however it is asked for.
    let mut line: serde_json::Value = serde_json::from_str(text.lines().next().expect("a match")).unwrap();
    line["goals"] = serde_json::json!([100, 100, 100]);
    line["players"][0] = "\u{1b}[31mred\u{7}".into();
    folder.write("goals.jsonl", &line.to_string());
    for arguments in ["goals.jsonl", "goals.jsonl --step 4"] {
        let (shown, error) = replay(&folder, arguments, 1);
        assert!(!shown.contains("over after") && !shown.contains('\u{1b}'), "{arguments}: {shown}");
        assert!(error.contains("the goals are"), "{arguments}: {error}");
    }
    std::fs::write(folder.path("bytes.jsonl"), [0xff, 0xfe, b'\n']).unwrap();
    wrong("bytes.jsonl", 1, &["bytes.jsonl:1: this is no text", "match GAME --transcript FILE"]);
}
