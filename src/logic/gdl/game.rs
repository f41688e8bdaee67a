//! Games: validated rulesheets.
//!
//! A `Game` is made only by a validation that finds no error. Its rules are in the normal form of [`Rule`]. The repairs
//! that the findings announce have been made (an unbound role variable ranges over the roles), so later stages evaluate
//! the rules as they are. A game keeps its rulesheet, so that a rule can be shown as its author wrote it.

use std::sync::Arc;

use super::{Finding, Rule, Rulesheet, Source, Span, Syntax, fold, print, print_term, rules_hash};
use hyperplay_machine::terms::{Symbol, TermId, TermStore};
use hyperplay_machine::{ByRole, GameSetup, Role};

/// The language in which a game is described.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Language {
    /// GDL and GDL-II: the rules of the game are [`Game::rules`].
    Gdl,
    /// SIDL: there are no rules; the program is in the crate of that language.
    Sidl,
}

/// A validated rulesheet. Cloning it is cheap, because the parts are shared.
///
/// ```
/// use hyperplay_logic::gdl::{Source, Syntax, load};
///
/// let text = "(role white) (role random)
///     (<= (legal ?r noop) (role ?r))
///     (<= (sees white ?m) (does random ?m))
///     (goal white 100) terminal";
/// let game = load(Source::new("tiny.kif", text), None).game.unwrap();
///
/// let roles = game.role_names();
/// assert_eq!(roles, ["white", "random"]);
/// assert_eq!(game.random(), Some(1));
/// assert!(game.is_imperfect() && game.faults().is_empty());
/// assert_eq!(game.name(), "tiny.kif");
/// let rule = &game.rules()[2];
/// assert_eq!(game.source().slice(game.rule_span(rule)), "(<= (legal ?r noop) (role ?r))");
///
/// let game = load(Source::new("tiny.gdl", "role(white) legal(white, go(1, 2)) goal(white, 100) terminal"), None).game;
/// let game = game.unwrap();
/// let going = game.terms().read("(go 1 2)").unwrap();
/// assert_eq!((game.syntax(), game.show(going).as_str()), (Syntax::Infix, "go(1, 2)"));
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    pub(super) sheet: Arc<Rulesheet>,
    pub(super) rules: Arc<[Rule]>,
    pub(super) roles: Arc<[TermId]>,
    pub(super) terms: Arc<TermStore>,
    pub(super) imperfect: bool,
    pub(super) faults: Arc<[Finding]>,
    pub(super) language: Language,
    pub(super) horizon: Option<u32>,
}

impl Game {
    /// The name of the source that the game came from.
    pub fn name(&self) -> &str {
        self.sheet.source.name()
    }

    /// The text that the game came from.
    pub fn source(&self) -> &Source {
        &self.sheet.source
    }

    /// The rulesheet as it was written.
    pub fn rulesheet(&self) -> &Rulesheet {
        &self.sheet
    }

    /// The hash of the rules, in which neither comments nor case nor the syntax matter.
    pub fn rules_hash(&self) -> String {
        rules_hash(&print(&self.sheet, Syntax::Kif))
    }

    /// The language of the text.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The game that ends after `chronons` chronons at the latest. Without a meaning in GDL, whose games end by their
    /// rules.
    pub fn with_horizon(self, chronons: Option<u32>) -> Game {
        Game { horizon: chronons, ..self }
    }

    /// The chronons after which the game ends at the latest, if there is a limit.
    pub fn horizon(&self) -> Option<u32> {
        self.horizon
    }

    /// The game of a text in SIDL, of which all but the terms is in its rulesheet. This is the only way to a game
    /// beside the validation of rules: the reader of SIDL has checked the text.
    pub fn of_interaction(
        sheet: Rulesheet,
        terms: TermStore,
        roles: Vec<TermId>,
        faults: Vec<Finding>,
    ) -> Game {
        Game {
            sheet: Arc::new(sheet),
            rules: Arc::new([]),
            roles: roles.into(),
            terms: Arc::new(terms),
            imperfect: true,
            faults: faults.into(),
            language: Language::Sidl,
            horizon: None,
        }
    }

    /// The syntax of the text that the game came from.
    pub fn syntax(&self) -> Syntax {
        self.sheet.syntax
    }

    /// A term of the store in the syntax of the text.
    pub fn show(&self, term: TermId) -> String {
        match self.syntax() {
            Syntax::Kif => self.terms.show(term),
            Syntax::Infix => print_term(&self.terms.term(term), self.terms.symbols(), Syntax::Infix),
        }
    }

    /// The rules, in the order of the text. A clause with disjunctions gives several rules.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The place of the clause that a rule came from.
    pub fn rule_span(&self, rule: &Rule) -> Span {
        self.sheet.clauses[rule.clause].at.0
    }

    /// The roles, in the order of the text: 1 to 255 different terms.
    pub fn roles(&self) -> &[TermId] {
        &self.roles
    }

    /// Their names.
    pub fn role_names(&self) -> Vec<String> {
        self.roles.iter().map(|&role| self.terms.show(role)).collect()
    }

    /// The names of the roles that somebody can play: all but `random`.
    pub fn played_names(&self) -> Vec<String> {
        let mut names = self.role_names();
        self.random().map(|random| names.remove(random));
        names
    }

    /// The position of the role with this name, ignoring case.
    pub fn role_named(&self, name: &str) -> Option<usize> {
        self.role_names().iter().position(|role| fold(role) == fold(name))
    }

    /// The store of ground terms, which all engines of this game share.
    pub fn terms(&self) -> &Arc<TermStore> {
        &self.terms
    }

    /// Whether the game is a GDL-II game, which means that it has `sees` rules or the role `random`. Otherwise every
    /// role perceives the whole joint move.
    pub fn is_imperfect(&self) -> bool {
        self.imperfect
    }

    /// The faults that validation has found and repaired. The laws of the machine hold for a game without faults.
    pub fn faults(&self) -> &[Finding] {
        &self.faults
    }

    /// The knowledge of every machine of the game before any step, with the state in which it begins.
    pub fn setup<S>(&self, initial: S) -> GameSetup<S> {
        let (terms, roles) = (Arc::clone(self.terms()), ByRole::new(self.role_names()));
        GameSetup { terms, roles, random: self.random().map(Role::new), initial }
    }

    /// The position of the role `random` among [`Game::roles`], if the game has this role.
    pub fn random(&self) -> Option<usize> {
        self.roles.iter().position(|&role| {
            self.terms.functor(role) == Symbol::RANDOM && self.terms.arguments(role).is_empty()
        })
    }
}
