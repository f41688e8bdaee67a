//! Semicolons: the end of a line that is a comment, or the `or` of Prolog.
//!
//! In a text with a line that begins with `;` outside parentheses, every `;` begins a comment. In any other text `;`
//! means `or` if a condition stands before it and the rest of the line looks like conditions:
//!
//! - inside parentheses, if the rest of the line is blank or has a parenthesis: `(p ; q(X))`;
//! - outside parentheses, in the body of a rule, if a literal with arguments follows, also negated or behind a
//!   parenthesis, and then the line ends or goes on with `.`, `,`, `;`, `&`, `|` or `)`: `p :- q(X) ; r(X).`
//!
//! Invariant: the decisions on all semicolons of a text take linear time together.

use crate::gdl::source::is_blank;

use super::token::{InfixTokenKind, begins_comment, is_letter};

/// The length in bytes of a literal that is recognised after a semicolon.
const LONG: usize = 400;

/// Decides which semicolons mean `or`.
pub(super) struct Semicolons {
    /// Whether the text has comments that begin with `;`.
    comments: bool,
    newline: char,
    /// The number of open parentheses of the clause.
    depth: usize,
    /// Whether the arrow of a rule has been met, and neither its full stop nor a line that is not indented.
    body: bool,
    /// A parenthesis that follows every semicolon up to it in its line.
    parenthesis: usize,
}

impl Semicolons {
    pub(super) fn new(text: &str, newline: char) -> Self {
        Semicolons { comments: has_comments(text, newline), newline, depth: 0, body: false, parenthesis: 0 }
    }

    /// Counts a token; `flush` says whether its line begins with it, without a blank before it.
    pub(super) fn count(&mut self, kind: InfixTokenKind, flush: bool) {
        self.body &= !flush;
        match kind {
            InfixTokenKind::Open => self.depth += 1,
            InfixTokenKind::Close => self.depth = self.depth.saturating_sub(1),
            InfixTokenKind::Stop | InfixTokenKind::If => {
                self.depth = 0;
                self.body = kind == InfixTokenKind::If;
            }
            _ => {}
        }
    }

    /// Whether the semicolon at this offset means `or`.
    pub(super) fn is_or(&mut self, text: &str, at: usize, before: Option<InfixTokenKind>) -> bool {
        use InfixTokenKind::{Close, Name, Variable};
        if self.comments || !matches!(before, Some(Close | Name | Variable)) {
            return false;
        }
        let rest = &text[at + 1..];
        if self.depth == 0 {
            return self.body && begins_with_literal(rest, self.newline);
        }
        if at < self.parenthesis {
            return true;
        }
        match rest.find(['(', ')', self.newline, '%']) {
            Some(offset) if rest[offset..].starts_with(['(', ')']) => {
                self.parenthesis = at + 1 + offset;
                true
            }
            end => rest[..end.unwrap_or(rest.len())].chars().all(is_blank),
        }
    }
}

/// Whether a line outside parentheses begins with `;`.
fn has_comments(text: &str, newline: char) -> bool {
    let mut depth = 0_usize;
    text.split(newline).any(|line| {
        if depth == 0 && line.trim_start_matches(is_blank).starts_with(';') {
            return true;
        }
        let mut code = line.char_indices().take_while(|(at, _)| !line[*at..].starts_with('%'));
        code.by_ref().for_each(|(_, c)| match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        });
        false
    })
}

/// Whether a line begins with a literal that has arguments and is followed by the end of the line or by what may stand
/// behind a condition.
fn begins_with_literal(rest: &str, newline: char) -> bool {
    let trim = |text: &'_ str| text.len() - text.trim_start_matches(|c| is_blank(c) && c != newline).len();
    let mut start = trim(rest);
    for not in ["~", "\\+", "not ", "("] {
        if rest[start..].starts_with(not) {
            start += not.len();
            start += trim(&rest[start..]);
        }
    }
    let Some(length) = rest[start..].find(|c| !is_letter(c)).filter(|&length| length > 0) else {
        return false;
    };
    let arguments = &rest[start + length..];
    let mut depth = 0_usize;
    for (at, c) in arguments.char_indices().take(LONG) {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => {
                let behind = &arguments[at + 1..];
                let behind = &behind[trim(behind)..];
                let ends = behind.is_empty() || begins_comment(behind);
                return ends || behind.starts_with(['.', ',', '&', '|', ')', newline, '\r']);
            }
            ')' => depth -= 1,
            _ if depth == 0 || c == newline => return false,
            _ => {}
        }
    }
    false
}
