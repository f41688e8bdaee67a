//! A person at the keyboard: what is typed is played, what is shown is what the role knows, and nobody is left waiting.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Output, Stdio};

use crate::common::program::{Folder, ended, program, stderr, stdout};
use serde_json::Value;

/// The program with these arguments and these lines typed: what it printed and said.
fn typed(arguments: &str, lines: &str, code: i32) -> (String, String) {
    ended(&arguments, output(arguments, lines), code)
}

fn output(arguments: &str, lines: &str) -> Output {
    let mut command = program(arguments);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The program may have ended before it has read all.
    let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
    child.wait_with_output().unwrap()
}

/// The moves of a role in the only match of a transcript file.
fn moves_of(folder: &Folder, file: &str, role: usize) -> Vec<String> {
    let transcript: Value = serde_json::from_str(&folder.read(file)).unwrap();
    let steps = transcript["steps"].as_array().unwrap().iter();
    steps.map(|step| step["moves"][role].as_str().unwrap().to_owned()).collect()
}

#[test]
fn moves_are_typed_by_number_by_name_and_by_search() {
    let folder = Folder::new();
    let file = folder.path("match.jsonl").display().to_string();
    let arguments = format!("match tictactoe x=human o=legal --seed 1 --transcript {file}");
    // The centre by its name, then all that begins with `mark 3`, of which one is taken, then the only one with `2 1`.
    let (printed, _) = typed(&arguments, "mark 2 2\nmark 3\n7\nnonsense\n2 1\n\n", 0);
    let own: Vec<String> =
        moves_of(&folder, "match.jsonl", 0).into_iter().filter(|own| own != "noop").collect();
    assert_eq!(own, ["(mark 2 2)", "(mark 3 3)", "(mark 2 1)"], "{printed}");
    assert!(printed.contains("press Enter to do (mark 2 1)"), "{printed}");
    assert!(printed.contains("no move contains 'nonsense': the moves are 1 to 5"), "{printed}");
    assert!(printed.contains("step 1: you do (mark 2 2); o does noop"), "{printed}");
    assert!(printed.contains("the match is over: x 0, o 100"), "{printed}");
    assert_eq!(stdout(&format!("verify {file}"), 0), "1 of 1 transcripts agree with the rules\n");
}

#[test]
fn what_is_shown_depends_on_nothing_but_what_the_role_knows() {
    let mut shown: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
    for seed in 1..=16 {
        let folder = Folder::new();
        let file = folder.path("deal.jsonl").display().to_string();
        stdout(&format!("match kuhn_poker alice=legal bob=legal --seed {seed} --transcript {file}"), 0);
        let transcript: Value = serde_json::from_str(&folder.read("deal.jsonl")).unwrap();
        let dealt = |step: usize| transcript["steps"][step]["moves"][2].as_str().unwrap().to_owned();
        let arguments = format!("match kuhn_poker alice=human:advisor=legal bob=legal --seed {seed}");
        let (printed, _) = typed(&arguments, "?\nboard\nmoves\npast\nhint\nhelp\nquit\n", 130);
        let (hidden, seen) = shown.entry(dealt(0)).or_default();
        hidden.insert(dealt(1));
        seen.insert(printed);
    }
    assert_eq!(shown.len(), 3);
    for (own, (hidden, seen)) in shown {
        assert_eq!(hidden.len(), 2, "{own}: both cards of the other were dealt");
        assert_eq!(seen.len(), 1, "{own}: {seen:?}");
    }
}

#[test]
fn whoever_leaves_ends_the_match_and_it_is_not_counted() {
    for (lines, why) in
        [("quit\n", ""), (":q\n", ""), ("", "standard input has ended\n"), ("nonsense\n", "ended\n")]
    {
        let (printed, said) = typed("match kuhn_poker alice=human --matches 3 --seed 1", lines, 130);
        assert!(printed.contains(why), "{printed}");
        assert!(printed.ends_with("you have left the match; it is not counted\n"), "{printed}");
        assert!(printed.starts_with("match 1 of 3\n") && !printed.contains("match 2"), "{printed}");
        assert_eq!(said, "");
    }
    // What was finished before is reported.
    let (printed, _) = typed("match kuhn_poker alice=human bob=legal --matches 3 --seed 1", "1\nquit\n", 130);
    assert!(printed.contains("match 2 of 3\n"), "{printed}");
    assert!(printed.contains("\nkuhn_poker: 1 match, seed 1\n"), "{printed}");
}

#[test]
fn a_clock_does_not_wait_for_a_person() {
    let play = |_| {
        let mut command =
            program("match kuhn_poker alice=human bob=legal --seed 1 --startclock 1 --playclock 1");
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Nobody types, and the input stays open.
        let keyboard = child.stdin.take();
        let (printed, _) = ended(&"a match with a clock", child.wait_with_output().unwrap(), 0);
        drop(keyboard);
        assert!(printed.contains("the match is over: "), "{printed}");
        printed
    };
    // A busy machine may stop the program for longer than the tenth of a second that is kept in reserve, but hardly ten times.
    let without_fault = |printed: &String| printed.contains("\n0 faults; ");
    let printed = (0..10).map(play).find(without_fault).expect("the moves are drawn in time");
    assert!(printed.contains("s left)> \nthe time is up: a legal move is drawn\n"), "{printed}");
    assert!(printed.contains(", drawn because the time was up; you perceive "), "{printed}");
}

#[test]
fn two_persons_at_one_screen_are_told_one_after_the_other() {
    let (printed, _) = typed("match kuhn_poker alice=human bob=human --seed 4", "bet\ncall\n", 0);
    let turn = |name: &str| printed.find(&format!("it is the turn of {name}\n")).unwrap();
    let (alice, bob) = (turn("alice"), turn("bob"));
    assert!(alice < bob, "{printed}");
    assert!(!printed[..bob].contains("queen)\n") || printed[..bob].contains("? "), "{printed}");
    assert!(printed[alice..bob].contains("you perceive (your_card king)"), "{printed}");
    assert!(printed[bob..].contains("you perceive (your_card queen)"), "{printed}");
    assert!(!printed[..bob].contains("(your_card queen)"), "{printed}");
}

#[test]
fn a_state_of_which_a_sample_tells_is_not_drawn_as_known() {
    let sampled = "match battleships_small red=human:particles=1,sampler=[hyperplay:enumerate=off] --seed 1";
    let lines = "1\n1\n1\nboard\n:quit\n";
    let (printed, _) = typed(sampled, lines, 130);
    let note = "this is what 1 history drawn at random among those that are possible have in common; others may be possible";
    assert!(printed.matches(note).count() >= 2, "{printed}");
    let (printed, _) = typed("match tictactoe x=human --seed 1", "1\n:quit\n", 130);
    assert!(!printed.contains("drawn at random among"), "{printed}");
}

#[test]
fn what_is_typed_cannot_act_on_the_terminal() {
    let line = format!("\u{1b}]0;title\u{7}{}\nquit\n", "x".repeat(100_000));
    let (printed, _) = typed("match kuhn_poker alice=human --seed 1", &line, 130);
    assert!(!printed.contains('\u{1b}') && printed.len() < 3_000, "{}", printed.len());
}

#[test]
fn a_report_in_json_stands_alone_on_standard_output() {
    let (printed, said) = typed("match kuhn_poker alice=human bob=legal --seed 4 --json", "bet\n", 0);
    let report: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(report["players"]["alice"], "human", "{report}");
    assert!(said.contains("alice> bet\n"), "{said}");
}

#[test]
fn a_person_is_asked_in_a_match_only_and_sees_no_other_hand() {
    for (arguments, what) in [
        ("match kuhn_poker alice=human --verbose", "--verbose would show a person what the others know"),
        ("match - alice=human", "standard input has the rules"),
        ("match kuhn_poker alice=human:advisor=human", "is not asked inside another player"),
        ("exploit kuhn_poker alice=human", "a person is asked in `hyperplay match` only"),
    ] {
        let rules = std::fs::read_to_string("games/imperfect/kuhn_poker.kif").unwrap();
        let (printed, said) = typed(arguments, &rules, 2);
        assert!(printed.is_empty() && said.contains(what), "{arguments}: {said}");
    }
    assert!(stdout("players", 0).contains("\nhuman: "));
    let folder = Folder::new();
    folder.write(
        "persons.toml",
        "schema = \"hyperplay.experiment/1\"\nname = \"x\"\nabout = \"x\"\nseed = 1\ngames = [\"kuhn_poker\"]\n\
         repetitions = 1\n[[player]]\nname = \"me\"\nspec = \"human\"\n[[player]]\nname = \"legal\"\nspec = \"legal\"\n",
    );
    let said = stderr(&format!("experiment check {}", folder.path("persons.toml").display()), 2);
    assert!(said.contains("a person is asked in `hyperplay match` only"), "{said}");
}

/// The script types at a terminal and waits for prompts, which a pipe cannot show.
#[test]
fn a_first_evening_at_a_terminal_goes_as_it_should() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/first_evening.py");
    let binary = program("").get_program().to_owned();
    let Ok(output) = std::process::Command::new("python3").arg(script).arg(binary).output() else {
        println!("skipped: there is no python3");
        return;
    };
    let (printed, _) = ended(&"a first evening", output, 0);
    assert!(printed.ends_with("the evening went as it should\n"), "{printed}");
}
