//! Local stratification: negation that is decided for each ground atom.
//!
//! A relation may depend on its own negation although no ground atom does, as in
//! `(<= (goal ?r 0) (not (goal ?r 100)))`. Such rules are *locally stratified*, and their perfect model is the one
//! meaning that they have (Przymusinski88). This module decides whether rules are, and rewrites them so that they are
//! stratified in the usual sense. No later stage needs to know of it.
//!
//! ```text
//! cyclic rules --split--> instances with keys --graph--> strata of the keys --rewrite--> stratified rules
//! ```
//!
//! A *key* is a relation with some of its arguments: the values, or only the functors, at some positions. The rules are
//! instantiated as far as the keys need it. The splits are tried from the coarsest on: by what the heads of the rules
//! say, then by the values at one position, then by all arguments. With all arguments a key is a ground atom, so a
//! negation that lies on a cycle of keys then is a real one.
//!
//! Invariant: the rewritten rules derive the same atoms of every relation that the rulesheet has. The rules for `goal`
//! keep their order, because it decides which of several goals counts.
//!
//! Conditions on the state are not evaluated, only facts and `distinct`: rules whose cycle needs two states that no
//! line of play reaches are refused as well.

use rustc_hash::FxHashMap;

use super::{Atom, Literal, PositionDomains, Rule};
use hyperplay_machine::terms::{Symbol, Symbols, Term};

mod graph;
mod instances;
mod rewrite;

use instances::Expansion;

/// The number of rule instances up to which local stratification is decided.
pub(super) const MAX_INSTANCES: usize = 200_000;

/// The detail that tells the atoms of a relation apart at one position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Detail {
    Nothing,
    Functor,
    Value,
}

/// For each relation of the component, what tells its atoms apart at each position.
type Split = FxHashMap<Symbol, Vec<Detail>>;

/// What rewriting gives if it is not refused.
type Accepted<T = ()> = Result<T, Refusal>;

/// Why rules are not rewritten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Refusal {
    /// A ground atom depends on its own negation. Each atom depends on the next one, and the last one on the first.
    Cycle(Vec<Step>),
    /// Some variable has infinitely many values, or too many.
    Infinite,
    /// There are more than [`MAX_INSTANCES`] instances.
    TooMany,
}

/// One step of a cycle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub(super) atom: Atom,
    /// Whether the atom depends on the negation of the next one.
    pub(super) negative: bool,
    /// The clause of the rule for the atom.
    pub(super) clause: usize,
}

/// The rules with those of one component rewritten so that no relation of it depends on its own negation.
/// `is_inside` names the relations of the component; new relations are added to `symbols`.
///
/// # Errors
/// If a ground atom depends on its own negation, or if that cannot be decided.
pub(super) fn stratify(
    rules: &[Rule],
    is_inside: &dyn Fn(Symbol) -> bool,
    domains: &PositionDomains,
    symbols: &mut Symbols,
) -> Accepted<Vec<Rule>> {
    let mut refusal = Refusal::Infinite;
    let component = instances::Component::new(rules, is_inside, domains);
    let splits = splits(rules, is_inside);
    for (number, split) in splits.iter().enumerate() {
        let outcome = component.expand(split).and_then(|expansion: Expansion| {
            rewrite::rewrite(rules, is_inside, &expansion, &graph::strata(&expansion, rules)?, symbols)
        });
        match outcome {
            Ok(rules) => return Ok(rules),
            Err(Refusal::Cycle(_)) if number + 1 < splits.len() => {}
            Err(other) => refusal = other,
        }
    }
    Err(refusal)
}

/// The splits to be tried, the last one by all arguments.
fn splits(rules: &[Rule], is_inside: &dyn Fn(Symbol) -> bool) -> Vec<Split> {
    let mut heads: Split = FxHashMap::default();
    for rule in rules {
        for atom in std::iter::once(&rule.head).chain(rule.body.iter().filter_map(Literal::atom)) {
            if is_inside(atom.relation) {
                heads.entry(atom.relation).or_insert_with(|| vec![Detail::Value; atom.arguments.len()]);
            }
        }
        let Some(details) = heads.get_mut(&rule.head.relation) else { continue };
        for (detail, term) in details.iter_mut().zip(&rule.head.arguments) {
            *detail = match term {
                Term::Variable(_) => Detail::Nothing,
                Term::Compound(..) if *detail == Detail::Value && !term.is_ground() => Detail::Functor,
                _ => *detail,
            };
        }
    }
    let longest = heads.values().map(Vec::len).max().unwrap_or(0);
    let mut all = heads.clone();
    all.values_mut().for_each(|details| details.fill(Detail::Value));
    let by_one = (0..longest).map(|position| {
        let mut split = heads.clone();
        split.values_mut().filter_map(|details| details.get_mut(position)).for_each(|d| *d = Detail::Value);
        split
    });
    let mut splits: Vec<Split> = std::iter::once(heads.clone()).chain(by_one).collect();
    splits.retain(|split| *split != all);
    splits.dedup();
    splits.push(all);
    splits
}
