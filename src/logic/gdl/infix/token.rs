//! Tokens of the infix form.
//!
//! A name consists of letters, digits and underscores. It is a variable if it begins with a capital or an underscore.
//! A name that this alphabet cannot spell is written in quotes, with a quote inside doubled (`'++'`, `'it''s'`). A
//! variable that begins with another character is marked with `?` (`?x`, `?'a-b'`). A number may have a minus (`-1`). A
//! comment runs from `%`, `//` or `;` to the end of the line, or from `/*` to `*/`.
//!
//! Operators that other languages use for the same (`\+`, `<-`, ...) are read, with one note for each kind. Other
//! operators are reported and read as their likely meaning. A name that needs quotes and has none is reported and read
//! as it is.
//!
//! In Prolog `;` means `or`. It is read so inside parentheses if no line of the text begins with `;` (comments are
//! written otherwise then), a condition stands before it, and the rest of the line is blank or has a parenthesis.

use std::borrow::Cow;

use crate::gdl::dialect::Dialect;
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
        matches!(
            self,
            InfixTokenKind::Open
                | InfixTokenKind::Comma
                | InfixTokenKind::If
                | InfixTokenKind::And
                | InfixTokenKind::Or
                | InfixTokenKind::Not
        ) || self.is_comparison()
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
    start: u32,
    end: u32,
}

impl InfixToken {
    pub(super) fn span(self) -> Span {
        Span::new(self.start as usize, self.end as usize)
    }
}

/// The operators by their spelling, with what the infix form writes in place of those that it does not have.
const OPERATORS: [(&str, InfixTokenKind, Option<&str>); 37] = [
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
    ("[", InfixTokenKind::Open, Some("(")),
    ("]", InfixTokenKind::Close, Some(")")),
    ("{", InfixTokenKind::Open, Some("(")),
    ("}", InfixTokenKind::Close, Some(")")),
];

/// Whether a character belongs to the alphabet of names.
pub(in crate::gdl) fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The dialect to which an operator belongs; `None` if it is a slip.
fn dialect(operator: &str) -> Option<Dialect> {
    match operator {
        "&&" => Some(Dialect::And),
        "||" => Some(Dialect::Or),
        "\\+" | "!" => Some(Dialect::Not),
        "<-" => Some(Dialect::Arrow),
        _ => None,
    }
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

/// Splits a text into tokens.
pub(super) fn tokens(text: &str, report: &mut FindingCollector) -> Vec<InfixToken> {
    let mut tokens: Vec<InfixToken> = Vec::new();
    let mut first = true;
    let mut at = 0;
    let newline = line_end(text);
    let mut semicolons = Semicolons::new(text, newline);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
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
        } else {
            token(rest, c, at, report)
        };
        if let Some(kind) = kind {
            let [start, end] = [at, at + length]
                .map(|offset| u32::try_from(offset).expect("the text is shorter than 2^32 bytes"));
            tokens.push(InfixToken { kind, first, start, end });
            semicolons.count(kind);
            first = false;
        }
        at += length;
    }
    tokens
}

/// The character that ends a line: the newline, or the carriage return in a text without newlines.
pub(in crate::gdl) fn line_end(text: &str) -> char {
    if text.contains('\n') { '\n' } else { '\r' }
}

/// Decides which semicolons mean `or`.
struct Semicolons {
    /// Whether the text has comments that begin with `;`.
    comments: bool,
    /// The number of open parentheses of the clause.
    depth: usize,
    /// A parenthesis that follows every semicolon up to it in its line.
    parenthesis: usize,
}

impl Semicolons {
    fn new(text: &str, newline: char) -> Self {
        let comments = text.split(newline).any(|line| line.trim_start_matches(is_blank).starts_with(';'));
        Semicolons { comments, depth: 0, parenthesis: 0 }
    }

    fn count(&mut self, kind: InfixTokenKind) {
        match kind {
            InfixTokenKind::Open => self.depth += 1,
            InfixTokenKind::Close => self.depth = self.depth.saturating_sub(1),
            InfixTokenKind::Stop | InfixTokenKind::If => self.depth = 0,
            _ => {}
        }
    }

    /// Whether the semicolon at this offset means `or`.
    fn is_or(&mut self, text: &str, at: usize, before: Option<InfixTokenKind>) -> bool {
        use InfixTokenKind::{Close, Name, Variable};
        if self.comments || self.depth == 0 || !matches!(before, Some(Close | Name | Variable)) {
            return false;
        }
        if at < self.parenthesis {
            return true;
        }
        let rest = &text[at + 1..];
        match rest.find(['(', ')', '\n', '%']) {
            Some(offset) if rest[offset..].starts_with(['(', ')']) => {
                self.parenthesis = at + 1 + offset;
                true
            }
            end => rest[..end.unwrap_or(rest.len())].chars().all(is_blank),
        }
    }
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
        // `-1` is a number, and `-a` is read as a name.
        .filter(|(spelt, ..)| *spelt != "-" || !rest[1..].starts_with(is_letter));
    if let Some(&(spelt, kind, meant)) = operator {
        if let (Some(meant), Some(form)) = (meant, dialect(spelt)) {
            report.dialect(form, span(spelt.len()), || format!("the infix form writes `{meant}`"));
        } else if let Some(meant) = meant {
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
