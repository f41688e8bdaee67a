//! Load: from a text to a game in one call, with everything that is to be said about it.
//!
//! Reading and validation, their findings in one list: by place, at one place the worst first, none twice. A
//! text with syntax errors gives no game, but what could be read of it is checked all the same, without the
//! checks that would only echo the missing part.

use super::finding::{Finding, Severity};
use super::game::Game;
use super::rulesheet::{Rulesheet, Syntax};
use super::source::Source;
use super::validate::validate_partly;

/// What became of a text.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What could be read.
    pub rulesheet: Rulesheet,
    /// All findings, by place.
    pub findings: Vec<Finding>,
    /// The game; there is one unless a finding is an error.
    pub game: Option<Game>,
}

impl Loaded {
    /// The worst severity of the findings; `None` if there are none.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

/// Reads and validates a text, its syntax sniffed unless given.
pub fn load(source: Source, syntax: Option<Syntax>) -> Loaded {
    let (rulesheet, mut findings) = super::read(source, syntax);
    let whole = !findings.iter().any(|finding| finding.severity == Severity::Error);
    let (more, game) = validate_partly(&rulesheet, whole);
    findings.extend(more);
    Loaded { rulesheet, findings: sort(findings), game: game.filter(|_| whole) }
}

/// By place, the worst first, none twice.
pub(super) fn sort(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|a, b| {
        (a.span.start, b.severity, a.code, a.span.end, &a.message).cmp(&(
            b.span.start,
            a.severity,
            b.code,
            b.span.end,
            &b.message,
        ))
    });
    findings.dedup_by(|a, b| a.code == b.code && a.span == b.span && a.message == b.message);
    findings
}
