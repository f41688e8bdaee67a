//! Generations by the binary: a loop that is killed at any moment ends as one that was not, and a gate has an exit code.

use std::fs;
use std::time::Duration;

use serde_json::Value;

use super::written_files::parts;
use crate::common::program::{Folder, run, signal, start};

/// Two generations of a player that learns nothing but a preference for the centre, by a command that takes a moment.
const LOOP: &str = r#"
schema = "hyperplay.generations/1"
seed = 4
generations = 2
first = "random"
player = "hyperplay:search=flat,playouts=9,leaf={learnt}"
learn = ["sh", "learn.sh"]
deals = 20
opponents = 1
gate = { sprt = { h0 = 0, h1 = 20 }, deals = 60 }

[experiment]
games = ["tictactoe"]
"#;

/// The command: it sees the numbers of the facts, and writes a file in two parts.
const LEARN: &str = r#"
grep -q '"facts":\["(cell 1 1 b)"' "$1/features.tictactoe.json" || exit 7
printf '{"schema": "hyperplay.linear/1", "roles": {' > "$2"
sleep 0.1
printf '"x": {"constant": 50, "facts": {"(cell 2 2 x)": 30, "(cell 2 2 o)": -30}},' >> "$2"
printf '"o": {"constant": 50, "facts": {"(cell 2 2 x)": -30, "(cell 2 2 o)": 30}}}}' >> "$2"
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("loop.toml", LOOP);
    folder.write("learn.sh", LEARN);
    folder
}

const COMMAND: &str = "experiment generations loop.toml --out out --json";

/// All that a loop leaves and that its file determines.
fn left(folder: &Folder) -> Vec<String> {
    let mut left = Vec::new();
    for generation in ["1", "2"] {
        for name in [
            "play.toml",
            "gate.toml",
            "learnt.json",
            "play/matches.1-of-1.jsonl",
            "play/positions.1-of-1.jsonl",
            "play/features.tictactoe.json",
            "gate/matches.1-of-1.jsonl",
            "gate/turns.1-of-1.jsonl",
        ] {
            left.push(folder.read(&format!("out/{generation}/{name}")));
        }
    }
    left
}

#[test]
fn a_loop_that_is_killed_at_any_moment_ends_as_one_that_was_not() {
    let whole = folder();
    let said = run(&mut whole.program(COMMAND), 0).0;
    let rows: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 2);
    assert_eq!((&rows[0]["against"], &rows[0]["verdict"]), (&Value::from(0), &Value::from("h1")), "{rows}");
    assert_eq!(rows[1]["against"], rows[0]["incumbent"]);
    let expected = left(&whole);
    // Generation 2 plays against the past version too, with the learnt file of generation 1.
    assert!(expected[8].contains("../1/learnt.json") && expected[8].contains("random"), "{}", expected[8]);

    let killed = folder();
    for delay in (0..24).map(|number| 15 * number) {
        let mut child = start(&mut killed.program(COMMAND));
        std::thread::sleep(Duration::from_millis(delay));
        signal(&child, "KILL");
        child.wait().unwrap();
    }
    // A kill while the command learns leaves its part, which nothing has locked.
    killed.write("out/1/learnt.json.1.part", "{\"schema\": ");
    assert_eq!(run(&mut killed.program(COMMAND), 0).0, said);
    assert!(left(&killed) == expected);
    assert!(!parts(&killed).iter().any(|name| name.starts_with("learnt")));
    // With the same folder nothing is made again.
    let before = fs::metadata(killed.path("out/1/learnt.json")).unwrap().modified().unwrap();
    assert_eq!(run(&mut killed.program(COMMAND), 0).0, said);
    assert_eq!(fs::metadata(killed.path("out/1/learnt.json")).unwrap().modified().unwrap(), before);
}

#[test]
fn what_is_wrong_with_a_loop_is_said() {
    let folder = folder();
    // A folder belongs to no loop that could not begin.
    for (from, to, expected) in [
        ("\"tictactoe\"", "\"kuhn_poker_3p\"", "loop.toml:12:1: kuhn_poker_3p is no game of two players"),
        (
            "\"tictactoe\"",
            "\"tictactow\"",
            "loop.toml:12:1: 'tictactow' is neither a file nor a built-in game",
        ),
        ("games = [", "bugdet = 3\ngames = [", "loop.toml:12:1: there is no key 'bugdet' here"),
    ] {
        folder.write("loop.toml", &LOOP.replace(from, to));
        let said = run(&mut folder.program(COMMAND), 2).1;
        assert!(said.contains(expected), "{said}");
        assert!(!folder.path("out/loop.toml").exists());
    }
    folder.write("loop.toml", LOOP);
    folder.write("learn.sh", "echo > \"$2\"; exit 7");
    let said = run(&mut folder.program(COMMAND), 1).1;
    assert_eq!(parts(&folder), Vec::<String>::new());
    assert!(said.contains("sh learn.sh: exit status: 7") && said.contains("see to the command"), "{said}");
    folder.write("learn.sh", "exit 0");
    let said = run(&mut folder.program(COMMAND), 1).1;
    assert!(said.contains(".part: No such file"), "{said}");
    // A file that is not what it should be is found where it is read.
    folder.write("learn.sh", "echo '{}' > \"$2\"");
    let said = run(&mut folder.program(COMMAND), 2).1;
    assert!(said.contains("learnt.json: missing field `schema`"), "{said}");
    folder.write("loop.toml", &LOOP.replace("seed = 4", "seed = 5"));
    let said = run(&mut folder.program(COMMAND), 2).1;
    assert!(said.contains("loop.toml: another loop has begun in this folder"), "{said}");
    for (from, to, expected) in [
        ("{learnt}", "leaf.json", "loop.toml:6:10: the spec needs {learnt}"),
        ("generations/1", "generations/9", "loop.toml:2:10: the schema is 'hyperplay.generations/9'"),
        ("deals = 20", "deal = 20", "loop.toml:8:1: "),
        ("h1 = 20", "h1 = -1", "the sprt needs h0 < h1"),
        ("deals = 60", "deals = 0", "both 'deals' are 1 or more"),
        ("\"random\"", "\"randum\"", "loop.toml:5:9: there is no player 'randum' (did you mean 'random'?)"),
        ("games = [", "seed = 3\ngames = [", "[experiment] has 'seed'"),
        ("\"tictactoe\"", "\"tictactoe\", \"nim\"", "[experiment] needs one game"),
    ] {
        folder.write("loop.toml", &LOOP.replace(from, to));
        let said = run(&mut folder.program(COMMAND), 2).1;
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn a_gate_has_an_exit_code() {
    let folder = Folder::new();
    folder.write(
        "match.toml",
        "schema = 'hyperplay.experiment/1'\nseed = 2\nrepetitions = 100\ngames = ['tictactoe']\n\
         [[player]]\nname = 'better'\nspec = 'hyperplay:search=flat,playouts=50'\n[[player]]\nname = 'random'\nspec = 'random'\n",
    );
    run(&mut folder.program("experiment run match.toml --out out"), 0);
    for (gate, code, verdict) in [("0,20", 0, "h1"), ("95,99", 4, "h0"), ("0,0.001", 5, "open")] {
        let (said, _) = run(&mut folder.program(&format!("experiment report out --gate={gate}")), code);
        assert!(said.contains(&format!("Gate: {verdict} (")), "{said}");
        let (said, _) =
            run(&mut folder.program(&format!("experiment report out --json --gate={gate},0.1,0.1")), code);
        let report: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(report["gate"]["verdict"], verdict);
    }
    let (_, said) = run(&mut folder.program("experiment report out --gate"), 2);
    assert!(said.contains("the experiment has no sprt"), "{said}");
    folder.write("three.toml", &(folder.read("match.toml") + "[[player]]\nname = 'legal'\nspec = 'legal'\n"));
    run(&mut folder.program("experiment run three.toml --deals 2 --out three"), 0);
    let (_, said) = run(&mut folder.program("experiment report three --gate=0,5"), 2);
    assert!(said.contains("a gate is between two players in one game"), "{said}");
    run(&mut folder.program("experiment report three --gate=0,90 --players legal,random --json"), 4);
    let (_, said) = run(&mut folder.program("experiment report out --gate=5,0"), 2);
    assert!(said.contains("expected H0 < H1"), "{said}");
}
