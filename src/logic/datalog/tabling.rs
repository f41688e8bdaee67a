//! Proofs: relations that are proved tuple by tuple instead of being derived whole.
//!
//! Worth it for a relation that is large and only ever tested for given tuples: chess tests a few hundred threats a state
//! out of three million that could be derived.
//!
//! Invariant: no plan that is run walks through the rows of a proved relation, for it has none. A relation is therefore
//! chosen after its readers, and what tests a proved relation keeps the plans that it had then.

use super::order::Estimator;
use super::plan::{Draft, Plan, RelationId, Rows, Step, compile};
use super::program::{Component, Program};
use super::relation::Relation;
use crate::gdl::{Atom, TermStore};

/// A relation with more rows in a sample is proved instead of derived, where that is possible.
const PROVED_ROWS: usize = 1000;
/// A rule and the proofs nested in it have no more steps than this under way, for each takes room on the stack: what
/// stands deeper is derived.
const NESTED_STEPS: usize = 1500;

impl Program {
    /// Decides which relations are proved tuple by tuple instead of being derived whole: those that are large in the
    /// sample, not recursive, not among the `targets`, and that every plan only tests for given tuples.
    pub(super) fn choose_proofs<'a>(
        &mut self,
        targets: &[RelationId],
        sample: impl Fn(RelationId) -> Option<&'a Relation>,
        terms: &'a TermStore,
    ) {
        let mut estimator = Estimator::new(&sample, terms);
        // How many steps may be under way when a proof of a relation is started.
        let mut nesting = vec![0_usize; self.relations()];
        // Readers stand behind what they read: by then it is known whether they are proved themselves.
        for number in (0..self.components.len()).rev() {
            if let Some(proofs) = self.proofs_for(number, targets, &sample, &mut estimator, &nesting) {
                self.components[number].proofs = Some(proofs);
            }
            let component = &self.components[number];
            let outer = if component.proofs.is_some() { nesting[component.relations[0]] } else { 0 };
            for plan in component.plans() {
                for inner in plan.tested() {
                    nesting[inner] = nesting[inner].max(outer + plan.steps.len());
                }
            }
        }
        self.collect_proof_lookups();
    }

    /// The plans that prove the relation of a component, if it is better proved and is not yet.
    fn proofs_for<'a, F: Fn(RelationId) -> Option<&'a Relation>>(
        &mut self,
        number: usize,
        targets: &[RelationId],
        sample: &F,
        estimator: &mut Estimator<'a, &F>,
        nesting: &[usize],
    ) -> Option<Vec<Plan>> {
        let component = &self.components[number];
        let &[relation] = &component.relations[..] else { return None };
        if component.rules.is_empty() // an input
            || component.proofs.is_some()
            || sample(relation).is_none_or(|rows| rows.len() <= PROVED_ROWS)
            || !component.repeated.is_empty()
            || self.stages[relation] == 0
            || targets.contains(&relation)
        {
            return None;
        }
        let reads = |step: &Step| matches!(step, Step::Find(find) if find.relation == relation);
        if self.components.iter().flat_map(Component::plans).flat_map(|plan| &plan.steps).any(reads) {
            return None;
        }
        let id = |atom: &Atom| self.by_name[&atom.relation];
        let prove = |&index: &usize| {
            let rule = &self.rules[index];
            let order = estimator.order(rule, None, true, id);
            compile(
                &Draft { rule, index, order, is_proof: true, open: None },
                id,
                |_| Rows::All,
                estimator.terms(),
            )
        };
        let mut proofs: Vec<Plan> = component.rules.iter().map(prove).collect();
        let longest = proofs.iter().map(|plan| plan.steps.len()).max().unwrap_or(0);
        if nesting[relation] + longest > NESTED_STEPS {
            return None;
        }
        self.index(proofs.iter_mut());
        Some(proofs)
    }

    fn collect_proof_lookups(&mut self) {
        for component in &self.components {
            let (&[relation], Some(proofs)) = (&component.relations[..], &component.proofs) else { continue };
            let inner =
                proofs.iter().flat_map(Plan::tested).flat_map(|inner| self.proof_lookups[inner].clone());
            let mut lookups: Vec<_> = proofs.iter().flat_map(Plan::lookups).chain(inner).collect();
            lookups.sort_unstable();
            lookups.dedup();
            self.proof_lookups[relation] = lookups;
        }
    }

    /// The indexes that proofs of a relation look into; none if it is derived.
    pub(super) fn proof_lookups(&self, relation: RelationId) -> &[(RelationId, usize)] {
        &self.proof_lookups[relation]
    }

    /// Whether a component is proved or tests a relation that is: then its plans stay as they were when that was chosen.
    pub(super) fn involves_proofs(&self, component: usize) -> bool {
        let component = &self.components[component];
        component.proofs.is_some()
            || component.plans().flat_map(Plan::tested).any(|relation| self.proofs(relation).is_some())
    }

    /// The plans by which a relation is proved, if it is not derived.
    pub(super) fn proofs(&self, relation: RelationId) -> Option<&[Plan]> {
        self.components[self.component_of[relation]].proofs.as_deref()
    }
}
