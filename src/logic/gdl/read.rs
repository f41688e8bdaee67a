//! Reading: from a text in either syntax to a rulesheet.
//!
//! A reader never fails. It returns the clauses that it could read and findings for the rest, in the order of the
//! text. Any text is read in time linear in its length (up to a logarithm), with a recursion depth of at most a small
//! multiple of the depth that is allowed. It gives a limited number of findings, and one more that says how many are
//! not shown.
//!
//! Invariant: every clause is at most `MAX_DEPTH` levels deep. An atom counts as one level above its terms, and
//! `and`, `or` and `not` count as one level each. A clause that is printed can therefore be read again.

use super::collector::FindingCollector;
use super::depth::is_within_depth;
use super::{Finding, FindingCode, Rulesheet, Source, Span, Syntax, infix, kif};
use hyperplay_machine::terms::Symbols;

/// The length in bytes above which the readers refuse a text: 16 MiB.
pub const MAX_TEXT: usize = 16 << 20;

/// Reads a text. If no syntax is given, it is recognised from the first 1,000 lines that are not comments: the prefix
/// form if the first line begins with a parenthesis or if most lines do, the infix form otherwise.
///
/// The findings are in the order of the text; a clause with a syntax error is left out. O(text), up to a logarithm.
///
/// ```
/// use hyperplay_logic::gdl::{Rulesheet, Source, Syntax, read};
///
/// let (sheet, findings) = read(Source::new("t", "(role x) (role y"), None);
/// let Rulesheet { syntax, clauses, .. } = &sheet;
/// assert_eq!((*syntax, clauses.len()), (Syntax::Kif, 2));
/// assert_eq!(findings[0].message, "this `(` is never closed");
/// assert_eq!(sheet.symbols.name(sheet.clauses[0].head.relation), "role");
/// ```
pub fn read(source: Source, syntax: Option<Syntax>) -> (Rulesheet, Vec<Finding>) {
    let syntax = syntax.unwrap_or_else(|| sniff(source.text()));
    let mut report = FindingCollector::default();
    let mut symbols = Symbols::new();
    let clauses = if source.text().len() > MAX_TEXT {
        let message = format!("the text has {} bytes; at most {MAX_TEXT} are read", source.text().len());
        report.add(Finding::error(FindingCode::TooLarge, Span::new(0, 0), message));
        Vec::new()
    } else {
        match syntax {
            Syntax::Kif => kif::read(source.text(), &mut symbols, &mut report),
            Syntax::Infix => infix::read(source.text(), &mut symbols, &mut report),
        }
    };
    let clauses = clauses.into_iter().filter(|clause| is_within_depth(clause, &mut report)).collect();
    let unread = std::mem::take(&mut report.unread);
    (Rulesheet { source, syntax, symbols, clauses, unread }, report.finish())
}

/// The syntax that a text seems to be written in: the prefix form if the first thing that is not a comment is a
/// parenthesis, or if more lines begin with a parenthesis than with a name; the infix form otherwise.
fn sniff(text: &str) -> Syntax {
    let mut blocks = text.split("/*");
    let before = blocks.next().unwrap_or_default().to_owned();
    let text =
        blocks.fold(before, |text, block| text + block.split_once("*/").map_or(block, |(_, rest)| rest));
    let mut lines = text
        .split(infix::line_end(&text))
        .map(str::trim_start)
        .filter(|line| !line.is_empty() && !line.starts_with([';', '%', '#']) && !line.starts_with("//"))
        .peekable();
    if lines.peek().is_none_or(|line| line.starts_with('(')) {
        return Syntax::Kif;
    }
    let (prefix, other): (Vec<&str>, Vec<&str>) = lines.take(1000).partition(|line| line.starts_with('('));
    if prefix.len() > other.len() { Syntax::Kif } else { Syntax::Infix }
}
