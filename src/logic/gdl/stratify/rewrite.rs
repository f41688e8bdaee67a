//! Rewriting: the rules of a component with one relation for each stratum that is read inside it.
//!
//! The keys that some condition of the component reads go into relations such as `goal@0`, one for each stratum of the
//! relation, with all arguments. The conditions of the component read these. The relation itself gets the atoms of its
//! strata by one rule each, and its other rules directly. The rules for `goal` stay where they are, with their
//! conditions replaced, because their order counts.

use rustc_hash::{FxHashMap, FxHashSet};

use super::instances::{Expansion, Instance, replaced, value_of};
use super::{Accepted, MAX_INSTANCES, Refusal};
use crate::gdl::{At, Atom, Literal, Rule};
use hyperplay_machine::terms::{Symbol, Symbols, Term};

/// The rules with those of the component rewritten.
///
/// # Errors
/// If there would be too many.
pub(super) fn rewrite(
    rules: &[Rule],
    is_inside: &dyn Fn(Symbol) -> bool,
    expansion: &Expansion,
    strata: &[usize],
    symbols: &mut Symbols,
) -> Accepted<Vec<Rule>> {
    let bodies = expansion.instances.iter().flat_map(|instance| &instance.body);
    let read: FxHashSet<usize> = bodies.flat_map(|(_, keys)| keys).copied().collect();
    let mut rewriting = Rewriting { expansion, strata, relations: FxHashMap::default(), symbols };
    let mut instances: FxHashMap<usize, Vec<&Instance>> = FxHashMap::default();
    for instance in &expansion.instances {
        instances.entry(instance.rule).or_default().push(instance);
    }
    let (mut outer, mut inner) = (Vec::new(), Vec::new());
    let mut bridged = FxHashSet::default();
    for (index, rule) in rules.iter().enumerate() {
        if !is_inside(rule.head.relation) {
            outer.push(rule.clone());
            continue;
        }
        let mut own = instances.remove(&index).unwrap_or_default();
        if rule.head.relation == Symbol::GOAL {
            let symbols = &*rewriting.symbols;
            own.sort_by(|a, b| match (value(rule, a), value(rule, b)) {
                (Some(a), Some(b)) => symbols.compare(a, b),
                _ => std::cmp::Ordering::Equal,
            });
        }
        for instance in own {
            let is_read = read.contains(&instance.head);
            if is_read {
                let relation = rewriting.relation(instance.head);
                rewriting.rules(rule, instance, relation, &mut inner)?;
                if rule.head.relation != Symbol::GOAL && bridged.insert(relation) {
                    outer.push(rewriting.bridge(rule, relation));
                }
            }
            if !is_read || rule.head.relation == Symbol::GOAL {
                rewriting.rules(rule, instance, rule.head.relation, &mut outer)?;
            }
        }
    }
    outer.append(&mut inner);
    Ok(outer)
}

/// The goal value of an instance, if it is a constant.
fn value(rule: &Rule, instance: &Instance) -> Option<Symbol> {
    match replaced(rule.head.arguments.get(1)?, &instance.values) {
        Term::Constant(value) => Some(value),
        _ => None,
    }
}

struct Rewriting<'a> {
    expansion: &'a Expansion,
    strata: &'a [usize],
    /// The relation for each stratum of a relation.
    relations: FxHashMap<(Symbol, usize), Symbol>,
    symbols: &'a mut Symbols,
}

impl Rewriting<'_> {
    /// The relation that a key belongs to.
    fn relation(&mut self, key: usize) -> Symbol {
        let (relation, stratum) = (self.expansion.keys[key].relation, self.strata[key]);
        let symbols = &mut *self.symbols;
        *self.relations.entry((relation, stratum)).or_insert_with(|| {
            let name = format!("{}@{stratum}", symbols.name(relation));
            symbols.fresh(name)
        })
    }

    /// The rule by which the atoms of a stratum are atoms of the relation.
    fn bridge(&mut self, rule: &Rule, relation: Symbol) -> Rule {
        let variable = |number: usize| Term::Variable(self.symbols.intern(&format!("v{number}")));
        let arguments: Vec<Term> = (0..rule.head.arguments.len()).map(variable).collect();
        let at = At(rule.head.at.0);
        let body = vec![Literal::Positive(Atom { relation, arguments: arguments.clone(), at })];
        Rule { head: Atom { relation: rule.head.relation, arguments, at }, body, clause: rule.clause }
    }

    /// Adds the rules of an instance. There are several if a positive condition may be about several strata.
    fn rules(&mut self, rule: &Rule, instance: &Instance, relation: Symbol, out: &mut Vec<Rule>) -> Accepted {
        let values = &instance.values;
        let by = |variable: Symbol| value_of(values, variable);
        let instance_of =
            |atom: &Atom, relation: Symbol| Atom { relation, ..atom.replacing(&mut |own| by(own)) };
        let mut bodies: Vec<Vec<Literal>> = vec![Vec::with_capacity(rule.body.len())];
        for (position, literal) in rule.body.iter().enumerate() {
            let own = instance.body.iter().find(|(other, _)| *other == position);
            let relations: Option<Vec<Symbol>> = own.map(|(_, keys)| {
                let mut relations: Vec<Symbol> = keys.iter().map(|&key| self.relation(key)).collect();
                relations.sort_unstable();
                relations.dedup();
                relations
            });
            let literals: Vec<Literal> = match (literal, relations) {
                (Literal::Negative(atom), Some(relations)) => {
                    let all = relations.iter().map(|&other| Literal::Negative(instance_of(atom, other)));
                    let all: Vec<Literal> = all.collect();
                    bodies.iter_mut().for_each(|body| body.extend(all.iter().cloned()));
                    continue;
                }
                (Literal::Positive(atom), Some(relations)) => {
                    relations.iter().map(|&other| Literal::Positive(instance_of(atom, other))).collect()
                }
                (literal, _) => vec![literal.replacing(&mut |own| by(own))],
            };
            if let [only] = &literals[..] {
                bodies.iter_mut().for_each(|body| body.push(only.clone()));
                continue;
            }
            let with = |body: &Vec<Literal>, literal: &Literal| {
                body.iter().chain([literal]).cloned().collect::<Vec<Literal>>()
            };
            bodies = bodies
                .iter()
                .flat_map(|body| literals.iter().map(move |literal| with(body, literal)))
                .collect();
            if out.len() + bodies.len() > 2 * MAX_INSTANCES {
                return Err(Refusal::TooMany);
            }
        }
        let head = instance_of(&rule.head, relation);
        out.extend(bodies.into_iter().map(|body| Rule { head: head.clone(), body, clause: rule.clause }));
        Ok(())
    }
}
