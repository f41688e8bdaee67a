//! Reading: from a text in SIDL to clauses.
//!
//! A syntax error costs one clause, up to the next full stop, and the others are read. A list is the compound term `(list a b)`,
//! the empty list the constant `list`; arithmetic is a compound term of its operator; a comparison is an atom of its operator.
//!
//! Invariant: no clause is nested deeper than [`MAX_DEPTH`](crate::gdl) allows, so recursion over it is safe.

use crate::gdl::{
    At, Atom, Clause, Finding, FindingCode, Formula, MAX_TEXT, Rulesheet, Severity, Source, Span, Symbols,
    Syntax, Term,
};

use super::number::spelled_number;
use super::token::{SidlToken, tokens};

/// The functor of lists.
pub(super) const LIST: &str = "list";

/// Levels of nesting that are read.
const DEPTH: usize = 100;

/// The comparisons, each with the name that its atom has.
const COMPARISONS: [(&str, &str); 11] = [
    ("<", "<"),
    ("=<", "=<"),
    ("<=", "=<"),
    (">", ">"),
    (">=", ">="),
    ("=", "="),
    ("==", "=="),
    ("\\=", "\\="),
    ("=:=", "=:="),
    ("=\\=", "=\\="),
    ("is", "is"),
];

/// Why a clause could not be read.
struct Unreadable(Finding);

/// Reads a text. The findings are in the order of the text. O(text).
pub(super) fn read(source: Source) -> (Rulesheet, Vec<Finding>) {
    let mut findings = Vec::new();
    let mut symbols = Symbols::new();
    let mut clauses = Vec::new();
    if source.text().len() > MAX_TEXT {
        let message = format!("the text has {} bytes; at most {MAX_TEXT} are read", source.text().len());
        findings.push(Finding::new(FindingCode::TooLarge, Severity::Error, Span::new(0, 0), message));
    } else {
        let tokens = tokens(source.text(), &mut findings);
        let end = Span::new(source.text().len(), source.text().len());
        let mut reader =
            Reader { tokens: &tokens, at: 0, depth: 0, anonymous: 0, symbols: &mut symbols, end };
        while reader.at < tokens.len() {
            match reader.clause() {
                Ok(clause) => clauses.push(clause),
                Err(Unreadable(finding)) => {
                    findings.push(finding);
                    reader.skip_clause();
                }
            }
        }
    }
    findings.sort_by_key(|finding| finding.span.start);
    (Rulesheet { source, syntax: Syntax::Infix, symbols, clauses, unread: Vec::new() }, findings)
}

struct Reader<'t> {
    tokens: &'t [(SidlToken, Span)],
    at: usize,
    depth: usize,
    /// The anonymous variables so far; each has a name of its own.
    anonymous: usize,
    symbols: &'t mut Symbols,
    end: Span,
}

type Read<T> = Result<T, Unreadable>;

impl Reader<'_> {
    fn peek(&self) -> Option<&SidlToken> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn span(&self) -> Span {
        self.tokens.get(self.at).map_or(self.end, |&(_, span)| span)
    }

    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].1
    }

    fn is_mark(&self, mark: &str) -> bool {
        matches!(self.peek(), Some(SidlToken::Mark(found)) if *found == mark)
    }

    fn take(&mut self, mark: &str) -> bool {
        let found = self.is_mark(mark);
        self.at += usize::from(found);
        found
    }

    fn error<T>(&self, message: impl Into<String>) -> Read<T> {
        Err(Unreadable(Finding::new(FindingCode::Syntax, Severity::Error, self.span(), message)))
    }

    fn expect(&mut self, mark: &str, after: &str) -> Read<()> {
        if self.take(mark) { Ok(()) } else { self.error(format!("`{mark}` is missing after {after}")) }
    }

    /// Goes behind the next full stop.
    fn skip_clause(&mut self) {
        while let Some((token, _)) = self.tokens.get(self.at) {
            self.at += 1;
            if *token == SidlToken::Stop {
                return;
            }
        }
    }

    /// Does something one level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= DEPTH {
            let message = format!("nested more than {DEPTH} levels deep");
            return Err(Unreadable(Finding::new(
                FindingCode::TooDeep,
                Severity::Error,
                self.span(),
                message,
            )));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn clause(&mut self) -> Read<Clause> {
        self.depth = 0;
        let start = self.span();
        let head = self.term()?;
        let head = self.atom(head, start)?;
        let mut body = Vec::new();
        if self.take(":-") || self.take("<=") {
            match self.disjunction()? {
                Formula::And(members, _) => body = members,
                other => body.push(other),
            }
        }
        if self.peek() != Some(&SidlToken::Stop) {
            return self.error("a clause ends with `.`; here it goes on");
        }
        self.at += 1;
        Ok(Clause { head, body, at: At(Span::new(start.start, self.last_span().end)) })
    }

    /// A term as an atom.
    fn atom(&self, term: Term, start: Span) -> Read<Atom> {
        let at = At(Span::new(start.start, self.last_span().end.max(start.end)));
        match term {
            Term::Constant(relation) => Ok(Atom { relation, arguments: Vec::new(), at }),
            Term::Compound(relation, arguments) => Ok(Atom { relation, arguments: arguments.into(), at }),
            Term::Variable(_) => {
                let message = "a variable stands where a fact or a condition is expected";
                Err(Unreadable(Finding::new(FindingCode::Syntax, Severity::Error, start, message)))
            }
        }
    }

    fn disjunction(&mut self) -> Read<Formula> {
        let start = self.span();
        let mut parts = vec![self.conjunction()?];
        while self.take(";") {
            parts.push(self.conjunction()?);
        }
        let at = At(Span::new(start.start, self.last_span().end));
        Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::Or(parts, at) })
    }

    fn conjunction(&mut self) -> Read<Formula> {
        let start = self.span();
        let mut parts = Vec::new();
        loop {
            match self.condition()? {
                Formula::And(members, _) => parts.extend(members),
                other => parts.push(other),
            }
            if !self.take(",") {
                break;
            }
        }
        let at = At(Span::new(start.start, self.last_span().end));
        Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::And(parts, at) })
    }

    fn condition(&mut self) -> Read<Formula> {
        let start = self.span();
        let is_not = matches!(self.peek(), Some(SidlToken::Name(name)) if name == "not");
        if is_not || self.is_mark("\\+") {
            self.at += 1;
            let inner = self.deeper(|reader| {
                if !reader.take("(") {
                    return reader.condition();
                }
                let inner = reader.disjunction()?;
                reader.expect(")", "the negated condition")?;
                Ok(inner)
            })?;
            return Ok(Formula::Not(Box::new(inner), At(Span::new(start.start, self.last_span().end))));
        }
        // A parenthesis may hold conditions or begin a sum: what stands behind its partner tells.
        if self.is_mark("(") && !self.is_comparison_behind_parenthesis() {
            self.at += 1;
            let inner = self.deeper(Reader::disjunction)?;
            self.expect(")", "the conditions")?;
            return Ok(inner);
        }
        let left = self.term()?;
        let Some(comparison) = self.comparison() else { return self.atom(left, start).map(Formula::Atom) };
        let right = self.term()?;
        let at = At(Span::new(start.start, self.last_span().end));
        let relation = self.symbols.intern(comparison);
        Ok(Formula::Atom(Atom { relation, arguments: vec![left, right], at }))
    }

    /// The comparison that stands here, behind which the reader goes.
    fn comparison(&mut self) -> Option<&'static str> {
        let spelled = match self.peek()? {
            SidlToken::Mark(mark) => mark,
            SidlToken::Name(name) if name == "is" => "is",
            _ => return None,
        };
        let found = COMPARISONS.iter().find(|(spelling, _)| *spelling == spelled)?.1;
        self.at += 1;
        Some(found)
    }

    fn is_comparison_behind_parenthesis(&self) -> bool {
        let mut open = 0_usize;
        for (place, (token, _)) in self.tokens.iter().enumerate().skip(self.at) {
            match token {
                SidlToken::Mark("(" | "[") => open += 1,
                SidlToken::Mark(")" | "]") => open = open.saturating_sub(1),
                SidlToken::Stop => return false,
                _ => {}
            }
            if open == 0 {
                return match self.tokens.get(place + 1).map(|(token, _)| token) {
                    Some(SidlToken::Mark(mark)) => !matches!(*mark, ")" | "," | ";" | ":-"),
                    Some(SidlToken::Name(name)) => name == "is" || name == "mod",
                    _ => false,
                };
            }
        }
        false
    }

    /// A sum.
    fn term(&mut self) -> Read<Term> {
        self.deeper(|reader| {
            let mut left = reader.product()?;
            while let Some(operator) = ["+", "-"].into_iter().find(|mark| reader.is_mark(mark)) {
                reader.at += 1;
                let right = reader.product()?;
                left = reader.compound(operator, vec![left, right]);
            }
            Ok(left)
        })
    }

    fn product(&mut self) -> Read<Term> {
        let mut left = self.factor()?;
        loop {
            let operator = match self.peek() {
                Some(SidlToken::Mark(mark @ ("*" | "/"))) => *mark,
                Some(SidlToken::Name(name)) if name == "mod" => "mod",
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.factor()?;
            left = self.compound(operator, vec![left, right]);
        }
    }

    fn factor(&mut self) -> Read<Term> {
        if self.take("-") {
            if let Some(SidlToken::Number(digits)) = self.peek() {
                let digits = format!("-{digits}");
                return self.number(&digits);
            }
            let inner = self.deeper(Reader::factor)?;
            return Ok(self.compound("-", vec![inner]));
        }
        if self.take("(") {
            let inner = self.term()?;
            self.expect(")", "the term")?;
            return Ok(inner);
        }
        if self.take("[") {
            let items = if self.is_mark("]") { Vec::new() } else { self.terms()? };
            self.expect("]", "the list")?;
            return Ok(self.compound(LIST, items));
        }
        match self.peek().cloned() {
            Some(SidlToken::Number(digits)) => self.number(&digits),
            Some(SidlToken::Anonymous) => {
                self.at += 1;
                self.anonymous += 1;
                let name = format!("_{}", self.anonymous);
                Ok(Term::Variable(self.symbols.intern(&name)))
            }
            Some(SidlToken::Variable(name)) => {
                self.at += 1;
                Ok(Term::Variable(self.symbols.intern(&name)))
            }
            Some(SidlToken::Name(name)) => {
                self.at += 1;
                let arguments = if self.take("(") {
                    let arguments = if self.is_mark(")") { Vec::new() } else { self.terms()? };
                    self.expect(")", &format!("the arguments of `{name}`"))?;
                    arguments
                } else {
                    Vec::new()
                };
                Ok(self.compound(&name, arguments))
            }
            Some(_) => self.error("a name, a number or a variable is expected here"),
            None => self.error("the text ends in the middle of a clause"),
        }
    }

    fn terms(&mut self) -> Read<Vec<Term>> {
        let mut terms = vec![self.term()?];
        while self.take(",") {
            terms.push(self.term()?);
        }
        Ok(terms)
    }

    fn compound(&mut self, functor: &str, arguments: Vec<Term>) -> Term {
        let functor = self.symbols.intern(functor);
        Term::new(functor, arguments)
    }

    /// A number: a constant, or the fraction of two.
    fn number(&mut self, digits: &str) -> Read<Term> {
        let Some(number) = spelled_number(digits) else {
            return self.error(format!("the number `{digits}` has too many digits"));
        };
        self.at += 1;
        let [above, below] = [number.numer(), number.denom()]
            .map(|part| Term::Constant(self.symbols.intern(&part.to_string())));
        let quotient = self.symbols.intern("/");
        Ok(if number.is_integer() { above } else { Term::new(quotient, vec![above, below]) })
    }
}
