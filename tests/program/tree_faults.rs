//! Faults of the rules that `solve`, `exploit`, `inspect --tree` and the players that solve their game meet at the ends of a
//! game, and trees that cannot fit, by the binary.

use crate::common::program::{Folder, json, program, run, stderr};

/// Leduc poker with a third suit: its rules give both players two goals where a pair is shown twice.
fn nine_cards(folder: &Folder) -> String {
    let rules =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/games/imperfect/leduc_poker.kif"));
    let more = "(rank jack_of_clubs jack) (rank queen_of_clubs queen) (rank king_of_clubs king)";
    folder.write("nine.kif", &format!("{}{more}", rules.unwrap()));
    folder.path("nine.kif").display().to_string()
}

#[test]
fn several_goals_at_an_end_are_said_by_all_who_build_the_tree() {
    let folder = Folder::new();
    let game = nine_cards(&folder);
    for command in [
        "solve --iterations 2",
        "solve --method external --iterations 2 --seed 1",
        "exploit --seed 1",
        "inspect --tree",
    ] {
        let (name, options) = command.split_once(' ').unwrap();
        let report = json(&format!("{name} {game} {options}"), 0);
        let faults = report["tree"]["faults"].as_array().unwrap();
        assert_eq!(faults.len(), 2, "{command}: {faults:?}");
        for (fault, role) in faults.iter().zip(["alice", "bob"]) {
            assert_eq!((&fault["code"], &fault["role"]), (&"several-goals".into(), &role.into()));
            assert!(fault["histories"].as_u64().unwrap() > 0, "{fault}");
            // Three deals and at least four words.
            assert!(fault["line"].as_array().unwrap().len() >= 7, "{fault}");
        }
        let (_, said) = run(&mut program(&format!("{name} {game} {options}")), 0);
        let expected = "the rules have a fault: alice has several goals at ";
        assert!(
            said.contains(expected) && said.contains("for example after (noop noop (deal alice "),
            "{command}: {said}"
        );
        let refused = run(&mut program(&format!("{name} {game} {options} --strict")), 1).1;
        assert!(
            refused.contains("error: ")
                && refused.contains("alice has several goals at ")
                && refused.contains("leave out --strict"),
            "{refused}"
        );
    }
    assert!(stderr(&format!("convert {game} --to efg --strict"), 1).contains("several goals"));
    // Sound rules say nothing, and are not refused.
    let sound = json("solve leduc_poker --iterations 2 --strict", 0);
    assert_eq!(sound["tree"]["faults"], serde_json::json!([]));
}

#[test]
fn players_that_solve_a_game_say_what_is_wrong_with_its_rules() {
    let folder = Folder::new();
    let game = nine_cards(&folder);
    let players = "alice=equilibrium:iterations=50 bob=equilibrium:iterations=50";
    let (printed, said) = run(&mut program(&format!("match {game} {players} --seed 1 --verbose")), 0);
    let all = printed + &said;
    assert!(all.contains("; the rules have a fault: alice has several goals at "), "{all}");
    let text = folder.path("nine.kif");
    let rules = std::fs::read_to_string(&text).unwrap();
    // Constant sums, and still two goals: `auto` solves it, and says so.
    let sums = "(goal alice 50) (goal bob 50)";
    let clauses: Vec<&str> = rules.split("\n\n").filter(|part| !part.starts_with("(<= (goal")).collect();
    std::fs::write(&text, format!("{}\n{sums} (goal alice 40)", clauses.join("\n\n"))).unwrap();
    let (printed, said) =
        run(&mut program(&format!("match {game} alice=auto bob=auto --seed 1 --verbose")), 0);
    let all = printed + &said;
    assert!(all.contains("; the rules have a fault: alice has several goals at "), "{all}");
}

#[test]
fn a_tree_that_cannot_fit_is_refused_with_what_to_do() {
    let said = stderr("solve phantom_tictactoe", 1);
    for expected in
        ["more than 30000000 nodes: about 1.", "e10 [", "solve --method external", "`exploit` plays matches"]
    {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert!(stderr("convert phantom_tictactoe --to efg", 1).contains("more than 30000000 nodes"));
    assert_eq!(json("inspect phantom_tictactoe --tree --limit 100", 0)["tree"], serde_json::Value::Null);
}
