//! Game: a validated rulesheet.
//!
//! The only way to a `Game` is validation without an error finding. Its rules are in the normal form of
//! [`Rule`] with the stated repairs made (an unbound role variable ranges over the roles), so the stages
//! below evaluate it as it stands. It keeps the rulesheet, so that a rule can be shown as it was written.

use std::sync::Arc;

use super::finding::Finding;
use super::rule::Rule;
use super::rulesheet::Rulesheet;
use super::source::{Source, Span};
use super::store::{TermId, TermStore};
use super::symbol::Symbol;

/// A validated rulesheet; cheap to clone.
#[derive(Clone, Debug)]
pub struct Game {
    pub(super) sheet: Arc<Rulesheet>,
    pub(super) rules: Arc<[Rule]>,
    pub(super) roles: Arc<[TermId]>,
    pub(super) terms: Arc<TermStore>,
    pub(super) imperfect: bool,
    pub(super) faults: Arc<[Finding]>,
}

impl Game {
    /// The name of the source it came from.
    pub fn name(&self) -> &str {
        self.sheet.source.name()
    }

    /// The text it came from.
    pub fn source(&self) -> &Source {
        &self.sheet.source
    }

    /// The rules, in the order of the text; a clause with disjunctions gives several.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The place of the clause that a rule came from.
    pub fn rule_span(&self, rule: &Rule) -> Span {
        self.sheet.clauses[rule.clause].at.0
    }

    /// The clause that a rule came from, as written.
    pub fn rule_text(&self, rule: &Rule) -> &str {
        self.sheet.source.slice(self.rule_span(rule))
    }

    /// The line on which the clause of a rule begins, from 1. O(text).
    pub fn rule_line(&self, rule: &Rule) -> usize {
        self.sheet.source.line_column(self.rule_span(rule).start).0
    }

    /// The roles in the order of the text.
    pub fn roles(&self) -> &[TermId] {
        &self.roles
    }

    /// The ground terms, shared by every engine of this game.
    pub fn terms(&self) -> &Arc<TermStore> {
        &self.terms
    }

    /// Whether the game is a GDL-II game: it has `sees` rules or the role `random`. Otherwise every role
    /// perceives the whole joint move.
    pub fn is_imperfect(&self) -> bool {
        self.imperfect
    }

    /// Whether the rules say anything of `relation`, as `base`, `input` and `percept` may or may not be
    /// declared.
    pub fn defines(&self, relation: Symbol) -> bool {
        self.sheet.clauses.iter().any(|clause| clause.head.relation == relation)
    }

    /// The faults that validation found and repaired; the laws of the machine hold for a game without any.
    pub fn faults(&self) -> &[Finding] {
        &self.faults
    }

    /// The position of the role `random`, if there is one.
    pub fn random(&self) -> Option<usize> {
        self.roles.iter().position(|&role| {
            self.terms.functor(role) == Symbol::RANDOM && self.terms.arguments(role).is_empty()
        })
    }
}
