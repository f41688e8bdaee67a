//! Tabled evaluation: relations that are evaluated subgoal by subgoal instead of being derived as a whole.
//!
//! Tabling pays for a relation that is large and is only ever tested for given tuples: the rules of chess test a few
//! hundred threats in a state, out of three million that could be derived. Such a relation stores no tuples. A step
//! that tests it for a tuple (a *subgoal*) runs the relation's rules with the head given, and the answer is kept in a
//! [`SubgoalTable`] until an input changes. Tabled relations are not recursive, so the
//! completion of mutually dependent subgoals (Chen and Warren, *Tabled Evaluation with Delaying for General Logic
//! Programs*, 1996) is not needed.
//!
//! Invariant: no plan that is run scans the rows of a tabled relation, because the relation has none. A relation is
//! therefore chosen after the relations that read it, and a rule that tests a tabled relation keeps the plan that it
//! had when the relation was chosen.

use super::limits::VisitCounter;
use super::order::SelectivityEstimator;
use super::plan::{JoinPlan, JoinStep, PlanDraft, RelationId, RowRange};
use super::program::{Component, DatalogProgram, Stage};
use super::relation::Relation;
use crate::gdl::TermStore;

/// A relation with more rows in the sample is tabled, where that is possible.
const TABLED_ROWS: usize = 1000;
/// A rule and the subgoals nested in it have at most this many steps under way, because each takes room on the stack.
/// A relation that would be nested deeper is derived.
const NESTED_STEPS: usize = 1500;

/// The answered subgoals: for each tabled relation, the tuples that hold and those that do not.
#[derive(Clone, Debug, Default)]
pub(super) struct SubgoalTable {
    pub(super) answers: Vec<(Relation, Relation)>,
    /// The rows visited since the current rule was started, those of its subgoals included.
    pub(super) counter: VisitCounter,
}

impl SubgoalTable {
    /// A table without answers.
    pub(super) fn new(program: &DatalogProgram) -> SubgoalTable {
        let empty = |relation| Relation::new(program.arity(relation), Vec::new());
        let answers = (0..program.relations()).map(|relation| (empty(relation), empty(relation))).collect();
        SubgoalTable { answers, counter: VisitCounter::default() }
    }

    /// Forgets the answers of a stage and of the stages above it.
    pub(super) fn forget(&mut self, program: &DatalogProgram, stage: Stage) {
        for (relation, (true_subgoals, false_subgoals)) in self.answers.iter_mut().enumerate() {
            if program.stage(relation) >= stage && !(true_subgoals.is_empty() && false_subgoals.is_empty()) {
                true_subgoals.clear();
                false_subgoals.clear();
            }
        }
    }
}

impl DatalogProgram {
    /// Chooses the relations to be tabled: those that are large in the sample, not recursive, not among the
    /// `targets`, and that every plan only tests for given tuples.
    pub(super) fn choose_tabled<'a>(
        &mut self,
        targets: &[RelationId],
        sample: &dyn Fn(RelationId) -> Option<&'a Relation>,
        terms: &'a TermStore,
    ) {
        let mut estimator = SelectivityEstimator::new(sample, terms);
        // The number of steps that may be under way when a subgoal of a relation is started.
        let mut nesting = vec![0_usize; self.relations()];
        // The relations that read a relation come before it here, so it is known whether they are tabled themselves.
        for number in (0..self.components.len()).rev() {
            if let Some(plans) = self.subgoal_plans_for(number, targets, sample, &mut estimator, &nesting) {
                self.components[number].subgoal_plans = Some(plans);
            }
            let component = &self.components[number];
            let outer = if component.subgoal_plans.is_some() { nesting[component.relations[0]] } else { 0 };
            for plan in component.plans() {
                for inner in plan.tested() {
                    nesting[inner] = nesting[inner].max(outer + plan.steps.len());
                }
            }
        }
        self.collect_subgoal_lookups();
    }

    /// The plans that evaluate a subgoal of a component's relation; `None` if the relation is not to be tabled or is
    /// tabled already.
    fn subgoal_plans_for<'a>(
        &mut self,
        number: usize,
        targets: &[RelationId],
        sample: &dyn Fn(RelationId) -> Option<&'a Relation>,
        estimator: &mut SelectivityEstimator<'_, 'a>,
        nesting: &[usize],
    ) -> Option<Vec<JoinPlan>> {
        let component = &self.components[number];
        let &[relation] = &component.relations[..] else { return None };
        if component.rules.is_empty() // an input
            || component.subgoal_plans.is_some()
            || sample(relation).is_none_or(|rows| rows.len() <= TABLED_ROWS)
            || !component.repeated.is_empty()
            || self.stages[relation] == 0
            || targets.contains(&relation)
        {
            return None;
        }
        let reads = |step: &JoinStep| matches!(step, JoinStep::Find(find) if find.relation == relation);
        if self.components.iter().flat_map(Component::plans).flat_map(|plan| &plan.steps).any(reads) {
            return None;
        }
        let plan = |&index: &usize| {
            let draft =
                PlanDraft { rule: &self.rules[index], index, first: None, is_subgoal: true, open: None };
            self.compile(estimator, &draft, &|_| RowRange::All)
        };
        let mut plans: Vec<JoinPlan> = component.rules.iter().map(plan).collect();
        if nesting[relation] + plans.iter().map(|plan| plan.steps.len()).max().unwrap_or(0) > NESTED_STEPS {
            return None;
        }
        self.index(&mut plans);
        Some(plans)
    }

    fn collect_subgoal_lookups(&mut self) {
        for component in &self.components {
            let (&[relation], Some(plans)) = (&component.relations[..], &component.subgoal_plans) else {
                continue;
            };
            let inner =
                plans.iter().flat_map(JoinPlan::tested).flat_map(|inner| self.subgoal_lookups[inner].clone());
            let mut lookups: Vec<_> = plans.iter().flat_map(JoinPlan::lookups).chain(inner).collect();
            lookups.sort_unstable();
            lookups.dedup();
            self.subgoal_lookups[relation] = lookups;
        }
    }

    /// Whether a component is tabled or tests a tabled relation. The plans of such a component no longer change.
    pub(super) fn involves_tabling(&self, component: usize) -> bool {
        let component = &self.components[component];
        let mut tested = component.plans().flat_map(JoinPlan::tested);
        component.subgoal_plans.is_some() || tested.any(|relation| self.subgoal_plans(relation).is_some())
    }

    /// The plans that evaluate a subgoal of a relation, if the relation is tabled.
    pub(super) fn subgoal_plans(&self, relation: RelationId) -> Option<&[JoinPlan]> {
        self.components[self.component_of[relation]].subgoal_plans.as_deref()
    }
}
