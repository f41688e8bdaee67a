//! One chronon: every branching tries the operation that its switch or its chance selects (the paper's `chronon`).
//!
//! Branchings are tried in the order of the text. The removals and payments of an operation count at once, for the
//! branchings after it; a fact that it creates holds when the chronon is over, and then wins over a removal of the same
//! fact.

use crate::Selector;
use hyperplay_logic::gdl::TermId;

use super::pattern::{Bindings, BoundSlots};
use super::program::{Change, Clause};
use super::solve::{Evaluation, Facts};

/// An operation that was executed, by the numbers of its branching and of its place there.
pub(super) type Executed = (usize, usize);

/// A chronon that runs.
pub(super) struct Chronon<'a, 'p> {
    pub(super) evaluation: &'a mut Evaluation<'p>,
    facts: Facts,
    created: Vec<TermId>,
    settings: Vec<Option<usize>>,
    pub(super) executed: Vec<Executed>,
}

impl<'a, 'p> Chronon<'a, 'p> {
    /// Runs one chronon from the facts of a state, with the settings of its switches (none for one that is not set) and
    /// the draws of its chances. Returns the facts after it and the operations that were executed.
    pub(super) fn run(
        evaluation: &'a mut Evaluation<'p>,
        facts: Facts,
        selected: &[Option<usize>],
        draws: &[usize],
    ) -> (Facts, Vec<Executed>) {
        let program = evaluation.program;
        let settings = selected.to_vec();
        let mut chronon = Chronon { evaluation, facts, created: Vec::new(), settings, executed: Vec::new() };
        for (number, branching) in program.branchings.iter().enumerate() {
            let place = match branching.selector {
                Selector::Switch(switch) => selected[switch],
                Selector::Chance(chance) => Some(draws[chance]),
                Selector::Always => Some(0),
            };
            let Some(place) = place else { continue };
            if chronon.attempt(&branching.operations[place].clauses) {
                chronon.executed.push((number, place));
            }
        }
        chronon.finish()
    }

    /// Tries the clauses of an operation; whether one was executed.
    fn attempt(&mut self, clauses: &[Clause]) -> bool {
        for clause in clauses {
            let solution = self.evaluation.first(&clause.conditions, &clause.bindings, &self.facts);
            if let Some(bindings) = solution {
                clause.changes.iter().for_each(|change| self.make(change, &bindings));
                return true;
            }
        }
        false
    }

    fn make(&mut self, change: &Change, bindings: &Bindings) {
        let program = self.evaluation.program;
        match change {
            Change::Remove(predicate, pattern) => self.facts.retain(*predicate, |&fact| {
                let mut own = bindings.clone();
                !pattern.matches(fact, &mut own, &mut BoundSlots::new(), &program.numbers)
            }),
            Change::Create(pattern) => {
                let fact = self.value(pattern.value(bindings, &program.numbers));
                self.created.extend(fact);
            }
            Change::Set(id, alias) => {
                let [id, alias] = [id, alias].map(|it| it.value(bindings, &program.numbers));
                let switch = program.switches.iter().position(|switch| Some(switch.id) == id);
                let Some(switch) = self.value(switch) else { return };
                let aliases = &program.switches[switch].aliases;
                self.settings[switch] = aliases.iter().position(|&other| Some(other) == alias);
            }
            Change::Pay(agent, amount) => {
                let agent = self.value(agent.value(bindings, &program.numbers));
                let amount = self.value(amount.value(bindings, &program.numbers));
                if let (Some(agent), Some(amount)) = (agent, amount) {
                    self.pay(agent, amount);
                }
            }
        }
    }

    /// Notes a failure if there is no value.
    fn value<T>(&mut self, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.evaluation.failure.get_or_insert_with(|| {
                "an effect has no value: a number leaves the range -10000 to 10000, a switch is unknown, or an agent has no \
                 account".into()
            });
        }
        value
    }

    fn pay(&mut self, agent: TermId, amount: TermId) {
        let (program, terms) = (self.evaluation.program, self.evaluation.terms);
        let account = program.words.account;
        let is_own = |fact: &&TermId| terms.arguments(**fact)[0] == agent;
        let Some(&old) = self.facts.of(account).iter().find(is_own) else {
            self.value::<()>(None);
            return;
        };
        let balance = program.numbers.number(terms.arguments(old)[1]);
        let sum = balance
            .zip(program.numbers.number(amount))
            .and_then(|(balance, amount)| crate::checked(crate::Arithmetic::Plus, balance, amount));
        if let Some(sum) = self.value(sum.and_then(|sum| program.numbers.term(sum))) {
            self.facts.retain(account, |&fact| fact != old);
            self.facts.insert(terms.intern(account, &[agent, sum]), terms);
        }
    }

    /// The facts after the chronon: the created facts hold, and momentary switches return.
    fn finish(mut self) -> (Facts, Vec<Executed>) {
        let (program, terms) = (self.evaluation.program, self.evaluation.terms);
        for fact in std::mem::take(&mut self.created) {
            self.facts.insert(fact, terms);
        }
        for (switch, setting) in program.switches.iter().zip(&mut self.settings) {
            if switch.is_momentary {
                *setting = switch.initial;
            }
        }
        set_switches(&mut self.facts, &self.settings, self.evaluation);
        (self.facts, self.executed)
    }
}

/// Replaces the settings among the facts.
pub(super) fn set_switches(facts: &mut Facts, settings: &[Option<usize>], evaluation: &Evaluation<'_>) {
    let (program, terms) = (evaluation.program, evaluation.terms);
    facts.retain(program.words.does, |_| false);
    for (switch, setting) in program.switches.iter().zip(settings) {
        let alias = setting.map_or(program.words.nil, |place| switch.aliases[place]);
        facts.insert(terms.intern(program.words.does, &[switch.id, alias]), terms);
    }
}
