//! Loading: from a text to a game in one call, with all findings.
//!
//! Loading reads a text and validates the result. The findings of both steps are in one list, ordered by place; at
//! the same place the worst comes first, and no finding is listed twice. A text with syntax errors gives no game. The
//! clauses that could be read are validated all the same, except for the checks that would only report the missing
//! ones.

use super::finding::sort;
use super::validate::{ignore_unread, validate};
use super::{Finding, Game, Rulesheet, Severity, Source, Syntax};

/// The result of loading a text.
///
/// ```
/// use hyperplay_logic::gdl::{Game, Loaded, Severity, Source, Syntax, load};
///
/// let text = "role(x). init(s). legal(x, noop). goal(x, 100). terminal :- true(s). helper.";
/// let Loaded { rulesheet, findings, game } = load(Source::new("tiny.gdl", text), None);
/// assert_eq!(rulesheet.syntax, Syntax::Infix);
/// // Nothing reads the relation `helper`, but that is only a warning.
/// assert_eq!(findings[0].severity, Severity::Warning);
/// assert_eq!(game.as_ref().map(Game::name), Some("tiny.gdl"));
/// ```
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The clauses that could be read.
    pub rulesheet: Rulesheet,
    /// All findings, ordered by place.
    pub findings: Vec<Finding>,
    /// The game. It is `None` if and only if some finding is an error.
    pub game: Option<Game>,
}

/// Reads and validates a text. If no syntax is given, it is recognised from the first lines, as [`read`](super::read())
/// does. The time is linear in the size of the rulesheet, up to logarithms. The example is at [`Loaded`].
pub fn load(source: Source, syntax: Option<Syntax>) -> Loaded {
    let (rulesheet, mut findings) = super::read(source, syntax);
    ignore_unread(&rulesheet, &mut findings);
    let is_complete = !findings.iter().any(|finding| finding.severity == Severity::Error);
    let (more, game) = validate(&rulesheet, is_complete);
    findings.extend(more);
    Loaded { rulesheet, findings: sort(findings), game: game.filter(|_| is_complete) }
}
