//! The reader of the infix form of the lectures.
//!
//! ```text
//! clause  = atom [":-" or] ["."]            or   = and {"|" and}
//! and     = unary {"&" unary}               unary = "~" unary | "not" unary | primary
//! primary = "(" or ")" | ("and" | "or" | "not") "(" [or {"," or}] ")" | "distinct" "(" term "," term ")" | atom
//! atom    = name ["(" [term {"," term}] ")"]
//! ```
//!
//! A full stop is not needed: a clause ends where the next token cannot continue it. Recursive descent, every
//! recursion counted against [`MAX_NESTING`].
//!
//! A slip that has one likely repair (a missing `&`, comma or parenthesis, a capital where a name must stand) is
//! reported and repaired. Any other one costs its clause, and reading goes on with the next line that may begin one.

mod slip;
mod token;

use super::finding::{Code, Finding, Severity};
use super::kif;
use super::read::{MAX_NESTING, Report, too_deep};
use super::rule::{Atom, Clause, Formula};
use super::source::{At, Span};
use super::symbol::{Symbol, Symbols};
use super::term::Term;
use token::{Kind, Token};
pub(super) use token::{begins_variable, is_letter};

/// Reads the clauses of a text.
pub(super) fn read(text: &str, symbols: &mut Symbols, report: &mut Report) -> Vec<Clause> {
    let tokens = token::tokens(text, report);
    let mut reader = Reader { text, tokens, next: 0, nesting: 0, groups: 0, closed: None, symbols, report };
    let mut clauses = Vec::new();
    while reader.next < reader.tokens.len() {
        let start = reader.next;
        (reader.nesting, reader.groups) = (0, 0);
        match reader.clause() {
            Some(clause) => clauses.push(clause),
            None => reader.recover(start),
        }
    }
    clauses
}

/// What is needed to make sense of tokens. A method that returns `None` has reported why.
struct Reader<'r> {
    text: &'r str,
    tokens: Vec<Token>,
    /// The position of the next token.
    next: usize,
    /// How many recursive calls are under way.
    nesting: usize,
    /// How many parentheses around formulas are open.
    groups: usize,
    /// The position at which missing parentheses have been put, and reported.
    closed: Option<usize>,
    symbols: &'r mut Symbols,
    report: &'r mut Report,
}

impl<'r> Reader<'r> {
    fn clause(&mut self) -> Option<Clause> {
        let start = self.next;
        self.check_head()?;
        let head = self.atom()?;
        self.drop_extra();
        let mut body = Vec::new();
        if self.take(Kind::If).is_some() {
            kif::splice(self.disjunction()?, &mut body);
            while self.misses_and() {
                self.report_missing_and(&body);
                kif::splice(self.disjunction()?, &mut body);
            }
        } else {
            self.check_fact(&head)?;
        }
        self.take(Kind::Stop);
        let last = self.tokens[self.next - 1];
        Some(Clause { head, body, at: At(self.tokens[start].span().to(last.span())) })
    }

    fn disjunction(&mut self) -> Option<Formula> {
        self.joined(Kind::Or, Formula::Or, |reader| {
            reader.joined(Kind::And, Formula::And, |reader| reader.unary())
        })
    }

    /// One or more operands joined by an operator.
    fn joined(
        &mut self,
        operator: Kind,
        make: fn(Vec<Formula>, At) -> Formula,
        operand: impl Fn(&mut Self) -> Option<Formula>,
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
        let not = token.kind == Kind::Not
            || (self.logical(token) == Some(Symbol::NOT) && self.kind_after(1) != Some(Kind::Open));
        if !not {
            return self.primary();
        }
        self.descend(|reader| {
            reader.next += 1;
            let inner = reader.unary()?;
            let at = At(token.span().to(inner.at().0));
            Some(Formula::Not(Box::new(inner), at))
        })
    }

    fn primary(&mut self) -> Option<Formula> {
        let Some(token) = self.peek() else { return self.unexpected("a condition") };
        let formula = match token.kind {
            Kind::Open => self.descend(|reader| {
                reader.next += 1;
                reader.groups += 1;
                let inner = reader.disjunction()?;
                reader.close(token)?;
                reader.groups -= 1;
                Some(inner)
            }),
            Kind::Name if self.logical(token).is_some_and(|word| word != Symbol::DISTINCT) => {
                self.descend(Self::functional)
            }
            Kind::Name => {
                let atom = self.atom()?;
                if atom.relation != Symbol::DISTINCT {
                    Some(Formula::Atom(atom))
                } else if let Ok([left, right]) = <[Term; 2]>::try_from(atom.arguments.clone()) {
                    Some(Formula::Distinct(left, right, atom.at))
                } else {
                    self.report.add(kif::keyword_arity("distinct", 2, atom.arguments.len(), atom.at.0));
                    None
                }
            }
            Kind::Variable if self.kind_after(1) == Some(Kind::Open) => self.atom().map(Formula::Atom),
            Kind::Variable => {
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
        if let Some(open) = self.take(Kind::Open) {
            self.groups += 1;
            if self.kind_after(0) != Some(Kind::Close) {
                members.push(self.disjunction()?);
                while self.take(Kind::Comma).is_some() {
                    members.push(self.disjunction()?);
                }
            }
            self.close(open)?;
            self.groups -= 1;
        }
        let at = At(word.span().to(self.tokens[self.next - 1].span()));
        match symbol {
            Some(Symbol::AND) => Some(Formula::And(members, at)),
            Some(Symbol::OR) => Some(Formula::Or(members, at)),
            _ if members.len() == 1 => Some(Formula::Not(Box::new(members.remove(0)), at)),
            _ => {
                self.report.add(kif::keyword_arity("not", 1, members.len(), at.0));
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
            Kind::Variable if self.kind_after(1) != Some(Kind::Open) => {
                let name = self.checked_name(token)?;
                self.next += 1;
                Some(Term::Variable(name))
            }
            Kind::Name | Kind::Variable => {
                let functor = self.name(token)?;
                Some(Term::new(functor, self.arguments()?))
            }
            _ => self.unexpected("a term"),
        }
    }

    /// The arguments that follow a name, none if no parenthesis follows.
    fn arguments(&mut self) -> Option<Vec<Term>> {
        let Some(open) = self.take(Kind::Open) else { return Some(Vec::new()) };
        self.descend(|reader| {
            let mut terms = Vec::new();
            if reader.take(Kind::Close).is_some() {
                return Some(terms);
            }
            loop {
                terms.push(reader.term()?);
                if reader.take(Kind::Comma).is_none() && !reader.misses_comma() {
                    reader.close(open)?;
                    return Some(terms);
                }
            }
        })
    }

    /// The symbol of a token that stands where a name must stand; a variable is reported and taken for a name.
    fn name(&mut self, token: Token) -> Option<Symbol> {
        let symbol = self.checked_name(token)?;
        self.next += 1;
        if token.kind == Kind::Variable {
            self.report_variable(token);
        }
        Some(symbol)
    }

    fn checked_name(&mut self, token: Token) -> Option<Symbol> {
        let name = token::name(self.spelling(token));
        if kif::is_name(&name) {
            return Some(self.symbols.intern(&name));
        }
        let message = format!("`{}` is no name: the prefix form could not spell it", self.spelling(token));
        self.report.syntax(token.span(), message);
        None
    }

    /// The logical word that a token is, if it is one.
    fn logical(&self, token: Token) -> Option<Symbol> {
        let name = (token.kind == Kind::Name).then(|| token::name(self.spelling(token)))?;
        self.symbols.get(&name).filter(|symbol| symbol.is_logical())
    }

    fn spelling(&self, token: Token) -> &'r str {
        &self.text[token.span().start..token.span().end]
    }

    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.next).copied()
    }

    fn kind_after(&self, tokens: usize) -> Option<Kind> {
        self.tokens.get(self.next + tokens).map(|token| token.kind)
    }

    fn take(&mut self, kind: Kind) -> Option<Token> {
        let token = self.peek().filter(|token| token.kind == kind)?;
        self.next += 1;
        Some(token)
    }

    /// Runs one recursive step of the descent.
    fn descend<T>(&mut self, step: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.nesting == MAX_NESTING {
            self.report.add(too_deep(self.here()));
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
        self.peek().map_or(Span::new(end, end), Token::span)
    }

    fn unexpected<T>(&mut self, wanted: &str) -> Option<T> {
        let message = match self.peek() {
            Some(token) => format!("`{}` stands where {wanted} must stand", self.spelling(token)),
            None => format!("the text ends where {wanted} must stand"),
        };
        self.report.add(Finding::new(Code::Syntax, Severity::Error, self.here(), message));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::print::print;
    use super::super::read::read;
    use super::super::{Code, Finding, Rulesheet, Source, Syntax};

    fn infix(text: &str) -> (Rulesheet, Vec<Finding>) {
        read(Source::new("t", text), Some(Syntax::Infix))
    }

    /// The text in the prefix form, in one line for each clause.
    fn as_kif(text: &str) -> String {
        let (sheet, findings) = infix(text);
        assert_eq!(findings, [], "{text}");
        print(&sheet, Syntax::Kif).replace("\n    ", " ").replace("\n\n", "\n")
    }

    /// Code, line, marked text and help of every finding.
    fn slips(text: &str) -> Vec<(Code, usize, String, String)> {
        let (sheet, findings) = infix(text);
        let slip = |finding: Finding| {
            let line = sheet.source.line_column(finding.span.start).0;
            let marked = sheet.source.slice(finding.span).to_owned();
            (finding.code, line, marked, finding.help.unwrap_or_default())
        };
        findings.into_iter().map(slip).collect()
    }

    #[test]
    fn every_way_to_write_a_rule_is_read() {
        for (text, kif) in [
            ("role(a). role(b) role(c)", "(role a)\n(role b)\n(role c)\n"),
            ("p :- q & r\ns", "(<= p q r)\ns\n"),
            ("p(X, f(_y, 10)) <= q(X) ∧ ¬r(X) % end\n", "(<= (p ?X (f ?_y 10)) (q ?X) (not (r ?X)))\n"),
            ("p ⇐ a | b & c ; end", "(<= p (or a (and b c)))\n"),
            ("p ← (a ∨ b) & not c // end", "(<= p (or a b) (not c))\n"),
            ("p :- not(a & b) & ~~c & ~ (d)", "(<= p (not (and a b)) (not (not c)) (not d))\n"),
            (
                "p :- or() & or(a) & ~and() & distinct(X, Y)",
                "(<= p (or) (or a) (not (and)) (distinct ?X ?Y))\n",
            ),
            ("p :- or(a, b | c, and(d))", "(<= p (or a (or b c) (and d)))\n"),
            ("p() :- q(and, 'It''s', ?x, ?'a-b').", "(<= p (q and It's ?x ?a-b))\n"),
        ] {
            assert_eq!(as_kif(text), kif, "{text}");
        }
    }

    #[test]
    fn places_are_those_of_the_literals() {
        let (sheet, _) = infix("p(X) :- q & ~r(X) &\n  (s | distinct(X, a))");
        let body: Vec<&str> =
            sheet.clauses[0].body.iter().map(|formula| sheet.source.slice(formula.at().0)).collect();
        assert_eq!(body, ["q", "~r(X)", "s | distinct(X, a)"]);
    }

    #[test]
    fn a_missing_and_is_found_where_the_class_forgot_it() {
        let text = "\
next(cell(M,N,b)) :-
does(W,mark(J,K))
true(cell(M,N,b)) &
distinct(N,K)

next(control(nought)) :-
true(control(cross))
";
        let help = "put `&` between these literals".to_owned();
        assert_eq!(slips(text), [(Code::Syntax, 3, "true(cell(M,N,b))".to_owned(), help)]);
        let (sheet, findings) = infix(text);
        assert_eq!(sheet.source.slice(findings[0].related.as_ref().unwrap().0), "does(W,mark(J,K))");
        assert_eq!(sheet.clauses[0].body.len(), 3);
        assert_eq!(sheet.clauses.len(), 2);
    }

    #[test]
    fn slips_are_named_with_what_to_do() {
        use Code::{KeywordArity, Syntax, UnbalancedParenthesis};
        for (text, code, marked, help) in [
            ("p :- q ~r\ns", Syntax, "~r", "put `&` between these literals"),
            ("p :- q\nr(X, Y) & s", Syntax, "r(X, Y)", "put `&` between these literals"),
            ("p :- q, r", Syntax, ",", "write `&`"),
            ("p :- q and r", Syntax, "and", "write `&`"),
            ("p :- q && r", Syntax, "&&", "write `&`"),
            ("p :- !r", Syntax, "!", "write `~`"),
            ("p <- r", Syntax, "<-", "write `:-`"),
            ("p & q\nr", Syntax, "&", "put `:-` behind the head"),
            ("Role(x)", Syntax, "Role", "a name begins small: `role`"),
            ("p(a b)", Syntax, "b", "put a comma between the arguments"),
            ("p(2-x)", Syntax, "2-x", "write `'2-x'`"),
            ("p(f(a) :- q(b)\nr", UnbalancedParenthesis, "(", ""),
            ("p(a)) :- q(b)\nr", UnbalancedParenthesis, ")", "take it out"),
            ("p :- (q | r) ) & s", UnbalancedParenthesis, ")", "take it out"),
            ("p :- (q | r\ns :- t", UnbalancedParenthesis, "(", ""),
            ("p :- X & q\nr", Syntax, "X", ""),
            (":- q\nr", Syntax, ":-", ""),
            ("~p :- q\nr", Syntax, "~", ""),
            ("p :- q &\n", Syntax, "", ""),
            ("p(a, &)\nr", Syntax, "&", ""),
            ("p('a b')", Syntax, "'a b'", ""),
            ("p(a)\u{7}", Syntax, "\u{7}", ""),
            ("p :- not(a, b)", KeywordArity, "not(a, b)", ""),
            ("p :- distinct(a)", KeywordArity, "distinct(a)", ""),
        ] {
            let found = slips(text);
            let first = (code, 1 + usize::from(marked == "r(X, Y)"), marked.to_owned(), help.to_owned());
            assert_eq!(found, [first], "{text}");
        }
    }

    #[test]
    fn one_slip_costs_one_clause() {
        let (sheet, findings) = infix("a :- & x\nb(\n  c)\nd :- X\n e\nf :- g(\nh\n");
        assert_eq!(findings.len(), 3, "{findings:?}");
        assert_eq!(print(&sheet, Syntax::Infix).lines().next(), Some("b(c)"));
    }

    #[test]
    fn deep_text_is_refused() {
        for open in ["(", "~", "not ", "or(", "p("] {
            let text = format!("p :- {}", open.repeat(100_000));
            assert_eq!(slips(&text)[0].0, Code::TooDeep, "{open}");
        }
        let shallow = |n| format!("p({}x{})", "f(".repeat(n), ")".repeat(n));
        assert_eq!(slips(&shallow(199)), []);
        assert_eq!(slips(&shallow(200))[0].0, Code::TooDeep);
        assert_eq!(slips(&format!("p :- {}x{}", "(".repeat(200), ")".repeat(200))), []);
    }

    #[test]
    fn the_syntax_is_recognised_by_content() {
        for (text, syntax) in [
            ("; c\n% d\n  (p)", Syntax::Kif),
            ("; c\n// d\np(a)", Syntax::Infix),
            ("", Syntax::Kif),
            ("terminal :- p", Syntax::Infix),
            ("role a)\n(role b)\n(role c)", Syntax::Kif),
        ] {
            assert_eq!(read(Source::new("t", text), None).0.syntax, syntax, "{text}");
        }
    }
}
