//! Instances of the rules of a component, as far as a split needs them.
//!
//! The variables at the positions that a split tells apart by value are given values: by a join over the relations that
//! are given by ground facts, and where that leaves a variable open, by its position domain. `distinct` rules instances
//! out. All other conditions are taken to be possible.
//!
//! Invariant: every ground instance of a rule that holds in some state is an instance of one that is listed, and its
//! atoms of the component have the keys that are listed for it.

use std::cell::Cell;
use std::collections::hash_map::Entry;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::{Accepted, Detail, MAX_INSTANCES, Refusal, Split};
use crate::gdl::{Atom, Literal, PositionDomains, Rule};
use hyperplay_machine::terms::{Symbol, Term};

/// The number of bindings that are tried for one split.
const MAX_TRIALS: usize = 5_000_000;

/// The part of a key about one argument.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Part {
    Anything,
    Functor(Symbol, usize),
    Value(Term),
}

/// Atoms of one relation that are not told apart.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key {
    pub(super) relation: Symbol,
    pub(super) parts: Vec<Part>,
}

/// The terms that the variables of a rule stand for.
pub(super) type Values = FxHashMap<Symbol, Term>;

/// A rule with some of its variables replaced.
#[derive(Debug)]
pub(super) struct Instance {
    /// The index of the rule.
    pub(super) rule: usize,
    pub(super) values: Values,
    /// The key of the head.
    pub(super) head: usize,
    /// For each literal about the component, its position in the body and the keys that it may be about.
    pub(super) body: Vec<(usize, Vec<usize>)>,
}

/// The keys of heads, by number.
type Keys = IndexSet<Key, FxBuildHasher>;

/// All instances for one split.
#[derive(Debug, Default)]
pub(super) struct Expansion {
    /// The keys of the heads.
    pub(super) keys: Keys,
    /// In the order of the rules.
    pub(super) instances: Vec<Instance>,
}

/// The rules of a component, with what they are instantiated from.
pub(super) struct Component<'a> {
    rules: &'a [Rule],
    is_inside: &'a dyn Fn(Symbol) -> bool,
    domains: &'a PositionDomains,
    facts: FxHashMap<(Symbol, usize), Vec<&'a [Term]>>,
    trials: Cell<usize>,
}

impl<'a> Component<'a> {
    pub(super) fn new(
        rules: &'a [Rule],
        is_inside: &'a dyn Fn(Symbol) -> bool,
        domains: &'a PositionDomains,
    ) -> Component<'a> {
        let mut facts: FxHashMap<(Symbol, usize), Vec<&'a [Term]>> = FxHashMap::default();
        for rule in rules.iter().filter(|rule| rule.body.is_empty() && rule.head.is_ground()) {
            facts.entry(rule.head.functor()).or_default().push(&rule.head.arguments);
        }
        for rule in rules.iter().filter(|rule| !(rule.body.is_empty() && rule.head.is_ground())) {
            facts.remove(&rule.head.functor());
        }
        Component { rules, is_inside, domains, facts, trials: Cell::new(0) }
    }

    /// The instances of all rules of the component.
    pub(super) fn expand(&self, split: &Split) -> Accepted<Expansion> {
        self.trials.set(0);
        let mut found: Vec<(usize, Values)> = Vec::new();
        for (index, rule) in self.rules.iter().enumerate() {
            if (self.is_inside)(rule.head.relation) {
                Search::new(self, rule, split).run(index, &mut found)?;
            }
        }
        let mut expansion = Expansion::default();
        let mut heads = Vec::with_capacity(found.len());
        for (rule, values) in &found {
            heads.push(expansion.keys.insert_full(key(&self.rules[*rule].head, values, split)).0);
        }
        for ((rule, values), head) in found.into_iter().zip(heads) {
            let mut body = Vec::new();
            let mut possible = true;
            for (position, literal) in self.rules[rule].body.iter().enumerate() {
                let Some(atom) = literal.atom().filter(|atom| (self.is_inside)(atom.relation)) else {
                    continue;
                };
                let wanted = key(atom, &values, split);
                let keys = match expansion.keys.get_index_of(&wanted) {
                    Some(number) => vec![number],
                    None => self.matching(&wanted, split, &expansion.keys)?,
                };
                possible &= !keys.is_empty() || matches!(literal, Literal::Negative(_));
                body.push((position, keys));
            }
            if possible {
                expansion.instances.push(Instance { rule, values, head, body });
            }
        }
        Ok(expansion)
    }

    /// The keys that a condition may be about; only an open argument at a position that is told apart by functor leads
    /// to several.
    fn matching(&self, wanted: &Key, split: &Split, keys: &Keys) -> Accepted<Vec<usize>> {
        let details = &split[&wanted.relation];
        let is_open =
            |(part, detail): (&Part, &Detail)| *part == Part::Anything && *detail != Detail::Nothing;
        if !wanted.parts.iter().zip(details).any(is_open) {
            return Ok(Vec::new());
        }
        self.count(keys.len())?;
        let admits = |key: &Key| {
            key.relation == wanted.relation
                && key.parts.iter().zip(&wanted.parts).all(|(a, b)| a == b || *b == Part::Anything)
        };
        Ok((0..keys.len()).filter(|&number| admits(&keys[number])).collect())
    }

    fn count(&self, trials: usize) -> Accepted {
        self.trials.set(self.trials.get() + trials);
        if self.trials.get() > MAX_TRIALS { Err(Refusal::TooMany) } else { Ok(()) }
    }
}

/// The key of an atom under some values.
fn key(atom: &Atom, values: &Values, split: &Split) -> Key {
    let part = |(term, detail): (&Term, &Detail)| match (detail, replaced(term, values)) {
        (Detail::Nothing, _) | (_, Term::Variable(_)) => Part::Anything,
        (Detail::Functor, Term::Constant(name)) => Part::Functor(name, 0),
        (Detail::Functor, Term::Compound(functor, arguments)) => Part::Functor(functor, arguments.len()),
        (Detail::Value, term) => Part::Value(term),
    };
    let parts = atom.arguments.iter().zip(&split[&atom.relation]).map(part).collect();
    Key { relation: atom.relation, parts }
}

/// The value of a variable; itself if it has none.
pub(super) fn value_of(values: &Values, variable: Symbol) -> Term {
    values.get(&variable).cloned().unwrap_or(Term::Variable(variable))
}

/// A term with the variables replaced that have a value.
pub(super) fn replaced(term: &Term, values: &Values) -> Term {
    term.replacing(&mut |variable| value_of(values, variable))
}

/// The search for the values of one rule's variables.
struct Search<'c, 'a> {
    component: &'c Component<'a>,
    rule: &'a Rule,
    /// The variables that need a value.
    needed: Vec<Symbol>,
    /// The facts to be joined: atoms of the body about given relations, with the tuples.
    joined: Vec<(&'a Atom, &'c [&'a [Term]])>,
    domains: FxHashMap<Symbol, Vec<Term>>,
    seen: FxHashSet<Vec<Term>>,
}

impl<'c, 'a> Search<'c, 'a> {
    fn new(component: &'c Component<'a>, rule: &'a Rule, split: &Split) -> Self {
        let mut needed = Vec::new();
        for atom in std::iter::once(&rule.head).chain(rule.body.iter().filter_map(Literal::atom)) {
            let Some(details) = split.get(&atom.relation) else { continue };
            for (term, _) in
                atom.arguments.iter().zip(details).filter(|(_, detail)| **detail == Detail::Value)
            {
                needed.extend(term.variables());
            }
        }
        needed.sort_unstable();
        needed.dedup();
        let is_needed = |atom: &Atom| {
            atom.is_ground() || !atom.all_variables(&|variable| needed.binary_search(&variable).is_err())
        };
        let joined = rule
            .body
            .iter()
            .filter_map(|literal| match literal {
                Literal::Positive(atom) if is_needed(atom) => {
                    let tuples = component.facts.get(&atom.functor())?;
                    Some((atom, &tuples[..]))
                }
                _ => None,
            })
            .collect();
        let (domains, seen) = (FxHashMap::default(), FxHashSet::default());
        Search { component, rule, needed, joined, domains, seen }
    }

    fn run(mut self, index: usize, found: &mut Vec<(usize, Values)>) -> Accepted {
        let open: Vec<usize> = (0..self.joined.len()).collect();
        self.join(index, &open, &mut Values::default(), found)
    }

    /// Joins the facts that are open, then gives the variables that still need one a value.
    fn join(
        &mut self,
        index: usize,
        open: &[usize],
        values: &mut Values,
        found: &mut Vec<(usize, Values)>,
    ) -> Accepted {
        if self.is_ruled_out(values) {
            return Ok(());
        }
        // The atom with the fewest open arguments comes first, and of these the one with the fewest tuples.
        let cost = |&number: &usize| {
            let (atom, tuples) = self.joined[number];
            let is_open = |term: &&Term| !replaced(term, values).is_ground();
            (atom.arguments.iter().filter(is_open).count(), tuples.len())
        };
        if let Some(next) = open.iter().copied().min_by_key(cost) {
            let rest: Vec<usize> = open.iter().copied().filter(|&other| other != next).collect();
            let (atom, tuples) = self.joined[next];
            self.component.count(tuples.len())?;
            for tuple in tuples {
                let mut bound = Vec::new();
                let mut pairs = atom.arguments.iter().zip(tuple.iter());
                if pairs.all(|(pattern, term)| matches(pattern, term, values, &mut bound)) {
                    self.join(index, &rest, values, found)?;
                }
                for variable in bound {
                    values.remove(&variable);
                }
            }
            return Ok(());
        }
        let Some(variable) = self.needed.iter().copied().find(|variable| !values.contains_key(variable))
        else {
            return self.add(index, values, found);
        };
        if !self.domains.contains_key(&variable) {
            let domain = self.component.domains.values_of(self.rule, variable, MAX_INSTANCES);
            self.domains.insert(variable, domain.ok_or(Refusal::Infinite)?);
        }
        for position in 0..self.domains[&variable].len() {
            self.component.count(1)?;
            values.insert(variable, self.domains[&variable][position].clone());
            self.join(index, open, values, found)?;
        }
        values.remove(&variable);
        Ok(())
    }

    /// Whether a `distinct`, or its negation, fails already.
    fn is_ruled_out(&self, values: &Values) -> bool {
        self.rule.body.iter().any(|literal| {
            let (a, b, equal) = match literal {
                Literal::Distinct(a, b) => (a, b, true),
                Literal::Same(a, b) => (a, b, false),
                _ => return false,
            };
            let (a, b) = (replaced(a, values), replaced(b, values));
            if equal { a == b } else { a.is_ground() && b.is_ground() && a != b }
        })
    }

    fn add(&mut self, index: usize, values: &Values, found: &mut Vec<(usize, Values)>) -> Accepted {
        let tuple: Vec<Term> = self.needed.iter().map(|variable| values[variable].clone()).collect();
        if self.seen.insert(tuple) {
            if found.len() == MAX_INSTANCES {
                return Err(Refusal::TooMany);
            }
            let needed = self.needed.iter().map(|variable| (*variable, values[variable].clone()));
            found.push((index, needed.collect()));
        }
        Ok(())
    }
}

/// Whether a pattern is a ground term under the values; binds what was unbound.
fn matches(pattern: &Term, term: &Term, values: &mut Values, bound: &mut Vec<Symbol>) -> bool {
    match (pattern, term) {
        (Term::Variable(variable), _) => match values.entry(*variable) {
            Entry::Occupied(entry) => entry.get() == term,
            Entry::Vacant(entry) => {
                entry.insert(term.clone());
                bound.push(*variable);
                true
            }
        },
        (Term::Compound(f, patterns), Term::Compound(g, terms)) => {
            f == g
                && patterns.len() == terms.len()
                && patterns.iter().zip(terms).all(|(pattern, term)| matches(pattern, term, values, bound))
        }
        _ => pattern == term,
    }
}
