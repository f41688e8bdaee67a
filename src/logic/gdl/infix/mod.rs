//! The reader of the infix form of the lectures.
//!
//! ```text
//! clause  = atom [":-" or] ["."]            or   = and {"|" and}
//! and     = unary {("&" | ",") unary}       unary = "~" unary | "not" unary | primary
//! primary = "(" or ")" | ("and" | "or" | "not") "(" [or {"," or}] ")" | "distinct" "(" term "," term ")" | atom
//!         | term ("=" | "!=") term
//! atom    = name ["(" [term {"," term}] ")"]
//! term    = variable | atom | "(" term {"," term} ")"
//! ```
//!
//! So `&` and the comma bind alike, and tighter than `|`. Only inside `and(...)`, `or(...)` and `not(...)` the comma
//! separates the members. Each `_` is a variable of its own.
//!
//! The full stop is optional: a clause ends where the next token cannot continue it. The parser works by recursive
//! descent, and its depth is limited by [`MAX_NESTING`].
//!
//! An error that has one likely repair (a missing `&`, comma or parenthesis, a capital where a name must stand) is
//! reported and repaired. After any other error the clause is left out, and reading continues at the next line that may
//! begin a clause.

mod compare;
mod lexer;
mod recovery;
mod semicolon;
#[cfg(test)]
mod tests;
mod token;

use super::anonymous::AnonymousVariables;
use super::collector::FindingCollector;
use super::depth::{MAX_NESTING, too_deep};
use super::dialect::Dialect;
use super::finding::{Finding, keyword_arity};
use super::kif;
use super::rule::{Atom, Clause, Formula, splice};
use super::source::{At, Span};
use compare::TupleFunctors;
use hyperplay_machine::terms::{Symbol, Symbols, Term};
use rustc_hash::FxHashSet;
use token::{InfixToken, InfixTokenKind};
pub(super) use token::{begins_variable, is_letter, is_negative_number, line_end};

/// Reads the clauses of a text.
pub(super) fn read(text: &str, symbols: &mut Symbols, report: &mut FindingCollector) -> Vec<Clause> {
    let tokens = lexer::tokens(text, report);
    let spelt = tokens.iter().map(|token| &text[token.span().start..token.span().end]);
    // A symbol has one spelling, the first one: that of a constant, where a variable has the same name.
    for word in tokens.iter().filter(|token| token.kind == InfixTokenKind::Name) {
        let name = token::name(&text[word.span().start..word.span().end]);
        if kif::is_name(&name) {
            symbols.intern(&name);
        }
    }
    let anonymous = AnonymousVariables::new(spelt.map(|word| word.trim_matches(['?', '\''])));
    let mut reader = InfixReader {
        text,
        compared: compare::compared(&tokens),
        tokens,
        next: 0,
        start: 0,
        nesting: 0,
        groups: 0,
        members: false,
        closed: None,
        commas: false,
        equations: Vec::new(),
        tuples: TupleFunctors::default(),
        anonymous,
        symbols,
        report,
    };
    let mut clauses = Vec::new();
    while reader.next < reader.tokens.len() {
        let start = reader.next;
        if let Some(stop) = reader.take(InfixTokenKind::Stop) {
            reader.report.dialect(Dialect::ExtraStop, stop.span(), || "take it out".to_owned());
            continue;
        }
        reader.start = start;
        (reader.nesting, reader.groups, reader.members) = (0, 0, false);
        reader.equations.clear();
        reader.anonymous.begin_clause();
        match reader.clause() {
            Some(clause) => clauses.push(clause),
            None => reader.recover(start),
        }
    }
    clauses
}

/// The state of the parser. A method that returns `None` has reported the reason.
struct InfixReader<'r> {
    text: &'r str,
    tokens: Vec<InfixToken>,
    /// The position of the next token.
    next: usize,
    /// The position of the first token of the clause.
    start: usize,
    /// The depth of the recursion.
    nesting: usize,
    /// The number of open parentheses around formulas.
    groups: usize,
    /// Whether a comma separates the members of `and(...)`, `or(...)` or `not(...)`.
    members: bool,
    /// The position at which missing parentheses have been added and reported.
    closed: Option<usize>,
    /// Whether a comma between facts has been reported.
    commas: bool,
    /// The positions of the parentheses whose partner stands before a comparison.
    compared: FxHashSet<usize>,
    /// The places of the equations of the clause.
    equations: Vec<Span>,
    tuples: TupleFunctors,
    anonymous: AnonymousVariables,
    symbols: &'r mut Symbols,
    report: &'r mut FindingCollector,
}

impl<'r> InfixReader<'r> {
    fn clause(&mut self) -> Option<Clause> {
        self.check_head()?;
        let mut head = self.atom()?;
        self.drop_extra();
        let mut body = Vec::new();
        if self.take(InfixTokenKind::If).is_some() {
            splice(self.disjunction()?, &mut body);
            let mut reported = false;
            while self.misses_and() || self.misses_and_inside() {
                if !std::mem::replace(&mut reported, true) || self.peek().is_some_and(|token| token.first) {
                    self.report_missing_and(&body);
                }
                splice(self.disjunction()?, &mut body);
            }
        } else {
            self.check_fact(&head)?;
        }
        self.take(InfixTokenKind::Stop);
        self.solve(&mut head, &mut body);
        let last = self.tokens[self.next - 1];
        Some(Clause { head, body, at: At(self.tokens[self.start].span().to(last.span())) })
    }

    fn disjunction(&mut self) -> Option<Formula> {
        self.joined(InfixTokenKind::Or, Formula::Or, |reader| {
            reader.joined(InfixTokenKind::And, Formula::And, |reader| reader.unary())
        })
    }

    /// One or more operands joined by an operator.
    fn joined(
        &mut self,
        operator: InfixTokenKind,
        make: fn(Vec<Formula>, At) -> Formula,
        operand: fn(&mut Self) -> Option<Formula>,
    ) -> Option<Formula> {
        let first = operand(self)?;
        let mut span = first.at().0;
        let mut members = vec![first];
        while self.take_operator(operator) {
            let member = operand(self)?;
            span = span.to(member.at().0);
            members.push(member);
        }
        Some(if members.len() > 1 { make(members, At(span)) } else { members.remove(0) })
    }

    fn unary(&mut self) -> Option<Formula> {
        let Some(token) = self.peek() else { return self.unexpected("a condition") };
        let not = token.kind == InfixTokenKind::Not
            || (self.logical(token) == Some(Symbol::NOT)
                && (self.kind_after(1) != Some(InfixTokenKind::Open)
                    || self.compared.contains(&(self.next + 1))));
        if !not {
            return self.primary();
        }
        self.descend(|reader| {
            reader.next += 1;
            let inner = reader.unary()?;
            let at = At(token.span().to(inner.at().0));
            Some(reader.negation(inner, at))
        })
    }

    fn primary(&mut self) -> Option<Formula> {
        let Some(token) = self.peek() else { return self.unexpected("a condition") };
        let formula = match token.kind {
            _ if self.begins_comparison() => self.comparison(),
            InfixTokenKind::Open => self.descend(|reader| {
                reader.next += 1;
                reader.groups += 1;
                let members = std::mem::replace(&mut reader.members, false);
                let mut inner = vec![reader.disjunction()?];
                while reader.misses_and_inside() {
                    if inner.len() == 1 {
                        reader.report_missing_and(&inner);
                    }
                    inner.push(reader.disjunction()?);
                }
                reader.close(token)?;
                reader.members = members;
                reader.groups -= 1;
                Some(match inner.len() {
                    1 => inner.remove(0),
                    _ => Formula::And(inner, At(token.span().to(reader.tokens[reader.next - 1].span()))),
                })
            }),
            InfixTokenKind::Name if self.logical(token).is_some_and(|word| word != Symbol::DISTINCT) => {
                self.descend(Self::functional)
            }
            InfixTokenKind::Name => {
                let atom = self.atom()?;
                if atom.relation != Symbol::DISTINCT {
                    Some(Formula::Atom(atom))
                } else if let Ok([left, right]) = <[Term; 2]>::try_from(atom.arguments.clone()) {
                    Some(Formula::Distinct(left, right, atom.at))
                } else {
                    self.report.add(keyword_arity("distinct", 2, atom.arguments.len(), atom.at.0));
                    None
                }
            }
            InfixTokenKind::Variable if self.kind_after(1) == Some(InfixTokenKind::Open) => {
                self.atom().map(Formula::Atom)
            }
            InfixTokenKind::Variable => {
                let message =
                    format!("the variable `{}` stands where a condition must stand", self.spelling(token));
                self.report.syntax(token.span(), message);
                None
            }
            _ => self.unexpected("a condition"),
        }?;
        self.drop_extra();
        Some(formula)
    }

    /// `and(...)`, `or(...)`, `not(...)` with any number of members.
    fn functional(&mut self) -> Option<Formula> {
        let word = self.tokens[self.next];
        let symbol = self.logical(word);
        self.next += 1;
        let mut members = Vec::new();
        if let Some(open) = self.take(InfixTokenKind::Open) {
            self.groups += 1;
            let outer = std::mem::replace(&mut self.members, true);
            if self.kind_after(0) != Some(InfixTokenKind::Close) {
                members.push(self.disjunction()?);
                while self.take(InfixTokenKind::Comma).is_some() {
                    members.push(self.disjunction()?);
                }
            }
            self.close(open)?;
            self.members = outer;
            self.groups -= 1;
        }
        let at = At(word.span().to(self.tokens[self.next - 1].span()));
        match symbol {
            Some(Symbol::AND) => Some(Formula::And(members, at)),
            Some(Symbol::OR) => Some(Formula::Or(members, at)),
            _ if members.len() == 1 => Some(self.negation(members.remove(0), at)),
            _ => {
                self.report.add(keyword_arity("not", 1, members.len(), at.0));
                None
            }
        }
    }

    fn atom(&mut self) -> Option<Atom> {
        let token = self.tokens[self.next];
        let relation = self.name(token)?;
        let arguments = self.arguments()?;
        Some(Atom { relation, arguments, at: At(token.span().to(self.tokens[self.next - 1].span())) })
    }

    fn term(&mut self) -> Option<Term> {
        let Some(token) = self.peek() else { return self.unexpected("a term") };
        match token.kind {
            InfixTokenKind::Variable if self.kind_after(1) != Some(InfixTokenKind::Open) => {
                let name = match token::name(self.spelling(token)).as_ref() {
                    "_" => self.anonymous.next(self.symbols),
                    _ => self.checked_name(token)?,
                };
                self.next += 1;
                Some(Term::Variable(name))
            }
            InfixTokenKind::Open => self.tuple(),
            InfixTokenKind::Name | InfixTokenKind::Variable => {
                let functor = self.name(token)?;
                Some(Term::new(functor, self.arguments()?))
            }
            _ => self.unexpected("a term"),
        }
    }

    /// The arguments that follow a name, none if no parenthesis follows.
    fn arguments(&mut self) -> Option<Vec<Term>> {
        let Some(open) = self.take(InfixTokenKind::Open) else { return Some(Vec::new()) };
        self.descend(|reader| {
            let mut terms = Vec::new();
            if reader.take(InfixTokenKind::Close).is_some() {
                return Some(terms);
            }
            loop {
                terms.push(reader.term()?);
                if reader.take(InfixTokenKind::Comma).is_none() && !reader.misses_comma() {
                    reader.close(open)?;
                    return Some(terms);
                }
            }
        })
    }

    /// The symbol of a token where a name must stand. A variable is reported and read as a name.
    fn name(&mut self, token: InfixToken) -> Option<Symbol> {
        let symbol = self.checked_name(token)?;
        self.next += 1;
        if token.kind == InfixTokenKind::Variable {
            self.report_variable(token, "a name must stand", "a name");
        }
        Some(symbol)
    }

    fn checked_name(&mut self, token: InfixToken) -> Option<Symbol> {
        let name = token::name(self.spelling(token));
        if kif::is_name(&name) {
            return Some(self.symbols.intern(&name));
        }
        if !token.slip {
            let message =
                format!("`{}` is no name: the prefix form could not spell it", self.spelling(token));
            self.report.syntax(token.span(), message);
        }
        None
    }

    /// The logical word that a token is, if it is one.
    fn logical(&self, token: InfixToken) -> Option<Symbol> {
        let name = (token.kind == InfixTokenKind::Name).then(|| token::name(self.spelling(token)))?;
        self.symbols.get(&name).filter(|symbol| symbol.is_logical())
    }

    fn spelling(&self, token: InfixToken) -> &'r str {
        &self.text[token.span().start..token.span().end]
    }

    fn peek(&self) -> Option<InfixToken> {
        self.tokens.get(self.next).copied()
    }

    fn kind_after(&self, tokens: usize) -> Option<InfixTokenKind> {
        self.tokens.get(self.next + tokens).map(|token| token.kind)
    }

    fn take(&mut self, kind: InfixTokenKind) -> Option<InfixToken> {
        let token = self.peek().filter(|token| token.kind == kind)?;
        self.next += 1;
        Some(token)
    }

    /// Runs one recursive step of the descent.
    fn descend<T>(&mut self, step: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.nesting == MAX_NESTING {
            self.report.add(too_deep(self.tokens[self.start].span(), self.here()));
            return None;
        }
        self.nesting += 1;
        let result = step(self);
        self.nesting -= 1;
        result
    }

    /// The place of the next token, or of the end of the text.
    fn here(&self) -> Span {
        let end = self.tokens.last().map_or(0, |token| token.span().end);
        self.peek().map_or(Span::new(end, end), InfixToken::span)
    }

    fn unexpected<T>(&mut self, wanted: &str) -> Option<T> {
        let message = match self.peek() {
            Some(token) => format!("`{}` stands where {wanted} must stand", self.spelling(token)),
            None => format!("the text ends where {wanted} must stand"),
        };
        self.report.add(Finding::syntax(self.here(), message));
        None
    }
}
