//! Planning: compiling the rules of a program with the tuples of a database as the sample.
//!
//! The join order of a rule depends on the sizes of the relations that it reads, so the components are planned in the
//! order of evaluation, and each is derived before the next one is planned. Relations that a state determines are
//! planned with the tuples of one state as the sample, which is cut off where a relation grows large. A plan never
//! changes what is derived; see [`order`](super::order).

use std::sync::Arc;

use super::limits::{SAMPLED_TUPLES, SAMPLED_VISITS};
use super::plan::JoinPlan;
use super::{Database, DatalogProgram, LimitExceeded, LimitResult, RelationId, Stage};
use crate::gdl::TermStore;

impl Database {
    /// Derives a relation and plans each component that it needs, with the tuples of the components before it as the
    /// sample. With `again`, components that were planned before are planned once more. If this database reads stage 0
    /// from another one, the components of stage 0 are left as they are, and the derived tuples are only a sample for
    /// planning: a relation that grows large is cut off.
    ///
    /// # Errors
    /// If a limit of the program is exceeded.
    pub fn plan(
        &mut self,
        program: &mut DatalogProgram,
        relation: RelationId,
        again: bool,
        terms: &TermStore,
    ) -> LimitResult {
        program.find_needs(relation);
        let needs = program.needs(relation).to_vec();
        needs.into_iter().try_for_each(|component| self.plan_component(program, component, again, terms))
    }

    fn plan_component(
        &mut self,
        program: &mut DatalogProgram,
        component: usize,
        again: bool,
        terms: &TermStore,
    ) -> LimitResult {
        let is_fixed = self.fixed.is_some() && program.component_stage(component) == 0;
        if is_fixed || self.evaluated[component] {
            return Ok(());
        }
        if !program.components[component].is_planned || again && !program.involves_tabling(component) {
            let stages = Arc::clone(&program.stages);
            let this = &*self;
            program.plan(component, &|id| Some(this.stored(id, stages[id])), terms);
            for (relation, _) in program.components[component].plans().flat_map(JoinPlan::lookups) {
                self.relations[relation].add_indexes(&program.shapes[relation]);
            }
        }
        if self.fixed.is_some() {
            self.sample(program, component, terms)?;
        } else {
            self.evaluate(program, component, terms)?;
        }
        self.evaluated[component] = true;
        Ok(())
    }

    /// Evaluates a component as a sample for planning, at most up to [`SAMPLED_TUPLES`] tuples.
    fn sample(&mut self, program: &mut DatalogProgram, component: usize, terms: &TermStore) -> LimitResult {
        let limits = program.limits;
        program.limits.tuples = limits.tuples.min(SAMPLED_TUPLES);
        program.limits.visits = limits.visits.min(SAMPLED_VISITS);
        let result = self.evaluate(program, component, terms);
        program.limits = limits;
        match result.as_ref().map_err(|error| error.exceeded) {
            Err(LimitExceeded::Tuples) if limits.tuples > SAMPLED_TUPLES => Ok(()),
            Err(LimitExceeded::Visits) if limits.visits > SAMPLED_VISITS => Ok(()),
            _ => result,
        }
    }

    /// Plans and derives the components of at most this stage that the targets need. The targets may be of any stage.
    ///
    /// # Errors
    /// If a limit of the program is exceeded.
    pub fn plan_stage(
        &mut self,
        program: &mut DatalogProgram,
        targets: &[RelationId],
        stage: Stage,
        terms: &TermStore,
    ) -> LimitResult {
        let needed = program.needed_at(targets, stage);
        needed.into_iter().try_for_each(|component| self.plan_component(program, component, false, terms))
    }

    /// Chooses the relations that are tabled, which means evaluated subgoal by subgoal instead of derived. The tuples
    /// in this database are the sample. The `targets` are never tabled.
    pub fn choose_tabled(&mut self, program: &mut DatalogProgram, targets: &[RelationId], terms: &TermStore) {
        let stages = Arc::clone(&program.stages);
        let this = &*self;
        program.choose_tabled(targets, &|id| Some(this.stored(id, stages[id])), terms);
        self.adopt_shapes(program);
    }
}
