//! A second evaluator of GDL-II, deliberately naive, for comparison with the engines.
//!
//! It shares only the reader with the engines: terms are boxed trees over names, a state is a set of terms, rules are
//! evaluated bottom-up over whole relations by nested loops, and formulas are kept as trees, as they were written.
//! Relations that depend on no state are derived once for each game, those that depend on the state once for each
//! state, and the rest once for each step.
//!
//! The definitions are those of GDL-II (Thielscher 2011, section 3), with the stated repairs: a role variable of a head
//! `legal`, `goal` or `sees` that nothing binds ranges over the roles; of several goals the first in the order of the
//! rules counts, none counts as 0, one out of range as the nearest in range; where no move is being made `does` is
//! empty; a name with several arities is several relations; a negation with a free variable says that there is none; a head
//! variable that nothing binds ranges over the constants of the text, which is more than its relation is asked; nobody
//! plays a role that is not declared. In a game without `sees` and `random` every role perceives `(did role move)` for the whole joint move.
#![allow(missing_docs, clippy::unwrap_used, reason = "a part of the tests, which may panic")]

pub mod cfr;
pub mod chronon;
pub mod generate;
pub mod grouped;
pub mod lockstep;
mod rules;
mod solve;
mod term;

use std::collections::BTreeSet;
use std::rc::Rc;

use hyperplay_logic::gdl::Rulesheet;

use rules::Rules;
use solve::{Extents, Row};
pub use term::Term;

/// The fluents that hold.
pub type State = BTreeSet<Term>;

/// A rulesheet as a game.
pub struct Naive {
    rules: Rules,
    roles: Vec<Term>,
    imperfect: bool,
    /// What depends on no state.
    fixed: Extents,
}

impl Naive {
    /// The game of a rulesheet that validation found no error in.
    pub fn new(sheet: &Rulesheet) -> Naive {
        let rules = Rules::new(sheet);
        let mut fixed = Extents::new(&rules);
        let role = rules.relation("role");
        fixed.derive(&rules, &[], |relation| relation == role);
        let roles: Vec<Term> = fixed.rows(role).iter().map(|row| row[0].clone()).collect();
        let sees = rules.relation("sees");
        let imperfect = rules.clauses.iter().any(|clause| clause.head.relation == sees)
            || roles.contains(&Term::Name("random".into()));
        let needed = reached(&rules, &["init", "legal", "next", "sees", "goal", "terminal"]);
        let naive = Naive { rules, roles, imperfect, fixed };
        let mut fixed = naive.fixed.clone();
        fixed.derive(&naive.rules, &naive.roles, |relation| {
            needed.contains(&relation) && !naive.depends(relation, "true") && !naive.depends(relation, "does")
        });
        Naive { fixed, ..naive }
    }

    /// The roles in the order of the text.
    pub fn roles(&self) -> &[Term] {
        &self.roles
    }

    /// The state in which the game begins.
    pub fn initial(&self) -> State {
        self.fixed.rows(self.rules.relation("init")).iter().map(|row| row[0].clone()).collect()
    }

    /// What follows from a state, no move being made.
    pub fn at(&self, state: &State) -> View<'_> {
        let mut extents = self.fixed.clone();
        extents.set(self.rules.relation("true"), state.iter().map(|fluent| Row::from([fluent.clone()])));
        let needed = reached(&self.rules, &["legal", "goal", "terminal"]);
        let keywords = [self.rules.relation("true"), self.rules.relation("does")];
        let needed_later = reached(&self.rules, &["next", "sees"]);
        extents.derive(&self.rules, &self.roles, |relation| {
            let of_step = self.depends(relation, "does");
            !keywords.contains(&relation)
                && (self.depends(relation, "true") || of_step)
                && (needed.contains(&relation) || !of_step && needed_later.contains(&relation))
        });
        View { game: self, extents }
    }

    /// The tuples that `base` or `input` declares.
    pub fn declared(&self, keyword: &str) -> Vec<Vec<Term>> {
        let mut extents = Extents::new(&self.rules);
        let reach = &self.rules.reach[self.rules.relation(keyword)];
        extents.derive(&self.rules, &self.roles, |relation| reach.contains(&relation));
        extents.rows(self.rules.relation(keyword)).iter().map(|row| row.to_vec()).collect()
    }

    fn depends(&self, relation: usize, keyword: &str) -> bool {
        self.rules.reach[relation].contains(&self.rules.relation(keyword))
    }
}

/// What some words of the language depend on.
fn reached(rules: &Rules, words: &[&str]) -> BTreeSet<usize> {
    words.iter().flat_map(|word| rules.reach[rules.relation(word)].iter().copied()).collect()
}

/// A state and what follows from it.
pub struct View<'a> {
    game: &'a Naive,
    extents: Extents,
}

impl View<'_> {
    /// Whether the game is over.
    pub fn terminal(&self) -> bool {
        !self.extents.rows(self.game.rules.relation("terminal")).is_empty()
    }

    /// The legal moves of a role.
    pub fn legal(&self, role: usize) -> BTreeSet<Term> {
        self.of_role(&self.extents, "legal", role).collect()
    }

    /// The goal of a role.
    pub fn goal(&self, role: usize) -> i64 {
        let first = self.of_role(&self.extents, "goal", role).next();
        first.and_then(|value| value.to_string().parse::<i64>().ok()).unwrap_or(0).clamp(0, 100)
    }

    /// The number of goals of a role: 1 if the rules are well-formed and the game is over.
    pub fn goals(&self, role: usize) -> usize {
        self.of_role(&self.extents, "goal", role).count()
    }

    /// The state after a joint move, and what each role perceives of the step.
    pub fn step(&self, joint: &[Term]) -> (State, Vec<BTreeSet<Term>>) {
        let Naive { rules, roles, imperfect, .. } = self.game;
        let mut extents = self.extents.clone();
        let does = rules.relation("does");
        let row = |(role, own): (&Term, &Term)| Row::from([role.clone(), own.clone()]);
        extents.set(does, roles.iter().zip(joint).map(row));
        let needed = reached(rules, &["next", "sees"]);
        extents.derive(rules, roles, |relation| {
            relation != does && self.game.depends(relation, "does") && needed.contains(&relation)
        });
        let next = extents.rows(rules.relation("next")).iter().map(|row| row[0].clone()).collect();
        let did =
            |(role, own): (&Term, &Term)| Term::Tree("did".into(), Rc::new([role.clone(), own.clone()]));
        let percepts = (0..roles.len()).map(|role| match imperfect {
            true => self.of_role(&extents, "sees", role).collect(),
            false => roles.iter().zip(joint).map(did).collect(),
        });
        (next, percepts.collect())
    }

    fn of_role(&self, extents: &Extents, keyword: &str, role: usize) -> impl Iterator<Item = Term> {
        let role = &self.game.roles[role];
        let rows = extents.rows(self.game.rules.relation(keyword)).iter();
        let own: Vec<Term> = rows.filter(|row| row[0] == *role).map(|row| row[1].clone()).collect();
        own.into_iter()
    }
}
