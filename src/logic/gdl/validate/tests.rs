//! Tests of each check on the smallest rulesheet that shows what it must report and what it must not.
//!
//! The clauses of a case are appended to a minimal game, so that all findings belong to the case. The tables of
//! `tests/library/diagnostics.rs` contain whole files.

use super::super::finding::FindingCode::{
    ArityMismatch, Capitalisation, DependsOnDoes, DependsOnState, DuplicateRole, EmptyOr, FactWithVariable,
    FunctionAndRelation, GoalNotANumber, GoalOutOfRange, ImpossibleCondition, KeywordArity, KeywordInTerm,
    KeywordMisused, MissingQuestionMark, NestedOr, NoGoal, NoInit, NoLegal, NotARole, NotDeclared,
    ReservedHead, RoleVariableUnbound, SeesInBody, SeesReadsNext, SeesWithoutMove, SingleUseVariable,
    TooLarge, UndefinedRelation, UnreadFluent, UnreadMove, UnrestrictedRecursion, UnsafeVariable,
    UnstratifiedNegation, UnusedRelation, UnusualCharacter,
};
use super::super::{Finding, FindingCode, Severity, Source, Syntax, load};

const GAME: &str = "(role alice) (role bob) (legal alice noop) (legal bob noop) (goal alice 0) (goal bob 0) \
                    (init (p 1)) (init (p 2)) (<= terminal (true (p 2)) go) (<= go (q 1)) (q 1) (q 2)\n";

/// The findings on the clauses that are appended to the game.
fn findings(clauses: &str) -> Vec<Finding> {
    let loaded = load(Source::new("t", format!("{GAME}{clauses}")), Some(Syntax::Kif));
    let error = loaded.findings.iter().any(|finding| finding.severity == Severity::Error);
    assert_eq!(loaded.game.is_none(), error, "a game exactly if there is no error: {clauses}");
    loaded.findings
}

/// The codes of the findings, without those that a single clause cannot avoid.
fn codes(clauses: &str) -> Vec<FindingCode> {
    let avoidable = |code: &FindingCode| {
        !matches!(code, UnusedRelation | ImpossibleCondition | UnreadFluent | UnreadMove)
    };
    findings(clauses).iter().map(|finding| finding.code).filter(avoidable).collect()
}

/// The codes of the findings with their severities.
fn severities(clauses: &str) -> Vec<(FindingCode, Severity)> {
    findings(clauses).iter().map(|finding| (finding.code, finding.severity)).collect()
}

#[test]
fn the_minimal_game_is_clean() {
    assert_eq!(findings(""), []);
}

#[test]
fn without_init_there_is_a_game_and_a_note() {
    let text = GAME.replace("(init (p 1)) (init (p 2))", "(<= (next (p 2)) (does bob noop))");
    let loaded = load(Source::new("t", text), Some(Syntax::Kif));
    let found: Vec<_> = loaded.findings.iter().map(|finding| (finding.code, finding.severity)).collect();
    assert_eq!((loaded.game.is_some(), &found[..]), (true, &[(NoInit, Severity::Note)][..]));
}

#[test]
fn keywords_have_their_arity_and_their_place() {
    assert_eq!(codes("(<= (goal alice) go)"), [KeywordArity]);
    assert_eq!(codes("(<= (next (p 1)) (does alice noop noop))"), [KeywordArity]);
    assert_eq!(codes("(<= (true (p 1)) go)"), [ReservedHead]);
    assert_eq!(codes("(does alice noop)"), [ReservedHead]);
    assert_eq!(codes("(<= (next (p 1)) (true (not (p 1))))"), [KeywordMisused]);
    assert_eq!(codes("(or a b)"), [KeywordMisused]);
    assert_eq!(codes("(<= (sees alice (does bob ?m)) (does bob ?m))"), [KeywordInTerm]);
    let head = findings("(init p 3)");
    assert_eq!(head[0].help.as_deref(), Some("one term is meant: did you mean `(init (p 3))`?"));
    let body = findings("(<= (base (p ?x) (q ?x)))");
    assert_eq!(body.len(), 1);
    assert!(body[0].help.as_deref().is_some_and(|help| help.contains("closes the head")));
}

#[test]
fn every_alternative_must_bind_the_variables() {
    assert_eq!(codes("(<= (next (p ?x)) (or (q ?x) (true (p ?x))))"), []);
    assert_eq!(codes("(<= (next (p ?x)) (or (q ?x) go))"), [UnsafeVariable]);
    assert_eq!(codes("(<= (next (p 1)) (not (true (p ?x))))"), [UnsafeVariable]);
    assert_eq!(codes("(<= (next (p ?x)) (q ?x) (distinct ?x ?y))"), [UnsafeVariable]);
    assert_eq!(codes("(<= (next (p ?x)) (not (not (q ?x))))"), []);
    assert_eq!(codes("(<= (next (p ?x)) (q ?y) (not (distinct ?x ?y)))"), [UnsafeVariable]);
    assert_eq!(codes("(init (p ?x))"), [FactWithVariable]);
}

#[test]
fn a_variable_in_negations_alone_says_that_there_is_none() {
    let fault = [(UnsafeVariable, Severity::Fault)];
    assert_eq!(severities("(<= (next (p 1)) (not (true (p ?x))) (not (q ?x)))"), [fault[0], fault[0]][..1]);
    assert_eq!(severities("(<= (next (p 1)) (not (or (true (p ?x)) (q ?x))))"), fault);
    let error = [(UnsafeVariable, Severity::Error)];
    assert_eq!(severities("(<= (next (p ?x)) (not (true (p ?x))))"), error);
    assert_eq!(severities("(<= (next (p 1)) (not (q ?x)) (distinct ?x 1))"), error);
    assert_eq!(severities("(<= (next (p 1)) (not (and (q ?x) (true (p ?x)))))"), error);
    assert_eq!(severities("(<= (next (p 1)) (or (not (q ?x)) (q 2)))"), fault);
    assert_eq!(severities("(<= (next (p 1)) (not (true (p ?_))))"), fault);
    // One alternative can be repaired and the other cannot.
    let both = "(<= (next (p 1)) (or (not (q ?x)) (distinct ?x 1)))";
    assert_eq!(severities(both).iter().max_by_key(|(_, severity)| *severity), Some(&error[0]));
}

#[test]
fn a_malformed_declaration_is_ignored() {
    for (clauses, code) in [
        ("(base p 1)", KeywordArity),
        ("(base (p ?x))", FactWithVariable),
        ("(<= (base (p ?x)) (q ?y))", UnsafeVariable),
        ("(<= (base (p ?x)) (true (p ?x)))", DependsOnState),
        ("(<= (base (p 1)) (not (base (p 1))))", UnstratifiedNegation),
        ("(base ((f 1) 1))", FindingCode::Syntax),
        ("(<= (base (p 1)) (?f 1))", FindingCode::Syntax),
    ] {
        // The other clauses for `base` are ignored too: without this one they would not admit (p 1) and (p 2).
        let text = format!("{GAME}(base (r 1))\n{clauses}");
        let loaded = load(Source::new("t", &text), Some(Syntax::Kif));
        let found: Vec<_> = loaded.findings.iter().map(|finding| (finding.code, finding.severity)).collect();
        assert_eq!(found, [(code, Severity::Fault)], "{clauses}");
        assert!(loaded.findings[0].help.as_deref().is_some_and(|help| help.contains("ignored")));
        let game = loaded.game.expect("there are only faults");
        assert!(game.rules().iter().all(|rule| !rule.head.relation.is_declaration()));
        let last = game.rules().last().expect("there are rules");
        assert_eq!(game.source().slice(game.rule_span(last)), "(q 2)");
        // A rule of play that reads what is declared needs all of it.
        let read = load(Source::new("t", format!("{text}(<= (next ?f) (base ?f))")), Some(Syntax::Kif));
        assert!(
            read.findings.iter().any(|finding| (finding.code, finding.severity) == (code, Severity::Error))
        );
    }
}

#[test]
fn an_unsafe_variable_gets_a_suggestion() {
    let help = |clauses| findings(clauses)[0].help.clone().unwrap();
    assert!(help("(<= (next (p ?count)) (true (p ?coutn)))").contains("did you mean `?coutn`?"));
    assert!(help("(<= (next (p ?n)) (true (p n)))").contains("did you mean `?n` there?"));
    assert!(help("(<= (next (p 1)) (not (true (p ?n))))").contains("there is one"));
    let all = &findings("(<= (next (r ?a ?b)) (q ?c))")[0].message;
    assert!(all.contains("`?a`, `?b`") && all.contains("the head of `next`"), "{all}");
}

#[test]
fn an_unbound_role_ranges_over_the_roles() {
    assert_eq!(codes("(<= (legal ?r pass) (true (p 1)) (distinct ?r alice))"), [RoleVariableUnbound]);
    assert_eq!(codes("(goal ?r 0)"), [RoleVariableUnbound]);
    assert_eq!(codes("(<= (sees ?r ?s) (true (p 1)))"), [RoleVariableUnbound, UnsafeVariable]);
    assert_eq!(codes("(<= (sees ?r hi) (true (p 1)) (role ?r))"), []);
}

#[test]
fn negation_in_a_cycle_is_shown_as_a_cycle() {
    let found = findings("(<= a (not b))\n(<= b (q ?x) c)\n(<= c a)");
    assert_eq!(found[0].code, UnstratifiedNegation);
    assert!(found[0].message.ends_with("`a` <- not `b` <- `c` <- `a`"), "{}", found[0].message);
    assert!(found[0].help.as_deref().is_some_and(|help| help.contains("`b` at line 3")));
    // The present fluents do not depend on the next ones.
    assert_eq!(codes("(<= (next (p 1)) (not (true (p 1))))"), []);
}

#[test]
fn recursion_is_restricted() {
    let recursion = |clauses: &str| codes(clauses).contains(&UnrestrictedRecursion);
    assert!(recursion("(<= (n (s ?x)) (n ?x))"));
    assert!(recursion("(<= (n ?x) (n (s ?x)))"));
    assert!(recursion("(<= (r ?x ?z) (r ?x ?y) (r ?y ?z)) (r 1 2)"));
    assert!(recursion("(<= (n (s ?x)) (m ?x)) (<= (m ?x) (n ?x) (not (q ?x)))"));
    assert!(!recursion("(<= (n (s ?x)) (n ?x) (q ?x))"));
    assert!(!recursion("(<= (r ?x ?z) (e ?x ?y) (r ?y ?z)) (e 1 2)"));
    assert!(!recursion("(<= (r ?x ?y) (s ?y ?x)) (<= (s ?x ?y) (r ?x ?y))"));
    assert!(!recursion("(<= (n ?x) (n 0) (q ?x))"));
    // A compound argument occurs in a condition if its variables do.
    assert!(!recursion("(<= (n ?x) (n (s ?y)) (e ?x ?y)) (e 1 2)"));
}

#[test]
fn what_is_fixed_does_not_depend_on_the_state() {
    assert_eq!(codes("(<= (init (p ?x)) (true (p ?x)))"), [DependsOnState]);
    let found = findings("(<= (base (p ?x)) (h ?x))\n(<= (h ?x) (does alice ?x))");
    assert_eq!(found[0].code, DependsOnState);
    assert!(
        found[0].message.contains("`base` (line 2) reads `h` (line 3) reads `does`"),
        "{}",
        found[0].message
    );
    assert_eq!(codes("(<= (base (p ?x)) (init (p ?x)))"), []);
}

#[test]
fn what_is_decided_before_the_moves_does_not_depend_on_them() {
    assert_eq!(codes("(<= (legal alice ?m) (does bob ?m))"), [DependsOnDoes]);
    assert_eq!(codes("(<= (goal alice 1) h) (<= h (does bob noop))"), [DependsOnDoes]);
    assert_eq!(codes("(<= terminal (sees alice ?s)) (<= (sees alice ?m) (does bob ?m))"), [SeesWithoutMove]);
    assert_eq!(codes("(<= (next (p 1)) (does bob noop))"), []);
    assert_eq!(codes("(<= (sees alice ?f) (next ?f)) (<= (next (p ?x)) (true (p ?x)))"), [SeesReadsNext]);
    assert_eq!(codes("(<= (sees alice ?m) (does bob ?m)) (<= (next (p ?m)) (sees alice ?m))"), [SeesInBody]);
}

#[test]
fn every_role_moves_and_wins_and_nobody_else() {
    assert_eq!(codes("(role bob)"), [DuplicateRole]);
    assert_eq!(codes("(role carol)"), [NoLegal, NoGoal]);
    assert_eq!(codes("(role random) (legal random noop)"), []);
    assert_eq!(codes("(role carol) (<= (legal ?r pass) (role ?r)) (<= (goal ?r 1) (role ?r) (q 1))"), []);
    let found = findings("(<= (legal alicia noop) go)");
    assert_eq!((found[0].code, found[0].help.as_deref()), (NotARole, found[0].help.as_deref()));
    assert!(found[0].help.as_deref().is_some_and(|help| help.ends_with("did you mean `alice`?")));
    assert_eq!(codes("(<= (next (p 1)) (does carol noop))"), [NotARole]);
    assert_eq!(codes("(<= (goal alice 101) go)"), [GoalOutOfRange]);
    let found =
        findings("(<= (goal alice 18446744073709551616) go) (<= (goal alice -9223372036854775809) go)");
    let said: Vec<_> = found.iter().map(|found| (found.code, found.help.as_deref().unwrap_or(""))).collect();
    assert_eq!(said, [(GoalOutOfRange, "it is taken to be 100"), (GoalOutOfRange, "it is taken to be 0")]);
    assert_eq!(codes("(<= (goal alice much) go)"), [GoalNotANumber]);
}

#[test]
fn a_name_has_one_arity_one_kind_and_one_spelling() {
    assert!(severities("(<= (next (p ?x)) (q ?x 2))").contains(&(ArityMismatch, Severity::Fault)));
    assert_eq!(severities("(init (p 1 2))"), [(ArityMismatch, Severity::Fault)]);
    // The relations of one name that nothing defines or reads are one cause, unless it is all of them.
    let help = |clauses: &str| -> Vec<(FindingCode, String)> {
        let found = findings(clauses).into_iter();
        found.map(|finding| (finding.code, finding.help.unwrap_or_default())).collect()
    };
    let two = "they are taken to be two relations of one name";
    let fact = format!("{two}; nothing reads the one with 2 arguments");
    assert_eq!(help("(q 1 2)"), [(ArityMismatch, fact)]);
    let read = format!("{two}; nothing defines the one with 2 arguments");
    assert_eq!(help("(<= (goal bob 1) (q ?x ?x))"), [(ArityMismatch, read)]);
    let first = format!("{two}; nothing reads the one with 1 argument");
    assert_eq!(help("(u 1) (u 1 1) (<= (goal bob 1) (u ?x ?x))"), [(ArityMismatch, first)]);
    let all = format!("{two}; nothing reads the one with no argument; nothing reads the one with 1 argument");
    assert_eq!(help("(u) (u 1)"), [(UnusedRelation, String::new()), (ArityMismatch, all)]);
    let none =
        format!("{two}; nothing defines the one with 2 arguments; nothing defines the one with 1 argument");
    assert_eq!(
        help("(<= (goal bob 1) (u ?x ?x) (q ?x)) (<= (goal bob 2) (not (u 1)))"),
        [(UndefinedRelation, "did you mean `q`?".to_owned()), (ArityMismatch, none)]
    );
    // Any other message names the relation with its arity.
    let unsafe_head = findings("(<= (q ?x 2) (q 1))");
    assert!(unsafe_head.iter().any(|finding| finding.message.ends_with("used in the head of `q/2`")));
    assert_eq!(codes("(init (q 1))"), [FunctionAndRelation]);
    assert_eq!(codes("(init (p Noop)) (<= (next (p ?X)) (true (p ?x)))"), [Capitalisation; 2]);
    assert_eq!(codes("(<= (next (p ?x)) (true (p ?x))) (<= (next (p ?X)) (q ?X))"), []);
    assert_eq!(codes("(init (p caf\u{e9})) ; na\u{ef}ve"), [UnusualCharacter]);
    assert!(findings("(init (p a\"b))")[0].message.starts_with("the character `\"` (U+0022)"));
}

#[test]
fn relations_are_defined_and_read() {
    let found = findings("(<= (next (p ?y)) (true (p ?x)) (plus ?x 1 ?y))");
    assert_eq!(found[0].help.as_deref(), Some("GDL has no arithmetic: list the cases as facts"));
    let found = findings("(<= (next (p 1)) (p 1))");
    assert_eq!(found[1].help.as_deref(), Some("`p` is a fluent: did you mean `(true (p ...))`?"));
    assert_eq!(
        found.iter().map(|finding| finding.code).collect::<Vec<_>>(),
        [FunctionAndRelation, UndefinedRelation]
    );
    let found = findings("(<= (next (p 1)) (succ 1)) (suc 1)");
    assert_eq!(
        found.iter().map(|finding| finding.code).collect::<Vec<_>>(),
        [UndefinedRelation, UnusedRelation]
    );
    assert_eq!(found[0].help.as_deref(), Some("did you mean `suc`?"));
    // A relation that only calls itself is not read.
    assert_eq!(findings("(<= (h ?x) (q ?x)) (<= (h ?x) (h ?x))")[0].code, UnusedRelation);
}

#[test]
fn a_text_with_an_error_gets_no_echoes() {
    // The clause that defines `h` is lost, and with it no more is said than why.
    let found = findings("(<= (next (p 1)) (h 1)) (<= (h ?x) (?y ?x))");
    assert_eq!(found.iter().map(|finding| finding.code).collect::<Vec<_>>(), [FindingCode::Syntax]);
}

#[test]
fn odd_disjunctions_are_named() {
    assert_eq!(codes("(<= (next (p 1)) (or go))"), [EmptyOr]);
    assert_eq!(codes("(<= (next (p 1)) (or go (or (q 1) (q 2))))"), [NestedOr]);
    assert_eq!(codes("(<= (next (p 1)) (or go (not (q 3))) (not (or (q 1) (q 2))))"), []);
    let wide = "(or go (q 1))".repeat(13);
    assert_eq!(codes(&format!("(<= (next (p 1)) {wide})")), [TooLarge]);
}

#[test]
fn slips_are_told_from_families_of_names() {
    let twin = |a: &str, b: &str| codes(&format!("(<= (next (p ?{b})) (q ?{a}) (q ?{b}))"));
    for (a, b) in
        [("palyer", "player"), ("playr", "player"), ("collumn", "column"), ("raw", "rows"), ("rwos", "rows")]
    {
        let expected: &[FindingCode] = if (a, b) == ("raw", "rows") { &[] } else { &[SingleUseVariable] };
        assert_eq!(twin(a, b), expected, "{a} {b}");
    }
    for (a, b) in
        [("x1", "x2"), ("x", "y"), ("xold", "yold"), ("row", "nrow"), ("card", "cards"), ("posa", "posb")]
    {
        assert_eq!(twin(a, b), [], "{a} {b}");
    }
}

#[test]
fn a_variable_without_its_mark_is_named() {
    assert_eq!(codes("(<= (next (p ?m)) (q ?n) (q n) (q ?m))"), [MissingQuestionMark]);
    let one = "(<= (next (p N)) (q N))";
    assert_eq!(codes(one), [MissingQuestionMark]);
    let severities = |clauses: &str| {
        let found = findings(clauses).into_iter().filter(|finding| finding.code == MissingQuestionMark);
        found.map(|finding| finding.severity).collect::<Vec<_>>()
    };
    assert_eq!(severities(one), [Severity::Warning]);
    let three = "(<= (next (p N)) (q N)) (<= (next (p N)) (true (p N))) (<= (sees alice N) (true (p N)))";
    assert_eq!(severities(three), [Severity::Error; 3]);
    // A mark of the board is brought in by some rule.
    let mark =
        "(<= (next (cell ?x X)) (does alice ?x)) (<= (next (cell ?x X)) (true (cell ?x X)) (q X) (q ?x))";
    assert_eq!(codes(mark), []);
}

#[test]
fn what_cannot_be_declared_is_named() {
    assert_eq!(codes("(base (p 1)) (base (p 2)) (<= (next (p 3)) go)"), [NotDeclared]);
    assert_eq!(
        codes("(base (p 1)) (base (p 2)) (<= (next (r ?x)) (q ?x)) (<= (next (r 7)) go)"),
        [NotDeclared]
    );
    assert_eq!(codes("(<= (base (p ?x)) (q ?x)) (<= (next (p 3)) go)"), []);
    assert_eq!(codes("(input alice noop)"), [NotDeclared]);
    assert_eq!(codes("(<= (input ?r noop) (role ?r))"), []);
}
