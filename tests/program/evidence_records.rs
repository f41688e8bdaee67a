//! `verify` and `replay` on records of what a player knew of a match, written by hand.

use serde_json::{Value, json};

use crate::common::program::{Folder, json, run, stdout};

/// What the candidate knew of a match of Monty Hall that was played to its end.
fn record(rules: &str) -> Value {
    json!({
        "schema": "hyperplay.evidence/1",
        "game": "monty_hall",
        "rules": rules,
        "match": "tv.2026",
        "role": "candidate",
        "player": "hyperplay",
        "seed": 1,
        "dialect": "GDL-II",
        "clocks": { "startclock": 30.0, "playclock": 10.0 },
        "steps": [
            { "answered": "(choose 2)", "own": ["(choose 2)"], "percepts": [], "seconds": 0.5 },
            { "answered": "noop", "own": ["noop"], "percepts": ["(goat 3)"], "seconds": 0.1 },
            { "answered": "switch", "own": ["stay", "switch"], "percepts": ["(prize 1)"], "late": true },
        ],
        "outcome": "stopped",
    })
}

/// The hash of the rules of Monty Hall, and a transcript of it.
fn transcript(folder: &Folder) -> (String, String) {
    run(&mut folder.program("match monty_hall --seed 1 --transcript t.jsonl"), 0);
    let line = folder.read("t.jsonl");
    let transcript: Value = serde_json::from_str(&line).unwrap();
    (transcript["rules"].as_str().unwrap().to_owned(), line)
}

/// Runs `verify` on these lines; its exit code must be this one.
fn verify(folder: &Folder, lines: &[String], arguments: &str, code: i32) -> (String, String) {
    folder.write("r.jsonl", &(lines.join("\n") + "\n"));
    run(&mut folder.program(&format!("verify r.jsonl {arguments}")), code)
}

#[test]
fn records_of_players_are_verified_beside_transcripts() {
    let folder = Folder::new();
    let (rules, transcript) = transcript(&folder);
    let right = record(&rules);
    let (said, _) = verify(&folder, &[right.to_string()], "", 0);
    assert_eq!(said, "1 of 1 records of players agree with the rules, 0 differ, 0 are undecided\n");

    // Nobody can have seen a goat behind the door that was chosen.
    let mut wrong = right.clone();
    wrong["steps"][1]["percepts"] = json!(["(goat 2)"]);
    let mut hole = right.clone();
    hole["steps"][1] = json!({ "answered": "noop", "own": [], "percepts": null });
    let lines = [transcript.trim().to_owned(), right.to_string(), wrong.to_string(), hole.to_string()];
    let (said, _) = verify(&folder, &lines, "", 1);
    let expected = "\
        r.jsonl:3: step 2: no history explains that candidate did noop and perceived [(goat 2)]\n\
        r.jsonl:4: checked up to step 2, of which the record does not say what happened\n\
        1 of 1 transcripts agree with the rules\n\
        2 of 3 records of players agree with the rules, 1 differ, 0 are undecided\n";
    assert_eq!(said, expected);

    let report: Value = serde_json::from_str(&verify(&folder, &lines, "--json", 1).0).unwrap();
    assert_eq!([&report["transcripts"], &report["records"], &report["agree"]], [1, 3, 3]);
    assert_eq!(report["differences"][0]["line"], 3);
    assert_eq!(report["holes"], json!([{ "line": 4, "step": 2 }]));
    assert_eq!(report["undecided"], json!([]));
}

#[test]
fn a_line_that_is_not_what_it_says_is_a_difference() {
    let folder = Folder::new();
    let (rules, _) = transcript(&folder);
    let differs = |change: fn(&mut Value), expected: &str| {
        let mut record = record(&rules);
        change(&mut record);
        let (said, _) = verify(&folder, &[record.to_string()], "", 1);
        assert!(said.contains(expected) && said.contains("0 of 1 records of players"), "{said}");
    };
    differs(
        |record| record["schema"] = "hyperplay.evidence/7".into(),
        "this program reads \"hyperplay.evidence/1\"",
    );
    differs(|record| record["rules"] = "sha256:0".into(), "the match was played with other rules");
    differs(|record| record["role"] = "host".into(), "the rules have the roles candidate random");
    differs(|record| record["outcome"] = "won".into(), "not a record of a player: unknown variant `won`");
    differs(|record| record["outcome"] = "aborted".into(), "after step 3: the match must be over");
    differs(
        |record| drop(record["steps"].as_array_mut().unwrap().pop()),
        "after step 2: the match was ended",
    );
    differs(|record| record["steps"][0]["answered"] = "stay".into(), "step 1: the answer stay is not legal");
    differs(|record| record["steps"][0]["own"][0] = "(\u{1b}[2J)".into(), "is no term of the game");
}

#[test]
fn the_rules_are_looked_for_beside_the_file_first() {
    let folder = Folder::new();
    let (rules, transcript) = transcript(&folder);
    std::fs::create_dir_all(folder.path("out/rules")).unwrap();
    folder.write("out/rules/1.kif", &stdout("games monty_hall", 0));
    folder.write("rules.kif", &stdout("games kuhn_poker", 0));
    let mut line = record(&rules);
    line["game"] = "rules/1.kif".into();
    let mut played: Value = serde_json::from_str(&transcript).unwrap();
    played["game"] = "rules/1.kif".into();
    folder.write("out/records.jsonl", &format!("{line}\n{played}\n"));
    let said = run(&mut folder.program("verify out/records.jsonl"), 0).0;
    assert!(said.starts_with("1 of 1 transcripts agree with the rules\n1 of 1 records of players"), "{said}");
    let said = run(&mut folder.program("verify out/records.jsonl --game rules.kif"), 1).0;
    assert!(said.contains("0 of 1 transcripts") && said.contains("played with other rules"), "{said}");
    run(&mut folder.program("verify out/records.jsonl --game monty_hall"), 0);
    // What comes from standard input lies beside nothing.
    let mut elsewhere = folder.program("verify -");
    let said = run(elsewhere.stdin(std::fs::File::open(folder.path("out/records.jsonl")).unwrap()), 1).0;
    assert!(said.contains("-:1: 'rules/1.kif' is neither a file nor"), "{said}");
}

#[test]
fn replay_says_that_a_record_of_a_player_is_no_transcript() {
    let folder = Folder::new();
    let (rules, _) = transcript(&folder);
    folder.write("r.jsonl", &format!("{}\n", record(&rules)));
    let (shown, said) = run(&mut folder.program("replay r.jsonl"), 1);
    assert_eq!(shown, "");
    assert!(
        said.contains("r.jsonl:1: this is the record of what one player knew, and no transcript"),
        "{said}"
    );
    assert!(said.contains("`hyperplay verify` checks it"), "{said}");
    assert_eq!(json(&format!("verify {}", folder.path("r.jsonl").display()), 0)["records"], 1);
}
