//! The options of a role in a chronon, as moves.
//!
//! A role sets switches: each switch has a list of options, and a move is one option of each. It is never illegal to
//! set an own switch, so every setting of a switch that keeps its setting is an option. A momentary switch returns when
//! the chronon is over. So those of its settings that cannot do anything in this chronon all lead to the same, and one
//! of them stands for all. Their possible effects are judged from what the owner sees, so that a list of moves tells
//! the owner nothing that is hidden.
//!
//! The role `random` draws each chance. Draws that cannot do anything in this state stand together as one, with the sum
//! of their weights, and so do draws that select the same operations.

use num_integer::gcd;

use crate::Selector;
use hyperplay_logic::gdl::{Symbol, TermId};

use super::pattern::{Bindings, Pattern};
use super::program::{CompiledBranching, Program};
use super::solve::{Evaluation, Facts, Known};

/// Moves of one role that a state may have.
const MOST_MOVES: usize = 100_000;

/// One option of a chance: the draw that stands for it, its weight, and its term unless it cannot do anything.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct DrawOption {
    pub(super) place: usize,
    pub(super) weight: u64,
    pub(super) term: Option<TermId>,
}

impl Program {
    /// Whether a role sees all facts that a pattern may match, whatever they are.
    fn is_open_to(
        &self,
        role: TermId,
        (predicate, pattern): (Symbol, &Pattern),
        bindings: &Bindings,
    ) -> bool {
        let may_be_role = |agent: &Pattern| !matches!(agent, Pattern::Ground(other) if *other != role);
        predicate != self.words.does
            && predicate != self.words.account
            && !self.hidden.iter().any(|rule| {
                rule.predicate == predicate
                    && rule.agents.iter().any(may_be_role)
                    && pattern.may_unify(bindings, &rule.fact, &rule.bindings, &self.terms)
            })
    }

    /// Whether a branching may execute its operation at a place, for all that is known.
    fn may_act(&self, branching: &CompiledBranching, place: usize, facts: &Facts, known: Known<'_>) -> bool {
        branching.operations[place].clauses.iter().any(|clause| {
            let mut evaluation = Evaluation { known: Some(known), ..Evaluation::new(self) };
            let solution = evaluation.first(&clause.conditions, &clause.bindings, facts);
            !clause.changes.is_empty() && (solution.is_some() || evaluation.failure.is_some())
        })
    }

    fn selected_by(&self, selector: Selector) -> impl Iterator<Item = &CompiledBranching> {
        self.branchings.iter().filter(move |branching| branching.selector == selector)
    }

    /// The options of a switch: the settings that its owner may choose, where the one that it has is `None`; and the
    /// one that stands for all settings that cannot do anything, if some are not listed.
    pub(super) fn settings(&self, switch: usize, facts: &Facts) -> (Vec<Option<usize>>, Option<usize>) {
        let it = &self.switches[switch];
        let current = self.setting(switch, facts);
        let as_option = |place: usize| (Some(place) != current).then_some(place);
        if !it.is_momentary || it.is_read {
            let others = (0..it.aliases.len()).filter(|&place| Some(place) != current).map(Some);
            return (std::iter::once(None).chain(others).collect(), None);
        }
        let owner = self.agents[it.owner];
        let is_known = |predicate, pattern: &Pattern, bindings: &Bindings| {
            self.is_open_to(owner, (predicate, pattern), bindings)
        };
        let known: Known<'_> = &is_known;
        let acts = |place: usize| {
            self.selected_by(Selector::Switch(switch))
                .any(|branching| self.may_act(branching, place, facts, known))
        };
        let (acting, idle): (Vec<usize>, Vec<usize>) = (0..it.aliases.len()).partition(|&place| acts(place));
        let stands_for_idle =
            idle.iter().copied().find(|&place| Some(place) == current).or(idle.first().copied());
        (acting.into_iter().chain(stands_for_idle).map(as_option).collect(), stands_for_idle)
    }

    /// The setting of a switch in a state.
    pub(super) fn setting(&self, switch: usize, facts: &Facts) -> Option<usize> {
        let it = &self.switches[switch];
        let is_own = |fact: &&TermId| self.terms.arguments(**fact)[0] == it.id;
        let alias = facts.of(self.words.does).iter().find(is_own).map(|&fact| self.terms.arguments(fact)[1]);
        it.aliases.iter().position(|&other| Some(other) == alias)
    }

    /// The moves of an agent, in no particular order; `None` if they are too many.
    pub(super) fn moves(&self, agent: usize, facts: &Facts) -> Option<Vec<TermId>> {
        let mut moves = vec![(Vec::new(), 1)];
        for (switch, it) in self.switches.iter().enumerate().filter(|(_, it)| it.owner == agent) {
            let command = |place: usize| self.terms.intern(self.words.set, &[it.id, it.aliases[place]]);
            let (options, _) = self.settings(switch, facts);
            moves = product(&moves, options.iter().map(|option| (option.map(command), 1)))?;
        }
        let term = |(commands, _): (Vec<TermId>, u64)| self.joined(self.words.commands, &commands);
        Some(moves.into_iter().map(term).collect())
    }

    /// The options of a chance.
    pub(super) fn draws(&self, chance: usize, facts: &Facts) -> Vec<DrawOption> {
        let (id, weights) = &self.chances[chance];
        let is_fixed = |predicate, _: &Pattern, _: &Bindings| {
            predicate != self.words.does && predicate != self.words.account
        };
        let known: Known<'_> = &is_fixed;
        let mut options: Vec<DrawOption> = Vec::new();
        for (place, &weight) in weights.iter().enumerate() {
            let branchings = || self.selected_by(Selector::Chance(chance));
            let acts = branchings().any(|branching| self.may_act(branching, place, facts, known));
            let term = acts.then(|| {
                let operations = branchings().map(|branching| branching.operations[place].term);
                let arguments: Vec<TermId> = std::iter::once(*id).chain(operations).collect();
                self.terms.intern(self.words.draw, &arguments)
            });
            match options.iter_mut().find(|option| option.term == term) {
                Some(option) => option.weight += weight,
                None => options.push(DrawOption { place, weight, term }),
            }
        }
        options
    }

    /// The moves of `random` with their weights and the draws that they are, in no particular order; `None` if they are
    /// too many.
    pub(super) fn random_moves(&self, facts: &Facts) -> Option<Vec<(TermId, u64)>> {
        let mut moves = vec![(Vec::new(), 1)];
        for chance in 0..self.chances.len() {
            let options = self.draws(chance, facts);
            // In lowest terms, so that the product of many chances stays small.
            let divisor = options.iter().fold(0, |divisor, option| gcd(divisor, option.weight));
            moves = product(&moves, options.iter().map(|option| (option.term, option.weight / divisor)))?;
        }
        moves.iter().try_fold(0_u64, |sum, (_, weight)| sum.checked_add(*weight))?;
        let term = |(drawn, weight): (Vec<TermId>, u64)| (self.joined(self.words.draws, &drawn), weight);
        Some(moves.into_iter().map(term).collect())
    }

    /// No part, one, or a compound term of all.
    fn joined(&self, functor: Symbol, parts: &[TermId]) -> TermId {
        match parts {
            [] => self.words.nothing,
            [one] => *one,
            _ => self.terms.intern(functor, parts),
        }
    }

    /// The parts of a term made by [`joined`](Program::joined).
    fn parts<'t>(&'t self, functor: Symbol, term: &'t TermId) -> &'t [TermId] {
        if self.terms.functor(*term) == functor {
            self.terms.arguments(*term)
        } else {
            std::slice::from_ref(term)
        }
    }

    /// The switch of an agent and the place of its alias.
    pub(super) fn command(&self, agent: usize, id: TermId, alias: TermId) -> Option<(usize, usize)> {
        let switch = self.switches.iter().position(|it| it.id == id && it.owner == agent)?;
        Some((switch, self.switches[switch].aliases.iter().position(|&other| other == alias)?))
    }

    /// The settings that a move of an agent makes. A part that is no command for a switch of the agent has no effect.
    pub(super) fn commands<'t>(
        &'t self,
        agent: usize,
        own: &'t TermId,
    ) -> impl Iterator<Item = (usize, usize)> + 't {
        let parts = self.parts(self.words.commands, own).iter();
        parts.filter_map(move |&part| match *self.terms.arguments(part) {
            [id, alias] if self.terms.functor(part) == self.words.set => self.command(agent, id, alias),
            _ => None,
        })
    }

    /// The draw of each chance that a move of `random` stands for.
    pub(super) fn drawn(&self, own: TermId, facts: &Facts) -> Vec<usize> {
        let parts = self.parts(self.words.draws, &own);
        (0..self.chances.len())
            .map(|chance| {
                let options = self.draws(chance, facts);
                let named =
                    options.iter().find(|option| option.term.is_some_and(|term| parts.contains(&term)));
                let idle = || options.iter().find(|option| option.term.is_none());
                named.or_else(idle).or(options.first()).map_or(0, |option| option.place)
            })
            .collect()
    }
}

/// Each list with each option behind it, and the products of their weights; `None` if they are too many or too large.
fn product(
    lists: &[(Vec<TermId>, u64)],
    options: impl ExactSizeIterator<Item = (Option<TermId>, u64)> + Clone,
) -> Option<Vec<(Vec<TermId>, u64)>> {
    if lists.len() * options.len() > MOST_MOVES {
        return None;
    }
    let mut longer = Vec::with_capacity(lists.len() * options.len());
    for (list, weight) in lists {
        for (term, factor) in options.clone() {
            longer.push((list.iter().copied().chain(term).collect(), weight.checked_mul(factor)?));
        }
    }
    Some(longer)
}
