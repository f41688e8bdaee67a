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
