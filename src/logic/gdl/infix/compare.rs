//! Comparisons and tuples: forms that rulesheets borrow from Prolog.
//!
//! `X != Y` is read as `distinct(X, Y)`, and `X = Y` as `~distinct(X, Y)`. If no positive condition binds a side of an
//! equation that is a variable, then the equation defines it: the other side takes its place in the whole clause. This
//! does not change the meaning, because an equation in a conjunction and its solution have the same instances.
//!
//! A tuple `(C, R)` is read as the term `tuple_2(C, R)`, with the number of its members in its functor. If the text
//! spells this name itself, underscores are added to it.
//!
//! Invariant: solving equations does not make a clause longer. A compound term is moved, never copied.

use rustc_hash::{FxHashMap, FxHashSet};

use super::InfixReader;
use super::token::{InfixToken, InfixTokenKind};
use crate::gdl::dialect::Dialect;
use crate::gdl::finding::keyword_arity;
use crate::gdl::{At, Atom, Finding, Formula, Syntax, print_term};
use hyperplay_machine::terms::{Symbol, Term, fold};

/// The equations of one clause that are solved at most, which bounds the depth of the terms that this makes.
const MOST: usize = 16;

/// The beginning of the functors of tuples.
const TUPLE: &str = "tuple_";

/// The positions of the parentheses whose partner stands before a comparison. O(tokens).
pub(super) fn compared(tokens: &[InfixToken]) -> FxHashSet<usize> {
    let mut open = Vec::new();
    let mut compared = FxHashSet::default();
    for (position, token) in tokens.iter().enumerate() {
        match token.kind {
            InfixTokenKind::Open => open.push(position),
            InfixTokenKind::Close => {
                let partner = open.pop();
                if tokens.get(position + 1).is_some_and(|next| next.kind.is_comparison()) {
                    compared.extend(partner);
                }
            }
            InfixTokenKind::Stop | InfixTokenKind::If => open.clear(),
            _ => {}
        }
    }
    compared
}

/// The functors of the tuples of one text.
#[derive(Default)]
pub(super) struct TupleFunctors {
    /// The names of the text that begin as the functors do, folded; not collected before a tuple is met.
    taken: Option<FxHashSet<String>>,
    chosen: FxHashMap<usize, Symbol>,
}

impl InfixReader<'_> {
    /// Whether a comparison of two terms begins at the next token.
    pub(super) fn begins_comparison(&self) -> bool {
        let Some(token) = self.peek() else { return false };
        let named = match token.kind {
            InfixTokenKind::Open => return self.compared.contains(&self.next),
            InfixTokenKind::Name => self.logical(token).is_none(),
            InfixTokenKind::Variable => true,
            kind => return kind.is_comparison() && self.kind_after(1) == Some(InfixTokenKind::Open),
        };
        named
            && match self.kind_after(1) {
                Some(InfixTokenKind::Open) => self.compared.contains(&(self.next + 1)),
                after => {
                    let is = self.tokens.get(self.next + 1).is_some_and(|&token| self.is_is(token));
                    let is = is && self.kind_after(2) != Some(InfixTokenKind::Open);
                    after.is_some_and(InfixTokenKind::is_comparison)
                        || (is && token.kind == InfixTokenKind::Variable)
                }
            }
    }

    /// Whether the token is the word by which Prolog computes.
    fn is_is(&self, token: InfixToken) -> bool {
        token.kind == InfixTokenKind::Name && self.spelling(token) == "is"
    }

    /// `X = Y`, `X != Y`, or the same with the operator in front: `=(X, Y)`.
    pub(super) fn comparison(&mut self) -> Option<Formula> {
        let start = self.next;
        let first = self.tokens[start];
        let (operator, left, right) = if first.kind.is_comparison() {
            self.next += 1;
            let arguments = self.arguments()?;
            let at = first.span().to(self.tokens[self.next - 1].span());
            match <[Term; 2]>::try_from(arguments) {
                Ok([left, right]) => (first, left, right),
                Err(arguments) => {
                    self.report.add(keyword_arity(self.spelling(first), 2, arguments.len(), at));
                    return None;
                }
            }
        } else {
            let left = self.term()?;
            let Some(operator) = self.peek().filter(|token| token.kind.is_comparison() || self.is_is(*token))
            else {
                return self.unexpected("a comparison");
            };
            self.next += 1;
            (operator, left, self.term()?)
        };
        let at = At(first.span().to(self.tokens[self.next - 1].span()));
        let symbols = &*self.symbols;
        let distinct = || {
            let [a, b] = [&left, &right].map(|term| short(print_term(term, symbols, Syntax::Infix)));
            format!("distinct({a}, {b})")
        };
        match operator.kind {
            InfixTokenKind::Differ => {
                self.report.dialect(Dialect::Differ, at.0, || format!("did you mean `{}`?", distinct()));
                Some(Formula::Distinct(left, right, at))
            }
            InfixTokenKind::Same => {
                self.report.dialect(Dialect::Same, at.0, || {
                    format!("write one name in both places, or `~{}`", distinct())
                });
                self.equations.push(at.0);
                Some(Formula::Not(Box::new(Formula::Distinct(left, right, at)), at))
            }
            _ => {
                let message = format!("`{}` is no condition of GDL", self.spelling(operator));
                let finding = Finding::syntax(operator.span(), message);
                let help = "GDL has no arithmetic: write facts for a relation, for example `less(1, 2)`";
                if !self.tokens[start..self.next].iter().any(|token| token.slip) {
                    self.report.add(finding.help(help));
                }
                None
            }
        }
    }

    /// The negation of a condition; that of an equation is `distinct`.
    pub(super) fn negation(&self, condition: Formula, at: At) -> Formula {
        match condition {
            Formula::Not(inner, place) if self.equations.last() == Some(&place.0) => match *inner {
                Formula::Distinct(left, right, _) => Formula::Distinct(left, right, at),
                other => other,
            },
            condition => Formula::Not(Box::new(condition), at),
        }
    }

    /// A tuple, or a term in parentheses.
    pub(super) fn tuple(&mut self) -> Option<Term> {
        let open = self.tokens[self.next];
        let mut terms = self.arguments()?;
        let span = open.span().to(self.tokens[self.next - 1].span());
        match terms.len() {
            0 => {
                self.report.syntax(span, "nothing stands between these parentheses");
                None
            }
            1 => terms.pop(),
            arity => {
                let term = Term::new(self.tuple_functor(arity), terms);
                let symbols = &*self.symbols;
                let shown = || short(print_term(&term, symbols, Syntax::Infix));
                self.report.dialect(Dialect::Tuple, span, || format!("it is taken to be `{}`", shown()));
                Some(term)
            }
        }
    }

    fn tuple_functor(&mut self, arity: usize) -> Symbol {
        if let Some(&functor) = self.tuples.chosen.get(&arity) {
            return functor;
        }
        if self.tuples.taken.is_none() {
            let names = self.tokens.iter().filter(|token| token.kind == InfixTokenKind::Name);
            let names = names.map(|&token| fold(&super::token::name(self.spelling(token))).into_owned());
            self.tuples.taken = Some(names.filter(|name| name.starts_with(TUPLE)).collect());
        }
        let taken = self.tuples.taken.as_ref();
        let mut name = format!("{TUPLE}{arity}");
        while taken.is_some_and(|taken| taken.contains(&name)) {
            name.push('_');
        }
        let functor = self.symbols.intern(&name);
        self.tuples.chosen.insert(arity, functor);
        functor
    }

    /// Solves the equations of a clause that define a variable.
    pub(super) fn solve(&self, head: &mut Atom, body: &mut Vec<Formula>) {
        for equation in self.equations.iter().take(MOST) {
            let bound = bound(body);
            let solution = body.iter().position(|formula| formula.at().0 == *equation).and_then(|position| {
                let (left, right) = sides(&body[position])?;
                let (variable, term) =
                    defined(left, right, &bound).or_else(|| defined(right, left, &bound))?;
                let copies = uses(variable, head, body) - 1;
                let moved = copies <= 1 || !matches!(term, Term::Compound(..));
                moved.then(|| (position, variable, term.clone()))
            });
            if let Some((position, variable, term)) = solution {
                body.remove(position);
                let by =
                    &mut |other: Symbol| if other == variable { term.clone() } else { Term::Variable(other) };
                *head = head.replacing(by);
                let replace = &mut |leaf: &mut Formula| match leaf {
                    Formula::Atom(atom) => *atom = atom.replacing(by),
                    Formula::Distinct(a, b, _) => (*a, *b) = (a.replacing(by), b.replacing(by)),
                    _ => unreachable!("it is a leaf"),
                };
                body.iter_mut().for_each(|formula| formula.each_leaf_mut(replace));
            }
        }
    }
}

/// The two sides of an equation.
fn sides(formula: &Formula) -> Option<(&Term, &Term)> {
    let Formula::Not(inner, _) = formula else { return None };
    let Formula::Distinct(left, right, _) = &**inner else { return None };
    Some((left, right))
}

/// The variable that is the first side, with the second side, if nothing else binds it and it is not part of the
/// second.
fn defined<'t>(one: &Term, other: &'t Term, bound: &FxHashSet<Symbol>) -> Option<(Symbol, &'t Term)> {
    let Term::Variable(variable) = *one else { return None };
    (!bound.contains(&variable) && other.all_variables(&|part| part != variable)).then_some((variable, other))
}

/// The variables that the positive conditions of a body bind.
fn bound(body: &[Formula]) -> FxHashSet<Symbol> {
    let mut bound = FxHashSet::default();
    for formula in body {
        if let Formula::Atom(atom) = formula {
            bound.extend(atom.variables());
        }
    }
    bound
}

/// The number of occurrences of a variable.
fn uses(variable: Symbol, head: &Atom, body: &[Formula]) -> usize {
    let mut uses = 0;
    let mut visit = |other: Symbol| uses += usize::from(other == variable);
    head.each_variable(&mut visit);
    body.iter().for_each(|formula| formula.each_variable(&mut visit));
    uses
}

/// A text that fits in a message.
fn short(text: String) -> String {
    const LONG: usize = 60;
    match text.char_indices().nth(LONG) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
