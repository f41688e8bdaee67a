//! The findings of a reader, collected up to a limit of their number.

use super::dialect::Dialect;
use super::{Finding, FindingCode, Severity, Span};
use hyperplay_machine::terms::Symbol;

/// The number of findings that a reader reports one by one.
const MAX_FINDINGS: usize = 100;

/// The findings of one reader, up to the limit of their number.
#[derive(Default)]
pub struct FindingCollector {
    findings: Vec<Finding>,
    /// The clauses of declarations that could not be read.
    pub(super) unread: Vec<(Symbol, Span)>,
    more: usize,
    first_of_more: Span,
    /// The number of errors so far.
    pub(super) errors: usize,
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

    /// Says that a form is read, unless this has been said before. `help` says how the language writes it.
    pub(super) fn dialect(&mut self, form: Dialect, span: Span, help: impl FnOnce() -> String) {
        if !self.dialects.contains(&form) {
            self.dialects.push(form);
            self.add(Finding::note(FindingCode::Dialect, span, form.to_string()).help(help()));
        }
    }

    /// Adds a syntax error.
    pub fn syntax(&mut self, span: Span, message: impl Into<String>) {
        self.add(Finding::syntax(span, message));
    }

    /// All findings, in the order of the text.
    pub fn finish(mut self) -> Vec<Finding> {
        self.findings.sort_by_key(|finding| finding.span);
        if self.more > 0 {
            let message = format!("{} more findings are not shown", self.more);
            self.findings.push(Finding::syntax(self.first_of_more, message));
        }
        self.findings
    }
}
