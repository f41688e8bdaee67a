//! Tokens of the prefix form.
//!
//! Each parenthesis is a token. Every other sequence of characters up to a blank, a parenthesis or a comment is a name,
//! or a variable if it begins with `?`. A comment runs from `;` to the end of the line.
//!
//! Three forms of a dialect are read, with a note: `:-` for `<=`, an arrow without a blank after it (`(<=p q)`), and a
//! comment that begins with `//` or `%`, at the beginning of a line or behind a clause.

use crate::gdl::collector::FindingCollector;
use crate::gdl::dialect::Dialect;
use crate::gdl::finding::Finding;
use crate::gdl::infix::line_end;
use crate::gdl::source::{Span, is_blank};

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KifTokenKind {
    /// `(`
    Open,
    /// `)`
    Close,
    /// `<=`, `⇐`, `←` or `:-`
    If,
    /// A constant, relation or function.
    Name,
    /// `?x`
    Variable,
}

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct KifToken {
    pub(super) kind: KifTokenKind,
    /// Whether it is the first token of its line.
    pub(super) first: bool,
    start: u32,
    end: u32,
    /// The line, from 0.
    pub(super) line: u32,
    /// The offset in its line in bytes, from 0.
    pub(super) column: u32,
}

impl KifToken {
    pub(super) fn span(self) -> Span {
        Span::new(self.start as usize, self.end as usize)
    }
}

/// Whether a name looks like a comment of another language, so that it must not stand at the beginning of a line.
pub(in crate::gdl) fn looks_like_comment(name: &str) -> bool {
    name.starts_with('%')
        || name.starts_with("//")
        || name.starts_with("/*") && name.contains("*/")
        || name.starts_with("# ")
}

/// Whether the reader reads the text as one name.
pub(in crate::gdl) fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains(ends_name) && !is_if(text) && !joins_head(text) && !opens_string(text)
}

/// Whether the word is the first of several in double quotes.
fn opens_string(word: &str) -> bool {
    word.strip_prefix('"').is_some_and(|rest| !rest.ends_with('"'))
}

/// Whether the word is the arrow of a rule.
fn is_if(word: &str) -> bool {
    matches!(word, "<=" | "⇐" | "←" | ":-")
}

/// Whether the word is an arrow and a name without a blank between them.
fn joins_head(word: &str) -> bool {
    word.strip_prefix("<=").is_some_and(|head| head.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

fn ends_name(c: char) -> bool {
    matches!(c, '(' | ')' | ';' | '?') || is_blank(c) || c.is_control()
}

/// Splits a text into tokens.
pub(super) fn tokens(text: &str, report: &mut FindingCollector) -> Vec<KifToken> {
    let mut tokens = Vec::new();
    let (mut line, mut line_start, mut first) = (0, 0, true);
    let mut at = 0;
    let newline = line_end(text);
    let mut depth = 0_usize;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let leads = first;
        let mut token = |kind: KifTokenKind, length: usize| {
            let [start, end, column] = [at, at + length, at - line_start]
                .map(|offset| u32::try_from(offset).expect("the text is shorter than 2^32 bytes"));
            tokens.push(KifToken { kind, first: leads, start, end, line, column });
            first = false;
            length
        };
        at += match c {
            _ if c == newline => {
                (line, line_start, first) = (line + 1, at + 1, true);
                1
            }
            _ if is_blank(c) => c.len_utf8(),
            ';' => to_line_end(rest, newline),
            '(' => {
                depth += 1;
                token(KifTokenKind::Open, 1)
            }
            ')' => {
                depth = depth.saturating_sub(1);
                token(KifTokenKind::Close, 1)
            }
            '?' => {
                let length = 1 + rest[1..].find(ends_name).unwrap_or(rest.len() - 1);
                if length > 1 {
                    token(KifTokenKind::Variable, length);
                } else {
                    report.syntax(Span::new(at, at + 1), "`?` must be followed by the name of a variable");
                }
                report_inner_question_mark(text, at + length, report);
                length
            }
            _ if c.is_control() => {
                let message = format!("the control character U+{:04X} cannot stand here", u32::from(c));
                report.syntax(Span::new(at, at + c.len_utf8()), message);
                c.len_utf8()
            }
            _ if (leads || depth == 0) && looks_like_comment(rest) => {
                let block = rest.strip_prefix("/*").and_then(|inside| inside.find("*/"));
                let length = block.map_or_else(|| to_line_end(rest, newline), |end| end + 4);
                if let Some(last) = rest[..length].rfind(newline) {
                    line += rest[..length].matches(newline).count() as u32;
                    line_start = at + last + 1;
                }
                let help = || "in the prefix form a comment begins with `;`".to_owned();
                report.dialect(Dialect::Comment, Span::new(at, at + length), help);
                length
            }
            _ => {
                let length = rest.find(ends_name).unwrap_or(rest.len());
                let word = &rest[..length];
                if opens_string(word) {
                    // The first word stands for the whole string.
                    token(KifTokenKind::Name, length);
                    let partner = rest[1..].find(['"', newline]).map(|end| end + 1);
                    let end =
                        partner.filter(|&end| rest[end..].starts_with('"')).map_or(length, |end| end + 1);
                    let message = "a name has no blanks and no parentheses, also in double quotes";
                    let finding = Finding::syntax(Span::new(at, at + end), message);
                    report.add(finding.help("join the words by `_`"));
                    end.max(length)
                } else if joins_head(word) {
                    let help = || format!("put a blank into it: `<= {}`", &word[2..]);
                    report.dialect(Dialect::NoBlankAfterArrow, Span::new(at, at + length), help);
                    token(KifTokenKind::If, 2)
                } else {
                    if word == ":-" {
                        let help = || "the prefix form writes `<=`".to_owned();
                        report.dialect(Dialect::Arrow, Span::new(at, at + length), help);
                    }
                    token(if is_if(word) { KifTokenKind::If } else { KifTokenKind::Name }, length);
                    report_inner_question_mark(text, at + length, report);
                    length
                }
            }
        };
    }
    tokens
}

fn to_line_end(rest: &str, newline: char) -> usize {
    rest.find(newline).unwrap_or(rest.len())
}

/// Reports a word that ends at `end` only because a `?` follows it.
fn report_inner_question_mark(text: &str, end: usize, report: &mut FindingCollector) {
    if text[end..].starts_with('?') {
        let finding = Finding::syntax(Span::new(end, end + 1), "`?` cannot stand inside a name");
        report.add(finding.help("put a blank before it if a variable begins here"));
    }
}
