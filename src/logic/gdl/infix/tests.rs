//! Tests of the reader of the infix form and of its error recovery.

use super::super::print::print;
use super::super::read::read;
use super::super::{Finding, FindingCode, Rulesheet, Severity, Source, Syntax, load};

fn infix(text: &str) -> (Rulesheet, Vec<Finding>) {
    read(Source::new("t", text), Some(Syntax::Infix))
}

/// The text in the prefix form, in one line for each clause.
fn as_kif(text: &str) -> String {
    let (sheet, findings) = infix(text);
    assert_eq!(findings, [], "{text}");
    print(&sheet, Syntax::Kif).replace("\n    ", " ").replace("\n\n", "\n")
}

/// Code, line, marked text and help of every finding.
fn slips(text: &str) -> Vec<(FindingCode, usize, String, String)> {
    let (sheet, findings) = infix(text);
    let slip = |finding: Finding| {
        let line = sheet.source.line_column(finding.span.start).0;
        let marked = sheet.source.slice(finding.span).to_owned();
        (finding.code, line, marked, finding.help.unwrap_or_default())
    };
    findings.into_iter().filter(|finding| finding.severity == Severity::Error).map(slip).collect()
}

#[test]
fn every_way_to_write_a_rule_is_read() {
    for (text, kif) in [
        ("role(a). role(b) role(c)", "(role a)\n(role b)\n(role c)\n"),
        ("p :- q & r\ns", "(<= p q r)\ns\n"),
        ("p(X, f(_y, 10)) <= q(X) ∧ ¬r(X) % end\n", "(<= (p ?X (f ?_y 10)) (q ?X) (not (r ?X)))\n"),
        ("p ⇐ a | b & c ; end", "(<= p (or a (and b c)))\n"),
        ("p ← (a ∨ b) & not c // end", "(<= p (or a b) (not c))\n"),
        ("p :- not(a & b) & ~~c & ~ (d)", "(<= p (not (and a b)) (not (not c)) (not d))\n"),
        // One symbol has one spelling, and it is that of the constant.
        ("p(c) :- q(C, c, CardA, CARD, card)", "(<= (p c) (q ?c c ?CardA ?card card))\n"),
        ("p :- or() & or(a) & ~and() & distinct(X, Y)", "(<= p (or) (or a) (not (and)) (distinct ?X ?Y))\n"),
        ("p :- or(a, b | c, and(d))", "(<= p (or a (or b c) (and d)))\n"),
        ("p() :- q(and, 'It''s', ?x, ?'a-b').", "(<= p (q and It's ?x ?a-b))\n"),
    ] {
        assert_eq!(as_kif(text), kif, "{text}");
    }
}

/// The text in the prefix form, in one line for each clause, with the marked text and the help of every note.
fn with_notes(text: &str) -> (String, Vec<(String, String)>) {
    let (sheet, findings) = infix(text);
    let note = |finding: Finding| {
        assert_eq!((finding.code, finding.severity), (FindingCode::Dialect, Severity::Note), "{text}");
        (sheet.source.slice(finding.span).to_owned(), finding.help.unwrap_or_default())
    };
    let notes = findings.into_iter().map(note).collect();
    (print(&sheet, Syntax::Kif).replace("\n    ", " ").replace("\n\n", "\n"), notes)
}

#[test]
fn the_forms_of_other_languages_are_read_with_one_note_for_each() {
    for (text, kif, marked, help) in [
        ("p :- q, r, (s, t | u), v.", "(<= p q r (or (and s t) u) v)\n", ",", "the infix form writes `&`"),
        ("p :- q and r & s and t", "(<= p q r s t)\n", "and", "the infix form writes `&`"),
        ("p :- q && r & s", "(<= p q r s)\n", "&&", "the infix form writes `&`"),
        ("p :- q || r | s", "(<= p (or q r s))\n", "||", "the infix form writes `|`"),
        ("p :- q or r & s", "(<= p (or q (and r s)))\n", "or", "the infix form writes `|`"),
        (
            "p :- q(X) ; ~r(X) ; (s(X)\n ; t).\nu.",
            "(<= p (or (q ?X) (not (r ?X)) (or (s ?X) t)))\nu\n",
            ";",
            "the infix form writes `|`",
        ),
        ("p :- (q(X)\n ; r(X)).\n", "(<= p (or (q ?X) (r ?X)))\n", ";", "the infix form writes `|`"),
        (
            "p :- (q(X) ; r) & ~(s ;\n t)",
            "(<= p (or (q ?X) r) (not (or s t)))\n",
            ";",
            "the infix form writes `|`",
        ),
        (
            "p :- \\+ q & !r & \\+(s | t)",
            "(<= p (not q) (not r) (not (or s t)))\n",
            "\\+",
            "the infix form writes `~`",
        ),
        ("p <- q\nr <- s", "(<= p q)\n(<= r s)\n", "<-", "the infix form writes `:-`"),
        ("p.. q.", "p\nq\n", ".", "take it out"),
        (
            "p(M) :- q(M, J) & M != J & M\\=J & f(M) <> a & ≠(M, J)",
            "(<= (p ?M) (q ?M ?J) (distinct ?M ?J) (distinct ?M ?J) (distinct (f ?M) a) (distinct ?M ?J))\n",
            "M != J",
            "did you mean `distinct(M, J)`?",
        ),
        (
            "p(M) :- q(M, J) & M = J & (M == f(J) | ~ M = J)",
            "(<= (p ?M) (q ?M ?J) (not (distinct ?M ?J)) (or (not (distinct ?M (f ?J))) (distinct ?M ?J)))\n",
            "M = J",
            "write one name in both places, or `~distinct(M, J)`",
        ),
        (
            "p((C, R), ((a), (b, d, 1))) :- q((C, R))",
            "(<= (p (tuple_2 ?C ?R) (tuple_2 a (tuple_3 b d 1))) (q (tuple_2 ?C ?R)))\n",
            "(C, R)",
            "it is taken to be `tuple_2(C, R)`",
        ),
        (
            "p((C, R)) :- q(C, R, Tuple, tuple_2, tuple_3)",
            "(<= (p (tuple_2_ ?C ?R)) (q ?C ?R ?Tuple tuple_2 tuple_3))\n",
            "(C, R)",
            "it is taken to be `tuple_2_(C, R)`",
        ),
    ] {
        assert_eq!(with_notes(text), (kif.to_owned(), vec![(marked.to_owned(), help.to_owned())]), "{text}");
    }
    let many = "p(X) :- q(X), ~r(X), X != a, \\+ X = b, s((X, X)).\n".repeat(50);
    assert_eq!(with_notes(&many).1.len(), 5);
}

#[test]
fn a_semicolon_begins_a_comment_outside_parentheses_and_where_lines_begin_with_it() {
    for text in [
        "p :- q ; r",
        "; c\np :- (q ; r)\n | s)",
        "p :- (q ; or else\n | s)",
        "p :- (q & ; (r)\n s)",
        "p :- q ; as r (X)",
        "p :- q ; r",
        "p :- q\nr ; s(X)",
        "; c\np :- q ; r(X)",
    ] {
        assert_eq!(with_notes(text).1, [], "{text}");
    }
}

#[test]
fn an_equation_defines_a_variable_that_nothing_else_binds() {
    for (text, kif) in [
        ("p(X, Y) :- q(X) & Y = f(X)", "(<= (p ?X (f ?X)) (q ?X))\n"),
        ("p(X, Y) :- X = Y & a = X & q(Z)", "(<= (p a a) (q ?Z))\n"),
        (
            "p(X) :- q(X) & ~r(Y, Y) & f(X) = Y",
            "(<= (p ?X) (q ?X) (not (r ?Y ?Y)) (not (distinct (f ?X) ?Y)))\n",
        ),
        ("p(X) :- X = f(X)", "(<= (p ?X) (not (distinct ?X (f ?X))))\n"),
        ("p :- 1 = 2 & ~(X = 1)", "(<= p (not (distinct 1 2)) (distinct ?X 1))\n"),
    ] {
        let (sheet, _) = infix(text);
        assert_eq!(print(&sheet, Syntax::Kif).replace("\n    ", " "), kif, "{text}");
    }
}

#[test]
fn every_underscore_is_a_variable_of_its_own() {
    for (text, kif) in [
        (
            "p(_) :- q(_, _x, f(_)) & ~r(?_)\ns :- t(_)",
            "(<= (p ?_1) (q ?_2 ?_x (f ?_3)) (not (r ?_4)))\n(<= s (t ?_1))\n",
        ),
        ("p(_1) :- q(_1, _)", "(<= (p ?_1) (q ?_1 ?_1_1))\n"),
    ] {
        assert_eq!(as_kif(text), kif, "{text}");
    }
}

#[test]
fn an_anonymous_variable_that_nothing_binds_is_shown_as_it_is_written() {
    let unsafe_at = |text: &str, syntax| {
        let loaded = load(Source::new("t", text), Some(syntax));
        let found = loaded.findings.iter().find(|finding| finding.code == FindingCode::UnsafeVariable);
        found.map(|finding| (finding.message.clone(), finding.span))
    };
    let (message, span) = unsafe_at("p(X) :- q(X, _) & ~r(X, _)", Syntax::Infix).unwrap();
    assert!(message.contains("binds `_`, used in a negation"), "{message}");
    assert_eq!((span.start, span.end), (24, 25));
    let (message, _) = unsafe_at("(<= (p ?_) (q ?_))", Syntax::Kif).unwrap();
    assert!(message.contains("binds `?_`, used in the head"), "{message}");
}

#[test]
fn numbers_and_comments_need_no_quotes() {
    let text = "% one\np(-1, 'a', -20) // two\n/* three\n four */ q(/* five */ 1)";
    assert_eq!(as_kif(text), "(p -1 a -20)\n(q 1)\n");
    let (sheet, _) = infix(text);
    assert_eq!(print(&sheet, Syntax::Infix), "p(-1, a, -20)\n\nq(1)\n");
    assert_eq!(as_kif("p % one\rq % two\r"), "p\nq\n");
}

#[test]
fn places_are_those_of_the_literals() {
    let (sheet, _) = infix("p(X) :- q & ~r(X) &\n  (s | distinct(X, a))");
    let body: Vec<&str> =
        sheet.clauses[0].body.iter().map(|formula| sheet.source.slice(formula.at().0)).collect();
    assert_eq!(body, ["q", "~r(X)", "s | distinct(X, a)"]);
}

#[test]
fn a_missing_and_is_found_where_the_class_forgot_it() {
    let text = "\
next(cell(M,N,b)) :-
does(W,mark(J,K))
true(cell(M,N,b)) &
distinct(N,K)

next(control(nought)) :-
true(control(cross))
";
    let help = "put `&` between these literals".to_owned();
    assert_eq!(slips(text), [(FindingCode::Syntax, 3, "true(cell(M,N,b))".to_owned(), help)]);
    let (sheet, findings) = infix(text);
    assert_eq!(sheet.source.slice(findings[0].related.as_ref().unwrap().0), "does(W,mark(J,K))");
    assert_eq!(sheet.clauses[0].body.len(), 3);
    assert_eq!(sheet.clauses.len(), 2);
}

#[test]
fn slips_are_named_with_what_to_do() {
    use FindingCode::{KeywordArity, Syntax, UnbalancedParenthesis};
    for (text, code, marked, help) in [
        ("p :- q ~r\ns", Syntax, "~r", "put `&` between these literals"),
        ("p :- q\nr(X, Y) & s", Syntax, "r(X, Y)", "put `&` between these literals"),
        ("p :- (q r) & s", Syntax, "r", "put `&` between these literals"),
        ("p :- q\nr(X), s", Syntax, "r(X)", "put `&` between these literals"),
        ("p :- q\nX != a", Syntax, "X", "put `&` between these literals"),
        ("p : r", Syntax, ":", "write `:-`"),
        ("p :- - r", Syntax, "-", "write `~`"),
        (
            "p :- q(X) & X < 3\nr",
            Syntax,
            "<",
            "GDL has no arithmetic: write facts for a relation, for example `less(1, 2)`",
        ),
        ("p(()) :- q", Syntax, "()", ""),
        ("p :- q /* r\ns", Syntax, "/*", ""),
        ("p & q\nr", Syntax, "&", "put `:-` behind the head"),
        ("Role(x)", Syntax, "Role", "a name begins small: `role`"),
        ("p(a b)", Syntax, "b", "put a comma between the arguments"),
        ("p(2-x)", Syntax, "2-x", "write `'2-x'`"),
        ("p(f(a) :- q(b)\nr", UnbalancedParenthesis, "(", ""),
        ("p(a)) :- q(b)\nr", UnbalancedParenthesis, ")", "take it out"),
        ("p :- (q | r) ) & s", UnbalancedParenthesis, ")", "take it out"),
        ("p :- (q | r\ns :- t", UnbalancedParenthesis, "(", ""),
        ("p :- X & q\nr", Syntax, "X", ""),
        (":- q\nr", Syntax, ":-", ""),
        ("~p :- q\nr", Syntax, "~", ""),
        ("p :- q &\n", Syntax, "", ""),
        ("p(a, &)\nr", Syntax, "&", ""),
        ("p('a b')", Syntax, "'a b'", ""),
        ("p(a)\u{7}", Syntax, "\u{7}", ""),
        ("p :- not(a, b)", KeywordArity, "not(a, b)", ""),
        ("p :- distinct(a)", KeywordArity, "distinct(a)", ""),
    ] {
        let found = slips(text);
        let first = (
            code,
            1 + usize::from(["r(X, Y)", "r(X)"].contains(&marked) || text.ends_with("X != a")),
            marked.to_owned(),
            help.to_owned(),
        );
        assert_eq!(found, [first], "{text}");
    }
}

#[test]
fn one_cause_is_reported_once() {
    for text in [
        "p :- q(X) r(X) s(X) t(X)\nu",
        "p :- q(X) & r(X) s(X) t(X)\nu",
        "p :- (q r s t) & u",
        "p :- q(X & r(X)) & s(X)",
        "p(a(b) :- q((c)) ) & r",
        "role(a), role(b), role(c),\nrole(d), role(e)",
        "p(a) => q & r",
        "p(a) <=> q & r",
        "p : q",
        "p :- q : r",
        "p(a) = q(a) & r",
        "p :- q(X) & Y is X+1 & r(Y)\ns",
        "p :- q(X) & X >= 3, X < 5, r(X)\ns",
        "p(\"go home\") :- q",
        "p([a, b]) :- q",
        "p :- q, r,.",
        "p /* q\nr & & s",
    ] {
        let found = slips(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
    }
}

#[test]
fn one_slip_costs_one_clause() {
    let (sheet, findings) = infix("a :- & x\nb(\n  c)\nd :- X\n e\nf :- g(\nh\n");
    assert_eq!(findings.len(), 3, "{findings:?}");
    assert_eq!(print(&sheet, Syntax::Infix).lines().next(), Some("b(c)"));
}

#[test]
fn deep_text_is_refused() {
    for open in ["(", "~", "not ", "or(", "p("] {
        let text = format!("p :- {}", open.repeat(100_000));
        assert_eq!(slips(&text)[0].0, FindingCode::TooDeep, "{open}");
    }
    let shallow = |n| format!("p({}x{})", "f(".repeat(n), ")".repeat(n));
    assert_eq!(slips(&shallow(199)), []);
    assert_eq!(slips(&shallow(200))[0].0, FindingCode::TooDeep);
    assert_eq!(slips(&format!("p :- {}x{}", "(".repeat(200), ")".repeat(200))), []);
}

#[test]
fn the_syntax_is_recognised_by_content() {
    for (text, syntax) in [
        ("; c\n% d\n  (p)", Syntax::Kif),
        ("; c\n// d\np(a)", Syntax::Infix),
        ("", Syntax::Kif),
        ("terminal :- p", Syntax::Infix),
        ("role a)\n(role b)\n(role c)", Syntax::Kif),
    ] {
        assert_eq!(read(Source::new("t", text), None).0.syntax, syntax, "{text}");
    }
}
