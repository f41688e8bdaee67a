//! Findings: what is wrong, or worth saying, about a rulesheet.
//!
//! One type for all stages (readers, validation, simulation), one renderer. Each finding has a stable [`Code`], a
//! severity, a sentence, a place and, where it helps, a second place and a suggestion. `docs/findings.md` explains
//! every code.

use std::fmt;

use super::source::Span;

/// How bad a finding is; the order is from harmless to fatal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Worth knowing; accepted as it is.
    Note,
    /// Probably not meant.
    Warning,
    /// Wrong, with a stated repair: the game is played all the same.
    Fault,
    /// No game can be made of the text.
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

/// The stable names of all findings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Code {
    /// Unexpected or illegal text.
    Syntax,
    /// A parenthesis too many, or one never closed.
    UnbalancedParenthesis,
    /// Nested deeper than the readers accept.
    TooDeep,
    /// Larger than the readers or the normal form accept.
    TooLarge,
    /// A word of the language with the wrong number of arguments.
    KeywordArity,
    /// A word of the language where it cannot be meant.
    KeywordMisused,
    /// A clause defines `true` or `does`, or a rule defines `role`.
    ReservedHead,
    /// `role`, `init`, `base`, `input` or `percept` depend on `true` or `does`.
    DependsOnState,
    /// `terminal`, `legal` or `goal` depend on `does`.
    DependsOnDoes,
    /// A variable that no positive atom of the body binds.
    UnsafeVariable,
    /// A relation depends on its own negation.
    UnstratifiedNegation,
    /// A recursion that may build new terms for ever.
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
    /// A role is declared twice.
    DuplicateRole,
    /// A goal value outside 0..=100.
    GoalOutOfRange,
    /// A goal value that is not a whole number.
    GoalNotANumber,
    /// A constant stands for a role but names none.
    NotARole,
    /// A relation or function with two arities.
    ArityMismatch,
    /// The role of `legal`, `goal` or `sees` is an unbound variable.
    RoleVariableUnbound,
    /// `sees` is read where no move is being made.
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
    /// A variable used once, beside a name much like it.
    SingleUseVariable,
    /// A constant where a variable seems meant.
    MissingQuestionMark,
    /// A term that `base`, `input` or `percept` do not declare.
    NotDeclared,
    /// A word of the language inside a term.
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
    /// The rules derive more than the evaluation limit.
    EvaluationLimit,
    /// Whether every role can always move.
    Playable,
    /// Whether every role can reach its best goal with the help of the others.
    WeaklyWinnable,
    /// Whether some role can reach its best goal alone.
    StronglyWinnable,
}

impl Code {
    /// Every code with its stable name (lower case, words joined by `-`), in the order of `Code`.
    pub const ALL: [(Code, &'static str); 48] = [
        (Code::Syntax, "syntax"),
        (Code::UnbalancedParenthesis, "unbalanced-parenthesis"),
        (Code::TooDeep, "too-deep"),
        (Code::TooLarge, "too-large"),
        (Code::KeywordArity, "keyword-arity"),
        (Code::KeywordMisused, "keyword-misused"),
        (Code::ReservedHead, "reserved-head"),
        (Code::DependsOnState, "depends-on-state"),
        (Code::DependsOnDoes, "depends-on-does"),
        (Code::UnsafeVariable, "unsafe-variable"),
        (Code::UnstratifiedNegation, "unstratified-negation"),
        (Code::UnrestrictedRecursion, "unrestricted-recursion"),
        (Code::FactWithVariable, "fact-with-variable"),
        (Code::NoRole, "no-role"),
        (Code::NoTerminal, "no-terminal"),
        (Code::NoLegal, "no-legal"),
        (Code::NoGoal, "no-goal"),
        (Code::DuplicateRole, "duplicate-role"),
        (Code::GoalOutOfRange, "goal-out-of-range"),
        (Code::GoalNotANumber, "goal-not-a-number"),
        (Code::NotARole, "not-a-role"),
        (Code::ArityMismatch, "arity-mismatch"),
        (Code::RoleVariableUnbound, "role-variable-unbound"),
        (Code::SeesWithoutMove, "sees-without-move"),
        (Code::FunctionAndRelation, "function-and-relation"),
        (Code::UnusedRelation, "unused-relation"),
        (Code::UndefinedRelation, "undefined-relation"),
        (Code::NestedOr, "nested-or"),
        (Code::EmptyOr, "empty-or"),
        (Code::Capitalisation, "capitalisation"),
        (Code::UnusualCharacter, "unusual-character"),
        (Code::SingleUseVariable, "single-use-variable"),
        (Code::MissingQuestionMark, "missing-question-mark"),
        (Code::NotDeclared, "not-declared"),
        (Code::KeywordInTerm, "keyword-in-term"),
        (Code::SeesReadsNext, "sees-reads-next"),
        (Code::SeesInBody, "sees-in-body"),
        (Code::NoLegalMove, "no-legal-move"),
        (Code::SeveralGoals, "several-goals"),
        (Code::MissingGoal, "missing-goal"),
        (Code::NoTermination, "no-termination"),
        (Code::NotInBase, "not-in-base"),
        (Code::NotInInput, "not-in-input"),
        (Code::NotInPercept, "not-in-percept"),
        (Code::EvaluationLimit, "evaluation-limit"),
        (Code::Playable, "playable"),
        (Code::WeaklyWinnable, "weakly-winnable"),
        (Code::StronglyWinnable, "strongly-winnable"),
    ];

    /// The stable name, as in `unsafe-variable`.
    pub fn as_str(self) -> &'static str {
        Code::ALL[self as usize].1
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One thing to say about a rulesheet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Its stable name.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence, lower case, with the names it is about.
    pub message: String,
    /// The place.
    pub span: Span,
    /// A second place, with what it has to do with the first.
    pub related: Option<(Span, String)>,
    /// What to do about it, or the repair that the engines make.
    pub help: Option<String>,
}

impl Finding {
    /// A finding with neither a second place nor a suggestion.
    pub fn new(code: Code, severity: Severity, span: Span, message: impl Into<String>) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_own_name() {
        for (position, (code, name)) in Code::ALL.into_iter().enumerate() {
            assert_eq!(code as usize, position);
            assert_eq!(Code::ALL.iter().filter(|(_, other)| *other == name).count(), 1);
        }
    }
}
