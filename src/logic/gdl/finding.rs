//! Findings: what is wrong with a rulesheet, or worth mentioning.
//!
//! All stages (readers, validation, simulation) use the same type, and one renderer shows it. Each finding has a stable
//! [`FindingCode`], a severity, a message, a place and, where it helps, a second place and a suggestion.
//! `docs/findings.md` explains every code.

use std::cmp::Ordering;
use std::fmt;

use super::source::Span;

/// The severity of a finding, ordered from harmless to fatal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
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

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Fault => "fault",
            Severity::Error => "error",
        })
    }
}

/// The kinds of findings, each with a stable name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
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
    /// Every code with its stable name (lower case, words joined by `-`), in the order of `FindingCode`.
    pub const ALL: [(FindingCode, &'static str); 65] = [
        (FindingCode::Syntax, "syntax"),
        (FindingCode::UnbalancedParenthesis, "unbalanced-parenthesis"),
        (FindingCode::TooDeep, "too-deep"),
        (FindingCode::TooLarge, "too-large"),
        (FindingCode::Dialect, "dialect"),
        (FindingCode::KeywordArity, "keyword-arity"),
        (FindingCode::KeywordMisused, "keyword-misused"),
        (FindingCode::ReservedHead, "reserved-head"),
        (FindingCode::DependsOnState, "depends-on-state"),
        (FindingCode::DependsOnDoes, "depends-on-does"),
        (FindingCode::UnsafeVariable, "unsafe-variable"),
        (FindingCode::UnstratifiedNegation, "unstratified-negation"),
        (FindingCode::NegationThroughItself, "negation-through-itself"),
        (FindingCode::UnrestrictedRecursion, "unrestricted-recursion"),
        (FindingCode::FactWithVariable, "fact-with-variable"),
        (FindingCode::NoRole, "no-role"),
        (FindingCode::NoTerminal, "no-terminal"),
        (FindingCode::NoLegal, "no-legal"),
        (FindingCode::NoGoal, "no-goal"),
        (FindingCode::NoInit, "no-init"),
        (FindingCode::DuplicateRole, "duplicate-role"),
        (FindingCode::GoalOutOfRange, "goal-out-of-range"),
        (FindingCode::GoalNotANumber, "goal-not-a-number"),
        (FindingCode::NotARole, "not-a-role"),
        (FindingCode::ArityMismatch, "arity-mismatch"),
        (FindingCode::RoleVariableUnbound, "role-variable-unbound"),
        (FindingCode::SeesWithoutMove, "sees-without-move"),
        (FindingCode::FunctionAndRelation, "function-and-relation"),
        (FindingCode::UnusedRelation, "unused-relation"),
        (FindingCode::UndefinedRelation, "undefined-relation"),
        (FindingCode::NestedOr, "nested-or"),
        (FindingCode::EmptyOr, "empty-or"),
        (FindingCode::Capitalisation, "capitalisation"),
        (FindingCode::UnusualCharacter, "unusual-character"),
        (FindingCode::SingleUseVariable, "single-use-variable"),
        (FindingCode::MissingQuestionMark, "missing-question-mark"),
        (FindingCode::NotDeclared, "not-declared"),
        (FindingCode::ImpossibleCondition, "impossible-condition"),
        (FindingCode::UnreadFluent, "unread-fluent"),
        (FindingCode::UnreadMove, "unread-move"),
        (FindingCode::KeywordInTerm, "keyword-in-term"),
        (FindingCode::SeesReadsNext, "sees-reads-next"),
        (FindingCode::SeesInBody, "sees-in-body"),
        (FindingCode::NoLegalMove, "no-legal-move"),
        (FindingCode::SeveralGoals, "several-goals"),
        (FindingCode::MissingGoal, "missing-goal"),
        (FindingCode::NoTermination, "no-termination"),
        (FindingCode::NotInBase, "not-in-base"),
        (FindingCode::NotInInput, "not-in-input"),
        (FindingCode::NotInPercept, "not-in-percept"),
        (FindingCode::EvaluationLimit, "evaluation-limit"),
        (FindingCode::Playable, "playable"),
        (FindingCode::WeaklyWinnable, "weakly-winnable"),
        (FindingCode::StronglyWinnable, "strongly-winnable"),
        (FindingCode::BranchingLength, "branching-length"),
        (FindingCode::Distribution, "distribution"),
        (FindingCode::UnknownSwitch, "unknown-switch"),
        (FindingCode::UnknownAlias, "unknown-alias"),
        (FindingCode::DuplicateDeclaration, "duplicate-declaration"),
        (FindingCode::NoAccount, "no-account"),
        (FindingCode::UnsetSwitch, "unset-switch"),
        (FindingCode::NumberOutOfRange, "number-out-of-range"),
        (FindingCode::NotANumber, "not-a-number"),
        (FindingCode::TestAfterEffect, "test-after-effect"),
        (FindingCode::BalanceRange, "balance-range"),
    ];

    /// The stable name, as in `unsafe-variable`.
    pub fn as_str(self) -> &'static str {
        FindingCode::ALL[self as usize].1
    }
}

impl fmt::Display for FindingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A statement about one place of a rulesheet.
///
/// ```
/// use hyperplay_logic::gdl::{Finding, FindingCode, Severity, Span};
///
/// let finding = Finding::new(FindingCode::DuplicateRole, Severity::Fault, Span::new(9, 17), "`x` is a role already")
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

    /// The finding with a second place.
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related = Some((span, label.into()));
        self
    }

    /// The finding with a suggestion.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Sorts findings stably. The order is passed as a trait object, so that the sort is compiled once.
pub(super) fn sort_findings(findings: &mut [Finding], order: &dyn Fn(&Finding, &Finding) -> Ordering) {
    findings.sort_by(order);
}

/// The finding for a logical keyword with the wrong number of arguments.
pub(super) fn keyword_arity(word: &str, right: usize, wrong: usize, span: Span) -> Finding {
    let plural = if right == 1 { "argument" } else { "arguments" };
    let message = format!("`{word}` takes {right} {plural}, not {wrong}");
    Finding::new(FindingCode::KeywordArity, Severity::Error, span, message)
}

/// Orders findings by place, at the same place the worst first, and removes duplicates.
pub fn sort(mut findings: Vec<Finding>) -> Vec<Finding> {
    sort_findings(&mut findings, &|a, b| {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_own_name() {
        for (position, (code, name)) in FindingCode::ALL.into_iter().enumerate() {
            assert_eq!(code as usize, position);
            assert_eq!(FindingCode::ALL.iter().filter(|(_, other)| *other == name).count(), 1);
        }
    }
}
