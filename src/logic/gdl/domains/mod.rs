//! Position domains: which terms may ever stand at each argument of each relation.
//!
//! The domains are inferred from the rules alone, as a least fixpoint. A fact gives its arguments to the positions of
//! its relation. A rule gives to the positions of its head what its body leaves: a variable takes the values that every
//! position has at which it occurs in a positive condition, less the constants that `distinct` excludes. `true` gets
//! the fluents of `init` and `next`, and `does` gets the moves of `legal`, for each role its own. Negation is ignored.
//! For a compound term the arguments have domains of their own, at each position.
//!
//! Invariant: every atom that holds in a state that some line of play reaches is in the domains. They may contain more:
//! positions are told apart, combinations of values are not, and recursive terms are widened. A rulesheet that needs
//! more than [`BUDGET`] steps is read again with the coarsest widening, and then given up: everything may hold then.
//!
//! A variable that nothing binds is no error here. It adds nothing to the positions of a head, so it ranges over what
//! other clauses put there.
//!
//! Reference: the domain graph of S. Schiffel, M. Thielscher, *Fluxplayer: A Successful General Game Player*, AAAI 2007
//! (Schiffel07). The type graphs are those of abstract interpretation (VanHentenryck95).

use super::rule::{Atom, Literal, Rule};
pub(super) use fixpoint::RuleParts;
use fixpoint::{Bindings, Fixpoint};
pub(super) use graph::Budget;
use graph::{Meet, Widening};
use hyperplay_machine::terms::{Symbol, Term};
pub(super) use obstacle::Obstacle;

mod fixpoint;
mod graph;
mod obstacle;
mod terms;
#[cfg(test)]
mod tests;

/// The most that the analysis of a rulesheet may cost with one widening, in elementary steps.
const BUDGET: u64 = 10_000_000;

/// The most that one question may cost.
const QUESTION: u64 = 1_000_000;

/// The widenings that are tried, from fine to coarse.
const WIDENINGS: [Widening; 2] =
    [Widening { repeats: 8, depth: 12, nodes: 20_000 }, Widening { repeats: 1, depth: 2, nodes: 1_000 }];

/// The terms that may stand at each position of each relation.
#[derive(Clone, Debug)]
pub struct PositionDomains {
    /// `None` if the analysis was given up.
    fixpoint: Option<Fixpoint>,
}

impl PositionDomains {
    /// The domains of some rules. The time is linear in the size of the rules for each round of the fixpoint, and
    /// bounded.
    pub fn of(rules: &[Rule]) -> PositionDomains {
        let parts = rules.iter().map(|Rule { head, body, .. }| RuleParts {
            head,
            body: body.iter().collect(),
            free: vec![],
        });
        PositionDomains::of_parts(&parts.collect::<Vec<_>>())
    }

    /// The domains of rules that are given as heads and bodies.
    pub(super) fn of_parts(rules: &[RuleParts<'_>]) -> PositionDomains {
        let size = rules.iter().map(|rule| 1 + rule.body.len() as u64).sum::<u64>();
        let mut tried = WIDENINGS.iter().map(|&widening| {
            let mut budget = Budget(BUDGET + 20 * size);
            Fixpoint::of(rules, widening, &mut budget).ok()
        });
        PositionDomains { fixpoint: tried.find_map(|fixpoint| fixpoint) }
    }

    /// Whether an instance of an atom may hold in some state: whether its constants and functors may stand where they
    /// stand, and each variable has a value that may stand at all its places.
    pub fn may_hold(&self, atom: &Atom) -> bool {
        self.may_hold_within(atom, &mut Budget(QUESTION))
    }

    /// Whether an atom may hold; true if the budget is used up.
    pub(super) fn may_hold_within(&self, atom: &Atom, budget: &mut Budget) -> bool {
        let Some(fixpoint) = &self.fixpoint else { return true };
        let mut bindings = Bindings::default();
        fixpoint.bind_atom(atom, &mut bindings)
            && bindings.values().all(|meet| fixpoint.graph.has_terms(meet, budget) != Ok(false))
    }

    /// The ground terms that may stand at a position of the relation with this name and arity, in a fixed order. `None`
    /// if they are infinitely many or more than `most`.
    ///
    /// A relation that no rule derives has none.
    pub fn terms_at(
        &self,
        relation: Symbol,
        arity: usize,
        position: usize,
        most: usize,
    ) -> Option<Vec<Term>> {
        let fixpoint = self.fixpoint.as_ref()?;
        let node =
            fixpoint.relations.get(&(relation, arity)).and_then(|domain| domain.positions.get(position));
        let Some(&node) = node else { return Some(Vec::new()) };
        self.terms(&Meet { nodes: vec![node], ..Meet::default() }, most)
    }

    /// The ground terms that a variable of a rule may stand for, if the body holds: those that may stand at every place
    /// of the variable in a positive condition. A variable that no positive condition binds ranges over the terms that
    /// other clauses put at its places in the head. `None` if the terms are infinitely many or more than `most`, or if
    /// the variable occurs neither in a positive condition nor in the head.
    pub fn values_of(&self, rule: &Rule, variable: Symbol, most: usize) -> Option<Vec<Term>> {
        self.fixpoint.as_ref()?;
        let body: Vec<&Literal> = rule.body.iter().collect();
        let Some(bindings) = self.bindings(&body, &mut Budget(QUESTION)) else { return Some(Vec::new()) };
        match bindings.get(&variable) {
            Some(meet) => self.terms(meet, most),
            None => self.values_in(&rule.head, variable, most),
        }
    }

    /// The ground terms for which a variable may stand in the instances of an atom that may hold. `None` if they are
    /// infinitely many or more than `most`, or if the variable does not occur in the atom.
    pub fn values_in(&self, atom: &Atom, variable: Symbol, most: usize) -> Option<Vec<Term>> {
        let fixpoint = self.fixpoint.as_ref()?;
        let occurs = atom.mentions(variable);
        if !occurs || !self.may_hold(atom) {
            return occurs.then(Vec::new);
        }
        let mut bindings = Bindings::default();
        fixpoint.bind_atom(atom, &mut bindings);
        self.terms(bindings.get(&variable)?, most)
    }

    /// Whether some literals may hold together; true if the budget is used up.
    pub(super) fn may_hold_together(&self, body: &[&Literal], budget: &mut Budget) -> bool {
        self.bindings(body, budget).is_some()
    }

    /// The values of the variables of a body, `None` if the body cannot hold.
    fn bindings(&self, body: &[&Literal], budget: &mut Budget) -> Option<Bindings> {
        let Some(fixpoint) = &self.fixpoint else { return Some(Bindings::default()) };
        fixpoint.bindings(body, budget).unwrap_or_else(|_| Some(Bindings::default()))
    }

    fn terms(&self, meet: &Meet, most: usize) -> Option<Vec<Term>> {
        let mut budget = Budget(QUESTION.saturating_add(10 * most as u64));
        terms::list(&self.fixpoint.as_ref()?.graph, meet, most, &mut Vec::new(), &mut budget)
    }
}
