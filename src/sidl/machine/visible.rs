//! The facts of a state that an agent sees: all that no rule hides from it.

use hyperplay_logic::gdl::TermId;

use super::pattern::BoundSlots;
use super::program::Program;
use super::solve::{Evaluation, Facts};

impl Program {
    /// The facts that an agent sees, in increasing order of their ids. The owner of a switch always sees its setting.
    pub(super) fn visible(
        &self,
        agent: usize,
        facts: &Facts,
        evaluation: &mut Evaluation<'_>,
    ) -> Vec<TermId> {
        let (role, terms) = (self.agents[agent], evaluation.terms);
        let mut seen: Vec<TermId> = facts
            .all()
            .filter(|&fact| terms.functor(fact) != self.words.chronon)
            .filter(|&fact| self.is_own_switch(agent, fact) || !self.is_hidden(role, fact, facts, evaluation))
            .collect();
        seen.sort_unstable();
        seen
    }

    fn is_own_switch(&self, agent: usize, fact: TermId) -> bool {
        self.terms.functor(fact) == self.words.does
            && self
                .switches
                .iter()
                .any(|switch| switch.owner == agent && self.terms.arguments(fact)[0] == switch.id)
    }

    fn is_hidden(&self, role: TermId, fact: TermId, facts: &Facts, evaluation: &mut Evaluation<'_>) -> bool {
        let terms = evaluation.terms;
        self.hidden.iter().filter(|rule| rule.predicate == terms.functor(fact)).any(|rule| {
            let mut bindings = rule.bindings.clone();
            if !rule.fact.matches(fact, &mut bindings, &mut BoundSlots::new(), &self.numbers) {
                return false;
            }
            let mut is_hidden = false;
            evaluation.each(&rule.conditions, &bindings, facts, &mut |bindings| {
                is_hidden =
                    rule.agents.iter().any(|agent| agent.value(bindings, &self.numbers) == Some(role));
                !is_hidden
            });
            is_hidden
        })
    }
}
