//! Tokens of SIDL, which is written as Prolog is.
//!
//! A name begins with a small letter, or is quoted (`'Wait'`); a variable begins with a capital or an underscore; `_`
//! alone is a new variable each time, also as `\_`, the form in which a typesetter prints it. A number may have
//! decimals. A comment runs from `//` or `%` to the end of the line, or from `/*` to `*/`. A full stop ends a clause;
//! one before a digit belongs to a number.
//!
//! Characters of quoted names that terms of GDL cannot have are replaced by `_`, so that every name can be sent and
//! read.

use hyperplay_logic::gdl::reading::{FindingCollector, is_blank};
use hyperplay_logic::gdl::{Finding, FindingCode, Span};

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SidlToken {
    Name(String),
    Variable(String),
    /// `_`
    Anonymous,
    Number(String),
    /// An operator or a bracket.
    Mark(&'static str),
    /// The full stop at the end of a clause.
    Stop,
}

/// The marks, longest first.
const MARKS: [&str; 26] = [
    "=:=", "=\\=", "\\==", ":-", "=<", "<=", ">=", "==", "\\=", "!=", "\\+", "⇐", "←", "∧", "(", ")", "[",
    "]", ",", ";", "<", ">", "=", "+", "-", "*",
];

/// The marks that mean the same as another one.
fn plain(mark: &'static str) -> &'static str {
    match mark {
        "⇐" | "←" => ":-",
        "∧" => ",",
        "!=" | "\\==" => "\\=",
        mark => mark,
    }
}

/// Splits a text into tokens with their places. Text that is no token is reported and left out.
pub(super) fn tokens(text: &str, report: &mut FindingCollector) -> Vec<(SidlToken, Span)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut is_typeset = false;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (token, length) = if is_blank(c) {
            (None, c.len_utf8())
        } else if rest.starts_with("//") || c == '%' {
            (None, rest.find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").map(|end| end + 2);
            if end.is_none() {
                report.add(error(at, 2, "this comment is not closed by `*/`"));
            }
            (None, end.unwrap_or(rest.len()))
        } else if rest.starts_with("\\_") {
            if !std::mem::replace(&mut is_typeset, true) {
                let message = "`\\_` is read as `_`";
                let finding = Finding::note(FindingCode::Dialect, Span::new(at, at + 2), message);
                report.add(finding.help("a typesetter put the backslash there; leave it out"));
            }
            (Some(SidlToken::Anonymous), 2)
        } else {
            token(rest, c, at, report)
        };
        tokens.extend(token.map(|token| (token, Span::new(at, at + length))));
        at += length;
    }
    tokens
}

fn error(at: usize, length: usize, message: impl Into<String>) -> Finding {
    Finding::syntax(Span::new(at, at + length), message)
}

/// The token at the beginning of `rest`, which is at the offset `at`, and its length.
fn token(rest: &str, c: char, at: usize, report: &mut FindingCollector) -> (Option<SidlToken>, usize) {
    if c.is_ascii_digit() {
        let length = number_length(rest);
        return (Some(SidlToken::Number(rest[..length].to_owned())), length);
    }
    if c.is_alphabetic() || c == '_' {
        let length = word_length(rest);
        let word = &rest[..length];
        return match c {
            '_' if length == 1 => (Some(SidlToken::Anonymous), 1),
            c if c.is_uppercase() || c == '_' => (Some(SidlToken::Variable(word.to_owned())), length),
            _ => (Some(SidlToken::Name(word.to_owned())), length),
        };
    }
    if c == '\'' || c == '"' {
        return quoted(rest, c, at, report);
    }
    if c == '.' {
        return (Some(SidlToken::Stop), 1);
    }
    if c == '/' {
        return (Some(SidlToken::Mark("/")), 1);
    }
    match MARKS.iter().find(|mark| rest.starts_with(**mark)) {
        Some(mark) => (Some(SidlToken::Mark(plain(mark))), mark.len()),
        None => {
            report.add(error(
                at,
                c.len_utf8(),
                format!("the character `{}` cannot stand here", c.escape_debug()),
            ));
            (None, c.len_utf8())
        }
    }
}

fn quoted(rest: &str, quote: char, at: usize, report: &mut FindingCollector) -> (Option<SidlToken>, usize) {
    let end = rest[1..].find([quote, '\n']).filter(|&end| rest[1 + end..].starts_with(quote));
    let Some(end) = end else {
        report.add(error(at, 1, "this quote has no partner in its line"));
        return (None, 1);
    };
    let inside = &rest[1..=end];
    if inside.trim().is_empty() {
        report.add(error(at, end + 2, "a quoted name has at least one character"));
        return (None, end + 2);
    }
    let allowed = |c: char| if c.is_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    (Some(SidlToken::Name(inside.chars().map(allowed).collect())), end + 2)
}

fn word_length(rest: &str) -> usize {
    rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
}

/// Digits, and decimals where a digit follows the point.
fn number_length(rest: &str) -> usize {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let whole = digits(rest);
    match rest[whole..].strip_prefix('.').map(digits) {
        Some(decimals @ 1..) => whole + 1 + decimals,
        _ => whole,
    }
}
