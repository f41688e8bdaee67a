//! Tokens of the infix form.
//!
//! A name consists of letters, digits and underscores. It is a variable if it begins with a capital or an underscore.
//! A name that this alphabet cannot spell is written in quotes, with a quote inside doubled (`'++'`, `'it''s'`). A
//! variable that begins with another character is marked with `?` (`?x`, `?'a-b'`). A number may have a minus (`-1`). A
//! comment runs from `%`, `//` or `;` to the end of the line, or from `/*` to `*/`.

use std::borrow::Cow;

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
    /// `=` or `==`
    Same,
    /// `!=`, `\=`, `\==`, `<>` or `≠`
    Differ,
    /// `<`, `>`, `>=` or `=<`, which GDL does not have
    Order,
    /// A constant, relation or function.
    Name,
    /// `X`, `_x`, `?x`
    Variable,
}

impl InfixTokenKind {
    /// Whether something must follow for a clause to be complete.
    pub(super) fn awaits_more(self) -> bool {
        matches!(self, Self::Open | Self::Comma | Self::If | Self::And | Self::Or | Self::Not)
            || self.is_comparison()
    }

    /// Whether it stands between two terms.
    pub(super) fn is_comparison(self) -> bool {
        matches!(self, InfixTokenKind::Same | InfixTokenKind::Differ | InfixTokenKind::Order)
    }
}

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct InfixToken {
    pub(super) kind: InfixTokenKind,
    /// Whether it is the first token of its line.
    pub(super) first: bool,
    /// Whether an error about its spelling has been reported.
    pub(super) slip: bool,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl InfixToken {
    pub(super) fn span(self) -> Span {
        Span::new(self.start as usize, self.end as usize)
    }
}

/// Whether a character belongs to the alphabet of names.
pub(in crate::gdl) fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a name is a number with a minus, which needs no quotes.
pub(in crate::gdl) fn is_negative_number(name: &str) -> bool {
    name.strip_prefix('-')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
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

/// The character that ends a line: the newline, or the carriage return in a text without newlines.
pub(in crate::gdl) fn line_end(text: &str) -> char {
    if text.contains('\n') { '\n' } else { '\r' }
}

pub(super) fn begins_comment(rest: &str) -> bool {
    rest.starts_with(['%', ';']) || rest.starts_with("//")
}
