//! The repairs of rulesheets as people write them, compared with the naive evaluator, which learns each from its
//! definition: on the games of `games/repaired` and on small rulesheets, with the interpreter and the fast engine.

use crate::common::{games, loaded, rulesheets_in};
use hyperplay::engine::{Engines, Interpreter};
use hyperplay::gdl::{FindingCode, Loaded, Severity, Source, Syntax, load, read};
use hyperplay::machine::Seed;

use crate::naive::Naive;
use crate::naive::lockstep;

/// The longest match, in steps.
const STEPS: usize = 60;

/// Plays random matches of a rulesheet in lockstep; returns how many steps they had.
fn agrees(loaded: &Loaded, matches: usize) -> usize {
    let name = loaded.rulesheet.source.name();
    let game = loaded.game.as_ref().unwrap_or_else(|| panic!("{name}: {:#?}", loaded.findings));
    let interpreter = Interpreter::new(game).unwrap();
    let engines = Engines::new(game);
    let fast = engines.lanes().unwrap_or_else(|error| panic!("{name}: {error}"));
    let naive = Naive::new(&loaded.rulesheet);
    let mut steps = 0;
    for number in 0..matches {
        let seed = Seed::root(7).child("repaired").index(number);
        let slow = lockstep::play(&interpreter, &naive, STEPS, &seed);
        let quick = lockstep::play(&*fast, &naive, STEPS, &seed);
        let failed = |error| panic!("{name}, match {number}: {error}");
        steps += slow.unwrap_or_else(failed).steps;
        quick.unwrap_or_else(failed);
    }
    steps
}

#[test]
fn every_repair_means_the_same_to_all_evaluators() {
    let paths = rulesheets_in(&games("repaired"));
    assert!(paths.len() >= 12, "{}", paths.len());
    for path in paths {
        let loaded = loaded(&path);
        assert!(
            loaded.findings.iter().any(|finding| finding.severity >= Severity::Warning),
            "{}",
            path.display()
        );
        assert!(agrees(&loaded, 40) > 0, "{}: no match has a step", path.display());
    }
}

/// The files whose repair is made by the reader, with the clauses that it concerns as plain KIF, written by hand: the naive
/// evaluator gets these, so that it does not learn the repair from the reader.
static READ: [(&str, &[&str], &str); 2] = [
    (
        "underscore_in_negation.gdl",
        &[],
        "(role gardener) (init (days 5)) (row 1) (row 2) (column 1) (column 2)
         (fewer 5 4) (fewer 4 3) (fewer 3 2) (fewer 2 1) (fewer 1 0)
         (<= (legal gardener (plant ?r ?c)) (row ?r) (column ?c) (not (true (bulb ?r ?c))))
         (legal gardener rest)
         (<= (next (bulb ?r ?c)) (does gardener (plant ?r ?c)))
         (<= (next (bulb ?r ?c)) (true (bulb ?r ?c)))
         (<= (next (days ?n)) (true (days ?m)) (fewer ?m ?n))
         (<= some_free (row ?r) (column ?c) (not (true (bulb ?r ?c))))
         (<= free_in_1 (row ?r) (not (true (bulb ?r 1))))
         (<= (next full) (not some_free))
         (<= (next crowded) (not free_in_1))
         (<= (next crowded) (true crowded))
         (<= (planted ?r) (true (bulb ?r ?c)))
         (<= some_bare (row ?r) (not (planted ?r)))
         (<= terminal (true (days 0)))
         (<= terminal (true full))
         (<= (goal gardener 100) (not some_bare) (not (true crowded)))
         (<= (goal gardener 60) (not some_bare) (true crowded) (not (true full)))
         (<= (goal gardener 30) (true full))
         (<= (goal gardener 0) some_bare)",
    ),
    ("tuples.kif", &["(?x ?y)", "(?y ?x)"], ""),
];

#[test]
fn what_the_reader_repairs_is_played_as_the_plain_text() {
    for (file, replaced, plain) in &READ {
        let loaded = loaded(&games("repaired").join(file));
        let text = replaced.iter().fold(loaded.rulesheet.source.text().to_owned(), |text, tuple| {
            assert!(text.contains(tuple), "{file}: {tuple}");
            text.replace(tuple, &tuple.replacen('(', "(tuple_2 ", 1))
        });
        let plain = if plain.is_empty() { text } else { (*plain).to_owned() };
        let (plain, findings) = read(Source::new("plain", plain), Some(Syntax::Kif));
        assert_eq!(findings, [], "{file}");
        let machine = Interpreter::new(loaded.game.as_ref().unwrap()).unwrap();
        let naive = Naive::new(&plain);
        for number in 0..60 {
            let seed = Seed::root(8).child("read").index(number);
            let played = lockstep::play(&machine, &naive, STEPS, &seed);
            let played = played.unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(played.over && played.one_goal_each, "{file}");
        }
    }
}

/// A game of one role and of three steps, with some clauses.
fn small(clauses: &str) -> Loaded {
    let game = "(role r) (init (step 1)) (after 1 2) (after 2 3) (after 3 4) (n 1) (n 2) (n 3)
        (<= (next (step ?m)) (true (step ?n)) (after ?n ?m)) (<= terminal (true (step 4)))
        (<= (legal r (pick ?n)) (n ?n)) (<= (next (has ?n)) (does r (pick ?n)))
        (<= (next (has ?n)) (true (has ?n)) (not (does r (pick ?n))))\n";
    load(Source::new(clauses, format!("{game}{clauses}")), None)
}

/// The severities and codes of what is said about cycles through negation.
fn verdict(loaded: &Loaded) -> Vec<(FindingCode, Severity)> {
    let codes = [FindingCode::NegationThroughItself, FindingCode::UnstratifiedNegation];
    let found = loaded.findings.iter().filter(|finding| codes.contains(&finding.code));
    found.map(|finding| (finding.code, finding.severity)).collect()
}

#[test]
fn what_is_locally_stratified_is_played_with_a_warning() {
    let goals = "(<= (goal r 100) (true (has 3))) (<= (goal r 0) (not (goal r 100)))";
    for clauses in [
        goals,
        // A chain of goals, read before they are written.
        "(<= (goal ?r 50) (role ?r) (not (goal ?r 100)) (not (goal ?r 0)))
         (<= (goal r 100) (true (has 3)) (true (has 1)))
         (<= (goal ?r 0) (role ?r) (not (true (has 2))) (not (goal ?r 100)))",
        // Any other goal, by a free variable and through a helper.
        "(<= (goal r 100) (true (has 3))) (<= (goal r 10) (true (has 1))) (<= (goal r 0) (not (some r)))
         (<= (some ?r) (goal ?r ?v) (distinct ?v 0))",
        // Two goals at once: the first rule counts, also if it is only read by another goal.
        "(<= (goal r 30) (true (has 1))) (<= (goal r 100) (true (has 1))) (<= (goal r 30) (true (has 2)))
         (<= (goal r 0) (not (goal r 30)))",
        // Along a relation of facts, with one relation, two, and a compound argument.
        &format!("{goals} (<= (win ?n) (after ?m ?n) (not (win ?m))) (<= (next (won ?n)) (win ?n) (true (has ?n)))"),
        &format!(
            "{goals} (even 1) (<= (even ?n) (after ?m ?n) (not (odd2 ?m))) (<= (odd2 ?n) (after ?m ?n) (even ?m))
             (<= (odd2 ?n) (after ?m ?n) (not (even ?n)) (true (has ?m)))
             (<= (next (even ?n)) (even ?n)) (<= (next (odd ?n)) (odd2 ?n))"
        ),
        &format!(
            "{goals} (<= (w (pos ?n)) (after ?m ?n) (not (w (pos ?m)))) (<= (next (w ?p)) (w ?p))"
        ),
        // A move that is legal where no other one is.
        &format!("{goals} (<= (legal r (rest ?n)) (true (has 2)) (n ?n)) (<= (legal r noop) (not (legal r (rest 1))))"),
        // With positive recursion beside the negation.
        &format!(
            "{goals} (<= (reach ?n) (after ?n 4)) (<= (reach ?n) (after ?n ?m) (reach ?m) (not (cut ?m)))
             (<= (cut ?n) (after ?m ?n) (after ?n ?o) (not (reach ?o))) (<= (next (reach ?n)) (reach ?n))"
        ),
        // Dynamic: what holds decides between two that have no cycle.
        &format!(
            "{goals} (<= (top ?n) (true (has ?n)) (after ?n ?m) (not (top ?m))) (<= (top 4) (true (step 2)))
             (<= (next (top ?n)) (top ?n))"
        ),
    ] {
        let loaded = small(clauses);
        let said = verdict(&loaded);
        assert!(!said.is_empty(), "{clauses}");
        assert!(said.iter().all(|(_, severity)| *severity == Severity::Warning), "{clauses}: {:#?}", loaded.findings);
        assert!(agrees(&loaded, 12) > 0);
    }
}

#[test]
fn a_cycle_of_ground_atoms_is_refused_and_shown() {
    let goal = "(goal r 1)";
    for (clauses, cycle) in [
        ("(<= p (not p)) (<= (next p) p)", "`p` <- not `p`"),
        ("(<= a (not b)) (<= b (not a)) (<= (next a) a)", "`a` <- not `b` <- not `a`"),
        // Only 2 and 3 are in a cycle.
        (
            "(to 1 2) (to 2 3) (to 3 2) (<= (win ?n) (to ?n ?m) (not (win ?m))) (<= (next (win ?n)) (win ?n))",
            "`(win 2)` <- not `(win 3)` <- not `(win 2)`",
        ),
        // Through the state: both could hold.
        (
            "(<= (win ?n) (true (has ?n)) (n ?m) (distinct ?m ?n) (not (win ?m))) (<= (next (win ?n)) (win ?n))",
            "`(win 2)` <- not `(win 1)` <- not `(win 2)`",
        ),
        ("(<= (q ?x) (n ?x) (not (q ?y))) (<= (next q) (q 1))", "`(q 1)` <- not `(q 1)`"),
        ("(<= (goal r 0) (not (goal r 0)))", "`(goal r 0)` <- not `(goal r 0)`"),
    ] {
        let loaded = small(&format!("{goal} {clauses}"));
        assert_eq!(verdict(&loaded), [(FindingCode::UnstratifiedNegation, Severity::Error)], "{clauses}");
        let finding = loaded.findings.iter().find(|finding| finding.severity == Severity::Error).unwrap();
        assert!(finding.message.ends_with(cycle), "{}", finding.message);
        assert!(loaded.game.is_none());
    }
}

#[test]
fn what_is_too_large_to_decide_is_refused() {
    // 60 values at four places.
    let facts: String = (0..60).map(|number| format!("(v {number}) ")).collect();
    let cycle =
        "(<= (p ?a ?b ?c ?d) (v ?a) (v ?b) (v ?c) (v ?d) (not (p ?b ?c ?d ?a))) (<= (next p) (p 1 2 3 4))";
    let loaded = small(&format!("(goal r 1) {facts} {cycle}"));
    assert_eq!(verdict(&loaded), [(FindingCode::UnstratifiedNegation, Severity::Error)]);
    let help = loaded.findings.iter().find_map(|finding| finding.help.clone()).unwrap();
    assert!(help.contains("more than 200000 instances"), "{help}");
}
