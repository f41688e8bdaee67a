//! Slips of authors of the infix form, and what they must have meant.
//!
//! Each check looks at a bounded number of tokens, or at the tokens of one literal behind a rule, which are then read
//! as the next clause: reading stays linear.

use crate::gdl::finding::{Code, Finding, Severity};
use crate::gdl::rule::{Atom, Formula};
use crate::gdl::source::Span;
use crate::gdl::symbol::{Symbol, fold};

use super::Reader;
use super::token::{Kind, Token};

impl Reader<'_> {
    /// Skips to a token that may begin a clause: behind a full stop, or a name at the beginning of a line that does
    /// not continue the one before. At least one token behind `start`.
    pub(super) fn recover(&mut self, start: usize) {
        self.next = self.next.max(start + 1);
        while let Some(token) = self.peek() {
            let before = self.tokens[self.next - 1].kind;
            if before == Kind::Stop || (token.first && token.kind == Kind::Name && !before.awaits_more()) {
                return;
            }
            self.next += 1;
        }
    }

    /// Reports a token that cannot begin a clause.
    pub(super) fn check_head(&mut self) -> Option<()> {
        let token = self.tokens[self.next];
        let message = match token.kind {
            Kind::Name => return Some(()),
            Kind::Variable if self.kind_after(1) == Some(Kind::Open) => return Some(()),
            Kind::Variable => {
                let spelling = self.spelling(token);
                let finding = Finding::new(
                    Code::Syntax,
                    Severity::Error,
                    token.span(),
                    format!("the variable `{spelling}` stands where a clause must begin"),
                );
                self.report.add(finding.help(format!(
                    "the name of a relation begins small: `{}`",
                    fold(spelling.trim_start_matches('?'))
                )));
                return None;
            }
            Kind::If => "this rule has no head".to_owned(),
            Kind::Not => "what a clause derives cannot be negated".to_owned(),
            Kind::Close => {
                self.drop_extra();
                return None;
            }
            _ => return self.unexpected("a clause"),
        };
        self.report.syntax(token.span(), message);
        None
    }

    /// Reports an operator behind a fact.
    pub(super) fn check_fact(&mut self, head: &Atom) -> Option<()> {
        let Some(token) = self.peek().filter(|token| matches!(token.kind, Kind::And | Kind::Or)) else {
            return Some(());
        };
        let message = format!("`{}` joins conditions, but no `:-` stands before it", self.spelling(token));
        let finding = Finding::new(Code::Syntax, Severity::Error, token.span(), message);
        self.report
            .add(finding.related(head.at.0, "no condition, but a fact").help("put `:-` behind the head"));
        None
    }

    /// Whether the tokens behind a body are one more condition: they begin as no clause can, or an operator follows
    /// the next literal, or it is a `true` or `does` without a body of its own.
    pub(super) fn misses_and(&self) -> bool {
        let Some(token) = self.peek() else { return false };
        let name = match token.kind {
            Kind::Not | Kind::Open => return true,
            Kind::Name | Kind::Variable => super::token::name(self.spelling(token)),
            _ => return false,
        };
        let symbol = self.symbols.get(&name).filter(|_| token.kind == Kind::Name);
        let condition = symbol
            .is_some_and(|symbol| symbol.is_logical() || symbol == Symbol::TRUE || symbol == Symbol::DOES);
        match self.kind_behind_literal() {
            Some(Kind::And | Kind::Or) => true,
            Some(Kind::If) => false,
            _ => condition,
        }
    }

    /// The kind of the token behind the literal that begins at the next token.
    fn kind_behind_literal(&self) -> Option<Kind> {
        let mut depth = 0_usize;
        for (offset, token) in self.tokens[self.next..].iter().enumerate() {
            match token.kind {
                Kind::Open if offset == 0 || depth > 0 || offset == 1 => depth += 1,
                Kind::Close if depth > 1 => depth -= 1,
                Kind::Close if depth == 1 => return self.kind_after(offset + 1),
                Kind::Name | Kind::Variable | Kind::Comma if offset == 0 || depth > 0 => {}
                other => return Some(other),
            }
        }
        None
    }

    pub(super) fn report_missing_and(&mut self, body: &[Formula]) {
        let literal = self.literal_span();
        let finding = Finding::new(
            Code::Syntax,
            Severity::Error,
            literal,
            format!("`&` is missing before `{}`", &self.text[literal.start..literal.end]),
        );
        let finding = match body.last() {
            Some(last) => finding.related(last.at().0, "the condition before it"),
            None => finding,
        };
        self.report.add(finding.help("put `&` between these literals"));
    }

    /// The place of the literal that begins at the next token, as far as it stands in one line and is not long.
    fn literal_span(&self) -> Span {
        const LONG: usize = 64;
        let mut depth = 0_usize;
        let mut span = self.here();
        let mut named = false;
        for (offset, token) in self.tokens[self.next..].iter().take(LONG).enumerate() {
            match token.kind {
                _ if offset > 0 && token.first => break,
                Kind::Open => depth += 1,
                Kind::Close => depth = depth.saturating_sub(1),
                _ if depth > 0 => {}
                Kind::Not => {}
                Kind::Name | Kind::Variable if !named => {}
                _ => break,
            }
            named |= matches!(token.kind, Kind::Name | Kind::Variable);
            span = span.to(token.span());
            if token.kind == Kind::Close && depth == 0 {
                break;
            }
        }
        span
    }

    /// Takes an operator, also one in a spelling that is not the infix form's, which is reported.
    pub(super) fn take_operator(&mut self, operator: Kind) -> bool {
        let Some(token) = self.peek() else { return false };
        if token.kind == operator {
            self.next += 1;
            return true;
        }
        let sign = if operator == Kind::And { "&" } else { "|" };
        let word = match token.kind {
            // Between conditions a comma is Prolog's `and`; inside `or(p, q)` it separates.
            Kind::Comma => operator == Kind::And && self.groups == 0,
            Kind::Name if self.kind_after(1).is_some_and(|kind| kind != Kind::If) => {
                let logical = self.logical(token);
                let wanted = if operator == Kind::And { Symbol::AND } else { Symbol::OR };
                logical == Some(wanted) && !token.first
            }
            _ => false,
        };
        if word {
            let message = format!("`{}` does not join conditions", self.spelling(token));
            let finding = Finding::new(Code::Syntax, Severity::Error, token.span(), message);
            self.report.add(finding.help(format!("write `{sign}`")));
            self.next += 1;
        }
        word
    }

    /// Whether another term follows where a comma should stand, which is reported.
    pub(super) fn misses_comma(&mut self) -> bool {
        let Some(token) = self.peek() else { return false };
        let term = matches!(token.kind, Kind::Name | Kind::Variable) && !token.first;
        if term {
            let message = format!("a comma is missing before `{}`", self.spelling(token));
            let finding = Finding::new(Code::Syntax, Severity::Error, token.span(), message);
            self.report.add(finding.help("put a comma between the arguments"));
        }
        term
    }

    /// Takes the partner of `open`; a missing one is reported once for each place and taken as if it stood there.
    pub(super) fn close(&mut self, open: Token) -> Option<()> {
        if self.take(Kind::Close).is_some() || self.closed == Some(self.next) {
            return Some(());
        }
        self.closed = Some(self.next);
        let finding =
            Finding::new(Code::UnbalancedParenthesis, Severity::Error, open.span(), "this `(` is not closed");
        let here = self.here();
        self.report.add(finding.related(here, "a `)` is missing before this"));
        Some(())
    }

    /// Reports and skips parentheses that close nothing.
    pub(super) fn drop_extra(&mut self) {
        if self.groups > 0 || self.kind_after(0) != Some(Kind::Close) {
            return;
        }
        let finding = Finding::new(
            Code::UnbalancedParenthesis,
            Severity::Error,
            self.here(),
            "this `)` closes nothing",
        );
        self.report.add(finding.help("take it out"));
        while self.take(Kind::Close).is_some() {}
    }

    pub(super) fn report_variable(&mut self, token: Token) {
        let spelling = self.spelling(token);
        let finding = Finding::new(
            Code::Syntax,
            Severity::Error,
            token.span(),
            format!("the variable `{spelling}` stands where a name must stand"),
        );
        self.report
            .add(finding.help(format!("a name begins small: `{}`", fold(spelling.trim_start_matches('?')))));
    }
}
