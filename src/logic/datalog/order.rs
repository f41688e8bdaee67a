//! Join order: the order in which the literals of a rule are evaluated.
//!
//! The order is chosen greedily. A test comes as soon as its variables are bound; otherwise the next literal is the
//! positive one that is expected to match the fewest rows. This number is measured on a sample, which is the relations
//! as they were in some state: the rows that the literal's shape admits, divided by the number of different keys among
//! them. A relation that is empty in the sample counts as [`UNKNOWN`] rows, divided by 4 for each key term.
//!
//! The order never changes what is derived, but it decides whether grounding a rule takes milliseconds or minutes. The
//! classical account is Selinger et al. 1979.

use rustc_hash::{FxHashMap, FxHashSet};

use super::plan::{RelationId, shape_of};
use super::relation::{IndexShape, Relation};
use crate::gdl::{Atom, Literal, Rule, Symbol, Term, TermStore};

/// The number of rows that is expected of a relation that is empty in the sample.
const UNKNOWN: f64 = 16.0;
/// The number of rows that are examined to measure a shape, if nothing else is said.
const SAMPLED_ROWS: usize = 4096;

/// Measures selectivity on a sample of the relations and remembers what it has measured.
pub(super) struct SelectivityEstimator<'s, 'a> {
    sample: &'s dyn Fn(RelationId) -> Option<&'a Relation>,
    pub(super) terms: &'a TermStore,
    measured: FxHashMap<(RelationId, IndexShape), f64>,
    /// The number of rows that are examined to measure a shape. Different keys are counted among these only, so a large relation
    /// seems less selective than it is unless all are examined.
    pub(super) examined: usize,
}

impl<'s, 'a> SelectivityEstimator<'s, 'a> {
    /// An estimator over a sample; `sample` returns `None` for a relation that is not part of it.
    pub(super) fn new(sample: &'s dyn Fn(RelationId) -> Option<&'a Relation>, terms: &'a TermStore) -> Self {
        SelectivityEstimator { sample, terms, measured: FxHashMap::default(), examined: SAMPLED_ROWS }
    }

    /// The expected number of rows that match when the key of `shape` is given.
    fn matches(&mut self, relation: RelationId, shape: IndexShape) -> f64 {
        if let Some(&known) = self.measured.get(&(relation, shape.clone())) {
            return known;
        }
        let matches = match (self.sample)(relation) {
            Some(rows) if !rows.is_empty() => {
                let (admitted, keys) = rows.selectivity(&shape, self.terms, self.examined);
                if admitted == 0.0 { 0.5 } else { admitted / keys }
            }
            _ => UNKNOWN / 4_f64.powi(shape.key.len() as i32),
        };
        self.measured.insert((relation, shape), matches);
        matches
    }

    /// The order in which to evaluate the body of `rule`, as positions in the body. A literal in `first` comes first
    /// (semi-naive evaluation starts from the delta). The variables of the `given` arguments of the head are known.
    pub(super) fn order(
        &mut self,
        rule: &Rule,
        first: Option<usize>,
        given: &dyn Fn(usize) -> bool,
        relation: &dyn Fn(&Atom) -> RelationId,
    ) -> Vec<usize> {
        let mut left: Vec<usize> = (0..rule.body.len()).collect();
        // The literals in which a variable occurs: their costs change when it is bound.
        let mut readers: FxHashMap<Symbol, Vec<usize>> = FxHashMap::default();
        for (position, literal) in rule.body.iter().enumerate() {
            literal.each_variable(&mut |variable| readers.entry(variable).or_default().push(position));
        }
        let mut costs: Vec<Option<f64>> = vec![None; rule.body.len()];
        let mut bound = FxHashSet::default();
        let mut bind = |term: &Term, bound: &mut FxHashSet<Symbol>, costs: &mut [Option<f64>]| {
            term.each_variable(&mut |variable| {
                bound.insert(variable);
                readers.remove(&variable).into_iter().flatten().for_each(|reader| costs[reader] = None);
            });
        };
        for (position, argument) in rule.head.arguments.iter().enumerate() {
            if given(position) {
                bind(argument, &mut bound, &mut costs);
            }
        }
        let mut order = Vec::with_capacity(left.len());
        let mut next = first;
        while !left.is_empty() {
            let mut cost = |position: usize| {
                *costs[position].get_or_insert_with(|| self.cost(&rule.body[position], &bound, relation))
            };
            let chosen = next.take().unwrap_or_else(|| {
                let cheaper = |a: usize, b: usize| if cost(b) < cost(a) { b } else { a };
                left.iter().copied().reduce(cheaper).expect("some literal is left")
            });
            left.retain(|&position| position != chosen);
            order.push(chosen);
            if let Literal::Positive(atom) = &rule.body[chosen] {
                atom.arguments.iter().for_each(|argument| bind(argument, &mut bound, &mut costs));
            }
        }
        order
    }

    /// The expected number of rows of a positive literal; -1 for a test whose variables are bound, and infinity for one
    /// whose variables are not.
    fn cost(
        &mut self,
        literal: &Literal,
        bound: &FxHashSet<Symbol>,
        relation: &dyn Fn(&Atom) -> RelationId,
    ) -> f64 {
        let mut known = true;
        literal.each_variable(&mut |variable| known &= bound.contains(&variable));
        match literal {
            _ if known => -1.0,
            Literal::Positive(atom) => {
                let (shape, _) = shape_of(atom, &|variable| bound.contains(&variable));
                self.matches(relation(atom), shape)
            }
            _ => f64::INFINITY,
        }
    }
}
