//! Tests of the findings on what can never be: their place, their cause, and that one cause is reported once.
//!
//! The clauses of a case are appended to a small game in which all may hold and all is read.

use super::super::super::finding::FindingCode::{ImpossibleCondition, UnreadFluent, UnreadMove};
use super::super::super::finding::{Finding, FindingCode};
use super::super::super::load::load;
use super::super::super::rulesheet::Syntax;
use super::super::super::source::Source;

/// A game in which all is read and all may hold, to which the clauses of a case are appended.
const GAME: &str = "(role a) (role b) (init start) (init (cell 1 b)) (init (step 1)) (succ 1 2)
    (<= (legal a (go ?d)) (way ?d)) (legal b noop) (way left) (way right) (colour red) (colour blue)
    (<= (next (cell ?x x)) (true (cell ?x b)) (does a (go right)))
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= (next start) (does a (go left)))
    (<= terminal (true (cell ?x x)) (not (true start))) (<= terminal (true (step 2)) (colour red))
    (<= (goal ?r 100) (role ?r) (true (cell 1 ?m)) (colour blue))\n";

/// The findings of this group with the text at their place.
fn found(clauses: &str) -> Vec<(FindingCode, String, Finding)> {
    let loaded = load(Source::new("t", format!("{GAME}{clauses}")), Some(Syntax::Kif));
    let own = |finding: &Finding| matches!(finding.code, ImpossibleCondition | UnreadFluent | UnreadMove);
    let place = |finding: &Finding| loaded.rulesheet.source.slice(finding.span).to_owned();
    let findings = loaded.findings.iter().filter(|finding| own(finding));
    findings.map(|finding| (finding.code, place(finding), finding.clone())).collect()
}

/// The only finding of this group: its place, its message and its suggestion.
fn only(clauses: &str) -> (String, String, String) {
    let found = found(clauses);
    let [(_, place, finding)] = &found[..] else { panic!("{clauses}: {found:?}") };
    (place.clone(), finding.message.clone(), finding.help.clone().unwrap_or_default())
}

fn codes(clauses: &str) -> Vec<FindingCode> {
    found(clauses).iter().map(|(code, ..)| *code).collect()
}

#[test]
fn nothing_is_found_where_all_may_hold() {
    assert_eq!(codes(""), []);
    assert_eq!(codes("(<= terminal (true ?f) (distinct ?f start))"), []);
    assert_eq!(codes("(<= terminal (or (true start) (true (cell 1 b))) (not (true (cell 1 x))))"), []);
}

#[test]
fn a_condition_is_reported_at_the_part_that_never_occurs() {
    let (place, message, help) = only("(<= terminal (true strat))");
    assert_eq!((&*place, &*help), ("strat", "did you mean `start`?"));
    assert_eq!(message, "`(true strat)` never holds: no `init` or `next` makes the fluent `strat`");
    let (place, _, help) = only("(<= terminal (true (cell 1 bb)))");
    assert_eq!((&*place, &*help), ("bb", "there it can be `b`, `x`"));
    let (place, message, help) = only("(<= (next start) (does ?p (goes ?d)))");
    assert_eq!((&*place, &*help), ("goes", "did you mean `go`?"));
    assert_eq!(message, "`(does ?p (goes ?d))` never holds: no `legal` names the move `goes`");
    let (place, message, _) = only("(<= terminal (not (colour green)))");
    assert_eq!(place, "green");
    assert!(message.contains("so its negation always does: the first argument of `colour` is never `green`"));
    // The second `1` is meant.
    assert_eq!(only("(<= terminal (succ 1 1))").0, "1");
    assert_eq!(found("(<= terminal (succ 1 1))")[0].2.span.start, GAME.len() + "(<= terminal (succ 1 ".len());
    assert_eq!(only("(<= terminal (does b (go left)))").0, "go");
    // Two numbers of arguments are reported by another check.
    assert_eq!(codes("(<= terminal (true (step 1 2)) (true (cell 1)))"), []);
}

#[test]
fn what_is_of_another_kind_is_named() {
    assert_eq!(
        only("(<= terminal (true (go ?d)))").2,
        "`go` is a move: did you mean `(does ?role (go ?d))`?"
    );
    assert_eq!(
        only("(<= (next start) (does ?r start))").2,
        "`start` is a fluent: did you mean `(true start)`?"
    );
    assert_eq!(only("(<= terminal (true step))").2, "`step` has another number of arguments there");
}

#[test]
fn conditions_that_exclude_each_other_are_reported_together() {
    let (place, message, _) = only("(<= terminal (true (cell ?x ?y)) (colour ?y))");
    assert_eq!(place, "(colour ?y)");
    assert!(message.ends_with("never hold together: no term may stand for `?y` in all of them"), "{message}");
    assert_eq!(only("(<= terminal (succ ?x ?x))").0, "(succ ?x ?x)");
    assert!(only("(<= terminal (succ ?x ?y) (distinct ?x 1))").1.ends_with("because of `distinct`"));
    // One alternative of several is possible.
    assert_eq!(
        codes("(<= terminal (or (colour ?y) (succ ?y 2)) (true (cell ?x ?z)) (not (distinct ?y 1)))"),
        []
    );
}

#[test]
fn one_cause_is_reported_once() {
    let cascade = "(<= (lost ?x) (true (cell ?x z))) (<= (gone ?x) (lost ?x)) (<= terminal (gone 1) (lost 2))
        (<= (next (dust ?x)) (gone ?x)) (<= terminal (true (dust 1)) (true (cell 1 z)))";
    assert_eq!(only(cascade).0, "z");
    // An undefined relation is reported by another check, and so is a name without its mark.
    assert_eq!(codes("(<= (h ?x) (nowhere ?x)) (<= terminal (h 1))"), []);
    assert_eq!(codes("(<= (next (step N)) (colour N)) (<= terminal (true (step green)))"), []);
    assert_eq!(codes("(<= terminal (does carol noop))"), []);
}

#[test]
fn what_waits_for_itself_is_reported_once() {
    let (place, message, _) = only("(<= (next (lit ?x)) (true (lit ?x))) (<= terminal (true (lit 1)))");
    assert_eq!(place, "lit");
    assert!(message.ends_with("the rules that make the fluent `lit` wait for it themselves"), "{message}");
    let (_, message, _) = only("(<= (p ?x) (q ?x)) (<= (q ?x) (p ?x)) (<= terminal (p 1))");
    assert!(
        message.ends_with("the rules for `p` wait for each other") || message.contains("`q`"),
        "{message}"
    );
}

#[test]
fn a_fluent_that_nobody_reads_is_reported() {
    let (place, message, _) = only("(<= (next (been ?d)) (does a (go ?d)))");
    assert_eq!((&*place, &*message), ("been", "no rule reads the fluent `(been ?d)`"));
    assert_eq!(codes("(init there)"), []);
    assert_eq!(codes("(<= (next there) (colour red))"), [UnreadFluent]);
    let misspelt = found("(<= (next strat) (colour red))");
    assert_eq!((misspelt[0].0, misspelt[0].2.help.as_deref()), (UnreadFluent, Some("did you mean `start`?")));
    for reader in ["(<= terminal (true ?f))", "(<= terminal (true (been ?d)))", "(<= (sees a ?f) (next ?f))"]
    {
        assert_eq!(codes(&format!("(<= (next (been ?d)) (does a (go ?d))) {reader}")), [], "{reader}");
    }
}

#[test]
fn a_move_that_nobody_reads_is_reported_if_others_like_it_are_read() {
    let (place, _, help) = only("(legal b (go rihgt))");
    assert_eq!((&*place, &*help), ("rihgt", "did you mean `right`?"));
    assert_eq!(only("(<= (legal b (mark ?d)) (way ?d))").0, "mark");
    assert_eq!(codes("(legal b (go up))"), []);
    assert_eq!(codes("(legal a resign) (role c) (legal c (wait 1)) (goal c 1)"), []);
    assert_eq!(codes("(<= (legal b (mark ?d)) (way ?d)) (<= (next start) (does ?r ?m))"), []);
}

#[test]
fn the_rarer_of_two_spellings_is_the_wrong_one() {
    let clauses =
        "(legal b (turn nort)) (<= (next start) (does b (turn north))) (<= terminal (true (facing north)))
        (<= (next (facing north)) (does b (turn north)))";
    let found = found(clauses);
    let [(UnreadMove, place, finding)] = &found[..] else { panic!("{found:?}") };
    assert_eq!((&**place, finding.help.as_deref()), ("nort", Some("did you mean `north`?")));
    assert!(finding.related.as_ref().is_some_and(|(_, label)| label == "`north` is read here"));
}

#[test]
fn a_long_list_of_rules_costs_little() {
    let numbers = |text: &dyn Fn(usize) -> String| (0..3000).map(text).collect::<String>();
    let facts = numbers(&|i| format!("(p c{i} d{i}) (init (f c{i} {i}))"));
    let rules = numbers(&|i| format!("(<= (q ?x) (p ?x ?y) (p ?y ?x) (true (f ?x {i})) (true (g c{i})))"));
    assert!(codes(&(facts + &rules)).len() < 4000);
}
