//! Tests of `convert` between GDL and SIDL, and of the graphs of interactions: what is written has no findings, and the same
//! tree and the same value as the original.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::program::{program, run, stderr, stdout};

/// Converts a game, checks that the result has no findings, and returns its path.
fn converted(folder: &Path, game: &str, to: &str) -> PathBuf {
    let name = Path::new(game).file_stem().unwrap().to_string_lossy().into_owned();
    let path = folder.join(format!("{name}_converted.{to}"));
    fs::write(&path, stdout(&format!("convert {game} --to {to}"), 0)).unwrap();
    let (report, _) = run(program("check").arg(&path), 0);
    assert!(report.ends_with(": no findings\n"), "{game}: {report}");
    path
}

/// The tree of a game: nodes, ends, information sets.
fn tree(game: &Path) -> [Value; 2] {
    let (report, _) = run(program("inspect --tree --json").arg(game), 0);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert!(!report["tree"].is_null(), "{report}");
    [report["tree"].clone(), report["goal_sum"].clone()]
}

/// The goal of each role in an equilibrium. The linear program is for two roles.
fn values(game: &Path, method: &str) -> Vec<f64> {
    let report = run(program(&format!("solve {method} --json")).arg(game), 0).0;
    let report: Value = serde_json::from_str(&report).unwrap();
    let roles = report["roles"].as_object().unwrap_or_else(|| panic!("{report}"));
    roles.values().map(|role| role["goal"].as_f64().unwrap()).collect()
}

fn assert_same(original: &str, converted: &Path) {
    assert_eq!(tree(Path::new(original)), tree(converted), "{original}");
    let is_alone = original.contains("monty_hall");
    let method = if is_alone { "--iterations 200" } else { "--method lp" };
    let (expected, found) = (values(Path::new(original), method), values(converted, method));
    assert!(!expected.is_empty());
    assert_eq!(expected.len(), found.len());
    for (expected, found) in expected.iter().zip(&found) {
        assert!((expected - found).abs() < 1e-6, "{original}: {expected} and {found}");
    }
}

#[test]
fn an_interaction_as_rules_has_the_same_tree_and_value() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["kuhn_poker", "monty_hall", "pico_turn"] {
        let original = format!("games/sidl/{name}.sidl");
        let rules = converted(folder.path(), &original, "kif");
        assert_same(&original, &rules);
        run(program("match --seed 1").arg(&rules), 0);
    }
    // In the other syntax too.
    let infix = folder.path().join("monty_hall.infix");
    fs::write(&infix, stdout("convert games/sidl/monty_hall.sidl --to infix", 0)).unwrap();
    assert_eq!(tree(Path::new("games/sidl/monty_hall.sidl")), tree(&infix));
}

#[test]
fn a_game_as_an_interaction_has_the_same_tree_and_value() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["kuhn_poker", "monty_hall", "rock_paper_scissors"] {
        let original = format!("games/imperfect/{name}.kif");
        let interaction = converted(folder.path(), &original, "sidl");
        assert_same(&original, &interaction);
        run(program("match --seed 1").arg(&interaction), 0);
    }
}

#[test]
fn there_and_back_again_is_the_same_game() {
    let folder = tempfile::tempdir().unwrap();
    let there = converted(folder.path(), "games/imperfect/kuhn_poker.kif", "sidl");
    let back = converted(folder.path(), there.to_str().unwrap(), "kif");
    assert_same("games/imperfect/kuhn_poker.kif", &back);
}

#[test]
fn names_that_the_other_language_reads_otherwise_are_changed_and_stay_different() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let odd = write(
        "odd.sidl",
        "fact(half, 1). fact(done, 0). switch(1, 'Alice A', ['Go-On', 'go_on', 7, next]). momentary(1).
         branching([go(1), go(2), go(3), go(4)], 1).
         operation(go(X)) :- not(half(_)), next(half(X / 2)), next(done), goal('Alice A', X / 3).
         terminal :- done. init(account('Alice A', 0.5)). init(does(1, 'Go-On')).",
    );
    let rules = converted(folder.path(), &odd, "kif");
    assert_eq!(tree(Path::new(&odd)), tree(&rules));
    let odd = write(
        "names.kif",
        "(role Mia) (init start) (legal mia (mod 1 007)) (legal mia (min 7 a+b)) (legal mia (+ 7 a_b)) (legal mia nil)
         (<= (next (did ?m)) (does mia ?m)) (<= (sees mia (account ?m)) (does mia ?m)) (<= terminal (not (true start)))
         (<= (goal mia 100) (true (did nil))) (<= (goal mia 10) (true (did ?m)) (distinct ?m nil))",
    );
    let interaction = converted(folder.path(), &odd, "sidl");
    assert_eq!(tree(Path::new(&odd)), tree(&interaction));
    // A game that is over at once has no steps.
    let over = write(
        "over.kif",
        "(role alice) (init over) (legal alice noop) (<= terminal (true over)) (goal alice 100)",
    );
    assert_eq!(tree(Path::new(&over)), tree(&converted(folder.path(), &over, "sidl")));
    let text = fs::read_to_string(&interaction).unwrap();
    assert!(text.contains("mod_(1, n007)") && text.contains("a_b_2") && text.contains("nil_"), "{text}");
}

#[test]
fn what_cannot_be_converted_is_refused_with_a_remedy() {
    let said = stderr("convert games/sidl/duel.sidl --to kif", 1);
    for words in ["with 4/9", "GDL-II has no fractions", "--to efg"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let said = stderr("convert games/sidl/kuhn_poker.sidl --to kif --max-states 10", 1);
    assert!(said.contains("more than 10 states") && said.contains("--horizon N"), "{said}");
    let said = stderr("convert games/sidl/kuhn_poker.sidl --to kif --max-steps 7", 1);
    assert!(said.contains("7 steps") && said.contains("--max-steps N"), "{said}");
    let said = stderr("convert games/sidl/paper_pico_turn.sidl --to kif", 1);
    assert!(said.contains("none of its 144 states is terminal") && said.contains("--horizon N"), "{said}");
    stdout("convert games/sidl/paper_pico_turn.sidl --to kif --horizon 1", 0);
    stderr("convert tests/tables/efg/kuhn_poker.efg --to sidl", 2);
    // A horizon ends what has no end, and the tree has exact fractions.
    let tree = stdout("convert games/sidl/duel.sidl --to efg --horizon 2", 0);
    assert!(tree.contains(" 1/9 ") && tree.contains(" 2/9 ") && tree.contains(" 4/9 "), "{tree}");
}

/// Asks Graphviz whether it can read a text, where it is installed.
fn assert_drawable(text: &str) {
    let graphviz = Command::new("dot").arg("-Tsvg").stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
    let Ok(mut graphviz) = graphviz else { return };
    std::io::Write::write_all(graphviz.stdin.as_mut().unwrap(), text.as_bytes()).unwrap();
    assert!(graphviz.wait().unwrap().success());
}

#[test]
fn an_interaction_is_drawn_as_a_diagram_and_as_its_states() {
    let diagram = stdout("inspect games/sidl/kuhn_poker.sidl --graph dot", 0);
    for part in [
        "digraph interaction {",
        "chance first",
        "label=\"1/3: first(jack)",
        "momentary switch a",
        "bet: bet(alice)",
        "card/2",
    ] {
        assert!(diagram.contains(part), "{part}: {diagram}");
    }
    assert_drawable(&diagram);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kuhn.dot");
    let report = run(program("inspect games/sidl/kuhn_poker.sidl --dot").arg(&path), 0).0;
    assert!(report.contains("goal = 25 x (balance + 2)") && report.contains("momentary"), "{report}");
    assert_eq!(fs::read_to_string(&path).unwrap(), diagram);

    let states = stdout("inspect games/sidl/kuhn_poker.sidl --graph states", 0);
    assert!(states.starts_with("digraph states {") && states.contains("label=\"pass(alice)\""), "{states}");
    assert_eq!(states.lines().filter(|line| line.contains("[label=\"state ")).count(), 52);
    assert!(!states.contains("dashed"));
    assert_drawable(&states);
    let (part, said) = run(&mut program("inspect games/sidl/kuhn_poker.sidl --graph states --limit 10"), 0);
    assert!(part.contains("style=dashed") && said.contains("not all states are drawn, only 10"), "{said}");
    let game = stdout("inspect monty_hall --graph states", 0);
    assert!(game.contains("candidate "), "{game}");
    assert_drawable(&game);
}
