//! Tokens of the infix form.
//!
//! A name consists of letters, digits and underscores. It is a variable if it begins with a capital or an underscore.
//! A name that this alphabet cannot spell is written in quotes, with a quote inside doubled (`'++'`, `'it''s'`). A
//! variable that begins with another character is marked with `?` (`?x`, `?'a-b'`). A comment runs from `%`, `//` or
//! `;` to the end of the line.
//!
//! Operators of other languages (`!`, `<-`, ...) are reported and read as their likely meaning. A name that needs
//! quotes and has none is reported and read as it is.

use std::borrow::Cow;

use crate::gdl::finding::{Finding, FindingCode, Severity};
use crate::gdl::read::{FindingCollector, is_blank};
use crate::gdl::source::Span;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InfixTokenKind {
    /// `(`
    Open,
    /// `)`
    Close,
    /// `,`
    Comma,
    /// `.`
    Stop,
    /// `:-`, `<=`, `⇐` or `←`
    If,
    /// `&` or `∧`
    And,
    /// `|` or `∨`
    Or,
    /// `~` or `¬`
    Not,
    /// A constant, relation or function.
    Name,
    /// `X`, `_x`, `?x`
    Variable,
}

impl InfixTokenKind {
    /// Whether something must follow for a clause to be complete.
    pub(super) fn awaits_more(self) -> bool {
        matches!(
            self,
            InfixTokenKind::Open
                | InfixTokenKind::Comma
                | InfixTokenKind::If
                | InfixTokenKind::And
                | InfixTokenKind::Or
                | InfixTokenKind::Not
        )
    }
}

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct InfixToken {
    pub(super) kind: InfixTokenKind,
    /// Whether it is the first token of its line.
    pub(super) first: bool,
    start: u32,
    end: u32,
}

impl InfixToken {
    pub(super) fn span(self) -> Span {
        Span::new(self.start as usize, self.end as usize)
    }
}

/// The operators by their spelling, with the replacement for those of other languages.
const OPERATORS: [(&str, InfixTokenKind, Option<&str>); 26] = [
    (":-", InfixTokenKind::If, None),
    ("<=", InfixTokenKind::If, None),
    ("⇐", InfixTokenKind::If, None),
    ("←", InfixTokenKind::If, None),
    ("&", InfixTokenKind::And, None),
    ("∧", InfixTokenKind::And, None),
    ("|", InfixTokenKind::Or, None),
    ("∨", InfixTokenKind::Or, None),
    ("~", InfixTokenKind::Not, None),
    ("¬", InfixTokenKind::Not, None),
    ("(", InfixTokenKind::Open, None),
    (")", InfixTokenKind::Close, None),
    (",", InfixTokenKind::Comma, None),
    (".", InfixTokenKind::Stop, None),
    ("&&", InfixTokenKind::And, Some("&")),
    ("||", InfixTokenKind::Or, Some("|")),
    ("<-", InfixTokenKind::If, Some(":-")),
    (":=", InfixTokenKind::If, Some(":-")),
    (":", InfixTokenKind::If, Some(":-")),
    ("\\+", InfixTokenKind::Not, Some("~")),
    ("!", InfixTokenKind::Not, Some("~")),
    ("-", InfixTokenKind::Not, Some("~")),
    ("[", InfixTokenKind::Open, Some("(")),
    ("]", InfixTokenKind::Close, Some(")")),
    ("{", InfixTokenKind::Open, Some("(")),
    ("}", InfixTokenKind::Close, Some(")")),
];

/// Whether a character belongs to the alphabet of names.
pub(in crate::gdl) fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a name that begins with this character is a variable.
pub(in crate::gdl) fn begins_variable(c: char) -> bool {
    c.is_uppercase() || c == '_'
}

/// The name that a token of kind `Name` or `Variable` spells.
pub(super) fn name(spelt: &str) -> Cow<'_, str> {
    let spelt = spelt.strip_prefix('?').unwrap_or(spelt);
    match spelt.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inside) if inside.contains('\'') => inside.replace("''", "'").into(),
        Some(inside) => inside.into(),
        None => spelt.into(),
    }
}

/// Splits a text into tokens.
pub(super) fn tokens(text: &str, report: &mut FindingCollector) -> Vec<InfixToken> {
    let mut tokens = Vec::new();
    let mut first = true;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = if c == '\n' {
            first = true;
            (None, 1)
        } else if is_blank(c) {
            (None, c.len_utf8())
        } else if begins_comment(rest) {
            (None, rest.find('\n').unwrap_or(rest.len()))
        } else {
            token(rest, c, at, report)
        };
        if let Some(kind) = kind {
            let [start, end] = [at, at + length]
                .map(|offset| u32::try_from(offset).expect("the text is shorter than 2^32 bytes"));
            tokens.push(InfixToken { kind, first, start, end });
            first = false;
        }
        at += length;
    }
    tokens
}

fn begins_comment(rest: &str) -> bool {
    rest.starts_with(['%', ';']) || rest.starts_with("//")
}

/// The kind and length of the token at the beginning of `rest`, which is at the offset `at`. There is no kind if the
/// characters do not form a token.
fn token(rest: &str, c: char, at: usize, report: &mut FindingCollector) -> (Option<InfixTokenKind>, usize) {
    let span = |length: usize| Span::new(at, at + length);
    if c == '\'' {
        return match quoted(rest) {
            Some(length) => (Some(InfixTokenKind::Name), length),
            None => {
                report.syntax(span(1), "this quote has no partner in its line");
                (None, 1)
            }
        };
    }
    if c == '?' {
        let marked = &rest[1..];
        let length = match marked.starts_with('\'') {
            true => quoted(marked),
            false => Some(word(marked)).filter(|&length| length > 0),
        };
        if length.is_none() {
            report.syntax(span(1), "`?` must be followed by the name of a variable");
        } else if !marked.starts_with('\'') {
            check_spelling(marked, length.unwrap_or(0), at + 1, report);
        }
        return length.map_or((None, 1), |length| (Some(InfixTokenKind::Variable), 1 + length));
    }
    let operators = if is_letter(c) { &[][..] } else { &OPERATORS };
    let operator = operators
        .iter()
        .filter(|(spelt, ..)| rest.starts_with(spelt))
        .max_by_key(|(spelt, ..)| spelt.len())
        // `-1` is read as a name.
        .filter(|(spelt, ..)| *spelt != "-" || !rest[1..].starts_with(is_letter));
    if let Some(&(spelt, kind, meant)) = operator {
        if let Some(meant) = meant {
            let message = format!("`{spelt}` is not used in GDL");
            let finding = Finding::new(FindingCode::Syntax, Severity::Error, span(spelt.len()), message);
            report.add(finding.help(format!("write `{meant}`")));
        }
        return (Some(kind), spelt.len());
    }
    let length = word(rest);
    if length == 0 {
        // Only a control character is neither a blank nor an operator nor part of a word.
        let message = format!("the control character U+{:04X} cannot stand here", u32::from(c));
        report.syntax(span(c.len_utf8()), message);
        return (None, c.len_utf8());
    }
    check_spelling(rest, length, at, report);
    (Some(if begins_variable(c) { InfixTokenKind::Variable } else { InfixTokenKind::Name }), length)
}

/// The length of the word at the beginning of `rest`, with the characters that should have been quoted.
fn word(rest: &str) -> usize {
    let ends = |&(at, c): &(usize, char)| {
        !is_letter(c)
            && (is_blank(c)
                || c.is_control()
                || "(),.&|~¬∧∨⇐←'?[]{}:!\\".contains(c)
                || begins_comment(&rest[at..])
                || rest[at..].starts_with("<="))
    };
    rest.char_indices().find(ends).map_or(rest.len(), |(at, _)| at)
}

fn check_spelling(rest: &str, length: usize, at: usize, report: &mut FindingCollector) {
    let word = &rest[..length];
    if let Some(odd) = word.chars().find(|&c| !is_letter(c)) {
        let message = format!("the name `{word}` has the character `{odd}` and no quotes");
        let finding = Finding::new(FindingCode::Syntax, Severity::Error, Span::new(at, at + length), message);
        report.add(finding.help(format!("write `'{word}'`")));
    }
}

/// The length of the quoted name at the beginning of `rest`; `None` if it does not end in its line.
fn quoted(rest: &str) -> Option<usize> {
    let mut at = 1;
    loop {
        at += rest[at..].find(['\'', '\n']).filter(|&end| rest[at + end..].starts_with('\''))? + 1;
        match rest[at..].strip_prefix('\'') {
            Some(_) => at += 1,
            None => return Some(at),
        }
    }
}
