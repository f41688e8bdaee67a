//! Reading: from text to a rulesheet, whichever way it is written.
//!
//! A reader never fails: it returns the clauses that it could make sense of, and findings for the rest, in the order
//! of the text. Any text is read in time linear in its length (up to a logarithm), without recursion deeper than
//! a small multiple of [`MAX_DEPTH`], and gives at most [`MAX_FINDINGS`] findings and one that says how many more
//! there would be.
//!
//! Invariant: every clause read is at most [`MAX_DEPTH`] deep, an atom counted as one level above its terms and
//! `and`, `or` and `not` as one level each. What is printed of it stays within the readers' limits.

use super::finding::{Code, Finding, Severity};
use super::rule::{Atom, Clause, Formula};
use super::rulesheet::{Rulesheet, Syntax};
use super::source::{Source, Span};
use super::symbol::Symbols;
use super::term::{MAX_DEPTH, Term};
use super::{infix, kif};

/// The readers refuse text longer than this, in bytes.
pub const MAX_TEXT: usize = 16 << 20;

/// A reader reports this many findings singly.
pub const MAX_FINDINGS: usize = 100;

/// How deep parentheses may nest in the text, superfluous ones included.
pub(super) const MAX_NESTING: usize = MAX_DEPTH + 16;

/// Reads a text in the given syntax, or in the one that it seems to be written in.
pub fn read(source: Source, syntax: Option<Syntax>) -> (Rulesheet, Vec<Finding>) {
    let syntax = syntax.unwrap_or_else(|| sniff(source.text()));
    let mut report = Report::default();
    let mut symbols = Symbols::new();
    let clauses = if source.text().len() > MAX_TEXT {
        let message = format!("the text has {} bytes; at most {MAX_TEXT} are read", source.text().len());
        report.add(Finding::new(Code::TooLarge, Severity::Error, Span::new(0, 0), message));
        Vec::new()
    } else {
        match syntax {
            Syntax::Kif => kif::read(source.text(), &mut symbols, &mut report),
            Syntax::Infix => infix::read(source.text(), &mut symbols, &mut report),
        }
    };
    let clauses = clauses.into_iter().filter(|clause| shallow(clause, &mut report)).collect();
    (Rulesheet { source, syntax, symbols, clauses }, report.finish())
}

/// The syntax that a text seems to be written in: the prefix form if the first thing that is not a comment is a
/// parenthesis, or if more lines begin with a parenthesis than with a name; the infix form otherwise.
fn sniff(text: &str) -> Syntax {
    let mut lines = text
        .lines()
        .map(str::trim_start)
        .filter(|line| !line.is_empty() && !line.starts_with([';', '%']) && !line.starts_with("//"))
        .peekable();
    if lines.peek().is_none_or(|line| line.starts_with('(')) {
        return Syntax::Kif;
    }
    let (prefix, other): (Vec<&str>, Vec<&str>) = lines.take(1000).partition(|line| line.starts_with('('));
    if prefix.len() > other.len() { Syntax::Kif } else { Syntax::Infix }
}

/// The findings of one reader, their number limited.
#[derive(Default)]
pub(super) struct Report {
    findings: Vec<Finding>,
    more: usize,
    first_of_more: Span,
}

impl Report {
    /// Takes a finding in, unless there are too many already.
    pub(super) fn add(&mut self, finding: Finding) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
            return;
        }
        if self.more == 0 {
            self.first_of_more = finding.span;
        }
        self.more += 1;
    }

    /// Takes in a syntax error.
    pub(super) fn syntax(&mut self, span: Span, message: impl Into<String>) {
        self.add(Finding::new(Code::Syntax, Severity::Error, span, message));
    }

    fn finish(mut self) -> Vec<Finding> {
        self.findings.sort_by_key(|finding| finding.span);
        if self.more > 0 {
            let message = format!("{} more findings are not shown", self.more);
            self.findings.push(Finding::new(Code::Syntax, Severity::Error, self.first_of_more, message));
        }
        self.findings
    }
}

/// Whether a character separates words: white space, and the byte-order mark that some editors leave.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// A finding for a clause that begins at `start` and is nested too deeply at `place`.
pub(super) fn too_deep(start: Span, place: Span) -> Finding {
    let message = format!("nested more than {MAX_DEPTH} levels deep");
    Finding::new(Code::TooDeep, Severity::Error, start, message).related(place, "too deep here")
}

/// The finding for a logical word with the wrong number of arguments.
pub(super) fn keyword_arity(word: &str, right: usize, wrong: usize, span: Span) -> Finding {
    let plural = if right == 1 { "argument" } else { "arguments" };
    let message = format!("`{word}` takes {right} {plural}, not {wrong}");
    Finding::new(Code::KeywordArity, Severity::Error, span, message)
}

/// Appends a formula to a conjunction, a conjunction by its members.
pub(super) fn splice(formula: Formula, body: &mut Vec<Formula>) {
    match formula {
        Formula::And(members, _) => members.into_iter().for_each(|member| splice(member, body)),
        other => body.push(other),
    }
}

/// Whether a clause is at most [`MAX_DEPTH`] deep; reports it if not.
fn shallow(clause: &Clause, report: &mut Report) -> bool {
    let deep = std::iter::once((atom_depth(&clause.head), clause.head.at))
        .chain(clause.body.iter().map(|formula| (formula_depth(formula), formula.at())))
        .find(|(depth, _)| *depth > MAX_DEPTH);
    if let Some((_, at)) = deep {
        let start = clause.at.0.start;
        report.add(too_deep(Span::new(start, start + 1), at.0));
    }
    deep.is_none()
}

fn formula_depth(formula: &Formula) -> usize {
    match formula {
        Formula::Atom(atom) => atom_depth(atom),
        Formula::Distinct(left, right, _) => 1 + term_depth(left).max(term_depth(right)),
        Formula::Not(inner, _) => 1 + formula_depth(inner),
        Formula::And(members, _) | Formula::Or(members, _) => {
            1 + members.iter().map(formula_depth).max().unwrap_or(0)
        }
    }
}

fn atom_depth(atom: &Atom) -> usize {
    1 + atom.arguments.iter().map(term_depth).max().unwrap_or(0)
}

fn term_depth(term: &Term) -> usize {
    match term {
        Term::Variable(_) | Term::Constant(_) => 0,
        Term::Compound(_, arguments) => 1 + arguments.iter().map(term_depth).max().unwrap_or(0),
    }
}
