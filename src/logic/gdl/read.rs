//! Reading: from a text in either syntax to a rulesheet.
//!
//! A reader never fails. It returns the clauses that it could read and findings for the rest, in the order of the
//! text. Any text is read in time linear in its length (up to a logarithm), with a recursion depth of at most a small
//! multiple of [`MAX_DEPTH`]. It gives at most [`MAX_FINDINGS`] findings, and one more that says how many are not
//! shown.
//!
//! Invariant: every clause is at most [`MAX_DEPTH`] levels deep. An atom counts as one level above its terms, and
//! `and`, `or` and `not` count as one level each. A clause that is printed can therefore be read again.

use super::dialect::Dialect;
use super::finding::{Finding, FindingCode, Severity, sort_findings};
use super::rule::{Atom, Clause, Formula};
use super::rulesheet::{Rulesheet, Syntax};
use super::source::{Source, Span};
use super::{infix, kif};
use hyperplay_machine::terms::{MAX_DEPTH, Symbol, Symbols, Term};

/// The length in bytes above which the readers refuse a text: 16 MiB.
pub const MAX_TEXT: usize = 16 << 20;

/// The number of findings that a reader reports one by one.
const MAX_FINDINGS: usize = 100;

/// The depth to which parentheses may be nested in the text, redundant ones included.
pub(super) const MAX_NESTING: usize = MAX_DEPTH + 16;

/// Reads a text. If no syntax is given, it is recognised from the first 1,000 lines that are not comments: the prefix
/// form if the first line begins with a parenthesis or if most lines do, the infix form otherwise.
///
/// The findings are in the order of the text; a clause with a syntax error is left out. O(text), up to a logarithm.
///
/// ```
/// use hyperplay_logic::gdl::{Rulesheet, Source, Syntax, read};
///
/// let (sheet, findings) = read(Source::new("t", "(role x) (role y"), None);
/// let Rulesheet { syntax, clauses, .. } = &sheet;
/// assert_eq!((*syntax, clauses.len()), (Syntax::Kif, 2));
/// assert_eq!(findings[0].message, "this `(` is never closed");
/// assert_eq!(sheet.symbols.name(sheet.clauses[0].head.relation), "role");
/// ```
pub fn read(source: Source, syntax: Option<Syntax>) -> (Rulesheet, Vec<Finding>) {
    let syntax = syntax.unwrap_or_else(|| sniff(source.text()));
    let mut report = FindingCollector::default();
    let mut symbols = Symbols::new();
    let clauses = if source.text().len() > MAX_TEXT {
        let message = format!("the text has {} bytes; at most {MAX_TEXT} are read", source.text().len());
        report.add(Finding::new(FindingCode::TooLarge, Severity::Error, Span::new(0, 0), message));
        Vec::new()
    } else {
        match syntax {
            Syntax::Kif => kif::read(source.text(), &mut symbols, &mut report),
            Syntax::Infix => infix::read(source.text(), &mut symbols, &mut report),
        }
    };
    let clauses = clauses.into_iter().filter(|clause| is_within_depth(clause, &mut report)).collect();
    let unread = std::mem::take(&mut report.unread);
    (Rulesheet { source, syntax, symbols, clauses, unread }, report.finish())
}

/// The syntax that a text seems to be written in: the prefix form if the first thing that is not a comment is a
/// parenthesis, or if more lines begin with a parenthesis than with a name; the infix form otherwise.
fn sniff(text: &str) -> Syntax {
    let mut lines = text
        .split(infix::line_end(text))
        .map(str::trim_start)
        .filter(|line| !line.is_empty() && !line.starts_with([';', '%']) && !line.starts_with("//"))
        .peekable();
    if lines.peek().is_none_or(|line| line.starts_with('(')) {
        return Syntax::Kif;
    }
    let (prefix, other): (Vec<&str>, Vec<&str>) = lines.take(1000).partition(|line| line.starts_with('('));
    if prefix.len() > other.len() { Syntax::Kif } else { Syntax::Infix }
}

/// The findings of one reader, up to the limit of their number.
#[derive(Default)]
pub struct FindingCollector {
    findings: Vec<Finding>,
    /// The clauses of declarations that could not be read.
    unread: Vec<(Symbol, Span)>,
    more: usize,
    first_of_more: Span,
    errors: usize,
    /// The dialect forms that have been reported.
    dialects: Vec<Dialect>,
}

impl FindingCollector {
    /// Adds a finding; beyond the limit it is only counted.
    pub fn add(&mut self, finding: Finding) {
        self.errors += usize::from(finding.severity == Severity::Error);
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
            return;
        }
        if self.more == 0 {
            self.first_of_more = finding.span;
        }
        self.more += 1;
    }

    /// Whether a dialect form has not been asked for before.
    pub(super) fn is_new(&mut self, form: Dialect) -> bool {
        let new = !self.dialects.contains(&form);
        if new {
            self.dialects.push(form);
        }
        new
    }

    /// The number of errors so far.
    pub(super) fn errors(&self) -> usize {
        self.errors
    }

    /// Adds a syntax error.
    pub fn syntax(&mut self, span: Span, message: impl Into<String>) {
        self.add(Finding::new(FindingCode::Syntax, Severity::Error, span, message));
    }

    /// Says that a clause of a declaration could not be read.
    pub(super) fn unread(&mut self, declaration: Symbol, clause: Span) {
        self.unread.push((declaration, clause));
    }

    /// All findings, in the order of the text.
    pub fn finish(mut self) -> Vec<Finding> {
        sort_findings(&mut self.findings, &|a, b| a.span.cmp(&b.span));
        if self.more > 0 {
            let message = format!("{} more findings are not shown", self.more);
            self.findings.push(Finding::new(
                FindingCode::Syntax,
                Severity::Error,
                self.first_of_more,
                message,
            ));
        }
        self.findings
    }
}

/// Whether a character separates words: white space, or the byte-order mark that some editors leave in the text.
pub fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// A finding for a clause that begins at `start` and is nested too deeply at `place`.
pub fn too_deep(start: Span, place: Span) -> Finding {
    let message = format!("nested more than {MAX_DEPTH} levels deep");
    Finding::new(FindingCode::TooDeep, Severity::Error, start, message).related(place, "too deep here")
}

/// The finding for a logical keyword with the wrong number of arguments.
pub(super) fn keyword_arity(word: &str, right: usize, wrong: usize, span: Span) -> Finding {
    let plural = if right == 1 { "argument" } else { "arguments" };
    let message = format!("`{word}` takes {right} {plural}, not {wrong}");
    Finding::new(FindingCode::KeywordArity, Severity::Error, span, message)
}

/// Appends a formula to a conjunction; a conjunction is replaced by its members.
pub(super) fn splice(formula: Formula, body: &mut Vec<Formula>) {
    match formula {
        Formula::And(members, _) => members.into_iter().for_each(|member| splice(member, body)),
        other => body.push(other),
    }
}

/// Whether a clause is at most [`MAX_DEPTH`] deep; reports it if not.
pub fn is_within_depth(clause: &Clause, report: &mut FindingCollector) -> bool {
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
