//! Tests of `hyperplay solve` by its binary: its clock, and what it says of it.

use crate::common::program::{Folder, json, stderr, stdout};

const CUT: &str = "the time, or an interrupt, ended this run: another run may differ";

/// The clock began when the tree was built, however long that took.
#[test]
fn the_clock_counts_the_building_of_the_tree() {
    let folder = Folder::new();
    let file = folder.path("p.json").display().to_string();
    let said = stderr(&format!("solve leduc_poker --seconds 0 --out {file}"), 1);
    assert!(said.contains("leduc_poker: the time was up before the game tree was built"), "{said}");
    assert!(said.contains("give more --seconds") && !folder.path("p.json").exists(), "{said}");
}

#[test]
fn a_run_that_its_time_ended_says_that_another_may_differ() {
    let folder = Folder::new();
    let file = folder.path("p.json").display().to_string();
    let text = stdout(&format!("solve leduc_poker --unit 3 --seconds 2 --top 0 --out {file}"), 0);
    assert!(text.contains(CUT) && folder.path("p.json").exists(), "{text}");
    assert_eq!(json("solve leduc_poker --unit 3 --seconds 2 --method external", 0)["reproduces"], false);
    // No tree is judged that is too large, and what is cut is said there too.
    let unjudged = "solve leduc_poker --max-nodes 10 --seed 1 --method outcome";
    assert!(stdout(&format!("{unjudged} --seconds 0.2"), 0).contains(CUT));
    assert_eq!(json(&format!("{unjudged} --seconds 0.2"), 0)["reproduces"], false);
    for whole in [
        "solve leduc_poker --iterations 20",
        "solve kuhn_poker --method lp",
        "solve kuhn_poker --nash-conv 0.1",
    ] {
        assert_eq!(json(whole, 0)["reproduces"], true, "{whole}");
        assert!(!stdout(whole, 0).contains(CUT), "{whole}");
    }
    assert_eq!(json(&format!("{unjudged} --iterations 20"), 0)["reproduces"], true);
}

/// A tree that grows is judged where the tree of the game is small, and says how far it is where it is not. What it writes
/// is played as any other policy.
#[test]
fn a_tree_that_grows_is_judged_or_says_how_far_it_is() {
    let folder = Folder::new();
    let file = folder.path("p.json").display().to_string();
    let solved = json("solve kuhn_poker --method growing --iterations 200 --seed 1 --unit 25", 0);
    assert_eq!((&solved["method"], &solved["reproduces"]), (&"growing".into(), &true.into()));
    assert!(solved["nash_conv"].as_f64().unwrap() < 0.001, "{solved}");
    // A seed that is drawn is reported, and stands in the file, with which another run gives the same.
    for method in ["growing", "external"] {
        let command = format!("solve kuhn_poker --method {method} --iterations 20 --out {file}");
        let drawn = json(&command, 0);
        let written = folder.read("p.json");
        let seed = drawn["seed"].as_u64().unwrap();
        assert!(written.contains(&format!("\"seed\": {seed},")), "{written}");
        std::fs::remove_file(folder.path("p.json")).unwrap();
        assert_eq!(json(&format!("{command} --seed {seed}"), 0), drawn);
        assert_eq!(folder.read("p.json"), written);
        json(&format!("exploit kuhn_poker alice=policy:{file} bob=policy:{file}"), 0);
        std::fs::remove_file(folder.path("p.json")).unwrap();
    }
    assert!(json("solve kuhn_poker --iterations 20", 0)["seed"].is_null());
    let part =
        format!("solve leduc_poker --method growing --max-nodes 500 --iterations 100 --seed 1 --out {file}");
    let grown = json(&part, 0);
    let nodes = grown["nodes"].as_u64().unwrap();
    assert!((500..700).contains(&nodes) && grown["leaves"].as_u64().unwrap() > 100, "{grown}");
    assert!(grown["nash_conv"].is_null() && grown["nash_conv_in_tree"].as_f64().unwrap() < 0.05, "{grown}");
    assert!((0.05..1.0).contains(&grown["leaf_probability"].as_f64().unwrap()), "{grown}");
    let text = stdout(&part, 0);
    assert!(
        text.contains(&format!("on a tree of {nodes} nodes, ")) && text.contains("come to a leaf"),
        "{text}"
    );
    let judged = json(&format!("exploit leduc_poker alice=policy:{file} bob=policy:{file}"), 0);
    assert!(judged["nash_conv"].as_f64().unwrap() > 0.1, "{judged}");
}
