//! Reading: from a text in SIDL to clauses.
//!
//! A syntax error costs one clause, up to the next full stop or the next line that begins a clause, and the others are
//! read. Only a full stop that is missing at the end of a line costs nothing but the finding. A list is the compound
//! term `(list a b)`, the empty list the constant `list`; arithmetic is a compound term of its operator; a comparison
//! is an atom of its operator.
//!
//! Invariant: no clause is nested deeper than [`MAX_DEPTH`](hyperplay_logic::gdl) allows, so recursion over it is safe.

use hyperplay_logic::gdl::reading::{
    AnonymousVariables, FindingCollector, MAX_DEPTH, is_within_depth, too_deep,
};
use hyperplay_logic::gdl::{
    At, Atom, Clause, Finding, FindingCode, Formula, MAX_TEXT, Rulesheet, Source, Span, Symbols, Syntax, Term,
};

use super::number::spelled_number;
use super::token::{SidlToken, tokens};

/// The functor of lists.
pub(super) const LIST: &str = "list";

/// The words that begin a clause, each with the number of its arguments and how it is used.
pub(super) const HEADS: [(&str, usize, &str); 11] = [
    ("fact", 2, "fact(name, number of arguments)"),
    ("switch", 3, "switch(identifier, owner, [alias, ...])"),
    ("chance", 2, "chance(identifier, [probability, ...])"),
    ("branching", 2, "branching([operation, ...], identifier)"),
    ("operation", 1, "operation(name) :- tests, effects"),
    ("hidden", 2, "hidden(fact, [agent, ...]) :- tests"),
    ("request", 2, "hidden(fact, [agent, ...]) :- tests"),
    ("init", 1, "init(fact)"),
    ("terminal", 0, "terminal :- tests"),
    ("momentary", 1, "momentary(identifier of a switch)"),
    ("balances", 2, "balances(least, greatest)"),
];

/// The number of arguments of a word that begins a clause.
pub(super) fn head_arity(word: &str) -> Option<usize> {
    HEADS.iter().find(|(head, ..)| *head == word).map(|(_, arity, _)| *arity)
}

/// Levels of nesting that are read, in conditions and in terms each.
const DEPTH: usize = MAX_DEPTH / 2 - 1;

/// Reads a text. The findings are in the order of the text. O(text).
pub(super) fn read(source: Source) -> (Rulesheet, Vec<Finding>) {
    let mut report = FindingCollector::default();
    let mut symbols = Symbols::new();
    let mut clauses = Vec::new();
    if source.text().len() > MAX_TEXT {
        let message = format!("the text has {} bytes; at most {MAX_TEXT} are read", source.text().len());
        report.add(Finding::error(FindingCode::TooLarge, Span::new(0, 0), message));
    } else {
        let tokens = tokens(source.text(), &mut report);
        let spelled = tokens.iter().filter_map(|(token, _)| match token {
            SidlToken::Variable(name) => Some(name.as_str()),
            _ => None,
        });
        let anonymous = AnonymousVariables::new(spelled);
        let end = Span::new(source.text().len(), source.text().len());
        let text = source.text();
        let symbols = &mut symbols;
        let mut reader =
            Reader { text, tokens: &tokens, at: 0, depth: 0, anonymous, symbols, end, report: &mut report };
        while reader.at < tokens.len() {
            let start = reader.at;
            match reader.clause() {
                Ok(clause) => clauses.push(clause),
                Err(finding) => {
                    reader.report.add(finding);
                    reader.skip_clause(start);
                }
            }
        }
    }
    clauses.retain(|clause| is_within_depth(clause, &mut report));
    (Rulesheet { source, syntax: Syntax::Infix, symbols, clauses, unread: Vec::new() }, report.finish())
}

struct Reader<'t> {
    text: &'t str,
    tokens: &'t [(SidlToken, Span)],
    at: usize,
    depth: usize,
    anonymous: AnonymousVariables,
    symbols: &'t mut Symbols,
    end: Span,
    report: &'t mut FindingCollector,
}

/// A term and how deep it is nested.
struct Nested(Term, usize);

type Read<T> = Result<T, Finding>;

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

    /// The text of the token that stands here.
    fn spelled(&self) -> &str {
        &self.text[self.span().start..self.span().end]
    }

    fn error<T>(&self, message: impl Into<String>) -> Read<T> {
        Err(Finding::syntax(self.span(), message))
    }

    fn expect(&mut self, mark: &str, after: &str) -> Read<()> {
        if self.take(mark) {
            return Ok(());
        }
        match self.peek() {
            None => self.error(format!("`{mark}` is missing after {after}, where the text ends")),
            _ => self.error(format!("`{mark}` is missing after {after}, before `{}`", self.spelled())),
        }
    }

    /// Goes behind the next full stop, or to the next line that begins a clause.
    fn skip_clause(&mut self, start: usize) {
        while let Some((token, _)) = self.tokens.get(self.at) {
            if self.at > start && self.begins_clause() {
                return;
            }
            self.at += 1;
            if *token == SidlToken::Stop {
                return;
            }
        }
    }

    /// Whether a line begins here, with a word that only begins clauses.
    fn begins_clause(&self) -> bool {
        let Some((SidlToken::Name(name), span)) = self.tokens.get(self.at) else { return false };
        let next = self.tokens.get(self.at + 1).map(|(token, _)| token);
        head_arity(name).is_some()
            && matches!(next, Some(SidlToken::Mark("(" | ":-")))
            && (self.at == 0 || self.text[self.tokens[self.at - 1].1.end..span.start].contains('\n'))
    }

    fn too_deep<T>(&self) -> Read<T> {
        Err(too_deep(self.span(), self.span()))
    }

    /// Does something one level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= DEPTH {
            return self.too_deep();
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn clause(&mut self) -> Read<Clause> {
        self.depth = 0;
        self.anonymous.begin_clause();
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
        if self.peek().is_none() || self.begins_clause() {
            let at = self.last_span();
            let message = "a clause ends with `.`, which is missing here";
            self.report.add(Finding::syntax(at, message).help("write `.` behind the clause"));
        } else if self.peek() != Some(&SidlToken::Stop) {
            return self.error(format!("`{}` cannot follow here: a clause ends with `.`", self.spelled()));
        } else {
            self.at += 1;
        }
        Ok(Clause { head, body, at: At(Span::new(start.start, self.last_span().end)) })
    }

    /// A term as an atom.
    fn atom(&self, term: Term, start: Span) -> Read<Atom> {
        as_atom(&term, Span::new(start.start, self.last_span().end.max(start.end))).ok_or_else(|| {
            Finding::syntax(start, "a variable stands where a fact or a condition is expected")
        })
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
        // A parenthesis may hold conditions or begin a sum: the token behind its partner tells.
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

    /// The name of the atom of the comparison that stands here, behind which the reader goes.
    fn comparison(&mut self) -> Option<&'static str> {
        let name = match self.peek()? {
            SidlToken::Mark("<=") => "=<",
            SidlToken::Mark(mark @ ("<" | "=<" | ">" | ">=" | "=" | "==" | "\\=" | "=:=" | "=\\=")) => *mark,
            SidlToken::Name(name) if name == "is" => "is",
            _ => return None,
        };
        self.at += 1;
        Some(name)
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

    fn term(&mut self) -> Read<Term> {
        Ok(self.sum()?.0)
    }

    fn sum(&mut self) -> Read<Nested> {
        self.deeper(|reader| {
            let mut left = reader.product()?;
            while let Some(operator) = ["+", "-"].into_iter().find(|mark| reader.is_mark(mark)) {
                reader.at += 1;
                let right = reader.product()?;
                left = reader.compound(operator, vec![left, right])?;
            }
            Ok(left)
        })
    }

    fn product(&mut self) -> Read<Nested> {
        let mut left = self.factor()?;
        loop {
            let operator = match self.peek() {
                Some(SidlToken::Mark(mark @ ("*" | "/"))) => *mark,
                Some(SidlToken::Name(name)) if name == "mod" => "mod",
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.factor()?;
            left = self.compound(operator, vec![left, right])?;
        }
    }

    fn factor(&mut self) -> Read<Nested> {
        if self.take("-") {
            if let Some(SidlToken::Number(digits)) = self.peek() {
                return self.number(&format!("-{digits}"));
            }
            let inner = self.deeper(Reader::factor)?;
            return self.compound("-", vec![inner]);
        }
        if self.take("(") {
            let inner = self.sum()?;
            self.expect(")", "the term")?;
            return Ok(inner);
        }
        if self.take("[") {
            let items = if self.is_mark("]") { Vec::new() } else { self.sums()? };
            self.expect("]", "the list")?;
            return self.compound(LIST, items);
        }
        match self.peek().cloned() {
            Some(SidlToken::Number(digits)) => self.number(&digits),
            Some(SidlToken::Anonymous) => {
                self.at += 1;
                Ok(Nested(Term::Variable(self.anonymous.next(self.symbols)), 0))
            }
            Some(SidlToken::Variable(name)) => {
                self.at += 1;
                Ok(Nested(Term::Variable(self.symbols.intern(&name)), 0))
            }
            Some(SidlToken::Name(name)) => {
                self.at += 1;
                let arguments = if self.take("(") {
                    let arguments = if self.is_mark(")") { Vec::new() } else { self.sums()? };
                    self.expect(")", &format!("the arguments of `{name}`"))?;
                    arguments
                } else {
                    Vec::new()
                };
                self.compound(&name, arguments)
            }
            Some(_) => self.error(format!(
                "`{}` stands where a name, a number or a variable must stand",
                self.spelled()
            )),
            None => self.error("the text ends in the middle of a clause"),
        }
    }

    fn sums(&mut self) -> Read<Vec<Nested>> {
        let mut terms = vec![self.sum()?];
        while self.take(",") {
            terms.push(self.sum()?);
        }
        Ok(terms)
    }

    fn compound(&mut self, functor: &str, arguments: Vec<Nested>) -> Read<Nested> {
        let depth = arguments.iter().map(|Nested(_, depth)| depth + 1).max().unwrap_or(0);
        if depth > DEPTH {
            return self.too_deep();
        }
        let functor = self.symbols.intern(functor);
        Ok(Nested(Term::new(functor, arguments.into_iter().map(|Nested(term, _)| term).collect()), depth))
    }

    /// A number: a constant, or the fraction of two.
    fn number(&mut self, digits: &str) -> Read<Nested> {
        let Some(number) = spelled_number(digits) else {
            return self.error(format!("the number `{digits}` has too many digits"));
        };
        self.at += 1;
        let [above, below] = [number.numer(), number.denom()]
            .map(|part| Term::Constant(self.symbols.intern(&part.to_string())));
        if number.is_integer() {
            return Ok(Nested(above, 0));
        }
        Ok(Nested(Term::new(self.symbols.intern("/"), vec![above, below]), 1))
    }
}

/// A term as an atom.
pub(super) fn as_atom(term: &Term, span: Span) -> Option<Atom> {
    let (relation, _) = term.functor()?;
    Some(Atom { relation, arguments: term.arguments().to_vec(), at: At(span) })
}
