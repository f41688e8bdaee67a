//! Game: a validated rulesheet.
//!
//! The only way to a `Game` is validation without an error finding. Its rules are in the normal form of
//! [`Rule`](super::Rule) with the stated repairs made (an unbound role variable ranges over the roles), so the stages
//! below evaluate it as it stands.

use std::sync::Arc;

use super::rule::Rule;
use super::store::{TermId, TermStore};
use super::symbol::Symbol;

/// A validated rulesheet; cheap to clone.
#[derive(Clone, Debug)]
pub struct Game {
    pub(super) name: Arc<str>,
    pub(super) rules: Arc<[Rule]>,
    pub(super) roles: Arc<[TermId]>,
    pub(super) terms: Arc<TermStore>,
    pub(super) imperfect: bool,
}

impl Game {
    /// The name of the source it came from.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The rules, in the order of the text; a clause with disjunctions gives several.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The roles in the order of the text.
    pub fn roles(&self) -> &[TermId] {
        &self.roles
    }

    /// The ground terms, shared by every engine of this game.
    pub fn terms(&self) -> &Arc<TermStore> {
        &self.terms
    }

    /// Whether the game is a GDL-II game: it has `sees` rules or the role `random`. Otherwise every role perceives
    /// the whole joint move.
    pub fn is_imperfect(&self) -> bool {
        self.imperfect
    }

    /// The position of the role `random`, if there is one.
    pub fn random(&self) -> Option<usize> {
        self.roles.iter().position(|&role| {
            self.terms.functor(role) == Symbol::RANDOM && self.terms.arguments(role).is_empty()
        })
    }
}
