//! Tests of the reader of the infix form and of its error recovery.

use super::super::print::print;
use super::super::read::read;
use super::super::{Finding, FindingCode, Rulesheet, Source, Syntax};

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
    findings.into_iter().map(slip).collect()
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
        ("p :- or() & or(a) & ~and() & distinct(X, Y)", "(<= p (or) (or a) (not (and)) (distinct ?X ?Y))\n"),
        ("p :- or(a, b | c, and(d))", "(<= p (or a (or b c) (and d)))\n"),
        ("p() :- q(and, 'It''s', ?x, ?'a-b').", "(<= p (q and It's ?x ?a-b))\n"),
    ] {
        assert_eq!(as_kif(text), kif, "{text}");
    }
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
        ("p :- q, r", Syntax, ",", "write `&`"),
        ("p :- q and r", Syntax, "and", "write `&`"),
        ("p :- q && r", Syntax, "&&", "write `&`"),
        ("p :- !r", Syntax, "!", "write `~`"),
        ("p <- r", Syntax, "<-", "write `:-`"),
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
        let first = (code, 1 + usize::from(marked == "r(X, Y)"), marked.to_owned(), help.to_owned());
        assert_eq!(found, [first], "{text}");
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
