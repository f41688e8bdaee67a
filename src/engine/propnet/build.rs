//! Building gates: each rule is instantiated once over the domain.
//!
//! An instance is an AND of the wires of its atoms, and an atom is an OR of its instances. Strata are built from below,
//! so the wires of what a rule reads exist before the rule is built. [`cycle`](super::cycle) builds a stratum that
//! reads itself.

use std::cmp::Ordering;

use super::cycle::least_fixpoint;
use super::domain::Domain;
use super::gates::{Gates, Instance};
use super::{GroundingLimits, Network, TooLarge, Wire};
use hyperplay_logic::datalog::RelationId;
use hyperplay_logic::gdl::{Game, Literal, Symbol, TermId};
use hyperplay_machine::ByRole;

/// The inputs of the network in their order.
pub(super) struct Inputs {
    pub(super) fluents: Vec<TermId>,
    pub(super) moves: ByRole<Vec<TermId>>,
}

impl Inputs {
    pub(super) fn of(game: &Game, domain: &Domain) -> Inputs {
        let terms = game.terms();
        let fluents = terms.sorted(domain.tuples(Symbol::TRUE).map(|row| row[0]));
        let of_role = |&role: &TermId| {
            terms.sorted(domain.tuples(Symbol::DOES).filter(|row| row[0] == role).map(|row| row[1]))
        };
        Inputs { fluents, moves: ByRole::new(game.roles().iter().map(of_role).collect()) }
    }
}

/// The network of a game under construction.
pub(super) struct Builder<'a> {
    game: &'a Game,
    pub(super) domain: Domain,
    pub(super) gates: Gates,
    /// For each rule of `goal`, in rule order, the rows that it derives with their conditions.
    pub(super) goals: Vec<Vec<(usize, Wire)>>,
}

impl<'a> Builder<'a> {
    /// A builder whose inputs are there.
    pub(super) fn new(game: &'a Game, domain: Domain, inputs: &Inputs, limits: &GroundingLimits) -> Self {
        let moves: usize = inputs.moves.values().iter().map(Vec::len).sum();
        let network = Network::new(inputs.fluents.len() + moves);
        let gates = Gates::new(network, domain.relaxed.relations(), domain.atoms(), limits);
        let mut builder = Self { game, domain, gates, goals: Vec::new() };
        builder.set_inputs(inputs);
        builder
    }

    fn set_inputs(&mut self, inputs: &Inputs) {
        let fluents = inputs.fluents.iter().map(|&fluent| (Symbol::TRUE, vec![fluent]));
        let roles = self.game.roles().iter().zip(inputs.moves.values());
        let moves =
            roles.flat_map(|(&role, moves)| moves.iter().map(move |&own| (Symbol::DOES, vec![role, own])));
        for (number, (name, tuple)) in fluents.chain(moves).enumerate() {
            let (id, row) = self.domain.find(name, &tuple).expect("inputs are in the domain");
            let wires = &mut self.gates.wires[id];
            wires.resize(wires.len().max(row + 1), Wire::FALSE);
            wires[row] = self.gates.network.input(number);
        }
    }

    /// The wire of an atom that is built; off if it is not in the domain.
    pub(super) fn wire(&self, name: Symbol, tuple: &[TermId]) -> Wire {
        match self.domain.find(name, tuple) {
            // A row that depends on no state has no wire: it holds.
            Some((id, _)) if !self.domain.is_open(id) => Wire::TRUE,
            Some((id, row)) => self.gates.wires[id][row],
            None => Wire::FALSE,
        }
    }

    /// Builds the wires of all atoms that some output needs.
    pub(super) fn build(&mut self) -> Result<(), TooLarge> {
        for (mut relations, mut rules) in std::mem::take(&mut self.domain.strata) {
            if rules.is_empty() {
                continue; // an input, or what nothing defines
            }
            let goal = self.domain.rules.relation(Symbol::GOAL).filter(|id| relations.contains(id));
            let goal_rules = if goal.is_some() { rules.clone() } else { Vec::new() };
            relations.retain(|&relation| self.domain.is_open(relation));
            rules.retain(|&rule| self.domain.is_open(self.domain.head(rule)));
            if self.recurs(&relations, &rules) {
                self.build_recursive(&relations, &rules)?;
            } else if let [relation] = relations[..] {
                self.gates.wires[relation] = self.conditions(relation, &rules)?;
            }
            if let Some(goal) = goal {
                self.build_goals(goal, &goal_rules)?;
            }
        }
        Ok(())
    }

    /// The rows that each rule of `goal` derives: which of several goals counts depends on the rule.
    fn build_goals(&mut self, goal: RelationId, rules: &[usize]) -> Result<(), TooLarge> {
        for &rule in rules {
            if self.domain.head(rule) != goal {
                continue;
            }
            let rows = self.conditions(goal, &[rule])?.into_iter().enumerate();
            self.goals.push(rows.filter(|&(_, wire)| wire != Wire::FALSE).collect());
        }
        Ok(())
    }

    fn spelling(&self, relation: RelationId) -> String {
        self.game.terms().symbols().name(self.domain.rules.name(relation)).to_owned()
    }

    fn recurs(&self, relations: &[RelationId], rules: &[usize]) -> bool {
        let is_own = |literal: &Literal| match literal {
            Literal::Positive(atom) => {
                self.domain.rules.relation(atom.relation).is_some_and(|id| relations.contains(&id))
            }
            _ => false,
        };
        rules.iter().any(|&rule| self.domain.rule(rule).body.iter().any(is_own))
    }

    /// For each row of a relation, the condition under which one of the rules derives it. The relations that the rules
    /// read are built.
    fn conditions(&mut self, relation: RelationId, rules: &[usize]) -> Result<Vec<Wire>, TooLarge> {
        let mut ways: Vec<Vec<Wire>> = vec![Vec::new(); self.domain.rows(relation)];
        let (mut body, mut waiting) = (Vec::new(), 0);
        let name = self.spelling(relation);
        for &rule in rules {
            let gates = &mut self.gates;
            self.domain.instances(self.game.terms(), rule, &mut |head, conditions| {
                body.clear();
                body.extend(conditions.iter().map(|condition| gates.value(condition)));
                let way = gates.network.and(&body);
                let ways = &mut ways[head];
                if way != Wire::FALSE && ways.last() != Some(&way) {
                    ways.push(way);
                    waiting += 1;
                }
                gates.count(waiting, &name)
            })?;
        }
        let wires = ways.into_iter().map(|ways| self.gates.network.or(&ways)).collect();
        self.gates.weigh(0, &name)?;
        Ok(wires)
    }

    fn build_recursive(&mut self, relations: &[RelationId], rules: &[usize]) -> Result<(), TooLarge> {
        // The atoms of the stratum are numbered through, relation after relation, each in the order of its tuples: so
        // components of the same shape have their atoms in the same order.
        let mut numbers: Vec<Option<Vec<usize>>> = vec![None; self.domain.relaxed.relations()];
        let mut atoms = 0;
        for &relation in relations {
            let mut rows: Vec<usize> = (0..self.domain.rows(relation)).collect();
            let terms = self.game.terms();
            let tuple = |row| self.domain.tuple(relation, row);
            rows.sort_unstable_by(|&a, &b| {
                let pairs = tuple(a).iter().zip(tuple(b));
                pairs
                    .map(|(&a, &b)| terms.compare(a, b))
                    .find(|order| order.is_ne())
                    .unwrap_or(Ordering::Equal)
            });
            let mut of_rows = vec![0; rows.len()];
            for (position, row) in rows.into_iter().enumerate() {
                of_rows[row] = atoms + position;
            }
            atoms += of_rows.len();
            numbers[relation] = Some(of_rows);
        }
        let name = self.spelling(relations[0]);
        let mut instances: Vec<Instance> = Vec::new();
        let mut rest = Vec::new();
        let mut waiting = 0;
        for &rule in rules {
            let heads = numbers[self.domain.head(rule)].as_ref().expect("the head is of the stratum");
            let gates = &mut self.gates;
            self.domain.instances(self.game.terms(), rule, &mut |head, conditions| {
                rest.clear();
                let mut own: Vec<usize> = Vec::new();
                for condition in conditions {
                    match &numbers[condition.relation] {
                        None => rest.push(gates.value(condition)),
                        Some(of_rows) => own.push(of_rows[condition.row]),
                    }
                }
                waiting += 8 + own.len();
                instances.push(Instance {
                    head: heads[head],
                    own: own.into(),
                    rest: gates.network.and(&rest),
                });
                gates.count(waiting, &name)
            })?;
        }
        let wires = least_fixpoint(&mut self.gates, atoms, &instances, &name)?;
        for &relation in relations {
            let of_rows = numbers[relation].iter().flatten();
            self.gates.wires[relation] = of_rows.map(|&atom| wires[atom]).collect();
        }
        Ok(())
    }
}
