//! A long text of one repeated word is refused or read in time that grows with its length.

use std::time::{Duration, Instant};

use hyperplay::gdl::{Source, Syntax, print, read, render};

use crate::fuzz::dictionary;

#[test]
fn large_monotonous_texts_are_refused_or_read_fast() {
    let begin = Instant::now();
    let words = dictionary("rules").into_iter().map(|word| String::from_utf8(word).unwrap());
    let lines = [
        "(\n",
        "(p\n",
        ")\n",
        "(<= ",
        "(<= p\n",
        "p :- q ",
        "p(",
        "~(",
        "x ~y ",
        "p, ",
        "(p, ",
        "(p ; ",
        "a ; p(x) ",
        "a ; p(",
        "p(a ;",
        "X = Y, ",
        "(X, ",
        "(X) = ",
    ];
    for piece in words.chain(lines.map(str::to_owned)) {
        let monotonous = piece.repeat(20_000);
        for syntax in [Syntax::Kif, Syntax::Infix] {
            for text in [monotonous.clone(), format!("p :- {monotonous}"), format!("(<= p {monotonous}")] {
                let source = Source::new("large", &text);
                let (rulesheet, findings) = read(source.clone(), Some(syntax));
                assert!(findings.len() <= 102, "{piece:?}");
                render(&findings, &source, false);
                print(&rulesheet, Syntax::Infix);
            }
        }
        assert!(begin.elapsed() < Duration::from_secs(300), "{piece:?} takes too long");
    }
    let huge = "(p) ".repeat(5 << 20);
    assert_eq!(read(Source::new("huge", &huge), None).1.len(), 1);
}
