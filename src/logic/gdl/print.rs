//! Writers: a rulesheet, a rule or a term as text, in either syntax.
//!
//! A text that is written can be read again and gives equal clauses. Names keep the spelling that occurred first in the
//! text. The infix form puts a name in quotes, or marks it, if its alphabet cannot spell it. In the infix form, case
//! distinguishes variables from names, so a variable `x` is written `X` and a name `Red` is written `red`; GDL ignores
//! case. A rule with several conditions is written with one condition on each line, and a blank line separates the
//! clauses of different relations. Comments are not part of a rulesheet and are lost.
//!
//! Invariant: the clauses are at most `MAX_DEPTH` levels deep, as the readers guarantee.

use std::borrow::Cow;

use super::{At, Atom, Clause, Formula, Literal, Rule, Rulesheet, Syntax, infix, kif};
use hyperplay_machine::terms::{Symbol, Symbols, Term, fold};

/// A rulesheet as text in the given syntax. O(size).
///
/// ```
/// use hyperplay_logic::gdl::{Source, Syntax, print, read};
///
/// let (sheet, _) = read(Source::new("t.kif", "(role white) (<= (p ?x) (q ?x) (not (r ?x)))"), None);
/// assert_eq!(print(&sheet, Syntax::Infix), "role(white)\n\np(X) :-\n    q(X) &\n    ~r(X)\n");
/// assert_eq!(print(&sheet, Syntax::Kif), "(role white)\n\n(<= (p ?x)\n    (q ?x)\n    (not (r ?x)))\n");
/// ```
pub fn print(rulesheet: &Rulesheet, syntax: Syntax) -> String {
    let mut writer = Writer { symbols: &rulesheet.symbols, syntax, text: String::new() };
    let mut last = None;
    for clause in &rulesheet.clauses {
        let relation = clause.head.relation;
        if last.is_some_and(|last| last != relation) {
            writer.text.push('\n');
        }
        last = Some(relation);
        match syntax {
            Syntax::Kif => writer.kif_clause(clause),
            Syntax::Infix => writer.infix_clause(clause),
        }
        writer.text.push('\n');
    }
    writer.text
}

/// A rule in the prefix form, on one line.
///
/// ```
/// use hyperplay_logic::gdl::{Literal, Source, load, print_rule};
///
/// let text = "(role x) (legal x noop) (goal x 1) (<= terminal (not (true go))) (init go)";
/// let game = load(Source::new("t.kif", text), None).game.unwrap();
/// let rule = &game.rules()[3];
/// assert!(matches!(rule.body[..], [Literal::Negative(_)]));
/// assert_eq!(print_rule(rule, game.terms().symbols()), "(<= terminal (not (true go)))");
/// ```
pub fn print_rule(rule: &Rule, symbols: &Symbols) -> String {
    let at = At::default();
    let distinct = |left: &Term, right: &Term| Formula::Distinct(left.clone(), right.clone(), at);
    let formula = |literal: &Literal| match literal {
        Literal::Positive(atom) => Formula::Atom(atom.clone()),
        Literal::Negative(atom) => Formula::Not(Box::new(Formula::Atom(atom.clone())), at),
        Literal::Distinct(left, right) => distinct(left, right),
        Literal::Same(left, right) => Formula::Not(Box::new(distinct(left, right)), at),
    };
    let mut writer = Writer { symbols, syntax: Syntax::Kif, text: String::new() };
    if rule.body.is_empty() {
        writer.atom(&rule.head);
        return writer.text;
    }
    writer.text.push_str("(<= ");
    writer.atom(&rule.head);
    for literal in &rule.body {
        writer.text.push(' ');
        writer.kif_formula(&formula(literal));
    }
    writer.text.push(')');
    writer.text
}

/// A term in the given syntax.
///
/// ```
/// use hyperplay_logic::gdl::{Source, Syntax, print_term, read};
///
/// let (sheet, _) = read(Source::new("t.kif", "(init (cell ?x b))"), None);
/// let term = &sheet.clauses[0].head.arguments[0];
/// assert_eq!(print_term(term, &sheet.symbols, Syntax::Infix), "cell(X, b)");
/// ```
pub fn print_term(term: &Term, symbols: &Symbols, syntax: Syntax) -> String {
    let mut writer = Writer { symbols, syntax, text: String::new() };
    writer.term(term);
    writer.text
}

struct Writer<'w> {
    symbols: &'w Symbols,
    syntax: Syntax,
    text: String,
}

/// What both syntaxes have.
impl<'w> Writer<'w> {
    fn name(&self, symbol: Symbol) -> Cow<'w, str> {
        let name = self.symbols.name(symbol);
        if self.syntax == Syntax::Kif { name.into() } else { infix_name(name) }
    }

    fn atom(&mut self, atom: &Atom) {
        let name = self.name(atom.relation);
        if atom.arguments.is_empty() {
            self.text.push_str(&name);
        } else {
            self.list(&name, &atom.arguments, Self::term);
        }
    }

    fn term(&mut self, term: &Term) {
        match term {
            Term::Variable(variable) if self.syntax == Syntax::Kif => {
                self.text.push('?');
                self.text.push_str(self.symbols.name(*variable));
            }
            Term::Variable(variable) => self.text.push_str(&infix_variable(self.symbols.name(*variable))),
            Term::Constant(constant) => self.text.push_str(&self.name(*constant)),
            Term::Compound(functor, arguments) => self.list(&self.name(*functor), arguments, Self::term),
        }
    }

    /// In prefix form the word is the first member, in infix form it stands before the parenthesis.
    fn list<T>(&mut self, word: &str, members: &[T], mut write: impl FnMut(&mut Self, &T)) {
        let is_kif = self.syntax == Syntax::Kif;
        let [first, second] = if is_kif { ["(", word] } else { [word, "("] };
        self.text.extend([first, second]);
        for (position, member) in members.iter().enumerate() {
            if is_kif || position > 0 {
                self.text.push_str(if is_kif { " " } else { ", " });
            }
            write(self, member);
        }
        self.text.push(')');
    }
}

/// The prefix form.
impl Writer<'_> {
    fn kif_clause(&mut self, clause: &Clause) {
        if clause.body.is_empty() {
            self.kif_first(&clause.head);
            return;
        }
        self.text.push_str("(<= ");
        self.atom(&clause.head);
        let separator = if clause.body.len() == 1 { " " } else { "\n    " };
        for formula in &clause.body {
            self.text.push_str(separator);
            match formula {
                Formula::Atom(atom) => self.kif_first(atom),
                _ => self.kif_formula(formula),
            }
        }
        self.text.push(')');
    }

    /// An atom at the beginning of a line, where some names would be read as a comment.
    fn kif_first(&mut self, atom: &Atom) {
        let name = self.symbols.name(atom.relation);
        if kif::looks_like_comment(name) {
            self.list(name, &atom.arguments, Self::term);
        } else {
            self.atom(atom);
        }
    }

    fn kif_formula(&mut self, formula: &Formula) {
        match formula {
            Formula::Atom(atom) => self.atom(atom),
            Formula::Distinct(left, right, _) => {
                self.list("distinct", &[left, right], |writer, term| writer.term(term));
            }
            Formula::Not(inner, _) => self.list("not", std::slice::from_ref(&**inner), Self::kif_formula),
            Formula::And(members, _) => self.list("and", members, Self::kif_formula),
            Formula::Or(members, _) => self.list("or", members, Self::kif_formula),
        }
    }
}

/// The infix form.
impl Writer<'_> {
    fn infix_clause(&mut self, clause: &Clause) {
        self.atom(&clause.head);
        match clause.body.as_slice() {
            [] => {}
            [formula] => {
                self.text.push_str(" :- ");
                self.infix_formula(formula);
            }
            several => {
                self.text.push_str(" :-\n    ");
                self.infix_joined(several, " &\n    ");
            }
        }
    }

    /// A formula where any operator may stand.
    fn infix_formula(&mut self, formula: &Formula) {
        match formula {
            Formula::And(members, _) if members.len() > 1 => self.infix_joined(members, " & "),
            Formula::Or(members, _) if members.len() > 1 => self.infix_joined(members, " | "),
            _ => self.infix_operand(formula),
        }
    }

    fn infix_joined(&mut self, members: &[Formula], operator: &str) {
        for (position, member) in members.iter().enumerate() {
            if position > 0 {
                self.text.push_str(operator);
            }
            self.infix_operand(member);
        }
    }

    /// A formula next to an operator, in parentheses if it is a conjunction or disjunction itself.
    fn infix_operand(&mut self, formula: &Formula) {
        match formula {
            Formula::Atom(atom) => self.atom(atom),
            Formula::Distinct(left, right, _) => {
                self.list("distinct", &[left, right], |writer, term| writer.term(term));
            }
            Formula::Not(inner, _) => {
                self.text.push('~');
                self.infix_operand(inner);
            }
            Formula::And(members, _) if members.len() < 2 => {
                self.list("and", members, Self::infix_formula);
            }
            Formula::Or(members, _) if members.len() < 2 => {
                self.list("or", members, Self::infix_formula);
            }
            Formula::And(..) | Formula::Or(..) => {
                self.text.push('(');
                self.infix_formula(formula);
                self.text.push(')');
            }
        }
    }
}

/// A name as the infix form spells it: with a small first letter (`Red` becomes `red`, `CardA` becomes `cardA`, `ABC`
/// becomes `abc`), or in quotes.
fn infix_name(name: &str) -> Cow<'_, str> {
    let plain = |name: &str| is_plain(name) && !name.starts_with(infix::begins_variable);
    if plain(name) || infix::is_negative_number(name) {
        return name.into();
    }
    let folded = fold(name);
    let mut rest = name.chars();
    let small: String = rest.next().into_iter().flat_map(char::to_lowercase).chain(rest).collect();
    let camel = name.contains(char::is_lowercase) && fold(&small) == folded;
    match (camel && plain(&small), plain(&folded)) {
        (true, _) => small.into(),
        (_, true) => folded,
        _ => quote(name).into(),
    }
}

/// A variable as the infix form spells it: with a capital first letter, or marked with `?`.
fn infix_variable(name: &str) -> Cow<'_, str> {
    if !is_plain(name) {
        return format!("?{}", quote(name)).into();
    }
    if name.starts_with(infix::begins_variable) {
        return name.into();
    }
    let mut rest = name.chars();
    let capital: String = rest.next().into_iter().flat_map(char::to_uppercase).chain(rest).collect();
    let capitalised =
        is_plain(&capital) && capital.starts_with(infix::begins_variable) && fold(&capital) == fold(name);
    if capitalised { capital.into() } else { format!("?{name}").into() }
}

/// Whether a name needs no quotes.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(infix::is_letter)
}

fn quote(name: &str) -> String {
    format!("'{}'", name.replace('\'', "''"))
}
