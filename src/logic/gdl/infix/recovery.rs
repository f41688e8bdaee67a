//! Error recovery of the infix form: frequent mistakes of authors and their repairs.
//!
//! Each check examines a bounded number of tokens, or the tokens of one literal after a rule, which are then read as
//! the next clause. Reading therefore takes linear time.

use super::InfixReader;
use super::token::{InfixToken, InfixTokenKind};
use crate::gdl::dialect::Dialect;
use crate::gdl::{Atom, Finding, FindingCode, Formula, Span};
use hyperplay_machine::terms::{Symbol, fold};

impl InfixReader<'_> {
    /// Skips to a token that may begin a clause: the token after a full stop, or a name at the beginning of a line that
    /// does not continue the previous line. Skips at least the token at `start`.
    pub(super) fn recover(&mut self, start: usize) {
        self.next = self.next.max(start + 1);
        while let Some(token) = self.peek() {
            let before = self.tokens[self.next - 1].kind;
            if before == InfixTokenKind::Stop
                || (token.first && token.kind == InfixTokenKind::Name && !before.awaits_more())
            {
                return;
            }
            self.next += 1;
        }
    }

    /// Reports a token that cannot begin a clause.
    pub(super) fn check_head(&mut self) -> Option<()> {
        let token = self.tokens[self.next];
        let message = match token.kind {
            InfixTokenKind::Name => return Some(()),
            InfixTokenKind::Variable if self.kind_after(1) == Some(InfixTokenKind::Open) => return Some(()),
            InfixTokenKind::Variable => {
                self.report_variable(token, "a clause must begin", "the name of a relation");
                return None;
            }
            InfixTokenKind::If if token.slip => return None,
            InfixTokenKind::If => "this rule has no head".to_owned(),
            InfixTokenKind::Not => "what a clause derives cannot be negated".to_owned(),
            InfixTokenKind::Close => {
                self.drop_extra();
                return None;
            }
            _ => return self.unexpected("a clause"),
        };
        self.report.syntax(token.span(), message);
        None
    }

    /// Reports an operator after a fact.
    pub(super) fn check_fact(&mut self, head: &Atom) -> Option<()> {
        let Some(token) = self.peek() else { return Some(()) };
        match token.kind {
            InfixTokenKind::And | InfixTokenKind::Or => {}
            InfixTokenKind::Comma => {
                self.next += 1;
                if !std::mem::replace(&mut self.commas, true) {
                    let message = "no comma can stand after a clause".to_owned();
                    let finding = Finding::syntax(token.span(), message);
                    self.report.add(finding.help("end each fact with a full stop, or with its line"));
                }
                return Some(());
            }
            kind if kind.is_comparison() && !token.first => {
                let message = format!("`{}` stands behind the head of a clause", self.spelling(token));
                let finding = Finding::syntax(token.span(), message);
                self.report.add(finding.help("put `:-` in its place, or compare in the body"));
                return None;
            }
            _ => return Some(()),
        }
        let message = format!("`{}` joins conditions, but no `:-` stands before it", self.spelling(token));
        let finding = Finding::syntax(token.span(), message);
        self.report
            .add(finding.related(head.at.0, "no condition, but a fact").help("put `:-` behind the head"));
        None
    }

    /// Whether the tokens after a body are one more condition: they begin as no clause can begin, or an operator
    /// follows the next literal, or the literal is a `true` or `does` that no body follows.
    pub(super) fn misses_and(&self) -> bool {
        let Some(token) = self.peek() else { return false };
        let name = match token.kind {
            InfixTokenKind::Not | InfixTokenKind::Open => return true,
            InfixTokenKind::Name | InfixTokenKind::Variable => super::token::name(self.spelling(token)),
            _ => return false,
        };
        let symbol = self.symbols.get(&name).filter(|_| token.kind == InfixTokenKind::Name);
        let condition = symbol
            .is_some_and(|symbol| symbol.is_logical() || symbol == Symbol::TRUE || symbol == Symbol::DOES);
        match self.kind_behind_literal() {
            Some(InfixTokenKind::And | InfixTokenKind::Or | InfixTokenKind::Comma) => true,
            Some(kind) if kind.is_comparison() => !token.first || token.kind == InfixTokenKind::Variable,
            Some(InfixTokenKind::If) => false,
            _ => condition,
        }
    }

    /// Whether a condition follows in the same line where a parenthesis must close.
    pub(super) fn misses_and_inside(&self) -> bool {
        use InfixTokenKind::{Name, Not, Open, Variable};
        self.peek().is_some_and(|token| !token.first && matches!(token.kind, Name | Variable | Not | Open))
            && self.kind_behind_literal() != Some(InfixTokenKind::If)
    }

    /// The kind of the token after the literal that begins at the next token.
    fn kind_behind_literal(&self) -> Option<InfixTokenKind> {
        let mut depth = 0_usize;
        for (offset, token) in self.tokens[self.next..].iter().enumerate() {
            match token.kind {
                InfixTokenKind::Open if offset == 0 || depth > 0 || offset == 1 => depth += 1,
                InfixTokenKind::Close if depth > 1 => depth -= 1,
                InfixTokenKind::Close if depth == 1 => return self.kind_after(offset + 1),
                InfixTokenKind::Name | InfixTokenKind::Variable | InfixTokenKind::Comma
                    if offset == 0 || depth > 0 => {}
                other if depth == 0 || other == InfixTokenKind::If => return Some(other),
                _ => return None,
            }
        }
        None
    }

    pub(super) fn report_missing_and(&mut self, body: &[Formula]) {
        let literal = self.literal_span();
        let finding = Finding::syntax(
            literal,
            format!("`&` is missing before `{}`", &self.text[literal.start..literal.end]),
        );
        let finding = match body.last() {
            Some(last) => finding.related(last.at().0, "the condition before it"),
            None => finding,
        };
        self.report.add(finding.help("put `&` between these literals"));
    }

    /// The place of the literal that begins at the next token, up to the end of the line and up to a limit.
    fn literal_span(&self) -> Span {
        const LONG: usize = 64;
        let mut depth = 0_usize;
        let mut span = self.here();
        let mut named = false;
        for (offset, token) in self.tokens[self.next..].iter().take(LONG).enumerate() {
            match token.kind {
                _ if offset > 0 && token.first => break,
                InfixTokenKind::Open => depth += 1,
                InfixTokenKind::Close if depth == 0 => break,
                InfixTokenKind::Close => depth -= 1,
                _ if depth > 0 => {}
                InfixTokenKind::Not => {}
                InfixTokenKind::Name | InfixTokenKind::Variable if !named => {}
                _ => break,
            }
            named |= matches!(token.kind, InfixTokenKind::Name | InfixTokenKind::Variable);
            span = span.to(token.span());
            if token.kind == InfixTokenKind::Close && depth == 0 {
                break;
            }
        }
        span
    }

    /// Takes an operator, also in the spelling of a dialect.
    pub(super) fn take_operator(&mut self, operator: InfixTokenKind) -> bool {
        let Some(token) = self.peek() else { return false };
        if token.kind == operator {
            self.next += 1;
            return true;
        }
        let (sign, form) = match operator {
            InfixTokenKind::And => ("&", Dialect::AndWord),
            _ => ("|", Dialect::OrWord),
        };
        let form = if token.kind == InfixTokenKind::Comma { Dialect::Comma } else { form };
        let word = match token.kind {
            // Between conditions a comma means `and`, as in Prolog; inside `or(p, q)` it separates the members.
            InfixTokenKind::Comma => operator == InfixTokenKind::And && !self.members,
            InfixTokenKind::Name if self.kind_after(1).is_some_and(|kind| kind != InfixTokenKind::If) => {
                let logical = self.logical(token);
                let wanted = if operator == InfixTokenKind::And { Symbol::AND } else { Symbol::OR };
                logical == Some(wanted) && !token.first
            }
            _ => false,
        };
        if word {
            self.report.dialect(form, token.span(), || format!("the infix form writes `{sign}`"));
            self.next += 1;
        }
        word
    }

    /// Whether another term follows where a comma should stand, which is reported.
    pub(super) fn misses_comma(&mut self) -> bool {
        let Some(token) = self.peek() else { return false };
        let term = matches!(token.kind, InfixTokenKind::Name | InfixTokenKind::Variable) && !token.first;
        if term {
            let message = format!("a comma is missing before `{}`", self.spelling(token));
            self.report.add(Finding::syntax(token.span(), message).help("put a comma between the arguments"));
        }
        term
    }

    /// Takes the partner of `open`. A missing one is reported once for each place and is assumed to be there.
    pub(super) fn close(&mut self, open: InfixToken) -> Option<()> {
        if self.take(InfixTokenKind::Close).is_some() || self.closed == Some(self.next) {
            return Some(());
        }
        self.closed = Some(self.next);
        let finding =
            Finding::error(FindingCode::UnbalancedParenthesis, open.span(), "this `(` is not closed");
        self.report.add(finding.related(self.here(), "a `)` is missing before this"));
        Some(())
    }

    /// Reports and skips parentheses that close nothing.
    pub(super) fn drop_extra(&mut self) {
        if self.groups > 0 || self.kind_after(0) != Some(InfixTokenKind::Close) {
            return;
        }
        // After a missing parenthesis has been reported, this is a consequence.
        if self.closed.is_none_or(|closed| closed < self.start) {
            let finding =
                Finding::error(FindingCode::UnbalancedParenthesis, self.here(), "this `)` closes nothing");
            self.report.add(finding.help("take it out"));
        }
        while self.take(InfixTokenKind::Close).is_some() {}
    }

    pub(super) fn report_variable(&mut self, token: InfixToken, wanted: &str, name: &str) {
        let spelling = self.spelling(token);
        let finding =
            Finding::syntax(token.span(), format!("the variable `{spelling}` stands where {wanted}"));
        let small = fold(spelling.trim_start_matches('?'));
        self.report.add(finding.help(format!("{name} begins small: `{small}`")));
    }
}
