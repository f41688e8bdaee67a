//! Findings: what is wrong with a rulesheet, or worth mentioning.
//!
//! All stages (readers, validation, simulation) use the same type, and one renderer shows it. Each finding has a stable
//! [`FindingCode`], a severity, a message, a place and, where it helps, a second place and a suggestion.
//! `docs/findings.md` explains every code.

use strum::{Display, IntoStaticStr, VariantArray};

use super::source::Span;
use hyperplay_machine::counted;

/// The severity of a finding, ordered from harmless to fatal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Display)]
#[strum(serialize_all = "lowercase")]
pub enum Severity {
    /// Worth knowing. The text is accepted as it is.
    Note,
    /// Probably not intended. The text is accepted as it is.
    Warning,
    /// Wrong, but repaired as the finding states. The game can be played.
    Fault,
    /// Wrong, so that no game can be made of the text.
    Error,
}

/// The kinds of findings. The stable name of each is that of its variant in lower case, its words joined by `-`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Display, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum FindingCode {
    /// Unexpected or illegal text.
    Syntax,
    /// A parenthesis that closes nothing, or one that is never closed.
    UnbalancedParenthesis,
    /// Nested deeper than the readers accept.
    TooDeep,
    /// Larger than the readers or the normal form accept.
    TooLarge,
    /// A form of another language that the readers accept.
    Dialect,
    /// A keyword with the wrong number of arguments.
    KeywordArity,
    /// A keyword at a place where it has no meaning.
    KeywordMisused,
    /// A clause defines `true` or `does`, or a rule defines `role`.
    ReservedHead,
    /// `role`, `init`, `base`, `input` or `percept` depend on `true` or `does`.
    DependsOnState,
    /// `terminal`, `legal` or `goal` depend on `does`.
    DependsOnDoes,
    /// A variable that no positive atom of the body binds.
    UnsafeVariable,
    /// A ground atom depends on its own negation.
    UnstratifiedNegation,
    /// A relation depends on its own negation, but no ground atom does.
    NegationThroughItself,
    /// A recursion that may build new terms without end.
    UnrestrictedRecursion,
    /// A fact with a variable.
    FactWithVariable,
    /// No role is declared.
    NoRole,
    /// No clause for `terminal`.
    NoTerminal,
    /// No clause for `legal`, or none that a role can match.
    NoLegal,
    /// No clause for `goal`, or none that a role can match.
    NoGoal,
    /// No clause for `init`.
    NoInit,
    /// A role is declared twice.
    DuplicateRole,
    /// A goal value outside 0..=100.
    GoalOutOfRange,
    /// A goal value that is not a whole number.
    GoalNotANumber,
    /// A constant that stands for a role but is not the name of one.
    NotARole,
    /// A relation or function with two arities.
    ArityMismatch,
    /// The role of `legal`, `goal` or `sees` is an unbound variable.
    RoleVariableUnbound,
    /// `sees` is read where no move is made.
    SeesWithoutMove,
    /// A name used both as a function and as a relation.
    FunctionAndRelation,
    /// A relation that nothing reads.
    UnusedRelation,
    /// A relation that nothing defines.
    UndefinedRelation,
    /// A disjunction inside a disjunction or conjunction.
    NestedOr,
    /// A disjunction of no or one formula.
    EmptyOr,
    /// A name in two spellings that differ by capitals.
    Capitalisation,
    /// A character that other tools may not read.
    UnusualCharacter,
    /// A variable that is used once, next to a similar name.
    SingleUseVariable,
    /// A constant where a variable seems to be meant.
    MissingQuestionMark,
    /// A term that `base`, `input` or `percept` do not declare.
    NotDeclared,
    /// A condition that nothing can fulfil.
    ImpossibleCondition,
    /// A fluent that no rule reads.
    UnreadFluent,
    /// A move that no rule reads.
    UnreadMove,
    /// A keyword inside a term.
    KeywordInTerm,
    /// `next` or `legal` in the body of `sees`.
    SeesReadsNext,
    /// `sees` in the body of another rule.
    SeesInBody,
    /// A role without a legal move in a non-terminal state.
    NoLegalMove,
    /// More than one goal value for a role.
    SeveralGoals,
    /// No goal value for a role in a terminal state.
    MissingGoal,
    /// A match that did not end within the limit.
    NoTermination,
    /// A fluent met in play that `base` does not declare.
    NotInBase,
    /// A legal move met in play that `input` does not declare.
    NotInInput,
    /// A percept met in play that `percept` does not declare.
    NotInPercept,
    /// The evaluation of the rules exceeds a limit.
    EvaluationLimit,
    /// Whether every role can always move.
    Playable,
    /// Whether every role can reach its best goal with the help of the others.
    WeaklyWinnable,
    /// Whether some role can reach its best goal alone.
    StronglyWinnable,
    /// SIDL: a branching whose operations are not as many as its switch's aliases or its chance's weights.
    BranchingLength,
    /// SIDL: a distribution that is none.
    Distribution,
    /// SIDL: an identifier that no switch or chance has.
    UnknownSwitch,
    /// SIDL: a setting that a switch does not have.
    UnknownAlias,
    /// SIDL: something that is declared twice.
    DuplicateDeclaration,
    /// SIDL: an agent without an account.
    NoAccount,
    /// SIDL: a switch without a first setting.
    UnsetSwitch,
    /// SIDL: a number that no state can hold.
    NumberOutOfRange,
    /// SIDL: something else where a number must stand.
    NotANumber,
    /// SIDL: a test behind an effect of its operation.
    TestAfterEffect,
    /// SIDL: a range of balances that is none.
    BalanceRange,
}

impl FindingCode {
    /// Every code, in the order of `FindingCode`.
    pub const ALL: &'static [FindingCode] = FindingCode::VARIANTS;

    /// The stable name, as in `unsafe-variable`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A statement about one place of a rulesheet.
///
/// ```
/// use hyperplay_logic::gdl::{Finding, FindingCode, Span};
///
/// let finding = Finding::fault(FindingCode::DuplicateRole, Span::new(9, 17), "`x` is a role already")
///     .related(Span::new(0, 8), "the first time")
///     .help("remove it");
/// assert_eq!(finding.help.as_deref(), Some("remove it"));
/// assert_eq!(finding.code.to_string(), "duplicate-role");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The kind of the finding.
    pub code: FindingCode,
    /// The severity.
    pub severity: Severity,
    /// One sentence that begins in lower case and contains the names that it is about.
    pub message: String,
    /// The place in the text.
    pub span: Span,
    /// A second place, with a label that explains its relation to the first.
    pub related: Option<(Span, String)>,
    /// A suggestion for the author, or the repair that has been made.
    pub help: Option<String>,
}

impl Finding {
    /// A finding with neither a second place nor a suggestion.
    pub fn new(code: FindingCode, severity: Severity, span: Span, message: impl Into<String>) -> Self {
        Finding { code, severity, message: message.into(), span, related: None, help: None }
    }

    /// What makes a game impossible.
    pub fn error(code: FindingCode, span: Span, message: impl Into<String>) -> Self {
        Finding::new(code, Severity::Error, span, message)
    }

    /// Text that cannot be read.
    pub fn syntax(span: Span, message: impl Into<String>) -> Self {
        Finding::error(FindingCode::Syntax, span, message)
    }

    /// What is wrong and has been repaired, as the help says.
    pub fn fault(code: FindingCode, span: Span, message: impl Into<String>) -> Self {
        Finding::new(code, Severity::Fault, span, message)
    }

    /// What is probably not intended.
    pub fn warning(code: FindingCode, span: Span, message: impl Into<String>) -> Self {
        Finding::new(code, Severity::Warning, span, message)
    }

    /// What is worth knowing.
    pub fn note(code: FindingCode, span: Span, message: impl Into<String>) -> Self {
        Finding::new(code, Severity::Note, span, message)
    }

    /// The finding with a second place.
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.set_related(span, label);
        self
    }

    /// The finding with a suggestion.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.set_help(help);
        self
    }

    /// Gives the finding a second place.
    pub fn set_related(&mut self, span: Span, label: impl Into<String>) -> &mut Self {
        self.related = Some((span, label.into()));
        self
    }

    /// Gives the finding a suggestion.
    pub fn set_help(&mut self, help: impl Into<String>) {
        self.help = Some(help.into());
    }

    /// The finding with a suggestion, where there is one.
    pub fn help_if(self, help: Option<impl Into<String>>) -> Self {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }
}

/// The finding for a logical keyword with the wrong number of arguments.
pub(super) fn keyword_arity(word: &str, right: usize, wrong: usize, span: Span) -> Finding {
    let message = format!("`{word}` takes {}, not {wrong}", counted(right as u64, "argument"));
    Finding::error(FindingCode::KeywordArity, span, message)
}

/// Orders findings by place, at the same place the worst first, and removes duplicates.
pub fn sort(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|a, b| {
        let key = |a: &Finding, b: &Finding| (a.span.start, b.severity, a.code, a.span.end);
        key(a, b).cmp(&key(b, a)).then_with(|| a.message.cmp(&b.message))
    });
    findings.dedup_by(|a, b| a.code == b.code && a.span == b.span && a.message == b.message);
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_code_is_that_of_its_variant() {
        assert_eq!(FindingCode::GoalNotANumber.as_str(), "goal-not-a-number");
        assert_eq!(FindingCode::ALL.len(), FindingCode::BalanceRange as usize + 1);
    }
}
