//! Splitting a text in the infix form into tokens.
//!
//! Operators that other languages use for the same (`\+`, `<-`, ...) are read, with one note for each kind. Other
//! operators are reported and read as their likely meaning. A name that needs quotes and has none is reported and read
//! as it is.
//!
//! A `;` may also mean `or`, as in Prolog; the file `semicolon` says where.

use super::semicolon::Semicolons;
use super::token::{InfixToken, InfixTokenKind, begins_comment};
use super::{begins_variable, is_letter, is_negative_number, line_end};
use crate::gdl::collector::FindingCollector;
use crate::gdl::dialect::Dialect;
use crate::gdl::source::is_blank;
use crate::gdl::{Finding, Span};

/// What the infix form writes in the place of an operator that it does not have, and the dialect that has it; a slip has
/// none.
type Meant = (&'static str, Option<Dialect>);

/// The operators by their spelling.
const OPERATORS: [(&str, InfixTokenKind, Option<Meant>); 39] = [
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
    ("&&", InfixTokenKind::And, Some(("&", Some(Dialect::And)))),
    ("||", InfixTokenKind::Or, Some(("|", Some(Dialect::Or)))),
    ("<-", InfixTokenKind::If, Some((":-", Some(Dialect::Arrow)))),
    (":=", InfixTokenKind::If, Some((":-", None))),
    (":", InfixTokenKind::If, Some((":-", None))),
    ("=>", InfixTokenKind::If, Some((":-", None))),
    ("<=>", InfixTokenKind::If, Some((":-", None))),
    ("\\+", InfixTokenKind::Not, Some(("~", Some(Dialect::Not)))),
    ("!", InfixTokenKind::Not, Some(("~", Some(Dialect::Not)))),
    ("-", InfixTokenKind::Not, Some(("~", None))),
    ("=", InfixTokenKind::Same, None),
    ("==", InfixTokenKind::Same, None),
    ("!=", InfixTokenKind::Differ, None),
    ("\\=", InfixTokenKind::Differ, None),
    ("\\==", InfixTokenKind::Differ, None),
    ("<>", InfixTokenKind::Differ, None),
    ("≠", InfixTokenKind::Differ, None),
    ("<", InfixTokenKind::Order, None),
    (">", InfixTokenKind::Order, None),
    (">=", InfixTokenKind::Order, None),
    ("=<", InfixTokenKind::Order, None),
    ("[", InfixTokenKind::Open, Some(("(", None))),
    ("]", InfixTokenKind::Close, Some((")", None))),
    ("{", InfixTokenKind::Open, Some(("(", None))),
    ("}", InfixTokenKind::Close, Some((")", None))),
];

/// Splits a text into tokens.
pub(super) fn tokens(text: &str, report: &mut FindingCollector) -> Vec<InfixToken> {
    let mut tokens: Vec<InfixToken> = Vec::new();
    let mut first = true;
    let mut at = 0;
    let newline = line_end(text);
    let mut brackets = 0_usize;
    let mut semicolons = Semicolons::new(text, newline);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let errors = report.errors;
        let (kind, length) = if c == newline {
            first = true;
            (None, 1)
        } else if is_blank(c) {
            (None, c.len_utf8())
        } else if c == ';' && semicolons.is_or(text, at, tokens.last().map(|token| token.kind)) {
            report.dialect(Dialect::Or, Span::new(at, at + 1), || "the infix form writes `|`".to_owned());
            (Some(InfixTokenKind::Or), 1)
        } else if begins_comment(rest) {
            (None, rest.find(newline).unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            let length = rest.find("*/").map_or(rest.len(), |end| end + 2);
            if length == rest.len() && !rest.ends_with("*/") {
                report.syntax(Span::new(at, at + 2), "this comment is not closed by `*/`");
            }
            first |= rest[..length].contains(newline);
            (None, length)
        } else if brackets > 0 && matches!(c, ']' | '}') {
            // The error stands at its partner.
            brackets -= 1;
            (Some(InfixTokenKind::Close), 1)
        } else {
            brackets += usize::from(matches!(c, '[' | '{'));
            token(rest, c, at, report)
        };
        if let Some(kind) = kind {
            let [start, end] = [at, at + length]
                .map(|offset| u32::try_from(offset).expect("the text is shorter than 2^32 bytes"));
            tokens.push(InfixToken { kind, first, slip: report.errors > errors, start, end });
            semicolons.count(kind, first && (at == 0 || text[..at].ends_with(newline)));
            first = false;
        }
        at += length;
    }
    tokens
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
    if c == '"'
        && let Some(end) = rest[1..].find(['"', '\n']).filter(|&end| rest[1 + end..].starts_with('"'))
    {
        let finding = Finding::syntax(span(end + 2), "a name is not written in double quotes");
        let plain: String = rest[1..=end].chars().map(|c| if is_letter(c) { c } else { '_' }).collect();
        report.add(finding.help(format!("write `{plain}`")));
        return (Some(InfixTokenKind::Name), end + 2);
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
        // `-1` is a number, and `-a` is read as a name.
        .filter(|(spelt, ..)| *spelt != "-" || !rest[1..].starts_with(is_letter));
    if let Some(&(spelt, kind, meant)) = operator {
        if let Some((meant, Some(form))) = meant {
            report.dialect(form, span(spelt.len()), || format!("the infix form writes `{meant}`"));
        } else if let Some((meant, None)) = meant {
            let message = format!("`{spelt}` is not used in GDL");
            report.add(Finding::syntax(span(spelt.len()), message).help(format!("write `{meant}`")));
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
                || "(),.&|~¬∧∨⇐←'?[]{}:!\\=≠<>".contains(c)
                || begins_comment(&rest[at..])
                || rest[at..].starts_with("/*"))
    };
    rest.char_indices().find(ends).map_or(rest.len(), |(at, _)| at)
}

fn check_spelling(rest: &str, length: usize, at: usize, report: &mut FindingCollector) {
    let word = &rest[..length];
    if is_negative_number(word) {
        return;
    }
    if let Some(odd) = word.chars().find(|&c| !is_letter(c)) {
        let message = format!("the name `{word}` has the character `{odd}` and no quotes");
        report.add(Finding::syntax(Span::new(at, at + length), message).help(format!("write `'{word}'`")));
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
