//! Rulesheets in KIF and in infix syntax.

use hyperplay::gdl::{Severity, Source, Syntax, load, print, read, render};

/// As [`reads_again_as_printed`], in KIF.
pub fn kif_reads_again_as_printed(input: &[u8]) -> bool {
    reads_again_as_printed(input, Syntax::Kif)
}

/// As [`reads_again_as_printed`], in infix syntax.
pub fn infix_reads_again_as_printed(input: &[u8]) -> bool {
    reads_again_as_printed(input, Syntax::Infix)
}

/// A text is a game, or has an error whose place is in the text. Findings can be rendered. A game that is printed in either syntax is
/// read again without a finding, with as many clauses.
fn reads_again_as_printed(input: &[u8], syntax: Syntax) -> bool {
    let text = String::from_utf8_lossy(input);
    let mut is_game = false;
    for syntax in [None, Some(syntax)] {
        let source = Source::new("input", &*text);
        let loaded = load(source.clone(), syntax);
        let is_wrong = loaded.findings.iter().any(|finding| finding.severity == Severity::Error);
        assert_eq!(loaded.game.is_none(), is_wrong, "a text is a game if it has no error");
        for finding in &loaded.findings {
            assert!(finding.span.start <= finding.span.end && finding.span.end <= source.text().len());
            assert!(!finding.message.is_empty());
        }
        render(&loaded.findings[..loaded.findings.len().min(10)], &source, true);
        for to in [Syntax::Kif, Syntax::Infix] {
            let printed = print(&loaded.rulesheet, to);
            let (again, findings) = read(Source::new("printed", &printed), Some(to));
            if loaded.game.is_some() {
                assert_eq!(findings, [], "{to:?}");
                assert_eq!(again.clauses.len(), loaded.rulesheet.clauses.len());
            }
        }
        is_game |= loaded.game.is_some();
    }
    is_game
}
