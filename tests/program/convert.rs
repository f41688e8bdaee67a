//! Tests of `convert` on games in Gambit's extensive form.

use std::fs;

use crate::common::program::{program, run, stderr, stdout};

const SAMPLES: &str = "tests/tables/efg";

#[test]
fn a_game_in_extensive_form_becomes_rules_without_findings_in_both_syntaxes() {
    let folder = tempfile::tempdir().unwrap();
    for (to, first) in [("kif", "; Kuhn poker\n"), ("infix", "")] {
        let rules = stdout(&format!("convert {SAMPLES}/kuhn_poker.efg --to {to}"), 0);
        assert!(rules.starts_with(first), "{rules}");
        let path = folder.path().join(format!("kuhn.{to}"));
        fs::write(&path, rules).unwrap();
        let (report, _) = run(program("check").arg(&path), 0);
        assert!(report.ends_with(": no findings\n"), "{report}");
    }
}

#[test]
fn what_is_wrong_with_a_game_in_extensive_form_is_said_with_place_and_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Torn.EFG");
    fs::write(&path, "EFG 2 R \"\" { \"A\" }\np \"\" 1 1 \"\" { \"go\" \"stop\" } 0\nt \"\" 0\n").unwrap();
    let (printed, said) = run(program("convert --to kif").arg(&path), 1);
    assert_eq!(printed, "");
    assert!(
        said.contains("Torn.EFG: line 4, column 1: the tree ends here, but 1 more node is expected"),
        "{said}"
    );
    assert!(said.contains("every move of a node needs a subtree"), "{said}");

    for (name, reason, option) in [
        ("fine_payoffs", "more than 100 steps", "(--round)"),
        ("many_copies", "needs 1009 equally likely moves", "(--max-denominator N)"),
        ("not_timeable", "is not timeable", "split one of them"),
    ] {
        let said = stderr(&format!("convert {SAMPLES}/{name}.efg --to kif"), 1);
        assert!(said.contains(reason) && said.contains(option), "{said}");
    }
    stdout(&format!("convert {SAMPLES}/fine_payoffs.efg --to kif --round"), 0);
    stdout(&format!("convert {SAMPLES}/many_copies.efg --to kif --max-denominator 1009"), 0);
    stderr("convert no_such_file.efg --to kif", 1);
}
